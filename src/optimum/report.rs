//! From what a search has found to an answer in the problem's units.

use super::{BoundName, Move, Optimum, Problem, Rebalance, Stage, StageReport, Status, TOLERANCE};
use crate::model::{HostId, ShardId};

/// The scale between levels and hot_ratios.
pub(super) struct Scale {
    /// Total load over total capacity.
    fleet: f64,
    largest_capacity: f64,
}

impl Scale {
    pub(super) fn new(problem: &Problem) -> Self {
        let total_load: f64 = problem.loads.iter().sum();
        let total_capacity: f64 = problem.capacities.iter().sum();
        Self {
            fleet: total_load / total_capacity,
            largest_capacity: problem.capacities.iter().copied().fold(0.0, f64::max),
        }
    }

    /// The hot_ratio of a utilisation; 1 without load.
    pub(super) fn ratio(&self, utilisation: f64) -> f64 {
        if self.fleet > 0.0 { utilisation / self.fleet } else { 1.0 }
    }

    /// The hot_ratio of a level.
    pub(super) fn ratio_of_level(&self, level: f64) -> f64 {
        self.ratio(level / self.largest_capacity)
    }

    /// The level of a hot_ratio.
    pub(super) fn level(&self, ratio: f64) -> f64 {
        ratio * self.fleet * self.largest_capacity
    }
}

/// The load of each host under an assignment, summed in shard order.
pub(super) fn host_loads(problem: &Problem, assignment: &[HostId]) -> Vec<f64> {
    let mut loads = vec![0.0; problem.capacities.len()];
    for (&load, host) in problem.loads.iter().zip(assignment) {
        loads[host.index()] += load;
    }
    loads
}

/// The shards that an assignment takes from the hosts they have, and the sum of
/// their loads.
pub(super) fn moves(problem: &Problem, assignment: &[HostId]) -> (Vec<Move>, f64) {
    let moves: Vec<Move> = (0..)
        .map(ShardId)
        .zip(assignment)
        .filter_map(|(shard, &to)| {
            let from = problem.start?[shard.index()].filter(|&from| from != to)?;
            Some(Move { shard, from, to, load: problem.loads[shard.index()] })
        })
        .collect();
    let moved_load = moves.iter().map(|moved| moved.load).sum();
    (moves, moved_load)
}

/// What a search has found, whatever it minimised.
pub(super) struct Findings {
    pub(super) assignment: Vec<HostId>,
    /// As the value is counted; rounding may leave it above.
    pub(super) bound: f64,
    pub(super) bound_name: BoundName,
    pub(super) solver: Stage,
    pub(super) stages: Vec<StageReport>,
    pub(super) steps: u64,
    pub(super) nodes: u64,
}

impl Findings {
    /// The answer where the hot_ratio was minimised.
    pub(super) fn by_hot_ratio(self, problem: &Problem) -> Optimum {
        self.answer(problem, |hot_ratio| hot_ratio)
    }

    /// The answer where something else was, by its value.
    pub(super) fn by_value(self, problem: &Problem, value: f64) -> Optimum {
        self.answer(problem, |_| value)
    }

    fn answer(self, problem: &Problem, value_of: impl Fn(f64) -> f64) -> Optimum {
        let loads = host_loads(problem, &self.assignment);
        let utilisations = loads.iter().zip(problem.capacities).map(|(load, c)| load / c);
        let max_utilisation = utilisations.fold(0.0, f64::max);
        let hot_ratio = Scale::new(problem).ratio(max_utilisation);

        let value = value_of(hot_ratio);
        let bound = self.bound.min(value);
        let gap = if value == bound { 0.0 } else { (value - bound) / bound };
        let mut stages = self.stages;
        for stage in &mut stages {
            stage.bound = stage.bound.min(value);
        }
        Optimum {
            value,
            bound,
            bound_name: self.bound_name,
            gap,
            status: if gap <= TOLERANCE { Status::Optimal } else { Status::Feasible },
            solver: self.solver,
            stages,
            assignment: self.assignment,
            hot_ratio,
            max_utilisation,
            steps: self.steps,
            nodes: self.nodes,
        }
    }
}

impl Rebalance {
    /// An optimum beside the assignment at hand.
    pub(super) fn to(optimum: Optimum, problem: &Problem) -> Self {
        let (moves, moved_load) = moves(problem, &optimum.assignment);
        Self { optimum, moves, moved_load }
    }
}
