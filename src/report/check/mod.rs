//! What checks have found, for people, programs and pipelines.

mod annotations;
mod json;
mod junit;
mod markdown;
mod text;
mod wording;

pub use annotations::annotations;
pub use json::checks_json;
pub use junit::checks_junit;
pub use markdown::checks_markdown;
pub use text::checks_text;

use crate::experiment::{Checked, Comparison, Trend};

use super::terminal::count;

/// A scenario whose checks were carried out.
#[derive(Clone, Debug)]
pub struct CheckedScenario {
    /// The file, as it was named.
    pub file: String,
    /// Name of the scenario.
    pub name: String,
    /// Its checks, in order.
    pub checks: Vec<Checked>,
}

/// What `check` has found.
#[derive(Clone, Debug, Default)]
pub struct CheckReport {
    /// The scenarios, in order.
    pub scenarios: Vec<CheckedScenario>,
    /// What changed since the baseline, if there is one.
    pub comparison: Option<Comparison>,
}

impl CheckReport {
    fn checks(&self) -> impl Iterator<Item = (&CheckedScenario, &Checked)> {
        self.scenarios
            .iter()
            .flat_map(|scenario| scenario.checks.iter().map(move |checked| (scenario, checked)))
    }

    fn failures(&self) -> impl Iterator<Item = (&CheckedScenario, &Checked)> {
        self.checks().filter(|(_, checked)| !checked.passed())
    }

    /// The file of a scenario.
    fn file(&self, scenario: &str) -> Option<&str> {
        let found = self.scenarios.iter().find(|checked| checked.name == scenario);
        found.map(|checked| checked.file.as_str())
    }

    /// Whether every check holds and nothing became worse than the baseline.
    pub fn passed(&self) -> bool {
        self.failures().next().is_none() && self.comparison.as_ref().is_none_or(Comparison::passed)
    }

    /// How it ended, in a line.
    pub fn verdict(&self) -> String {
        let all = self.checks().count();
        let mut parts = Vec::new();
        match self.failures().count() {
            0 if all == 0 => {}
            0 if all == 1 => parts.push("the check passed".to_owned()),
            0 => parts.push(format!("all {all} checks passed")),
            failed => parts.push(format!("{failed} of {} failed", count(all, "check"))),
        }
        if let Some(comparison) = &self.comparison {
            let trends = Trend::ALL
                .map(|trend| format!("{} {}", comparison.count(trend), trend.as_str()))
                .join(", ");
            parts.push(format!("against the baseline {trends}"));
            if !comparison.faults.is_empty() {
                parts.push(format!("{} not compared", comparison.faults.len()));
            }
        }
        parts.join("; ")
    }
}
