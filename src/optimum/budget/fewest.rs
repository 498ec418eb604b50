//! The least cost of a hot_ratio, stage by stage.

use super::branch::{self, Goal, Limits};
use super::construct::{self, Fill};
use super::driver::{FIRST_SHARE, Search, branch_nodes};
use super::shed::{self, Standing};
use super::{Measure, free};
use crate::optimum::instance::{Instance, Placement};
use crate::optimum::layout::Layout;
use crate::optimum::report::{self, Findings, Scale};
use crate::optimum::{
    BoundName, OptimumError, Problem, Rebalance, Settings, Solver, Stage, TOLERANCE, bounds,
};

/// Budgets for which local search looks for the level, by bisection.
const BUDGETS: usize = 8;

/// Finds the fewest moves from `problem.start`, or the least moved load, that
/// reach a hot_ratio of `target` or less (within a relative [`TOLERANCE`]), and
/// a bound on how few could; the answer's value is that cost.
///
/// What counts as a move is said at [`solve_budgeted`](super::solve_budgeted).
///
/// There is no integer program for it: `ilp` and `highs` mean the branch and bound.
///
/// # Errors
///
/// When the problem makes no sense, or when no assignment that reaches the
/// target is found: [`OptimumError::BelowBound`] when none exists,
/// [`OptimumError::NotReached`] when one may.
pub fn fewest(
    problem: &Problem,
    target: f64,
    measure: Measure,
    settings: &Settings,
) -> Result<Rebalance, OptimumError> {
    if !settings.solver.is_built() {
        return Err(OptimumError::NotBuilt);
    }
    let instance = Instance::new(problem)?;
    if !target.is_finite() {
        return Err(OptimumError::Target { value: target });
    }
    let scale = Scale::new(problem);
    let layout = Layout::new(problem, &instance, measure);
    let loaded = problem.loads.iter().any(|&load| load > 0.0);
    let (floor, _) = bounds::strongest(&instance);
    let bound = if loaded { scale.ratio_of_level(floor) } else { 1.0 };
    if target * (1.0 + TOLERANCE) < bound {
        return Err(OptimumError::BelowBound { target, bound });
    }
    let mut search = Cheapest {
        layout: &layout,
        thresholds: shed::thresholds(&layout),
        level: scale.level(target) * (1.0 + TOLERANCE),
        bound: layout.forced_cost(),
        bound_name: BoundName::Shedding,
        best: None,
        unreachable: false,
        cost: f64::INFINITY,
        stage: Stage::Bound,
        steps: 0,
        nodes: 0,
    };
    let reached = search.run(problem, settings);
    search.report(problem, target, reached)
}

/// The state of the staged driver.
struct Cheapest<'a> {
    layout: &'a Layout<'a>,
    thresholds: Vec<f64>,
    /// What no host may exceed.
    level: f64,
    bound: f64,
    bound_name: BoundName,
    best: Option<Placement>,
    /// Whether it is proved that there is none.
    unreachable: bool,
    cost: f64,
    stage: Stage,
    steps: u64,
    nodes: u64,
}

/// What the free problem has shown.
#[derive(Default)]
struct Free {
    /// Its value and bound as hot_ratios, if it was solved.
    known: Option<(f64, f64)>,
}

