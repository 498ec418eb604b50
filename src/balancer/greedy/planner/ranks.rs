//! The hosts in the order in which a pass looks at them: sources from the
//! hottest down, destinations from the coolest up.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

/// A host with its load in units a second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) load: f64,
    pub(super) host: u32,
}

/// Sources, the hottest first; of equally hot ones the first declared.
///
/// Sources that are known to have nothing to give to the current destination,
/// nor to any hotter one, are parked out of the way.
#[derive(Clone, Debug, Default)]
pub(super) struct Sources {
    ready: Vec<Ranked>,
    parked: Vec<Ranked>,
    /// Parked sources are right to stay so while the destination has at
    /// least this load.
    parked_from: f64,
}

fn hotter(a: &Ranked, b: &Ranked) -> Ordering {
    b.load.total_cmp(&a.load).then(a.host.cmp(&b.host))
}

impl Sources {
    /// Starts anew with sources in any order.
    pub(super) fn reset(&mut self, sources: impl Iterator<Item = Ranked>) {
        self.parked.clear();
        self.parked_from = f64::NEG_INFINITY;
        self.ready.clear();
        self.ready.extend(sources);
        self.ready.sort_unstable_by(hotter);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.ready.is_empty() && self.parked.is_empty()
    }

    /// The load of the hottest source, parked or not.
    pub(super) fn hottest(&self) -> Option<f64> {
        let parked = self.parked.iter().map(|source| source.load);
        self.ready.first().map(|source| source.load).into_iter().chain(parked).reduce(f64::max)
    }

    /// Sources that are not parked, the hottest first.
    pub(super) fn ready(&self) -> &[Ranked] {
        &self.ready
    }

    /// Brings back what is parked.
    pub(super) fn wake_all(&mut self) {
        if !self.parked.is_empty() {
            self.ready.append(&mut self.parked);
            self.ready.sort_unstable_by(hotter);
        }
        self.parked_from = f64::NEG_INFINITY;
    }

    /// Brings back what is parked if the destination has become cooler than
    /// it was when they were parked.
    pub(super) fn wake_for(&mut self, destination: f64) {
        if destination < self.parked_from {
            self.wake_all();
        }
    }

    /// Goes through the ready sources from the hottest down until `visit`
    /// stops, and returns the rank it stopped at. What `visit` finds hopeless
    /// for a destination with load `destination` is parked.
    pub(super) fn search(
        &mut self,
        destination: f64,
        mut visit: impl FnMut(Ranked) -> Visit,
    ) -> Option<usize> {
        let (mut kept, mut seen) = (0, 0);
        let mut found = None;
        while found.is_none() && seen < self.ready.len() {
            let source = self.ready[seen];
            seen += 1;
            match visit(source) {
                Visit::Hopeless => {
                    self.parked.push(source);
                    self.parked_from = self.parked_from.max(destination);
                    continue;
                }
                Visit::Nothing => {}
                Visit::Found => found = Some(kept),
            }
            self.ready[kept] = source;
            kept += 1;
        }
        self.ready.drain(kept..seen);
        found
    }

    /// Takes a ready source out.
    pub(super) fn remove(&mut self, rank: usize) {
        self.ready.remove(rank);
    }

    /// Adds a source.
    pub(super) fn insert(&mut self, source: Ranked) {
        let rank = self.ready.partition_point(|other| hotter(other, &source).is_lt());
        self.ready.insert(rank, source);
    }

    /// Gives a ready source another load, and the rank that goes with it.
    pub(super) fn update(&mut self, rank: usize, load: f64) {
        self.ready[rank].load = load;
        let source = self.ready[rank];
        let in_place = (rank == 0 || hotter(&self.ready[rank - 1], &source).is_lt())
            && self.ready.get(rank + 1).is_none_or(|next| hotter(&source, next).is_lt());
        if !in_place {
            self.ready.remove(rank);
            self.insert(source);
        }
    }

    /// The rank of a ready source.
    pub(super) fn rank_of(&self, host: u32) -> Option<usize> {
        self.ready.iter().position(|source| source.host == host)
    }
}

/// What came of looking at a source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visit {
    /// It gives the move.
    Found,
    /// It has nothing to give now.
    Nothing,
    /// It has nothing to give to this destination or to any hotter one.
    Hopeless,
}

/// Hosts that may receive and are no sources, the coolest on top; of equally
/// cool ones the first declared.
#[derive(Clone, Debug, Default)]
pub(super) struct Coolest {
    heap: BinaryHeap<Cool>,
}

#[derive(Clone, Copy, Debug)]
struct Cool(Ranked);

impl Ord for Cool {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.load.total_cmp(&self.0.load).then(other.0.host.cmp(&self.0.host))
    }
}

impl PartialOrd for Cool {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Cool {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Cool {}

impl Coolest {
    /// Starts anew with hosts in any order, in linear time.
    pub(super) fn reset(&mut self, hosts: impl Iterator<Item = Ranked>) {
        let mut memory = std::mem::take(&mut self.heap).into_vec();
        memory.clear();
        memory.extend(hosts.map(Cool));
        self.heap = memory.into();
    }

    /// The coolest host.
    pub(super) fn top(&self) -> Option<Ranked> {
        self.heap.peek().map(|cool| cool.0)
    }

    /// Takes the coolest host out.
    pub(super) fn pop(&mut self) {
        self.heap.pop();
    }

    /// Gives the coolest host another load.
    pub(super) fn update_top(&mut self, load: f64) {
        if let Some(mut top) = self.heap.peek_mut() {
            top.0.load = load;
        }
    }

    /// Adds a host.
    pub(super) fn push(&mut self, host: Ranked) {
        self.heap.push(Cool(host));
    }
}
