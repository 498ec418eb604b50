//! The optimum within a policy's own budget, in a run.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;

use evenkeel::experiment::{Lane, RunOptions, run};
use evenkeel::scenario::Scenario;

/// A small fleet that loses a host and gets it back; passes and probes fall
/// together.
const FLEET: &str = r#"
schema = 1
name = "fleet"
replications = 3
duration = "30s"

[workload]
kind = "zipf"
shards = 40
exponent = 0.7
total_load = 1000

[workload.noise]
kind = "poisson"
unit = 1

[cluster]
hosts = 5
hash_seed = "per-seed"

[[cluster.event]]
kind = "remove"
at = "10s"
host = "host-1"

[[cluster.event]]
kind = "add"
at = "20s"
host = "host-1"

[[policy]]
kind = "greedy"
move_budget = 0.05

[[policy]]
kind = "naive"

[[policy]]
kind = "ring"

[optimum]
every = "1s"
budgeted = true
solver = { step_limit = 1000, node_limit = 200 }
"#;

fn lanes(sets: &[&str]) -> Vec<Lane> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let scenario = Scenario::parse(FLEET, "fleet", Path::new(""), &sets).unwrap();
    run(&scenario, RunOptions::default()).unwrap().lanes
}

#[test]
fn no_pass_beats_the_optimum_within_its_budget() {
    for lane in lanes(&[]) {
        if lane.policy == 2 {
            assert!(lane.probes.iter().all(|probe| probe.budgeted.is_none()), "a ring has none");
            continue;
        }
        let of_a_pass = [2, 1][lane.policy];
        let mut moves = 0;
        for (second, probe) in lane.probes.iter().enumerate() {
            let within = probe.budgeted.unwrap();
            let where_ = format!("policy {}, seed {}, {second} s", lane.policy, lane.seed);
            assert_eq!(within.budget, if second == 0 { 0 } else { of_a_pass }, "{where_}");
            assert!(
                within.bound <= within.optimum && within.optimum <= probe.hot_ratio,
                "{where_}"
            );
            assert!(within.optimum >= probe.bound * (1.0 - 1e-9), "{where_}");
            assert!(probe.budgeted_excess().unwrap() >= 0.0, "{where_}");
            moves += u64::from(within.optimum < probe.hot_ratio);
        }
        assert!(moves > 0, "some pass could have done better");
    }
}

#[test]
fn probes_far_apart_have_the_budget_of_all_passes_between() {
    let far = lanes(&["optimum.every=10s"]);
    let greedy = far.iter().find(|lane| lane.policy == 0).unwrap();
    let budgets: Vec<u64> =
        greedy.probes.iter().map(|probe| probe.budgeted.unwrap().budget).collect();
    assert_eq!(budgets, [0, 20, 20, 20]);
}

/// Hosts of 160 = 100 + 60 and 40: one move makes them even, and greedy makes it.
#[test]
fn the_worked_example_is_optimal_within_its_budget() {
    let text = include_str!("../scenarios/worked-example.toml");
    let sets = ["optimum.budgeted=true", "optimum.every=1s"].map(str::to_owned);
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let scenario = Scenario::parse(text, "worked-example", &path, &sets).unwrap();
    let lanes = run(&scenario, RunOptions::default()).unwrap().lanes;
    let probes = &lanes[0].probes;
    let first = probes.iter().find(|probe| probe.budgeted.unwrap().budget > 0).unwrap();
    assert!((first.budgeted.unwrap().optimum - 1.0).abs() < 1e-9);
}

#[test]
fn asking_for_it_changes_nothing_else() {
    let (with, without) = (lanes(&[]), lanes(&["optimum.budgeted=false"]));
    for (with, without) in with.iter().zip(&without) {
        assert_eq!(with.digest, without.digest);
        assert_eq!(with.summary, without.summary);
        assert!(without.probes.iter().all(|probe| probe.budgeted.is_none()));
    }
}
