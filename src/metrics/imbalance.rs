//! Imbalance of a list of values.

/// The population standard deviation over the mean; 0 for no values or a mean
/// of 0.
pub fn coefficient_of_variation(values: &[f64]) -> f64 {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    if values.is_empty() || mean == 0.0 {
        return 0.0;
    }
    let squares: f64 = values.iter().map(|value| (value - mean) * (value - mean)).sum();
    (squares / count).sqrt() / mean
}
