//! The work of a sweep: what there is to run, and running it.

use std::collections::BTreeSet;
use std::io;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rayon::ThreadPool;
use rayon::prelude::*;

use super::analysis::own_columns;
use super::points::Points;
use super::unit::{LaneRow, Unit};
use super::{Partition, Sweep};
use crate::experiment::RunError;
use crate::experiment::optimum::SharedProbes;
use crate::experiment::run::run_seed;
use crate::scenario::{Scenario, ScenarioError};

/// Why a sweep stopped.
#[derive(Debug, thiserror::Error)]
pub enum SweepError {
    /// A scenario of it cannot be used.
    #[error(transparent)]
    Scenario(#[from] ScenarioError),
    /// A lane cannot be finished.
    #[error("at the point {point}: {error}")]
    Unit {
        /// The values of the axes.
        point: String,
        /// What is wrong.
        error: RunError,
    },
    /// A finished unit cannot be kept.
    #[error("a finished unit cannot be kept: {0}")]
    Keep(#[from] io::Error),
}

/// Everything there is to run.
pub struct Work<'s> {
    sweep: &'s Sweep,
    points: Points,
    /// For each point, the names of its policies.
    policies: Vec<Arc<[String]>>,
    /// For each point, about how long a unit takes, in shard reports.
    costs: Vec<u64>,
    seeds: Vec<u64>,
    /// All files that scenarios of the sweep read.
    files: BTreeSet<PathBuf>,
    probes: SharedProbes,
}

/// The most rows of `sweep.csv`, each of which takes about 400 bytes until all
/// tables are written.
const MOST_ROWS: u64 = 10_000_000;

/// What is learnt of a point by reading its scenario.
struct Checked {
    policies: Vec<String>,
    cost: u64,
    files: Vec<PathBuf>,
}

impl<'s> Work<'s> {
    /// Lays the work out, and reads the scenario of every point.
    ///
    /// # Errors
    ///
    /// When one of them cannot be used: the first.
    pub fn of(sweep: &'s Sweep, pool: &ThreadPool) -> Result<Self, ScenarioError> {
        /// Points that are read before the first fault ends it.
        const CHUNK: usize = 1024;
        sweep.check_names(&own_columns())?;
        let points = Points::of(sweep)?;
        let seeds: Vec<u64> = sweep.base.seeds().collect();
        let rows = points.len() as u64 * seeds.len() as u64 * sweep.base.policies.len() as u64;
        if rows > MOST_ROWS {
            return Err(sweep.too_many_rows(MOST_ROWS));
        }
        let mut work = Self {
            sweep,
            points,
            policies: Vec::new(),
            costs: Vec::new(),
            seeds,
            files: BTreeSet::new(),
            probes: SharedProbes::default(),
        };
        let mut last: Arc<[String]> = Arc::new([]);
        for first in (0..work.points.len()).step_by(CHUNK) {
            let chunk = first..(first + CHUNK).min(work.points.len());
            let checked: Vec<Result<Checked, ScenarioError>> = pool.install(|| {
                let check = |point| sweep.scenario(work.points.get(point)).map(Checked::from);
                chunk.into_par_iter().map(check).collect()
            });
            for checked in checked {
                let Checked { policies, cost, files } = checked?;
                if *last != *policies {
                    last = policies.into();
                }
                work.policies.push(Arc::clone(&last));
                work.costs.push(cost);
                work.files.extend(files);
            }
        }
        Ok(work)
    }

    /// The points.
    pub fn points(&self) -> &Points {
        &self.points
    }

    /// The names of a point's policies.
    pub fn policies(&self, point: usize) -> &Arc<[String]> {
        &self.policies[point]
    }

    /// The seeds of every point.
    pub fn seeds(&self) -> &[u64] {
        &self.seeds
    }

    /// All files that its scenarios read.
    pub fn files(&self) -> &BTreeSet<PathBuf> {
        &self.files
    }

    /// The point and the position of the seed of a unit.
    pub fn place(&self, unit: u64) -> (usize, usize) {
        let seeds = self.seeds.len() as u64;
        ((unit / seeds) as usize, (unit % seeds) as usize)
    }

    /// The units of a partition, in order.
    pub fn units(&self, partition: Partition) -> impl Iterator<Item = u64> {
        let all = self.points.len() as u64 * self.seeds.len() as u64;
        (u64::from(partition.part - 1)..all).step_by(partition.of as usize)
    }

    /// Runs units, those that take longest first, on all threads of a pool. Each
    /// is given to `keep` as it is finished, in any order.
    ///
    /// # Errors
    ///
    /// When a unit cannot be finished or kept; others may have been.
    pub fn run(
        &self,
        mut units: Vec<u64>,
        pool: &ThreadPool,
        keep: &(dyn Fn(Unit) -> io::Result<()> + Sync),
    ) -> Result<(), SweepError> {
        units.sort_by_key(|unit| std::cmp::Reverse(self.costs[self.place(*unit).0]));
        let next = AtomicUsize::new(0);
        let stopped = AtomicBool::new(false);
        let failed: Mutex<Option<(u64, SweepError)>> = Mutex::new(None);
        // Each thread takes the next unit of the list, so that the order holds.
        pool.broadcast(|_| {
            while !stopped.load(Ordering::Relaxed) {
                let Some(&unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) else { return };
                let kept = self.run_unit(unit).and_then(|unit| Ok(keep(unit)?));
                let Err(error) = kept else { continue };
                stopped.store(true, Ordering::Relaxed);
                // Whoever panicked has left it whole.
                let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                if failed.as_ref().is_none_or(|(other, _)| unit < *other) {
                    *failed = Some((unit, error));
                }
            }
        });
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            None => Ok(()),
        }
    }

    fn run_unit(&self, index: u64) -> Result<Unit, SweepError> {
        let (point, seed) = self.place(index);
        let mut scenario = self.sweep.scenario(self.points.get(point))?;
        // Samples change nothing that is kept.
        scenario.run.sample_every = scenario.duration();
        scenario.report.hosts = false;
        let seed = self.seeds[seed];
        let probes = self.probes.get(&scenario, seed);
        let lanes = run_seed(&scenario, seed, probes.as_deref()).map_err(|error| {
            let labels = self.labels(point);
            let point = self.sweep.describe(labels.iter().map(String::as_str));
            SweepError::Unit { point, error }
        })?;
        Ok(Unit { index, lanes: lanes.iter().map(LaneRow::from).collect() })
    }

    /// The values of a point, as tables show them.
    pub fn labels(&self, point: usize) -> Vec<String> {
        let coordinates = self.points.get(point).iter();
        self.sweep.axes.iter().zip(coordinates).map(|(axis, at)| axis.level(*at).label).collect()
    }
}

impl From<Scenario> for Checked {
    fn from(scenario: Scenario) -> Self {
        let heartbeats = scenario.duration().0 / scenario.cluster.heartbeat.0 + 1;
        let shards = scenario.workload.shards().len() as u64;
        let lanes = scenario.policies.len() as u64;
        Self {
            cost: heartbeats.saturating_mul(shards).saturating_mul(lanes),
            files: scenario.input_files(),
            policies: scenario.policies.into_iter().map(|policy| policy.name).collect(),
        }
    }
}
