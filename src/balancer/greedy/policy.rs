//! The greedy balancer as a policy.

use super::beliefs::Beliefs;
use super::planner::{self, Fleet, Planner, Standing};
use super::{GreedySettings, place};
use crate::balancer::takes_part;
use crate::model::{HostId, SimDuration};
use crate::policy::{Move, MoveReason, PassOutcome, Policy, Reports, View};

/// The reference's load-aware balancer.
///
/// It owns what it believes: a smoothed load, the time of the last report and
/// the time of the last move of each shard.
#[derive(Clone, Debug)]
pub struct GreedyBalancer {
    settings: GreedySettings,
    beliefs: Beliefs,
    planner: Planner,
    standing: Vec<Standing>,
}

impl GreedyBalancer {
    /// A balancer that knows nothing yet of any of `shards` shards.
    pub fn new(settings: GreedySettings, shards: usize) -> Self {
        let beliefs = Beliefs::new(shards, settings.smoothing);
        Self { settings, beliefs, planner: Planner::new(), standing: Vec::new() }
    }

    fn stamp(&mut self, view: &View<'_>, moves: &[Move]) {
        for step in moves {
            self.beliefs.stamp(step.shard, view.now);
        }
    }
}

impl Policy for GreedyBalancer {
    fn membership(&mut self, view: &View<'_>, moves: &mut Vec<Move>) {
        let orphans = view.orphans();
        // With no active host the orphans stay where they are, until one
        // joins: membership is then asked again.
        let placed = place(&orphans, view.hosts, view.assignment, self.beliefs.loads());
        let first = moves.len();
        moves.extend(placed.unwrap_or_default().into_iter().map(|(shard, to)| Move {
            shard,
            from: view.assignment.owner(shard),
            to,
            reason: MoveReason::Placement,
        }));
        self.stamp(view, &moves[first..]);
    }

    fn pass_every(&self) -> Option<SimDuration> {
        Some(self.settings.pass_every)
    }

    fn move_budget(&self) -> Option<u64> {
        let shards = self.beliefs.loads().len();
        Some(planner::budget(self.settings.move_budget, shards) as u64)
    }

    fn wants_reports(&self) -> bool {
        true
    }

    fn report(&mut self, view: &View<'_>, reports: &Reports<'_>) {
        self.beliefs.take(view.now, reports);
    }

    fn pass(&mut self, view: &View<'_>, moves: &mut Vec<Move>) -> PassOutcome {
        self.beliefs.pin(view.pinned);
        self.standing.clear();
        self.standing.extend(view.hosts.iter().enumerate().map(|(index, host)| {
            if host.status.may_receive() {
                Standing::Receives
            } else if takes_part(HostId(index as u32), view.hosts, view.assignment) {
                Standing::Gives
            } else {
                Standing::Absent
            }
        }));
        let fleet = Fleet {
            standing: &self.standing,
            assignment: view.assignment,
            loads: self.beliefs.loads(),
            stamps: self.beliefs.stamps(),
            now: view.now,
        };
        let outcome = self.planner.plan(&self.settings, &fleet, moves);
        self.stamp(view, moves);
        outcome
    }

    fn believed_loads(&self) -> Option<&[f64]> {
        Some(self.beliefs.loads())
    }
}
