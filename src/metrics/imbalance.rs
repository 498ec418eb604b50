//! How unevenly a list of loads is spread.

/// The largest value over the mean: 1 is perfectly even.
///
/// The largest starts at 0, as in the reference balancer. 0 when there are
/// no values or the mean is 0. Takes linear time; sums in list order.
pub fn max_over_mean(values: &[f64]) -> f64 {
    let mean = mean(values);
    if mean == 0.0 {
        return 0.0;
    }
    values.iter().fold(0.0, |max: f64, &value| if value > max { value } else { max }) / mean
}

/// The population standard deviation over the mean: 0 is perfectly even.
///
/// 0 when there are no values or the mean is 0. Takes linear time, in two
/// passes over the list, so that it does not cancel.
pub fn coefficient_of_variation(values: &[f64]) -> f64 {
    let mean = mean(values);
    if mean == 0.0 {
        return 0.0;
    }
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (squares / values.len() as f64).sqrt() / mean
}

fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        assert_eq!(max_over_mean(&[100.0, 60.0, 40.0]), 1.5);
        assert_eq!(coefficient_of_variation(&[1.0, 3.0]), 0.5);
        assert_eq!(coefficient_of_variation(&[7.0, 7.0, 7.0]), 0.0);
        for values in [&[][..], &[0.0, 0.0], &[-1.0, 1.0]] {
            assert_eq!(max_over_mean(values), 0.0);
            assert_eq!(coefficient_of_variation(values), 0.0);
        }
    }

    #[test]
    fn the_largest_starts_at_zero() {
        assert_eq!(max_over_mean(&[-1.0, -3.0]), 0.0);
    }
}
