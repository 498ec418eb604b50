//! What the rows of a sweep come to.

use super::rows::{PointRows, metric};
use crate::experiment::Summary;
use crate::metrics::{Front, Spread, Statistics, front, values_needed};

/// Statistics of one policy at one point, over seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct PolicySpreads {
    /// Position of the point among the rows.
    pub at: usize,
    /// Position of the policy at the point.
    pub policy: usize,
    /// By metric; `None` where it never applies.
    pub spreads: [Option<Spread>; Summary::METRICS.len()],
}

/// A paired difference: the first policy's metric minus the other's, under the
/// same seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// Position of the point among the rows.
    pub at: usize,
    /// The first policy.
    pub policy: usize,
    /// The other.
    pub other: usize,
    /// Place in [`Summary::METRICS`].
    pub metric: usize,
    /// The differences.
    pub spread: Spread,
}

/// Everything that tables and plots show.
#[derive(Clone, Debug, PartialEq)]
pub struct Analysis {
    /// By point and policy.
    pub policies: Vec<PolicySpreads>,
    /// By point, pair and metric.
    pub differences: Vec<Difference>,
    /// The front of (moves, hot_ratio_mean) by their means, in positions of
    /// `policies`.
    pub front: Front,
}

/// Fewer seeds than this are too few for any interval. *Choice*.
pub const FEW_SEEDS: usize = 10;

/// The two metrics of the front.
pub const FRONT: [&str; 2] = ["moves", "hot_ratio_mean"];

/// The statistics of each metric in `points.csv`.
pub const STATISTICS: [&str; 7] = ["mean", "se", "ci_low", "ci_high", "median", "min", "max"];

/// The columns of `points.csv` that hold them: `METRIC_STATISTIC`.
pub fn statistics_columns() -> impl Iterator<Item = String> {
    let of = |metric: &'static str| STATISTICS.iter().map(move |s| format!("{metric}_{s}"));
    Summary::METRICS.into_iter().flat_map(of)
}

/// The columns of all tables, which no axis may be named like.
pub(super) fn own_columns() -> Vec<String> {
    const OWN: [&str; 13] = [
        "point",
        "scenario",
        "policy",
        "seed",
        "digest",
        "seeds",
        "front",
        "other",
        "metric",
        "difference",
        "se",
        "ci_low",
        "ci_high",
    ];
    let fixed = OWN.into_iter().chain(["differs"]).chain(Summary::METRICS).map(str::to_owned);
    fixed.chain(statistics_columns()).collect()
}

impl Analysis {
    /// Statistics of all rows. O(rows x log(seeds)).
    pub fn of(rows: &[PointRows]) -> Self {
        let mut statistics = Statistics::default();
        let mut policies = Vec::new();
        let mut differences = Vec::new();
        for (at, point) in rows.iter().enumerate() {
            for policy in 0..point.policies.len() {
                let spreads =
                    std::array::from_fn(|metric| statistics.of(point.values(policy, metric)));
                policies.push(PolicySpreads { at, policy, spreads });
            }
            for policy in 0..point.policies.len() {
                for other in policy + 1..point.policies.len() {
                    for metric in 0..Summary::METRICS.len() {
                        let values = point.differences((policy, other), metric);
                        if let Some(spread) = statistics.of(values) {
                            differences.push(Difference { at, policy, other, metric, spread });
                        }
                    }
                }
            }
        }
        let mean = |policy: &PolicySpreads, name| {
            let spread = metric(name).and_then(|metric| policy.spreads[metric].as_ref());
            spread.map_or(f64::NAN, |spread| spread.mean)
        };
        let [moves, hot_ratio] = FRONT;
        let means: Vec<(f64, f64)> =
            policies.iter().map(|policy| (mean(policy, moves), mean(policy, hot_ratio))).collect();
        Self { policies, differences, front: front(&means) }
    }
}

/// Warnings about replications that are too few for the intervals.
pub fn warnings(rows: &[PointRows], seeds: usize) -> Vec<String> {
    let mut warnings = Vec::new();
    if seeds == 1 {
        return vec!["1 seed gives no interval; ask for more `replications`".to_owned()];
    }
    if seeds < FEW_SEEDS {
        warnings.push(format!(
            "{seeds} seeds are few for intervals of 95 %; ask for {FEW_SEEDS} `replications` or more"
        ));
    }
    for name in FRONT {
        let Some(metric) = metric(name) else { continue };
        let needed = rows.iter().flat_map(|point| {
            (0..point.policies.len()).map(|policy| values_needed(&point.values(policy, metric)))
        });
        let needed: Vec<f64> = needed.collect();
        let short = needed.iter().filter(|needed| **needed > seeds as f64).count();
        if short > 0 {
            let most = needed.iter().copied().fold(0.0, f64::max).ceil();
            warnings.push(format!(
                "`{name}` is so skewed that {seeds} seeds are too few for its interval in {short} of \
                 {} rows of points.csv; the worst asks for {most} `replications`",
                needed.len()
            ));
        }
    }
    warnings
}
