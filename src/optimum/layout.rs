//! The problem as it stands now: who holds what, and what moving it costs.

use super::budget::Measure;
use crate::optimum::instance::{Instance, Placement};
use crate::optimum::{OptimumError, Problem};

/// No open host: the shard is unplaced, or its host is closed or gone.
pub(super) const NOWHERE: u32 = u32::MAX;

/// What a level's comparisons may be off by beside the rounding of sums: a
/// product with a capacity, a difference and a quotient.
const SPARE_ROUNDING: f64 = 8.0 * f64::EPSILON;

/// An [`Instance`] with its start assignment. Items are positions in
/// `instance.weights` and hosts positions in `instance.hosts`.
pub(super) struct Layout<'a> {
    pub(super) instance: &'a Instance,
    pub(super) measure: Measure,
    /// The host each item is on now, or [`NOWHERE`].
    pub(super) home: Vec<u32>,
    /// What it costs to have an item anywhere but at home: 1 or its load, and
    /// 0 for one that is unplaced.
    pub(super) price: Vec<f64>,
    /// Items at home on each host, heaviest first.
    pub(super) lists: Vec<Vec<u32>>,
    /// Sums of the first weights of each list, from 0 on.
    pub(super) prefix: Vec<Vec<f64>>,
    /// Load of each host with nothing but what it holds now.
    pub(super) loads: Vec<f64>,
    /// Items without a home, heaviest first.
    pub(super) homeless: Vec<u32>,
    /// Cost of the moves of shards that are pinned elsewhere.
    pinned_cost: f64,
    /// Relative allowance for rounding in comparisons of loads.
    rounding: f64,
}

impl<'a> Layout<'a> {
    /// Looks up every shard's host. O(n + h).
    pub(super) fn new(problem: &Problem, instance: &'a Instance, measure: Measure) -> Self {
        let mut position = vec![NOWHERE; problem.capacities.len()];
        for (p, &host) in instance.hosts.iter().enumerate() {
            position[host as usize] = p as u32;
        }
        let owner = |shard: usize| problem.start.and_then(|start| start[shard]);
        let price_of = |load: f64| match measure {
            Measure::Moves => 1.0,
            Measure::Load => load,
        };
        let pinned_cost = (0..problem.loads.len())
            .filter(|&shard| match (problem.pin_of(shard), owner(shard)) {
                (Some(pin), Some(owner)) => pin != owner,
                _ => false,
            })
            .map(|shard| price_of(problem.loads[shard]))
            .sum();

        let mut layout = Self {
            instance,
            measure,
            home: Vec::with_capacity(instance.weights.len()),
            price: Vec::with_capacity(instance.weights.len()),
            lists: vec![Vec::new(); instance.hosts.len()],
            prefix: Vec::with_capacity(instance.hosts.len()),
            loads: instance.base.clone(),
            homeless: Vec::new(),
            pinned_cost,
            rounding: instance.rounding + SPARE_ROUNDING,
        };
        for (item, (&shard, &weight)) in (0..).zip(instance.shards.iter().zip(&instance.weights)) {
            let owner = owner(shard as usize);
            // A host beyond the capacities is one that is gone.
            let home =
                owner.and_then(|host| position.get(host.index()).copied()).unwrap_or(NOWHERE);
            layout.home.push(home);
            layout.price.push(if owner.is_some() { price_of(weight) } else { 0.0 });
            match layout.lists.get_mut(home as usize) {
                Some(list) => {
                    list.push(item);
                    layout.loads[home as usize] += weight;
                }
                None => layout.homeless.push(item),
            }
        }
        for list in &layout.lists {
            let mut sums = Vec::with_capacity(list.len() + 1);
            let mut sum = 0.0;
            sums.push(sum);
            for &item in list {
                sum += instance.weights[item as usize];
                sums.push(sum);
            }
            layout.prefix.push(sums);
        }
        layout
    }

    pub(super) fn weight(&self, item: u32) -> f64 {
        self.instance.weights[item as usize]
    }

    /// What having an item on a host costs.
    pub(super) fn cost_at(&self, item: u32, host: u32) -> f64 {
        if self.home[item as usize] == host { 0.0 } else { self.price[item as usize] }
    }

    /// Cost of a placement, in item order.
    pub(super) fn cost(&self, placement: &[u32]) -> f64 {
        let items = (0..).zip(placement);
        self.pinned_cost + items.map(|(item, &host)| self.cost_at(item, host)).sum::<f64>()
    }

    /// Cost of the moves of shards that are pinned elsewhere.
    pub(super) fn pinned_cost(&self) -> f64 {
        self.pinned_cost
    }

    /// Cost of moving everything: nothing costs more.
    pub(super) fn cost_of_all(&self) -> f64 {
        self.pinned_cost + self.price.iter().sum::<f64>()
    }

    /// Cost of what has to move whatever is wanted.
    pub(super) fn forced_cost(&self) -> f64 {
        let leaving = self.homeless.iter().map(|&item| self.price[item as usize]);
        self.pinned_cost + leaving.sum::<f64>()
    }

    /// The placement in which nothing moves, if that is one.
    pub(super) fn at_home(&self) -> Option<Placement> {
        self.homeless.is_empty().then(|| self.home.clone())
    }

    /// What a host may be loaded with under a level: a reserve for rounding is
    /// included, relative to the sums that enter the comparison, so that a load
    /// above it is above the level however it was summed.
    pub(super) fn limit(&self, host: usize, level: f64) -> f64 {
        let limit = level * self.instance.capacity[host];
        limit + self.rounding * (limit + self.loads[host])
    }
}

/// Checks what [`Instance::new`] does not know of.
pub(super) fn check_budget(amount: f64) -> Result<(), OptimumError> {
    if amount >= 0.0 && amount.is_finite() {
        Ok(())
    } else {
        Err(OptimumError::Budget { value: amount })
    }
}
