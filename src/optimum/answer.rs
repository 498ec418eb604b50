//! What is answered: an assignment, its value, and how well it is certified.

use crate::model::{HostId, ShardId};

/// A bound meets a value when the two are this close, relatively; only then
/// is a value called optimal.
pub const TOLERANCE: f64 = 1e-9;

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
    /// The heaviest shards leave no room beside them.
    Giants,
    /// Load that cannot leave its host.
    Pinned,
    /// The integer program's search, by microlp.
    Ilp,
    /// Our own branch and bound.
    Bnb,
    /// What hosts have to shed, and which shards cannot share a host, against
    /// the moves that a budget allows.
    Shedding,
    /// The integer program's search, by HiGHS.
    Highs,
    /// For the sum of squares: load that may be divided, over what is pinned.
    WaterFilling,
}

impl BoundName {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Mean => "mean",
            Self::Largest => "largest",
            Self::Pigeonhole => "pigeonhole",
            Self::Giants => "giants",
            Self::Pinned => "pinned",
            Self::Ilp => "ilp",
            Self::Bnb => "bnb",
            Self::Shedding => "shedding",
            Self::Highs => "highs",
            Self::WaterFilling => "water-filling",
        }
    }
}

/// A stage of the search. The one that decided found the assignment, or made
/// it optimal by its proof.
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
    /// The branch and bound, for groups of hosts.
    Regroup,
    /// The integer linear program, by microlp.
    Ilp,
    /// Our own branch and bound.
    Bnb,
    /// Every host sheds its excess over a level.
    Shedding,
    /// The integer linear program, by HiGHS.
    Highs,
}

impl Stage {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Bound => "bound",
            Self::Start => "start",
            Self::Lpt => "lpt",
            Self::LocalSearch => "local-search",
            Self::Regroup => "regroup",
            Self::Ilp => "ilp",
            Self::Bnb => "bnb",
            Self::Shedding => "shedding",
            Self::Highs => "highs",
        }
    }
}

/// Where things stood when a stage had ended.
#[derive(Clone, Debug, PartialEq)]
pub struct StageReport {
    /// The stage.
    pub stage: Stage,
    /// The best value so far, if there was an assignment yet.
    pub value: Option<f64>,
    /// The best bound so far.
    pub bound: f64,
    /// Pairs of hosts that local search examined, or nodes of a tree; 0 where
    /// there is nothing to search.
    pub work: u64,
}

/// The best assignment found, and how well that is certified.
#[derive(Clone, Debug, PartialEq)]
pub struct Optimum {
    /// What was minimised: the `hot_ratio`, the sum of squares as a
    /// `square_ratio`, or for a target what reaching it costs.
    pub value: f64,
    /// No answer has a lower value than this; at most `value`.
    pub bound: f64,
    /// Which bound that is.
    pub bound_name: BoundName,
    /// `(value - bound) / bound`; 0 when both are 0, infinite when only the
    /// bound is.
    pub gap: f64,
    /// Whether the gap is closed.
    pub status: Status,
    /// The stage that decided.
    pub solver: Stage,
    /// What each stage that was needed contributed, in order; empty where a
    /// search does not tell.
    pub stages: Vec<StageReport>,
    /// The host of each shard.
    pub assignment: Vec<HostId>,
    /// The hottest host's utilisation over the fleet's, which is total load
    /// over total capacity; 1 when all loads are zero.
    pub hot_ratio: f64,
    /// The hottest host's utilisation: load over capacity.
    pub max_utilisation: f64,
    /// Pairs of hosts that local search examined.
    pub steps: u64,
    /// Nodes of the search trees, of the branch and bound or the integer program.
    pub nodes: u64,
}

/// One change of owner.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    /// What moves.
    pub shard: ShardId,
    /// The host it leaves.
    pub from: HostId,
    /// The host it goes to.
    pub to: HostId,
    /// Its load, in units a second.
    pub load: f64,
}

/// An optimum with the way there from the current assignment.
#[derive(Clone, Debug, PartialEq)]
pub struct Rebalance {
    /// What is reached.
    pub optimum: Optimum,
    /// Shards that change hosts, by shard. One that had no host is placed, which
    /// is not a move.
    pub moves: Vec<Move>,
    /// The sum of their loads, in units a second.
    pub moved_load: f64,
}
