//! Events that come next, sorted.
//!
//! An event is sorted by one number that packs its time since `base`, its
//! class and its place among the payloads. Places are given in order of
//! arrival, so that the numbers are unique and sort equal times and classes in
//! order of scheduling, and payloads stay where they are.

use super::fifo::Entry;

const PLACE_BITS: u32 = 9;
const CLASS_BITS: u32 = 4;
const TIME_SHIFT: u32 = PLACE_BITS + CLASS_BITS;

/// Number of classes: a class is a number below it.
pub(super) const CLASSES: u8 = 1 << CLASS_BITS;

/// How far past its base the front can hold times: 2^51 ns, 26 days. All its
/// bits are set.
pub(super) const REACH: u64 = u64::MAX >> TIME_SHIFT;

/// Places there are.
const PLACES: usize = 1 << PLACE_BITS;

/// The most events that may be appended to a front after a reset. Sorting this
/// many costs less than spreading them over finer slots.
pub(super) const MOST_APPENDED: usize = PLACES / 2;

/// Inserting into a front of this size costs little: its keys are eight cache
/// lines. A front may grow by as many insertions before it is looked after.
const SMALL: usize = 64;

/// Up to this many waiting keys, comparing with each of them is the faster way
/// to insert one.
const FEW: usize = 32;

#[derive(Clone, Debug)]
pub(super) struct Front<E> {
    /// Subtracted from all times: an instant at or before the current one.
    base: u64,
    /// Keys of events from `head` on, ascending; those before it are gone.
    keys: Vec<u64>,
    head: usize,
    /// By place.
    payloads: Vec<E>,
    /// Places that may be used before the front is full.
    places: usize,
    /// Only used while packing.
    spare: Vec<E>,
}

impl<E: Copy> Front<E> {
    pub(super) fn new() -> Self {
        Self {
            base: 0,
            keys: Vec::with_capacity(PLACES),
            head: 0,
            payloads: Vec::with_capacity(PLACES),
            places: SMALL,
            spare: Vec::new(),
        }
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.head == self.keys.len()
    }

    /// Events waiting.
    #[inline]
    pub(super) fn len(&self) -> usize {
        self.keys.len() - self.head
    }

    /// Whether no place is free for an insertion.
    #[inline]
    pub(super) fn is_full(&self) -> bool {
        self.payloads.len() >= self.places
    }

    /// Whether so few events wait that keeping them here costs little.
    pub(super) fn is_small(&self) -> bool {
        self.len() <= SMALL
    }

    /// Time and class of the next event.
    #[inline]
    pub(super) fn peek(&self) -> Option<(u64, u8)> {
        let key = *self.keys.get(self.head)?;
        Some((self.time(key), class(key)))
    }

    #[inline]
    pub(super) fn pop(&mut self) -> Option<Entry<E>> {
        let key = *self.keys.get(self.head)?;
        self.head += 1;
        Some(self.entry(key))
    }

    /// Forgets everything; times from `base` to `base + REACH` fit from now on.
    pub(super) fn reset(&mut self, base: u64) {
        self.base = base;
        self.keys.clear();
        self.head = 0;
        self.payloads.clear();
        self.give_places();
    }

    /// Adds events that come after the sorted ones, in any order of time but
    /// in order of scheduling for equal times. They are not sorted yet. At most
    /// [`MOST_APPENDED`] since the reset.
    #[inline]
    pub(super) fn append(&mut self, entries: &[Entry<E>]) {
        let base = self.base;
        let places = self.payloads.len()..;
        self.keys.extend(places.zip(entries).map(|(place, entry)| key(base, entry, place)));
        self.payloads.extend(entries.iter().map(|entry| entry.payload));
    }

    /// Sorts the events from the `sorted`-th on.
    pub(super) fn sort_from(&mut self, sorted: usize) {
        self.keys[sorted..].sort_unstable();
        self.give_places();
    }

    /// Inserts one event; the front must not be full.
    #[inline]
    pub(super) fn insert(&mut self, entry: Entry<E>) {
        let key = key(self.base, &entry, self.payloads.len());
        self.payloads.push(entry.payload);
        let waiting = &mut self.keys[self.head..];
        if waiting.len() > FEW {
            self.keys.push(key);
            return insert_last(&mut self.keys[self.head..]);
        }
        // Each key gives way to a smaller one: no branch depends on the keys.
        let mut last = key;
        for other in waiting {
            (*other, last) = (last.min(*other), last.max(*other));
        }
        self.keys.push(last);
    }

    /// Gives the places of events that are gone free, and moves the base.
    pub(super) fn pack(&mut self, base: u64) {
        let moved = (base - self.base) << TIME_SHIFT;
        self.spare.clear();
        for at in 0..self.len() {
            let key = self.keys[self.head + at];
            self.spare.push(self.payloads[place(key)]);
            self.keys[at] = key - moved - place(key) as u64 + at as u64;
        }
        std::mem::swap(&mut self.payloads, &mut self.spare);
        self.keys.truncate(self.payloads.len());
        self.head = 0;
        self.base = base;
        self.give_places();
    }

    fn give_places(&mut self) {
        self.places = self.keys.len() + SMALL;
    }

    /// Hands over all events after the instant `now`, in order; those at it
    /// stay.
    pub(super) fn split_after(&mut self, now: u64, mut take: impl FnMut(Entry<E>)) {
        let instant = now - self.base;
        let waiting = &self.keys[self.head..];
        let stay = self.head + waiting.partition_point(|key| key >> TIME_SHIFT <= instant);
        for key in &self.keys[stay..] {
            take(self.entry(*key));
        }
        self.keys.truncate(stay);
    }

    #[inline]
    fn entry(&self, key: u64) -> Entry<E> {
        Entry { time: self.time(key), class: class(key), payload: self.payloads[place(key)] }
    }

    #[inline]
    fn time(&self, key: u64) -> u64 {
        self.base + (key >> TIME_SHIFT)
    }
}

/// Brings the last key to its place among the others, which are sorted.
#[inline(never)]
fn insert_last(keys: &mut [u64]) {
    if let Some((&mut key, sorted)) = keys.split_last_mut() {
        let at = sorted.partition_point(|other| *other < key);
        keys[at..].rotate_right(1);
    }
}

#[inline]
fn key<E>(base: u64, entry: &Entry<E>, place: usize) -> u64 {
    (entry.time - base) << TIME_SHIFT | u64::from(entry.class) << PLACE_BITS | place as u64
}

#[inline]
fn class(key: u64) -> u8 {
    (key >> PLACE_BITS) as u8 % CLASSES
}

#[inline]
fn place(key: u64) -> usize {
    key as usize % PLACES
}
