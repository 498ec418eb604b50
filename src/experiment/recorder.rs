//! What is recorded of a lane while it runs.

use std::collections::BTreeMap;

use super::budgeted::Allowed;
use super::lane::{BudgetedRow, HostRow, MoveRow, ProbeRow, Recording, SampleRow, Summary};
use super::optimum::Probes;
use crate::metrics::{Balance, Demand, Movement, TimeWeighted, excess, moves_between};
use crate::model::{HostId, SimDuration, SimTime};
use crate::optimum::{Metric, Optimum, OptimumError};
use crate::policy::{Move, PassOutcome};
use crate::sim::{Cluster, EventRecord, Observer};

/// A fleet by a metric.
fn value_of(balance: &Balance, metric: Metric) -> f64 {
    match metric {
        Metric::Max => balance.hot_ratio,
        Metric::Squares => balance.square_ratio,
    }
}

/// The optimum and the excess over it, by one metric and over time.
struct Distance {
    metric: Metric,
    /// The optimum of the last probe, and the epoch of loads and hosts that it
    /// is about.
    probed: Option<(f64, u64)>,
    optimum: TimeWeighted,
    excess: TimeWeighted,
}

impl Distance {
    fn new(metric: Metric) -> Self {
        let (optimum, excess) = (TimeWeighted::default(), TimeWeighted::default());
        Self { metric, probed: None, optimum, excess }
    }

    /// Counts a state that was held, if it is the one that was probed.
    fn hold(&mut self, balance: &Balance, epoch: u64, held: SimDuration) {
        if let Some((optimum, _)) = self.probed.filter(|(_, about)| *about == epoch) {
            let value = value_of(balance, self.metric);
            self.optimum.push(optimum, held);
            self.excess.push(excess(value, optimum).max(0.0), held);
        }
    }
}

/// Takes down rows and the quantities that are weighted by time.
pub(super) struct Recorder<'p> {
    recording: Recording,
    probes: Option<&'p Probes>,
    /// For the optimum within the policy's own budget, if that is asked for.
    allowed: Option<Allowed>,
    /// The state that holds since an instant, and its epoch.
    holding: Option<(SimTime, Balance, u64)>,
    hot_ratio: TimeWeighted,
    floor: TimeWeighted,
    cv: TimeWeighted,
    square_ratio: TimeWeighted,
    /// How far the policy is from the best, by each metric of [`Metric::ALL`].
    distances: [Distance; 2],
    movement: Movement,
    owners_at_start: Vec<Option<HostId>>,
    last_hosts: Option<SimTime>,
    pub(super) samples: Vec<SampleRow>,
    pub(super) moves: Vec<MoveRow>,
    pub(super) hosts: Vec<HostRow>,
    pub(super) passes: BTreeMap<PassOutcome, u64>,
    pub(super) probe_rows: Vec<ProbeRow>,
    pub(super) events: Vec<EventRecord>,
    fault: Option<OptimumError>,
}

