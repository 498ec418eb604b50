//! Checks against runs whose results were tampered with: what is not there or
//! not a number never passes.

use std::path::Path;

use super::*;
use crate::experiment::lane::Summary;
use crate::experiment::{RunOptions, run};
use crate::model::SimDuration;

const SCENARIO: &str = r#"
schema = 1
name = "checked"
duration = "60s"
sample_every = "10s"
warmup = "20s"
replications = 3

[workload]
kind = "zipf"
shards = 20
exponent = 0.9

[cluster]
hosts = 3
hash_seed = "per-seed"

[[policy]]
kind = "greedy"

[[policy]]
kind = "ring"

[optimum]
every = "20s"
metric = "both"
"#;

/// The scenario with one check, and its run.
fn world(check: &str) -> (Scenario, RunResult) {
    let text = format!("{SCENARIO}\n[[check]]\n{check}\n");
    let scenario = Scenario::parse(&text, "checked.toml", Path::new("."), &[]).unwrap();
    let result = run(&scenario, RunOptions::default()).unwrap();
    (scenario, result)
}

fn outcome(check_text: &str, tamper: impl Fn(&mut RunResult)) -> Checked {
    let (scenario, mut result) = world(check_text);
    tamper(&mut result);
    check(&scenario, &result).remove(0)
}

const HOT: &str = "policy = 'greedy'\nmetric = 'hot_ratio'\nstatistic = 'mean'\n";

fn hot(rest: &str) -> String {
    format!("{HOT}{rest}")
}

fn problem(checked: &Checked) -> (Problem, Option<u64>) {
    match checked.verdict {
        Verdict::Failed(problem, seed) => (problem, seed),
        other => panic!("{other:?}"),
    }
}

#[test]
fn values_are_those_of_the_tables() {
    let (scenario, result) = world(&hot("max = 100"));
    let checked = &check(&scenario, &result)[0];
    assert!(checked.passed());
    // Nothing happens between samples here, so that the summary has the same.
    let means: Vec<f64> = result
        .lanes
        .iter()
        .filter(|lane| lane.policy == 0)
        .map(|l| l.summary.hot_ratio_mean)
        .collect();
    let (low, high) = match checked.measured {
        Some(Measured::Each { low, high }) => (low, high),
        other => panic!("{other:?}"),
    };
    let close = |a: f64, b: f64| (a - b).abs() < 1e-12;
    assert!(close(low, means.iter().copied().fold(f64::INFINITY, f64::min)));
    assert!(close(high, means.iter().copied().fold(0.0, f64::max)));
}

#[test]
fn a_ratio_is_taken_seed_by_seed() {
    let checked = outcome(
        "policy = 'greedy'\nmetric = 'hot_ratio_mean'\nof = 'ring'\nmax = 9\nseeds = 'mean'",
        |result| {
            for lane in &mut result.lanes {
                let greedy = lane.policy == 0;
                lane.summary.hot_ratio_mean =
                    if greedy { lane.seed as f64 * 3.0 } else { lane.seed as f64 * 2.0 };
            }
        },
    );
    assert_eq!(checked.measured, Some(Measured::Mean(1.5)));
}

#[test]
fn the_interval_is_students() {
    let with = |rest: &str| {
        let text = format!("policy = 'ring'\nmetric = 'moves'\nseeds = 'interval'\n{rest}");
        outcome(&text, |result| {
            for (lane, moves) in
                result.lanes.iter_mut().filter(|lane| lane.policy == 1).zip([1, 2, 3])
            {
                lane.summary.moves = moves;
            }
        })
    };
    // Mean 2, deviation 1, t of 2 degrees 4.302653: 2 ± 2.484138.
    let checked = with("max = 4.4842");
    let Some(Measured::Interval { mean, low, high }) = checked.measured else { panic!() };
    assert_eq!(mean, 2.0);
    assert!((high - 4.484_138).abs() < 1e-5 && (low + 0.484_138).abs() < 1e-5);
    assert!(checked.passed());
    let wide = with("max = 4.4841");
    assert_eq!((wide.verdict, wide.offenders.len()), (Verdict::OutOfBounds, 0));
    assert_eq!(with("min = -0.4841").verdict, Verdict::OutOfBounds);
}

#[test]
fn offenders_are_named_with_times() {
    let checked = outcome(&hot("max = 2"), |result| {
        for sample in &mut result.lanes[1].samples {
            sample.balance.hot_ratio = 2.0 + sample.time.as_secs_f64();
        }
    });
    assert_eq!(checked.verdict, Verdict::OutOfBounds);
    let [offender] = &checked.offenders[..] else { panic!("{:?}", checked.offenders) };
    assert_eq!((offender.seed, offender.value), (2, 37.0));
    let at = |second| SimTime::ZERO + SimDuration::from_secs(second);
    let expected: Vec<Step> = [(20, 30), (30, 40), (40, 50), (50, 60), (60, 60)]
        .map(|(since, until)| Step {
            since: at(since),
            until: at(until),
            value: 2.0 + since as f64,
        })
        .to_vec();
    assert_eq!((&offender.times, offender.more), (&expected, 0));
}

