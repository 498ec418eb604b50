//! Holds the balancers to the answers of the reference program.
//!
//! Reads every `vectors_*.jsonl`, `sim_trace*.jsonl` and `bench_world*.jsonl`
//! in the folder that `EVENKEEL_VECTORS` names (by default
//! `../shared/vectors`, beside the package). Without the folder nothing is
//! checked here; `tests/planner.rs` has known answers of its own.

mod common;

use std::io::Write;

use common::transcription::Transcription;
use common::vectors::{self, Case, Named};
use evenkeel::balancer::greedy::{self, Planner, Revision};
use evenkeel::balancer::{naive, smooth};
use evenkeel::metrics::imbalance;
use evenkeel::model::{HostId, ShardId, SimTime};
use serde_json::{Value, json};

/// Prints past the test harness, which keeps what `println!` writes.
fn say(text: &str) {
    let _ = writeln!(std::io::stdout(), "{text}");
}

#[test]
fn the_answers_are_those_of_the_reference() {
    let folder = vectors::folder();
    let entries = match std::fs::read_dir(&folder) {
        Ok(entries) => entries,
        Err(error) => {
            return say(&format!("skipped: {} cannot be read: {error}", folder.display()));
        }
    };
    let mut files: Vec<String> = entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| {
            name.ends_with(".jsonl")
                && ["vectors_", "sim_trace", "bench_world"]
                    .iter()
                    .any(|start| name.starts_with(start))
        })
        .collect();
    files.sort();
    if files.is_empty() {
        say(&format!("skipped: {} holds no vectors", folder.display()));
    }
    let mut failures = Vec::new();
    for file in &files {
        let cases = vectors::read(file).unwrap_or_else(|error| panic!("{error}"));
        for case in &cases {
            if let Err(error) = check(case) {
                failures.push(format!("{file}: {}: {error}", case.id()));
            }
        }
        say(&format!("{file}: {} cases checked", cases.len()));
    }
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

type Check = Result<(), String>;

fn check(case: &Case) -> Check {
    match case.op() {
        "greedy_rebalance" => check_greedy(case),
        "greedy_place" | "naive_place" => check_place(case),
        "naive_rebalance" => check_naive(case),
        "smooth" => check_smooth(case),
        "imbalance" => check_imbalance(case),
        "simulate" => check_simulate(case),
        other => Err(format!("unknown op {other}")),
    }
}

fn same(what: &str, got: &Value, expected: &Value) -> Check {
    if got == expected { Ok(()) } else { Err(format!("{what}: {got} instead of {expected}")) }
}

fn near(what: &str, got: f64, expected: &Value, relative: f64) -> Check {
    let wanted = expected.as_f64().ok_or_else(|| format!("{what}: {expected} is no number"))?;
    if (got - wanted).abs() <= relative * wanted.abs() {
        Ok(())
    } else {
        Err(format!("{what}: {got} instead of {wanted}"))
    }
}

fn check_greedy(case: &Case) -> Check {
    let fleet = case.fleet();
    let expect = &case.0["expect"];
    let mut planner = Planner::new();
    for (revision, key) in [
        (Revision::R2026_08, "expect"),
        (Revision::Swap, "expect_swap"),
        (Revision::R2026_05, "expect_old"),
    ] {
        let settings = case.settings(revision);
        let (steps, _) = fleet.world.plan(&mut planner, &settings);
        if expect.get("final_sorted").is_some() {
            if revision == Revision::R2026_08 {
                check_shape(&fleet, &steps, expect)?;
            }
            continue;
        }
        let expected = match case.0.get(key) {
            Some(Value::Null) => continue,
            Some(answer) => &answer["moves"],
            None => &expect["moves"],
        };
        same(revision.as_str(), &fleet.words(&steps), expected)?;
        let plain = Transcription::new(&fleet.world).rebalance(&settings);
        same("transcription", &fleet.words(&plain), expected)?;
    }
    Ok(())
}

