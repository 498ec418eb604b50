//! Values over time in several lanes, and their mean and range.

/// A value from this time on, until the next sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Seconds since the start of the run.
    pub time_s: f64,
    /// The value; NaN where it is missing, which leaves a gap.
    pub value: f64,
}

/// One named quantity over time, in one lane for each seed.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Series {
    /// What the label says.
    pub name: String,
    /// The samples of each seed. Samples whose time is not finite are left out.
    pub lanes: Vec<Vec<Sample>>,
}

/// Mean and range over the lanes from one time on; all NaN in a gap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Spread {
    pub(super) time_s: f64,
    pub(super) mean: f64,
    pub(super) low: f64,
    pub(super) high: f64,
}

impl Spread {
    /// Mean, smallest and largest of the finite values; NaN when there are none.
    pub(super) fn of(time_s: f64, values: impl Iterator<Item = f64>) -> Self {
        let (mut sum, mut count) = (0.0, 0.0);
        let (mut low, mut high) = (f64::NAN, f64::NAN);
        for value in values.filter(|value| value.is_finite()) {
            sum += value;
            count += 1.0;
            // `min` and `max` pass over the NaN of the start.
            low = value.min(low);
            high = value.max(high);
        }
        // Rounding must not carry the mean out of its range.
        let mean = if count > 0.0 { (sum / count).clamp(low, high) } else { f64::NAN };
        Spread { time_s, mean, low, high }
    }
}

impl Series {
    /// Mean and range at every time at which any lane has a sample; a lane
    /// counts from its first sample on. O(samples x log(samples) + times x lanes).
    pub(super) fn spreads(&self) -> Vec<Spread> {
        let lanes: Vec<Vec<Sample>> = self.lanes.iter().map(|lane| in_order(lane)).collect();
        let mut times: Vec<f64> = lanes.iter().flatten().map(|sample| sample.time_s).collect();
        times.sort_by(f64::total_cmp);
        times.dedup();
        let mut seen = vec![0; lanes.len()];
        let mut spreads = Vec::with_capacity(times.len());
        for time_s in times {
            for (lane, seen) in lanes.iter().zip(&mut seen) {
                while lane.get(*seen).is_some_and(|sample| sample.time_s <= time_s) {
                    *seen += 1;
                }
            }
            let current = lanes
                .iter()
                .zip(&seen)
                .filter_map(|(lane, seen)| lane[..*seen].last())
                .map(|sample| sample.value);
            spreads.push(Spread::of(time_s, current));
        }
        spreads
    }
}

/// Averages over cells of `cell_s` seconds (above 0) from the first time on,
/// weighted by time, with the range over each cell. The last value is kept as it
/// is. O(values + cells).
pub(super) fn coarsened(spreads: &[Spread], cell_s: f64) -> Vec<Spread> {
    let (Some(first), Some(last)) = (spreads.first(), spreads.last()) else {
        return Vec::new();
    };
    let cells = ((last.time_s - first.time_s) / cell_s).ceil() as usize;
    let mut coarse = Vec::with_capacity(cells + 1);
    let mut next = 0;
    for cell in 0..cells {
        let start = first.time_s + cell as f64 * cell_s;
        let end = first.time_s + (cell + 1) as f64 * cell_s;
        let (mut sum, mut weight) = (0.0, 0.0);
        let (mut low, mut high) = (f64::NAN, f64::NAN);
        while let Some(pair) = spreads.get(next..next + 2) {
            let (current, until) = (pair[0], pair[1].time_s);
            let lasts = until.min(end) - current.time_s.max(start);
            if current.mean.is_finite() && lasts > 0.0 {
                sum += lasts * current.mean;
                weight += lasts;
                low = current.low.min(low);
                high = current.high.max(high);
            }
            if until > end {
                break;
            }
            next += 1;
        }
        let mean = if weight > 0.0 { (sum / weight).clamp(low, high) } else { f64::NAN };
        coarse.push(Spread { time_s: start, mean, low, high });
    }
    coarse.push(*last);
    coarse
}

fn in_order(lane: &[Sample]) -> Vec<Sample> {
    let mut samples: Vec<Sample> =
        lane.iter().copied().filter(|sample| sample.time_s.is_finite()).collect();
    // Minus zero is zero, for a total order that agrees with `<=`.
    samples.iter_mut().for_each(|sample| sample.time_s += 0.0);
    samples.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    samples
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lane(samples: &[(f64, f64)]) -> Vec<Sample> {
        samples.iter().map(|&(time_s, value)| Sample { time_s, value }).collect()
    }

    #[test]
    fn lanes_with_other_times_hold_their_values() {
        let series = Series {
            name: "a".into(),
            lanes: vec![lane(&[(0.0, 1.0), (10.0, 3.0)]), lane(&[(5.0, 5.0), (0.0, 2.0)])],
        };
        let spread = |time_s, mean, low, high| Spread { time_s, mean, low, high };
        assert_eq!(
            series.spreads(),
            [spread(0.0, 1.5, 1.0, 2.0), spread(5.0, 3.0, 1.0, 5.0), spread(10.0, 4.0, 3.0, 5.0)]
        );
    }

    #[test]
    fn missing_values_leave_gaps() {
        let series = Series {
            name: "a".into(),
            lanes: vec![
                lane(&[(0.0, 1.0), (1.0, f64::NAN), (2.0, 2.0)]),
                lane(&[(f64::NAN, 9.0), (1.5, f64::INFINITY)]),
            ],
        };
        let means: Vec<f64> = series.spreads().iter().map(|spread| spread.mean).collect();
        assert_eq!(means.len(), 4);
        assert_eq!((means[0], means[3]), (1.0, 2.0));
        assert!(means[1].is_nan() && means[2].is_nan());
    }

    #[test]
    fn coarse_cells_average_by_time() {
        let values = [(0.0, 1.0), (1.0, 4.0), (4.0, 2.0), (12.0, f64::NAN), (16.0, 7.0)];
        let spreads: Vec<Spread> =
            values.iter().map(|&(time_s, value)| Spread::of(time_s, [value].into_iter())).collect();
        let coarse = coarsened(&spreads, 4.0);
        let means: Vec<f64> = coarse.iter().map(|spread| spread.mean).collect();
        assert_eq!(means[..3], [(1.0 + 3.0 * 4.0) / 4.0, 2.0, 2.0]);
        assert!(means[3].is_nan());
        assert_eq!(coarse[4], spreads[4]);
        assert_eq!((coarse[0].low, coarse[0].high), (1.0, 4.0));
        assert!(coarsened(&[], 1.0).is_empty());
        assert_eq!(coarsened(&spreads[..1], 1.0), spreads[..1]);
    }
}
