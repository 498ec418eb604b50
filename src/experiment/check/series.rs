//! A metric of one lane over time, and what a window shows of it.

use super::Problem;
use crate::experiment::lane::{Lane, ProbeRow, SampleRow, Summary};
use crate::metrics::TimeWeighted;
use crate::model::SimTime;
use crate::scenario::{Metric, Rows, Statistic};

/// Values at instants; each holds until the next one. NaN where there is none.
pub(super) type Points = Vec<(SimTime, f64)>;

/// The values of a metric over time, from the table that has it.
pub(super) fn points(metric: Metric, rows: Rows, lane: &Lane) -> Points {
    match rows {
        Rows::Samples => {
            lane.samples.iter().map(|row| (row.time, of_sample(metric, row))).collect()
        }
        Rows::Probes(by) => {
            let rows = lane.probes.iter().filter(|row| row.metric == by);
            rows.map(|row| (row.time, of_probe(metric, row))).collect()
        }
    }
}

fn of_sample(metric: Metric, row: &SampleRow) -> f64 {
    match metric {
        Metric::HotRatio => row.balance.hot_ratio,
        Metric::Cv => row.balance.cv,
        Metric::MinRatio => row.balance.min_ratio,
        Metric::Floor => row.balance.floor,
        Metric::BelievedHotRatio => row.believed_hot_ratio.unwrap_or(f64::NAN),
        Metric::Moves => row.moves as f64,
        Metric::MovedLoad => row.moved_load,
        Metric::Hosts => row.balance.hosts as f64,
        Metric::SquareRatio => row.balance.square_ratio,
        _ => f64::NAN,
    }
}

fn of_probe(metric: Metric, row: &ProbeRow) -> f64 {
    let within = |value: fn(&crate::experiment::BudgetedRow) -> f64| {
        row.budgeted.as_ref().map_or(f64::NAN, value)
    };
    match metric {
        Metric::HotRatio | Metric::SquareRatio => row.value,
        Metric::Optimum | Metric::SquareOptimum => row.optimum,
        Metric::Bound | Metric::SquareBound => row.bound,
        Metric::Gap | Metric::SquareGap => row.gap(),
        Metric::Excess | Metric::SquareExcess => row.excess(),
        Metric::MovesToOptimum => row.moves_to_optimum as f64,
        Metric::Budget => within(|row| row.budget as f64),
        Metric::BudgetedOptimum => within(|row| row.optimum),
        Metric::BudgetedBound => within(|row| row.bound),
        Metric::BudgetedGap => within(|row| row.gap()),
        Metric::BudgetedExcess => row.budgeted_excess().unwrap_or(f64::NAN),
        _ => f64::NAN,
    }
}

/// The value of a metric for the whole lane; NaN for what does not apply.
pub(super) fn of_summary(metric: Metric, summary: &Summary) -> f64 {
    let column = Summary::METRICS.iter().position(|name| *name == metric.as_str());
    column.map_or(f64::NAN, |column| summary.values()[column])
}

/// A value and the time for which it holds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// From when on.
    pub since: SimTime,
    /// Until when; the same instant for what a window ends with.
    pub until: SimTime,
    /// The value.
    pub value: f64,
}

/// What a window shows: the value that it begins with and all that follow up
/// to its end, with the time that each holds in it.
#[derive(Clone, Debug)]
pub(super) struct View(Vec<Step>);

impl View {
    /// Looks at values from one instant to another, both included. O(points).
    ///
    /// # Errors
    ///
    /// When no value was taken in that time, or one of them is no number.
    pub(super) fn new(points: &Points, from: SimTime, to: SimTime) -> Result<Self, Problem> {
        let end = points.partition_point(|(time, _)| *time <= to);
        let first_inside = points.partition_point(|(time, _)| *time < from).min(end);
        let inside = points[first_inside..end].iter();
        if inside.clone().all(|(_, value)| value.is_nan()) {
            return Err(Problem::NoSamples);
        }
        // What the window begins with was taken before it, or at its start.
        let begins_inside = points[first_inside].0 == from;
        let start = first_inside.saturating_sub(usize::from(!begins_inside));
        let steps = (start..end).map(|index| {
            let (taken, value) = points[index];
            let since = taken.max(from);
            let until = points[..end].get(index + 1).map_or(to, |(next, _)| *next);
            Step { since, until, value }
        });
        let steps: Vec<Step> = steps.collect();
        match steps.iter().find(|step| !step.value.is_finite()) {
            Some(step) => Err(Problem::NotANumber { time: Some(step.since) }),
            None => Ok(Self(steps)),
        }
    }

