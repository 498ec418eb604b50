//! The lowest sum of squares, stage by stage.

use super::improve;
use super::objective::Field;
use super::{bounds, branch, shed};
use crate::model::square_ratio;
use crate::optimum::allowance::Allowance;
use crate::optimum::bounds::strongest;
use crate::optimum::budget::construct::{Fill, for_level};
use crate::optimum::budget::free;
use crate::optimum::improve as coolest;
use crate::optimum::instance::{Instance, Placement};
use crate::optimum::layout::{Layout, check_budget};
use crate::optimum::report::{Findings, host_loads};
use crate::optimum::{
    BoundName, Budget, Measure, OptimumError, Problem, Rebalance, Settings, Solver, Stage,
    StageReport, TOLERANCE, construct,
};

/// Free shards up to which the branch and bound gets its full share of nodes.
const SMALL: usize = 14;

/// The branch and bound's nodes, as a share of `Settings::branch_limit`: one in
/// this many where there are few shards, for a node fills all hosts with water.
const SMALL_SHARE: u64 = 10;

/// The same where there are more: it only raises the bound then.
const LARGE_SHARE: u64 = 1000;

/// Levels to which hosts shed, by bisection.
const CONSTRUCTIONS: usize = 12;

/// The share of the step limit that local search tries with first: one in this
/// many.
const FIRST_SHARE: u64 = 50;

/// The share of the step limit that goes to the free optimum, as a start where
/// there is a budget: one in this many.
const FREE_SHARE: u64 = 10;

/// The share of the step limit that the search for the coolest hottest host
/// gets, whose answer is a start for this one: one in this many.
const COOLEST_SHARE: u64 = 100;

/// Finds an assignment whose sum of squared utilisations around the mean is as
/// low as possible, and a bound on how low any could be; both as
/// [`square_ratio`]s over all hosts of the problem.
///
/// With a budget, moves are counted from `problem.start` as in
/// [`solve_budgeted`](crate::optimum::solve_budgeted). The sum is not linear, so
/// that no integer program takes part: of the solvers, `ilp` and `highs` mean the
/// same as `auto`.
///
/// # Errors
///
/// When the problem makes no sense, or the budget is less than what has to move
/// ([`OptimumError::Forced`]); never for want of a good answer.
pub fn solve_squares(
    problem: &Problem,
    budget: Option<Budget>,
    settings: &Settings,
) -> Result<Rebalance, OptimumError> {
    let instance = Instance::new(problem)?;
    let field = Field::new(problem, &instance).ok_or(OptimumError::Range)?;
    let unmoved = Problem { start: None, ..*problem };
    let free_layout = Layout::new(&unmoved, &instance, Measure::Moves);
    let mut search = Search::new(&field, &free_layout, f64::INFINITY);

    let Some(budget) = budget else {
        if let Some(start) = problem.start.and_then(|start| instance.placement_of(start)) {
            search.offer(start, Stage::Start);
            search.record(Stage::Start, 0);
        }
        search.run_free(settings);
        return Ok(search.report(problem));
    };
    check_budget(budget.amount())?;
    let layout = Layout::new(problem, &instance, budget.measure());
    let needed = layout.forced_cost();
    if needed > budget.limit() {
        return Err(OptimumError::Forced { needed, budget: budget.amount() });
    }
    let mut budgeted = Search::new(&field, &layout, budget.limit());
    budgeted.offer(for_level(&layout, f64::INFINITY, Fill::Coolest), Stage::Start);
    budgeted.record(Stage::Start, 0);
    if !budgeted.is_met() {
        budgeted.shed();
        let step_limit = (settings.step_limit / FREE_SHARE).max(1);
        search.run_free(&Settings { step_limit, ..*settings });
        budgeted.run_from(search, settings);
    }
    Ok(budgeted.report(problem))
}

/// What was found so far. Sums and bounds are those of [`Field`].
struct Search<'a> {
    field: &'a Field<'a>,
    layout: &'a Layout<'a>,
    budget: f64,
    /// As a square_ratio, already less the allowance for rounding.
    bound: f64,
    bound_name: BoundName,
    placement: Placement,
    sum: f64,
    stage: Stage,
    steps: u64,
    nodes: u64,
    records: Vec<StageReport>,
}

impl<'a> Search<'a> {
    fn new(field: &'a Field<'a>, layout: &'a Layout<'a>, budget: f64) -> Self {
        let (bound, bound_name) = bounds::free(field);
        let mut search = Self {
            field,
            layout,
            budget,
            bound: field.proved(bound),
            bound_name,
            placement: Placement::new(),
            sum: f64::INFINITY,
            stage: Stage::Bound,
            steps: 0,
            nodes: 0,
            records: Vec::new(),
        };
        if budget.is_finite() {
            let shed = field.proved(shed::bound(field, layout, budget));
            search.raise_bound(shed, BoundName::Shedding, Stage::Bound);
        }
        search.record(Stage::Bound, 0);
        search
    }

    fn run_free(&mut self, settings: &Settings) {
        if self.is_met() {
            return;
        }
        let instance = self.field.instance;
        let lpt = construct::lpt(instance);
        self.offer(lpt.clone(), Stage::Lpt);
        self.record(Stage::Lpt, 0);
        self.improve(settings, FIRST_SHARE);
        if self.is_enough(settings) {
            return;
        }
        let (target, _) = strongest(instance);
        let steps = settings.step_limit / COOLEST_SHARE;
        let coolest = coolest::improve(instance, &lpt, target, steps);
        self.steps += coolest.steps;
        self.offer(coolest.placement, Stage::LocalSearch);
        self.finish(settings);
    }

