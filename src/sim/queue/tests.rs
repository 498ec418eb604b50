//! The order of delivery against a model, and known orders.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// What the queue promises, in the plainest form.
#[derive(Default)]
struct Model {
    events: BTreeMap<(u64, u8, u64), u32>,
    scheduled: u64,
    now: u64,
}

impl Model {
    fn schedule(&mut self, time: u64, class: u8, payload: u32) -> bool {
        if time < self.now || class >= CLASSES {
            return false;
        }
        self.events.insert((time, class, self.scheduled), payload);
        self.scheduled += 1;
        true
    }

    fn pop(&mut self) -> Option<Scheduled<u32>> {
        let ((time, class, _), payload) = self.events.pop_first()?;
        self.now = time;
        Some(Scheduled { time: SimTime(time), class, payload })
    }

    fn peek_time(&self) -> Option<SimTime> {
        self.events.keys().next().map(|key| SimTime(key.0))
    }
}

/// A queue and its model side by side.
struct Pair {
    queue: EventQueue<u32>,
    model: Model,
    payload: u32,
}

impl Pair {
    fn new() -> Self {
        Self { queue: EventQueue::new(), model: Model::default(), payload: 0 }
    }

    fn schedule(&mut self, time: u64, class: u8) {
        self.payload += 1;
        let done = self.queue.schedule(SimTime(time), class, self.payload).is_ok();
        assert_eq!(done, self.model.schedule(time, class, self.payload));
        assert_eq!(self.queue.len(), self.model.events.len());
    }

    fn pop(&mut self) -> bool {
        assert_eq!(self.queue.peek_time(), self.model.peek_time());
        let popped = self.queue.pop();
        assert_eq!(popped, self.model.pop());
        assert_eq!(self.queue.is_empty(), self.model.events.is_empty());
        popped.is_some()
    }

    fn drain(&mut self) {
        while self.pop() {}
    }
}

#[derive(Clone, Debug)]
enum Step {
    /// Schedule `count` events at now + after + i * apart.
    Schedule {
        after: u64,
        apart: u64,
        class: u8,
        count: usize,
    },
    /// Schedule at an absolute time, possibly past.
    At {
        time: u64,
        class: u8,
    },
    Pop {
        count: usize,
    },
}

