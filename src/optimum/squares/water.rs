//! The least sum of squares when load is fluid.

use super::objective::{load_at, slope, term};

/// Fluid load over hosts with floors: the least sum of (x_h / c_h - 1)^2 with
/// x_h at or above its floor.
///
/// A convex separable problem with one constraint (Ibaraki and Katoh 1988): at
/// the optimum every host above its floor has one slope, the water level, and
/// the others a higher one. So the hosts above their floors are the first in
/// the order of their floors' slopes, and the level follows from their sums.
#[derive(Default)]
pub(super) struct Water {
    order: Vec<(f64, u32)>,
}

impl Water {
    /// The sum at which `free` load comes to lie upon the floors, and the level.
    /// Exact; O(h log h).
    pub(super) fn fill(&mut self, capacity: &[f64], floors: &[f64], free: f64) -> (f64, f64) {
        self.order.clear();
        let slopes = floors.iter().zip(capacity).map(|(&floor, &c)| slope(floor, c));
        self.order.extend(slopes.zip(0..));
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut lack, mut squares, mut level) = (free, 0.0, f64::INFINITY);
        for &(floor_slope, host) in &self.order {
            if floor_slope >= level {
                break;
            }
            let c = capacity[host as usize];
            lack += floors[host as usize] - c;
            squares += c * c;
            level = lack / squares;
        }
        let sum =
            floors.iter().zip(capacity).map(|(&floor, &c)| term(floor.max(load_at(level, c)), c));
        (sum.sum(), level)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_answers() {
        let mut water = Water::default();
        assert_eq!(water.fill(&[1.0, 1.0], &[0.0, 0.0], 2.0), (0.0, 0.0));
        // The first host is above the rest: 1.5, 0.25, 0.25 around 1.
        let (sum, level) = water.fill(&[1.0; 3], &[2.0, 0.0, 0.0], 1.0);
        assert_eq!((sum, level), (1.5, -0.5));
        // At level n, x = 1 + n and y = 2 + 4 n, with x + y = 8: n = 1, and
        // 1 + (6 / 2 - 1)^2 = 5.
        assert_eq!(water.fill(&[1.0, 2.0], &[0.5, 1.0], 6.5), (5.0, 1.0));
        assert_eq!(water.fill(&[], &[], 0.0).0, 0.0);
    }

    #[test]
    fn no_split_is_better() {
        let (capacity, floors) = ([1.0, 0.5, 0.25], [0.2, 0.7, 0.0]);
        let (sum, _) = Water::default().fill(&capacity, &floors, 1.0);
        for i in 0..=200 {
            for j in 0..=200 - i {
                let parts = [i, j, 200 - i - j].map(|part| f64::from(part) / 200.0);
                let of = |h: usize| term(floors[h] + parts[h], capacity[h]);
                assert!(sum <= (0..3).map(of).sum::<f64>() + 1e-12);
            }
        }
    }
}
