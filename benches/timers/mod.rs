//! Workloads for event queues: timers that re-arm when they fire, after
//! periods of several distributions. The benches of the queue and of its peers
//! share them.

/// Events of one round, the unit that is timed.
pub(crate) const ROUND: usize = 100_000;

/// How many periods are drawn beforehand, so that drawing is not timed. Odd, so
/// that they fall on other timers in each turn.
const PERIODS: usize = 9_999;

const SECOND: u64 = 1_000_000_000;

/// A timer that fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Event {
    pub time: u64,
    pub class: u8,
    pub timer: u32,
}

/// What a queue must do: deliver in order of (time, class, scheduling).
pub(crate) trait Queue {
    fn schedule(&mut self, time: u64, class: u8, timer: u32);
    fn pop(&mut self) -> Option<Event>;
}

/// What a timer does when it fires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Re-arms, so that the number of timers stays.
    Hold,
    /// All timers are scheduled, then all fire.
    GrowAndDrain,
}

pub(crate) struct Workload {
    pub name: &'static str,
    pub timers: u32,
    pub kind: Kind,
    /// Nanoseconds, used in turn.
    pub periods: Vec<u64>,
}

/// A workload under way.
pub(crate) struct Run<'a> {
    workload: &'a Workload,
    now: u64,
    turn: usize,
}

impl Workload {
    fn new(name: &'static str, timers: u32, kind: Kind, period: impl Fn(u64) -> u64) -> Self {
        let periods = (0..PERIODS as u64).map(|i| period(splitmix64(i))).collect();
        Self { name, timers, kind, periods }
    }

    /// Schedules the timers for the first time.
    pub(crate) fn start(&self, queue: &mut impl Queue) -> Run<'_> {
        let mut run = Run { workload: self, now: 0, turn: 0 };
        if self.kind == Kind::Hold {
            for timer in 0..self.timers {
                let time = run.next_period();
                queue.schedule(time, (timer % 4) as u8, timer);
            }
        }
        run
    }
}

impl Run<'_> {
    /// [`ROUND`] events. Returns a digest of what was delivered, in order.
    pub(crate) fn round(&mut self, queue: &mut impl Queue) -> u64 {
        match self.workload.kind {
            Kind::Hold => self.hold(queue),
            Kind::GrowAndDrain => self.grow_and_drain(queue),
        }
    }

    fn hold(&mut self, queue: &mut impl Queue) -> u64 {
        let mut digest = 0;
        for _ in 0..ROUND {
            let Some(event) = queue.pop() else { break };
            digest = mix(digest, event);
            queue.schedule(event.time + self.next_period(), event.class, event.timer);
        }
        digest
    }

    fn grow_and_drain(&mut self, queue: &mut impl Queue) -> u64 {
        let mut digest = 0;
        for timer in 0..ROUND as u32 {
            let time = self.now + self.next_period();
            queue.schedule(time, (timer % 4) as u8, timer);
        }
        while let Some(event) = queue.pop() {
            digest = mix(digest, event);
            self.now = event.time;
        }
        digest
    }

    fn next_period(&mut self) -> u64 {
        self.turn = if self.turn + 1 == PERIODS { 0 } else { self.turn + 1 };
        self.workload.periods[self.turn]
    }
}

fn mix(digest: u64, event: Event) -> u64 {
    digest.rotate_left(7) ^ event.time ^ u64::from(event.timer) << 32 ^ u64::from(event.class)
}

/// The `i`-th output of SplitMix64 (Steele, Lea, Flood, Fast splittable
/// pseudorandom number generators, OOPSLA 2014).
fn splitmix64(i: u64) -> u64 {
    let mut z = (i + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ z >> 31
}

/// A number in (0, 1] from the upper bits.
fn unit(random: u64) -> f64 {
    ((random >> 11) + 1) as f64 / (1_u64 << 53) as f64
}

fn exponential(random: u64) -> u64 {
    (-unit(random).ln() * SECOND as f64) as u64 + 1
}

fn uniform(random: u64) -> u64 {
    SECOND / 2 + random % SECOND
}

/// Nine in ten after some nanoseconds, the tenth after an hour.
fn bimodal(random: u64) -> u64 {
    let far = random.is_multiple_of(10);
    let spread = random >> 8;
    if far { 3_600 * SECOND + spread % SECOND } else { 1 + spread % 10_000 }
}

pub(crate) fn workloads() -> Vec<Workload> {
    use Kind::{GrowAndDrain, Hold};
    vec![
        Workload::new("10k, same period", 10_000, Hold, |_| SECOND),
        Workload::new("10k, whole ms", 10_000, Hold, |r| (1 + r % 1_000) * 1_000_000),
        Workload::new("10k, uniform", 10_000, Hold, uniform),
        Workload::new("10k, exponential", 10_000, Hold, exponential),
        Workload::new("10k, ns and hours", 10_000, Hold, bimodal),
        Workload::new("5, same period", 5, Hold, |_| SECOND),
        Workload::new("5, uniform", 5, Hold, uniform),
        Workload::new("100, uniform", 100, Hold, uniform),
        Workload::new("1M, uniform", 1_000_000, Hold, uniform),
        Workload::new("grow to 100k and drain", 0, GrowAndDrain, exponential),
    ]
}
