//! Published results beside what was measured: a table for the terminal, CSV
//! tables, and a page to read.

use super::files::NamedBytes;
use super::plot::{self, ClaimPanel, ClaimPlot, ClaimRow, Format, PlotError};
use super::tables::Table;
use super::terminal::{Grid, count};
use crate::experiment::reproduce::{Claim, Expected, Finding, Outcome, Source, Test, Verdict};

/// A number with four significant digits, or all of those before its point.
fn short(value: f64) -> String {
    if value == 0.0 || !value.is_finite() {
        // Adding 0 turns -0 into 0.
        return (value + 0.0).to_string();
    }
    let text = format!("{value:.3e}");
    let exponent = text.split_once('e').and_then(|(_, exponent)| exponent.parse::<i32>().ok());
    let places = (3 - exponent.unwrap_or(0)).clamp(0, 12) as usize;
    let text = format!("{value:.places$}");
    match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// What a figure must be, for people.
fn expected(expected: Expected) -> String {
    match expected {
        Expected::Near { published, .. } => short(published),
        Expected::Shown => String::new(),
        Expected::Between { low, high } if high == f64::INFINITY => {
            format!("at least {}", short(low))
        }
        Expected::Between { low, high } if low == f64::NEG_INFINITY => {
            format!("at most {}", short(high))
        }
        Expected::Between { low, high } => format!("{} to {}", short(low), short(high)),
    }
}

/// How far from it a mean may be.
fn tolerance(expected: Expected) -> String {
    match expected {
        Expected::Near { within, deviations, .. } if deviations > 0.0 => {
            format!("±{}, or {} deviations", short(within), short(deviations))
        }
        Expected::Near { within: 0.0, .. } => "exact".to_owned(),
        Expected::Near { within, .. } => format!("±{}", short(within)),
        Expected::Shown | Expected::Between { .. } => String::new(),
    }
}

/// "mean ±deviation" of a finding.
fn measured(finding: &Finding) -> String {
    match finding.deviation {
        Some(deviation) if deviation > 0.0 => {
            format!("{} ±{}", short(finding.mean), short(deviation))
        }
        _ => short(finding.mean),
    }
}

/// The lines of a count of verdicts: those that occur.
fn tally(outcomes: &[Outcome]) -> String {
    let of = |verdict: Verdict| outcomes.iter().filter(|o| o.verdict == verdict).count();
    let counts = Verdict::ALL.map(|verdict| (of(verdict), verdict.as_str()));
    let named = counts.iter().filter(|(count, _)| *count > 0);
    let parts: Vec<String> = named.map(|(count, verdict)| format!("{count} {verdict}")).collect();
    format!("{}: {}", count(outcomes.len(), "claim"), parts.join(", "))
}

/// The claims whose verdict is not the one on record, with both; empty if all
/// are as recorded.
pub fn differences(outcomes: &[Outcome]) -> Vec<String> {
    outcomes
        .iter()
        .filter(|outcome| !outcome.is_as_recorded())
        .map(|outcome| {
            let figures = outcome.findings.iter().map(|finding| {
                let Finding { figure, verdict, .. } = finding;
                let expected = expected(figure.expected);
                format!(
                    "\n    {}: {expected}; measured {}: {}",
                    figure.name,
                    measured(finding),
                    verdict.as_str()
                )
            });
            format!(
                "{}: {}, but {} is on record{}",
                outcome.claim.id,
                outcome.verdict.as_str(),
                outcome.claim.recorded.as_str(),
                figures.collect::<String>(),
            )
        })
        .collect()
}

/// The claims as a list: id, document, what is claimed.
pub fn claim_list(claims: &[&Claim]) -> String {
    let width = claims.iter().map(|claim| claim.id.len()).max().unwrap_or(0);
    let line = |claim: &&Claim| {
        format!(
            "{:width$}  {}  {}  {}\n",
            claim.id,
            claim.source.as_str(),
            claim.recorded.as_str(),
            claim.text
        )
    };
    claims.iter().map(line).collect()
}

/// The verdicts for the terminal.
pub fn verdict_table(outcomes: &[Outcome]) -> String {
    let mut grid = Grid::new(["claim", "expected", "measured", "verdict"]);
    for outcome in outcomes {
        let (expected, measured) = match outcome.deciding() {
            Some(finding) => (expected(finding.figure.expected), measured(finding)),
            None => Default::default(),
        };
        let id = outcome.claim.id.to_owned();
        grid.row(vec![id, expected, measured, outcome.verdict.as_str().to_owned()]);
    }
    format!("{}\n{}\n", grid.render(), tally(outcomes))
}

/// The files of a reproduction, without its plots: `claims.csv` with a row a
/// claim and the figure that decides it, `figures.csv` with a row a figure, and
/// `claims.md`.
pub fn reproduction(outcomes: &[Outcome]) -> Vec<NamedBytes> {
    vec![
        ("claims.csv".to_owned(), claims_csv(outcomes)),
        ("figures.csv".to_owned(), figures_csv(outcomes)),
        ("claims.md".to_owned(), page(outcomes).into_bytes()),
    ]
}

fn claims_csv(outcomes: &[Outcome]) -> Vec<u8> {
    let mut table = Table::new(&[
        "id",
        "source",
        "subject",
        "claim",
        "published",
        "figure",
        "unit",
        "expected",
        "measured",
        "spread",
        "samples",
        "tolerance",
        "reason",
        "verdict",
        "recorded",
        "basis",
        "headline",
        "experiment",
        "needs",
        "note",
    ]);
    for outcome in outcomes {
        let claim = outcome.claim;
        let decides = outcome.deciding();
        let (experiment, needs) = match claim.test {
            Test::Run { method, .. } => (method, ""),
            Test::NotModelledYet { needs } => ("", needs),
        };
        table.row(&[
            &claim.id,
            &claim.source.as_str(),
            &claim.source.subject(),
            &claim.text,
            &claim.published,
            &decides.map(|finding| finding.figure.name),
            &decides.map(|finding| finding.figure.unit),
            &decides.map(|finding| expected(finding.figure.expected)),
            &decides.map(|finding| finding.mean),
            &decides.and_then(|finding| finding.deviation),
            &decides.map(|finding| finding.values.len()),
            &decides.map(|finding| tolerance(finding.figure.expected)),
            &decides.map(|finding| finding.figure.reason),
            &outcome.verdict.as_str(),
            &claim.recorded.as_str(),
            &claim.basis.as_str(),
            &claim.headline.to_string(),
            &experiment,
            &needs,
            &claim.note,
        ]);
    }
    table.bytes()
}

fn figures_csv(outcomes: &[Outcome]) -> Vec<u8> {
    let mut table = Table::new(&[
        "id",
        "figure",
        "unit",
        "expected",
        "tolerance",
        "reason",
        "measured",
        "spread",
        "least",
        "largest",
        "samples",
        "verdict",
    ]);
    let findings = outcomes
        .iter()
        .flat_map(|outcome| outcome.findings.iter().map(|finding| (outcome.claim.id, finding)));
    for (id, finding) in findings {
        let Finding { figure, values, mean, deviation, verdict } = finding;
        let decides = figure.expected != Expected::Shown;
        table.row(&[
            &id,
            &figure.name,
            &figure.unit,
            &expected(figure.expected),
            &tolerance(figure.expected),
            &figure.reason,
            mean,
            deviation,
            &values.iter().copied().reduce(f64::min),
            &values.iter().copied().reduce(f64::max),
            &values.len(),
            &decides.then_some(verdict.as_str()),
        ]);
    }
    table.bytes()
}

/// A page to read: a table for each document, and the notes.
fn page(outcomes: &[Outcome]) -> String {
    let mut page = format!("# Published results\n\n{}.\n", tally(outcomes));
    for source in Source::ALL {
        let of_source: Vec<&Outcome> =
            outcomes.iter().filter(|outcome| outcome.claim.source == source).collect();
        if of_source.is_empty() {
            continue;
        }
        page += &format!("\n## {}: {}\n\n", source.as_str(), source.subject());
        page += "| claim | published | expected | measured | verdict |\n";
        page += "| --- | --- | --- | --- | --- |\n";
        for outcome in &of_source {
            let claim = outcome.claim;
            let (wanted, found) = match outcome.deciding() {
                Some(finding) => {
                    let wanted = expected(finding.figure.expected);
                    (wanted, format!("{} ({})", measured(finding), finding.figure.name))
                }
                None => Default::default(),
            };
            let cells = [
                format!("`{}` {}", claim.id, claim.text),
                claim.published.to_owned(),
                wanted,
                found,
                outcome.verdict.as_str().to_owned(),
            ];
            let cells = cells.map(|cell| cell.replace('|', "\\|"));
            page += &format!("| {} |\n", cells.join(" | "));
        }
        let notes: Vec<String> = of_source.iter().filter_map(|outcome| note(outcome)).collect();
        if !notes.is_empty() {
            page += &format!("\n{}\n", notes.join("\n"));
        }
    }
    page
}

/// What is said below the table about a claim.
fn note(outcome: &Outcome) -> Option<String> {
    let claim = outcome.claim;
    let text = match claim.test {
        Test::NotModelledYet { needs } => format!("Needs {needs}."),
        Test::Run { .. } => claim.note.to_owned(),
    };
    (!text.is_empty()).then(|| format!("- `{}`: {text}", claim.id))
}

/// A plot for each headline claim that was tested, as SVG and PNG.
///
/// # Errors
///
/// When a plot cannot be drawn.
pub fn claim_plots(outcomes: &[Outcome]) -> Result<Vec<NamedBytes>, PlotError> {
    let mut files = Vec::new();
    for outcome in outcomes.iter().filter(|outcome| outcome.claim.headline) {
        let drawn = plot_of(outcome);
        for (format, ending) in [(Format::Svg, "svg"), (Format::Png, "png")] {
            let name = format!("plots/{}.{ending}", outcome.claim.id);
            files.push((name, plot::claim(&drawn, format)?));
        }
    }
    Ok(files)
}

fn plot_of(outcome: &Outcome) -> ClaimPlot {
    let claim = outcome.claim;
    // Figures of one unit stand together wherever they are in the list.
    let mut panels: Vec<ClaimPanel> = Vec::new();
    for finding in &outcome.findings {
        let figure = finding.figure;
        let (published, allowed) = match figure.expected {
            Expected::Near { published, within, .. } => {
                (Some(published), Some((published - within, published + within)))
            }
            Expected::Between { low, high } => (None, Some((low, high))),
            Expected::Shown => (None, None),
        };
        let row = ClaimRow {
            name: figure.name.to_owned(),
            published,
            allowed,
            values: finding.values.clone(),
        };
        match panels.iter_mut().find(|panel| panel.unit == figure.unit) {
            Some(panel) => panel.rows.push(row),
            None => panels.push(ClaimPanel { unit: figure.unit.to_owned(), rows: vec![row] }),
        }
    }
    ClaimPlot {
        title: claim.text.to_owned(),
        subtitle: format!(
            "{}: published {}; {}",
            claim.source.subject(),
            claim.published,
            outcome.verdict.as_str()
        ),
        panels,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::experiment::reproduce::{Basis, Figure, ReproduceOptions, reproduce_claims};

    static FIGURES: [Figure; 1] = [Figure {
        name: "share",
        unit: "share",
        expected: Expected::Near { published: 0.8, within: 0.01, deviations: 0.0 },
        reason: "test",
    }];

    /// A claim whose experiment no longer gives what it gave when its verdict was
    /// recorded.
    static DRIFTED: Claim = Claim {
        id: "fake",
        source: Source::HashSharding,
        text: "A share of 80 %.",
        published: "80 %",
        basis: Basis::Observation,
        test: Test::Run {
            method: "none",
            figures: &FIGURES,
            measure: |_| Ok(vec![vec![0.7, 0.72]]),
        },
        recorded: Verdict::Reproduced,
        note: "",
        headline: true,
    };

    #[test]
    fn a_drift_is_a_difference() {
        let options = ReproduceOptions::default();
        let outcomes = reproduce_claims(&[&DRIFTED], &options).unwrap();
        let differences = differences(&outcomes);
        assert_eq!(differences.len(), 1);
        assert_eq!(
            differences[0],
            "fake: not reproduced, but reproduced is on record\n    \
             share: 0.8; measured 0.71 ±0.01414: not reproduced"
        );
        assert_eq!(claim_plots(&outcomes).unwrap().len(), 2);
    }

    #[test]
    fn four_digits_are_shown() {
        for (value, text) in [
            (2.385_67, "2.386"),
            (0.000_123_456, "0.0001235"),
            (11_574.07, "11574"),
            (0.5, "0.5"),
            (0.0, "0"),
            (-3.0, "-3"),
            (f64::NAN, "NaN"),
            (999_999.9, "1000000"),
        ] {
            assert_eq!(short(value), text);
        }
    }
}
