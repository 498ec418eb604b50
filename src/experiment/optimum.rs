//! The optimum at the probes of a seed, computed once for all its lanes.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::model::{Host, HostId, SimDuration, SimTime};
use crate::optimum::{self, Metric, Optimum, OptimumError, Problem};
use crate::scenario::{
    ClusterSettings, EventSettings, OptimumSettings, Scenario, WorkloadSettings,
};
use crate::sim::Cluster;

/// The hosts of a cluster that may receive, as a problem of their own.
#[derive(Debug)]
pub(super) struct Usable {
    hosts: Vec<HostId>,
    capacities: Vec<f64>,
}

impl Usable {
    pub(super) fn of(hosts: &[Host]) -> Self {
        let usable = (0..).map(HostId).zip(hosts).filter(|(_, host)| host.status.may_receive());
        let (hosts, capacities) = usable.map(|(id, host)| (id, host.capacity)).unzip();
        Self { hosts, capacities }
    }

    pub(super) fn capacities(&self) -> &[f64] {
        &self.capacities
    }

    /// The position of a host among them.
    pub(super) fn position(&self, host: HostId) -> Option<HostId> {
        self.hosts.binary_search(&host).ok().map(|at| HostId(at as u32))
    }

    /// The host at a position.
    fn host(&self, position: HostId) -> HostId {
        self.hosts[position.index()]
    }
}

/// What there was to place, and how well it can be placed.
#[derive(Debug)]
pub(super) struct Probe {
    loads: Vec<f64>,
    hosts: Vec<Host>,
    /// The best by each metric, in the order of the settings.
    pub(super) best: Vec<(Metric, Optimum)>,
}

/// The probes of one seed. Whichever lane comes first to a probe solves it:
/// all of them see the same loads and hosts there, and each solution starts
/// from the one before, so that it does not matter which lane that is.
#[derive(Debug)]
pub(super) struct Probes {
    every: SimDuration,
    metrics: &'static [Metric],
    settings: optimum::Settings,
    solved: Vec<OnceLock<Result<Arc<Probe>, OptimumError>>>,
}

impl Probes {
    /// Those of a scenario under one seed, if it asks for the optimum.
    pub(super) fn of(scenario: &Scenario) -> Option<Self> {
        let OptimumSettings { enabled, every, metric, solver, .. } = scenario.optimum;
        enabled.then(|| Self::new(every, scenario.duration(), metric.list(), solver))
    }

    fn new(
        every: SimDuration,
        duration: SimDuration,
        metrics: &'static [Metric],
        settings: optimum::Settings,
    ) -> Self {
        let count = duration.0 / every.0 + 1;
        Self { every, metrics, settings, solved: (0..count).map(|_| OnceLock::new()).collect() }
    }

    /// The optimum at a probe. Lanes come to the probes in order.
    pub(super) fn at(&self, now: SimTime, cluster: &Cluster) -> Result<Arc<Probe>, OptimumError> {
        let index = (now.0 / self.every.0) as usize;
        let before =
            index.checked_sub(1).and_then(|before| self.solved[before].get()?.as_ref().ok());
        self.solved[index].get_or_init(|| self.solve(before, cluster)).clone()
    }

    fn solve(
        &self,
        before: Option<&Arc<Probe>>,
        cluster: &Cluster,
    ) -> Result<Arc<Probe>, OptimumError> {
        if let Some(before) = before
            && before.loads == cluster.loads()
            && before.hosts == cluster.hosts()
        {
            return Ok(Arc::clone(before));
        }
        let usable = Usable::of(cluster.hosts());
        let mut best = Vec::with_capacity(self.metrics.len());
        for (index, &metric) in self.metrics.iter().enumerate() {
            let start: Option<Vec<Option<HostId>>> = before.map(|before| {
                before.best[index].1.assignment.iter().map(|host| usable.position(*host)).collect()
            });
            let problem = Problem {
                start: start.as_deref(),
                ..Problem::new(cluster.loads(), usable.capacities())
            };
            let mut optimum = match metric {
                Metric::Max => optimum::solve(&problem, &self.settings)?,
                Metric::Squares => optimum::solve_squares(&problem, None, &self.settings)?.optimum,
            };
            for host in &mut optimum.assignment {
                *host = usable.host(*host);
            }
            best.push((metric, optimum));
        }
        let (loads, hosts) = (cluster.loads().to_vec(), cluster.hosts().to_vec());
        Ok(Arc::new(Probe { loads, hosts, best }))
    }
}

/// Probes that the points of a sweep share: where loads and hosts are the same
/// under a seed, so is the optimum, whatever the policies are.
#[derive(Default)]
pub(super) struct SharedProbes {
    /// The last ones that were asked for first.
    known: Mutex<Vec<(Shared, Arc<Probes>)>>,
}

/// What probes depend on.
#[derive(PartialEq)]
struct Shared {
    seed: u64,
    duration: SimDuration,
    optimum: OptimumSettings,
    workload: WorkloadSettings,
    cluster: ClusterSettings,
    events: Vec<EventSettings>,
}

impl SharedProbes {
    /// As many as a sweep of some hundred seeds uses at a time.
    const KEPT: usize = 256;

    /// The probes of a scenario under a seed, if it asks for the optimum.
    pub(super) fn get(&self, scenario: &Scenario, seed: u64) -> Option<Arc<Probes>> {
        let probes = Probes::of(scenario)?;
        let shared = Shared {
            seed,
            duration: scenario.duration(),
            optimum: scenario.optimum.clone(),
            workload: scenario.workload_settings.clone(),
            cluster: scenario.cluster.clone(),
            events: scenario.events.clone(),
        };
        // Whoever panicked left a whole list.
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, probes)) = known.iter().find(|(other, _)| *other == shared) {
            return Some(Arc::clone(probes));
        }
        if known.len() == Self::KEPT {
            known.remove(0);
        }
        let probes = Arc::new(probes);
        known.push((shared, Arc::clone(&probes)));
        Some(probes)
    }
}