impl<'p> Recorder<'p> {
    pub(super) fn new(
        recording: Recording,
        probes: Option<&'p Probes>,
        allowed: Option<Allowed>,
    ) -> Self {
        Self {
            recording,
            probes,
            allowed,
            holding: None,
            hot_ratio: TimeWeighted::default(),
            floor: TimeWeighted::default(),
            cv: TimeWeighted::default(),
            square_ratio: TimeWeighted::default(),
            distances: Metric::ALL.map(Distance::new),
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

    /// Closes the record at the end of the run.
    ///
    /// # Errors
    ///
    /// When the optimum could not be computed at some probe.
    pub(super) fn finish(&mut self, cluster: &Cluster) -> Result<Summary, OptimumError> {
        if let Some(error) = self.fault.take() {
            return Err(error);
        }
        let end = SimTime::ZERO + self.recording.duration;
        self.hold_until(end);
        if !self.recording.hosts_at_samples || self.last_hosts != Some(end) {
            self.record_hosts(end, cluster);
        }
        // A value holds from 0 on and the warmup is shorter than the run, so
        // that those that are unwrapped here are all there.
        let [p50, p99] = self.hot_ratio.quantiles([0.5, 0.99]).unwrap_or([f64::NAN; 2]);
        let [hottest, squares] = &self.distances;
        let mean = |steps: &TimeWeighted| steps.mean().unwrap_or(f64::NAN);
        Ok(Summary {
            hot_ratio_mean: mean(&self.hot_ratio),
            hot_ratio_p50: p50,
            hot_ratio_p99: p99,
            hot_ratio_max: self.hot_ratio.max().unwrap_or(f64::NAN),
            hot_ratio_final: cluster.balance().hot_ratio,
            floor_mean: mean(&self.floor),
            optimum_mean: hottest.optimum.mean(),
            excess_mean: hottest.excess.mean(),
            square_ratio_mean: mean(&self.square_ratio),
            square_optimum_mean: squares.optimum.mean(),
            square_excess_mean: squares.excess.mean(),
            cv_mean: mean(&self.cv),
            moves: self.movement.moves,
            moved_load: self.movement.moved_load,
            moves_per_shard_max: self.movement.most_of_a_shard(),
            unavailable_s: cluster.unavailable_s(end),
        })
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
        self.square_ratio.push(balance.square_ratio, held);
        for distance in &mut self.distances {
            distance.hold(&balance, epoch, held);
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

impl Recorder<'_> {
    /// The policy beside the optimum, by each metric.
    fn probe(
        &mut self,
        now: SimTime,
        cluster: &Cluster,
        probes: &Probes,
    ) -> Result<Vec<ProbeRow>, OptimumError> {
        let probe = probes.at(now, cluster)?;
        let within = self.allowed.as_mut().map(|allowed| allowed.at_probe(cluster)).transpose()?;
        let balance = cluster.balance();
        let row = |(index, (metric, solved)): (usize, &(Metric, Optimum))| {
            let value = value_of(&balance, *metric);
            // What the policy has is possible; a better bound than that is one
            // by rounding.
            let optimum = solved.value.min(value);
            let budgeted = within.as_ref().map(|within| {
                let found = &within.found[index].optimum;
                let optimum = found.value.min(value);
                BudgetedRow {
                    budget: within.budget,
                    optimum,
                    bound: found.bound.min(optimum),
                    status: found.status,
                    solver: found.solver,
                }
            });
            ProbeRow {
                time: now,
                hot_ratio: balance.hot_ratio,
                metric: *metric,
                value,
                optimum,
                bound: solved.bound.min(optimum),
                status: solved.status,
                solver: solved.solver,
                moves_to_optimum: match value <= optimum {
                    true => 0,
                    false => moves_to(cluster, &solved.assignment),
                },
                budgeted,
            }
        };
        Ok(probe.best.iter().enumerate().map(row).collect())
    }
}

/// Moves from where the shards are to an assignment.
fn moves_to(cluster: &Cluster, assignment: &[HostId]) -> u64 {
    let capacities: Vec<f64> = cluster.hosts().iter().map(|host| host.capacity).collect();
    moves_between(&cluster.assignment().owners(), assignment, cluster.loads(), &capacities)
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
        if let Some(allowed) = &mut self.allowed {
            allowed.on_move(shard, reason);
        }
        let load = cluster.loads()[shard.index()];
        self.movement.record(shard, from, to, load);
        self.moves.push(MoveRow { time: now, shard, from, to, load, reason });
    }

    fn on_pass(&mut self, outcome: PassOutcome) {
        *self.passes.entry(outcome).or_default() += 1;
        if let Some(allowed) = &mut self.allowed {
            allowed.on_pass();
        }
    }

    fn on_settled(&mut self, now: SimTime, cluster: &Cluster) {
        if self.holding.is_none() {
            self.owners_at_start = cluster.assignment().owners();
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
        let rows = self.probe(now, cluster, probes).map_err(|error| self.fault = Some(error));
        let Ok(rows) = rows else { return };
        self.hold_until(now);
        for row in &rows {
            self.distances[row.metric as usize].probed = Some((row.optimum, cluster.epoch()));
        }
        self.probe_rows.extend(rows);
    }
}