#[test]
fn without_samples_nothing_passes() {
    let none = |result: &mut RunResult| result.lanes[1].samples.clear();
    assert_eq!(problem(&outcome(&hot("max = 100"), none)), (Problem::NoSamples, Some(2)));
    let no_lanes = |result: &mut RunResult| result.lanes.clear();
    assert_eq!(problem(&outcome(&hot("max = 100"), no_lanes)), (Problem::NoSamples, None));
    let no_ring = |result: &mut RunResult| result.lanes.retain(|lane| lane.policy == 0);
    let of_ring = outcome(&hot("of = 'ring'\nmax = 100"), no_ring);
    assert_eq!(problem(&of_ring), (Problem::NoSamples, Some(1)));
    let no_probes = |result: &mut RunResult| {
        result.lanes.iter_mut().for_each(|lane| lane.probes.clear());
    };
    let of_optimum = outcome(&hot("of = 'optimum'\nmax = 100"), no_probes);
    assert_eq!(problem(&of_optimum), (Problem::NoSamples, Some(1)));
    let between = outcome(&hot("max = 100\nwindow = { from = '31s', to = '39s' }"), |_| ());
    assert_eq!(problem(&between), (Problem::NoSamples, Some(1)));
    let unknown = "policy = 'ring'\nmetric = 'believed_hot_ratio'\nstatistic = 'max'\nmax = 100";
    assert_eq!(problem(&outcome(unknown, |_| ())), (Problem::NoSamples, Some(1)));
    let budget = "policy = 'greedy'\nmetric = 'budgeted_excess'\nstatistic = 'max'\nmax = 100";
    assert_eq!(problem(&outcome(budget, |_| ())), (Problem::NoSamples, Some(1)));
}

#[test]
fn what_is_no_number_never_passes() {
    for bad in [f64::NAN, f64::INFINITY] {
        let tamper = |result: &mut RunResult| {
            let lane = &mut result.lanes[2];
            lane.samples[4].balance.hot_ratio = bad;
            lane.summary.hot_ratio_mean = bad;
        };
        let time = Some(SimTime::ZERO + SimDuration::from_secs(40));
        let expected = (Problem::NotANumber { time }, Some(3));
        assert_eq!(problem(&outcome(&hot("max = 100"), tamper)), expected);
        assert_eq!(problem(&outcome(&hot("min = 0"), tamper)), expected);
        let summary = "policy = 'greedy'\nmetric = 'hot_ratio_mean'\nmin = 0";
        let expected = (Problem::NotANumber { time: None }, Some(3));
        assert_eq!(problem(&outcome(summary, tamper)), expected);
    }
    let zero = outcome("policy = 'greedy'\nmetric = 'moves'\nof = 'ring'\nmax = 100", |_| ());
    assert_eq!(problem(&zero), (Problem::NoRatio { reference: 0.0 }, Some(1)));
}

#[test]
fn a_window_beyond_the_run_fails() {
    let duration = SimDuration::from_secs(60);
    for window in ["to = '61s'", "last = '61s'", "from = '60s'", "from = '2m', to = '3m'"] {
        let checked = outcome(&hot(&format!("max = 100\nwindow = {{ {window} }}")), |_| ());
        assert_eq!(problem(&checked), (Problem::ShortHistory { duration }, None), "{window}");
    }
    for window in ["to = '60s'", "last = '60s'", "from = '59s'", "last = '1s'"] {
        let checked = outcome(&hot(&format!("max = 100\nwindow = {{ {window} }}")), |_| ());
        assert!(checked.passed(), "{window}: {checked:?}");
    }
}

#[test]
fn an_interval_needs_two_seeds() {
    let checked = outcome(&hot("max = 100\nseeds = 'interval'"), |result| {
        result.lanes.retain(|lane| lane.seed == 1);
    });
    assert_eq!(problem(&checked), (Problem::TooFewSeeds { count: 1 }, None));
}

/// A name is either one of a column of the three tables, or not read.
#[test]
fn metrics_are_the_numbers_of_the_tables() {
    for metric in Metric::ALL {
        let column = Summary::METRICS.contains(&metric.as_str());
        assert_eq!(column, metric.is_summary(), "{metric}");
    }
    let known: Vec<&str> = Metric::ALL.iter().map(|metric| metric.as_str()).collect();
    assert!(Summary::METRICS.iter().all(|name| known.contains(name)));
    let (_, result) = world("policy = 'greedy'\nmetric = 'moves'\nmax = 100");
    let lane = &result.lanes[0];
    for metric in Metric::ALL {
        let Some(rows) = metric.rows() else { continue };
        let is_budgeted = metric.as_str().starts_with("budget");
        let values = points(*metric, rows, lane);
        assert!(values.iter().all(|(_, value)| value.is_nan() == is_budgeted), "{metric}");
    }
}
