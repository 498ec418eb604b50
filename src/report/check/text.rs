//! Checks for people, at a terminal.

use crate::experiment::{Comparison, Difference, Trend};
use crate::report::terminal::Grid;

use super::CheckReport;
use super::wording::{cells, measured, offenders};

/// Every check as a formula with what was measured, the baseline, and a last
/// line that says how it all ended.
pub fn checks_text(report: &CheckReport) -> String {
    let mut text = String::new();
    for scenario in report.scenarios.iter().filter(|scenario| !scenario.checks.is_empty()) {
        text.push_str(&format!("{} ({})\n", scenario.name, scenario.file));
        for checked in &scenario.checks {
            let mut lines = Vec::new();
            lines.extend(checked.check.settings.name.clone());
            lines.extend([checked.formula.clone(), measured(checked)]);
            lines.extend(offenders(checked));
            let word = if checked.passed() { "pass" } else { "FAIL" };
            for (index, line) in lines.iter().enumerate() {
                let lead = if index == 0 { word } else { "" };
                text.push_str(&format!("  {lead:4}  {line}\n"));
            }
        }
        text.push('\n');
    }
    if let Some(comparison) = &report.comparison {
        text.push_str(&baseline(comparison));
        text.push('\n');
    }
    text.push_str(&report.verdict());
    text.push('\n');
    text
}

/// What changed, row by row; what did not, a line for each policy.
fn baseline(comparison: &Comparison) -> String {
    let mut text = "Against the baseline\n".to_owned();
    for fault in &comparison.faults {
        text.push_str(&format!("  not compared: {fault}\n"));
    }
    let mut grid =
        Grid::new(["trend", "scenario", "policy", "metric", "before", "after", "change", "seeds"]);
    let is_changed = |difference: &&Difference| difference.trend != Trend::Unchanged;
    let changed: Vec<&Difference> = comparison.differences.iter().filter(is_changed).collect();
    for difference in &changed {
        let Difference { trend, scenario, policy, metric, .. } = difference;
        let mut row: Vec<String> =
            [trend.as_str(), scenario, policy, metric].map(str::to_owned).to_vec();
        row.extend(cells(difference));
        grid.row(row);
    }
    if !changed.is_empty() {
        text.push_str(&grid.render());
    }
    let mut unchanged: Vec<(String, Vec<&str>)> = Vec::new();
    for difference in comparison.differences.iter().filter(|difference| !is_changed(difference)) {
        let whose = format!("{}, policy {}", difference.scenario, difference.policy);
        match unchanged.iter_mut().find(|(other, _)| *other == whose) {
            Some((_, metrics)) => metrics.push(difference.metric),
            None => unchanged.push((whose, vec![difference.metric])),
        }
    }
    for (whose, metrics) in unchanged {
        text.push_str(&format!("unchanged: {whose}: {}\n", metrics.join(", ")));
    }
    text
}
