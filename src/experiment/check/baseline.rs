//! Runs compared with those of a stored `summary.csv`, paired by seed.

use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::path::Path;

use crate::experiment::lane::Summary;
use crate::experiment::run::RunResult;
use crate::metrics::Statistics;
use crate::model::{CsvFile, InputError};
use crate::scenario::{Metric, Scenario};

/// Differences up to this, in units of the metric, are rounding.
pub const EXACT: f64 = 1e-9;

/// Numbers of a row of `summary.csv`; NaN for an empty cell.
type Values = [f64; Summary::METRICS.len()];

/// One policy under one seed.
#[derive(Clone, Debug, PartialEq)]
pub struct SummaryRow {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the policy.
    pub policy: String,
    /// The seed.
    pub seed: u64,
    /// The columns named in [`Summary::METRICS`].
    pub values: [f64; Summary::METRICS.len()],
}

/// The rows of one or more runs.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summaries {
    /// In order.
    pub rows: Vec<SummaryRow>,
}

impl Summaries {
    /// Adds the rows of a run.
    pub fn add(&mut self, scenario: &Scenario, result: &RunResult) {
        self.rows.extend(result.lanes.iter().map(|lane| SummaryRow {
            scenario: scenario.run.name.clone(),
            policy: scenario.policies[lane.policy].name.clone(),
            seed: lane.seed,
            values: lane.summary.values(),
        }));
    }

    /// Reads a `summary.csv`.
    ///
    /// # Errors
    ///
    /// When the file cannot be read, lacks a column, or holds a cell that is no
    /// number, or two rows for one seed.
    pub fn read(path: &Path) -> Result<Self, InputError> {
        let file = CsvFile::open(path)?;
        let column = |name: &str| {
            file.column(name).ok_or_else(|| InputError::line(path, 1, file.lacks(name)))
        };
        let names = [column("scenario")?, column("policy")?, column("seed")?];
        let columns: Vec<usize> =
            Summary::METRICS.into_iter().map(column).collect::<Result<_, _>>()?;
        let mut rows = Vec::new();
        let mut lines = BTreeMap::new();
        for row in file.rows(false) {
            let row = row?;
            let [scenario, policy, seed] = names.map(|column| row.text(column));
            let no_number = |column: &str, text: &str| {
                InputError::cell(path, row.line, column, format!("`{text}` is not a number"))
            };
            let seed = seed.parse().map_err(|_| no_number("seed", seed))?;
            let mut values = [f64::NAN; Summary::METRICS.len()];
            for (value, (name, column)) in
                values.iter_mut().zip(Summary::METRICS.iter().zip(&columns))
            {
                let text = row.text(*column);
                if !text.is_empty() {
                    let number: f64 = text.parse().map_err(|_| no_number(name, text))?;
                    *value = Some(number)
                        .filter(|n| n.is_finite())
                        .ok_or_else(|| no_number(name, text))?;
                }
            }
            let key = (scenario.to_owned(), policy.to_owned(), seed);
            if let Some(first) = lines.insert(key, row.line) {
                let message = format!("the same scenario, policy and seed as in line {first}");
                return Err(InputError::line(path, row.line, message));
            }
            rows.push(SummaryRow {
                scenario: scenario.to_owned(),
                policy: policy.to_owned(),
                seed,
                values,
            });
        }
        match rows.is_empty() {
            true => Err(InputError::file(path, "has no rows")),
            false => Ok(Self { rows }),
        }
    }

    /// Scenarios with their policies, in order of appearance, and the rows of
    /// each by seed.
    fn groups(&self) -> Vec<(Key<'_>, BTreeMap<u64, &Values>)> {
        let mut groups: Vec<(Key<'_>, BTreeMap<u64, &Values>)> = Vec::new();
        let mut places = BTreeMap::new();
        for row in &self.rows {
            let key = (row.scenario.as_str(), row.policy.as_str());
            let place = *places.entry(key).or_insert_with(|| {
                groups.push((key, BTreeMap::new()));
                groups.len() - 1
            });
            groups[place].1.insert(row.seed, &row.values);
        }
        groups
    }
}

/// A scenario and a policy.
type Key<'a> = (&'a str, &'a str);

/// How much worse or better counts as the same, as a share of the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Tolerances {
    shares: [f64; Summary::METRICS.len()],
}

