//! The tail of queries that ask many shards and wait for the slowest.
//!
//! The latency of a shard has a distribution F. Of its slowness a share s has a
//! cause that all shards have in common (0: they are independent, 1: they are
//! all as slow as each other): with p = 1 - F(t), the common cause exceeds t
//! with probability s p, and each shard by itself with p (1 - s) / (1 - s p), so
//! that the latency of one shard, the larger of both, still has the
//! distribution F. A query to n shards takes the largest of all.

use crate::model::SettingError;
use crate::random::{Purpose, Stream};
use crate::workload::normal_quantile;

/// The latency of one shard, in any unit of time.
#[derive(Clone, Debug, PartialEq)]
pub enum Latency {
    /// Exponential with this mean.
    Exponential {
        /// The mean.
        mean: f64,
    },
    /// The logarithm is normal.
    Lognormal {
        /// The median.
        median: f64,
        /// Standard deviation of the logarithm.
        sigma: f64,
    },
    /// Measured latencies, in ascending order: each is as likely.
    Measured(Vec<f64>),
}

impl Latency {
    /// Whether the distribution can be computed with.
    ///
    /// # Errors
    ///
    /// When a parameter is out of range, or nothing was measured.
    pub fn check(&self) -> Result<(), SettingError> {
        match self {
            Self::Exponential { mean } => SettingError::require_capacity("mean", *mean),
            Self::Lognormal { median, sigma } => {
                SettingError::require_capacity("median", *median)?;
                SettingError::require_at_least("sigma", *sigma, 0.0)?;
                SettingError::require_at_most("sigma", *sigma, 5.0)
            }
            Self::Measured(values) if values.is_empty() => {
                Err(SettingError::new("latency", "has no values"))
            }
            Self::Measured(values) => {
                values.iter().try_for_each(|&value| SettingError::require_load("latency", value))
            }
        }
    }

    /// The latency that is exceeded with probability `tail`, between 0 and 1
    /// without both. By inversion; of measured ones, the least value with at
    /// most that share above it.
    pub fn exceeded_with(&self, tail: f64) -> f64 {
        match self {
            Self::Exponential { mean } => -mean * libm::log(tail),
            Self::Lognormal { median, sigma } => median * libm::exp(-sigma * normal_quantile(tail)),
            Self::Measured(values) => {
                let above = (tail * values.len() as f64).floor() as usize;
                let last = values.len().saturating_sub(1);
                values.get(last.saturating_sub(above)).copied().unwrap_or(f64::NAN)
            }
        }
    }
}

/// A query that asks many shards.
#[derive(Clone, Debug, PartialEq)]
pub struct FanOut {
    /// How many shards it asks; at least 1.
    pub shards: u32,
    /// The share of slowness that shards have in common, from 0 to 1.
    pub common: f64,
}

impl FanOut {
    /// The probability that a query exceeds what one shard exceeds with
    /// probability `slow`: 1 - (1 - s p) (1 - p')^n with p' as above. Without
    /// a common cause that is 1 - (1 - p)^n.
    pub fn tail(&self, slow: f64) -> f64 {
        let common = self.common * slow;
        let own = slow * (1.0 - self.common) / (1.0 - common);
        // By logarithms, so that small tails keep their digits.
        let none = libm::log1p(-common) + f64::from(self.shards) * libm::log1p(-own);
        -libm::expm1(none)
    }

    /// The probability `slow` for which [`tail`](Self::tail) is `tail`, by
    /// bisection to the last bit.
    pub fn slow_of(&self, tail: f64) -> f64 {
        let (mut low, mut high) = (0.0, 1.0);
        loop {
            let middle = f64::midpoint(low, high);
            if middle <= low || middle >= high {
                return middle;
            }
            if self.tail(middle) < tail {
                low = middle;
            } else {
                high = middle;
            }
        }
    }

    /// The latency that a query exceeds with probability `tail`.
    pub fn exceeded_with(&self, latency: &Latency, tail: f64) -> f64 {
        latency.exceeded_with(self.slow_of(tail))
    }

