//! The sum of squares as the search counts it.

use crate::optimum::TOLERANCE;
use crate::optimum::instance::Instance;
use crate::optimum::problem::Problem;

/// The problem in the units of the objective: loads are over the fleet's
/// utilisation, counted in levels, so that a host whose load is its capacity is
/// as utilised as the fleet. What is minimised is the sum over open hosts of
/// (load / capacity - 1)^2.
pub(super) struct Field<'a> {
    pub(super) instance: &'a Instance,
    /// Of the free shards, heaviest first.
    pub(super) weights: Vec<f64>,
    /// Pinned load of each open host.
    pub(super) base: Vec<f64>,
    /// What turns loads in units a second into these.
    pub(super) scale: f64,
    /// The sum over closed hosts, which nothing can change.
    closed: f64,
    /// Number of hosts, open or closed.
    hosts: f64,
    /// Relative error that covers the rounding of a square_ratio.
    rounding: f64,
    idle: bool,
}

impl<'a> Field<'a> {
    /// Scales an instance. `None` when squares leave the range of numbers.
    /// O(n + h).
    pub(super) fn new(problem: &Problem, instance: &'a Instance) -> Option<Self> {
        let largest = problem.capacities.iter().copied().fold(0.0, f64::max);
        let level = |capacity: f64| capacity / largest;
        let total: f64 = problem.loads.iter().sum();
        let capacity: f64 = problem.capacities.iter().map(|&c| level(c)).sum();
        let idle = total <= 0.0;
        let scale = if idle { 1.0 } else { capacity / total };

        let mut fixed = vec![0.0; problem.capacities.len()];
        for (shard, load) in problem.loads.iter().enumerate() {
            if let Some(host) = problem.pin_of(shard) {
                fixed[host.index()] += load * scale;
            }
        }
        let is_closed = |host: &usize| !problem.is_open(*host);
        let closed = (0..fixed.len())
            .filter(is_closed)
            .map(|host| term(fixed[host], level(problem.capacities[host])))
            .sum();
        let field = Self {
            instance,
            weights: instance.weights.iter().map(|weight| weight * scale).collect(),
            base: instance.base.iter().map(|base| base * scale).collect(),
            scale,
            closed,
            hosts: problem.capacities.len() as f64,
            // A utilisation is off by the rounding of its sum, and its square
            // by at most four times as much of the square_ratio.
            rounding: 4.0 * (problem.loads.len() + 4 * fixed.len() + 16) as f64 * f64::EPSILON,
            idle,
        };
        let least = instance.capacity.iter().copied().fold(1.0, f64::min);
        let worst = term(capacity, least) / least;
        (worst.is_finite() && (least * least).is_normal()).then_some(field)
    }

    pub(super) fn capacity(&self) -> &[f64] {
        &self.instance.capacity
    }

    /// Load of each open host, pinned load included.
    pub(super) fn loads(&self, placement: &[u32]) -> Vec<f64> {
        let mut loads = self.base.clone();
        for (&host, weight) in placement.iter().zip(&self.weights) {
            loads[host as usize] += weight;
        }
        loads
    }

    /// The sum over open hosts.
    pub(super) fn sum(&self, loads: &[f64]) -> f64 {
        loads.iter().zip(self.capacity()).map(|(&load, &c)| term(load, c)).sum()
    }

    /// Number of hosts, open or closed.
    pub(super) fn hosts(&self) -> f64 {
        self.hosts
    }

    /// The square_ratio of a sum over open hosts.
    pub(super) fn ratio(&self, sum: f64) -> f64 {
        if self.idle { 1.0 } else { 1.0 + (sum + self.closed).max(0.0) / self.hosts }
    }

    /// The sum over open hosts that a square_ratio leaves.
    pub(super) fn sum_of(&self, ratio: f64) -> f64 {
        (ratio - 1.0) * self.hosts - self.closed
    }

    /// The square_ratio that a lower bound on the sum proves, less an allowance
    /// for rounding.
    pub(super) fn proved(&self, sum: f64) -> f64 {
        (self.ratio(sum) * (1.0 - self.rounding)).max(1.0)
    }

    /// The sum that is worth looking for: what is above is within the tolerance
    /// of this one.
    pub(super) fn better_than(&self, sum: f64) -> f64 {
        if self.idle {
            f64::NEG_INFINITY
        } else {
            self.sum_of(self.ratio(sum) * (1.0 - TOLERANCE / 2.0))
        }
    }
}

/// What one host adds to the sum.
pub(super) fn term(load: f64, capacity: f64) -> f64 {
    let deviation = load / capacity - 1.0;
    deviation * deviation
}

/// Half of what a unit of load more adds to the sum: rising in the load.
pub(super) fn slope(load: f64, capacity: f64) -> f64 {
    (load / capacity - 1.0) / capacity
}

/// The load with a given [`slope`]; below 0 where even no load has more.
pub(super) fn load_at(slope: f64, capacity: f64) -> f64 {
    capacity + slope * capacity * capacity
}
