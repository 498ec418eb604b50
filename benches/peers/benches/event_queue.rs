//! Events a second of evenkeel's queue beside whole simulation frameworks.
//!
//! Run with `cargo bench` in this folder. The same timers re-arm everywhere.
//! What differs: evenkeel's figure is the queue with a minimal loop around it,
//! while a framework's event also runs a handler the way its interface asks
//! for (simcore: a boxed payload to a component; desru: a boxed closure;
//! nexosim: an asynchronous method of one model, on one thread). desru keeps
//! no order among equal times. So this shows what an event costs a user of
//! each, not how good their heaps are.

#![allow(missing_docs, clippy::disallowed_methods)]

#[path = "../../timers/mod.rs"]
mod timers;

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use evenkeel::model::SimTime;
use evenkeel::sim::EventQueue;
use timers::{Event, Kind, Queue, ROUND, Workload};

/// Rounds of 100,000 events; the fastest counts.
const ROUNDS: usize = 12;

/// Millions of events a second of the fastest round. `round` handles events
/// and returns how many.
fn fastest(mut round: impl FnMut() -> u64) -> f64 {
    round();
    let rates = (0..ROUNDS).map(|_| {
        let start = Instant::now();
        let events = round();
        events as f64 * 1e-6 / start.elapsed().as_secs_f64()
    });
    rates.fold(0.0, f64::max)
}

/// The periods of a workload in turn.
#[derive(Clone)]
struct Periods {
    nanos: Vec<u64>,
    turn: usize,
}

impl Periods {
    fn new(workload: &Workload) -> Self {
        Self { nanos: workload.periods.clone(), turn: 0 }
    }

    fn next(&mut self) -> u64 {
        self.turn = if self.turn + 1 == self.nanos.len() { 0 } else { self.turn + 1 };
        self.nanos[self.turn]
    }
}

struct Evenkeel(EventQueue<u32>);

impl Queue for Evenkeel {
    fn schedule(&mut self, time: u64, class: u8, timer: u32) {
        let scheduled = self.0.schedule(SimTime(time), class, timer);
        debug_assert!(scheduled.is_ok(), "workloads never schedule in the past");
    }

    fn pop(&mut self) -> Option<Event> {
        let event = self.0.pop()?;
        Some(Event { time: event.time.0, class: event.class, timer: event.payload })
    }
}

fn evenkeel(workload: &Workload) -> f64 {
    let mut queue = Evenkeel(EventQueue::new());
    let mut run = workload.start(&mut queue);
    fastest(|| {
        std::hint::black_box(run.round(&mut queue));
        ROUND as u64
    })
}

mod in_simcore {
    use super::*;
    use simcore::{Event, EventHandler, Simulation, SimulationContext, cast};

    #[derive(Clone, serde::Serialize)]
    struct Fire {
        timer: u32,
    }

    struct Timers {
        context: SimulationContext,
        periods: Periods,
    }

    impl Timers {
        fn arm(&mut self, timer: u32) {
            let delay = self.periods.next() as f64 * 1e-9;
            self.context.emit_self(Fire { timer }, delay);
        }
    }

    impl EventHandler for Timers {
        fn on(&mut self, event: Event) {
            cast!(match event.data {
                Fire { timer } => {
                    self.arm(timer)
                }
            })
        }
    }

    pub(super) fn run(workload: &Workload) -> f64 {
        let mut simulation = Simulation::new(1);
        let context = simulation.create_context("timers");
        let timers = Rc::new(RefCell::new(Timers { context, periods: Periods::new(workload) }));
        simulation.add_handler("timers", timers.clone());
        for timer in 0..workload.timers {
            timers.borrow_mut().arm(timer);
        }
        fastest(|| {
            simulation.steps(ROUND as u64);
            ROUND as u64
        })
    }
}

mod in_desru {
    use super::*;
    use desru::{Event, EventScheduler};

    struct Timers {
        periods: RefCell<Periods>,
        fired: Cell<u64>,
        last: Cell<u32>,
    }

