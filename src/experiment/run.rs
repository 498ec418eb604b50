//! A whole scenario: every policy under every seed.

use std::sync::atomic::{AtomicUsize, Ordering};

use rayon::prelude::*;

use super::budgeted::Allowed;
use super::lane::{Lane, LaneError, Recording, run_lane};
use super::optimum::Probes;
use super::start::start_assignment;
use crate::random::{Purpose, Stream};
use crate::scenario::{HashSeed, NamedPolicy, PolicySettings, Scenario};
use crate::sim::{Config, Simulation};
use crate::workload::Noise;

/// How a scenario is run; none of it changes the result.
#[derive(Clone, Copy, Default)]
pub struct RunOptions<'a> {
    /// Threads to use; by default as many as there are cores.
    pub threads: Option<usize>,
    /// Keep the event log of every lane.
    pub events: bool,
    /// Called with (finished, all) as lanes finish.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A lane cannot be finished.
    #[error("policy `{policy}`, seed {seed}: {message}")]
    Lane {
        /// The policy's name.
        policy: String,
        /// The seed.
        seed: u64,
        /// Why.
        message: String,
    },
    /// The threads cannot be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

impl RunError {
    fn of_lane(scenario: &Scenario, policy: usize, seed: u64, error: &LaneError) -> Self {
        let policy = scenario.policies[policy].name.clone();
        Self::Lane { policy, seed, message: error.to_string() }
    }
}

/// Everything a run produced.
#[derive(Debug)]
pub struct RunResult {
    /// The lanes, by policy in order of the scenario, then by seed.
    pub lanes: Vec<Lane>,
    /// What a user should know about the settings.
    pub notes: Vec<String>,
}

/// Runs every lane of a scenario.
///
/// # Errors
///
/// When a lane cannot be finished: a fault of a policy, not of the scenario.
pub fn run(scenario: &Scenario, options: RunOptions<'_>) -> Result<RunResult, RunError> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build()?;
    let seeds: Vec<u64> = scenario.seeds().collect();
    let probes: Vec<Option<Probes>> = seeds.iter().map(|_| Probes::of(scenario)).collect();
    let total = seeds.len() * scenario.policies.len();
    let finished = AtomicUsize::new(0);
    // Policies vary fastest, so that the lanes of one seed run together and
    // share its probes while they are warm.
    let jobs: Vec<(usize, usize)> = (0..seeds.len())
        .flat_map(|seed| (0..scenario.policies.len()).map(move |policy| (seed, policy)))
        .collect();
    let finished_lanes: Vec<Result<Lane, RunError>> = pool.install(|| {
        jobs.into_par_iter()
            .with_max_len(1)
            .map(|(seed, policy)| {
                let lane =
                    lane(scenario, policy, seeds[seed], probes[seed].as_ref(), options.events);
                if let Some(progress) = options.progress {
                    progress(finished.fetch_add(1, Ordering::Relaxed) + 1, total);
                }
                lane.map_err(|error| RunError::of_lane(scenario, policy, seeds[seed], &error))
            })
            .collect()
    });
    // The first failure in order, not in time.
    let mut lanes = finished_lanes.into_iter().collect::<Result<Vec<Lane>, RunError>>()?;
    lanes.sort_by_key(|lane| (lane.policy, lane.seed));
    Ok(RunResult { notes: notes(scenario), lanes })
}

/// Runs every policy under one seed, one after the other.
///
/// # Errors
///
/// As [`run`].
pub(super) fn run_seed(
    scenario: &Scenario,
    seed: u64,
    probes: Option<&Probes>,
) -> Result<Vec<Lane>, RunError> {
    (0..scenario.policies.len())
        .map(|policy| {
            lane(scenario, policy, seed, probes, false)
                .map_err(|error| RunError::of_lane(scenario, policy, seed, &error))
        })
        .collect()
}

fn lane(
    scenario: &Scenario,
    policy: usize,
    seed: u64,
    probes: Option<&Probes>,
    events: bool,
) -> Result<Lane, LaneError> {
    let hash_seed = match scenario.cluster.hash_seed {
        HashSeed::Fixed => 0,
        HashSeed::PerSeed => Stream::new(seed, Purpose::HashSeed, 0).next_u64(),
    };
    let config = Config {
        shards: scenario.workload.shards(),
        hosts: scenario.cluster.initial_hosts(),
        heartbeat: scenario.cluster.heartbeat,
        handover: scenario.cluster.handover,
        duration: scenario.duration(),
        sample_every: scenario.run.sample_every,
        probe_every: probes.map(|_| scenario.optimum.every),
        events: scenario.events.iter().map(|event| event.event(&scenario.cluster)).collect(),
    };
    let settings = &scenario.policies[policy].settings;
    let start = settings.start().and_then(|(start, _)| {
        let owners = scenario.start_owners[policy].as_deref();
        start_assignment(start, &config.hosts, &config.shards, owners, hash_seed)
    });
    let recording = Recording {
        warmup: scenario.run.warmup,
        duration: config.duration,
        hosts_at_samples: scenario.report.hosts,
        events,
    };
    let noise = Noise::new(scenario.noise.model(), seed, config.heartbeat);
    let built = settings.build(config.shards.len(), hash_seed);
    let budget = built.move_budget().filter(|_| scenario.optimum.budgeted);
    let metrics = scenario.optimum.metric.list();
    let allowed = budget.map(|budget| Allowed::new(budget, metrics, scenario.optimum.solver));
    let simulation = Simulation::new(config, scenario.workload.start(seed), noise, built, start)?;
    run_lane(policy, seed, simulation, probes, allowed, recording)
}

/// Notes about settings that do not fit the loads, which are those of the first
/// seed at the start.
fn notes(scenario: &Scenario) -> Vec<String> {
    let loads = scenario.workload.start(scenario.run.seed).initial();
    let note = |policy: &NamedPolicy| small_shards_note(&policy.name, &policy.settings, &loads);
    let mut notes: Vec<String> = scenario.policies.iter().filter_map(note).collect();
    if let Some(extent) = scenario.workload.extent().filter(|extent| *extent < scenario.duration())
    {
        let duration = scenario.duration();
        notes.push(format!("the trace lasts {extent}; its last loads are held until {duration}"));
    }
    notes
}

/// A note when a policy's least load worth moving is above the load of a
/// noticeable share of the shards that have any: a tenth.
pub(super) fn small_shards_note(
    name: &str,
    settings: &PolicySettings,
    loads: &[f64],
) -> Option<String> {
    const NOTICEABLE: f64 = 0.1;
    let PolicySettings::Greedy(greedy) = settings else { return None };
    let least = greedy.least_load();
    let loaded = loads.iter().filter(|load| **load > 0.0).count();
    let below = loads.iter().filter(|load| **load > 0.0 && **load < least).count();
    (below as f64 > NOTICEABLE * loaded as f64).then(|| {
        format!(
            "policy `{name}`: min_move_load = {least} is above the load of {below} of {loaded} shards \
             with load; those never move"
        )
    })
}
