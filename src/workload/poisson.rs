//! Poisson counts by inversion, so that one uniform number gives one count.

use super::normal_quantile;

/// Means below this are inverted exactly, others by expansion.
pub(super) const EXACT_BELOW: f64 = 12.0;

/// The least k whose cumulative Poisson probability reaches `u` in (0, 1).
///
/// Below a mean of 12 by adding up probabilities, exact up to the rounding of
/// the sum. From there on by the Cornish-Fisher expansion of the quantile
/// (Fisher and Cornish 1960; for Poisson: Giles 2016, "Algorithm 955"), taken
/// to the order 1/mean: at most one count off, for less than 1 in 1000 values
/// of `u` at a mean of 12, and for fewer above.
pub fn poisson_quantile(mean: f64, u: f64) -> f64 {
    if mean < EXACT_BELOW { by_summation(mean, libm::exp(-mean), u) } else { by_expansion(mean, u) }
}

/// Far more than any count that a u of 52 bits reaches at a mean below 12; a
/// sum that stays below u by rounding ends here.
const MOST: usize = 100;

/// 1/k, since a division at each step would take most of the time.
const RECIPROCALS: [f64; MOST + 1] = {
    let mut table = [0.0; MOST + 1];
    let mut k = 1;
    while k <= MOST {
        table[k] = 1.0 / k as f64;
        k += 1;
    }
    table
};

/// Adds up probabilities; `none` is the probability of 0, exp(-mean).
#[inline]
pub(super) fn by_summation(mean: f64, none: f64, u: f64) -> f64 {
    let mut count = 0;
    let mut probability = none;
    let mut cumulative = none;
    while cumulative < u && count < MOST {
        count += 1;
        probability *= mean * RECIPROCALS[count];
        cumulative += probability;
    }
    count as f64
}

#[inline]
pub(super) fn by_expansion(mean: f64, u: f64) -> f64 {
    let root = mean.sqrt();
    let w = normal_quantile(u);
    let square = w * w;
    let quantile = mean + root * w + (2.0 + square) / 6.0 - w * (2.0 + square) / (72.0 * root)
        + (square * (3.0 * square + 7.0) - 16.0) / (810.0 * mean);
    quantile.floor().max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Textbook values: P(X <= 0) = e^-1 = 0.3679, P(X <= 1) = 0.7358,
    /// P(X <= 2) = 0.9197 at a mean of 1.
    #[test]
    fn known_counts() {
        for (u, count) in [(0.3, 0.0), (0.37, 1.0), (0.73, 1.0), (0.74, 2.0), (0.92, 3.0)] {
            assert_eq!(poisson_quantile(1.0, u), count, "u = {u}");
        }
        assert_eq!(poisson_quantile(0.0, 0.999_999), 0.0);
        assert_eq!(poisson_quantile(3.0, 1e-17), 0.0);
    }

    /// The stated error of the expansion, over an even grid of u and both
    /// tails, against the summed probabilities.
    #[test]
    fn the_expansion_is_as_exact_as_stated() {
        for (mean, most_wrong) in [(12.0, 1e-3), (30.0, 5e-4), (100.0, 2e-4), (600.0, 1e-4)] {
            let grid = 20_000;
            let mut wrong = 0;
            // The distribution function once, then a merge with the grid.
            let mut count = 0.0;
            let mut probability = libm::exp(-mean);
            let mut cumulative = probability;
            for i in 0..grid {
                let u = (f64::from(i) + 0.5) / f64::from(grid);
                while cumulative < u {
                    count += 1.0;
                    probability *= mean / count;
                    cumulative += probability;
                }
                let off = (by_expansion(mean, u) - count).abs();
                assert!(off <= 1.0, "mean {mean}, u {u}");
                wrong += u32::from(off > 0.0);
            }
            let share = f64::from(wrong) / f64::from(grid);
            assert!(share < most_wrong, "mean {mean}: {share}");
        }
    }

    #[test]
    fn counts_have_the_right_mean_and_variance() {
        for mean in [0.3, 5.0, 11.9, 12.0, 250.0] {
            let grid = 100_000;
            let counts =
                (0..grid).map(|i| poisson_quantile(mean, (f64::from(i) + 0.5) / f64::from(grid)));
            let (mut sum, mut squares) = (0.0, 0.0);
            for count in counts {
                sum += count;
                squares += (count - mean) * (count - mean);
            }
            assert!((sum / f64::from(grid) / mean - 1.0).abs() < 1e-3, "mean {mean}");
            assert!((squares / f64::from(grid) / mean - 1.0).abs() < 5e-3, "mean {mean}");
        }
    }
}
