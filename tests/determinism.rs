//! The same scenario and seed give the same bytes; what is added to a
//! scenario changes nothing of what was there.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};

use evenkeel::experiment::{RunOptions, RunResult, run};
use evenkeel::model::{Assignment, Host, HostId, ShardId, SimDuration};
use evenkeel::policy::{Move, MoveReason, Policy, Reports, View};
use evenkeel::report::{Heading, NamedBytes, Tables, redraw, tables};
use evenkeel::scenario::Scenario;
use evenkeel::sim::{Config, NoObserver, Simulation};
use evenkeel::workload::{
    Draw, Noise, NoiseModel, PoissonNoise, Ranks, Workload, Zipf, ZipfSettings,
};

const SCENARIO: &str = r#"
schema = 1
name = "determinism"
seed = 7
replications = 3
duration = "3m"
warmup = "20s"
sample_every = "7s"

[workload]
kind = "zipf"
shards = 80
exponent = { low = 0.6, high = 1.1 }
noise = { kind = "poisson", unit = 3 }

[cluster]
hosts = 6
hash_seed = "per-seed"

[[cluster.event]]
at = "50s"
kind = "remove"
host = "host-2"

[[cluster.event]]
at = "100s"
kind = "add"
host = "host-2"
capacity = 2

[[policy]]
kind = "ring"

[[policy]]
kind = "mod-n"

[[policy]]
kind = "jump"

[[policy]]
kind = "ring"
name = "weighted ring"
hash = "murmur3"
weighted = true

[[policy]]
kind = "ringpop"

[[policy]]
kind = "bounded-ring"
epsilon = 0.05

[[policy]]
kind = "rendezvous"
weighted = true

[[policy]]
kind = "maglev"
weighted = true

[[policy]]
kind = "anchor"

[[policy]]
kind = "slots"
weighted = true

[[policy]]
kind = "redis"

[[policy]]
kind = "directory"
base = "rendezvous"
exceptions = { shard-3 = "host-1" }

[[policy]]
kind = "greedy"
revision = "swap"

[[policy]]
kind = "naive"

[optimum]
every = "30s"
"#;

fn scenario(sets: &[&str]) -> Scenario {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    Scenario::parse(SCENARIO, "scenario", Path::new(""), &sets).unwrap()
}

fn run_with(scenario: &Scenario, threads: usize, events: bool) -> RunResult {
    run(scenario, RunOptions { threads: Some(threads), events, progress: None }).unwrap()
}

/// Everything that a run writes, but for wall times.
fn files(scenario: &Scenario, threads: usize) -> Vec<NamedBytes> {
    let result = run_with(scenario, threads, true);
    let mut files = tables(scenario, &result, true);
    files.extend(redraw(&Tables::of(Heading::of(scenario), &files).unwrap()).unwrap());
    files
}

#[test]
fn any_number_of_threads_gives_the_same_bytes() {
    let scenario = scenario(&[]);
    let one = files(&scenario, 1);
    assert_eq!(one.len(), 17);
    for threads in [2, 7] {
        assert!(one == files(&scenario, threads), "{threads} threads differ from one");
    }
}

/// Digests by policy and seed.
fn digests(scenario: &Scenario) -> BTreeMap<(String, u64), u64> {
    let lanes = run_with(scenario, 2, false).lanes;
    let name = |policy: usize| scenario.policies[policy].name.clone();
    lanes.into_iter().map(|lane| ((name(lane.policy), lane.seed), lane.digest)).collect()
}

#[test]
fn seeds_and_policies_give_different_runs() {
    let digests = digests(&scenario(&[]));
    let distinct: std::collections::BTreeSet<u64> = digests.values().copied().collect();
    assert_eq!(distinct.len(), digests.len());
}

#[test]
fn observing_changes_nothing() {
    let often = digests(&scenario(&["sample_every=1s", "optimum.every=1s", "report.hosts=true"]));
    let seldom = digests(&scenario(&["sample_every=1m", "optimum.enabled=false", "warmup=0s"]));
    assert_eq!(often, seldom);
}

