//! Checks in Markdown, for the summary of a job.

use crate::experiment::{Comparison, Difference, Trend};

use super::CheckReport;
use super::wording::{cells, measured, offenders, title};

/// A heading, a table of checks for each scenario, and what changed since the
/// baseline.
pub fn checks_markdown(report: &CheckReport) -> String {
    let word = if report.passed() { "passed" } else { "failed" };
    let mut text = format!("## evenkeel check {word}\n\n{}.\n", escaped(&report.verdict()));
    for scenario in report.scenarios.iter().filter(|scenario| !scenario.checks.is_empty()) {
        text.push_str(&format!("\n### {}\n\n", escaped(&scenario.name)));
        text.push_str("| | check | measured |\n| --- | --- | --- |\n");
        for checked in &scenario.checks {
            let word = if checked.passed() { "pass" } else { "**FAIL**" };
            let mut check = escaped(title(checked));
            if checked.check.settings.name.is_some() {
                check.push_str(&format!("<br>{}", escaped(&checked.formula)));
            }
            let lines: Vec<String> = std::iter::once(measured(checked))
                .chain(offenders(checked))
                .map(|line| escaped(&line))
                .collect();
            text.push_str(&format!("| {word} | {check} | {} |\n", lines.join("<br>")));
        }
    }
    if let Some(comparison) = &report.comparison {
        text.push_str(&baseline(comparison));
    }
    text
}

fn baseline(comparison: &Comparison) -> String {
    let mut text = "\n### Against the baseline\n".to_owned();
    if !comparison.faults.is_empty() {
        text.push('\n');
    }
    for fault in &comparison.faults {
        text.push_str(&format!("- not compared: {}\n", escaped(fault)));
    }
    let (unchanged, changed): (Vec<&Difference>, Vec<&Difference>) =
        comparison.differences.iter().partition(|difference| difference.trend == Trend::Unchanged);
    if !changed.is_empty() {
        text.push_str(&format!("\n{}", table(&changed)));
    }
    if !unchanged.is_empty() {
        let count = unchanged.len();
        let table = table(&unchanged);
        text.push_str(&format!(
            "\n<details><summary>{count} unchanged</summary>\n\n{table}\n</details>\n"
        ));
    }
    text
}

fn table(differences: &[&Difference]) -> String {
    let mut text = "| | scenario | policy | metric | before | after | change | seeds |\n\
                    | --- | --- | --- | --- | ---: | ---: | ---: | --- |\n"
        .to_owned();
    for difference in differences {
        let Difference { trend, scenario, policy, metric, .. } = difference;
        let word = match trend {
            Trend::Regressed => "**regressed**",
            other => other.as_str(),
        };
        let [scenario, policy, metric] = [scenario, policy, *metric].map(escaped);
        let cells = cells(difference).map(|cell| escaped(&cell)).join(" | ");
        text.push_str(&format!("| {word} | {scenario} | {policy} | {metric} | {cells} |\n"));
    }
    text
}

/// A text in which nothing is markup.
fn escaped(text: &str) -> String {
    let mut result = String::new();
    for c in text.chars() {
        match c {
            '<' => result.push_str("&lt;"),
            '>' => result.push_str("&gt;"),
            '&' => result.push_str("&amp;"),
            '\n' | '\r' => result.push(' '),
            '\\' | '|' | '*' | '_' | '`' | '[' | ']' | '#' | '~' => result.extend(['\\', c]),
            c => result.push(c),
        }
    }
    result
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_no_markup() {
        assert_eq!(super::escaped("a|b *c* <d>\n"), "a\\|b \\*c\\* &lt;d&gt; ");
    }
}
