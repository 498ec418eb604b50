//! Cases from public bug reports of balancers and hash rings: small inputs
//! with known right answers.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use evenkeel::balancer::Start;
use evenkeel::experiment::{Plan, PlanRequest, Question, plan, snapshot_optimum};
use evenkeel::model::{Assignment, Host, HostId, HostStatus, ShardId, SimTime, Snapshot};
use evenkeel::optimum::{self, Measure, Status};
use evenkeel::placement::{HashPolicy, Jump, ModN, Ring, RingSettings};
use evenkeel::policy::{Policy, View};
use evenkeel::scenario::policy_settings;

/// Hosts of capacity 1 named `h0`, `h1`, ...
fn hosts(count: usize) -> Vec<Host> {
    (0..count).map(|host| Host::new(format!("h{host}"), 1.0)).collect()
}

/// Shards given as (load, host).
fn snapshot(hosts: Vec<Host>, shards: &[(f64, Option<usize>)]) -> Snapshot {
    Snapshot {
        shards: (0..shards.len()).map(|shard| format!("s{shard}")).collect(),
        loads: shards.iter().map(|(load, _)| *load).collect(),
        owners: shards.iter().map(|(_, host)| host.map(|host| HostId(host as u32))).collect(),
        pinned: vec![false; shards.len()],
        hosts,
        notes: Vec::new(),
        lines: Vec::new(),
    }
}

/// Equal shards, so many on each host.
fn counts(load: f64, on_hosts: &[usize]) -> Snapshot {
    let shards: Vec<(f64, Option<usize>)> = on_hosts
        .iter()
        .enumerate()
        .flat_map(|(host, count)| vec![(load, Some(host)); *count])
        .collect();
    snapshot(hosts(on_hosts.len()), &shards)
}

fn greedy(snapshot: &Snapshot) -> Plan {
    planned(snapshot, "greedy", &[])
}

fn planned(snapshot: &Snapshot, kind: &str, sets: &[&str]) -> Plan {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let (policy, optimum) = policy_settings(kind, &sets).unwrap();
    let request = PlanRequest {
        snapshot,
        policy: &policy,
        start: Start::Ring,
        max_passes: 10_000,
        max_moves: None,
        optimum,
    };
    plan(&request).unwrap()
}

/// The least possible utilisation of the hottest host.
fn best(snapshot: &Snapshot) -> f64 {
    let found = snapshot_optimum(snapshot, Question::Free, optimum::Settings::default()).unwrap();
    assert_eq!(found.best.status, Status::Optimal);
    found.best.max_utilisation
}

/// The fewest moves that bring the hottest host to this utilisation.
fn fewest(snapshot: &Snapshot, utilisation: f64) -> f64 {
    let open = || snapshot.hosts.iter().filter(|host| host.status.may_receive());
    let mean = snapshot.loads.iter().sum::<f64>() / open().map(|host| host.capacity).sum::<f64>();
    let question = Question::Target { hot_ratio: utilisation / mean, measure: Measure::Moves };
    let found = snapshot_optimum(snapshot, question, optimum::Settings::default()).unwrap();
    assert_eq!(found.best.status, Status::Optimal);
    assert!(found.best.max_utilisation <= utilisation * (1.0 + 1e-9));
    let moves = found.moves.iter().filter(|(_, from, _)| from.is_some()).count();
    assert_eq!(found.cost(), Some(moves as f64));
    moves as f64
}

fn loads_after(snapshot: &Snapshot, plan: &Plan) -> Vec<f64> {
    let load = |host| {
        let shards = plan.assignment.shards_of(HostId(host)).iter();
        shards.map(|shard| snapshot.loads[shard.index()]).sum()
    };
    (0..snapshot.hosts.len() as u32).map(load).collect()
}

