//! The CSV files of a sweep. docs/formats.md describes every column.

use super::info::SweepInfo;
use crate::experiment::Summary;
use crate::experiment::sweep::{Analysis, PointRows, STATISTICS, statistics_columns};
use crate::metrics::Spread;
use crate::report::files::NamedBytes;
use crate::report::tables::{Cell, SummaryRow, Table, summary_columns};

/// Names of the files.
pub mod names {
    /// One row for each point, policy and seed.
    pub const SWEEP: &str = "sweep.csv";
    /// One row for each point and policy.
    pub const POINTS: &str = "points.csv";
    /// One row for each point, pair of policies and metric.
    pub const PAIRS: &str = "pairs.csv";
}

/// The tables of a sweep. A partition has `sweep.csv` alone: statistics over a
/// part of the seeds would mislead.
pub fn sweep_tables(
    info: &SweepInfo,
    rows: &[PointRows],
    analysis: Option<&Analysis>,
) -> Vec<NamedBytes> {
    let mut tables = vec![(names::SWEEP, sweep(info, rows))];
    if let Some(analysis) = analysis {
        tables.push((names::POINTS, points(info, rows, analysis)));
        tables.push((names::PAIRS, pairs(info, rows, analysis)));
    }
    tables.into_iter().map(|(name, table)| (name.to_owned(), table.bytes())).collect()
}

/// A header that begins with the point and the axes.
fn header(info: &SweepInfo, more: impl IntoIterator<Item = String>) -> Table {
    let axes = info.axes.iter().map(|axis| axis.name.clone());
    let columns: Vec<String> = ["point".to_owned()].into_iter().chain(axes).chain(more).collect();
    Table::new(&columns.iter().map(String::as_str).collect::<Vec<_>>())
}

fn place(point: &PointRows) -> Vec<String> {
    [point.point.to_string()].into_iter().chain(point.labels.iter().cloned()).collect()
}

fn sweep(info: &SweepInfo, rows: &[PointRows]) -> Table {
    let mut table = header(info, summary_columns().into_iter().map(str::to_owned));
    for point in rows {
        let place = place(point);
        for (policy, name) in point.policies.iter().enumerate() {
            for (lane, &seed) in point.of_policy(policy).iter().zip(&point.seeds) {
                let scenario = &info.scenario;
                let (values, digest) = (lane.values, lane.digest);
                let row = SummaryRow { scenario, policy: name, seed, values, digest };
                table.write(place.iter().cloned().chain(row.cells()));
            }
        }
    }
    table
}

fn statistics(spread: Option<&Spread>) -> [String; STATISTICS.len()] {
    let precision = spread.and_then(|spread| spread.precision);
    [
        spread.map(|spread| spread.mean).text(),
        precision.map(|precision| precision.standard_error).text(),
        precision.map(|precision| precision.low).text(),
        precision.map(|precision| precision.high).text(),
        spread.map(|spread| spread.median).text(),
        spread.map(|spread| spread.min).text(),
        spread.map(|spread| spread.max).text(),
    ]
}

fn points(info: &SweepInfo, rows: &[PointRows], analysis: &Analysis) -> Table {
    let own = ["policy", "seeds", "front"].map(str::to_owned);
    let mut table = header(info, own.into_iter().chain(statistics_columns()));
    let front = &analysis.front;
    let mut place_on_front = vec![""; analysis.policies.len()];
    for (place, member) in front.members.iter().enumerate() {
        place_on_front[*member] = if front.knee == Some(place) { "knee" } else { "front" };
    }
    for (policy, on_front) in analysis.policies.iter().zip(place_on_front) {
        let point = &rows[policy.at];
        let own = [
            point.policies[policy.policy].clone(),
            point.seeds.len().to_string(),
            on_front.to_owned(),
        ];
        let spreads = policy.spreads.iter().flat_map(|spread| statistics(spread.as_ref()));
        table.write(place(point).into_iter().chain(own).chain(spreads));
    }
    table
}

fn pairs(info: &SweepInfo, rows: &[PointRows], analysis: &Analysis) -> Table {
    let own = ["policy", "other", "metric", "seeds", "difference", "se", "ci_low", "ci_high"];
    let mut table = header(info, own.into_iter().chain(["differs"]).map(str::to_owned));
    for difference in &analysis.differences {
        let point = &rows[difference.at];
        let spread = &difference.spread;
        let [mean, error, low, high, ..] = statistics(Some(spread));
        let differs = spread.precision.map(|precision| precision.excludes_zero().to_string());
        let own = [
            point.policies[difference.policy].clone(),
            point.policies[difference.other].clone(),
            Summary::METRICS[difference.metric].to_owned(),
            spread.count.to_string(),
            mean,
            error,
            low,
            high,
            differs.text(),
        ];
        table.write(place(point).into_iter().chain(own));
    }
    table
}
