//! A balancer on a snapshot: what it would move, and what that would gain.

use super::best::best;
use super::run::small_shards_note;
use super::stand::{Stand, stand};
use super::start::start_assignment;
use crate::balancer::Start;
use crate::model::{Assignment, Host, HostId, HostStatus, ShardId, SimTime, Snapshot};
use crate::optimum::{self, Optimum, OptimumError};
use crate::policy::{Move, MoveReason, PassOutcome, Policy, Reports, View};
use crate::scenario::PolicySettings;

/// What to plan.
#[derive(Clone, Copy, Debug)]
pub struct PlanRequest<'a> {
    /// The cluster as it is.
    pub snapshot: &'a Snapshot,
    /// The policy that plans.
    pub policy: &'a PolicySettings,
    /// Where the shards lie if the snapshot places none.
    pub start: Start,
    /// Passes at most.
    pub max_passes: usize,
    /// Moves at most.
    pub max_moves: Option<usize>,
    /// How the optimum is searched.
    pub optimum: optimum::Settings,
}

/// A move of a plan.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlannedMove {
    /// The pass that planned it, counted from 1; 0 before the first.
    pub pass: usize,
    /// Which shard.
    pub shard: ShardId,
    /// From where; `None` if it had no host.
    pub from: Option<HostId>,
    /// To where.
    pub to: HostId,
    /// Its load, in units a second.
    pub load: f64,
    /// Why.
    pub reason: MoveReason,
}

/// A plan and what it comes to.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Before any move.
    pub before: Stand,
    /// After all of them.
    pub after: Stand,
    /// How good any placement could be.
    pub optimum: Optimum,
    /// The moves in order. Placements of shards without a host are among them.
    pub moves: Vec<PlannedMove>,
    /// Passes run.
    pub passes: usize,
    /// How the last pass ended.
    pub outcome: PassOutcome,
    /// Whether a limit ended the plan before the policy was at rest.
    pub stopped_early: bool,
    /// Owner of each shard after the plan.
    pub assignment: Assignment,
    /// What a user should know about the settings.
    pub notes: Vec<String>,
    /// Hosts that may receive.
    pub active_hosts: usize,
    /// Hosts that the same traffic would need if each may become as hot as the
    /// hottest one was before: active hosts times the ratio after over the
    /// ratio before, rounded up.
    pub hosts_needed: usize,
}

impl Plan {
    /// The moves of shards that had a host.
    pub fn moves_of_placed(&self) -> impl Iterator<Item = &PlannedMove> {
        self.moves.iter().filter(|planned| planned.from.is_some())
    }
}

/// Plans on a snapshot. Hosts that drain are emptied first, then passes follow
/// each other until one plans nothing for another reason than cooldown.
///
/// # Errors
///
/// When no host may receive, or numbers leave their range.
pub fn plan(request: &PlanRequest<'_>) -> Result<Plan, OptimumError> {
    let snapshot = request.snapshot;
    let assignment = if snapshot.is_placed() {
        Assignment::from_owners(&snapshot.owners, snapshot.hosts.len())
    } else {
        let given = start_assignment(request.start, &usable(snapshot), &snapshot.shards, None, 0);
        given.unwrap_or_else(|| Assignment::empty(snapshot.shards.len(), snapshot.hosts.len()))
    };
    let before = stand(snapshot, &assignment);
    let limits = Limits { passes: request.max_passes, moves: request.max_moves };
    let settled = settle(snapshot, assignment, request.policy, limits);
    let after = stand(snapshot, &settled.assignment);
    // From where the plan ends, so that what it reaches is known to be possible.
    let optimum = best(snapshot, &settled.assignment.owners(), request.optimum)?;
    let active_hosts = snapshot.hosts.iter().filter(|host| host.status.may_receive()).count();
    // A plan without load has both ratios at 1.
    let needed = (active_hosts as f64 * after.hot_ratio / before.hot_ratio).ceil() as usize;
    let Settled { moves, passes, outcome, stopped_early, assignment } = settled;
    Ok(Plan {
        before,
        after,
        optimum,
        moves,
        passes,
        outcome,
        stopped_early,
        assignment,
        notes: small_shards_note(request.policy.kind(), request.policy, &snapshot.loads)
            .into_iter()
            .collect(),
        active_hosts,
        hosts_needed: needed.clamp(1, active_hosts),
    })
}

/// What ends a plan before the policy is at rest.
#[derive(Clone, Copy, Debug)]
pub(super) struct Limits {
    /// Passes at most.
    pub(super) passes: usize,
    /// Moves at most.
    pub(super) moves: Option<usize>,
}

