//! How good could any placement have been?
//!
//! [`solve`] minimises, over all assignments of a snapshot's shards to its
//! hosts, the utilisation of the hottest host, max over h of load_h / c_h:
//! makespan minimisation on uniform machines, Q||Cmax, or P||Cmax when the
//! capacities are equal (the notation of Graham et al. 1979). That is NP-hard,
//! so every answer carries a certified lower bound beside its value.
//!
//! Stages follow each other and stop as soon as the value meets the bound:
//! bounds in closed form, the start assignment as it is, LPT, local search by
//! moves, swaps and re-splits of two hosts, and, for small instances, an
//! integer linear program.
//!
//! Limits are counts, so that an instance has one answer on every machine.

mod bounds;
mod construct;
mod exchange;
mod ilp;
mod improve;
mod instance;
mod resplit;

use serde::{Deserialize, Serialize};

use crate::model::{HostId, SettingError};
use instance::{Instance, Placement};

/// A bound meets a value when the two are this close, relatively; only then
/// is a value called optimal.
pub const TOLERANCE: f64 = 1e-9;

/// A snapshot: what there is to place, and where it may go.
///
/// Loads are in units a second, by shard; capacities in the same unit, by
/// host. All slices about shards have one length, all about hosts another.
#[derive(Clone, Copy, Debug)]
pub struct Problem<'a> {
    /// Load of each shard: finite, not negative.
    pub loads: &'a [f64],
    /// Capacity of each host: finite, above zero.
    pub capacities: &'a [f64],
    /// For each shard, the host that it must stay on.
    pub pinned: Option<&'a [Option<HostId>]>,
    /// For each host, whether it may not receive: it holds the shards pinned
    /// to it and no others. Its capacity counts towards the fleet's.
    pub closed: Option<&'a [bool]>,
    /// The current assignment. It is kept when it is optimal as it stands, and
    /// is where the search begins when it beats LPT. One that leaves a shard
    /// without a host, or on one that may not have it, is not used.
    pub start: Option<&'a [Option<HostId>]>,
}

impl<'a> Problem<'a> {
    /// Every shard may go to every host.
    pub fn new(loads: &'a [f64], capacities: &'a [f64]) -> Self {
        Self { loads, capacities, pinned: None, closed: None, start: None }
    }

    fn pin_of(&self, shard: usize) -> Option<HostId> {
        self.pinned.and_then(|pinned| pinned[shard])
    }

    fn is_open(&self, host: usize) -> bool {
        self.closed.is_none_or(|closed| !closed[host])
    }
}

/// Which stages may be used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// All of them, the integer program where it is likely to finish.
    #[default]
    Auto,
    /// Bounds, constructions and local search; never the integer program.
    Heuristic,
    /// All of them, the integer program whatever the size.
    Ilp,
}

/// Settings of [`solve`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Which stages may be used.
    pub solver: Solver,
    /// Pairs of hosts that local search examines at most.
    pub step_limit: u64,
    /// Nodes of the integer program's search tree, at most.
    pub node_limit: u64,
    /// With `solver = "auto"`, the integer program is tried when it has at most
    /// this many variables (about free shards times hosts), and its tree is
    /// likely to fit into `node_limit`.
    pub variable_limit: u64,
}

impl Default for Settings {
    /// A node of a program with 60 variables takes about 0.05 ms, so that the
    /// limits keep the integer program to about a second.
    fn default() -> Self {
        Self { solver: Solver::Auto, step_limit: 100_000, node_limit: 20_000, variable_limit: 64 }
    }
}

impl Settings {
    /// Checks the ranges.
    pub fn check(&self) -> Result<(), SettingError> {
        let least = |key, value: u64| match value {
            0 => Err(SettingError::new(key, "must be at least 1, not 0")),
            _ => Ok(()),
        };
        least("step_limit", self.step_limit)?;
        least("node_limit", self.node_limit)
    }
}

