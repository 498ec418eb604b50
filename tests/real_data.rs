//! Real snapshots and traces, where they are at hand: `EVENKEEL_DATA`, or
//! `../shared/data` beside the project.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use evenkeel::balancer::Start;
use evenkeel::experiment::{PlanRequest, RunOptions, plan, run};
use evenkeel::model::{HostSource, Snapshot};
use evenkeel::scenario::{Scenario, policy_settings};

/// The folder of the data, or a printed reason to skip.
fn data() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let folder = std::env::var_os("EVENKEEL_DATA").map_or(beside, PathBuf::from);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no real data at {}", folder.display());
    None
}

/// Files below a folder whose names begin and end so.
fn files(folder: &Path, start: &str, end: &str) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![folder.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                open.push(path);
            } else if name.starts_with(start) && name.ends_with(end) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

#[test]
fn every_snapshot_can_be_planned_on() {
    let Some(data) = data() else { return };
    let snapshots = files(&data, "snapshot", ".csv");
    assert!(!snapshots.is_empty());
    let (policy, optimum) = policy_settings("greedy", &[]).unwrap();
    for path in &snapshots {
        let hosts = path.with_file_name("hosts.csv");
        let source = if hosts.is_file() { HostSource::File(&hosts) } else { HostSource::Count(16) };
        let snapshot = Snapshot::read(path, source).unwrap();
        let request = PlanRequest {
            snapshot: &snapshot,
            policy: &policy,
            start: Start::Ring,
            max_passes: 10_000,
            max_moves: None,
            optimum,
        };
        let plan = plan(&request).unwrap();
        let name = path.display();
        assert!(!plan.stopped_early, "{name}");
        assert!(
            plan.after.hot_ratio <= plan.before.hot_ratio * (1.0 + 1e-9)
                || plan.moves.len() > plan.moves_of_placed().count(),
            "{name}"
        );
        // The optimum knows the same hosts, so that no plan beats its bound.
        assert!(plan.optimum.bound <= plan.after.hot_ratio * (1.0 + 1e-9), "{name}");
    }
    println!("{} snapshots planned on", snapshots.len());
}

#[test]
fn every_trace_of_shards_can_be_run() {
    let Some(data) = data() else { return };
    let mut count = 0;
    for path in files(&data, "trace_", ".csv") {
        // Loads of hosts, not of shards.
        if path.ends_with("cadence-incident/trace_cpu.csv") {
            continue;
        }
        let text = format!(
            "schema = 1\nname = \"trace\"\nsample_every = \"1m\"\n\
             [workload]\nkind = \"trace\"\npath = '{}'\nwindow = {{ to = \"400d\" }}\n\
             [cluster]\nhosts = 8\nheartbeat = \"1h\"\n\
             [[policy]]\nkind = \"ring\"\n\
             [[policy]]\nkind = \"greedy\"\npass_every = \"1h\"\nsmoothing = \"1h\"\n\
             [optimum]\nevery = \"12h\"\n",
            path.display()
        );
        let sample =
            [format!("sample_every={}", if text.contains("quarterly") { "30d" } else { "10m" })];
        let scenario = Scenario::parse(&text, "trace", Path::new(""), &sample).unwrap();
        let result = run(&scenario, RunOptions::default()).unwrap();
        for lane in &result.lanes {
            assert!(lane.samples.iter().all(|sample| sample.balance.hot_ratio >= 1.0));
            assert!(lane.probes.iter().all(|probe| probe.bound <= probe.hot_ratio));
        }
        count += 1;
    }
    assert!(count > 0);
    println!("{count} traces run");
}
