//! Sobol sequences.

use crate::scenario::MOST_SOBOL_AXES;

/// For each dimension the primitive polynomial, with the bits of all its
/// coefficients, and the initial numbers m_1, m_2, ...
///
/// Joe and Kuo 2008, Constructing Sobol sequences with better two-dimensional
/// projections, the first 21 rows of the published file `new-joe-kuo-6.21201`.
/// The first dimension is the van der Corput sequence.
const DIRECTIONS: [(u32, &[u32]); MOST_SOBOL_AXES] = [
    (1, &[]),
    (3, &[1]),
    (7, &[1, 3]),
    (11, &[1, 3, 1]),
    (13, &[1, 1, 1]),
    (19, &[1, 1, 3, 3]),
    (25, &[1, 3, 5, 13]),
    (37, &[1, 1, 5, 5, 17]),
    (41, &[1, 1, 5, 5, 5]),
    (47, &[1, 1, 7, 11, 19]),
    (55, &[1, 1, 5, 1, 1]),
    (59, &[1, 1, 1, 3, 11]),
    (61, &[1, 3, 5, 5, 31]),
    (67, &[1, 3, 3, 9, 7, 49]),
    (91, &[1, 1, 1, 15, 21, 21]),
    (97, &[1, 3, 1, 13, 27, 49]),
    (103, &[1, 1, 1, 15, 7, 5]),
    (109, &[1, 3, 1, 15, 13, 25]),
    (115, &[1, 1, 5, 5, 19, 61]),
    (131, &[1, 3, 7, 11, 23, 15, 103]),
    (137, &[1, 3, 7, 13, 13, 15, 69]),
];

/// Bits of a coordinate.
const BITS: usize = 32;

/// One dimension of the sequence.
#[derive(Clone, Debug)]
pub(super) struct Sobol {
    directions: [u32; BITS],
}

impl Sobol {
    /// The dimension of this index, below [`MOST_SOBOL_AXES`].
    pub(super) fn dimension(index: usize) -> Self {
        let (polynomial, initial) = DIRECTIONS[index];
        let degree = initial.len();
        let mut directions = [0; BITS];
        for bit in 0..BITS {
            directions[bit] = match initial.get(bit) {
                // Direction number i is m_i shifted to the top.
                Some(number) => number << (BITS - 1 - bit),
                None if degree == 0 => 1 << (BITS - 1 - bit),
                // The recurrence of Bratley and Fox 1988 over the polynomial.
                None => (1..degree).fold(
                    directions[bit - degree] ^ (directions[bit - degree] >> degree),
                    |direction, back| {
                        let is_in = polynomial >> (degree - back) & 1 == 1;
                        direction ^ if is_in { directions[bit - back] } else { 0 }
                    },
                ),
            };
        }
        Self { directions }
    }

    /// The number at a position, in (0, 1): the middle of the cell of 2^-32 that
    /// the sequence names, so that the point at the origin is inside too.
    pub(super) fn at(&self, position: u32) -> f64 {
        // Position i of the sequence combines the bits of the Gray code of i.
        let gray = position ^ (position >> 1);
        let bits = (0..BITS).filter(|bit| gray >> bit & 1 == 1);
        let cell = bits.fold(0, |cell, bit| cell ^ self.directions[bit]);
        (f64::from(cell) + 0.5) / (1u64 << BITS) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cell(dimension: usize, position: u32) -> f64 {
        let cell = Sobol::dimension(dimension).at(position) * (1u64 << BITS) as f64 - 0.5;
        cell / (1u64 << BITS) as f64
    }

    /// The first points that the authors print for three dimensions.
    #[test]
    fn the_published_points() {
        let points: Vec<[f64; 3]> = (0..10).map(|i| [0, 1, 2].map(|d| cell(d, i))).collect();
        assert_eq!(
            points,
            [
                [0.0, 0.0, 0.0],
                [0.5, 0.5, 0.5],
                [0.75, 0.25, 0.25],
                [0.25, 0.75, 0.75],
                [0.375, 0.375, 0.625],
                [0.875, 0.875, 0.125],
                [0.625, 0.125, 0.875],
                [0.125, 0.625, 0.375],
                [0.1875, 0.3125, 0.9375],
                [0.6875, 0.8125, 0.4375],
            ]
        );
    }

    /// Of each 2^k points from a multiple of 2^k on, each of the 2^k intervals of
    /// every dimension holds one (Sobol's property of a (0, 1)-sequence).
    #[test]
    fn every_dimension_is_stratified() {
        for dimension in 0..MOST_SOBOL_AXES {
            let sobol = Sobol::dimension(dimension);
            for (k, from) in [(3, 0), (3, 40), (8, 0), (8, 256), (12, 8192)] {
                let count = 1u32 << k;
                let mut hits = vec![0; count as usize];
                for position in from..from + count {
                    hits[(sobol.at(position) * f64::from(count)) as usize] += 1;
                }
                assert!(hits.iter().all(|hit| *hit == 1), "dimension {dimension}, 2^{k}");
            }
        }
    }

    /// The first two dimensions are a (0, 2)-sequence: 2^k points have one in each
    /// elementary interval of area 2^-k.
    #[test]
    fn the_first_two_dimensions_are_a_net() {
        let (x, y) = (Sobol::dimension(0), Sobol::dimension(1));
        for k in 0..=8 {
            for columns in (0..=k).map(|bits| 1u32 << bits) {
                let rows = (1 << k) / columns;
                let mut hits = vec![0; 1 << k];
                for position in 0..1 << k {
                    let column = (x.at(position) * f64::from(columns)) as u32;
                    let row = (y.at(position) * f64::from(rows)) as u32;
                    hits[(column * rows + row) as usize] += 1;
                }
                assert!(hits.iter().all(|hit| *hit == 1), "2^{k} in {columns} columns");
            }
        }
    }

    /// Any two dimensions differ, and a primitive polynomial of degree d fills the
    /// first 2^d positions.
    #[test]
    fn dimensions_differ() {
        let points = |d: usize| -> Vec<f64> { (0..64).map(|i| cell(d, i)).collect() };
        for a in 0..MOST_SOBOL_AXES {
            for b in 0..a {
                assert_ne!(points(a), points(b), "{a} and {b}");
            }
        }
    }
}
