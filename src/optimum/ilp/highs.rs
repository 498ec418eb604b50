//! HiGHS, a C++ solver: for programs that are too large for microlp.

use super::{Outcome, PRUNE, Program};

/// How far HiGHS may violate a row, a reduced cost or integrality: the least it
/// accepts. Its own 1e-6 and 1e-7 would exceed the allowance taken off its
/// bound.
const FEASIBILITY: f64 = 1e-10;

pub(super) fn solve(program: Program, node_limit: u64) -> Option<Outcome> {
    let (model, hint) = program.into_model(good_lp::highs);
    // good_lp's own solution keeps the bound to itself, its model does not.
    let mut model = model.try_into_inner().ok()?;
    for key in
        ["primal_feasibility_tolerance", "dual_feasibility_tolerance", "mip_feasibility_tolerance"]
    {
        model.try_set_option(key, FEASIBILITY).ok()?;
    }
    for key in ["mip_rel_gap", "mip_abs_gap"] {
        model.try_set_option(key, PRUNE).ok()?;
    }
    let nodes = i32::try_from(node_limit).unwrap_or(i32::MAX);
    model.try_set_option("mip_max_nodes", nodes).ok()?;
    model.try_set_option("parallel", "off").ok()?;
    model.try_set_solution(Some(&hint), None, None, None).ok()?;
    let solved = model.try_solve().ok()?;
    let values = solved.get_solution().columns().to_vec();
    let bound = solved.double_info_value(c"mip_dual_bound").ok()?;
    // Its binding hands out 32-bit counts alone, and the nodes are none.
    let work = u64::try_from(solved.simplex_iteration_count()).unwrap_or(0);
    (values.len() == hint.len() && bound.is_finite()).then_some(Outcome {
        values,
        bound,
        nodes: 0,
        work,
    })
}
