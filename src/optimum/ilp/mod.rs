//! Integer linear programs that minimise a level, built with good_lp.
//!
//! `assignment` is the problem without a budget; the one with a budget is in
//! its own room, and what solves a [`Program`] is here.

mod assignment;
#[cfg(feature = "highs")]
mod highs;
mod microlp;

pub(super) use assignment::{is_promising, solve};

use good_lp::{Constraint, ProblemVariables, Solver, SolverModel, Variable};

use super::instance::Placement;
use super::{BoundName, Solver as Chosen, Stage};

/// What solves the program.
#[derive(Clone, Copy)]
pub(super) enum Backend {
    Microlp,
    #[cfg(feature = "highs")]
    Highs,
}

impl Backend {
    /// The one that a solver asks for by name.
    pub(super) fn named(solver: Chosen) -> Option<Self> {
        match solver {
            Chosen::Ilp => Some(Self::Microlp),
            #[cfg(feature = "highs")]
            Chosen::Highs => Some(Self::Highs),
            _ => None,
        }
    }

    pub(super) fn stage(self) -> Stage {
        match self {
            Self::Microlp => Stage::Ilp,
            #[cfg(feature = "highs")]
            Self::Highs => Stage::Highs,
        }
    }

    pub(super) fn bound_name(self) -> BoundName {
        match self {
            Self::Microlp => BoundName::Ilp,
            #[cfg(feature = "highs")]
            Self::Highs => BoundName::Highs,
        }
    }
}

/// Shards below this share of the bound are left out of the program and dealt
/// afterwards. Leaving shards out can only lower the optimum, so the bound
/// stays valid; and the coefficients stay within a few orders of magnitude,
/// where the simplex method is reliable.
pub(super) const LEAST_WEIGHT: f64 = 1e-6;

/// Nodes within this of the incumbent, relatively, are not explored.
pub(super) const PRUNE: f64 = 1e-10;

/// What is taken off the solver's bound, relatively: the pruning above, and a
/// reserve for its arithmetic (it takes numbers within 1e-10 for equal). It is
/// below the tolerance at which a bound meets a value.
pub(super) const BOUND_ALLOWANCE: f64 = 5e-10;

/// What the program found out.
pub(super) struct Solved {
    pub(super) placement: Placement,
    /// No placement has a lower level.
    pub(super) bound: f64,
    /// Nodes of the search tree.
    pub(super) nodes: u64,
    /// Nodes, or simplex iterations where the solver does not tell the nodes.
    pub(super) work: u64,
}

/// What a backend found out.
pub(super) struct Outcome {
    /// The value of each variable, in order of creation.
    pub(super) values: Vec<f64>,
    /// The bound that is left open in the tree.
    pub(super) bound: f64,
    pub(super) nodes: u64,
    pub(super) work: u64,
}

/// The program before it is handed to a backend.
pub(super) struct Program {
    pub(super) variables: ProblemVariables,
    /// T, the first variable, which is minimised.
    pub(super) level: Variable,
    pub(super) rows: Vec<Constraint>,
    /// The incumbent, as a value for each variable in order of creation.
    pub(super) hint: Vec<f64>,
}

impl Program {
    /// Runs a backend, up to a number of nodes; `None` when it gives up.
    pub(super) fn solve(self, backend: Backend, node_limit: u64) -> Option<Outcome> {
        match backend {
            Backend::Microlp => microlp::solve(self, node_limit),
            #[cfg(feature = "highs")]
            Backend::Highs => highs::solve(self, node_limit),
        }
    }

    /// The backend's model, and the incumbent.
    fn into_model<S: Solver>(self, solver: S) -> (S::Model, Vec<f64>) {
        let mut model = self.variables.minimise(self.level).using(solver);
        for row in self.rows {
            model.add_constraint(row);
        }
        (model, self.hint)
    }
}
