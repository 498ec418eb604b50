//! Checks as one JSON document.

use serde_json::{Value, json};

use crate::experiment::{Checked, Comparison, Measured, Step};

use super::{CheckReport, CheckedScenario, wording};

/// The document; docs/formats.md describes its keys. What has no number is
/// null.
pub fn checks_json(report: &CheckReport) -> Value {
    json!({
        "passed": report.passed(),
        "checks": report.checks().map(|(scenario, checked)| one(scenario, checked)).collect::<Vec<_>>(),
        "baseline": report.comparison.as_ref().map(baseline),
    })
}

fn one(scenario: &CheckedScenario, checked: &Checked) -> Value {
    let settings = &checked.check.settings;
    let bounds = settings.bounds();
    let measured = checked.measured.map(|measured| match measured {
        Measured::Each { low, high } => json!({ "low": low, "high": high }),
        Measured::Mean(mean) => json!({ "mean": mean }),
        Measured::Interval { mean, low, high } => json!({ "mean": mean, "low": low, "high": high }),
    });
    let offenders: Vec<Value> = checked
        .offenders
        .iter()
        .map(|offender| {
            let time = |step: &Step| {
                json!({
                    "from_s": step.since.as_secs_f64(),
                    "to_s": step.until.as_secs_f64(),
                    "value": step.value,
                })
            };
            json!({
                "seed": offender.seed,
                "value": offender.value,
                "reference": offender.reference,
                "times": offender.times.iter().map(time).collect::<Vec<_>>(),
                "more": offender.more,
            })
        })
        .collect();
    json!({
        "scenario": scenario.name,
        "file": scenario.file,
        "line": checked.check.line,
        "name": settings.name,
        "formula": checked.formula,
        "policy": settings.policy,
        "metric": settings.metric,
        "statistic": settings.statistic,
        "of": settings.of,
        "seeds": settings.seeds,
        "low": bounds.low,
        "high": bounds.high,
        "measured": measured,
        "verdict": checked.verdict.as_str(),
        "message": wording::measured(checked),
        "offenders": offenders,
    })
}

fn baseline(comparison: &Comparison) -> Value {
    let differences: Vec<Value> = comparison
        .differences
        .iter()
        .map(|difference| {
            json!({
                "scenario": difference.scenario,
                "policy": difference.policy,
                "metric": difference.metric,
                "trend": difference.trend.as_str(),
                "before": difference.before,
                "after": difference.after,
                "change": difference.change,
                "share": difference.share,
                "interval": difference.interval.map(|(low, high)| [low, high]),
                "seeds": difference.seeds,
                "worse": difference.worse,
                "better": difference.better,
            })
        })
        .collect();
    json!({ "passed": comparison.passed(), "faults": comparison.faults, "differences": differences })
}