impl Default for Tolerances {
    fn default() -> Self {
        Self { shares: [Self::DEFAULT; Summary::METRICS.len()] }
    }
}

impl Tolerances {
    /// 1 %.
    pub const DEFAULT: f64 = 0.01;

    /// The metrics that have one: the numbers of `summary.csv`.
    pub const METRICS: [&'static str; Summary::METRICS.len()] = Summary::METRICS;

    /// Sets that of all metrics.
    pub fn set_all(&mut self, share: f64) {
        self.shares.fill(share);
    }

    /// Sets that of one metric. False if there is none of that name.
    pub fn set(&mut self, metric: &str, share: f64) -> bool {
        let column = Summary::METRICS.iter().position(|name| *name == metric);
        column.map(|column| self.shares[column] = share).is_some()
    }
}

/// How a metric has changed. Of all that are compared, less is better.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Trend {
    /// Worse by more than the tolerance.
    Regressed,
    /// Better by more than the tolerance.
    Improved,
    /// Within the tolerance.
    Unchanged,
}

impl Trend {
    /// Every one, in the order of reports.
    pub const ALL: [Self; 3] = [Self::Regressed, Self::Improved, Self::Unchanged];

    /// The word for it in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Regressed => "regressed",
            Self::Improved => "improved",
            Self::Unchanged => "unchanged",
        }
    }
}

/// One metric of one policy, now and in the baseline.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Name of the scenario.
    pub scenario: String,
    /// Name of the policy.
    pub policy: String,
    /// The column of the summary.
    pub metric: &'static str,
    /// Mean over seeds in the baseline.
    pub before: f64,
    /// Mean over the same seeds now.
    pub after: f64,
    /// Mean of the differences by seed.
    pub change: f64,
    /// The change as a share of the baseline; infinite where that is 0.
    pub share: f64,
    /// 95 % interval of the change; `None` with a single seed.
    pub interval: Option<(f64, f64)>,
    /// Number of seeds.
    pub seeds: usize,
    /// How many of them became worse.
    pub worse: usize,
    /// How many became better.
    pub better: usize,
    /// What to make of it.
    pub trend: Trend,
}

/// Runs beside a baseline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Comparison {
    /// Regressed ones first, then improved, then unchanged ones; the largest
    /// share first.
    pub differences: Vec<Difference>,
    /// What could not be compared.
    pub faults: Vec<String>,
}

impl Comparison {
    /// Whether nothing became worse and all could be compared.
    pub fn passed(&self) -> bool {
        self.faults.is_empty() && self.count(Trend::Regressed) == 0
    }

    /// How many differences are of a trend.
    pub fn count(&self, trend: Trend) -> usize {
        self.differences.iter().filter(|difference| difference.trend == trend).count()
    }
}

/// Compares runs with a baseline. Whatever stands on one side alone is a fault.
pub fn compare(baseline: &Summaries, now: &Summaries, tolerances: &Tolerances) -> Comparison {
    let mut comparison = Comparison::default();
    let (before, after) = (baseline.groups(), now.groups());
    for (key, seeds) in &after {
        match before.iter().find(|(other, _)| other == key) {
            Some((_, old)) => compare_policy(*key, old, seeds, tolerances, &mut comparison),
            None => comparison.faults.push(format!("{}: not in the baseline", name(*key))),
        }
    }
    for (key, _) in &before {
        if !after.iter().any(|(other, _)| other == key) {
            comparison.faults.push(format!("{}: in the baseline, but was not run", name(*key)));
        }
    }
    comparison.differences.sort_by(|a, b| {
        let size = |difference: &Difference| difference.share.abs();
        a.trend.cmp(&b.trend).then(size(b).total_cmp(&size(a)))
    });
    comparison
}