impl Cheapest<'_> {
    fn run(&mut self, problem: &Problem, settings: &Settings) -> Free {
        let layout = self.layout;
        let standing = Standing::new(layout);
        let least =
            shed::least_cost(layout, &standing, &self.thresholds, self.level, f64::INFINITY);
        self.bound = layout.forced_cost() + least;

        let mut free = Free::default();
        if let Some(placement) = layout.at_home() {
            self.offer(placement, Stage::Start);
        }
        if self.is_met() {
            return free;
        }
        for fill in [Fill::Coolest, Fill::Tightest] {
            let mut placement = construct::for_level(layout, self.level, fill);
            self.offer(placement.clone(), Stage::Shedding);
            if layout.instance.level(&placement) <= self.level {
                free::take_back(layout, &mut placement, self.level);
                self.offer(placement, Stage::Shedding);
            }
        }
        if self.is_met() {
            return free;
        }
        if self.best.is_none() {
            free = self.start_from_free(problem, settings);
        }
        let searches = settings.solver != Solver::Heuristic;
        let nodes = branch_nodes(settings, self.layout);
        if searches && self.rule_out_cheaper(nodes / FIRST_SHARE) {
            return free;
        }
        self.narrow(settings);
        if !self.is_met() && searches {
            self.branch(nodes);
        }
        free
    }

    /// The free optimum, without the moves that the level does not need.
    fn start_from_free(&mut self, problem: &Problem, settings: &Settings) -> Free {
        let Some(optimum) = free::optimum(problem, settings) else { return Free::default() };
        self.steps += optimum.steps;
        self.nodes += optimum.nodes;
        let owners: Vec<_> = optimum.assignment.iter().copied().map(Some).collect();
        if let Some(mut placement) = self.layout.instance.placement_of(&owners) {
            free::relabel(self.layout, &mut placement);
            if self.layout.instance.level(&placement) <= self.level {
                free::take_back(self.layout, &mut placement, self.level);
            }
            self.offer(placement, optimum.solver);
        }
        Free { known: Some((optimum.hot_ratio, optimum.bound)) }
    }

    /// Looks for the level with smaller and smaller budgets.
    fn narrow(&mut self, settings: &Settings) {
        // Everything may move; what that costs, nothing exceeds.
        let all = self.layout.cost_of_all();
        let mut below = self.bound;
        let mut budget = self.bound;
        for _ in 0..BUDGETS {
            let mut search = Search::new(self.layout, budget);
            search.bound = search.bound.max(self.level);
            search.construct();
            if search.level > self.level {
                search.improve(settings.step_limit / BUDGETS as u64, self.level);
            }
            self.steps += search.steps;
            if search.level <= self.level {
                self.offer(search.placement, Stage::LocalSearch);
            } else {
                below = budget;
            }
            let above = self.layout.measure.below(self.cost.min(all + 1.0));
            if above <= below || self.is_met() {
                break;
            }
            budget = 0.5 * (below + above);
            if self.layout.measure == Measure::Moves {
                budget = budget.ceil();
            }
        }
    }

    /// Rules out everything cheaper, or, failing that, budgets from the bound up.
    fn branch(&mut self, nodes: u64) {
        if self.rule_out_cheaper(nodes) || self.layout.measure == Measure::Load {
            return;
        }
        while !self.is_met() && self.refute(self.bound, nodes / 4) {}
    }

    /// Whether nothing is cheaper than what is at hand; if nothing is, nothing
    /// at all.
    fn rule_out_cheaper(&mut self, nodes: u64) -> bool {
        let cost = match self.best {
            Some(_) => self.layout.measure.below(self.cost),
            None => self.layout.cost_of_all(),
        };
        let exhausted = self.refute(cost, nodes);
        self.unreachable = exhausted && self.best.is_none();
        exhausted
    }

    /// Searches for placements of a cost or less. True when there is none
    /// (better than the one at hand), and the bound says so.
    fn refute(&mut self, cost: f64, nodes: u64) -> bool {
        let limits = Limits { level: self.level, cost, nodes };
        let found = branch::search(self.layout, &self.thresholds, Goal::Cost, limits, self.bound);
        self.nodes += found.nodes;
        if let Some(placement) = found.placement {
            self.offer(placement, Stage::Bnb);
        }
        if found.exhausted {
            let bound = match self.layout.measure {
                Measure::Moves => found.limits.cost + 1.0,
                Measure::Load => found.limits.cost,
            };
            if bound > self.bound {
                (self.bound, self.bound_name) = (bound, BoundName::Bnb);
                if self.is_met() {
                    self.stage = Stage::Bnb;
                }
            }
        }
        found.exhausted
    }

    fn offer(&mut self, placement: Placement, stage: Stage) {
        if self.layout.instance.level(&placement) > self.level {
            return;
        }
        let cost = self.layout.cost(&placement);
        if cost < self.cost {
            self.best = Some(placement);
            self.cost = cost;
            self.stage = stage;
        }
    }

    fn is_met(&self) -> bool {
        self.cost <= self.bound * (1.0 + TOLERANCE)
    }

    fn report(self, problem: &Problem, target: f64, free: Free) -> Result<Rebalance, OptimumError> {
        let scale = Scale::new(problem);
        let Some(placement) = self.best else {
            let floor = scale.ratio_of_level(bounds::strongest(self.layout.instance).0);
            let (best, bound) = free.known.unwrap_or((f64::INFINITY, floor));
            return Err(if self.unreachable || bound > target * (1.0 + TOLERANCE) {
                OptimumError::BelowBound { target, bound: bound.max(target) }
            } else {
                OptimumError::NotReached { target, best, bound }
            });
        };
        let assignment = self.layout.instance.assignment(problem, &placement);
        let (moves, moved_load) = report::moves(problem, &assignment);
        let cost = match self.layout.measure {
            Measure::Moves => moves.len() as f64,
            Measure::Load => moved_load,
        };
        let findings = Findings {
            assignment,
            bound: self.bound,
            bound_name: self.bound_name,
            solver: self.stage,
            stages: Vec::new(),
            steps: self.steps,
            nodes: self.nodes,
        };
        Ok(Rebalance { optimum: findings.by_value(problem, cost), moves, moved_load })
    }
}
