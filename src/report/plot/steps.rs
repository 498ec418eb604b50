//! Step lines, bands and dashes in pixels.

use super::axis::Scale;
use super::figure::Point;
use super::series::Spread;

/// A value held over a stretch of pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Stretch {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

/// The stretches of a series in pixels, cut at its gaps; the last sample ends
/// at the last pixel of the x axis, `end`.
pub(super) fn runs(spreads: &[Spread], x: &Scale, y: &Scale, end: f64) -> Vec<Vec<Stretch>> {
    let mut runs = vec![Vec::new()];
    for (index, spread) in spreads.iter().enumerate() {
        if !spread.mean.is_finite() {
            runs.push(Vec::new());
            continue;
        }
        let stretch = Stretch {
            from: x.at(spread.time_s),
            to: spreads.get(index + 1).map_or(end, |next| x.at(next.time_s)),
            mean: y.at(spread.mean),
            low: y.at(spread.low),
            high: y.at(spread.high),
        };
        if let Some(run) = runs.last_mut() {
            run.push(stretch);
        }
    }
    runs.retain(|run| !run.is_empty());
    runs
}

/// The step line through the means of a run.
pub(super) fn line(run: &[Stretch]) -> Vec<Point> {
    edge(run.iter().map(|stretch| (stretch.from, stretch.to, stretch.mean)))
}

/// The outline of the band between the ranges of a run.
pub(super) fn band(run: &[Stretch]) -> Vec<Point> {
    let mut outline = edge(run.iter().map(|stretch| (stretch.from, stretch.to, stretch.high)));
    let below = edge(run.iter().map(|stretch| (stretch.from, stretch.to, stretch.low)));
    outline.extend(below.into_iter().rev());
    outline
}

/// A line of steps, without points in the middle of a straight stretch.
fn edge(steps: impl Iterator<Item = (f64, f64, f64)>) -> Vec<Point> {
    let mut points: Vec<Point> = Vec::new();
    for (from, to, level) in steps {
        if points.last().is_some_and(|last| last.1 == level) {
            points.pop();
        } else {
            points.push((from, level));
        }
        points.push((to, level));
    }
    points
}

/// The pieces of a line that a pattern of `on` pixels drawn and `off` left out
/// shows. The pattern runs on around corners.
pub(super) fn dashes(points: &[Point], on: f64, off: f64) -> Vec<Vec<Point>> {
    let mut pieces = Vec::new();
    let (mut is_on, mut left) = (true, on);
    let mut piece: Vec<Point> = points.first().copied().into_iter().collect();
    for pair in points.windows(2) {
        let (mut from, to) = (pair[0], pair[1]);
        loop {
            let (dx, dy) = (to.0 - from.0, to.1 - from.1);
            let length = (dx * dx + dy * dy).sqrt();
            if length <= left {
                left -= length;
                if is_on {
                    piece.push(to);
                }
                break;
            }
            let share = left / length;
            from = (from.0 + share * dx, from.1 + share * dy);
            if is_on {
                piece.push(from);
                pieces.push(std::mem::take(&mut piece));
            } else {
                piece = vec![from];
            }
            is_on = !is_on;
            left = if is_on { on } else { off };
        }
    }
    if is_on && piece.len() > 1 {
        pieces.push(piece);
    }
    pieces
}

/// The level of a run at a pixel, if it is there.
pub(super) fn level_at(runs: &[Vec<Stretch>], x: f64) -> Option<f64> {
    let stretch = runs.iter().flatten().rfind(|stretch| stretch.from <= x)?;
    (x <= stretch.to).then_some(stretch.mean)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::plot::axis::Curve;

    fn pixels(spreads: &[(f64, f64)]) -> Vec<Vec<Stretch>> {
        let x = Scale::new(Curve::Linear, 0.0, (0.0, 10.0), (0.0, 100.0));
        let y = Scale::new(Curve::Linear, 0.0, (0.0, 10.0), (100.0, 0.0));
        let spreads: Vec<Spread> = spreads
            .iter()
            .map(|&(time_s, value)| Spread::of(time_s, [value, value + 1.0].into_iter()))
            .collect();
        runs(&spreads, &x, &y, 100.0)
    }

    #[test]
    fn steps_hold_their_value_until_the_next() {
        let runs = pixels(&[(0.0, 1.5), (4.0, 3.5), (5.0, 3.5)]);
        assert_eq!(line(&runs[0]), [(0.0, 80.0), (40.0, 80.0), (40.0, 60.0), (100.0, 60.0)]);
        assert_eq!(band(&runs[0]).len(), 8);
        assert_eq!(level_at(&runs, 30.0), Some(80.0));
        assert_eq!(level_at(&runs, 40.0), Some(60.0));
    }

    #[test]
    fn gaps_cut_the_line() {
        let runs = pixels(&[(0.0, 1.0), (2.0, f64::NAN), (4.0, 1.0)]);
        assert_eq!(runs.len(), 2);
        assert_eq!(line(&runs[0]), [(0.0, 85.0), (20.0, 85.0)]);
        assert_eq!(level_at(&runs, 30.0), None);
        assert!(pixels(&[(0.0, f64::NAN)]).is_empty());
    }

    #[test]
    fn dashes_cover_their_share() {
        let pieces = dashes(&[(0.0, 0.0), (10.0, 0.0), (10.0, 10.0)], 3.0, 2.0);
        assert_eq!(pieces.len(), 4);
        assert_eq!(pieces[0], [(0.0, 0.0), (3.0, 0.0)]);
        assert_eq!(pieces[2], [(10.0, 0.0), (10.0, 3.0)]);
        assert_eq!(dashes(&[(0.0, 0.0), (2.0, 0.0)], 3.0, 2.0).len(), 1);
        assert!(dashes(&[], 3.0, 2.0).is_empty());
    }
}