    /// One number for the window.
    pub(super) fn statistic(&self, statistic: Statistic) -> f64 {
        let values = || self.0.iter().map(|step| step.value);
        let over_time = || {
            let mut weighted = TimeWeighted::default();
            self.0.iter().for_each(|step| weighted.push(step.value, step.until - step.since));
            weighted
        };
        let quantile = |q| over_time().quantiles([q]).map(|[value]| value);
        let result = match statistic {
            Statistic::Mean => over_time().mean(),
            Statistic::Min => values().reduce(f64::min),
            Statistic::Max => values().reduce(f64::max),
            Statistic::Final => values().next_back(),
            Statistic::Increase => values().next_back().map(|last| last - self.first()),
            Statistic::P50 => quantile(0.5),
            Statistic::P90 => quantile(0.9),
            Statistic::P95 => quantile(0.95),
            Statistic::P99 => quantile(0.99),
        };
        result.unwrap_or(f64::NAN)
    }

    fn first(&self) -> f64 {
        self.0.first().map_or(f64::NAN, |step| step.value)
    }

    /// The values that a statistic looks at, equal ones in a row together. For
    /// an increase they are counted from the first.
    pub(super) fn values(&self, statistic: Statistic) -> Vec<Step> {
        let base = if statistic == Statistic::Increase { self.first() } else { 0.0 };
        let from = if statistic == Statistic::Final { self.0.len().saturating_sub(1) } else { 0 };
        let mut steps: Vec<Step> = Vec::new();
        for step in &self.0[from..] {
            let value = step.value - base;
            match steps.last_mut().filter(|last| last.value == value) {
                Some(last) => last.until = step.until,
                None => steps.push(Step { value, ..*step }),
            }
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SimDuration;

    fn at(second: u64) -> SimTime {
        SimTime::ZERO + SimDuration::from_secs(second)
    }

    /// 1 from 0 s, 3 from 10 s, 2 from 20 s, 2 from 30 s.
    fn points() -> Points {
        vec![(at(0), 1.0), (at(10), 3.0), (at(20), 2.0), (at(30), 2.0)]
    }

    #[test]
    fn values_count_by_the_time_they_hold_in_the_window() {
        let view = View::new(&points(), at(5), at(30)).unwrap();
        let statistic = |statistic| view.statistic(statistic);
        // 1 for 5 s, 3 for 10 s, 2 for 10 s.
        assert_eq!(statistic(Statistic::Mean), 2.2);
        assert_eq!(statistic(Statistic::Min), 1.0);
        assert_eq!(statistic(Statistic::Max), 3.0);
        assert_eq!(statistic(Statistic::Final), 2.0);
        assert_eq!(statistic(Statistic::Increase), 1.0);
        assert_eq!(statistic(Statistic::P50), 2.0);
        assert_eq!(statistic(Statistic::P90), 3.0);
        let step = |since, until, value| Step { since: at(since), until: at(until), value };
        let all = [step(5, 10, 1.0), step(10, 20, 3.0), step(20, 30, 2.0)];
        assert_eq!(view.values(Statistic::Max), all);
        assert_eq!(view.values(Statistic::Final), [step(30, 30, 2.0)]);
        assert_eq!(view.values(Statistic::Increase)[1], step(10, 20, 2.0));
    }

    #[test]
    fn the_value_at_the_end_of_a_window_is_in_it_for_no_time() {
        let view = View::new(&points(), at(0), at(10)).unwrap();
        assert_eq!(view.statistic(Statistic::Mean), 1.0);
        assert_eq!(view.statistic(Statistic::P99), 1.0);
        assert_eq!(view.statistic(Statistic::Max), 3.0);
        assert_eq!(view.statistic(Statistic::Final), 3.0);
    }

    #[test]
    fn a_window_that_begins_at_a_value_does_not_see_the_one_before() {
        let view = View::new(&points(), at(10), at(25)).unwrap();
        assert_eq!(view.statistic(Statistic::Min), 2.0);
        assert_eq!(view.statistic(Statistic::Increase), -1.0);
    }

    #[test]
    fn a_window_without_values_shows_nothing() {
        let problem = |points: &Points, from, to| View::new(points, at(from), at(to)).unwrap_err();
        assert_eq!(problem(&points(), 12, 18), Problem::NoSamples);
        assert_eq!(problem(&points(), 31, 60), Problem::NoSamples);
        assert_eq!(problem(&vec![], 0, 60), Problem::NoSamples);
        assert_eq!(problem(&vec![(at(0), f64::NAN); 2], 0, 60), Problem::NoSamples);
        let gap = vec![(at(0), 1.0), (at(10), f64::NAN), (at(20), 1.0)];
        assert_eq!(problem(&gap, 0, 60), Problem::NotANumber { time: Some(at(10)) });
        assert_eq!(problem(&gap, 15, 60), Problem::NotANumber { time: Some(at(15)) });
        let endless = vec![(at(0), f64::INFINITY)];
        assert_eq!(problem(&endless, 0, 60), Problem::NotANumber { time: Some(at(0)) });
    }
}
