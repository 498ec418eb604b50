//! Plans one pass: a pure function of the beliefs, with reusable memory.
//!
//! The plan is the reference's, move for move and bit for bit, but it is not
//! found by looking at every shard for every move:
//!
//! - [`totals`] sums the hosts, the only walk over all shards;
//! - [`ranks`] keeps the sources hottest first and the destinations in a heap;
//! - [`list`] holds the shards of one source, copied when it is first looked
//!   at, and scans them or, if they are many, keeps them on a [`ladder`];
//! - [`gain`] is the formula, and what is certain about it despite rounding;
//! - [`exchange`] is the swap of the revision of that name;
//! - [`reason`] says why a pass moved nothing.

mod exchange;
mod gain;
mod ladder;
mod list;
mod ranks;
mod reason;
mod totals;

pub use gain::gain;

use super::{GreedySettings, Revision, Stamp};
use crate::model::{Assignment, HostId, ShardId, SimDuration, SimTime};
use crate::policy::{Move, MoveReason, PassOutcome};
use exchange::{Band, Pair};
use list::Lists;
use ranks::{Coolest, Ranked, Sources, Visit};
use totals::{Totals, Unmeasured};

/// What a host is to a pass.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// Not in the assignment: it does not count in the mean. It must own no
    /// shards.
    Absent,
    /// In the assignment; it may give, but not receive.
    Gives,
    /// In the assignment and active.
    Receives,
}

/// What a pass is planned from. Slices are by host or shard index.
#[derive(Clone, Copy, Debug)]
pub struct Fleet<'a> {
    /// What each host is to the pass.
    pub standing: &'a [Standing],
    /// Who owns what, in list order.
    pub assignment: &'a Assignment,
    /// The believed load of each shard in units a second; NaN where it was
    /// never measured. Shards that nobody owns do not count.
    pub loads: &'a [f64],
    /// When each shard was last moved.
    pub stamps: &'a [Stamp],
    /// The instant of the pass.
    pub now: SimTime,
}

/// Which shards may move, apart from what happens in the pass.
#[derive(Clone, Copy, Debug)]
struct Limits {
    least_load: f64,
    cooldown: SimDuration,
}

impl Limits {
    fn may_move(&self, load: f64, stamp: Stamp, now: SimTime) -> bool {
        load >= self.least_load && !stamp.cools_at(now, self.cooldown)
    }
}

/// Plans passes. Only memory is kept from one to the next.
#[derive(Clone, Debug, Default)]
pub struct Planner {
    totals: Totals,
    sources: Sources,
    coolest: Coolest,
    /// Active hosts that revision `2026-05` does not see, in declared order.
    unseen: Vec<u32>,
    lists: Lists,
}

/// What a pass is judged by; the mean is that of its beginning throughout.
#[derive(Clone, Copy, Debug)]
struct Pass<'a> {
    fleet: &'a Fleet<'a>,
    limits: Limits,
    /// Hosts above this load are sources.
    upper: f64,
    /// Active hosts below this load are destinations, unless sources.
    lower: f64,
    severe_ratio: f64,
    exchanges: bool,
}

/// Where a move goes to.
#[derive(Clone, Copy, Debug)]
struct Destination {
    host: u32,
    load: f64,
    /// Whether it is below the lower band, rather than a last resort.
    below: bool,
}

impl Planner {
    /// A planner without memory.
    pub fn new() -> Self {
        Self::default()
    }

    /// Plans one pass. `moves` is cleared first; applied in order, the moves
    /// keep the lists as the planner saw them.
    ///
    /// Takes time linear in the number of shards for the sums, and for each
    /// move logarithmic in the hosts and one search of a source's list.
    pub fn plan(
        &mut self,
        settings: &GreedySettings,
        fleet: &Fleet<'_>,
        moves: &mut Vec<Move>,
    ) -> PassOutcome {
        moves.clear();
        let shards = owned(fleet);
        if shards == 0 || !fleet.standing.contains(&Standing::Receives) {
            return PassOutcome::NothingToDo;
        }
        let budget = budget(settings.move_budget, shards);
        if budget == 0 {
            return PassOutcome::BudgetZero;
        }
        let unmeasured = match settings.revision {
            Revision::R2026_05 => Unmeasured::Nothing,
            Revision::R2026_08 | Revision::Swap => Unmeasured::Average,
        };
        self.totals.take(fleet, unmeasured);
        let pass = Pass {
            fleet,
            limits: Limits { least_load: settings.least_load(), cooldown: settings.cooldown },
            upper: self.totals.mean * settings.upper_band,
            lower: self.totals.mean * settings.lower_band,
            severe_ratio: settings.severe_ratio,
            exchanges: settings.revision == Revision::Swap,
        };
        self.rank(&pass);
        self.run(&pass, budget, moves)
    }

