//! One lane: a policy under a seed, and everything that is recorded of it.

use std::collections::BTreeMap;

use super::budgeted::Allowed;
use super::optimum::Probes;
use super::recorder::Recorder;
use crate::metrics::{Balance, excess};
use crate::model::{HostId, HostStatus, ShardId, SimDuration, SimTime};
use crate::optimum::{Metric, OptimumError, Stage, Status};
use crate::policy::{MoveReason, PassOutcome};
use crate::sim::{EventRecord, SimError, Simulation};

/// What a lane comes to, in one row. Ratios are time-weighted after the
/// warmup; counts are of the whole run.
#[derive(Clone, Debug, PartialEq)]
pub struct Summary {
    /// Mean of hot_ratio over time.
    pub hot_ratio_mean: f64,
    /// Median of hot_ratio over time.
    pub hot_ratio_p50: f64,
    /// 99th percentile of hot_ratio over time.
    pub hot_ratio_p99: f64,
    /// Largest hot_ratio.
    pub hot_ratio_max: f64,
    /// hot_ratio at the end.
    pub hot_ratio_final: f64,
    /// Mean of the floor over time.
    pub floor_mean: f64,
    /// Mean of the optimum over the time for which it is known: from each probe
    /// until loads or hosts change.
    pub optimum_mean: Option<f64>,
    /// Mean of the excess over that time.
    pub excess_mean: Option<f64>,
    /// Mean of square_ratio over time.
    pub square_ratio_mean: f64,
    /// The same means by the sum of squares.
    pub square_optimum_mean: Option<f64>,
    /// Mean of that excess.
    pub square_excess_mean: Option<f64>,
    /// Mean over time of the coefficient of variation of the utilisations.
    pub cv_mean: f64,
    /// Number of moves.
    pub moves: u64,
    /// Load moved, in units a second.
    pub moved_load: f64,
    /// The most moves of one shard.
    pub moves_per_shard_max: u32,
    /// Shard-seconds without service.
    pub unavailable_s: f64,
}

impl Summary {
    /// The names of its columns, in the order of [`Self::values`].
    pub const METRICS: [&'static str; 16] = [
        "hot_ratio_mean",
        "hot_ratio_p50",
        "hot_ratio_p99",
        "hot_ratio_max",
        "hot_ratio_final",
        "floor_mean",
        "optimum_mean",
        "excess_mean",
        "cv_mean",
        "moves",
        "moved_load",
        "moves_per_shard_max",
        "unavailable_s",
        "square_ratio_mean",
        "square_optimum_mean",
        "square_excess_mean",
    ];

    /// How many of them stand before the digest; columns that came later follow it.
    pub const BEFORE_DIGEST: usize = 13;

    /// Its columns as numbers; NaN for what does not apply.
    pub fn values(&self) -> [f64; Self::METRICS.len()] {
        [
            self.hot_ratio_mean,
            self.hot_ratio_p50,
            self.hot_ratio_p99,
            self.hot_ratio_max,
            self.hot_ratio_final,
            self.floor_mean,
            self.optimum_mean.unwrap_or(f64::NAN),
            self.excess_mean.unwrap_or(f64::NAN),
            self.cv_mean,
            self.moves as f64,
            self.moved_load,
            f64::from(self.moves_per_shard_max),
            self.unavailable_s,
            self.square_ratio_mean,
            self.square_optimum_mean.unwrap_or(f64::NAN),
            self.square_excess_mean.unwrap_or(f64::NAN),
        ]
    }
}

/// A row of the time series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleRow {
    /// When.
    pub time: SimTime,
    /// The true imbalance.
    pub balance: Balance,
    /// hot_ratio by the loads the policy believes in.
    pub believed_hot_ratio: Option<f64>,
    /// Moves so far.
    pub moves: u64,
    /// Load moved so far.
    pub moved_load: f64,
}

/// One move, with the true load of the shard at that time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MoveRow {
    /// When.
    pub time: SimTime,
    /// Which shard.
    pub shard: ShardId,
    /// From where.
    pub from: HostId,
    /// To where.
    pub to: HostId,
    /// Its load, in units a second.
    pub load: f64,
    /// Why.
    pub reason: MoveReason,
}

/// A host at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct HostRow {
    /// When.
    pub time: SimTime,
    /// Its name.
    pub host: String,
    /// Its capacity.
    pub capacity: f64,
    /// Its load.
    pub load: f64,
    /// How many shards it owns.
    pub shards: usize,
    /// What it may do.
    pub status: HostStatus,
    /// Shards received so far.
    pub moved_in: u64,
    /// Shards given away so far.
    pub moved_out: u64,
    /// Load of the shards it owns now and did not own at the start.
    pub arrived_load: f64,
}

