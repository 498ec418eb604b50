//! The lowest level within a budget, stage by stage.

use super::branch::{self, Goal, Limits};
use super::construct::{self, Fill};
use super::improve;
use super::program::{self, Query};
use super::shed::{self, Standing};
use super::{Budget, free};
use crate::optimum::allowance::Allowance;
use crate::optimum::driver::Record;
use crate::optimum::ilp::Backend;
use crate::optimum::instance::{Instance, Placement};
use crate::optimum::layout::{Layout, check_budget};
use crate::optimum::report::{Findings, Scale};
use crate::optimum::{
    BoundName, OptimumError, Problem, Rebalance, Settings, Solver, Stage, TOLERANCE, bounds,
};

/// Levels that are constructed for, by bisection.
const CONSTRUCTIONS: usize = 24;

/// Halvings of the interval in which the closed-form bound lies: enough to
/// leave a billionth of it.
const BISECTIONS: usize = 44;

/// Nodes of the branch and bound for each node of `Settings::node_limit`, which
/// counts those of the integer program: they are that much cheaper.
const BRANCH_NODES: u64 = 4;

/// Hosts up to which that holds: a node looks at every host, so that with more
/// of them fewer are allowed.
const HOSTS_PER_NODE: u64 = 16;

/// Nodes that the branch and bound may take.
pub(super) fn branch_nodes(settings: &Settings, layout: &Layout) -> u64 {
    let hosts = (layout.loads.len() as u64).max(HOSTS_PER_NODE);
    settings.node_limit.saturating_mul(BRANCH_NODES).saturating_mul(HOSTS_PER_NODE) / hosts
}

/// The share of the limits that local search and branch and bound try with
/// first: one in this many.
pub(super) const FIRST_SHARE: u64 = 50;

/// Pairs of hosts that local search examines for each one of
/// `Settings::step_limit`: with a budget they are examined for moves and swaps
/// alone, never re-split.
const STEPS: u64 = 4;

/// Lower levels that the branch and bound tries to rule out when it could not
/// rule out all that are better than the incumbent.
const REFUTATIONS: usize = 8;

/// Finds an assignment within a budget of moves, counted from `problem.start`,
/// whose hottest host is as cool as possible, and a bound on how cool any could
/// be.
///
/// Shards that have no host are placed, which is not a move. Shards on closed
/// hosts, or on hosts that are gone, have to leave, and shards that are pinned
/// elsewhere have to go there; both are moves. Others that are pinned stay.
///
/// # Errors
///
/// When the problem makes no sense, or the budget is less than what has to move
/// ([`OptimumError::Forced`]); never for want of a good answer.
pub fn solve_budgeted(
    problem: &Problem,
    budget: Budget,
    settings: &Settings,
) -> Result<Rebalance, OptimumError> {
    if !settings.solver.is_built() {
        return Err(OptimumError::NotBuilt);
    }
    let instance = Instance::new(problem)?;
    check_budget(budget.amount())?;
    let layout = Layout::new(problem, &instance, budget.measure());
    let needed = layout.forced_cost();
    if needed > budget.limit() {
        return Err(OptimumError::Forced { needed, budget: budget.amount() });
    }
    let mut search = Search::new(&layout, budget.limit());
    search.run(problem, settings);
    Ok(search.report(problem))
}

/// The state of the staged driver. Levels are those of [`Instance`].
pub(super) struct Search<'a> {
    layout: &'a Layout<'a>,
    thresholds: Vec<f64>,
    budget: f64,
    pub(super) bound: f64,
    bound_name: BoundName,
    pub(super) placement: Placement,
    pub(super) level: f64,
    stage: Stage,
    pub(super) steps: u64,
    nodes: u64,
    records: Vec<Record>,
}

impl<'a> Search<'a> {
    pub(super) fn new(layout: &'a Layout<'a>, budget: f64) -> Self {
        let (bound, bound_name) = bounds::strongest(layout.instance);
        Self {
            layout,
            thresholds: shed::thresholds(layout),
            budget,
            bound,
            bound_name,
            placement: Placement::new(),
            level: f64::INFINITY,
            stage: Stage::Bound,
            steps: 0,
            nodes: 0,
            records: Vec::new(),
        }
    }