    /// Sorts the hosts into sources and possible destinations.
    fn rank(&mut self, pass: &Pass<'_>) {
        let hosts = pass.fleet.standing.len();
        let Self { totals, sources, coolest, unseen, .. } = self;
        let standing = pass.fleet.standing;
        let ranked = |host: usize| Ranked { load: totals.loads[host], host: host as u32 };
        sources.reset(
            (0..hosts)
                .filter(|&host| totals.loads[host] > pass.upper)
                .filter(|&host| standing[host] != Standing::Absent && totals.sees(host))
                .map(ranked),
        );
        if sources.is_empty() {
            return;
        }
        coolest.reset(
            (0..hosts)
                .filter(|&host| standing[host] == Standing::Receives && totals.sees(host))
                .filter(|&host| totals.loads[host] <= pass.upper)
                .map(ranked),
        );
        unseen.clear();
        if !totals.recorded.is_empty() {
            let may_receive = |host: &usize| standing[*host] == Standing::Receives;
            let hosts = (0..hosts).filter(may_receive).filter(|&host| !totals.sees(host));
            unseen.extend(hosts.map(|host| host as u32));
        }
        self.lists.reset(hosts);
    }

    fn run(&mut self, pass: &Pass<'_>, mut budget: usize, moves: &mut Vec<Move>) -> PassOutcome {
        while budget > 0 {
            let outcome = if self.sources.is_empty() {
                PassOutcome::NoSource
            } else if let Some(destination) = self.destination(pass) {
                if let Some((rank, position)) = self.choose(pass, destination) {
                    self.apply(pass, rank, position, destination, moves);
                    budget -= 1;
                    continue;
                }
                let exchanged = pass.exchanges
                    && budget >= 2
                    && destination.below
                    && self.exchange(pass, destination, moves);
                if exchanged || !moves.is_empty() {
                    return PassOutcome::Moved;
                }
                self.why_nothing(pass, destination, budget)
            } else {
                PassOutcome::NoDestination
            };
            return if moves.is_empty() { outcome } else { PassOutcome::Moved };
        }
        PassOutcome::Moved
    }

    /// The least loaded host that may receive now.
    ///
    /// That is the coolest active host if it is below the lower band, since
    /// sources are hotter than all others. If it is not, nobody is, and any
    /// active host serves when the imbalance is severe.
    fn destination(&mut self, pass: &Pass<'_>) -> Option<Destination> {
        let coolest = self.coolest.top();
        if let Some(Ranked { load, host }) = coolest.filter(|coolest| coolest.load < pass.lower) {
            return Some(Destination { host, load, below: true });
        }
        let severe = pass.severe_ratio > 0.0
            && self.totals.mean > 0.0
            && self.sources.hottest()? / self.totals.mean >= pass.severe_ratio;
        if !severe {
            return None;
        }
        let unseen = self.unseen.first().map(|&host| Ranked { load: 0.0, host });
        let last_resort = coolest.into_iter().chain(unseen).min_by(cooler).or_else(|| {
            self.sources.wake_all();
            let receives =
                |source: &&Ranked| pass.fleet.standing[source.host as usize] == Standing::Receives;
            self.sources.ready().iter().filter(receives).copied().min_by(cooler)
        })?;
        Some(Destination { host: last_resort.host, load: last_resort.load, below: false })
    }

    /// The rank of the hottest source that has a move that gains, and the
    /// position of the shard in its list.
    fn choose(&mut self, pass: &Pass<'_>, destination: Destination) -> Option<(usize, usize)> {
        self.sources.wake_for(destination.load);
        let Self { sources, lists, totals, .. } = self;
        // No host can become hotter than all load together; twice that leaves
        // room for rounding.
        let most = 2.0 * totals.total;
        let mut position = None;
        let rank = sources.search(destination.load, |source| {
            if source.host == destination.host {
                return Visit::Nothing;
            }
            let list = lists.of(pass.fleet, source.host);
            position = list.best(pass.fleet, &pass.limits, source.load, destination.load);
            if position.is_some() {
                Visit::Found
            } else if list.is_hopeless(source.load, destination.load, most) {
                Visit::Hopeless
            } else {
                Visit::Nothing
            }
        })?;
        Some((rank, position?))
    }

