//! The optimum against enumeration, known answers and degenerate inputs.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

mod common;

use common::instances::{Tiny, assert_sound, enumerate, fleet, zipf};
use evenkeel::model::HostId;
use evenkeel::optimum::{
    BoundName, Optimum, OptimumError, Problem, Settings, Solver, Stage, Status, TOLERANCE, solve,
};

fn optimum(problem: &Problem) -> Optimum {
    let answer = solve(problem, &Settings::default()).unwrap();
    assert_sound(problem, &answer);
    answer
}

/// Equal capacities of 1.
fn even(loads: &[f64], hosts: usize) -> Optimum {
    optimum(&Problem::new(loads, &vec![1.0; hosts]))
}

#[test]
fn tiny_instances_agree_with_enumeration() {
    for seed in 0..600 {
        let tiny = Tiny::random(seed);
        let problem = tiny.problem();
        let answer = optimum(&problem);
        let best = enumerate(&problem);
        assert_eq!(answer.status, Status::Optimal, "seed {seed}");
        assert!(answer.max_utilisation >= best, "seed {seed}");
        assert!(answer.max_utilisation <= best * (1.0 + TOLERANCE), "seed {seed}");

        let heuristic = Settings { solver: Solver::Heuristic, ..Settings::default() };
        let heuristic = solve(&problem, &heuristic).unwrap();
        assert_sound(&problem, &heuristic);
        for answer in [answer, heuristic] {
            let fleet = fleet(&problem);
            assert!(fleet == 0.0 || answer.bound <= best / fleet, "bound, seed {seed}");
        }
    }
}

#[test]
fn known_answers_of_public_reports() {
    // redis issue 4941: 16384 equal shards; 201 hosts, then 200.
    let slots = vec![1.0; 16384];
    assert_eq!(even(&slots, 201).max_utilisation, 82.0);
    assert_eq!(even(&slots, 201).gap, 0.0);
    assert_eq!(even(&slots, 200).max_utilisation, 82.0);
    // milvus issue 44840: one shard, two hosts.
    let single = even(&[1.0], 2);
    assert_eq!((single.max_utilisation, single.hot_ratio), (1.0, 2.0));
    // pulsar pull request 17456: 80 shards of 10, 160 of 5, on 11 hosts.
    assert_eq!(even(&vec![10.0; 80], 11).max_utilisation, 80.0);
    assert_eq!(even(&vec![5.0; 160], 11).max_utilisation, 75.0);
    // redpanda issue 2092: 60 equal shards on the two hosts that are up.
    assert_eq!(even(&vec![1.0; 60], 2).max_utilisation, 30.0);
    // descheduler issue 1695: a shard of 75 on hosts of 100.
    let big = [75.0, 12.0, 8.0, 5.0];
    let answer = optimum(&Problem::new(&big, &[100.0; 3]));
    assert_eq!((answer.max_utilisation, answer.bound_name), (0.75, BoundName::Largest));
    // azure-sdk-for-go issue 22487: 100 equal shards on 80 hosts.
    assert_eq!(even(&vec![1.0; 100], 80).max_utilisation, 2.0);
    // newrelic issue 99: five busy shards and five idle ones on two hosts.
    let half_idle = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(even(&half_idle, 2).max_utilisation, 3.0);
}

#[test]
fn known_answers_of_scheduling_theory() {
    // Graham 1969: LPT ends at 4/3 - 1/(3H) of the optimum, here 11 and 9.
    let graham = even(&[5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 3.0], 3);
    assert_eq!((graham.max_utilisation, graham.status), (9.0, Status::Optimal));
    // Two shards of three have to share a host: w_H + w_(H+1) = 7 + 6.
    let pair = even(&[8.0, 7.0, 6.0], 2);
    assert_eq!((pair.max_utilisation, pair.bound_name), (13.0, BoundName::Pigeonhole));
    // A host of capacity 2 takes two of three equal shards.
    let uneven = optimum(&Problem::new(&[3.0; 3], &[2.0, 1.0]));
    assert_eq!((uneven.max_utilisation, uneven.hot_ratio), (3.0, 1.0));
}

#[test]
fn a_start_that_is_optimal_is_kept() {
    let start = [Some(HostId(1)), Some(HostId(0)), Some(HostId(0))];
    let loads = [2.0, 1.0, 1.0];
    let problem = Problem { start: Some(&start), ..Problem::new(&loads, &[1.0; 2]) };
    let answer = optimum(&problem);
    assert_eq!(answer.assignment, [HostId(1), HostId(0), HostId(0)]);
    assert_eq!(answer.solver, Stage::Start);
}

