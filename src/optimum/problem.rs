//! What is asked: the snapshot, the settings, and what can be wrong with them.

use serde::{Deserialize, Serialize};

use super::TOLERANCE;
use crate::model::{HostId, SettingError};

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
    ///
    /// With a budget it is what moves are counted from. A host index beyond the
    /// capacities is a host that is gone: its shards have to leave it.
    pub start: Option<&'a [Option<HostId>]>,
}

impl<'a> Problem<'a> {
    /// Every shard may go to every host.
    pub fn new(loads: &'a [f64], capacities: &'a [f64]) -> Self {
        Self { loads, capacities, pinned: None, closed: None, start: None }
    }

    pub(super) fn pin_of(&self, shard: usize) -> Option<HostId> {
        self.pinned.and_then(|pinned| pinned[shard])
    }

    pub(super) fn is_open(&self, host: usize) -> bool {
        self.closed.is_none_or(|closed| !closed[host])
    }
}

/// Which stages may be used. All of them begin with bounds, constructions and
/// local search.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Solver {
    /// As `Bnb`, and then the integer program where it is likely to finish.
    #[default]
    Auto,
    /// Then the branch and bound for groups of hosts: no proof.
    Heuristic,
    /// Then the branch and bound, and where it has not finished the same for
    /// groups of hosts.
    Bnb,
    /// Then the integer program by microlp, whatever its size: beyond a few
    /// hundred variables, a node may take seconds.
    Ilp,
    /// Then the integer program by HiGHS, whatever its size. Only when built
    /// with the feature `highs`.
    Highs,
}

impl Solver {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Auto, Self::Heuristic, Self::Bnb, Self::Ilp, Self::Highs];

    /// The word used in files and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Heuristic => "heuristic",
            Self::Bnb => "bnb",
            Self::Ilp => "ilp",
            Self::Highs => "highs",
        }
    }

    /// Whether this build has it.
    pub(super) fn is_built(self) -> bool {
        cfg!(feature = "highs") || self != Self::Highs
    }
}

/// What to do for HiGHS where it is missing.
const HIGHS_IS_MISSING: &str = "`highs` is not in this build; build with `--features highs`, \
                                which needs cmake and libclang";

/// Settings of [`solve`](super::solve).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Settings {
    /// Which stages may be used.
    pub solver: Solver,
    /// The gap at which the search ends; at least [`TOLERANCE`], at which the
    /// answer is optimal. A larger one saves time where the bound is the mean:
    /// with 500 shards on 16 hosts, 1e-6 takes 0.2 ms and 1e-9 takes 12 ms.
    pub target_gap: f64,
    /// Pairs of hosts that local search examines at most.
    pub step_limit: u64,
    /// Nodes of the branch and bound, at most: sets of shards that it tries for
    /// a host. A million takes about 0.1 s.
    pub branch_limit: u64,
    /// Nodes of the integer program's search tree, at most.
    pub node_limit: u64,
    /// With `solver = "auto"`, the integer program is tried when it has at most
    /// this many variables (about free shards times hosts), and its tree is
    /// likely to fit into `node_limit`.
    pub variable_limit: u64,
}

impl Default for Settings {
    /// A node of a program with 60 variables takes about 0.05 ms, so that the
    /// limits keep each search to about a second.
    fn default() -> Self {
        Self {
            solver: Solver::Auto,
            target_gap: TOLERANCE,
            step_limit: 100_000,
            branch_limit: 20_000_000,
            node_limit: 20_000,
            variable_limit: 64,
        }
    }
}

impl Settings {
    /// Checks the ranges.
    pub fn check(&self) -> Result<(), SettingError> {
        let least = |key, value: u64| match value {
            0 => Err(SettingError::new(key, "must be at least 1, not 0")),
            _ => Ok(()),
        };
        if !self.solver.is_built() {
            return Err(SettingError::new("solver", HIGHS_IS_MISSING));
        }
        SettingError::require_at_least("target_gap", self.target_gap, TOLERANCE)?;
        least("step_limit", self.step_limit)?;
        least("branch_limit", self.branch_limit)?;
        least("node_limit", self.node_limit)
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum OptimumError {
    /// The settings ask for HiGHS, but it was not built in.
    #[error("{HIGHS_IS_MISSING}")]
    NotBuilt,
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
    /// A moved load that is not a finite number of at least zero.
    #[error("the budget is {value}; it must be finite and at least 0")]
    Budget {
        /// The budget.
        value: f64,
    },
    /// Shards on hosts that may not keep them cost more than the budget has.
    #[error("shards that have to leave their hosts take {needed}, but the budget is {budget}")]
    Forced {
        /// The moves, or the load, that have to move whatever is wanted.
        needed: f64,
        /// What may move.
        budget: f64,
    },
    /// A target that is not a finite number.
    #[error("the target is {value}; it must be a finite number")]
    Target {
        /// The target.
        value: f64,
    },
    /// No assignment reaches the target.
    #[error("no assignment reaches a hot_ratio of {target}: none is below {bound}")]
    BelowBound {
        /// The hot_ratio that was wanted.
        target: f64,
        /// A bound that no assignment is below.
        bound: f64,
    },
    /// No assignment that reaches the target was found, though one may exist.
    #[error(
        "found no assignment with a hot_ratio of {target} or less; the best found has {best}, \
         and none is below {bound}"
    )]
    NotReached {
        /// The hot_ratio that was wanted.
        target: f64,
        /// The lowest found.
        best: f64,
        /// A bound that no assignment is below.
        bound: f64,
    },
}