/// What is known about an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Status {
    /// The bound meets the value, within [`TOLERANCE`].
    Optimal,
    /// The assignment exists; a better one may, down to the bound.
    Feasible,
}

impl Status {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Optimal => "optimal",
            Self::Feasible => "feasible",
        }
    }
}

/// A lower bound, by what it argues from; `docs/methods.md` has the formulas.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BoundName {
    /// The fleet's mean; with pinned loads, the water level over them.
    Mean,
    /// The heaviest shard, on the host that bears it best.
    Largest,
    /// Some host gets several of the heaviest shards.
    Pigeonhole,
    /// Load that cannot leave its host.
    Pinned,
    /// The integer program's search.
    Ilp,
}

impl BoundName {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Largest => "largest",
            Self::Pigeonhole => "pigeonhole",
            Self::Pinned => "pinned",
            Self::Ilp => "ilp",
        }
    }
}

/// The stage that decided: the one that found the assignment, or the integer
/// program when its proof made the answer optimal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// There was nothing to choose.
    Bound,
    /// The start assignment is as good as any.
    Start,
    /// Longest processing time first.
    Lpt,
    /// Moves, swaps and re-splits.
    LocalSearch,
    /// The integer linear program.
    Ilp,
}

impl Stage {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::Start => "start",
            Self::Lpt => "lpt",
            Self::LocalSearch => "local-search",
            Self::Ilp => "ilp",
        }
    }
}

/// The best assignment found, and how well that is certified.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// The hottest host's utilisation over the fleet's, which is total load
    /// over total capacity; 1 when all loads are zero.
    pub hot_ratio: f64,
    /// The hottest host's utilisation: load over capacity.
    pub max_utilisation: f64,
    /// No assignment has a lower `hot_ratio` than this; at most `hot_ratio`.
    pub bound: f64,
    /// Which bound that is.
    pub bound_name: BoundName,
    /// `(hot_ratio - bound) / bound`.
    pub gap: f64,
    /// Whether the gap is closed.
    pub status: Status,
    /// The stage that decided.
    pub solver: Stage,
    /// The host of each shard.
    pub assignment: Vec<HostId>,
    /// Pairs of hosts that local search examined.
    pub steps: u64,
    /// Nodes of the integer program's search tree.
    pub nodes: u64,
}

/// Why a problem has no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OptimumError {
    /// There is no host at all.
    #[error("there is no host to place shards on")]
    NoHosts,
    /// Every host is closed, but some shard is free.
    #[error("no host may receive, but not every shard is pinned")]
    NoOpenHost,
    /// A capacity that is not a finite number above zero.
    #[error("host {host} has capacity {value}; it must be finite and above 0")]
    Capacity {
        /// Index of the host.
        host: usize,
        /// Its capacity.
        value: f64,
    },
    /// A load that is not a finite number of at least zero.
    #[error("shard {shard} has load {value}; it must be finite and at least 0")]
    Load {
        /// Index of the shard.
        shard: usize,
        /// Its load.
        value: f64,
    },
    /// A shard pinned to a host that does not exist.
    #[error("shard {shard} is pinned to host {host}, which does not exist")]
    Pin {
        /// Index of the shard.
        shard: usize,
        /// Index of the host.
        host: usize,
    },
    /// A slice of the problem with the wrong number of entries.
    #[error("`{what}` has {found} entries, but {expected} are needed")]
    Length {
        /// Which slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The length it should have.
        expected: usize,
    },
    /// The total load, or a utilisation, is too large or too small for `f64`.
    #[error("loads over capacities leave the range of numbers; use other units")]
    Range,
}

/// Finds an assignment whose hottest host is as cool as possible, and a bound
/// on how cool any could be.
///
/// # Errors
///
/// When the problem makes no sense; never for want of a good answer.
pub fn solve(problem: &Problem, settings: &Settings) -> Result<Optimum, OptimumError> {
    let instance = Instance::new(problem)?;
    let mut search = Search::new(&instance);
    search.run(problem, settings);
    Ok(search.report(problem))
}