    fn run(&mut self, problem: &Problem, settings: &Settings) {
        self.record(Stage::Bound, 0);
        if let Some(placement) = self.layout.at_home() {
            self.offer(placement, Stage::Start);
            let proved = self.is_proved();
            self.record(Stage::Start, 0);
            if proved {
                return;
            }
        }
        self.construct();
        if !self.is_proved() {
            self.raise_bound();
        }
        self.record(Stage::Shedding, 0);
        if self.is_met() {
            return;
        }
        if self.bound_name != BoundName::Shedding && self.start_from_free(problem, settings) {
            return;
        }
        if self.search(settings) {
            return;
        }
        let backend = match settings.solver {
            Solver::Auto if self.is_promising(settings) => Some(Backend::Microlp),
            solver => Backend::named(solver),
        };
        if let Some(backend) = backend {
            self.integer_program(backend, settings);
        }
    }

    /// Local search and branch and bound. Whether that settles it.
    fn search(&mut self, settings: &Settings) -> bool {
        let nodes = match settings.solver {
            Solver::Auto | Solver::Bnb => branch_nodes(settings, self.layout),
            Solver::Heuristic | Solver::Ilp | Solver::Highs => 0,
        };
        // A little of both first: most instances need no more.
        for share in [FIRST_SHARE, 1] {
            let before = self.steps;
            self.improve(settings.step_limit.saturating_mul(STEPS) / share, self.bound);
            let proved = self.is_proved() || self.is_close(settings);
            self.record(Stage::LocalSearch, self.steps - before);
            if proved {
                return true;
            }
            if nodes > 0 {
                let before = self.nodes;
                let proved = self.refute(self.level * (1.0 - TOLERANCE / 2.0), nodes / share);
                self.record(Stage::Bnb, self.nodes - before);
                if proved {
                    return true;
                }
            }
        }
        if nodes > 0 {
            let before = self.nodes;
            self.refute_lower(nodes);
            self.record(Stage::Bnb, self.nodes - before);
        }
        self.is_met() || self.is_close(settings)
    }

    /// Whether the integer program is small enough to be worth a try.
    fn is_promising(&self, settings: &Settings) -> bool {
        let pairs = self.layout.home.len().saturating_mul(self.layout.loads.len()) as u64;
        // Looked at first, so that the count takes no time.
        pairs <= 2 * settings.variable_limit
            && program::variables(self.layout, &self.query(settings)) as u64
                <= settings.variable_limit
    }

