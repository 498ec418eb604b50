//! How a snapshot could stand at best: freely, within a budget of moves, and
//! what it takes to reach a target.

use super::stand::{Stand, stand};
use crate::metrics::nearest;
use crate::model::{Assignment, HostId, ShardId, Snapshot};
use crate::optimum::{
    self, BoundName, Budget, Measure, Optimum, OptimumError, Problem, Stage, StageReport, Status,
};

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
}

/// A snapshot beside the best it could be.
#[derive(Clone, Debug)]
pub struct SnapshotOptimum {
    /// As it is; `None` if no shard is placed.
    pub current: Option<Stand>,
    /// The hot_ratio of the best assignment found, over the utilisation of the
    /// hosts that may receive.
    pub hot_ratio: f64,
    /// Its hottest host's utilisation.
    pub max_utilisation: f64,
    /// For a target, what it costs: a number of moves, or the load that moves.
    pub cost: Option<f64>,
    /// No answer has a lower hot_ratio, or for a target a lower cost.
    pub bound: f64,
    /// Which bound that is.
    pub bound_name: BoundName,
    /// How far the answer is from the bound, over the bound.
    pub gap: f64,
    /// Whether the gap is closed.
    pub status: Status,
    /// The stage that decided.
    pub solver: Stage,
    /// What each stage contributed; empty for a budget or a target.
    pub stages: Vec<StageReport>,
    /// The host of each shard.
    pub assignment: Vec<HostId>,
    /// The shards that change hosts for it, in file order, with the host each
    /// has now.
    pub moves: Vec<(ShardId, Option<HostId>, HostId)>,
    /// Pairs of hosts that local search examined.
    pub steps: u64,
    /// Nodes of the search trees.
    pub nodes: u64,
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
    let mut answer = match question {
        Question::Free => {
            let found = best(snapshot, &snapshot.owners, settings)?;
            SnapshotOptimum {
                current: None,
                hot_ratio: found.hot_ratio,
                max_utilisation: found.max_utilisation,
                cost: None,
                bound: found.bound,
                bound_name: found.bound_name,
                gap: found.gap,
                status: found.status,
                solver: found.solver,
                stages: found.stages,
                assignment: found.assignment,
                moves: Vec::new(),
                steps: found.steps,
                nodes: found.nodes,
            }
        }
        Question::Budget(budget) => Places::of_owners(snapshot).ask(|problem, ratio| {
            let found = optimum::solve_budgeted(problem, budget, &settings)?;
            Ok(SnapshotOptimum {
                current: None,
                hot_ratio: found.hot_ratio * ratio,
                max_utilisation: found.max_utilisation,
                cost: None,
                bound: found.bound * ratio,
                bound_name: found.bound_name,
                gap: found.gap,
                status: found.status,
                solver: found.solver,
                stages: Vec::new(),
                assignment: found.assignment,
                moves: Vec::new(),
                steps: found.steps,
                nodes: found.nodes,
            })
        })?,
        Question::Target { hot_ratio, measure } => {
            Places::of_owners(snapshot).ask(|problem, ratio| {
                let found = optimum::fewest(problem, hot_ratio / ratio, measure, &settings)?;
                Ok(SnapshotOptimum {
                    current: None,
                    hot_ratio: found.hot_ratio * ratio,
                    max_utilisation: found.max_utilisation,
                    cost: Some(found.cost),
                    bound: found.bound,
                    bound_name: found.bound_name,
                    gap: found.gap,
                    status: found.status,
                    solver: found.solver,
                    stages: Vec::new(),
                    assignment: found.assignment,
                    moves: Vec::new(),
                    steps: found.steps,
                    nodes: found.nodes,
                })
            })?
        }
    };
    answer.current = snapshot
        .is_placed()
        .then(|| stand(snapshot, &Assignment::from_owners(&snapshot.owners, snapshot.hosts.len())));
    answer.moves = (0..)
        .map(ShardId)
        .zip(snapshot.owners.iter().zip(&answer.assignment))
        .filter(|(_, (old, new))| **old != Some(**new))
        .map(|(shard, (old, new))| (shard, *old, *new))
        .collect();
    Ok(answer)
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
    let mut optimum = places.ask(|problem, ratio| {
        let start: Vec<Option<HostId>> =
            owners.iter().map(|owner| owner.and_then(|host| position(&kept, host))).collect();
        let mut found = optimum::solve(&Problem { start: Some(&start), ..*problem }, &settings)?;
        found.hot_ratio *= ratio;
        found.bound *= ratio;
        Ok(found)
    })?;
    // Hosts of equal capacity may change names, and shards of equal load places,
    // which saves moves.
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
    Ok(optimum)
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
    fn ask<T: HasAssignment>(
        self,
        solve: impl Fn(&Problem<'_>, f64) -> Result<T, OptimumError>,
    ) -> Result<T, OptimumError> {
        let Self { snapshot, kept } = self;
        let host = |id: &HostId| &snapshot.hosts[id.index()];
        let capacities: Vec<f64> = kept.iter().map(|id| host(id).capacity).collect();
        let closed: Vec<bool> = kept.iter().map(|id| !host(id).status.may_receive()).collect();
        let start: Vec<Option<HostId>> = snapshot
            .owners
            .iter()
            .map(|owner| owner.and_then(|host| position(&kept, host)))
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
        for host in answer.assignment() {
            *host = kept[host.index()];
        }
        Ok(answer)
    }
}

/// An answer that names hosts by their positions among those that were kept.
trait HasAssignment {
    fn assignment(&mut self) -> &mut [HostId];
}

impl HasAssignment for Optimum {
    fn assignment(&mut self) -> &mut [HostId] {
        &mut self.assignment
    }
}

impl HasAssignment for SnapshotOptimum {
    fn assignment(&mut self) -> &mut [HostId] {
        &mut self.assignment
    }
}
