//! Clusters whose loads change while the greedy balancer runs: scripts of loads,
//! and what is watched of a run.

use std::sync::Arc;

use super::super::claim::ExperimentError;
use super::super::tools::{assignment_of, stream};
use crate::balancer::greedy::GreedySettings;
use crate::model::{ShardId, SimDuration, SimTime, Snapshot};
use crate::policy::Move;
use crate::sim::{Cluster, Config, Observer, Simulation};
use crate::workload::{LoadCursor, LognormalNoise, Noise, NoiseModel, normal_quantile};

/// Loads of some shards from one instant on.
type Change = (SimTime, Vec<(ShardId, f64)>);

/// Loads at the start, and what becomes of them, in order of time.
#[derive(Clone, Debug)]
pub(super) struct Script {
    loads: Vec<f64>,
    changes: Vec<Change>,
    read: usize,
}

impl LoadCursor for Script {
    fn initial(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.loads)
    }

    fn next_change(&self) -> Option<SimTime> {
        self.changes.get(self.read).map(|(time, _)| *time)
    }

    fn read_change(&mut self, changes: &mut Vec<(ShardId, f64)>) {
        if let Some((_, read)) = self.changes.get(self.read) {
            changes.extend_from_slice(read);
            self.read += 1;
        }
    }
}

/// Seconds as an instant.
pub(super) fn at(seconds: u64) -> SimTime {
    SimTime::ZERO + SimDuration::from_secs(seconds)
}

impl Script {
    /// Loads that stay as they are.
    pub(super) fn still(cluster: &Snapshot) -> Self {
        Self { loads: cluster.loads.clone(), changes: Vec::new(), read: 0 }
    }

    /// The shards of one host carry `factor` times their load from an instant on.
    pub(super) fn step(cluster: &Snapshot, host: usize, factor: f64, from: SimTime) -> Self {
        let owners = cluster.owners.iter().enumerate();
        let changed = owners
            .filter(|(_, owner)| owner.is_some_and(|owner| owner.index() == host))
            .map(|(shard, _)| (ShardId(shard as u32), cluster.loads[shard] * factor));
        Self { changes: vec![(from, changed.collect())], ..Self::still(cluster) }
    }

    /// Every `every` seconds another shard, at random, carries `factor` times its
    /// load for `lasting` seconds, until the end; spikes do not overlap.
    pub(super) fn spikes(
        cluster: &Snapshot,
        seed: u64,
        (every, lasting): (u64, u64),
        factor: f64,
        end: u64,
    ) -> Self {
        let mut stream = stream(seed, 3);
        let mut changes = Vec::new();
        for start in (every..end).step_by(every as usize) {
            let shard = (stream.next_u64() % cluster.loads.len() as u64) as usize;
            let (id, load) = (ShardId(shard as u32), cluster.loads[shard]);
            changes.push((at(start), vec![(id, load * factor)]));
            changes.push((at(start + lasting), vec![(id, load)]));
        }
        Self { changes, ..Self::still(cluster) }
    }

    /// The logarithm of each load wanders about its own: an autoregression of
    /// order one (Ornstein and Uhlenbeck 1930, sampled) with deviation `sigma`,
    /// which forgets by `kept` from one step to the next.
    pub(super) fn drift(
        cluster: &Snapshot,
        seed: u64,
        (sigma, kept): (f64, f64),
        every: u64,
        end: u64,
    ) -> Self {
        let fresh = (1.0 - kept * kept).sqrt();
        let mut stream = stream(seed, 4);
        let mut normal = || normal_quantile(stream.next_uniform());
        let mut state: Vec<f64> = cluster.loads.iter().map(|_| normal()).collect();
        let mut changes = Vec::new();
        for time in (every..end).step_by(every as usize) {
            for value in &mut state {
                *value = kept * *value + fresh * normal();
            }
            let loads = cluster.loads.iter().zip(&state).enumerate();
            let now = loads.map(|(shard, (load, value))| {
                let factor = libm::exp(sigma * value - 0.5 * sigma * sigma);
                (ShardId(shard as u32), load * factor)
            });
            changes.push((at(time), now.collect()));
        }
        Self { changes, ..Self::still(cluster) }
    }
}

/// What is watched of a run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Watched {
    /// Moves of the whole run.
    pub(super) moves: f64,
    /// hot_ratio above the severe ratio after the start was left behind, summed
    /// over seconds.
    pub(super) overload: f64,
    /// Mean of hot_ratio over the same time.
    pub(super) hot_ratio: f64,
}

struct Watch {
    from: SimTime,
    above: f64,
    samples: f64,
    watched: Watched,
}

impl Observer for Watch {
    fn on_move(&mut self, _now: SimTime, _cluster: &Cluster, _planned: &Move) {
        self.watched.moves += 1.0;
    }

    fn on_sample(&mut self, now: SimTime, cluster: &Cluster, _believed: Option<&[f64]>) {
        if now >= self.from {
            let ratio = cluster.balance().hot_ratio;
            self.watched.overload += (ratio - self.above).max(0.0);
            self.watched.hot_ratio += ratio;
            self.samples += 1.0;
        }
    }
}

/// How a run is made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Run {
    /// Length in seconds.
    pub(super) seconds: u64,
    /// From when on it is watched, in seconds.
    pub(super) from: u64,
    /// Standard deviation of the logarithm of each report; 0 for none.
    pub(super) noise: f64,
}

/// Runs the greedy balancer through a script, with a report and a pass every
/// second, and samples every second.
pub(super) fn watch(
    cluster: &Snapshot,
    script: Script,
    settings: &GreedySettings,
    seed: u64,
    run: Run,
) -> Result<Watched, ExperimentError> {
    let second = SimDuration::from_secs(1);
    let config = Config {
        shards: Arc::from(cluster.shards.clone()),
        hosts: cluster.hosts.clone(),
        heartbeat: second,
        handover: SimDuration::ZERO,
        duration: SimDuration::from_secs(run.seconds),
        sample_every: second,
        probe_every: None,
        events: Vec::new(),
    };
    let model = match run.noise {
        0.0 => NoiseModel::None,
        sigma => NoiseModel::Lognormal(LognormalNoise { sigma }),
    };
    let noise = Noise::new(model, seed, second);
    let policy = Box::new(settings.build(cluster.shards.len()));
    let start = Some(assignment_of(cluster));
    let mut simulation = Simulation::new(config, Box::new(script), noise, policy, start)?;
    let mut watch = Watch {
        from: at(run.from),
        above: settings.severe_ratio,
        samples: 0.0,
        watched: Watched::default(),
    };
    simulation.run(&mut watch)?;
    Ok(Watched { hot_ratio: watch.watched.hot_ratio / watch.samples, ..watch.watched })
}