    /// The whole problem, as a question to the integer program.
    fn query(&self, settings: &Settings) -> Query<'_> {
        Query {
            incumbent: &self.placement,
            bound: self.bound,
            budget: self.budget,
            nodes: settings.node_limit,
        }
    }

    fn integer_program(&mut self, backend: Backend, settings: &Settings) {
        let solved = program::solve(self.layout, backend, &self.query(settings));
        let Some(solved) = solved else { return };
        self.offer(solved.placement, backend.stage());
        if solved.bound > self.bound {
            (self.bound, self.bound_name) = (solved.bound, backend.bound_name());
            if self.is_met() {
                self.stage = backend.stage();
            }
        }
        self.nodes += solved.nodes;
        self.record(backend.stage(), solved.work);
    }

    /// Shedding to levels between the bound and the value, by bisection.
    pub(super) fn construct(&mut self) {
        self.offer(construct::for_level(self.layout, f64::INFINITY, Fill::Coolest), Stage::Lpt);
        let (mut below, mut above) = (self.bound, self.level);
        let mut level = below * (1.0 + TOLERANCE / 2.0);
        for _ in 0..CONSTRUCTIONS {
            let mut reached = false;
            for fill in [Fill::Coolest, Fill::Tightest] {
                let placement = construct::for_level(self.layout, level, fill);
                reached |= self.offer(placement, Stage::Shedding) && self.level <= level;
            }
            if reached {
                above = level;
            } else {
                below = level;
            }
            if above <= below * (1.0 + TOLERANCE) {
                break;
            }
            level = 0.5 * (below + above);
        }
    }

    /// The free optimum, with as many of its moves as the budget allows.
    /// Whether that settles it.
    fn start_from_free(&mut self, problem: &Problem, settings: &Settings) -> bool {
        let Some(optimum) = free::optimum(problem, settings) else { return false };
        self.steps += optimum.steps;
        self.nodes += optimum.nodes;
        let bound = Scale::new(problem).level(optimum.bound) * (1.0 - 8.0 * f64::EPSILON);
        if bound > self.bound {
            (self.bound, self.bound_name) = (bound, optimum.bound_name);
        }
        let owners: Vec<_> = optimum.assignment.into_iter().map(Some).collect();
        let Some(mut placement) = self.layout.instance.placement_of(&owners) else { return false };
        free::relabel(self.layout, &mut placement);
        free::truncate(self.layout, &mut placement, self.budget);
        self.offer(placement.clone(), optimum.solver);
        let proved = self.is_proved();
        self.record(optimum.solver, optimum.steps + optimum.nodes);
        if proved {
            return true;
        }
        let allowance =
            Allowance { cost: self.budget, target: self.bound, steps: settings.step_limit / 4 };
        let (placement, steps) = improve::improve(self.layout, placement, &allowance);
        self.steps += steps;
        self.offer(placement, Stage::LocalSearch);
        let proved = self.is_proved();
        self.record(Stage::LocalSearch, steps);
        proved
    }

    pub(super) fn improve(&mut self, step_limit: u64, target: f64) {
        // Half the tolerance, for search and report sum loads in other orders.
        let target = target * (1.0 + TOLERANCE / 2.0);
        let allowance = Allowance { cost: self.budget, target, steps: step_limit };
        let (placement, steps) = improve::improve(self.layout, self.placement.clone(), &allowance);
        self.steps += steps;
        self.offer(placement, Stage::LocalSearch);
    }

    /// Rules out levels between the bound and the value, by bisection.
    fn refute_lower(&mut self, nodes: u64) {
        let mut above = self.level;
        for _ in 0..REFUTATIONS {
            let level = 0.5 * (self.bound + above.min(self.level));
            if nodes == 0 || level <= self.bound * (1.0 + TOLERANCE) {
                break;
            }
            if !self.refute(level, nodes / REFUTATIONS as u64) {
                above = level;
            }
        }
    }

    /// Searches for placements at a level or below it. True when there is none
    /// (better than the one at hand), and the bound says so.
    fn refute(&mut self, level: f64, nodes: u64) -> bool {
        let limits = Limits { level, cost: self.budget, nodes };
        let enough = self.bound * (1.0 + TOLERANCE / 2.0);
        let found = branch::search(self.layout, &self.thresholds, Goal::Level, limits, enough);
        self.nodes += found.nodes;
        if let Some(placement) = found.placement {
            self.offer(placement, Stage::Bnb);
        }
        if found.exhausted && found.limits.level > self.bound {
            (self.bound, self.bound_name) = (found.limits.level, BoundName::Bnb);
            if self.is_met() {
                self.stage = Stage::Bnb;
            }
        }
        found.exhausted
    }

    /// Keeps a placement if it is within the budget and better than the one at
    /// hand.
    fn offer(&mut self, placement: Placement, stage: Stage) -> bool {
        let level = self.layout.instance.level(&placement);
        let better = level < self.level && self.layout.cost(&placement) <= self.budget;
        if better {
            self.placement = placement;
            self.level = level;
            self.stage = if self.layout.instance.is_forced() { Stage::Bound } else { stage };
        }
        better
    }

    fn record(&mut self, stage: Stage, work: u64) {
        self.records.push(Record { stage, level: self.level, bound: self.bound, work });
    }

    fn is_met(&self) -> bool {
        self.level <= self.bound * (1.0 + TOLERANCE)
    }

    fn is_close(&self, settings: &Settings) -> bool {
        self.level <= self.bound * (1.0 + settings.target_gap)
    }

    /// Whether the bounds in closed form rule out all that is better.
    fn is_proved(&mut self) -> bool {
        if self.level < f64::INFINITY && !self.is_met() {
            self.rule_out(self.level * (1.0 - TOLERANCE / 2.0));
        }
        self.is_met()
    }

    /// Whether a level is out of the budget's reach; then the bound says so.
    fn rule_out(&mut self, level: f64) -> bool {
        let (layout, spent) = (self.layout, self.layout.forced_cost());
        let rest = self.budget - spent;
        let standing = Standing::new(layout);
        let out = shed::least_cost(layout, &standing, &self.thresholds, level, rest) > rest;
        if out && level > self.bound {
            (self.bound, self.bound_name) = (level, BoundName::Shedding);
        }
        out
    }

    /// The highest level that is ruled out, by bisection.
    fn raise_bound(&mut self) {
        let mut above = self.level;
        for _ in 0..BISECTIONS {
            let level = 0.5 * (self.bound + above);
            if above <= self.bound * (1.0 + TOLERANCE / 8.0) {
                break;
            }
            if !self.rule_out(level) {
                above = level;
            }
        }
    }

    fn report(self, problem: &Problem) -> Rebalance {
        let scale = Scale::new(problem);
        let stages = self.records.iter().map(|record| record.report(&scale));
        let findings = Findings {
            assignment: self.layout.instance.assignment(problem, &self.placement),
            bound: scale.ratio_of_level(self.bound),
            bound_name: self.bound_name,
            solver: self.stage,
            stages: stages.collect(),
            steps: self.steps,
            nodes: self.nodes,
        };
        Rebalance::to(findings.by_hot_ratio(problem), problem)
    }
}