/// redis/redis 4941: 16,384 equal slots on the first of 201 hosts. An even
/// result has at most 82 on a host, not 184; draining ends, and ends empty.
#[test]
fn empty_masters() {
    let mut on_hosts = vec![0; 201];
    on_hosts[0] = 16_384;
    assert_eq!(best(&counts(1.0, &on_hosts)), 82.0);
    assert_eq!(fewest(&counts(1.0, &on_hosts), 82.0), 16_302.0);

    let mut after_tool = vec![81; 201];
    after_tool[0] = 184;
    let mut drain = counts(1.0, &after_tool);
    assert_eq!(best(&drain), 82.0);
    assert_eq!(fewest(&drain, 82.0), 102.0);
    drain.hosts[1].status = HostStatus::Draining;
    assert_eq!(best(&drain), 82.0);
    assert_eq!(fewest(&drain, 82.0), 183.0);
    let plan = greedy(&drain);
    assert_eq!(plan.assignment.shards_of(HostId(1)), []);
    assert!(plan.moves_of_placed().all(|planned| planned.to != HostId(1)));
    assert!(!plan.stopped_early);
    assert_eq!(plan.active_hosts, 200);
}

/// milvus-io/milvus 44840: one shard, two hosts. No move improves anything.
#[test]
fn one_shard_on_two_hosts_stays() {
    let snapshot = counts(1.0, &[1, 0]);
    for kind in ["greedy", "naive"] {
        let plan = planned(&snapshot, kind, &["cooldown=0s"][..usize::from(kind == "greedy")]);
        assert_eq!(plan.moves, []);
        assert_eq!(plan.before.hot_ratio, 2.0);
        assert_eq!(plan.optimum.hot_ratio, 2.0);
    }
}

/// akka/akka-core 23830: a batch larger than the gap sends shards back. From
/// 20 and 10, at most half the gap of 10 leaves the fuller host, for good.
#[test]
fn nothing_returns_to_where_it_was() {
    let snapshot = counts(1.0, &[20, 10]);
    assert_eq!(best(&snapshot), 15.0);
    assert_eq!(fewest(&snapshot, 15.0), 5.0);
    let plan = planned(&snapshot, "greedy", &["move_budget=1", "upper_band=1", "lower_band=1"]);
    assert_eq!(plan.moves.len(), 5);
    assert!(plan.moves.iter().all(|planned| planned.to == HostId(1)));
    assert_eq!(loads_after(&snapshot, &plan), [15.0, 15.0]);
}

/// apache/pulsar 17456: ten hosts at 80, one idle, nothing above the upper
/// line. What can be gained depends on the grain.
#[test]
fn an_idle_host_inside_the_band() {
    let coarse = counts(10.0, &[8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0]);
    assert_eq!(best(&coarse), 80.0);
    assert_eq!(greedy(&coarse).moves, []);
    let fine = counts(5.0, &[16, 16, 16, 16, 16, 16, 16, 16, 16, 16, 0]);
    assert_eq!(best(&fine), 75.0);
    assert_eq!(fewest(&coarse, 80.0), 0.0);
    assert_eq!(fewest(&fine, 75.0), 10.0);
}

/// redpanda-data/redpanda 2092: a host that is down looks empty. It is neither
/// a target nor part of the mean.
#[test]
fn a_down_host_is_no_destination() {
    let mut snapshot = counts(1.0, &[0, 36, 24]);
    snapshot.hosts[0].status = HostStatus::Down;
    let plan = planned(&snapshot, "greedy", &["upper_band=1", "lower_band=1", "move_budget=1"]);
    assert_eq!(plan.before.hot_ratio, 1.2);
    assert_eq!(plan.before.fleet_utilisation, 30.0);
    assert_eq!(best(&snapshot), 30.0);
    assert_eq!(fewest(&snapshot, 30.0), 6.0);
    assert_eq!(plan.moves.len(), 6);
    assert!(
        plan.moves.iter().all(|planned| (planned.from, planned.to) == (Some(HostId(1)), HostId(2)))
    );
}

