//! How good could a placement be, from where the shards are now?
//!
//! [`solve_budgeted`] minimises the hottest host's utilisation with a limited
//! number of moves or a limited moved load; [`fewest`] minimises the number of
//! moves or the moved load that a given hot_ratio takes. Both ask the same
//! question, whether a level can be reached at a cost, and share its parts:
//!
//! | module | what it is about |
//! | --- | --- |
//! | `shed` | the least cost of a level, as a bound in closed form |
//! | `matching` | the assignment problem that is part of it |
//! | `construct` | a placement for a level |
//! | `leaving` | what leaves a host that has to shed |
//! | `improve` | local search within a budget |
//! | `branch` | branch and bound over sets of moves |
//! | `program` | the integer program with a budget, and its relaxations |
//! | `free` | the optimum without a budget, as a start |
//! | `driver` | the level within a budget, stage by stage |
//! | `fewest` | the cost of a level, stage by stage |

mod branch;
pub(super) mod construct;
mod driver;
mod fewest;
pub(super) mod free;
mod improve;
mod leaving;
mod matching;
mod program;
mod shed;

pub use driver::solve_budgeted;
pub use fewest::fewest;

use super::TOLERANCE;

/// What a move costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Measure {
    /// One, whatever moves.
    Moves,
    /// The load of the shard that moves.
    Load,
}

impl Measure {
    /// What is cheaper than a cost by more than a bound has to meet.
    fn below(self, cost: f64) -> f64 {
        match self {
            Self::Moves => cost - 1.0,
            Self::Load => cost * (1.0 - TOLERANCE / 2.0),
        }
    }
}

/// What may move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Budget {
    /// This many shards.
    Moves(u64),
    /// Shards of this load together, in units a second, within a relative
    /// [`TOLERANCE`]: finite, not negative.
    Load(f64),
}

impl Budget {
    pub(super) fn measure(self) -> Measure {
        match self {
            Self::Moves(_) => Measure::Moves,
            Self::Load(_) => Measure::Load,
        }
    }

    pub(super) fn amount(self) -> f64 {
        match self {
            Self::Moves(moves) => moves as f64,
            Self::Load(load) => load,
        }
    }

    /// The amount with the tolerance for rounding.
    pub(super) fn limit(self) -> f64 {
        match self {
            Self::Moves(moves) => moves as f64,
            Self::Load(load) => load * (1.0 + TOLERANCE),
        }
    }
}