    /// Hosts shed down to the lowest level for which the budget is enough, by
    /// bisection: many moves at once.
    fn shed(&mut self) {
        let instance = self.field.instance;
        let (mut low, _) = strongest(instance);
        let mut high = instance.level(&self.placement);
        for _ in 0..CONSTRUCTIONS {
            let level = 0.5 * (low + high);
            let placement = for_level(self.layout, level, Fill::Coolest);
            if self.layout.cost(&placement) <= self.budget {
                high = level;
            } else {
                low = level;
            }
            self.offer(placement, Stage::Shedding);
        }
        self.record(Stage::Shedding, 0);
    }

    /// With a budget, from where the shards are and from the free optimum, its
    /// hosts renamed to keep most at home and as many of its moves made as the
    /// budget allows.
    fn run_from(&mut self, free: Search, settings: &Settings) {
        self.steps += free.steps;
        self.nodes += free.nodes;
        self.raise_bound(free.bound, free.bound_name, free.stage);
        self.improve(settings, FIRST_SHARE);
        if self.is_enough(settings) {
            return;
        }
        let from_home = (std::mem::take(&mut self.placement), self.sum, self.stage);
        let mut renamed = free.placement;
        free::relabel(self.layout, &mut renamed);
        free::truncate(self.layout, &mut renamed, self.budget);
        self.sum = f64::INFINITY;
        self.offer(renamed, free.stage);
        if self.sum < f64::INFINITY {
            self.improve(settings, FIRST_SHARE);
        }
        if from_home.1 <= self.sum {
            (self.placement, self.sum, self.stage) = from_home;
        }
        self.finish(settings);
    }

    /// A little local search needs no more in most instances; few shards are
    /// searched whole before there is more of it.
    fn finish(&mut self, settings: &Settings) {
        self.branch(settings);
        self.improve(settings, 1);
    }

    /// Local search with one in `share` of the step limit.
    fn improve(&mut self, settings: &Settings, share: u64) {
        if self.is_enough(settings) {
            return;
        }
        // Half the tolerance, for search and report sum loads in other orders.
        let target = self.bound * (1.0 + settings.target_gap - TOLERANCE / 2.0);
        let allowance = Allowance {
            cost: self.budget,
            target: self.field.sum_of(target),
            steps: (settings.step_limit / share).max(1),
        };
        let (placement, steps) =
            improve::improve(self.field, self.layout, &self.placement, &allowance);
        self.steps += steps;
        self.offer(placement, Stage::LocalSearch);
        self.record(Stage::LocalSearch, steps);
    }

    fn branch(&mut self, settings: &Settings) {
        if self.is_enough(settings) || settings.solver == Solver::Heuristic {
            return;
        }
        let share = if self.field.weights.len() <= SMALL { SMALL_SHARE } else { LARGE_SHARE };
        let limit = settings.branch_limit / share;
        let found = branch::search(self.field, self.layout, self.budget, self.sum, limit);
        self.nodes += found.nodes;
        if let Some(placement) = found.placement {
            self.offer(placement, Stage::Bnb);
        }
        self.raise_bound(self.field.proved(found.bound), BoundName::Bnb, Stage::Bnb);
        self.record(Stage::Bnb, found.nodes);
    }

    /// Keeps a placement if it is within the budget and better than the one at
    /// hand.
    fn offer(&mut self, placement: Placement, stage: Stage) {
        let sum = self.field.sum(&self.field.loads(&placement));
        if sum < self.sum && self.layout.cost(&placement) <= self.budget {
            self.placement = placement;
            self.sum = sum;
            self.stage = if self.field.instance.is_forced() { Stage::Bound } else { stage };
        }
    }

    /// Keeps a bound if it is better than the one at hand; the stage decided
    /// if it makes the placement optimal.
    fn raise_bound(&mut self, bound: f64, name: BoundName, stage: Stage) {
        if bound > self.bound {
            self.bound = bound;
            self.bound_name = name;
            if self.is_met() {
                self.stage = stage;
            }
        }
    }

    fn is_met(&self) -> bool {
        self.field.ratio(self.sum) <= self.bound * (1.0 + TOLERANCE)
    }

    fn is_enough(&self, settings: &Settings) -> bool {
        self.field.ratio(self.sum) <= self.bound * (1.0 + settings.target_gap)
    }

    fn record(&mut self, stage: Stage, work: u64) {
        let value = self.sum.is_finite().then(|| self.field.ratio(self.sum));
        self.records.push(StageReport { stage, value, bound: self.bound, work });
    }

    fn report(self, problem: &Problem) -> Rebalance {
        let assignment = self.field.instance.assignment(problem, &self.placement);
        let value = square_ratio(&host_loads(problem, &assignment), problem.capacities);
        let findings = Findings {
            assignment,
            bound: self.bound,
            bound_name: self.bound_name,
            solver: self.stage,
            stages: self.records,
            steps: self.steps,
            nodes: self.nodes,
        };
        Rebalance::to(findings.by_value(problem, value), problem)
    }
}