    /// Draws queries, each as the probability with which one shard exceeds
    /// its latency, in ascending order: the slowest query comes first.
    /// O(queries x shards).
    pub fn simulate(&self, queries: usize, seed: u64) -> Vec<f64> {
        let mut drawn: Vec<f64> = (0..queries as u64)
            .map(|query| {
                let mut stream = Stream::new(seed, Purpose::FanOut, query);
                let common = stream.next_uniform();
                let mut least = if common < self.common { common / self.common } else { 1.0 };
                for _ in 0..self.shards {
                    // The inverse of p' as a function of p.
                    let own = stream.next_uniform();
                    least = least.min(own / (1.0 - self.common + self.common * own));
                }
                least
            })
            .collect();
        drawn.sort_by(f64::total_cmp);
        drawn
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fan_out(shards: u32, common: f64) -> FanOut {
        FanOut { shards, common }
    }

    /// Ledger hs-fanout-275 and hs-fanout-8-128.
    #[test]
    fn published_tails() {
        for (shards, common, tail) in [
            (32, 0.0, 0.275_02),
            (8, 0.0, 0.077_255),
            (128, 0.0, 0.723_74),
            (32, 0.5, 0.153_1),
            (32, 1.0, 0.01),
            (1, 0.3, 0.01),
        ] {
            let computed = fan_out(shards, common).tail(0.01);
            assert!((computed - tail).abs() < 1e-4, "{shards}, {common}: {computed}");
        }
        // For 1 % of the queries each of 32 shards may be slow on 0.0314 %.
        assert!((fan_out(32, 0.0).slow_of(0.01) - 0.000_314).abs() < 1e-6);
    }

    #[test]
    fn the_simulation_agrees_with_the_formula() {
        for common in [0.0, 0.3, 1.0] {
            let query = fan_out(32, common);
            let drawn = query.simulate(20_000, 7);
            for slow in [0.001, 0.01, 0.1] {
                let share = drawn.iter().filter(|p| **p < slow).count() as f64 / 20_000.0;
                let exact = query.tail(slow);
                let deviation = (exact * (1.0 - exact) / 20_000.0).sqrt();
                assert!((share - exact).abs() < 4.0 * deviation, "{common}, {slow}: {share}");
            }
        }
    }

    /// The median of the largest of n exponentials is -ln(1 - 2^(-1/n)).
    #[test]
    fn known_quantiles() {
        let exponential = Latency::Exponential { mean: 1.0 };
        for shards in [1, 5, 100] {
            let median = fan_out(shards, 0.0).exceeded_with(&exponential, 0.5);
            let exact = -libm::log1p(-libm::pow(0.5, 1.0 / f64::from(shards)));
            assert!((median - exact).abs() < 1e-12 * exact.max(1.0), "{shards}: {median}");
        }
        let lognormal = Latency::Lognormal { median: 10.0, sigma: 0.5 };
        assert_eq!(lognormal.exceeded_with(0.5), 10.0);
        assert!(
            (lognormal.exceeded_with(0.01) - 10.0 * libm::exp(0.5 * 2.326_347_874)).abs() < 1e-6
        );
        let measured = Latency::Measured(vec![1.0, 2.0, 3.0, 4.0]);
        assert_eq!(
            [0.1, 0.25, 0.6, 0.99].map(|tail| measured.exceeded_with(tail)),
            [4.0, 3.0, 2.0, 1.0]
        );
    }

    #[test]
    fn distributions_out_of_range_are_refused() {
        for latency in [
            Latency::Exponential { mean: 0.0 },
            Latency::Lognormal { median: 1.0, sigma: -1.0 },
            Latency::Measured(vec![]),
            Latency::Measured(vec![f64::NAN]),
        ] {
            assert!(latency.check().is_err(), "{latency:?}");
        }
        assert_eq!(Latency::Measured(vec![0.0, 1.0]).check(), Ok(()));
    }
}
