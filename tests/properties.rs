//! What holds for every scenario: nothing is lost, bounds bound, and moves
//! help.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::Path;

use evenkeel::balancer::greedy::{GreedySettings, Revision};
use evenkeel::experiment::{Lane, RunOptions, run};
use evenkeel::model::{Assignment, Host, HostId, ShardId, SimDuration, SimTime};
use evenkeel::optimum::Status;
use evenkeel::policy::{Move, Policy, Reports, View};
use evenkeel::scenario::{Scenario, policy_kinds};
use proptest::prelude::*;

/// A scenario with all policies, and hosts that come and go.
fn scenario_text(
    shards: u32,
    hosts: u32,
    exponent: f64,
    events: &[(u64, bool)],
    noise: &str,
    seed: u64,
) -> String {
    let mut text = format!(
        "schema = 1\nname = \"p\"\nseed = {seed}\nduration = \"90s\"\nsample_every = \"15s\"\n\
         [workload]\nkind = \"zipf\"\nshards = {shards}\nexponent = {exponent}\nnoise = {{ kind = \"{noise}\" }}\n\
         [cluster]\nhosts = {hosts}\nhash_seed = \"per-seed\"\nhandover = \"3s\"\n"
    );
    // Only hosts that joined leave again, in order of joining.
    let (mut joined, mut left) = (0, 0);
    for (at, joins) in events {
        let (kind, number) = if *joins || left == joined {
            joined += 1;
            ("add", joined)
        } else {
            left += 1;
            ("remove", left)
        };
        text += &format!(
            "[[cluster.event]]\nat = \"{at}s\"\nkind = \"{kind}\"\nhost = \"new-{number}\"\n"
        );
    }
    for kind in policy_kinds() {
        text += &format!("[[policy]]\nkind = \"{kind}\"\n");
    }
    text + "[optimum]\nevery = \"30s\"\nsolver = { step_limit = 10000, branch_limit = 100000 }\n"
}

fn lanes(text: &str) -> Vec<Lane> {
    let scenario = Scenario::parse(text, "scenario", Path::new(""), &[]).unwrap();
    run(&scenario, RunOptions { threads: Some(1), ..RunOptions::default() }).unwrap().lanes
}

