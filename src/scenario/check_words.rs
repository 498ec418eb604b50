//! The words of checks: metrics, statistics, and what must hold over seeds.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::optimum;

/// Declares an enum whose variants are words in files.
macro_rules! words {
    (
        $(#[$meta:meta])*
        $name:ident { $( $(#[$doc:meta])* $word:literal => $variant:ident, )+ }
    ) => {
        $(#[$meta])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
        pub enum $name {
            $( $(#[$doc])* #[serde(rename = $word)] $variant, )+
        }

        impl $name {
            /// Every one, in the order of the documentation.
            pub const ALL: &'static [Self] = &[$(Self::$variant),+];

            /// The word used in files.
            pub fn as_str(self) -> &'static str {
                match self { $( Self::$variant => $word, )+ }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.as_str())
            }
        }
    };
}

words! {
    /// What is measured: a column of `timeseries.csv`, `optimum.csv` or
    /// `summary.csv`, whose units it has.
    Metric {
        /// The hottest host's utilisation over the fleet's.
        "hot_ratio" => HotRatio,
        /// Standard deviation of the hosts' utilisations over their mean.
        "cv" => Cv,
        /// The coldest host's utilisation over the fleet's.
        "min_ratio" => MinRatio,
        /// What no assignment can beat.
        "floor" => Floor,
        /// hot_ratio by the loads that the policy believes in.
        "believed_hot_ratio" => BelievedHotRatio,
        /// Moves so far; in the summary, of the whole run.
        "moves" => Moves,
        /// Load moved so far; in the summary, in the whole run.
        "moved_load" => MovedLoad,
        /// Live hosts.
        "hosts" => Hosts,
        /// The sum of squared utilisations around the fleet's.
        "square_ratio" => SquareRatio,
        /// The least hot_ratio known to be possible.
        "optimum" => Optimum,
        /// The least hot_ratio that is not proved impossible.
        "bound" => Bound,
        /// (optimum - bound) / bound.
        "gap" => Gap,
        /// hot_ratio / optimum - 1.
        "excess" => Excess,
        /// Moves from the policy's assignment to the optimum.
        "moves_to_optimum" => MovesToOptimum,
        /// Moves that the passes since the probe before had together.
        "budget" => Budget,
        /// The optimum within that budget.
        "budgeted_optimum" => BudgetedOptimum,
        /// The bound of that.
        "budgeted_bound" => BudgetedBound,
        /// The gap of the two.
        "budgeted_gap" => BudgetedGap,
        /// hot_ratio / budgeted_optimum - 1.
        "budgeted_excess" => BudgetedExcess,
        /// The least square_ratio known to be possible.
        "square_optimum" => SquareOptimum,
        /// The least square_ratio that is not proved impossible.
        "square_bound" => SquareBound,
        /// The gap of the two.
        "square_gap" => SquareGap,
        /// square_ratio / square_optimum - 1.
        "square_excess" => SquareExcess,
        /// Mean of hot_ratio over time.
        "hot_ratio_mean" => HotRatioMean,
        /// Median of hot_ratio over time.
        "hot_ratio_p50" => HotRatioP50,
        /// 99th percentile of hot_ratio over time.
        "hot_ratio_p99" => HotRatioP99,
        /// Largest hot_ratio, also between samples.
        "hot_ratio_max" => HotRatioMax,
        /// hot_ratio at the end.
        "hot_ratio_final" => HotRatioFinal,
        /// Mean of the floor over time.
        "floor_mean" => FloorMean,
        /// Mean of the optimum over the time for which it is known.
        "optimum_mean" => OptimumMean,
        /// Mean of the excess over that time.
        "excess_mean" => ExcessMean,
        /// Mean of cv over time.
        "cv_mean" => CvMean,
        /// The most moves of one shard.
        "moves_per_shard_max" => MovesPerShardMax,
        /// Shard-seconds without service.
        "unavailable_s" => UnavailableS,
        /// Mean of square_ratio over time.
        "square_ratio_mean" => SquareRatioMean,
        /// Mean of square_optimum over the time for which it is known.
        "square_optimum_mean" => SquareOptimumMean,
        /// Mean of square_excess over that time.
        "square_excess_mean" => SquareExcessMean,
    }
}

/// The rows that a metric over time is a column of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Those of `timeseries.csv`.
    Samples,
    /// Those of `optimum.csv` that compare by a metric of the optimum.
    Probes(optimum::Metric),
}

impl Metric {
    /// The table of its values over time; `None` for what has one value a seed.
    pub fn rows(self) -> Option<Rows> {
        use Metric::*;
        match self {
            HotRatio | Cv | MinRatio | Floor | BelievedHotRatio | Moves | MovedLoad | Hosts
            | SquareRatio => Some(Rows::Samples),
            Optimum | Bound | Gap | Excess | MovesToOptimum | Budget | BudgetedOptimum
            | BudgetedBound | BudgetedGap | BudgetedExcess => {
                Some(Rows::Probes(optimum::Metric::Max))
            }
            SquareOptimum | SquareBound | SquareGap | SquareExcess => {
                Some(Rows::Probes(optimum::Metric::Squares))
            }
            _ => None,
        }
    }

    /// The metric that is its optimum, where it has one.
    pub fn optimum(self) -> Option<Self> {
        match self {
            Self::HotRatio => Some(Self::Optimum),
            Self::SquareRatio => Some(Self::SquareOptimum),
            _ => None,
        }
    }

    /// Whether it is a column of the summary.
    pub fn is_summary(self) -> bool {
        matches!(self, Self::Moves | Self::MovedLoad) || self.rows().is_none()
    }
}

words! {
    /// What becomes of the values within a window.
    Statistic {
        /// Mean over time.
        "mean" => Mean,
        /// Smallest.
        "min" => Min,
        /// Largest.
        "max" => Max,
        /// The last.
        "final" => Final,
        /// The last less the first.
        "increase" => Increase,
        /// Median over time.
        "p50" => P50,
        /// 90th percentile over time.
        "p90" => P90,
        /// 95th percentile over time.
        "p95" => P95,
        /// 99th percentile over time.
        "p99" => P99,
    }
}

words! {
    /// Over which seeds a check must hold.
    #[derive(Default)]
    Seeds {
        /// For each one.
        #[default]
        "each" => Each,
        /// For their mean.
        "mean" => Mean,
        /// For the whole 95 % interval of their mean.
        "interval" => Interval,
    }
}
