//! Mean and spread of a few values, one for each seed.

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_spread() {
        assert_eq!(mean_and_deviation([2.0, 4.0].into_iter()), Some((3.0, Some(2.0_f64.sqrt()))));
        assert_eq!(mean_and_deviation([2.0].into_iter()), Some((2.0, None)));
        assert_eq!(mean_and_deviation(std::iter::empty()), None);
    }
}