/// Where a policy has come to rest.
pub(super) struct Settled {
    pub(super) moves: Vec<PlannedMove>,
    pub(super) passes: usize,
    pub(super) outcome: PassOutcome,
    pub(super) stopped_early: bool,
    pub(super) assignment: Assignment,
}

/// Lets a policy plan from an assignment until it rests.
pub(super) fn settle(
    snapshot: &Snapshot,
    assignment: Assignment,
    policy: &PolicySettings,
    limits: Limits,
) -> Settled {
    let mut planner = Planner {
        snapshot,
        hosts: usable(snapshot),
        assignment,
        policy: policy.build(snapshot.shards.len(), 0),
        now: SimTime::ZERO,
        moves: Vec::new(),
        left: limits.moves.unwrap_or(usize::MAX),
        was_cut: false,
    };
    planner.report();
    planner.membership();
    let (passes, outcome) = planner.passes(limits.passes);
    let Planner { moves, was_cut, assignment, .. } = planner;
    Settled { moves, passes, outcome, stopped_early: was_cut, assignment }
}

/// The hosts as a policy sees them: a draining host is one that has left. Its
/// shards need another, and it gets none.
fn usable(snapshot: &Snapshot) -> Vec<Host> {
    let mut hosts = snapshot.hosts.clone();
    for host in &mut hosts {
        if host.status != HostStatus::Active {
            host.status = HostStatus::Drained;
        }
    }
    hosts
}

struct Planner<'a> {
    snapshot: &'a Snapshot,
    hosts: Vec<Host>,
    assignment: Assignment,
    policy: Box<dyn Policy>,
    now: SimTime,
    moves: Vec<PlannedMove>,
    /// Moves that may still be made.
    left: usize,
    /// Whether a move or a pass was refused for a limit.
    was_cut: bool,
}

impl Planner<'_> {
    /// The policy, and what it may look at.
    fn ask(&mut self) -> (&mut dyn Policy, View<'_>) {
        let Self { snapshot, hosts, assignment, policy, now, .. } = self;
        let shards = &snapshot.shards;
        (&mut **policy, View { now: *now, hosts, shards, assignment, pinned: &snapshot.pinned })
    }

    /// Tells the policy every load as it is.
    fn report(&mut self) {
        let loads = &self.snapshot.loads;
        let shards: Vec<ShardId> = (0..loads.len() as u32).map(ShardId).collect();
        let (policy, view) = self.ask();
        policy.report(&view, &Reports { shards: &shards, loads });
    }

    fn membership(&mut self) {
        let mut moves = Vec::new();
        let (policy, view) = self.ask();
        policy.membership(&view, &mut moves);
        self.carry_out(0, moves);
    }

    /// Runs passes until the policy rests; says how many, and how the last
    /// one ended.
    fn passes(&mut self, most: usize) -> (usize, PassOutcome) {
        let Some(every) = self.policy.pass_every() else { return (0, PassOutcome::NothingToDo) };
        let mut outcome = PassOutcome::NothingToDo;
        for pass in 1..=most {
            self.now = self.now + every;
            self.report();
            let mut moves = Vec::new();
            let (policy, view) = self.ask();
            outcome = policy.pass(&view, &mut moves);
            self.carry_out(pass, moves);
            if is_at_rest(outcome) || self.was_cut {
                return (pass, outcome);
            }
        }
        self.was_cut = true;
        (most, outcome)
    }

    fn carry_out(&mut self, pass: usize, moves: Vec<Move>) {
        // One half of an exchange alone can leave the hosts worse than before.
        let is_exchange = |a: &Move, b: &Move| [a, b].iter().all(|m| m.reason == MoveReason::Swap);
        for step in moves.chunk_by(is_exchange) {
            // Placing a shard that has no host is not a move.
            let counted = step.iter().filter(|planned| planned.from.is_some()).count();
            if counted > self.left {
                self.was_cut = true;
                self.left = 0;
                continue;
            }
            self.left -= counted;
            for &Move { shard, from, to, reason } in step {
                self.assignment.assign(shard, to);
                let load = self.snapshot.loads[shard.index()];
                self.moves.push(PlannedMove { pass, shard, from, to, load, reason });
            }
        }
    }
}

/// Whether a pass that ended like this will end so again.
fn is_at_rest(outcome: PassOutcome) -> bool {
    !matches!(outcome, PassOutcome::Moved | PassOutcome::CoolingDown)
}
