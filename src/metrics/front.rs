//! The Pareto front of two quantities that should be small.

/// The points of a front, and its knee.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Front {
    /// Positions of the points that no other point beats in both quantities, by
    /// the first quantity rising (and so the second falling). Of equal points the
    /// first.
    pub members: Vec<usize>,
    /// The place in `members` of the knee; `None` for a front of fewer than three
    /// points, or a straight one.
    pub knee: Option<usize>,
}

/// The front of points (a, b). Points that are not finite are left out.
///
/// The knee is the point farthest below the line through the two ends of the
/// front, when both quantities are scaled to their range on it (Das 1999, On
/// characterizing the "knee" of the Pareto curve based on normal-boundary
/// intersection). Ties: the first. O(n log n).
pub fn front(points: &[(f64, f64)]) -> Front {
    let is_finite = |index: &usize| points[*index].0.is_finite() && points[*index].1.is_finite();
    let mut order: Vec<usize> = (0..points.len()).filter(is_finite).collect();
    order.sort_by(|&i, &j| {
        let ((a, b), (c, d)) = (points[i], points[j]);
        a.total_cmp(&c).then(b.total_cmp(&d)).then(i.cmp(&j))
    });
    let mut members: Vec<usize> = Vec::new();
    for index in order {
        if members.last().is_none_or(|last| points[index].1 < points[*last].1) {
            members.push(index);
        }
    }
    let knee = knee(&members.iter().map(|index| points[*index]).collect::<Vec<_>>());
    Front { members, knee }
}

fn knee(front: &[(f64, f64)]) -> Option<usize> {
    let (&first, &last) = (front.first()?, front.last()?);
    // Below the line from (0, 1) to (1, 0): how much the sum of the shares is
    // short of 1.
    let depth = |&(a, b): &(f64, f64)| {
        1.0 - (a - first.0) / (last.0 - first.0) - (b - last.1) / (first.1 - last.1)
    };
    let mut deepest: Option<(usize, f64)> = None;
    for (place, point) in front.iter().enumerate().take(front.len() - 1).skip(1) {
        let depth = depth(point);
        // What rounding alone can make is no knee.
        if depth > deepest.map_or(1e-12, |(_, depth)| depth) {
            deepest = Some((place, depth));
        }
    }
    deepest.map(|(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_front_and_its_knee() {
        let points = [(4.0, 1.0), (0.0, 5.0), (1.0, 2.0), (3.0, 2.0), (2.0, 2.0), (5.0, 1.0)];
        assert_eq!(front(&points), Front { members: vec![1, 2, 0], knee: Some(1) });
        let with_gaps = [(f64::NAN, 0.0), (1.0, 1.0), (0.0, f64::INFINITY)];
        assert_eq!(front(&with_gaps), Front { members: vec![1], knee: None });
        assert_eq!(front(&[]), Front::default());
    }

    #[test]
    fn equal_and_straight_points_have_no_knee() {
        assert_eq!(front(&[(1.0, 1.0); 3]).members, [0]);
        let straight = [(0.0, 2.0), (1.0, 1.0), (2.0, 0.0)];
        assert_eq!(front(&straight), Front { members: vec![0, 1, 2], knee: None });
        // A front that bulges away from the best corner has none either.
        assert_eq!(front(&[(0.0, 2.0), (1.9, 1.9), (2.0, 0.0)]).knee, None);
    }

    /// Nothing outside of the front beats a member, and every other point is
    /// beaten or equalled by one.
    #[test]
    fn members_are_those_that_nothing_beats() {
        let points: Vec<(f64, f64)> =
            (0..200u32).map(|i| (f64::from(i * 37 % 101), f64::from(i * 53 % 97))).collect();
        let members = front(&points).members;
        let beats = |a: (f64, f64), b: (f64, f64)| a.0 <= b.0 && a.1 <= b.1 && a != b;
        for (index, point) in points.iter().enumerate() {
            let is_beaten = points.iter().any(|other| beats(*other, *point));
            let is_first = points.iter().position(|other| other == point) == Some(index);
            assert_eq!(members.contains(&index), !is_beaten && is_first, "{index}");
        }
    }
}
