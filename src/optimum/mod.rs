//! How good could any placement have been?
//!
//! [`solve`] minimises, over all assignments of a snapshot's shards to its
//! hosts, the utilisation of the hottest host, max over h of load_h / c_h:
//! makespan minimisation on uniform machines, Q||Cmax, or P||Cmax when the
//! capacities are equal (the notation of Graham et al. 1979). That is NP-hard,
//! so every answer carries a certified lower bound beside its value.
//!
//! Stages follow each other and stop as soon as the value meets the bound:
//! bounds in closed form, the start assignment as it is, LPT, local search by
//! moves, swaps and re-splits of two hosts, and, for small instances, an
//! integer linear program.
//!
//! [`solve_budgeted`] minimises the same with few moves from where the shards are,
//! and [`fewest`] asks for the fewest moves that reach a given hot_ratio.
//!
//! Limits are counts, so that an instance has one answer on every machine.

mod answer;
mod bounds;
mod budget;
mod construct;
mod exchange;
mod ilp;
mod improve;
mod instance;
mod problem;
mod resplit;

pub use answer::{BoundName, Optimum, Stage, Status, TOLERANCE};
pub use budget::{Budget, Budgeted, Fewest, Measure, Move, fewest, solve_budgeted};
pub use problem::{OptimumError, Problem, Settings, Solver};

use instance::{Instance, Placement};

/// Finds an assignment whose hottest host is as cool as possible, and a bound
/// on how cool any could be.
///
/// # Errors
///
/// When the problem makes no sense; never for want of a good answer.
pub fn solve(problem: &Problem, settings: &Settings) -> Result<Optimum, OptimumError> {
    let instance = Instance::new(problem)?;
    let mut search = Search::new(&instance);
    search.run(problem, settings);
    Ok(search.report(problem))
}

/// The state of the staged driver. Levels are those of [`Instance`].
struct Search<'a> {
    instance: &'a Instance,
    bound: f64,
    bound_name: BoundName,
    placement: Placement,
    level: f64,
    stage: Stage,
    steps: u64,
    nodes: u64,
}

impl<'a> Search<'a> {
    fn new(instance: &'a Instance) -> Self {
        let (bound, bound_name) = bounds::strongest(instance);
        Self {
            instance,
            bound,
            bound_name,
            placement: Placement::new(),
            level: f64::INFINITY,
            stage: Stage::Bound,
            steps: 0,
            nodes: 0,
        }
    }

    fn run(&mut self, problem: &Problem, settings: &Settings) {
        if let Some(start) = problem.start.and_then(|start| self.instance.placement_of(start)) {
            self.offer(start, Stage::Start);
        }
        if self.is_met() {
            return;
        }
        self.offer(construct::lpt(self.instance), Stage::Lpt);
        if self.is_met() {
            return;
        }
        // Half the tolerance, for search and report sum loads in other orders.
        let target = self.bound * (1.0 + settings.target_gap - TOLERANCE / 2.0);
        let improved =
            improve::improve(self.instance, &self.placement, target, settings.step_limit);
        self.steps = improved.steps;
        self.offer(improved.placement, Stage::LocalSearch);
        if self.level <= self.bound * (1.0 + settings.target_gap) || !self.wants_ilp(settings) {
            return;
        }
        if let Some(solved) =
            ilp::solve(self.instance, &self.placement, self.bound, settings.node_limit)
        {
            self.nodes = solved.nodes;
            self.offer(solved.placement, Stage::Ilp);
            if solved.bound > self.bound {
                self.bound = solved.bound;
                self.bound_name = BoundName::Ilp;
                if self.is_met() {
                    self.stage = Stage::Ilp;
                }
            }
        }
    }

    fn wants_ilp(&self, settings: &Settings) -> bool {
        match settings.solver {
            Solver::Auto => ilp::is_promising(self.instance, settings),
            Solver::Heuristic => false,
            Solver::Ilp => true,
        }
    }

    /// Keeps a placement if it is better than the one at hand.
    fn offer(&mut self, placement: Placement, stage: Stage) {
        let level = self.instance.level(&placement);
        if level < self.level {
            self.placement = placement;
            self.level = level;
            // Nothing to choose: one host, or no load that could be elsewhere.
            let forced = self.instance.hosts.len() < 2
                || self.instance.weights.first().is_none_or(|&w| w == 0.0);
            self.stage = if forced { Stage::Bound } else { stage };
        }
    }

    fn is_met(&self) -> bool {
        self.level <= self.bound * (1.0 + TOLERANCE)
    }

    fn report(self, problem: &Problem) -> Optimum {
        let assignment = self.instance.assignment(problem, &self.placement);
        let mut loads = vec![0.0; problem.capacities.len()];
        for (&load, host) in problem.loads.iter().zip(&assignment) {
            loads[host.index()] += load;
        }
        let utilisations = loads.iter().zip(problem.capacities).map(|(load, c)| load / c);
        let max_utilisation = utilisations.fold(0.0, f64::max);

        let total_load: f64 = problem.loads.iter().sum();
        let total_capacity: f64 = problem.capacities.iter().sum();
        let fleet = total_load / total_capacity;
        let largest_capacity = problem.capacities.iter().copied().fold(0.0, f64::max);
        let ratio = |utilisation: f64| if fleet > 0.0 { utilisation / fleet } else { 1.0 };
        let hot_ratio = ratio(max_utilisation);
        let bound = ratio(self.bound / largest_capacity).min(hot_ratio);
        let gap = (hot_ratio - bound) / bound;
        Optimum {
            hot_ratio,
            max_utilisation,
            bound,
            bound_name: self.bound_name,
            gap,
            status: if gap <= TOLERANCE { Status::Optimal } else { Status::Feasible },
            solver: self.stage,
            assignment,
            steps: self.steps,
            nodes: self.nodes,
        }
    }
}