/// kubernetes-sigs/descheduler 1695: a shard of 75 of 100 is over the line
/// wherever it lies; nothing is moved for that.
#[test]
fn a_shard_bigger_than_the_limit_stays() {
    let mut snapshot =
        snapshot(hosts(3), &[(75.0, Some(0)), (12.0, Some(1)), (10.0, Some(2)), (8.0, Some(2))]);
    for host in &mut snapshot.hosts {
        host.capacity = 100.0;
    }
    assert_eq!(best(&snapshot), 0.75);
    assert_eq!(fewest(&snapshot, 0.75), 0.0);
    assert_eq!(greedy(&snapshot).moves, []);
}

/// Azure/azure-sdk-for-go 22487: 100 partitions, 79 consumers, a new one. One
/// move at most; the maximum of 2 cannot fall.
#[test]
fn a_newcomer_needs_one() {
    let on_hosts: Vec<usize> =
        (0..80).map(|host| [2, 1, 0][usize::from(host >= 21) + usize::from(host == 79)]).collect();
    let snapshot = counts(1.0, &on_hosts);
    assert_eq!(best(&snapshot), 2.0);
    assert_eq!(fewest(&snapshot, 2.0), 0.0);
    assert!(greedy(&snapshot).moves.len() <= 1);
}

/// hazelcast/hazelcast 8213: 12,000 partitions on 8945, 1096, 1025 and 934.
#[test]
fn a_slow_spread_can_be_even() {
    let snapshot = counts(1.0, &[8945, 1096, 1025, 934]);
    assert_eq!(best(&snapshot), 3000.0);
    assert_eq!(fewest(&snapshot, 3000.0), 5945.0);
    let found = snapshot_optimum(&snapshot, Question::Free, optimum::Settings::default()).unwrap();
    assert_eq!(found.current.unwrap().hot_ratio, 8945.0 / 3000.0);
    assert!(found.moves.len() >= 5945);
}

/// andrasq/consistent-hash-js 4: membership is a set. The order of the hosts
/// changes no hash placement, and greedy placement is even in either order.
#[test]
fn the_order_of_hosts_does_not_matter() {
    let names =
        ["nodea", "nodeb", "nodec", "noded", "nodee", "nodef", "nodeg", "nodeh", "nodei", "nodej"];
    let shards: Vec<String> = (0..1000).map(|key| format!("k{key:04}")).collect();
    let place = |policy: &mut dyn Policy, names: &[&str]| -> Vec<String> {
        let hosts: Vec<Host> = names.iter().map(|name| Host::new(*name, 1.0)).collect();
        let mut assignment = Assignment::empty(shards.len(), hosts.len());
        let mut moves = Vec::new();
        let view = View {
            now: SimTime::ZERO,
            hosts: &hosts,
            shards: &shards,
            assignment: &assignment,
            pinned: &[],
        };
        policy.membership(&view, &mut moves);
        moves.iter().for_each(|planned| assignment.assign(planned.shard, planned.to));
        let owner = |shard| assignment.owner(ShardId(shard)).unwrap();
        (0..1000).map(|shard| hosts[owner(shard).index()].name.clone()).collect()
    };
    let reversed: Vec<&str> = names.iter().rev().copied().collect();
    type Build = fn() -> Box<dyn Policy>;
    let kinds: [Build; 3] = [
        || Box::new(HashPolicy::new(Ring::new(&RingSettings::default(), 0), 0)),
        || Box::new(HashPolicy::new(ModN::default(), 0)),
        || Box::new(HashPolicy::new(Jump::default(), 0)),
    ];
    for build in kinds {
        assert_eq!(place(&mut *build(), &names), place(&mut *build(), &reversed));
    }
    let (greedy, _) = policy_settings("greedy", &[]).unwrap();
    for names in [&names[..], &reversed] {
        let placed = place(&mut *greedy.build(1000, 0), names);
        assert!(
            names.iter().all(|name| placed.iter().filter(|owner| owner == name).count() == 100)
        );
    }
}

