//! microlp: pure Rust, so that it is always there.

use std::panic::{AssertUnwindSafe, catch_unwind};

use microlp::{OptimizationDirection, Problem, SolveOptions, SolveOutcome, Variable};

use super::{Outcome, PRUNE, Program};

pub(super) fn solve(program: Program, node_limit: u64) -> Option<Outcome> {
    let (model, hint) = program.into_model(good_lp::microlp);
    let handles = handles(hint.len());
    let mut options = SolveOptions::default();
    options.node_limit = Some(node_limit);
    options.tolerances.prune_epsilon = PRUNE;
    options.warm_start = Some(handles.iter().copied().zip(hint).skip(1).collect());
    // The solver asserts that its numbers stay finite. It changes nothing of
    // ours, so a failed assertion is like giving up.
    let outcome = catch_unwind(AssertUnwindSafe(|| model.as_inner().solve_with(options)));
    let SolveOutcome::Solution(solution) = outcome.ok()?.ok()? else { return None };
    let stats = solution.stats();
    Some(Outcome {
        values: handles.iter().map(|&handle| solution.var_value_raw(handle)).collect(),
        bound: stats.best_bound?,
        nodes: stats.nodes_solved,
        work: stats.nodes_solved,
    })
}

/// The solver's names of the variables: their numbers in order of creation,
/// which another problem with as many variables gives away.
fn handles(variables: usize) -> Vec<Variable> {
    let mut twin = Problem::new(OptimizationDirection::Minimize);
    (0..variables).map(|_| twin.add_binary_var(0.0)).collect()
}
