//! The queue of future events.
//!
//! # Order
//!
//! Events are delivered in order of (time, class, order of scheduling). An
//! event may be scheduled at the instant being handled, in any class: it is
//! delivered in its order among what remains, so a class below the one being
//! handled comes next. An event before that instant is refused with an error
//! rather than moved to the present: its cause lies with the caller, and
//! delivering it at another time than asked would hide that.
//!
//! # How it works
//!
//! Three places hold events, from near to far:
//!
//! - the lanes, one list a class, hold events of the current instant that were
//!   scheduled during it, or that are too many to sort;
//! - the front holds the next few events, sorted; it covers all times up to
//!   `covered`;
//! - the wheel holds everything later, in slots of ranges of time.
//!
//! When lanes and front are empty, the first slots of the wheel are sorted
//! into the front. A slot too large for that is spread over finer slots, and
//! its first instant goes to the lanes. So an event is moved a few times, at
//! most once for each of the eleven digits of its time, whatever the spread of
//! times is, and events of one instant are never compared with each other once
//! they are many. The cost of an event is constant but for its insertion into
//! the front, which is bounded by the front's size.
//!
//! No sequence number is stored: events of one instant share the slot, lists
//! keep the order of scheduling, and what enters the front or a lane later was
//! scheduled later.

mod fifo;
mod front;
#[cfg(test)]
mod tests;
mod wheel;

use crate::model::SimTime;
use fifo::{Entry, Fifo, Pool};
use front::Front;
use wheel::{Slot, Wheel};

/// Number of event classes: a class is a number below it.
pub const CLASSES: u8 = front::CLASSES;

/// A front with this many events is full enough: it pays for the look at the
/// wheel, and it covers a short time, so that few events are inserted into it.
const FRONT_ENOUGH: usize = 16;

/// The most events that wait at once. Positions in the pool are 32 bits, and
/// partly filled chunks take some of them.
const MOST_EVENTS: usize = 1 << 31;

/// An event that is due.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scheduled<E> {
    /// When it happens.
    pub time: SimTime,
    /// Its rank among the events of one instant, the lowest first.
    pub class: u8,
    /// What happens.
    pub payload: E,
}

/// Why an event was not scheduled. The queue is unchanged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ScheduleError {
    /// The event lies before the instant that is being handled.
    #[error("an event at {} ns cannot be scheduled: the time is already {} ns", .time.0, .now.0)]
    Past {
        /// The time asked for.
        time: SimTime,
        /// The time of the last event delivered.
        now: SimTime,
    },
    /// No such class.
    #[error("event class {0} is not below {CLASSES}")]
    Class(u8),
    /// 2^31 events wait already.
    #[error("more than {MOST_EVENTS} events are waiting")]
    Full,
}

/// Future events in order of (time, class, order of scheduling).
///
/// `schedule` and `pop` take constant time, amortised, for any distribution of
/// times over the whole range of [`SimTime`]; `peek_time` takes constant time.
/// Memory is that of the most events that ever waited at once, and is reused:
/// a queue whose length has settled allocates nothing.
///
/// ```
/// use evenkeel::model::SimTime;
/// use evenkeel::sim::EventQueue;
///
/// let mut queue = EventQueue::new();
/// queue.schedule(SimTime(20), 0, "last")?;
/// queue.schedule(SimTime(10), 3, "second")?;
/// queue.schedule(SimTime(10), 1, "first")?;
/// let order: Vec<_> = std::iter::from_fn(|| queue.pop()).map(|event| event.payload).collect();
/// assert_eq!(order, ["first", "second", "last"]);
/// assert!(queue.schedule(SimTime(19), 0, "too late").is_err());
/// # Ok::<(), evenkeel::sim::ScheduleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct EventQueue<E> {
    /// Time of the last event delivered.
    now: u64,
    /// Events after `now` up to here belong in the front, later ones in the
    /// wheel. At least `now`. Moving `now` up to here changes no event's slot.
    covered: u64,
    len: usize,
    front: Front<E>,
    /// Bit `c`: lane `c` has an event.
    lanes_used: u16,
    lanes: [Fifo; CLASSES as usize],
    wheel: Wheel,
    /// The memory of the lanes and of the wheel's slots.
    pool: Pool<E>,
}

impl<E: Copy> Default for EventQueue<E> {
    fn default() -> Self {
        Self::new()
    }
}

impl<E: Copy> EventQueue<E> {
    /// An empty queue at time zero.
    pub fn new() -> Self {
        Self {
            now: 0,
            covered: front::REACH,
            len: 0,
            front: Front::new(),
            lanes_used: 0,
            lanes: [Fifo::EMPTY; CLASSES as usize],
            wheel: Wheel::new(),
            pool: Pool::new(),
        }
    }