/// thanos-io/thanos 4972: from 3 to 4 hosts, modulo on a hash moves three
/// quarters, four standard deviations of the binomial being 0.0158.
#[test]
fn modulo_moves_three_quarters() {
    let shards: Vec<String> = (0..12_000).map(|id| id.to_string()).collect();
    let mut hosts = hosts(3);
    let mut policy = HashPolicy::new(ModN::default(), 0);
    let mut assignment = Assignment::empty(shards.len(), 4);
    let mut counts = Vec::new();
    for _ in 0..2 {
        let mut moves = Vec::new();
        let view = View {
            now: SimTime::ZERO,
            hosts: &hosts,
            shards: &shards,
            assignment: &assignment,
            pinned: &[],
        };
        policy.membership(&view, &mut moves);
        moves.iter().for_each(|planned| assignment.assign(planned.shard, planned.to));
        counts.push(moves.len());
        hosts.push(Host::new("h3", 1.0));
    }
    assert_eq!(counts[0], 12_000);
    assert!((counts[1] as f64 / 12_000.0 - 0.75).abs() < 0.0158, "{}", counts[1]);
}

/// yugabyte/yugabyte-db 202: nine copies have no host. Placing them is a
/// repair, not a move, and makes 21, 22, 22, 22 into 24 each.
#[test]
fn missing_copies_are_placed() {
    let mut shards: Vec<(f64, Option<usize>)> = Vec::new();
    for (host, count) in [21, 22, 22, 22].into_iter().enumerate() {
        shards.extend(vec![(1.0, Some(host)); count]);
    }
    shards.extend([(1.0, None); 9]);
    let snapshot = snapshot(hosts(4), &shards);
    let plan = greedy(&snapshot);
    assert_eq!(plan.moves.len(), 9);
    assert_eq!(plan.moves_of_placed().count(), 0);
    assert_eq!(loads_after(&snapshot, &plan), [24.0; 4]);
}

/// newrelic-experimental 99: counts are even, loads are not. Five live targets
/// on one of two hosts: two of them move, the idle ones stay.
#[test]
fn load_counts_not_rows() {
    let mut shards = vec![(1.0, Some(0)); 5];
    shards.extend([(0.0, Some(1)); 5]);
    let mut snapshot = snapshot(hosts(2), &shards);
    for host in &mut snapshot.hosts {
        host.capacity = 10.0;
    }
    assert_eq!(best(&snapshot), 0.3);
    assert_eq!(fewest(&snapshot, 0.3), 2.0);
    let plan = greedy(&snapshot);
    assert_eq!(plan.moves.len(), 2);
    assert!(plan.moves.iter().all(|planned| planned.load == 1.0));
}

/// tikv/pd 5021: two hot regions of almost the same flow on one store. One
/// moves, and it does not come back.
#[test]
fn two_almost_equal_regions_part_once() {
    let snapshot = snapshot(hosts(2), &[(349_545_961.0, Some(0)), (350_646_350.0, Some(0))]);
    let plan = planned(&snapshot, "greedy", &["cooldown=0s"]);
    assert_eq!(plan.moves.len(), 1);
    assert!((plan.after.hot_ratio - 1.0).abs() < 0.002);
}

#[test]
fn a_plan_is_never_better_than_its_optimum() {
    // With so short a search the optimum alone would end above the plan.
    let loads = |seed: u64| (0..40).map(move |i| (1 + (i * i * 37 + seed * 101 * i) % 97) as f64);
    for seed in 0..40 {
        let shards: Vec<_> = loads(seed).enumerate().map(|(i, load)| (load, Some(i % 5))).collect();
        let snapshot = snapshot(hosts(5), &shards);
        let sets = [
            "upper_band=1.0001",
            "lower_band=1",
            "move_budget=1",
            "revision=swap",
            "optimum.solver.solver=heuristic",
            "optimum.solver.step_limit=1",
        ];
        let plan = planned(&snapshot, "greedy", &sets);
        assert!(plan.optimum.hot_ratio <= plan.after.hot_ratio * (1.0 + 1e-12), "{seed}");
    }
}
