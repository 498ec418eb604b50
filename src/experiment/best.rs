//! How a snapshot could stand at best: freely, within a budget of moves, and
//! what it takes to reach a target.

use super::stand::{Stand, stand};
use crate::metrics::nearest;
use crate::model::{Assignment, HostId, ShardId, Snapshot};
use crate::optimum::{self, Budget, Measure, Metric, Optimum, OptimumError, Problem};

/// What is asked of a snapshot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Question {
    /// How cool could the hottest host be, whatever moves?
    Free,
    /// How cool could it be within a budget?
    Budget(Budget),
    /// What is the least that must move to reach a hot_ratio?
    Target {
        /// The hot_ratio to reach.
        hot_ratio: f64,
        /// What is least: moves, or the load that moves.
        measure: Measure,
    },
    /// How low could the sum of squares be, within a budget if there is one?
    Squares(Option<Budget>),
}

impl Question {
    /// What is minimised: of a target too, the hot_ratio is what counts.
    pub fn metric(self) -> Metric {
        match self {
            Self::Free | Self::Budget(_) | Self::Target { .. } => Metric::Max,
            Self::Squares(_) => Metric::Squares,
        }
    }
}

/// A snapshot beside the best it could be.
#[derive(Clone, Debug)]
pub struct SnapshotOptimum {
    /// What was asked.
    pub question: Question,
    /// As it is; `None` if no shard is placed.
    pub current: Option<Stand>,
    /// The best found. Its hot_ratio, and the bound of one, are over the
    /// utilisation of the hosts that may receive. A sum of squares is over these
    /// and those that hold pinned shards.
    pub best: Optimum,
    /// The shards that change hosts for it, in file order, with the host each
    /// has now.
    pub moves: Vec<(ShardId, Option<HostId>, HostId)>,
}

impl SnapshotOptimum {
    /// For a target, what it costs: a number of moves, or the load that moves.
    pub fn cost(&self) -> Option<f64> {
        matches!(self.question, Question::Target { .. }).then_some(self.best.value)
    }
}

/// Answers a question about a snapshot.
///
/// # Errors
///
/// When no host may receive, a budget or target cannot be met, or numbers leave
/// their range.
pub fn snapshot_optimum(
    snapshot: &Snapshot,
    question: Question,
    settings: optimum::Settings,
) -> Result<SnapshotOptimum, OptimumError> {
    let best = match question {
        Question::Free => best(snapshot, &snapshot.owners, settings)?,
        Question::Budget(budget) => Places::of_owners(snapshot).ask(|problem, ratio| {
            let found = optimum::solve_budgeted(problem, budget, &settings)?;
            Ok(over_open_hosts(found.optimum, ratio))
        })?,
        Question::Target { hot_ratio, measure } => {
            Places::of_owners(snapshot).ask(|problem, ratio| {
                let found = optimum::fewest(problem, hot_ratio / ratio, measure, &settings)?;
                let Optimum { hot_ratio, .. } = found.optimum;
                Ok(Optimum { hot_ratio: hot_ratio * ratio, ..found.optimum })
            })?
        }
        Question::Squares(budget) => {
            // Hosts that shards have to leave are gone: what is empty in every
            // answer is not one of the hosts that the sum is over.
            let found = Places::of_pins(snapshot).ask(|problem, ratio| {
                let found = optimum::solve_squares(problem, budget, &settings)?;
                let Optimum { hot_ratio, .. } = found.optimum;
                Ok(Optimum { hot_ratio: hot_ratio * ratio, ..found.optimum })
            })?;
            if budget.is_none() { near(snapshot, found) } else { found }
        }
    };
    let current = snapshot
        .is_placed()
        .then(|| stand(snapshot, &Assignment::from_owners(&snapshot.owners, snapshot.hosts.len())));
    let moves = (0..)
        .map(ShardId)
        .zip(snapshot.owners.iter().zip(&best.assignment))
        .filter(|(_, (old, new))| **old != Some(**new))
        .map(|(shard, (old, new))| (shard, *old, *new))
        .collect();
    Ok(SnapshotOptimum { question, current, best, moves })
}

/// An optimum whose value is the hot_ratio, over the utilisation of the hosts
/// that may receive.
fn over_open_hosts(mut optimum: Optimum, ratio: f64) -> Optimum {
    optimum.hot_ratio *= ratio;
    optimum.value *= ratio;
    optimum.bound *= ratio;
    optimum
}