/// Events in the order in which they happen.
fn events() -> impl Strategy<Value = Vec<(u64, bool)>> {
    proptest::collection::vec((0..=90u64, any::<bool>()), 0..6).prop_map(|mut events| {
        events.sort_by_key(|(at, _)| *at);
        events
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    #[test]
    fn nothing_is_lost_and_bounds_bound(
        shards in 1..60u32,
        hosts in 1..9u32,
        exponent in 0.0..2.0f64,
        events in events(),
        noisy in any::<bool>(),
        seed in 0..1000u64,
    ) {
        let noise = if noisy { "poisson" } else { "none" };
        let text = scenario_text(shards, hosts, exponent, &events, noise, seed);
        for lane in lanes(&text) {
            // Each move takes the shard from where the last one put it.
            let mut at: BTreeMap<ShardId, HostId> = BTreeMap::new();
            for planned in &lane.moves {
                prop_assert_ne!(planned.from, planned.to);
                let before = at.insert(planned.shard, planned.to);
                prop_assert!(before.is_none_or(|host| host == planned.from));
            }
            // Every shard is on one host, and none on a host that has gone.
            let end = lane.hosts.last().unwrap().time;
            let last: Vec<_> = lane.hosts.iter().filter(|row| row.time == end).collect();
            let owned: usize = last[last.len() - lane.host_names.len()..].iter().map(|row| row.shards).sum();
            prop_assert_eq!(owned, shards as usize);
            prop_assert!(last.iter().all(|row| row.status.is_live() || row.shards == 0));
            for sample in &lane.samples {
                prop_assert!(sample.balance.hot_ratio >= sample.balance.floor * (1.0 - 1e-12));
                prop_assert!(sample.balance.min_ratio <= 1.0 && sample.balance.cv >= 0.0);
            }
            for probe in &lane.probes {
                prop_assert!(probe.bound <= probe.optimum && probe.optimum <= probe.hot_ratio);
                prop_assert!(probe.status != Status::Optimal || probe.gap() <= 1e-9);
            }
            prop_assert!(lane.summary.unavailable_s <= 3.0 * lane.summary.moves as f64 + 1e-9);
        }
    }

    #[test]
    fn the_ring_moves_only_to_or_from_the_host_that_changed(
        shards in 1..200u32,
        hosts in 1..9u32,
        seed in 0..1000u64,
    ) {
        let text = scenario_text(shards, hosts, 0.9, &[(30, true), (60, false)], "none", seed);
        let ring = policy_kinds().iter().position(|kind| *kind == "ring").unwrap();
        for lane in lanes(&text).into_iter().filter(|lane| lane.policy == ring) {
            let changed = lane.host_names.iter().position(|name| name == "new-1").unwrap();
            for planned in &lane.moves {
                let (joins, leaves) = (planned.to.index() == changed, planned.from.index() == changed);
                let at_the_join = planned.time.as_secs_f64() == 30.0;
                prop_assert_eq!((joins, leaves), (at_the_join, !at_the_join));
            }
            // What the newcomer took goes back to where it was.
            prop_assert_eq!(lane.moves.len() % 2, 0);
        }
    }

    /// One move, or both halves of an exchange, never raise the sum of squares
    /// of the loads that the balancer believes in.
    #[test]
    fn a_planned_step_never_raises_the_sum_of_squares(
        loads in proptest::collection::vec(0.0..100.0f64, 1..80),
        owners in proptest::collection::vec(0..6u32, 80),
        revision in prop_oneof![Just(Revision::R2026_08), Just(Revision::R2026_05), Just(Revision::Swap)],
        lower in 0.5..1.2f64,
        upper in 0.9..1.5f64,
    ) {
        let settings = GreedySettings {
            revision,
            lower_band: lower,
            upper_band: upper,
            move_budget: 0.5,
            cooldown: SimDuration::ZERO,
            ..GreedySettings::default()
        };
        let hosts: Vec<Host> = (0..6).map(|host| Host::new(format!("h{host}"), 1.0)).collect();
        let names: Vec<String> = (0..loads.len()).map(|shard| format!("s{shard}")).collect();
        let on: Vec<Option<HostId>> = owners[..loads.len()].iter().map(|host| Some(HostId(*host))).collect();
        let mut assignment = Assignment::from_owners(&on, hosts.len());
        let mut balancer = settings.build(loads.len());
        let shards: Vec<ShardId> = (0..loads.len() as u32).map(ShardId).collect();
        for pass in 0..5 {
            let view = View { now: SimTime(pass), hosts: &hosts, shards: &names, assignment: &assignment, pinned: &[] };
            balancer.report(&view, &Reports { shards: &shards, loads: &loads });
            let mut moves = Vec::new();
            balancer.pass(&view, &mut moves);
            for step in steps(&moves) {
                let before = squares(&assignment, &loads);
                step.iter().for_each(|planned| assignment.assign(planned.shard, planned.to));
                prop_assert!(squares(&assignment, &loads) <= before * (1.0 + 1e-12));
            }
        }
    }
}

/// Moves, the two halves of an exchange together.
fn steps(moves: &[Move]) -> Vec<&[Move]> {
    moves
        .chunk_by(|a, b| a.reason == evenkeel::policy::MoveReason::Swap && a.reason == b.reason)
        .collect()
}

fn squares(assignment: &Assignment, loads: &[f64]) -> f64 {
    let load = |host| -> f64 {
        assignment.shards_of(HostId(host)).iter().map(|shard| loads[shard.index()]).sum()
    };
    (0..assignment.host_count() as u32).map(|host| load(host) * load(host)).sum()
}
