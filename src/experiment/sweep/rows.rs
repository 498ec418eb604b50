//! The results of a sweep, by point.

use std::sync::Arc;

use super::identity::Partition;
use super::unit::{LaneRow, Unit};
use super::work::Work;
use crate::experiment::Summary;

/// The results of one point.
#[derive(Clone, Debug, PartialEq)]
pub struct PointRows {
    /// Its number, from 0.
    pub point: usize,
    /// The values of the axes.
    pub labels: Vec<String>,
    /// The names of its policies.
    pub policies: Arc<[String]>,
    /// The seeds that were run; in a partition not all.
    pub seeds: Vec<u64>,
    /// By policy, then by seed.
    pub lanes: Vec<LaneRow>,
}

impl PointRows {
    /// The lanes of a policy, by seed.
    pub fn of_policy(&self, policy: usize) -> &[LaneRow] {
        &self.lanes[policy * self.seeds.len()..][..self.seeds.len()]
    }

    /// The values of a metric for one policy; those that do not apply are left
    /// out.
    pub fn values(&self, policy: usize, metric: usize) -> Vec<f64> {
        let values = self.of_policy(policy).iter().map(|lane| lane.values[metric]);
        values.filter(|value| value.is_finite()).collect()
    }

    /// The differences of a metric between two policies under the same seeds.
    pub fn differences(&self, (a, b): (usize, usize), metric: usize) -> Vec<f64> {
        let pairs = self.of_policy(a).iter().zip(self.of_policy(b));
        let differences = pairs.map(|(a, b)| a.values[metric] - b.values[metric]);
        differences.filter(|difference| difference.is_finite()).collect()
    }
}

/// The place of a metric in [`Summary::METRICS`].
pub fn metric(name: &str) -> Option<usize> {
    Summary::METRICS.iter().position(|metric| *metric == name)
}

/// Puts the finished units of a partition in order. Units that are missing leave
/// their seeds out.
pub fn rows(work: &Work<'_>, partition: Partition, units: &[Option<Unit>]) -> Vec<PointRows> {
    let mut points: Vec<PointRows> = Vec::new();
    let mut of_point: Vec<&Unit> = Vec::new();
    let finished = work.units(partition).zip(units).filter_map(|(_, unit)| unit.as_ref());
    let mut finish = |units: &mut Vec<&Unit>| {
        let Some(first) = units.first() else { return };
        let (point, _) = work.place(first.index);
        let policies = Arc::clone(work.policies(point));
        let seeds = units.iter().map(|unit| work.seeds()[work.place(unit.index).1]).collect();
        let by_policy =
            (0..policies.len()).flat_map(|p| units.iter().map(move |unit| unit.lanes[p]));
        let lanes = by_policy.collect();
        points.push(PointRows { point, labels: work.labels(point), policies, seeds, lanes });
        units.clear();
    };
    for unit in finished {
        let is_next = of_point
            .last()
            .is_some_and(|last| work.place(last.index).0 != work.place(unit.index).0);
        if is_next {
            finish(&mut of_point);
        }
        of_point.push(unit);
    }
    finish(&mut of_point);
    points
}
