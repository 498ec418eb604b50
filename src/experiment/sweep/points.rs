//! The points of a sweep's design.

use super::sobol::Sobol;
use crate::random::{Purpose, Stream};
use crate::scenario::{Axis, DesignSettings, ScenarioError, Sweep};

/// The points of a sweep, in order.
#[derive(Clone, Debug, PartialEq)]
pub struct Points {
    axes: usize,
    /// One after the other, a coordinate for each axis.
    coordinates: Vec<f64>,
    /// How many points of the design `where` left out.
    pub left_out: usize,
}

impl Points {
    /// The points of a sweep that its `where` admits. O(points x axes), and for a
    /// Latin hypercube the sorting of them.
    ///
    /// # Errors
    ///
    /// When `where` admits none.
    pub fn of(sweep: &Sweep) -> Result<Self, ScenarioError> {
        let axes = &sweep.axes;
        let mut points = Self { axes: axes.len(), coordinates: Vec::new(), left_out: 0 };
        let mut add = |point: &[f64]| match sweep.admits(point) {
            true => points.coordinates.extend_from_slice(point),
            false => points.left_out += 1,
        };
        match &sweep.design {
            DesignSettings::Grid(_) => grid(axes, add),
            DesignSettings::Sobol(settings) => {
                let dimensions: Vec<Sobol> = (0..axes.len()).map(Sobol::dimension).collect();
                for position in 0..settings.points {
                    let uniforms = dimensions.iter().map(|dimension| dimension.at(position));
                    add(&coordinates(axes, uniforms));
                }
            }
            DesignSettings::LatinHypercube(settings) => {
                let strata: Vec<Vec<f64>> = (0..axes.len() as u64)
                    .map(|axis| latin(settings.points, &mut stream(settings.seed, axis)))
                    .collect();
                for point in 0..settings.points as usize {
                    add(&coordinates(axes, strata.iter().map(|axis| axis[point])));
                }
            }
            DesignSettings::Random(settings) => {
                let mut streams: Vec<Stream> =
                    (0..axes.len() as u64).map(|axis| stream(settings.seed, axis)).collect();
                for _ in 0..settings.points {
                    add(&coordinates(axes, streams.iter_mut().map(Stream::next_uniform)));
                }
            }
        }
        match points.is_empty() {
            true => Err(sweep.nothing_is_left()),
            false => Ok(points),
        }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.coordinates.len() / self.axes
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.coordinates.is_empty()
    }

    /// The coordinates of one.
    pub fn get(&self, point: usize) -> &[f64] {
        &self.coordinates[point * self.axes..][..self.axes]
    }
}

fn stream(seed: u64, axis: u64) -> Stream {
    Stream::new(seed, Purpose::Design, axis)
}

fn coordinates(axes: &[Axis], uniforms: impl Iterator<Item = f64>) -> Vec<f64> {
    axes.iter().zip(uniforms).map(|(axis, uniform)| axis.coordinate(uniform)).collect()
}

/// Every combination; the last axis varies fastest.
fn grid(axes: &[Axis], mut add: impl FnMut(&[f64])) {
    // A grid has no ranges.
    let counts: Vec<usize> = axes.iter().map(|axis| axis.count().unwrap_or(1)).collect();
    let mut point = vec![0.0; axes.len()];
    loop {
        add(&point);
        let Some(axis) =
            (0..axes.len()).rev().find(|axis| point[*axis] + 1.0 < counts[*axis] as f64)
        else {
            return;
        };
        point[axis] += 1.0;
        point[axis + 1..].fill(0.0);
    }
}

/// One axis of a Latin hypercube (McKay, Beckman and Conover 1979): each of n
/// equal parts of the unit interval holds one number, at a uniform place in it,
/// and the parts are in random order. O(n log n).
fn latin(points: u32, stream: &mut Stream) -> Vec<f64> {
    let mut order: Vec<(u64, u32)> = (0..points).map(|part| (stream.next_u64(), part)).collect();
    order.sort_unstable();
    let part =
        |(_, part): (u64, u32)| (f64::from(part) + stream.next_uniform()) / f64::from(points);
    order.into_iter().map(part).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One point in each part of each axis, and the parts shuffled.
    #[test]
    fn a_latin_hypercube_has_a_point_in_each_part() {
        for points in [1, 2, 7, 100, 1_000] {
            let axes: Vec<Vec<f64>> =
                (0..4).map(|axis| latin(points, &mut stream(5, axis))).collect();
            for axis in &axes {
                let mut parts: Vec<u32> =
                    axis.iter().map(|at| (at * f64::from(points)) as u32).collect();
                let is_shuffled = points < 7 || !parts.is_sorted();
                parts.sort_unstable();
                assert_eq!(parts, (0..points).collect::<Vec<_>>());
                assert!(is_shuffled);
            }
            assert!(points < 7 || axes.windows(2).all(|pair| pair[0] != pair[1]));
        }
        assert_ne!(latin(50, &mut stream(1, 0)), latin(50, &mut stream(2, 0)));
    }
}