    /// Number of events waiting.
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether no event waits.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Adds an event. It follows those of the same time and class.
    ///
    /// # Errors
    ///
    /// When `time` is before the last event delivered, `class` is not below
    /// [`CLASSES`], or 2^31 events wait already. The queue stays as it was.
    #[inline]
    pub fn schedule(&mut self, time: SimTime, class: u8, payload: E) -> Result<(), ScheduleError> {
        if class >= CLASSES {
            return Err(ScheduleError::Class(class));
        }
        if self.len >= MOST_EVENTS {
            return Err(ScheduleError::Full);
        }
        let entry = Entry { time: time.0, class, payload };
        if entry.time > self.covered {
            self.push_far(entry);
        } else if entry.time > self.now {
            self.insert_into_front(entry);
        } else if entry.time == self.now {
            self.push_to_lane(entry);
        } else {
            return Err(ScheduleError::Past { time, now: SimTime(self.now) });
        }
        self.len += 1;
        Ok(())
    }

    /// Takes the next event. Its time is the current one from now on.
    #[inline]
    pub fn pop(&mut self) -> Option<Scheduled<E>> {
        if self.lanes_used == 0 && self.front.is_empty() {
            self.refill();
        }
        let entry = if self.lanes_used == 0 { self.front.pop()? } else { self.pop_instant()? };
        self.now = entry.time;
        self.len -= 1;
        let Entry { time, class, payload } = entry;
        Some(Scheduled { time: SimTime(time), class, payload })
    }

    /// Time of the next event.
    #[inline]
    pub fn peek_time(&self) -> Option<SimTime> {
        let time = if self.lanes_used != 0 {
            self.now
        } else if let Some((time, _)) = self.front.peek() {
            time
        } else {
            self.wheel.first()?.0.earliest
        };
        Some(SimTime(time))
    }

    /// The next event of the current instant, when a lane has one. Of the same
    /// class the front's come first: they were scheduled before this instant.
    fn pop_instant(&mut self) -> Option<Entry<E>> {
        let class = self.lanes_used.trailing_zeros() as u8;
        if self.front.peek().is_some_and(|next| next <= (self.now, class)) {
            return self.front.pop();
        }
        let lane = &mut self.lanes[usize::from(class)];
        let entry = self.pool.pop(lane);
        if lane.is_empty() {
            self.lanes_used &= !(1 << class);
        }
        entry
    }

    /// Fills the empty front, or the empty lanes, with the next events.
    #[inline(never)]
    fn refill(&mut self) {
        let reach = self.now.saturating_add(front::REACH);
        self.front.reset(self.now);
        while self.front.len() < FRONT_ENOUGH {
            let Some((slot, end)) = self.wheel.first() else {
                return self.cover_all();
            };
            let fits = self.front.len() + slot.len <= front::MOST_APPENDED && end <= reach;
            if !fits && !self.front.is_empty() {
                return;
            }
            let Some(slot) = self.wheel.take_first() else {
                return;
            };
            if !fits {
                return self.spread(slot);
            }
            self.covered = end;
            self.sort_into_front(slot.list);
        }
    }

    /// Lets the front cover what it can while the wheel is empty: the whole
    /// block of time that `now` is in. Past the end of a block, the slot of a
    /// later event would depend on when it is scheduled.
    fn cover_all(&mut self) {
        self.covered = self.covered.max(self.now | front::REACH);
    }

    /// Moves a list to the end of the front, sorted.
    fn sort_into_front(&mut self, mut list: Fifo) {
        let sorted = self.front.len();
        while !list.is_empty() {
            let run = self.pool.first_run(list);
            self.front.append(self.pool.entries(run));
            self.pool.drop_first_run(&mut list);
        }
        self.front.sort_from(sorted);
    }

    /// Advances to the first instant of a slot: its events go to the lanes,
    /// the slot's others to finer slots.
    fn spread(&mut self, mut slot: Slot) {
        self.now = slot.earliest;
        self.covered = slot.earliest;
        while !slot.list.is_empty() {
            for at in self.pool.first_run(slot.list) {
                let entry = self.pool.entry(at);
                if entry.time == self.now {
                    self.push_to_lane(entry);
                } else {
                    self.wheel.push(self.now, entry, &mut self.pool);
                }
            }
            self.pool.drop_first_run(&mut slot.list);
        }
    }

    /// Adds an event after `covered`. Out of line, so that the short way of a
    /// small queue stays short.
    #[inline(never)]
    fn push_far(&mut self, entry: Entry<E>) {
        self.wheel.push(self.now, entry, &mut self.pool);
    }

    #[inline]
    fn push_to_lane(&mut self, entry: Entry<E>) {
        let class = usize::from(entry.class);
        self.lanes_used |= 1 << class;
        self.pool.push(&mut self.lanes[class], entry);
    }

    #[inline]
    fn insert_into_front(&mut self, entry: Entry<E>) {
        if self.front.is_full() {
            self.relieve_front();
        }
        if entry.time > self.covered {
            self.push_far(entry);
        } else {
            self.front.insert(entry);
        }
    }

    /// Packs a full front, or when many events wait there moves those after the
    /// current instant to the wheel.
    #[cold]
    fn relieve_front(&mut self) {
        if self.front.is_small() {
            self.front.pack(self.now);
            if self.wheel.is_empty() {
                self.cover_all();
            }
            return;
        }
        let Self { now, wheel, pool, .. } = self;
        self.front.split_after(*now, |entry| wheel.push(*now, entry, pool));
        self.covered = self.now;
    }
}
