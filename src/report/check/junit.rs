//! Checks as JUnit XML: a suite for each scenario and one for the baseline, a
//! case for each check and each metric. There are no times in it, so that the
//! same run gives the same bytes.

use std::io;

use quick_xml::Writer;
use quick_xml::events::{BytesDecl, BytesText, Event};

use crate::experiment::{Comparison, Trend};

use super::CheckReport;
use super::wording::{line, measured, message, title};

struct Case {
    name: String,
    class: String,
    failure: Option<Failure>,
}

struct Failure {
    kind: &'static str,
    /// In a line.
    summary: String,
    text: String,
}

/// The document.
pub fn checks_junit(report: &CheckReport) -> Vec<u8> {
    let mut suites: Vec<(String, Vec<Case>)> = report
        .scenarios
        .iter()
        .filter(|scenario| !scenario.checks.is_empty())
        .map(|scenario| {
            let case = |checked: &crate::experiment::Checked| Case {
                name: title(checked).to_owned(),
                class: scenario.name.clone(),
                failure: (!checked.passed()).then(|| Failure {
                    kind: checked.verdict.as_str(),
                    summary: measured(checked),
                    text: format!(
                        "{}\n{}",
                        place(&scenario.file, checked.check.line),
                        message(checked)
                    ),
                }),
            };
            (scenario.name.clone(), scenario.checks.iter().map(case).collect())
        })
        .collect();
    suites.extend(report.comparison.as_ref().map(|all| ("baseline".to_owned(), baseline(all))));
    let mut writer = Writer::new_with_indent(Vec::new(), b' ', 2);
    // Writing to memory does not fail.
    let written = write(&mut writer, &suites);
    debug_assert!(written.is_ok());
    let mut bytes = writer.into_inner();
    bytes.push(b'\n');
    bytes
}

fn place(file: &str, line: Option<usize>) -> String {
    match line {
        Some(line) => format!("{file}, line {line}"),
        None => file.to_owned(),
    }
}

fn baseline(comparison: &Comparison) -> Vec<Case> {
    let faults = comparison.faults.iter().map(|fault| Case {
        name: fault.clone(),
        class: "baseline".to_owned(),
        failure: Some(Failure {
            kind: "not-compared",
            summary: fault.clone(),
            text: fault.clone(),
        }),
    });
    let differences = comparison.differences.iter().map(|difference| Case {
        name: format!("{} of {}", difference.metric, difference.policy),
        class: difference.scenario.clone(),
        failure: (difference.trend == Trend::Regressed).then(|| {
            let text = line(difference);
            Failure { kind: difference.trend.as_str(), summary: text.clone(), text }
        }),
    });
    faults.chain(differences).collect()
}

/// A text without the characters that XML cannot hold.
fn clean(text: &str) -> String {
    let is_allowed = |c: char| !c.is_control() || "\n\t".contains(c);
    let is_character = |c: char| is_allowed(c) && !('\u{fffe}'..='\u{ffff}').contains(&c);
    text.chars().map(|c| if is_character(c) { c } else { '\u{fffd}' }).collect()
}

fn write(writer: &mut Writer<Vec<u8>>, suites: &[(String, Vec<Case>)]) -> io::Result<()> {
    let failed = |cases: &[Case]| cases.iter().filter(|case| case.failure.is_some()).count();
    let tests: usize = suites.iter().map(|(_, cases)| cases.len()).sum();
    let failures: usize = suites.iter().map(|(_, cases)| failed(cases)).sum();
    let numbers = |tests: usize, failures: usize| {
        [("tests", tests), ("failures", failures), ("errors", 0)]
            .map(|(key, number)| (key, number.to_string()))
    };
    writer.write_event(Event::Decl(BytesDecl::new("1.0", Some("UTF-8"), None)))?;
    let mut root = writer.create_element("testsuites").with_attribute(("name", "evenkeel check"));
    for (key, number) in &numbers(tests, failures) {
        root = root.with_attribute((*key, number.as_str()));
    }
    root.write_inner_content(|writer| {
        for (name, cases) in suites {
            let name = clean(name);
            let mut suite =
                writer.create_element("testsuite").with_attribute(("name", name.as_str()));
            for (key, number) in &numbers(cases.len(), failed(cases)) {
                suite = suite.with_attribute((*key, number.as_str()));
            }
            suite.write_inner_content(|writer| {
                cases.iter().try_for_each(|case| write_case(writer, case))
            })?;
        }
        Ok(())
    })?;
    Ok(())
}

fn write_case(writer: &mut Writer<Vec<u8>>, case: &Case) -> io::Result<()> {
    let (name, class) = (clean(&case.name), clean(&case.class));
    let element = writer
        .create_element("testcase")
        .with_attribute(("name", name.as_str()))
        .with_attribute(("classname", class.as_str()));
    match &case.failure {
        None => element.write_empty()?,
        Some(failure) => element.write_inner_content(|writer| {
            let (summary, text) = (clean(&failure.summary), clean(&failure.text));
            writer
                .create_element("failure")
                .with_attribute(("type", failure.kind))
                .with_attribute(("message", summary.as_str()))
                .write_text_content(BytesText::new(&text))?;
            Ok(())
        })?,
    };
    Ok(())
}
