//! Failures as workflow commands of GitHub Actions, which shows them at the
//! lines that they are about.

use std::collections::BTreeMap;

use crate::experiment::Trend;

use super::CheckReport;
use super::wording::{line, message, title};

/// A line for each check that failed, each policy that became worse, and each
/// thing that could not be compared; empty if there are none.
pub fn annotations(report: &CheckReport) -> String {
    let mut text = String::new();
    for (scenario, checked) in report.failures() {
        let line = checked.check.line.map(|line| line.to_string());
        let places = [("file", Some(scenario.file.as_str())), ("line", line.as_deref())];
        text.push_str(&error(&places, title(checked), &message(checked)));
    }
    let Some(comparison) = &report.comparison else { return text };
    for fault in &comparison.faults {
        text.push_str(&error(&[], "not compared with the baseline", fault));
    }
    // GitHub shows ten of a step: one for each policy.
    let mut worse: BTreeMap<(&str, &str), Vec<String>> = BTreeMap::new();
    for difference in &comparison.differences {
        if difference.trend == Trend::Regressed {
            let key = (difference.scenario.as_str(), difference.policy.as_str());
            worse.entry(key).or_default().push(line(difference));
        }
    }
    for ((scenario, policy), lines) in worse {
        let title = format!("{scenario}: {policy} is worse than the baseline");
        text.push_str(&error(&[("file", report.file(scenario))], &title, &lines.join("\n")));
    }
    text
}

fn error(places: &[(&str, Option<&str>)], title: &str, message: &str) -> String {
    let mut properties: Vec<String> = places
        .iter()
        .filter_map(|(key, value)| value.map(|value| format!("{key}={}", property(value))))
        .collect();
    properties.push(format!("title={}", property(title)));
    format!("::error {}::{}\n", properties.join(","), data(message))
}

/// A message: what would end the line is written as GitHub reads it (`toolkit`,
/// packages/core/src/command.ts).
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property, in which colons and commas have a meaning too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_cannot_end_a_command() {
        let line = error(&[("file", Some("a,b:c.toml")), ("line", None)], "50 %", "one\ntwo: 3, 4");
        assert_eq!(line, "::error file=a%2Cb%3Ac.toml,title=50 %25::one%0Atwo: 3, 4\n");
    }
}