/// Where hosts tie, only the number of moves and the final loads are fixed.
fn check_shape(fleet: &Named, steps: &[common::world::Step], expect: &Value) -> Check {
    same("n_moves", &json!(steps.len()), &expect["n_moves"])?;
    let mut world = fleet.world.clone();
    world.apply(steps);
    let mut loads = world.host_loads();
    loads.sort_by(f64::total_cmp);
    let expected = expect["final_sorted"].as_array().ok_or("final_sorted is no list")?;
    loads.iter().zip(expected).try_for_each(|(load, wanted)| near("load", *load, wanted, 1e-9))
}

fn check_place(case: &Case) -> Check {
    let fleet = case.fleet();
    let assignment = fleet.assignment();
    let orphans: Vec<ShardId> = (0..fleet.shards.len() as u32)
        .map(ShardId)
        .filter(|&shard| assignment.owner(shard).is_none())
        .collect();
    let placed = if case.op() == "greedy_place" {
        greedy::place(&orphans, &fleet.hosts, &assignment, &fleet.world.loads)
    } else {
        naive::place(&orphans, &fleet.hosts, &assignment)
    };
    let got = match placed {
        Ok(placed) => json!({ "placements": fleet.placements(&placed) }),
        Err(evenkeel::balancer::NoActiveHost) => json!({ "error": "no_active_executors" }),
    };
    same("placement", &got, &case.0["expect"])
}

fn check_naive(case: &Case) -> Check {
    let fleet = case.fleet();
    let hosts: Vec<HostId> = (0..fleet.hosts.len() as u32).map(HostId).collect();
    let max_deviation = case.0["max_deviation"].as_f64().ok_or("max_deviation")?;
    let planned =
        naive::plan(max_deviation, &hosts, &fleet.assignment(), &case.reports(&fleet), &[]);
    let steps: Vec<_> = planned.iter().map(common::world::step).collect();
    same("moves", &fleet.words(&steps), &case.0["expect"]["moves"])
}

fn check_smooth(case: &Case) -> Check {
    let number = |key: &str| match &case.0[key] {
        Value::String(word) => word.to_lowercase().parse().map_err(|_| format!("{key}: {word}")),
        value => value.as_f64().ok_or_else(|| format!("{key} is no number")),
    };
    let dt = case.0["dt_s"].as_f64();
    match smooth(number("prev")?, number("current")?, dt, number("tau_s")?) {
        Ok(value) => near("value", value, &case.0["expect"]["value"], 1e-12),
        Err(_) => same("error", &json!(true), &case.0["expect"]["error"]),
    }
}

fn check_imbalance(case: &Case) -> Check {
    let values = case.0["values"].as_array().ok_or("values")?;
    let values: Vec<f64> = values.iter().filter_map(Value::as_f64).collect();
    let expect = &case.0["expect"];
    near("max_over_mean", imbalance::max_over_mean(&values), &expect["max_over_mean"], 1e-12)?;
    near("cv", imbalance::coefficient_of_variation(&values), &expect["cv"], 1e-12)
}

fn check_simulate(case: &Case) -> Check {
    let passes = case.0["passes"].as_u64().ok_or("passes")?;
    let interval = case.0["pass_interval_s"].as_f64().ok_or("pass_interval_s")?;
    for (revision, key) in [(Revision::R2026_08, "expect_new"), (Revision::Swap, "expect_swap")] {
        let settings = case.settings(revision);
        let mut fleet = case.fleet();
        let mut planner = Planner::new();
        let mut active = Vec::new();
        for pass in 1..=passes {
            fleet.world.now = SimTime((pass as f64 * interval * 1e9).round() as u64);
            let (steps, _) = fleet.world.plan(&mut planner, &settings);
            if !steps.is_empty() {
                active.push(json!({ "pass": pass, "moves": fleet.words(&steps) }));
            }
            fleet.world.apply(&steps);
        }
        let expected = case.0[key]["active_passes"].as_array().ok_or("active_passes")?;
        let expected = expected.iter().map(|p| json!({ "pass": p["pass"], "moves": p["moves"] }));
        same(key, &Value::Array(active), &expected.collect())?;
    }
    Ok(())
}
