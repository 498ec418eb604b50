//! Balancers through the interface of policies: membership, cooldown, and
//! shards that are pinned.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use evenkeel::balancer::greedy::GreedySettings;
use evenkeel::balancer::naive::NaiveSettings;
use evenkeel::model::{Assignment, Host, HostId, HostStatus, ShardId, SimDuration, SimTime};
use evenkeel::policy::{Move, MoveReason, PassOutcome, Policy, Reports, View};

/// A cluster that a policy runs on, one pass a second.
struct Cluster {
    hosts: Vec<Host>,
    shards: Vec<String>,
    loads: Vec<f64>,
    pinned: Vec<bool>,
    assignment: Assignment,
    now: SimTime,
}

impl Cluster {
    /// Hosts h0, h1, ... with shards of these loads.
    fn new(lists: &[&[f64]]) -> Self {
        let loads = lists.concat();
        let owners: Vec<_> = (0_u32..)
            .zip(lists)
            .flat_map(|(host, list)| list.iter().map(move |_| Some(HostId(host))))
            .collect();
        Self {
            hosts: (0..lists.len()).map(|host| Host::new(format!("h{host}"), 1.0)).collect(),
            shards: (0..loads.len()).map(|shard| format!("s{shard}")).collect(),
            assignment: Assignment::from_owners(&owners, lists.len()),
            loads,
            pinned: Vec::new(),
            now: SimTime::ZERO,
        }
    }

    fn view(&self) -> View<'_> {
        View {
            now: self.now,
            hosts: &self.hosts,
            shards: &self.shards,
            assignment: &self.assignment,
            pinned: &self.pinned,
        }
    }

    fn report(&self, policy: &mut dyn Policy) {
        let shards: Vec<ShardId> = (0..self.loads.len() as u32).map(ShardId).collect();
        policy.report(&self.view(), &Reports { shards: &shards, loads: &self.loads });
    }

    fn membership(&mut self, policy: &mut dyn Policy) -> Vec<Move> {
        let mut moves = Vec::new();
        policy.membership(&self.view(), &mut moves);
        self.apply(&moves);
        moves
    }

    fn pass(&mut self, policy: &mut dyn Policy) -> (Vec<Move>, PassOutcome) {
        self.now = self.now + SimDuration::from_secs(1);
        let mut moves = Vec::new();
        let outcome = policy.pass(&self.view(), &mut moves);
        self.apply(&moves);
        (moves, outcome)
    }

    fn apply(&mut self, moves: &[Move]) {
        for step in moves {
            assert_eq!(self.assignment.owner(step.shard), step.from);
            self.assignment.assign(step.shard, step.to);
        }
    }

    fn host_loads(&self) -> Vec<f64> {
        let load = |shard: &ShardId| self.loads[shard.index()];
        (0..self.hosts.len() as u32)
            .map(|host| self.assignment.shards_of(HostId(host)).iter().map(load).sum())
            .collect()
    }
}

/// Every host above the mean gives, every host below it receives.
fn strict() -> GreedySettings {
    GreedySettings { upper_band: 1.0, lower_band: 1.0, move_budget: 1.0, ..Default::default() }
}

#[test]
fn shards_of_a_host_that_left_are_placed_as_average_ones() {
    let mut cluster = Cluster::new(&[&[8.0, 8.0], &[4.0], &[5.0]]);
    let mut greedy = strict().build(4);
    cluster.report(&mut greedy);
    cluster.hosts[0].status = HostStatus::Down;
    let moves = cluster.membership(&mut greedy);
    // An average shard of the others is 4.5: the first goes to 4, the second
    // to 5, which is then less than 8.5.
    let steps: Vec<_> = moves.iter().map(|step| (step.shard.0, step.to.0)).collect();
    assert_eq!(steps, [(0, 1), (1, 2)]);
    assert!(moves.iter().all(|step| step.reason == MoveReason::Placement));
    // With no host to receive nothing is placed, and nothing is lost.
    for host in &mut cluster.hosts {
        host.status = HostStatus::Draining;
    }
    assert_eq!(cluster.pass(&mut greedy), (vec![], PassOutcome::NothingToDo));
    let mut naive = NaiveSettings::default().build(4);
    assert_eq!(cluster.pass(&mut naive), (vec![], PassOutcome::NothingToDo));
}

#[test]
fn a_moved_shard_waits_for_its_cooldown_and_a_newcomer_fills_by_passes() {
    let mut cluster = Cluster::new(&[&[10.0, 10.0, 10.0, 10.0]]);
    let mut greedy = GreedySettings { move_budget: 0.25, ..strict() }.build(4);
    cluster.report(&mut greedy);
    cluster.hosts.push(Host::new("new", 1.0));
    cluster.assignment.add_host();
    assert_eq!(cluster.membership(&mut greedy), []);
    assert_eq!(cluster.pass(&mut greedy).0.len(), 1);
    assert_eq!(cluster.pass(&mut greedy).0.len(), 1);
    assert_eq!(cluster.host_loads(), [20.0, 20.0]);
    // The load shifts to the newcomer, whose shards have only just moved.
    for &shard in cluster.assignment.shards_of(HostId(1)) {
        cluster.loads[shard.index()] = 1000.0;
    }
    cluster.report(&mut greedy);
    assert_eq!(cluster.pass(&mut greedy).1, PassOutcome::CoolingDown);
    cluster.now = cluster.now + SimDuration::from_secs(60);
    assert_eq!(cluster.pass(&mut greedy).1, PassOutcome::Moved);
}

#[test]
fn pinned_shards_stay_and_are_said_to() {
    let mut cluster = Cluster::new(&[&[60.0, 40.0, 1.0], &[10.0], &[]]);
    cluster.pinned = vec![true, false, false, false];
    let mut greedy = GreedySettings { cooldown: SimDuration::ZERO, ..strict() }.build(4);
    let mut naive = NaiveSettings { max_deviation: 1.0, ..Default::default() }.build(4);
    for policy in [&mut greedy as &mut dyn Policy, &mut naive] {
        cluster.report(policy);
        let mut view = cluster.view();
        let mut moves = Vec::new();
        view.now = SimTime(1_000_000_000);
        policy.pass(&view, &mut moves);
        assert_eq!(moves.first().map(|step| step.shard), Some(ShardId(1)));
        assert!(moves.iter().all(|step| step.shard != ShardId(0)));
    }
    cluster.pinned = vec![true, true, true, false];
    assert_eq!(cluster.pass(&mut greedy), (vec![], PassOutcome::Pinned));
    // A pinned shard stays on a host that leaves, and is no orphan.
    cluster.hosts[0].status = HostStatus::Drained;
    assert_eq!(cluster.membership(&mut greedy), []);
}