#[test]
fn closed_hosts_keep_what_is_pinned_to_them_and_receive_nothing() {
    let pinned = [Some(HostId(0)), None, None, None];
    let loads = [9.0, 4.0, 3.0, 1.0];
    let problem = Problem {
        pinned: Some(&pinned),
        closed: Some(&[true, false, false]),
        ..Problem::new(&loads, &[1.0; 3])
    };
    let answer = optimum(&problem);
    assert_eq!((answer.max_utilisation, answer.bound_name), (9.0, BoundName::Pinned));
    let open = Problem { pinned: None, ..problem };
    assert_eq!(optimum(&open).max_utilisation, 9.0);
    let all = Problem { closed: Some(&[true; 3]), ..problem };
    assert_eq!(solve(&all, &Settings::default()), Err(OptimumError::NoOpenHost));
}

#[test]
fn degenerate_instances_have_right_answers() {
    let idle = even(&[0.0; 5], 3);
    assert_eq!((idle.hot_ratio, idle.bound, idle.gap), (1.0, 1.0, 0.0));
    assert_eq!((idle.status, idle.solver), (Status::Optimal, Stage::Bound));
    let nothing = even(&[], 3);
    assert_eq!((nothing.hot_ratio, nothing.status), (1.0, Status::Optimal));
    let one_host = even(&[1.0, 2.0, 3.0], 1);
    assert_eq!((one_host.hot_ratio, one_host.solver), (1.0, Stage::Bound));
    let roomy = even(&[1.0, 2.0, 3.0], 6);
    assert_eq!((roomy.hot_ratio, roomy.status), (3.0, Status::Optimal));
    for hosts in 1..=6 {
        let equal = even(&[0.1; 13], hosts);
        assert_eq!(equal.status, Status::Optimal, "13 equal shards on {hosts} hosts");
    }
}

#[test]
fn nonsense_is_refused() {
    let refusal = |problem: &Problem| solve(problem, &Settings::default()).unwrap_err();
    assert_eq!(refusal(&Problem::new(&[1.0], &[])), OptimumError::NoHosts);
    for bad in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let capacities = [1.0, bad];
        let error = refusal(&Problem::new(&[1.0], &capacities));
        assert!(matches!(error, OptimumError::Capacity { host: 1, .. }));
    }
    for bad in [-1.0, f64::INFINITY, f64::NAN] {
        let loads = [bad];
        let error = refusal(&Problem::new(&loads, &[1.0]));
        assert!(matches!(error, OptimumError::Load { shard: 0, .. }));
    }
    let pinned = [Some(HostId(2))];
    let problem = Problem { pinned: Some(&pinned), ..Problem::new(&[1.0], &[1.0; 2]) };
    assert_eq!(refusal(&problem), OptimumError::Pin { shard: 0, host: 2 });
    let problem = Problem { start: Some(&[]), ..Problem::new(&[1.0], &[1.0; 2]) };
    let length = OptimumError::Length { what: "start", found: 0, expected: 1 };
    assert_eq!(refusal(&problem), length);
    assert_eq!(refusal(&Problem::new(&[1e308; 3], &[1.0])), OptimumError::Range);
    assert_eq!(refusal(&Problem::new(&[1e-310], &[1.0])), OptimumError::Range);
    assert_eq!(
        Settings { node_limit: 0, ..Settings::default() }.check().unwrap_err().key,
        "node_limit"
    );
    let impatient = Settings { target_gap: 1e-10, ..Settings::default() };
    assert_eq!(impatient.check().unwrap_err().key, "target_gap");
    assert!(Settings::default().check().is_ok());
}

#[test]
fn an_instance_has_one_answer_and_the_order_of_shards_does_not_change_its_value() {
    for seed in 0..4 {
        for (shards, hosts, exponent) in [(12, 3, 0.6), (60, 6, 0.6), (500, 16, 0.5)] {
            let loads = zipf(shards, exponent, seed);
            let answer = even(&loads, hosts);
            assert_eq!(answer, even(&loads, hosts));
            let reversed: Vec<f64> = loads.iter().rev().copied().collect();
            let other = even(&reversed, hosts);
            let difference = (answer.hot_ratio - other.hot_ratio).abs();
            assert!(difference <= TOLERANCE * answer.hot_ratio);
            assert_eq!(answer.status, other.status);
        }
    }
}

#[test]
fn the_search_ends_at_the_target_gap() {
    let loads = zipf(500, 0.6, 7);
    let problem = Problem::new(&loads, &[1.0; 16]);
    let loose = Settings { target_gap: 1e-4, ..Settings::default() };
    let (loose, tight) = (solve(&problem, &loose).unwrap(), optimum(&problem));
    assert!(loose.gap <= 1e-4 && loose.status == Status::Feasible);
    assert!(loose.steps < tight.steps && tight.gap < loose.gap);
}

#[test]
fn large_instances_are_certified_to_a_millionth() {
    for (shards, hosts, exponent) in [(500, 10, 0.98), (500, 16, 0.6), (10_000, 32, 0.6)] {
        for capacities in [vec![1.0; hosts], (0..hosts).map(|h| 1.0 + (h % 3) as f64).collect()] {
            let loads = zipf(shards, exponent, 7);
            let answer = optimum(&Problem::new(&loads, &capacities));
            assert!(answer.gap < 1e-6, "{shards} x {hosts}: gap {}", answer.gap);
        }
    }
}