/// A policy beside the optimum at an instant.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeRow {
    /// When.
    pub time: SimTime,
    /// The policy's hot_ratio.
    pub hot_ratio: f64,
    /// By what the two are compared; the values below are by that.
    pub metric: Metric,
    /// The policy's value.
    pub value: f64,
    /// The least value known to be possible.
    pub optimum: f64,
    /// The least that is not proved impossible.
    pub bound: f64,
    /// Whether the two meet.
    pub status: Status,
    /// The stage of the solver that decided.
    pub solver: Stage,
    /// Moves from here to the optimum.
    pub moves_to_optimum: u64,
    /// The optimum within the policy's own budget, where that was asked for.
    pub budgeted: Option<BudgetedRow>,
}

/// The best that a policy's own budget allowed since the probe before, from
/// where the shards were then.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BudgetedRow {
    /// Moves that the passes since had together; at most one a shard.
    pub budget: u64,
    /// The least value known to be possible with these.
    pub optimum: f64,
    /// The least that is not proved impossible.
    pub bound: f64,
    /// Whether the two meet.
    pub status: Status,
    /// The stage of the solver that decided.
    pub solver: Stage,
}

impl BudgetedRow {
    /// How far the optimum may still be from the bound.
    pub fn gap(&self) -> f64 {
        gap(self.optimum, self.bound)
    }
}

/// `(value - bound) / bound`.
fn gap(value: f64, bound: f64) -> f64 {
    (value - bound) / bound
}

impl ProbeRow {
    /// How far the optimum may still be from the bound.
    pub fn gap(&self) -> f64 {
        gap(self.optimum, self.bound)
    }

    /// How far the policy is from the optimum.
    pub fn excess(&self) -> f64 {
        excess(self.value, self.optimum)
    }

    /// How far the policy is from the optimum within its own budget.
    pub fn budgeted_excess(&self) -> Option<f64> {
        self.budgeted.map(|row| excess(self.value, row.optimum))
    }
}

/// A finished lane.
#[derive(Clone, Debug)]
pub struct Lane {
    /// Index of the policy in the scenario.
    pub policy: usize,
    /// The seed.
    pub seed: u64,
    /// The row of the summary.
    pub summary: Summary,
    /// Rows of the time series.
    pub samples: Vec<SampleRow>,
    /// The moves in order.
    pub moves: Vec<MoveRow>,
    /// The hosts at the start and the end, or at every sample.
    pub hosts: Vec<HostRow>,
    /// How often passes ended in which way.
    pub passes: BTreeMap<PassOutcome, u64>,
    /// The probes.
    pub probes: Vec<ProbeRow>,
    /// Names of the hosts by index.
    pub host_names: Vec<String>,
    /// The event log, if it was asked for.
    pub events: Vec<EventRecord>,
    /// The digest of the run.
    pub digest: u64,
    /// Loads reported to the policy.
    pub reports: u64,
}

/// What a lane records, beside what it always does.
#[derive(Clone, Copy, Debug)]
pub(super) struct Recording {
    pub(super) warmup: SimDuration,
    pub(super) duration: SimDuration,
    pub(super) hosts_at_samples: bool,
    pub(super) events: bool,
}

/// Why a lane cannot be finished.
#[derive(Debug, thiserror::Error)]
pub(super) enum LaneError {
    #[error(transparent)]
    Sim(#[from] SimError),
    #[error("the optimum cannot be computed: {0}")]
    Optimum(#[from] OptimumError),
}

/// Runs a simulation to its end and records it.
pub(super) fn run_lane(
    policy: usize,
    seed: u64,
    mut simulation: Simulation<'_>,
    probes: Option<&Probes>,
    allowed: Option<Allowed>,
    recording: Recording,
) -> Result<Lane, LaneError> {
    let mut recorder = Recorder::new(recording, probes, allowed);
    simulation.run(&mut recorder)?;
    let summary = recorder.finish(simulation.cluster())?;
    Ok(Lane {
        policy,
        seed,
        summary,
        host_names: simulation.cluster().hosts().iter().map(|host| host.name.clone()).collect(),
        digest: simulation.digest().value(),
        reports: simulation.reports(),
        samples: recorder.samples,
        moves: recorder.moves,
        hosts: recorder.hosts,
        passes: recorder.passes,
        probes: recorder.probe_rows,
        events: recorder.events,
    })
}