#[test]
fn replications_are_the_runs_of_their_seeds() {
    let all = digests(&scenario(&[]));
    let last = digests(&scenario(&["seed=9", "replications=1"]));
    assert_eq!(last.len(), scenario(&[]).policies.len());
    assert!(last.iter().all(|(lane, digest)| all[lane] == *digest));
}

#[test]
fn a_policy_more_changes_nothing_of_the_others() {
    let before = digests(&scenario(&[]));
    let text =
        format!("{SCENARIO}\n[[policy]]\nname = \"more\"\nkind = \"greedy\"\nupper_band = 1.05\n");
    let more = Scenario::parse(&text, "scenario", Path::new(""), &[]).unwrap();
    let after = digests(&more);
    assert_eq!(after.len(), before.len() + 3);
    assert!(before.iter().all(|(lane, digest)| after[lane] == *digest));
}

#[test]
fn the_event_log_ends_with_the_digest() {
    let scenario = scenario(&["replications=1"]);
    for lane in run_with(&scenario, 1, true).lanes {
        assert_eq!(lane.events.last().map(|record| record.digest), Some(lane.digest));
        assert!(lane.events.windows(2).all(|pair| pair[0].time <= pair[1].time));
    }
}

/// Keeps everything it is told, and spreads shards over the hosts in turn.
struct Listener {
    heard: Arc<Mutex<Vec<(ShardId, u64)>>>,
}

impl Policy for Listener {
    fn membership(&mut self, view: &View<'_>, moves: &mut Vec<Move>) {
        for shard in view.orphans() {
            let to = HostId(shard.0 % view.hosts.len() as u32);
            moves.push(Move { shard, from: None, to, reason: MoveReason::Placement });
        }
    }

    fn wants_reports(&self) -> bool {
        true
    }

    fn report(&mut self, _view: &View<'_>, reports: &Reports<'_>) {
        let loads = reports.loads.iter().map(|load| load.to_bits());
        self.heard.lock().unwrap().extend(reports.shards.iter().copied().zip(loads));
    }
}

/// The reports of a run with so many hosts and shards.
fn reports(hosts: u32, shards: u32) -> Vec<(ShardId, u64)> {
    let settings = ZipfSettings {
        shards,
        exponent: Draw::Fixed(0.0),
        total_load: f64::from(shards) * 5.0,
        ranks: Ranks::Kept,
    };
    let workload = Zipf::new(settings);
    let config = Config {
        shards: workload.shards(),
        hosts: (0..hosts).map(|host| Host::new(format!("h{host}"), 1.0)).collect(),
        heartbeat: SimDuration::from_secs(1),
        handover: SimDuration::ZERO,
        duration: SimDuration::from_secs(20),
        sample_every: SimDuration::from_secs(20),
        probe_every: None,
        events: Vec::new(),
    };
    let noise = Noise::new(NoiseModel::Poisson(PoissonNoise { unit: 1.0 }), 1, config.heartbeat);
    let heard = Arc::new(Mutex::new(Vec::new()));
    let policy = Box::new(Listener { heard: Arc::clone(&heard) });
    let start = Some(Assignment::empty(shards as usize, hosts as usize));
    let mut run = Simulation::new(config, workload.start(1), noise, policy, start).unwrap();
    run.run(&mut NoObserver).unwrap();
    assert_eq!(run.reports(), 20 * u64::from(shards));
    let heard = heard.lock().unwrap();
    heard.clone()
}

#[test]
fn a_host_or_a_shard_more_leaves_the_noise_as_it_was() {
    let few = reports(3, 40);
    assert_eq!(few, reports(4, 40));
    let more: Vec<(ShardId, u64)> =
        reports(3, 41).into_iter().filter(|(shard, _)| shard.index() < 40).collect();
    assert_eq!(few, more);
}