/// Lengths of time on all scales, small ones and those near a power of two
/// more often than not.
fn spans() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        1..20u64,
        (0..64u32, -2..=2i64).prop_map(|(bit, off)| (1u64 << bit).wrapping_add_signed(off)),
        (0..64u32, any::<u64>()).prop_map(|(shift, bits)| bits >> shift),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    let count = || prop_oneof![4 => 1..4usize, 2 => 4..80usize, 1 => 80..700usize];
    prop_oneof![
        6 => (spans(), prop_oneof![Just(0), spans()], 0..CLASSES, count()).prop_map(
            |(after, apart, class, count)| Step::Schedule { after, apart, class, count }
        ),
        1 => (any::<u64>(), 0..20u8).prop_map(|(time, class)| Step::At { time, class }),
        1 => (0..4u64, 0..20u8)
            .prop_map(|(back, class)| Step::At { time: u64::MAX - back, class }),
        5 => count().prop_map(|count| Step::Pop { count }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_schedule_is_delivered_in_the_order_of_the_model(
        steps in prop::collection::vec(steps(), 1..60)
    ) {
        let mut pair = Pair::new();
        for step in steps {
            match step {
                Step::Schedule { after, apart, class, count } => {
                    let first = pair.model.now.saturating_add(after);
                    for i in 0..count {
                        let time = first.saturating_add(apart.saturating_mul(i as u64));
                        pair.schedule(time, class.wrapping_add(i as u8) % CLASSES);
                    }
                }
                Step::At { time, class } => pair.schedule(time, class),
                Step::Pop { count } => {
                    for _ in 0..count {
                        pair.pop();
                    }
                }
            }
        }
        pair.drain();
    }

    #[test]
    fn timers_that_rearm_keep_the_order_of_the_model(
        timers in 1..600usize,
        periods in prop::collection::vec(spans().prop_map(|span| span >> 12), 1..9),
        classes in 1..=CLASSES,
    ) {
        let mut pair = Pair::new();
        for i in 0..timers {
            pair.schedule(periods[i % periods.len()], i as u8 % classes);
        }
        for i in 0..4 * timers {
            pair.pop();
            let time = pair.model.now.saturating_add(periods[i % periods.len()]);
            pair.schedule(time, i as u8 % classes);
        }
        pair.drain();
    }
}

fn order(queue: &mut EventQueue<u32>) -> Vec<u32> {
    std::iter::from_fn(|| queue.pop()).map(|event| event.payload).collect()
}

#[test]
fn one_instant_is_ordered_by_class_and_then_by_scheduling() {
    let mut queue = EventQueue::new();
    for (class, payload) in [(7, 30), (0, 10), (15, 40), (0, 11), (7, 31), (1, 20)] {
        queue.schedule(SimTime(5), class, payload).unwrap();
    }
    queue.schedule(SimTime(4), 15, 0).unwrap();
    assert_eq!(order(&mut queue), [0, 10, 11, 20, 30, 31, 40]);
}

#[test]
fn an_event_of_the_current_instant_is_next_in_its_order() {
    let mut queue = EventQueue::new();
    for (class, payload) in [(3, 30), (3, 31), (5, 50)] {
        queue.schedule(SimTime(9), class, payload).unwrap();
    }
    assert_eq!(queue.pop().unwrap().payload, 30);
    for (class, payload) in [(5, 51), (3, 32), (0, 0), (4, 40)] {
        queue.schedule(SimTime(9), class, payload).unwrap();
    }
    assert_eq!(order(&mut queue), [0, 31, 32, 40, 50, 51]);
}

#[test]
fn the_past_and_unknown_classes_are_refused_and_change_nothing() {
    let mut queue = EventQueue::new();
    queue.schedule(SimTime(10), 0, 1).unwrap();
    queue.schedule(SimTime(20), 0, 2).unwrap();
    assert_eq!(queue.schedule(SimTime(1), CLASSES, 3), Err(ScheduleError::Class(CLASSES)));
    queue.pop();
    let past = ScheduleError::Past { time: SimTime(9), now: SimTime(10) };
    assert_eq!(queue.schedule(SimTime(9), 0, 3), Err(past));
    assert_eq!(past.to_string(), "an event at 9 ns cannot be scheduled: the time is already 10 ns");
    assert_eq!(queue.len(), 1);
    assert_eq!(order(&mut queue), [2]);
}

#[test]
fn peeking_does_not_advance_the_time() {
    let mut queue = EventQueue::new();
    for far in 0..1000 {
        queue.schedule(SimTime(u64::MAX - far), 0, 1).unwrap();
    }
    assert_eq!(queue.peek_time(), Some(SimTime(u64::MAX - 999)));
    queue.schedule(SimTime(3), 0, 0).unwrap();
    assert_eq!(queue.peek_time(), Some(SimTime(3)));
    assert_eq!(queue.pop().map(|event| event.time), Some(SimTime(3)));
}

#[test]
fn a_burst_at_one_instant_is_in_order_while_it_grows() {
    let mut pair = Pair::new();
    for i in 0..100_000u32 {
        pair.schedule(1_000_000_007, (i % 3) as u8 * 5);
    }
    for i in 0..100_000u32 {
        pair.pop();
        if i % 2 == 0 {
            pair.schedule(1_000_000_007, (i % 16) as u8);
        }
    }
    pair.drain();
}

#[test]
fn a_front_that_overflows_is_in_order() {
    let mut pair = Pair::new();
    pair.schedule(1, 0);
    pair.pop();
    // Latest first, so that each is inserted before all others.
    for i in 0..5_000u64 {
        pair.schedule(1_000_000 - i * 7, 2);
        pair.schedule(1_000_000 - i * 7, 1);
        if i % 10 == 0 {
            pair.schedule(1, 3);
            pair.pop();
        }
    }
    pair.drain();
}

#[test]
fn memory_is_reused_once_the_length_has_settled() {
    let mut queue = EventQueue::new();
    for i in 0..5_000u64 {
        queue.schedule(SimTime(i * i), 0, i).unwrap();
    }
    let mut rearm = |rounds: u64| {
        for i in 0..rounds {
            let event = queue.pop().unwrap();
            let time = SimTime(event.time.0 + 1 + (event.payload * 7919 + i) % 100_000_000);
            queue.schedule(time, 0, event.payload).unwrap();
        }
        queue.pool.capacity()
    };
    let settled = rearm(200_000);
    assert_eq!(rearm(1_000_000), settled);
}

#[test]
fn a_slot_does_not_depend_on_when_an_event_is_scheduled() {
    // The wheel is empty at 64, and later times cross a block of the front's
    // reach from there.
    let block = front::REACH + 1;
    let mut pair = Pair::new();
    pair.schedule(64, 0);
    assert!(pair.pop() && !pair.pop());
    pair.schedule(block + 64, 0);
    pair.schedule(block + 60, 0);
    assert!(pair.pop());
    pair.schedule(block + 65, 0);
    pair.schedule(block + 64, 0);
    pair.drain();
}