    /// Makes a move and puts both hosts where their new loads belong.
    fn apply(
        &mut self,
        pass: &Pass<'_>,
        rank: usize,
        position: usize,
        destination: Destination,
        moves: &mut Vec<Move>,
    ) {
        let source = self.sources.ready()[rank];
        let (shard, load) = self.lists.of(pass.fleet, source.host).give(position);
        self.lists.receive(destination.host);
        moves.push(step(shard, source.host, destination.host, MoveReason::Rebalance));

        let grown = Ranked { load: destination.load + load, host: destination.host };
        let left = Ranked { load: source.load - load, host: source.host };
        // The usual case, and both stay where they are, comes first: the
        // destination on top of the heap, the source among the sources.
        let on_top = self.coolest.top().is_some_and(|top| top.host == grown.host);
        let grown_waits = if on_top && grown.load <= pass.upper {
            self.coolest.update_top(grown.load);
            false
        } else {
            if on_top {
                self.coolest.pop();
            }
            true
        };
        if left.load > pass.upper {
            self.sources.update(rank, left.load);
        } else {
            self.sources.remove(rank);
            self.file(pass, left);
        }
        if grown_waits {
            if !on_top {
                self.unseen.retain(|&host| host != grown.host);
                if let Some(rank) = self.sources.rank_of(grown.host) {
                    self.sources.remove(rank);
                }
            }
            self.file(pass, grown);
        }
    }

    /// Puts a host that stands nowhere where its load belongs.
    fn file(&mut self, pass: &Pass<'_>, host: Ranked) {
        if host.load > pass.upper {
            self.sources.insert(host);
        } else if pass.fleet.standing[host.host as usize] == Standing::Receives {
            self.coolest.push(host);
        }
    }

    /// Plans an exchange between the hottest active source that has a shard
    /// that may move and the destination; whether there is one.
    fn exchange(
        &mut self,
        pass: &Pass<'_>,
        destination: Destination,
        moves: &mut Vec<Move>,
    ) -> bool {
        self.sources.wake_all();
        let Self { sources, lists, .. } = self;
        let may_give = |source: &&Ranked| {
            source.host != destination.host
                && pass.fleet.standing[source.host as usize] == Standing::Receives
                && has_any(lists.of(pass.fleet, source.host).movable(pass.fleet, &pass.limits))
        };
        let Some(&source) = sources.ready().iter().find(may_give) else { return false };
        let mut movable =
            |host| lists.of(pass.fleet, host).movable(pass.fleet, &pass.limits).to_vec();
        let (given, returned) = (movable(source.host), movable(destination.host));
        let pair = Pair { source: source.load, destination: destination.load };
        let band = Band { low: pass.lower, high: pass.upper };
        let Some((a, b)) = exchange::best(&given, &returned, pair, band) else { return false };
        let (given, _) = lists.of(pass.fleet, source.host).give(a);
        let (returned, _) = lists.of(pass.fleet, destination.host).give(b);
        moves.push(step(given, source.host, destination.host, MoveReason::Swap));
        moves.push(step(returned, destination.host, source.host, MoveReason::Swap));
        true
    }
}

/// Whether any shard may move.
fn has_any(loads: &[f64]) -> bool {
    loads.iter().any(|load| !load.is_nan())
}

fn step(shard: ShardId, from: u32, to: u32, reason: MoveReason) -> Move {
    Move { shard, from: Some(HostId(from)), to: HostId(to), reason }
}

fn cooler(a: &Ranked, b: &Ranked) -> std::cmp::Ordering {
    a.load.total_cmp(&b.load).then(a.host.cmp(&b.host))
}

/// Number of shards in the assignment.
fn owned(fleet: &Fleet<'_>) -> usize {
    (0..fleet.assignment.host_count() as u32)
        .map(|host| fleet.assignment.shards_of(HostId(host)).len())
        .sum()
}

/// Moves a pass may make: the product as floating point gives it, rounded up.
pub(super) fn budget(proportion: f64, shards: usize) -> usize {
    if proportion > 0.0 { (proportion * shards as f64).ceil() as usize } else { 0 }
}
