//! One lane: a policy under a seed, and everything that is recorded of it.

use std::collections::BTreeMap;

use super::optimum::Probes;
use crate::metrics::{Balance, Demand, Movement, TimeWeighted, moves_between};
use crate::model::{HostId, HostStatus, ShardId, SimDuration, SimTime};
use crate::optimum::{OptimumError, Stage, Status};
use crate::policy::{Move, MoveReason, PassOutcome};
use crate::sim::{Cluster, EventRecord, Observer, SimError, Simulation};

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
    /// The least hot_ratio known to be possible.
    pub optimum: f64,
    /// The least that is not proved impossible.
    pub bound: f64,
    /// Whether the two meet.
    pub status: Status,
    /// The stage of the solver that decided.
    pub solver: Stage,
    /// Moves from here to the optimum.
    pub moves_to_optimum: u64,
}

impl ProbeRow {
    /// How far the optimum may still be from the bound.
    pub fn gap(&self) -> f64 {
        (self.optimum - self.bound) / self.bound
    }

    /// How far the policy is from the optimum.
    pub fn excess(&self) -> f64 {
        self.hot_ratio / self.optimum - 1.0
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
    recording: Recording,
) -> Result<Lane, LaneError> {
    let mut recorder = Recorder::new(recording, probes);
    simulation.run(&mut recorder)?;
    if let Some(error) = recorder.fault {
        return Err(error.into());
    }
    let end = SimTime::ZERO + recording.duration;
    recorder.hold_until(end);
    let cluster = simulation.cluster();
    if !recording.hosts_at_samples || recorder.last_hosts != Some(end) {
        recorder.record_hosts(end, cluster);
    }
    let over_time = |steps: &TimeWeighted| steps.mean();
    // The recorder holds a value from 0 on and the warmup is shorter than the
    // run, so that every one of these has a value.
    let [p50, p99] = recorder.hot_ratio.quantiles([0.5, 0.99]).unwrap_or([f64::NAN; 2]);
    let summary = Summary {
        hot_ratio_mean: over_time(&recorder.hot_ratio).unwrap_or(f64::NAN),
        hot_ratio_p50: p50,
        hot_ratio_p99: p99,
        hot_ratio_max: recorder.hot_ratio.max().unwrap_or(f64::NAN),
        hot_ratio_final: cluster.balance().hot_ratio,
        floor_mean: over_time(&recorder.floor).unwrap_or(f64::NAN),
        optimum_mean: over_time(&recorder.optimum),
        excess_mean: over_time(&recorder.excess),
        cv_mean: over_time(&recorder.cv).unwrap_or(f64::NAN),
        moves: recorder.movement.moves,
        moved_load: recorder.movement.moved_load,
        moves_per_shard_max: recorder.movement.most_of_a_shard(),
        unavailable_s: cluster.unavailable_s(end),
    };
    Ok(Lane {
        policy,
        seed,
        summary,
        host_names: cluster.hosts().iter().map(|host| host.name.clone()).collect(),
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

struct Recorder<'p> {
    recording: Recording,
    probes: Option<&'p Probes>,
    /// The state that holds since an instant, and its epoch.
    holding: Option<(SimTime, Balance, u64)>,
    /// The optimum of the last probe, and the epoch of loads and hosts that it
    /// is about.
    probed: Option<(f64, u64)>,
    hot_ratio: TimeWeighted,
    floor: TimeWeighted,
    cv: TimeWeighted,
    optimum: TimeWeighted,
    excess: TimeWeighted,
    movement: Movement,
    owners_at_start: Vec<Option<HostId>>,
    last_hosts: Option<SimTime>,
    samples: Vec<SampleRow>,
    moves: Vec<MoveRow>,
    hosts: Vec<HostRow>,
    passes: BTreeMap<PassOutcome, u64>,
    probe_rows: Vec<ProbeRow>,
    events: Vec<EventRecord>,
    fault: Option<OptimumError>,
}

impl<'p> Recorder<'p> {
    fn new(recording: Recording, probes: Option<&'p Probes>) -> Self {
        Self {
            recording,
            probes,
            holding: None,
            probed: None,
            hot_ratio: TimeWeighted::default(),
            floor: TimeWeighted::default(),
            cv: TimeWeighted::default(),
            optimum: TimeWeighted::default(),
            excess: TimeWeighted::default(),
            movement: Movement::default(),
            owners_at_start: Vec::new(),
            last_hosts: None,
            samples: Vec::new(),
            moves: Vec::new(),
            hosts: Vec::new(),
            passes: BTreeMap::new(),
            probe_rows: Vec::new(),
            events: Vec::new(),
            fault: None,
        }
    }

    /// The part of the time from `since` to `until` that is after the warmup.
    fn counted(&self, since: SimTime, until: SimTime) -> SimDuration {
        until - since.max(SimTime::ZERO + self.recording.warmup)
    }

    /// Counts the state that has held up to now, which goes on.
    fn hold_until(&mut self, until: SimTime) {
        let Some((since, balance, epoch)) = self.holding else { return };
        let held = self.counted(since, until);
        self.hot_ratio.push(balance.hot_ratio, held);
        self.floor.push(balance.floor, held);
        self.cv.push(balance.cv, held);
        if let Some((optimum, _)) = self.probed.filter(|(_, about)| *about == epoch) {
            self.optimum.push(optimum, held);
            self.excess.push((balance.hot_ratio / optimum - 1.0).max(0.0), held);
        }
        self.holding = Some((until, balance, epoch));
    }

    fn record_hosts(&mut self, now: SimTime, cluster: &Cluster) {
        self.last_hosts = Some(now);
        for (index, host) in cluster.hosts().iter().enumerate() {
            let id = HostId(index as u32);
            let shards = cluster.assignment().shards_of(id);
            let arrived =
                shards.iter().filter(|shard| self.owners_at_start[shard.index()] != Some(id));
            let (moved_in, moved_out) = self.movement.in_and_out(id);
            self.hosts.push(HostRow {
                time: now,
                host: host.name.clone(),
                capacity: host.capacity,
                load: cluster.host_loads()[index],
                shards: shards.len(),
                status: host.status,
                moved_in,
                moved_out,
                arrived_load: arrived.map(|shard| cluster.loads()[shard.index()]).sum(),
            });
        }
    }
}

/// Owner of each shard.
fn owners(cluster: &Cluster) -> Vec<Option<HostId>> {
    let assignment = cluster.assignment();
    (0..assignment.shard_count() as u32).map(|shard| assignment.owner(ShardId(shard))).collect()
}

/// hot_ratio by loads that a policy believes in; shards without a belief count
/// nothing.
fn believed_hot_ratio(cluster: &Cluster, believed: &[f64]) -> f64 {
    let known = |load: f64| if load.is_nan() { 0.0 } else { load };
    let loads: Vec<f64> = believed.iter().map(|load| known(*load)).collect();
    let on_hosts: Vec<f64> = (0..cluster.hosts().len() as u32)
        .map(|host| cluster.assignment().shards_of(HostId(host)))
        .map(|shards| shards.iter().map(|shard| loads[shard.index()]).sum())
        .collect();
    Balance::of(cluster.hosts(), &on_hosts, Demand::of(&loads)).hot_ratio
}

impl Observer for Recorder<'_> {
    fn wants_events(&self) -> bool {
        self.recording.events
    }

    fn on_event(&mut self, record: &EventRecord) {
        self.events.push(*record);
    }

    fn on_move(&mut self, now: SimTime, cluster: &Cluster, planned: &Move) {
        let Some(from) = planned.from else { return };
        let Move { shard, to, reason, .. } = *planned;
        let load = cluster.loads()[shard.index()];
        self.movement.record(shard, from, to, load);
        self.moves.push(MoveRow { time: now, shard, from, to, load, reason });
    }

    fn on_pass(&mut self, outcome: PassOutcome) {
        *self.passes.entry(outcome).or_default() += 1;
    }

    fn on_settled(&mut self, now: SimTime, cluster: &Cluster) {
        if self.holding.is_none() {
            self.owners_at_start = owners(cluster);
            self.record_hosts(now, cluster);
        }
        self.hold_until(now);
        self.holding = Some((now, cluster.balance(), cluster.epoch()));
    }

    fn on_sample(&mut self, now: SimTime, cluster: &Cluster, believed: Option<&[f64]>) {
        if self.recording.hosts_at_samples && self.last_hosts != Some(now) {
            self.record_hosts(now, cluster);
        }
        self.samples.push(SampleRow {
            time: now,
            balance: cluster.balance(),
            believed_hot_ratio: believed.map(|loads| believed_hot_ratio(cluster, loads)),
            moves: self.movement.moves,
            moved_load: self.movement.moved_load,
        });
    }

    fn on_probe(&mut self, now: SimTime, cluster: &Cluster) {
        let Some(probes) = self.probes.filter(|_| self.fault.is_none()) else { return };
        let probe = match probes.at(now, cluster) {
            Ok(probe) => probe,
            Err(error) => {
                self.fault = Some(error);
                return;
            }
        };
        let hot_ratio = cluster.balance().hot_ratio;
        let solved = &probe.optimum;
        // What the policy has is possible; a better bound than that is one by
        // rounding.
        let optimum = solved.hot_ratio.min(hot_ratio);
        let capacities: Vec<f64> = cluster.hosts().iter().map(|host| host.capacity).collect();
        let row = ProbeRow {
            time: now,
            hot_ratio,
            optimum,
            bound: solved.bound.min(optimum),
            status: solved.status,
            solver: solved.solver,
            moves_to_optimum: match hot_ratio <= optimum {
                true => 0,
                false => moves_between(&owners(cluster), &solved.assignment, &capacities),
            },
        };
        self.hold_until(now);
        self.probed = Some((solved.hot_ratio, cluster.epoch()));
        self.probe_rows.push(row);
    }
}