/// The state of the staged driver. Levels are those of [`Instance`].
struct Search<'a> {
    instance: &'a Instance,
    bound: f64,
    bound_name: BoundName,
    placement: Placement,
    level: f64,
    stage: Stage,
    steps: u64,
    nodes: u64,
}

impl<'a> Search<'a> {
    fn new(instance: &'a Instance) -> Self {
        let (bound, bound_name) = bounds::strongest(instance);
        Self {
            instance,
            bound,
            bound_name,
            placement: Placement::new(),
            level: f64::INFINITY,
            stage: Stage::Bound,
            steps: 0,
            nodes: 0,
        }
    }

    fn run(&mut self, problem: &Problem, settings: &Settings) {
        if let Some(start) = problem.start.and_then(|start| self.instance.placement_of(start)) {
            self.offer(start, Stage::Start);
        }
        if self.is_met() {
            return;
        }
        self.offer(construct::lpt(self.instance), Stage::Lpt);
        if self.is_met() {
            return;
        }
        let target = self.bound * (1.0 + TOLERANCE / 2.0);
        let improved =
            improve::improve(self.instance, &self.placement, target, settings.step_limit);
        self.steps = improved.steps;
        self.offer(improved.placement, Stage::LocalSearch);
        if self.is_met() || !self.wants_ilp(settings) {
            return;
        }
        if let Some(solved) =
            ilp::solve(self.instance, &self.placement, self.bound, settings.node_limit)
        {
            self.nodes = solved.nodes;
            self.offer(solved.placement, Stage::Ilp);
            if solved.bound > self.bound {
                self.bound = solved.bound;
                self.bound_name = BoundName::Ilp;
                if self.is_met() {
                    self.stage = Stage::Ilp;
                }
            }
        }
    }

    fn wants_ilp(&self, settings: &Settings) -> bool {
        match settings.solver {
            Solver::Auto => ilp::is_promising(self.instance, settings),
            Solver::Heuristic => false,
            Solver::Ilp => true,
        }
    }

    /// Keeps a placement if it is better than the one at hand.
    fn offer(&mut self, placement: Placement, stage: Stage) {
        let level = self.instance.level(&placement);
        if level < self.level {
            self.placement = placement;
            self.level = level;
            // Nothing to choose: one host, or no load that could be elsewhere.
            let forced = self.instance.hosts.len() < 2
                || self.instance.weights.first().is_none_or(|&w| w == 0.0);
            self.stage = if forced { Stage::Bound } else { stage };
        }
    }

    fn is_met(&self) -> bool {
        self.level <= self.bound * (1.0 + TOLERANCE)
    }

    fn report(self, problem: &Problem) -> Optimum {
        let assignment = self.instance.assignment(problem, &self.placement);
        let mut loads = vec![0.0; problem.capacities.len()];
        for (&load, host) in problem.loads.iter().zip(&assignment) {
            loads[host.index()] += load;
        }
        let utilisations = loads.iter().zip(problem.capacities).map(|(load, c)| load / c);
        let max_utilisation = utilisations.fold(0.0, f64::max);

        let total_load: f64 = problem.loads.iter().sum();
        let total_capacity: f64 = problem.capacities.iter().sum();
        let fleet = total_load / total_capacity;
        let largest_capacity = problem.capacities.iter().copied().fold(0.0, f64::max);
        let ratio = |utilisation: f64| if fleet > 0.0 { utilisation / fleet } else { 1.0 };
        let hot_ratio = ratio(max_utilisation);
        let bound = ratio(self.bound / largest_capacity).min(hot_ratio);
        let gap = (hot_ratio - bound) / bound;
        Optimum {
            hot_ratio,
            max_utilisation,
            bound,
            bound_name: self.bound_name,
            gap,
            status: if gap <= TOLERANCE { Status::Optimal } else { Status::Feasible },
            solver: self.stage,
            assignment,
            steps: self.steps,
            nodes: self.nodes,
        }
    }
}
