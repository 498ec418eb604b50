//! The optimum within a policy's own budget, at the probes of a lane.
//!
//! A policy with passes could have moved, since the probe before, as many shards
//! as those passes had a budget for. The best placement that so many moves make
//! from where the shards were then is what it is measured against: with probes
//! as far apart as passes, pass by pass.

use std::sync::Arc;

use super::optimum::Usable;
use crate::model::{Host, HostId, ShardId};
use crate::optimum::{self, Budget, Metric, OptimumError, Problem, Rebalance};
use crate::policy::MoveReason;
use crate::sim::Cluster;

/// What a lane has had a budget for since the last probe, and from where.
#[derive(Debug)]
pub(super) struct Allowed {
    metrics: &'static [Metric],
    settings: optimum::Settings,
    /// Moves a pass.
    of_a_pass: u64,
    passes: u64,
    /// The owners at the last probe. Shards that were placed since, because
    /// their host left, have none: no pass paid for that.
    owners: Vec<Option<HostId>>,
    /// The last question and its answer: where nothing changes between probes,
    /// it is asked once.
    last: Option<(Question, Arc<[Rebalance]>)>,
}

/// All that an answer depends on.
#[derive(Debug, PartialEq)]
struct Question {
    loads: Vec<f64>,
    hosts: Vec<Host>,
    owners: Vec<Option<HostId>>,
    budget: u64,
}

/// The best placements within a budget.
#[derive(Debug)]
pub(super) struct WithinBudget {
    pub(super) budget: u64,
    /// By each metric, in the order of the settings.
    pub(super) found: Arc<[Rebalance]>,
}

impl Allowed {
    pub(super) fn new(
        of_a_pass: u64,
        metrics: &'static [Metric],
        settings: optimum::Settings,
    ) -> Self {
        Self { metrics, settings, of_a_pass, passes: 0, owners: Vec::new(), last: None }
    }

    pub(super) fn on_pass(&mut self) {
        self.passes += 1;
    }

    pub(super) fn on_move(&mut self, shard: ShardId, reason: MoveReason) {
        if matches!(reason, MoveReason::Placement | MoveReason::Membership)
            && let Some(owner) = self.owners.get_mut(shard.index())
        {
            *owner = None;
        }
    }

    /// The best placement of the loads as they are now, with the moves allowed
    /// since the last call and from the owners at that time; at the first call
    /// from those of now.
    ///
    /// # Errors
    ///
    /// When no host may receive, or numbers leave their range.
    pub(super) fn at_probe(&mut self, cluster: &Cluster) -> Result<WithinBudget, OptimumError> {
        let owners = cluster.assignment().owners();
        if self.owners.is_empty() {
            self.owners.clone_from(&owners);
        }
        let budget = self.of_a_pass.saturating_mul(self.passes).min(owners.len() as u64);
        let question = Question {
            loads: cluster.loads().to_vec(),
            hosts: cluster.hosts().to_vec(),
            owners: std::mem::replace(&mut self.owners, owners),
            budget,
        };
        self.passes = 0;
        let found = match self.last.take() {
            Some((last, found)) if last == question => found,
            _ => question.answer(self.metrics, &self.settings)?,
        };
        self.last = Some((question, Arc::clone(&found)));
        Ok(WithinBudget { budget, found })
    }
}

impl Question {
    fn answer(
        &self,
        metrics: &[Metric],
        settings: &optimum::Settings,
    ) -> Result<Arc<[Rebalance]>, OptimumError> {
        let usable = Usable::of(&self.hosts);
        let position = |owner: &Option<HostId>| owner.and_then(|host| usable.position(host));
        let start: Vec<Option<HostId>> = self.owners.iter().map(position).collect();
        let problem =
            Problem { start: Some(&start), ..Problem::new(&self.loads, usable.capacities()) };
        let budget = Budget::Moves(self.budget);
        let answer = |metric: &Metric| match metric {
            Metric::Max => optimum::solve_budgeted(&problem, budget, settings),
            Metric::Squares => optimum::solve_squares(&problem, Some(budget), settings),
        };
        metrics.iter().map(answer).collect()
    }
}
