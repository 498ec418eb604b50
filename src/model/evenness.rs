//! How even loads are, by the sum of squares.

/// The mean square of the hosts' utilisations around the fleet's, over the
/// fleet's squared, plus 1:
/// 1 + (1 / H) * sum over the H hosts of (u_h / U - 1)^2, where u_h is the load
/// of host h over its capacity and U the total load over the total capacity.
///
/// 1 is perfectly even, also without load. With equal capacities it is
/// H * sum(load^2) / (sum load)^2, and 1 plus the square of the coefficient of
/// variation: what a balancer that minimises the sum of squares minimises.
/// Loads and capacities are in units a second, by host. O(hosts), in two
/// passes, so that it does not cancel.
pub fn square_ratio(loads: &[f64], capacities: &[f64]) -> f64 {
    let total: f64 = loads.iter().sum();
    if total <= 0.0 {
        return 1.0;
    }
    let fleet = total / capacities.iter().sum::<f64>();
    square_ratio_of(loads.iter().zip(capacities).map(|(load, c)| load / c), fleet)
}

/// [`square_ratio`] of utilisations, of which there is at least one, around that
/// of the fleet, which is above 0.
pub fn square_ratio_of(utilisations: impl ExactSizeIterator<Item = f64>, fleet: f64) -> f64 {
    let hosts = utilisations.len() as f64;
    let squares = utilisations.map(|utilisation| {
        let deviation = utilisation / fleet - 1.0;
        deviation * deviation
    });
    1.0 + squares.sum::<f64>() / hosts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        // 2 * (160^2 + 40^2) / 200^2.
        assert!((square_ratio(&[160.0, 40.0], &[1.0, 1.0]) - 1.36).abs() < 1e-15);
        assert_eq!(square_ratio(&[3.0, 1.0], &[3.0, 1.0]), 1.0);
        // Utilisations 1 and 3 around 2: 1 + (1/4 + 1/4) / 2.
        assert_eq!(square_ratio(&[1.0, 3.0], &[1.0, 1.0]), 1.25);
        for idle in [&[][..], &[0.0], &[0.0, 0.0]] {
            assert_eq!(square_ratio(idle, &vec![2.0; idle.len()]), 1.0);
        }
    }
}
