//! Statistics of a quantity that holds a value for a time.

use crate::model::SimDuration;

/// A step function of time: values and how long each held.
#[derive(Clone, Debug, Default)]
pub struct TimeWeighted {
    steps: Vec<(f64, SimDuration)>,
}

impl TimeWeighted {
    /// Adds a value that held for a time; no time adds nothing.
    pub fn push(&mut self, value: f64, held: SimDuration) {
        match self.steps.last_mut() {
            _ if held == SimDuration::ZERO => {}
            Some((last, duration)) if *last == value => duration.0 += held.0,
            _ => self.steps.push((value, held)),
        }
    }

    fn total(&self) -> u64 {
        self.steps.iter().map(|(_, held)| held.0).sum()
    }

    /// The mean over time; `None` if no time has passed.
    pub fn mean(&self) -> Option<f64> {
        let total = SimDuration(self.total()).as_secs_f64();
        let sum: f64 = self.steps.iter().map(|(value, held)| value * held.as_secs_f64()).sum();
        (total > 0.0).then(|| sum / total)
    }

    /// The largest value.
    pub fn max(&self) -> Option<f64> {
        self.steps.iter().map(|(value, _)| *value).reduce(f64::max)
    }

    /// For each `q` in (0, 1], the least value v such that the quantity was at
    /// or below v for a share q of the time (the inverse of the distribution
    /// function over time). O(n log n).
    pub fn quantiles<const N: usize>(&self, qs: [f64; N]) -> Option<[f64; N]> {
        let mut sorted = self.steps.clone();
        sorted.sort_by(|a, b| a.0.total_cmp(&b.0));
        let &(largest, _) = sorted.last()?;
        let total = self.total() as f64;
        Some(qs.map(|q| {
            let mut reached = 0;
            for (value, held) in &sorted {
                reached += held.0;
                if reached as f64 >= q * total {
                    return *value;
                }
            }
            largest
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_count_by_the_time_they_hold() {
        let mut ratio = TimeWeighted::default();
        assert_eq!(ratio.mean(), None);
        assert_eq!(ratio.quantiles([0.5]), None);
        for (value, seconds) in [(3.0, 1), (1.0, 6), (2.0, 0), (2.0, 3)] {
            ratio.push(value, SimDuration::from_secs(seconds));
        }
        assert_eq!(ratio.mean(), Some(1.5));
        assert_eq!(ratio.max(), Some(3.0));
        assert_eq!(ratio.quantiles([0.5, 0.6, 0.9, 0.99]), Some([1.0, 1.0, 2.0, 3.0]));
    }
}
