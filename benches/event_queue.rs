//! The event queue beside the standard binary heap, on one set of workloads.
//!
//! `cargo bench --bench event_queue` runs all; a filter such as `-- uniform`
//! runs some. The table at the end gives millions of events a second, an event
//! being one `schedule` and one `pop`, of each queue's fastest sample, so that
//! other work on the machine disturbs the ratio least.

#![allow(missing_docs, clippy::disallowed_methods)]

mod timers;

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{Criterion, Throughput};
use evenkeel::model::SimTime;
use evenkeel::sim::EventQueue;

use timers::{Event, Queue, ROUND, Workload};

struct Ours(EventQueue<u32>);

impl Queue for Ours {
    fn schedule(&mut self, time: u64, class: u8, timer: u32) {
        let scheduled = self.0.schedule(SimTime(time), class, timer);
        debug_assert!(scheduled.is_ok(), "workloads never schedule in the past");
    }

    fn pop(&mut self) -> Option<Event> {
        let event = self.0.pop()?;
        Some(Event { time: event.time.0, class: event.class, timer: event.payload })
    }
}

/// What comes to mind first: tuples, ordered as they stand.
#[derive(Default)]
struct TupleHeap {
    heap: BinaryHeap<Reverse<(u64, u8, u64, u32)>>,
    scheduled: u64,
}

impl Queue for TupleHeap {
    fn schedule(&mut self, time: u64, class: u8, timer: u32) {
        self.heap.push(Reverse((time, class, self.scheduled, timer)));
        self.scheduled += 1;
    }

    fn pop(&mut self) -> Option<Event> {
        let Reverse((time, class, _, timer)) = self.heap.pop()?;
        Some(Event { time, class, timer })
    }
}

/// Time, class, sequence and timer packed into one number: 64, 4, 36 and 24
/// bits.
#[derive(Default)]
struct PackedHeap {
    heap: BinaryHeap<Reverse<u128>>,
    scheduled: u64,
}

impl Queue for PackedHeap {
    fn schedule(&mut self, time: u64, class: u8, timer: u32) {
        let low = u64::from(class) << 60 | self.scheduled << 24 | u64::from(timer);
        self.heap.push(Reverse(u128::from(time) << 64 | u128::from(low)));
        self.scheduled += 1;
    }

    fn pop(&mut self) -> Option<Event> {
        let Reverse(key) = self.heap.pop()?;
        let low = key as u64;
        let timer = low as u32 & 0xff_ffff;
        Some(Event { time: (key >> 64) as u64, class: (low >> 60) as u8, timer })
    }
}

/// Fastest sample of each workload and queue, in seconds an event.
type Fastest = BTreeMap<(usize, &'static str), f64>;

fn bench<Q: Queue>(
    criterion: &mut Criterion,
    fastest: &mut Fastest,
    (index, workload): (usize, &Workload),
    name: &'static str,
    queue: impl Fn() -> Q,
) {
    let mut group = criterion.benchmark_group(workload.name);
    group.throughput(Throughput::Elements(ROUND as u64));
    group.bench_function(name, |bencher| {
        bencher.iter_custom(|rounds| {
            let mut queue = queue();
            let mut run = workload.start(&mut queue);
            run.round(&mut queue);
            let mut total = Duration::ZERO;
            for _ in 0..rounds {
                let start = Instant::now();
                black_box(run.round(&mut queue));
                let taken = start.elapsed();
                let each = taken.as_secs_f64() / ROUND as f64;
                let best = fastest.entry((index, name)).or_insert(each);
                *best = best.min(each);
                total += taken;
            }
            total
        });
    });
    group.finish();
}

/// All queues must deliver the same events in the same order.
fn check_order(workload: &Workload) {
    fn digest(workload: &Workload, mut queue: impl Queue) -> u64 {
        let mut run = workload.start(&mut queue);
        run.round(&mut queue) ^ run.round(&mut queue).rotate_left(1)
    }
    let ours = digest(workload, Ours(EventQueue::new()));
    assert_eq!(ours, digest(workload, TupleHeap::default()), "{}", workload.name);
    assert_eq!(ours, digest(workload, PackedHeap::default()), "{}", workload.name);
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(10)
        .warm_up_time(Duration::from_millis(200))
        .measurement_time(Duration::from_millis(800))
        .configure_from_args();
    let mut fastest = Fastest::new();
    let workloads = timers::workloads();
    for workload in workloads.iter().enumerate() {
        check_order(workload.1);
        bench(&mut criterion, &mut fastest, workload, "evenkeel", || Ours(EventQueue::new()));
        bench(&mut criterion, &mut fastest, workload, "tuple heap", TupleHeap::default);
        bench(&mut criterion, &mut fastest, workload, "packed heap", PackedHeap::default);
    }
    criterion.final_summary();

    println!(
        "\nmillion events a second   evenkeel  tuple heap  packed heap   evenkeel / best heap"
    );
    for (index, workload) in workloads.iter().enumerate() {
        let rate = |name| fastest.get(&(index, name)).map(|seconds| 1e-6 / seconds);
        let rates = (rate("evenkeel"), rate("tuple heap"), rate("packed heap"));
        if let (Some(ours), Some(tuple), Some(packed)) = rates {
            let ratio = ours / tuple.max(packed);
            println!("{:24} {ours:9.1} {tuple:11.1} {packed:12.1} {ratio:22.2}", workload.name);
        }
    }
}
