//! Points on a circle of hashes: what all rings search.

use std::cmp::Ordering;

use crate::model::HostId;

/// A point and whose it is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Point {
    pub(super) hash: u64,
    pub(super) host: HostId,
}

/// Points in order. A hash belongs to the first point at or after it, and past
/// the last point to the first.
///
/// A lookup goes through a table over the top bits of the hash, with one entry
/// a point on average, and takes constant expected time.
#[derive(Clone, Debug)]
pub(super) struct Circle {
    points: Vec<Point>,
    /// For each value of the top bits, the first point at or after it.
    first: Vec<u32>,
    shift: u32,
}

impl Default for Circle {
    fn default() -> Self {
        Self { points: Vec::new(), first: Vec::new(), shift: 63 }
    }
}

impl Circle {
    /// Takes out the points of hosts, adds others, and sorts; `by_host` orders
    /// points with equal hashes. The sort is stable, so that points of one host
    /// with one hash stay in the order in which they were added. O(p log p) for
    /// p points, which are nearly in order already.
    pub(super) fn change(
        &mut self,
        leaving: &[HostId],
        joining: impl IntoIterator<Item = Point>,
        by_host: impl Fn(HostId, HostId) -> Ordering,
    ) {
        self.points.retain(|point| !leaving.contains(&point.host));
        self.points.extend(joining);
        self.points.sort_by(|a, b| a.hash.cmp(&b.hash).then_with(|| by_host(a.host, b.host)));
        self.build_table();
    }

    /// Takes out all points.
    pub(super) fn clear(&mut self) {
        *self = Self::default();
    }

    pub(super) fn points(&self) -> &[Point] {
        &self.points
    }

    fn build_table(&mut self) {
        let bits = (usize::BITS - self.points.len().leading_zeros()).max(1);
        self.shift = 64 - bits;
        self.first.clear();
        self.first.reserve(1 << bits);
        let mut point = 0;
        for top in 0..1u64 << bits {
            while self.points.get(point).is_some_and(|p| p.hash >> self.shift < top) {
                point += 1;
            }
            self.first.push(point as u32);
        }
    }

    /// The position of the point that a hash belongs to; `None` without points.
    #[inline]
    pub(super) fn find(&self, hash: u64) -> Option<usize> {
        let start = *self.first.get((hash >> self.shift) as usize)? as usize;
        let tail = self.points.get(start..)?;
        let ahead = tail.iter().position(|point| point.hash >= hash);
        let found = ahead.map_or(0, |ahead| start + ahead);
        (found < self.points.len()).then_some(found)
    }

    /// The host that a hash belongs to.
    #[inline]
    pub(super) fn owner(&self, hash: u64) -> Option<HostId> {
        Some(self.points[self.find(hash)?].host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ledger ch-ring-example: points A 20, B 50, C 80 on a circle of 100, then
    /// D 40. D takes (20, 40], all from B.
    #[test]
    fn the_published_ring() {
        const UNIT: u64 = u64::MAX / 100;
        let points = |of: &[(u64, u32)]| -> Vec<Point> {
            of.iter().map(|&(at, host)| Point { hash: at * UNIT, host: HostId(host) }).collect()
        };
        let mut circle = Circle::default();
        circle.change(&[], points(&[(20, 0), (50, 1), (80, 2)]), |a, b| a.cmp(&b));
        let owners = |circle: &Circle| -> Vec<u32> {
            (1..=100).filter_map(|at| Some(circle.owner(at * UNIT)?.0)).collect()
        };
        let before = owners(&circle);
        circle.change(&[], points(&[(40, 3)]), |a, b| a.cmp(&b));
        let after = owners(&circle);
        for (at, owner) in [(20, 0), (35, 3), (40, 3), (41, 1), (90, 0)] {
            assert_eq!(after[at - 1], owner, "{at}");
        }
        for at in 1..=100 {
            let moves = (21..=40).contains(&at);
            assert_eq!(before[at - 1] != after[at - 1], moves, "{at}");
            assert!(!moves || (before[at - 1], after[at - 1]) == (1, 3));
        }
        let count = |of: u32| after.iter().filter(|owner| **owner == of).count();
        assert_eq!([0, 1, 2, 3].map(count), [40, 10, 30, 20]);
    }
}