    fn arm(scheduler: &mut EventScheduler, timers: &Rc<Timers>, timer: u32) {
        let time = scheduler.current_time + timers.periods.borrow_mut().next() as f64 * 1e-9;
        let timers = Rc::clone(timers);
        let fire = move |scheduler: &mut EventScheduler| {
            timers.fired.set(timers.fired.get() + 1);
            timers.last.set(timer);
            arm(scheduler, &timers, timer);
            None
        };
        scheduler.schedule(Event::new(time, Some(Box::new(fire)), None));
    }

    pub(super) fn run(workload: &Workload) -> f64 {
        let periods = RefCell::new(Periods::new(workload));
        let timers = Rc::new(Timers { periods, fired: Cell::new(0), last: Cell::new(0) });
        let mut scheduler = EventScheduler::new();
        for timer in 0..workload.timers {
            arm(&mut scheduler, &timers, timer);
        }
        fastest(|| {
            let goal = timers.fired.get() + ROUND as u64;
            let counted = Rc::clone(&timers);
            let stop = move |_: &EventScheduler| counted.fired.get() >= goal;
            scheduler.run(Box::new(stop), Some(Box::new(|_, _| false)));
            ROUND as u64
        })
    }
}

mod in_nexosim {
    use super::*;
    use nexosim::model::{Context, Model, schedulable};
    use nexosim::ports::EventSource;
    use nexosim::simulation::{Mailbox, SimInit};
    use nexosim::time::MonotonicTime;

    #[derive(serde::Serialize, serde::Deserialize)]
    pub(super) struct Timers {
        nanos: Vec<u64>,
        turn: usize,
        #[serde(skip)]
        fired: Arc<AtomicU64>,
    }

    #[Model]
    impl Timers {
        fn arm(&mut self, timer: u32, context: &Context<Self>) {
            self.turn = if self.turn + 1 == self.nanos.len() { 0 } else { self.turn + 1 };
            let delay = Duration::from_nanos(self.nanos[self.turn]);
            let armed = context.schedule_event(delay, schedulable!(Self::fire), timer);
            debug_assert!(armed.is_ok(), "every period is above zero");
        }

        #[nexosim(schedulable)]
        async fn fire(&mut self, timer: u32, context: &Context<Self>) {
            self.fired.fetch_add(1, Ordering::Relaxed);
            self.arm(timer, context);
        }
    }

    pub(super) fn run(workload: &Workload) -> Result<f64, Box<dyn std::error::Error>> {
        let fired = Arc::new(AtomicU64::new(0));
        let nanos = workload.periods.clone();
        let timers = Timers { nanos, turn: 0, fired: Arc::clone(&fired) };
        let mailbox = Mailbox::new();
        let mut bench = SimInit::with_num_threads(1);
        let arm = EventSource::new().connect(Timers::arm, &mailbox).register(&mut bench);
        let bench = bench.add_model(timers, mailbox, "timers");
        let mut simulation = bench.init(MonotonicTime::EPOCH)?;
        for timer in 0..workload.timers {
            simulation.process_event(&arm, timer)?;
        }
        let mut failed = None;
        let rate = fastest(|| {
            let before = fired.load(Ordering::Relaxed);
            while fired.load(Ordering::Relaxed) < before + ROUND as u64 {
                if let Err(error) = simulation.step() {
                    failed = Some(error);
                    break;
                }
            }
            fired.load(Ordering::Relaxed) - before
        });
        match failed {
            Some(error) => Err(error.into()),
            None => Ok(rate),
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    println!("million events a second   evenkeel   simcore     desru   nexosim");
    for workload in timers::workloads() {
        // The frameworks need minutes for a million timers.
        if workload.kind != Kind::Hold || workload.timers > 10_000 {
            continue;
        }
        let ours = evenkeel(&workload);
        let simcore = in_simcore::run(&workload);
        let desru = in_desru::run(&workload);
        let nexosim = in_nexosim::run(&workload)?;
        let name = workload.name;
        println!("{name:24} {ours:9.1} {simcore:9.2} {desru:9.2} {nexosim:9.2}");
    }
    Ok(())
}
