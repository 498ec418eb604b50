//! What is answered: moves, what they reach, and how well that is certified.

use crate::model::{HostId, ShardId};
use crate::optimum::{BoundName, Stage, Status};

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

/// The best assignment found within a budget, and how well that is certified.
#[derive(Clone, Debug, PartialEq)]
pub struct Budgeted {
    /// The hottest host's utilisation over the fleet's, which is total load
    /// over total capacity; 1 when all loads are zero.
    pub hot_ratio: f64,
    /// The hottest host's utilisation: load over capacity.
    pub max_utilisation: f64,
    /// No assignment within the budget has a lower `hot_ratio` than this; at
    /// most `hot_ratio`.
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
    /// Shards that change hosts, by shard. One that had no host is placed, which
    /// is not a move.
    pub moves: Vec<Move>,
    /// The sum of their loads, in units a second.
    pub moved_load: f64,
    /// Pairs of hosts that local search examined.
    pub steps: u64,
    /// Nodes of the search trees.
    pub nodes: u64,
}

/// The cheapest way found to reach a hot_ratio, and how well that is certified.
#[derive(Clone, Debug, PartialEq)]
pub struct Fewest {
    /// What it costs: the number of moves, or the moved load.
    pub cost: f64,
    /// No way costs less than this; at most `cost`.
    pub bound: f64,
    /// Which bound that is.
    pub bound_name: BoundName,
    /// `(cost - bound) / bound`; 0 when both are 0, infinite when only the bound
    /// is.
    pub gap: f64,
    /// Whether the gap is closed.
    pub status: Status,
    /// The stage that decided.
    pub solver: Stage,
    /// The hot_ratio that is reached: at most the target, within
    /// [`TOLERANCE`](crate::optimum::TOLERANCE).
    pub hot_ratio: f64,
    /// The hottest host's utilisation: load over capacity.
    pub max_utilisation: f64,
    /// The host of each shard.
    pub assignment: Vec<HostId>,
    /// Shards that change hosts, by shard. One that had no host is placed, which
    /// is not a move.
    pub moves: Vec<Move>,
    /// The sum of their loads, in units a second.
    pub moved_load: f64,
    /// Pairs of hosts that local search examined.
    pub steps: u64,
    /// Nodes of the search trees.
    pub nodes: u64,
}