fn name((scenario, policy): Key<'_>) -> String {
    format!("{scenario}, policy {policy}")
}

fn compare_policy(
    key: Key<'_>,
    before: &BTreeMap<u64, &Values>,
    after: &BTreeMap<u64, &Values>,
    tolerances: &Tolerances,
    comparison: &mut Comparison,
) {
    let only_in = |here: &BTreeMap<u64, &Values>, there: &BTreeMap<u64, &Values>| -> Vec<String> {
        here.keys().filter(|seed| !there.contains_key(seed)).map(u64::to_string).collect()
    };
    for (seeds, what) in [
        (only_in(after, before), "not in the baseline"),
        (only_in(before, after), "in the baseline, but not run"),
    ] {
        if !seeds.is_empty() {
            let seeds = seeds.join(", ");
            comparison.faults.push(format!("{}: seeds {what}: {seeds}", name(key)));
        }
    }
    let paired: Vec<(&Values, &Values)> =
        before.iter().filter_map(|(seed, old)| Some((*old, *after.get(seed)?))).collect();
    for (column, metric) in Summary::METRICS.into_iter().enumerate() {
        let values = paired.iter().map(|(old, new)| (old[column], new[column]));
        if values.clone().any(|(old, new)| old.is_nan() != new.is_nan()) {
            let message = format!("{}: {metric} is known on one side only", name(key));
            comparison.faults.push(message);
            continue;
        }
        let known: Vec<(f64, f64)> = values.filter(|(old, _)| !old.is_nan()).collect();
        let Some(difference) = difference(key, metric, &known, tolerances.shares[column]) else {
            continue;
        };
        // The floor is one of the loads, not of the policy.
        if metric != Metric::FloorMean.as_str() {
            comparison.differences.push(difference);
        } else if difference.change.abs() > EXACT {
            let Difference { before, after, .. } = difference;
            let message =
                format!("{}: other loads, floor_mean is {after} and was {before}", name(key));
            comparison.faults.push(message);
        }
    }
}

