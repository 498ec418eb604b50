//! From placements back to the problem's shards, hosts and units.

use super::Move;
use super::layout::Layout;
use crate::model::{HostId, ShardId};
use crate::optimum::Problem;

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

/// A placement in the problem's terms.
pub(super) struct Outcome {
    pub(super) assignment: Vec<HostId>,
    pub(super) moves: Vec<Move>,
    pub(super) moved_load: f64,
    pub(super) max_utilisation: f64,
}

impl Outcome {
    pub(super) fn new(problem: &Problem, layout: &Layout, placement: &[u32]) -> Self {
        let assignment = layout.instance.assignment(problem, placement);
        let mut loads = vec![0.0; problem.capacities.len()];
        for (&load, host) in problem.loads.iter().zip(&assignment) {
            loads[host.index()] += load;
        }
        let utilisations = loads.iter().zip(problem.capacities).map(|(load, c)| load / c);
        let max_utilisation = utilisations.fold(0.0, f64::max);
        let moves: Vec<Move> = (0..)
            .map(ShardId)
            .zip(&assignment)
            .filter_map(|(shard, &to)| {
                let from = problem.start?[shard.index()].filter(|&from| from != to)?;
                Some(Move { shard, from, to, load: problem.loads[shard.index()] })
            })
            .collect();
        let moved_load = moves.iter().map(|moved| moved.load).sum();
        Self { assignment, moves, moved_load, max_utilisation }
    }
}