/// The best assignment of a snapshot to the hosts that may receive. Pinned
/// shards stay, also on a host that may not. The search begins at `owners`: if
/// they all may stay, its answer is no worse.
pub(super) fn best(
    snapshot: &Snapshot,
    owners: &[Option<HostId>],
    settings: optimum::Settings,
) -> Result<Optimum, OptimumError> {
    let places = Places::of_pins(snapshot);
    let kept = places.kept.clone();
    let optimum = places.ask(|problem, ratio| {
        let start: Vec<Option<HostId>> =
            owners.iter().map(|owner| owner.and_then(|host| position(&kept, host))).collect();
        let found = optimum::solve(&Problem { start: Some(&start), ..*problem }, &settings)?;
        Ok(over_open_hosts(found, ratio))
    })?;
    Ok(near(snapshot, optimum))
}

/// The same optimum nearer to where the shards are: hosts of equal capacity
/// change names, and shards of equal load places, which saves moves.
fn near(snapshot: &Snapshot, mut optimum: Optimum) -> Optimum {
    let capacities: Vec<f64> = snapshot.hosts.iter().map(|host| host.capacity).collect();
    let has_pins = hosts_with(snapshot, |shard| snapshot.pinned[shard]);
    let keeps_its_name =
        |host: HostId| has_pins[host.index()] || !snapshot.hosts[host.index()].status.may_receive();
    optimum.assignment = nearest(
        &snapshot.owners,
        &optimum.assignment,
        &snapshot.loads,
        &capacities,
        &snapshot.pinned,
        keeps_its_name,
    );
    optimum
}

/// For each host, whether it owns a shard of this kind.
fn hosts_with(snapshot: &Snapshot, is_wanted: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut has = vec![false; snapshot.hosts.len()];
    for (shard, owner) in snapshot.owners.iter().enumerate() {
        if let Some(host) = owner.filter(|_| is_wanted(shard)) {
            has[host.index()] = true;
        }
    }
    has
}

/// The position of a host among those that are kept.
fn position(kept: &[HostId], host: HostId) -> Option<HostId> {
    kept.binary_search(&host).ok().map(|at| HostId(at as u32))
}

/// The hosts of a snapshot that a question is about: those that may receive, and
/// those that hold something that counts.
struct Places<'a> {
    snapshot: &'a Snapshot,
    kept: Vec<HostId>,
}

impl<'a> Places<'a> {
    /// With the hosts that hold pinned shards, which stay.
    fn of_pins(snapshot: &'a Snapshot) -> Self {
        Self::with(snapshot, &hosts_with(snapshot, |shard| snapshot.pinned[shard]))
    }

    /// With all hosts that hold shards, which count as moved when they leave.
    fn of_owners(snapshot: &'a Snapshot) -> Self {
        Self::with(snapshot, &hosts_with(snapshot, |_| true))
    }

    fn with(snapshot: &'a Snapshot, holds: &[bool]) -> Self {
        let hosts = snapshot.hosts.iter().zip(holds);
        let kept = (0..)
            .map(HostId)
            .zip(hosts)
            .filter(|(_, (host, holds))| host.status.may_receive() || **holds)
            .map(|(id, _)| id)
            .collect();
        Self { snapshot, kept }
    }

    /// Puts the problem to a solver, with the factor that turns its hot_ratio
    /// into one over the hosts that may receive, and names the hosts of its
    /// answer.
    fn ask(
        self,
        solve: impl Fn(&Problem<'_>, f64) -> Result<Optimum, OptimumError>,
    ) -> Result<Optimum, OptimumError> {
        let Self { snapshot, kept } = self;
        let host = |id: &HostId| &snapshot.hosts[id.index()];
        let capacities: Vec<f64> = kept.iter().map(|id| host(id).capacity).collect();
        let closed: Vec<bool> = kept.iter().map(|id| !host(id).status.may_receive()).collect();
        let gone = HostId(kept.len() as u32);
        let start: Vec<Option<HostId>> = snapshot
            .owners
            .iter()
            .map(|owner| owner.map(|host| position(&kept, host).unwrap_or(gone)))
            .collect();
        let pinned: Vec<Option<HostId>> =
            start.iter().zip(&snapshot.pinned).map(|(at, pinned)| at.filter(|_| *pinned)).collect();
        let problem = Problem {
            pinned: Some(&pinned),
            closed: Some(&closed),
            start: Some(&start),
            ..Problem::new(&snapshot.loads, &capacities)
        };
        let all: f64 = capacities.iter().sum();
        let open: f64 =
            capacities.iter().zip(&closed).filter(|(_, closed)| !**closed).map(|(c, _)| c).sum();
        // Without load every ratio is 1, and without closed hosts the two agree.
        let is_idle = snapshot.loads.iter().all(|load| *load == 0.0);
        let ratio = if is_idle || !closed.contains(&true) { 1.0 } else { open / all };
        let mut answer = solve(&problem, ratio)?;
        for host in &mut answer.assignment {
            *host = kept[host.index()];
        }
        Ok(answer)
    }
}