/// Values before and after, one pair a seed.
fn difference(
    (scenario, policy): Key<'_>,
    metric: &'static str,
    values: &[(f64, f64)],
    tolerance: f64,
) -> Option<Difference> {
    let mut statistics = Statistics::default();
    let before = statistics.of(values.iter().map(|(old, _)| *old).collect())?.mean;
    let after = statistics.of(values.iter().map(|(_, new)| *new).collect())?.mean;
    let changes: Vec<f64> = values.iter().map(|(old, new)| new - old).collect();
    let count = |beyond: fn(&f64) -> bool| changes.iter().filter(|change| beyond(change)).count();
    let (worse, better) = (count(|change| *change > EXACT), count(|change| *change < -EXACT));
    let spread = statistics.of(changes)?;
    let change = spread.mean;
    let share = if change == 0.0 { 0.0 } else { change / before.abs() };
    let trend = match change.partial_cmp(&0.0) {
        _ if change.abs() <= EXACT.max(tolerance * before.abs()) => Trend::Unchanged,
        Some(Ordering::Greater) => Trend::Regressed,
        _ => Trend::Improved,
    };
    Some(Difference {
        scenario: scenario.to_owned(),
        policy: policy.to_owned(),
        metric,
        before,
        after,
        change,
        share,
        interval: spread.precision.map(|precision| (precision.low, precision.high)),
        seeds: values.len(),
        worse,
        better,
        trend,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const MOVES: usize = 9;

    fn row(policy: &str, seed: u64, moves: f64) -> SummaryRow {
        let mut values = [1.0; Summary::METRICS.len()];
        values[MOVES] = moves;
        SummaryRow { scenario: "s".to_owned(), policy: policy.to_owned(), seed, values }
    }

    fn moves_of(before: &[f64], after: &[f64], tolerance: f64) -> Difference {
        let rows = |values: &[f64]| Summaries {
            rows: values.iter().zip(1..).map(|(moves, seed)| row("p", seed, *moves)).collect(),
        };
        let mut tolerances = Tolerances::default();
        assert!(tolerances.set("moves", tolerance));
        let comparison = compare(&rows(before), &rows(after), &tolerances);
        assert_eq!(comparison.faults, Vec::<String>::new());
        comparison.differences.into_iter().find(|d| d.metric == "moves").unwrap()
    }

    #[test]
    fn trends() {
        assert_eq!(Summary::METRICS[MOVES], "moves");
        let worse = moves_of(&[10.0, 20.0], &[12.0, 21.0], 0.05);
        assert_eq!((worse.before, worse.after, worse.change), (15.0, 16.5, 1.5));
        assert_eq!((worse.share, worse.worse, worse.better), (0.1, 2, 0));
        assert_eq!(worse.trend, Trend::Regressed);
        // t of one degree is 12.706; the error is 0.5.
        let (low, high) = worse.interval.unwrap();
        assert!((low + 4.853).abs() < 1e-3 && (high - 7.853).abs() < 1e-3);
        assert_eq!(moves_of(&[10.0, 20.0], &[12.0, 21.0], 0.1).trend, Trend::Unchanged);
        assert_eq!(moves_of(&[10.0, 20.0], &[8.0, 19.0], 0.05).trend, Trend::Improved);
        assert_eq!(moves_of(&[10.0], &[10.0 + 1e-12], 0.0).trend, Trend::Unchanged);
        let from_nothing = moves_of(&[0.0], &[1.0], 0.5);
        assert_eq!((from_nothing.share, from_nothing.trend), (f64::INFINITY, Trend::Regressed));
        assert_eq!(moves_of(&[0.0], &[0.0], 0.0).share, 0.0);
    }

    #[test]
    fn regressed_ones_come_first_and_the_largest_among_them() {
        let (mut before, mut after) = (Summaries::default(), Summaries::default());
        for (policy, old, new) in
            [("a", 100.0, 100.0), ("b", 100.0, 50.0), ("c", 100.0, 110.0), ("d", 100.0, 130.0)]
        {
            before.rows.push(row(policy, 1, old));
            after.rows.push(row(policy, 1, new));
        }
        let comparison = compare(&before, &after, &Tolerances::default());
        let order: Vec<&str> = comparison
            .differences
            .iter()
            .filter(|difference| difference.metric == "moves")
            .map(|difference| difference.policy.as_str())
            .collect();
        assert_eq!(order, ["d", "c", "b", "a"]);
        assert_eq!(Trend::ALL.map(|trend| comparison.count(trend)), [2, 1, 4 * 15 - 3]);
        assert!(!comparison.passed());
    }

    #[test]
    fn what_is_on_one_side_only_is_a_fault() {
        let rows = |rows: &[(&str, u64)]| Summaries {
            rows: rows.iter().map(|(policy, seed)| row(policy, *seed, 1.0)).collect(),
        };
        let before = rows(&[("a", 1), ("a", 2), ("gone", 1)]);
        let after = rows(&[("a", 2), ("a", 3), ("new", 1)]);
        let comparison = compare(&before, &after, &Tolerances::default());
        assert_eq!(
            comparison.faults,
            [
                "s, policy a: seeds not in the baseline: 3",
                "s, policy a: seeds in the baseline, but not run: 1",
                "s, policy new: not in the baseline",
                "s, policy gone: in the baseline, but was not run",
            ]
        );
        assert!(!comparison.passed());
        assert!(compare(&before, &before, &Tolerances::default()).passed());

        let mut unknown = before.clone();
        unknown.rows[0].values[MOVES] = f64::NAN;
        unknown.rows[1].values[5] = 2.0;
        let faults = compare(&before, &unknown, &Tolerances::default()).faults;
        assert_eq!(
            faults,
            [
                "s, policy a: other loads, floor_mean is 1.5 and was 1",
                "s, policy a: moves is known on one side only",
            ]
        );
        assert!(compare(&unknown, &unknown, &Tolerances::default()).passed());
    }
}
