//! What people have reported of other balancers, as small cases: each was got
//! wrong once, and must not be here. Numbers are chosen to show the fault.

use evenkeel::balancer::greedy::{self, GreedySettings};
use evenkeel::balancer::naive::{self, NaiveSettings};
use evenkeel::model::{Assignment, Host, HostId, HostStatus, ShardId, SimDuration, SimTime};
use evenkeel::policy::{Move, MoveReason, PassOutcome, Policy, Reports, View};

/// A cluster that a policy runs on, one pass a second.
struct Cluster {
    hosts: Vec<Host>,
    shards: Vec<String>,
    loads: Vec<f64>,
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
            now: SimTime::ZERO,
        }
    }

    fn view(&self) -> View<'_> {
        View {
            now: self.now,
            hosts: &self.hosts,
            shards: &self.shards,
            assignment: &self.assignment,
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
fn one_shard_on_two_hosts_stays() {
    let mut cluster = Cluster::new(&[&[1.0], &[]]);
    let mut greedy = strict().build(1);
    let mut naive = NaiveSettings::default().build(1);
    cluster.report(&mut greedy);
    cluster.report(&mut naive);
    assert_eq!(cluster.pass(&mut greedy), (vec![], PassOutcome::NoGain));
    assert_eq!(cluster.pass(&mut naive), (vec![], PassOutcome::NoGain));
}

#[test]
fn a_large_budget_does_not_carry_more_than_half_the_gap() {
    let mut cluster = Cluster::new(&[&[1.0; 20], &[1.0; 10]]);
    let mut greedy = strict().build(30);
    cluster.report(&mut greedy);
    let (moves, _) = cluster.pass(&mut greedy);
    assert_eq!(moves.len(), 5);
    assert_eq!(cluster.host_loads(), [15.0, 15.0]);
    assert_eq!(cluster.pass(&mut greedy), (vec![], PassOutcome::NoSource));
}

#[test]
fn a_host_that_is_down_is_neither_a_target_nor_part_of_the_mean() {
    for status in [HostStatus::Down, HostStatus::Drained, HostStatus::Missing] {
        let mut cluster = Cluster::new(&[&[], &[1.0; 36], &[1.0; 24]]);
        cluster.hosts[0].status = status;
        let mut greedy = strict().build(60);
        cluster.report(&mut greedy);
        let (moves, _) = cluster.pass(&mut greedy);
        assert_eq!(moves.len(), 6);
        assert_eq!(cluster.host_loads(), [0.0, 30.0, 30.0]);
    }
}

#[test]
fn a_shard_too_large_for_any_band_does_not_wander() {
    let mut cluster = Cluster::new(&[&[75.0], &[12.0, 8.0], &[10.0]]);
    let mut greedy = strict().build(4);
    for _ in 0..288 {
        cluster.report(&mut greedy);
        let (moves, _) = cluster.pass(&mut greedy);
        assert!(moves.iter().all(|step| step.shard != ShardId(0)), "the giant moved");
        assert!(moves.is_empty());
    }
}

#[test]
fn placement_does_not_depend_on_the_order_of_the_hosts() {
    let orphans: Vec<ShardId> = (0..1000).map(ShardId).collect();
    let names = ["b", "d", "a", "c", "e"];
    let by_name = |names: &[&str], greedy: bool| -> Vec<String> {
        let hosts: Vec<Host> = names.iter().map(|name| Host::new(*name, 1.0)).collect();
        let nobody = Assignment::empty(1000, hosts.len());
        let placed = if greedy {
            greedy::place(&orphans, &hosts, &nobody, &[f64::NAN; 1000])
        } else {
            naive::place(&orphans, &hosts, &nobody)
        };
        let placed = placed.unwrap();
        placed.iter().map(|(_, host)| hosts[host.index()].name.clone()).collect()
    };
    let reversed: Vec<&str> = names.iter().rev().copied().collect();
    for greedy in [true, false] {
        let placed = by_name(&names, greedy);
        assert_eq!(placed, by_name(&reversed, greedy));
        for name in names {
            assert_eq!(placed.iter().filter(|host| *host == name).count(), 200);
        }
    }
}

#[test]
fn idle_shards_stay_where_they_are() {
    let mut cluster = Cluster::new(&[&[1.0; 5], &[0.0; 5]]);
    let mut greedy = strict().build(10);
    cluster.report(&mut greedy);
    let (moves, _) = cluster.pass(&mut greedy);
    assert_eq!(moves.len(), 2);
    assert!(moves.iter().all(|step| cluster.loads[step.shard.index()] > 0.0));
    assert_eq!(cluster.host_loads(), [3.0, 2.0]);
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
