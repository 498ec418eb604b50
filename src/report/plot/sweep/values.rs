//! What the plots of a sweep show, and where its values lie along an axis.

use std::collections::BTreeMap;

use crate::model::SimDuration;

/// An axis of a sweep.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SweepAxis {
    /// Its name.
    pub name: String,
    /// Whether its values are numbers or durations.
    pub numeric: bool,
}

/// A mean at one point, for one policy.
#[derive(Clone, Debug, PartialEq)]
pub struct SweepMark {
    /// The values of the axes, as tables show them.
    pub at: Vec<String>,
    /// Position of the policy.
    pub policy: usize,
    /// The mean; NaN where there is none.
    pub mean: f64,
    /// Its interval; NaN where there is none.
    pub interval: (f64, f64),
}

/// What a plot over axes shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SweepPlot {
    /// The headline.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// What the numbers are, with a unit.
    pub quantity: String,
    /// Whether they are counts.
    pub counts: bool,
    /// The axes, in order.
    pub axes: Vec<SweepAxis>,
    /// The policies, in order.
    pub policies: Vec<String>,
    /// The means, in any order.
    pub marks: Vec<SweepMark>,
}

/// The values that occur along an axis.
#[derive(Clone, Debug)]
pub(super) struct Values {
    /// Each once: numbers rising, words in order of appearance.
    pub(super) labels: Vec<String>,
    /// For each, its number; its place for words.
    pub(super) numbers: Vec<f64>,
    places: BTreeMap<String, usize>,
    numeric: bool,
}

impl Values {
    pub(super) fn of(plot: &SweepPlot, axis: usize) -> Self {
        let numeric = plot.axes[axis].numeric;
        let mut seen = BTreeMap::new();
        let mut labels: Vec<String> = Vec::new();
        for label in plot.marks.iter().filter_map(|mark| mark.at.get(axis)) {
            if seen.insert(label.clone(), ()).is_none() {
                labels.push(label.clone());
            }
        }
        let numeric = numeric && labels.iter().all(|label| number(label).is_some());
        if numeric {
            let of = |label: &String| number(label).unwrap_or(f64::NAN);
            labels.sort_by(|a, b| of(a).total_cmp(&of(b)));
        }
        let numbers = labels
            .iter()
            .enumerate()
            .map(|(place, label)| number(label).filter(|_| numeric).unwrap_or(place as f64))
            .collect();
        let places = labels.iter().enumerate().map(|(place, l)| (l.clone(), place)).collect();
        Self { labels, numbers, places, numeric }
    }

    pub(super) fn len(&self) -> usize {
        self.labels.len()
    }

    /// Where a value stands among the others.
    pub(super) fn place(&self, label: &str) -> usize {
        self.places.get(label).copied().unwrap_or(0)
    }

    /// For each value its share of the axis from 0 to 1: by its number, or its
    /// logarithm when numbers lie twentyfold apart; words at equal distances.
    pub(super) fn shares(&self) -> Vec<f64> {
        let (Some(&first), Some(&last)) = (self.numbers.first(), self.numbers.last()) else {
            return Vec::new();
        };
        let is_log = self.numeric && first > 0.0 && last >= 20.0 * first;
        let bend = |number: f64| if is_log { libm::log(number) } else { number };
        let (low, length) = (bend(first), bend(last) - bend(first));
        let share = |number: &f64| match length > 0.0 && length.is_finite() {
            true => (bend(*number) - low) / length,
            false => 0.5,
        };
        self.numbers.iter().map(share).collect()
    }
}

/// The number of a label: itself, or the seconds of a duration.
pub(super) fn number(label: &str) -> Option<f64> {
    let plain = label.parse::<f64>().ok().filter(|number| number.is_finite());
    plain.or_else(|| Some(label.parse::<SimDuration>().ok()?.as_secs_f64()))
}

impl SweepPlot {
    /// A number as labels show it.
    pub(super) fn text(&self, value: f64) -> String {
        match self.counts {
            true => crate::report::plot::number::count(value),
            false => crate::report::plot::number::fixed(value, 2),
        }
    }

    /// The smallest and the largest mean.
    pub(super) fn range(&self) -> Option<(f64, f64)> {
        let means = || self.marks.iter().map(|mark| mark.mean).filter(|mean| mean.is_finite());
        Some((means().reduce(f64::min)?, means().reduce(f64::max)?))
    }
}
