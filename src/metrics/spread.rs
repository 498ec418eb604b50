//! Mean and spread of a few values, one for each seed. docs/methods.md has the
//! definitions.

use super::student::t_within;

/// The share of intervals that hold the mean they are about: 95 %.
pub const CONFIDENCE: f64 = 0.95;

/// The mean and the sample standard deviation (divisor n - 1); the deviation
/// is `None` for a single value. `None` without values.
pub fn mean_and_deviation(values: impl Iterator<Item = f64>) -> Option<(f64, Option<f64>)> {
    let values: Vec<f64> = values.collect();
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    match values.len() {
        0 => None,
        1 => Some((mean, None)),
        _ => Some((mean, Some((squares / (count - 1.0)).sqrt()))),
    }
}

/// Statistics of independent values, one for each seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spread {
    /// How many values.
    pub count: usize,
    /// Their mean.
    pub mean: f64,
    /// What can be said about the mean; `None` for a single value.
    pub precision: Option<Precision>,
    /// The value in the middle, or the mean of the two there (definition 7 of
    /// Hyndman and Fan 1996).
    pub median: f64,
    /// The smallest value.
    pub min: f64,
    /// The largest value.
    pub max: f64,
}

impl Spread {
    /// The same in another unit: all values times a positive factor.
    pub fn scaled(&self, by: f64) -> Self {
        let precision = self.precision.map(|precision| Precision {
            standard_error: precision.standard_error * by,
            low: precision.low * by,
            high: precision.high * by,
        });
        let (mean, median) = (self.mean * by, self.median * by);
        Self { mean, median, precision, min: self.min * by, max: self.max * by, ..*self }
    }
}

/// How well a mean is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Precision {
    /// Standard error of the mean: sample standard deviation / sqrt(n).
    pub standard_error: f64,
    /// Lower end of the interval of Student (1908) at [`CONFIDENCE`].
    pub low: f64,
    /// Its upper end.
    pub high: f64,
}

impl Precision {
    /// Whether the interval leaves 0 out: of a paired difference, that the two
    /// differ.
    pub fn excludes_zero(self) -> bool {
        self.low > 0.0 || self.high < 0.0
    }
}

/// Quantiles of Student's distribution that were computed before.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// By degrees of freedom; 0 where it is not known yet.
    quantiles: Vec<f64>,
}

impl Statistics {
    /// Statistics of values; `None` without values. O(n log n).
    pub fn of(&mut self, mut values: Vec<f64>) -> Option<Spread> {
        let (mean, deviation) = mean_and_deviation(values.iter().copied())?;
        let count = values.len();
        values.sort_by(f64::total_cmp);
        let (min, max) = (values[0], values[count - 1]);
        // Rounding must not carry the mean out of its range.
        let mean = mean.clamp(min, max);
        let precision = deviation.map(|deviation| {
            let standard_error = deviation / (count as f64).sqrt();
            let half = self.quantile(count - 1) * standard_error;
            Precision { standard_error, low: mean - half, high: mean + half }
        });
        let median = f64::midpoint(values[(count - 1) / 2], values[count / 2]);
        Some(Spread { count, mean, precision, median, min, max })
    }

    fn quantile(&mut self, freedom: usize) -> f64 {
        if self.quantiles.len() <= freedom {
            self.quantiles.resize(freedom + 1, 0.0);
        }
        let known = &mut self.quantiles[freedom];
        if *known == 0.0 {
            *known = t_within(CONFIDENCE, u32::try_from(freedom).unwrap_or(u32::MAX));
        }
        *known
    }
}

/// How many values an interval of Student needs to hold what it claims when
/// they are skewed: 25 times the square of the skewness (Cochran 1977, section
/// 2.15), the skewness being Fisher's, m3 / m2^1.5 of the sample. 0 for values
/// that are all equal.
pub fn values_needed(values: &[f64]) -> f64 {
    const COCHRAN: f64 = 25.0;
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let moment =
        |power: fn(f64) -> f64| values.iter().map(|value| power(value - mean)).sum::<f64>() / count;
    let square = moment(|d| d * d);
    let cube = moment(|d| d * d * d);
    if square > 0.0 { COCHRAN * cube * cube / (square * square * square) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};
    use crate::workload::normal_quantile;

    #[test]
    fn known_spread() {
        assert_eq!(mean_and_deviation([2.0, 4.0].into_iter()), Some((3.0, Some(2.0_f64.sqrt()))));
        assert_eq!(mean_and_deviation([2.0].into_iter()), Some((2.0, None)));
        assert_eq!(mean_and_deviation(std::iter::empty()), None);
    }

    #[test]
    fn known_statistics() {
        let mut statistics = Statistics::default();
        assert_eq!(statistics.of(vec![]), None);
        let one = statistics.of(vec![7.0]).unwrap();
        assert_eq!((one.count, one.mean, one.median, one.precision), (1, 7.0, 7.0, None));
        // 1 .. 5: deviation sqrt(2.5), error sqrt(0.5), t of 4 degrees 2.776445.
        let five = statistics.of(vec![5.0, 1.0, 4.0, 2.0, 3.0]).unwrap();
        let precision = five.precision.unwrap();
        assert_eq!((five.mean, five.median, five.min, five.max), (3.0, 3.0, 1.0, 5.0));
        assert!((precision.standard_error - 0.5_f64.sqrt()).abs() < 1e-15);
        assert!((precision.high - 3.0 - 2.776_445_105_2 * 0.5_f64.sqrt()).abs() < 1e-10);
        assert!((precision.high + precision.low - 6.0).abs() < 1e-14);
        assert!(precision.excludes_zero());
        assert_eq!(statistics.of(vec![4.0, 1.0, 2.0, 9.0]).unwrap().median, 3.0);
        assert!(!statistics.of(vec![-1.0, 1.5]).unwrap().precision.unwrap().excludes_zero());
        let equal = statistics.of(vec![0.1; 3]).unwrap();
        assert_eq!((equal.mean, equal.min, equal.max), (0.1, 0.1, 0.1));
    }

    /// Intervals over values whose mean is known hold it in 95 % of the draws.
    #[test]
    fn intervals_cover_what_they_claim() {
        const DRAWS: usize = 10_000;
        let mut statistics = Statistics::default();
        for (seed, count) in [(1, 2), (2, 5), (3, 20)] {
            let mut stream = Stream::new(seed, Purpose::Loads, 0);
            let holds = (0..DRAWS).filter(|_| {
                let values = (0..count)
                    .map(|_| 3.0 + 2.0 * normal_quantile(stream.next_uniform()))
                    .collect();
                let precision = statistics.of(values).unwrap().precision.unwrap();
                (precision.low..=precision.high).contains(&3.0)
            });
            let share = holds.count() as f64 / DRAWS as f64;
            assert!((0.93..=0.97).contains(&share), "{count} values: {share}");
        }
    }

    #[test]
    fn skewed_values_need_many() {
        assert_eq!(values_needed(&[1.0, 2.0, 3.0]), 0.0);
        assert_eq!(values_needed(&[2.0; 5]), 0.0);
        // One of n values apart: skewness (n - 2) / sqrt(n - 1).
        let mut values = [0.0; 10];
        values[3] = 1.0;
        assert!((values_needed(&values) - 25.0 * 64.0 / 9.0).abs() < 1e-9);
    }
}
