//! A balancer on a snapshot: what it would move, and what that would gain.

use super::start::start_assignment;
use crate::balancer::Start;
use crate::model::{Assignment, Host, HostId, HostStatus, ShardId, SimTime, Snapshot};
use crate::optimum::{self, Optimum, OptimumError, Problem};
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

/// How hot the hosts of a snapshot are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// The hottest host's utilisation over `fleet_utilisation`; 1 without load.
    pub hot_ratio: f64,
    /// The hottest host, among all that own shards or may receive some.
    pub hottest: HostId,
    /// Its utilisation: load over capacity.
    pub utilisation: f64,
    /// Total load over the capacity of the hosts that may receive, which are
    /// those that remain when draining ones have gone.
    pub fleet_utilisation: f64,
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
    let optimum = solve(snapshot, request.optimum)?;
    // For the policy a draining host is one that has left: its shards need
    // another, and it gets none.
    let mut hosts = snapshot.hosts.clone();
    for host in &mut hosts {
        if host.status != HostStatus::Active {
            host.status = HostStatus::Drained;
        }
    }
    let assignment = if snapshot.is_placed() {
        Assignment::from_owners(&snapshot.owners, hosts.len())
    } else {
        let given = start_assignment(request.start, &hosts, &snapshot.shards, None, 0);
        given.unwrap_or_else(|| Assignment::empty(snapshot.shards.len(), hosts.len()))
    };
    let before = stand(snapshot, &assignment);
    let mut planner = Planner {
        snapshot,
        hosts,
        assignment,
        policy: request.policy.build(snapshot.shards.len(), 0),
        now: SimTime::ZERO,
        moves: Vec::new(),
        left: request.max_moves.unwrap_or(usize::MAX),
    };
    planner.report();
    planner.membership();
    let (passes, outcome) = planner.passes(request.max_passes);
    let after = stand(snapshot, &planner.assignment);
    let active_hosts = snapshot.hosts.iter().filter(|host| host.status.may_receive()).count();
    // A plan without load has both ratios at 1.
    let needed = (active_hosts as f64 * after.hot_ratio / before.hot_ratio).ceil() as usize;
    Ok(Plan {
        before,
        after,
        optimum,
        moves: planner.moves,
        passes,
        outcome,
        stopped_early: planner.left == 0 || (passes > 0 && !is_at_rest(outcome)),
        assignment: planner.assignment,
        active_hosts,
        hosts_needed: needed.clamp(1, active_hosts),
    })
}

/// The optimum over the hosts that may receive; pinned shards stay.
fn solve(snapshot: &Snapshot, settings: optimum::Settings) -> Result<Optimum, OptimumError> {
    let stays = |shard: usize| snapshot.owners[shard].filter(|_| snapshot.pinned[shard]);
    let holds_pins =
        |host: HostId| (0..snapshot.shards.len()).any(|shard| stays(shard) == Some(host));
    let has_pins = snapshot.pinned.contains(&true);
    let kept: Vec<HostId> = (0..snapshot.hosts.len() as u32)
        .map(HostId)
        .filter(|host| {
            snapshot.hosts[host.index()].status.may_receive() || (has_pins && holds_pins(*host))
        })
        .collect();
    let position = |host: HostId| kept.binary_search(&host).ok().map(|at| HostId(at as u32));
    let capacities: Vec<f64> =
        kept.iter().map(|host| snapshot.hosts[host.index()].capacity).collect();
    let closed: Vec<bool> =
        kept.iter().map(|host| !snapshot.hosts[host.index()].status.may_receive()).collect();
    let pinned: Vec<Option<HostId>> =
        (0..snapshot.shards.len()).map(|shard| stays(shard).and_then(position)).collect();
    let start: Vec<Option<HostId>> =
        snapshot.owners.iter().map(|owner| owner.and_then(position)).collect();
    let problem = Problem {
        pinned: Some(&pinned),
        closed: Some(&closed),
        start: Some(&start),
        ..Problem::new(&snapshot.loads, &capacities)
    };
    let mut optimum = optimum::solve(&problem, &settings)?;
    for host in &mut optimum.assignment {
        *host = kept[host.index()];
    }
    Ok(optimum)
}

fn stand(snapshot: &Snapshot, assignment: &Assignment) -> Stand {
    let active: f64 =
        snapshot.hosts.iter().filter(|h| h.status.may_receive()).map(|h| h.capacity).sum();
    let total: f64 = snapshot.loads.iter().sum();
    let utilisation = |host: HostId| {
        let shards = assignment.shards_of(host);
        let load: f64 = shards.iter().map(|shard| snapshot.loads[shard.index()]).sum();
        load / snapshot.hosts[host.index()].capacity
    };
    // Down and drained hosts serve nothing, whatever a file says they own.
    let hosts = (0..snapshot.hosts.len() as u32).map(HostId);
    let live = hosts.filter(|host| snapshot.hosts[host.index()].status.is_live());
    let (hottest, utilisation) = live.map(|host| (host, utilisation(host))).fold(
        (HostId(0), f64::NEG_INFINITY),
        |hottest, host| if host.1 > hottest.1 { host } else { hottest },
    );
    let fleet_utilisation = total / active;
    let hot_ratio = if total > 0.0 { utilisation / fleet_utilisation } else { 1.0 };
    Stand { hot_ratio, hottest, utilisation, fleet_utilisation }
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
}

impl Planner<'_> {
    /// The policy, and what it may look at.
    fn ask(&mut self) -> (&mut dyn Policy, View<'_>) {
        let Self { snapshot, hosts, assignment, policy, now, .. } = self;
        (&mut **policy, View { now: *now, hosts, shards: &snapshot.shards, assignment })
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
            if is_at_rest(outcome) || self.left == 0 {
                return (pass, outcome);
            }
        }
        (most, outcome)
    }

    fn carry_out(&mut self, pass: usize, moves: Vec<Move>) {
        for Move { shard, from, to, reason } in moves {
            // Placing a shard that has no host is not a move.
            if from.is_some() {
                if self.left == 0 {
                    return;
                }
                self.left -= 1;
            }
            self.assignment.assign(shard, to);
            let load = self.snapshot.loads[shard.index()];
            self.moves.push(PlannedMove { pass, shard, from, to, load, reason });
        }
    }
}

/// Whether a pass that ended like this will end so again.
fn is_at_rest(outcome: PassOutcome) -> bool {
    !matches!(outcome, PassOutcome::Moved | PassOutcome::CoolingDown)
}
