//! The staged driver: what runs after what, and when it ends.

use super::ilp::{self, Backend};
use super::instance::{Instance, Placement};
use super::report::{Findings, Scale};
use super::{
    BoundName, Optimum, OptimumError, Problem, Settings, Solver, Stage, StageReport, TOLERANCE,
    bnb, bounds, construct, improve, regroup,
};

/// Share of the branch and bound's nodes that groups of hosts may take.
const REGROUP_SHARE: u64 = 8;

/// Finds an assignment whose hottest host is as cool as possible, and a bound
/// on how cool any could be.
///
/// # Errors
///
/// When the problem makes no sense, or the settings ask for a solver that was
/// not built in; never for want of a good answer.
pub fn solve(problem: &Problem, settings: &Settings) -> Result<Optimum, OptimumError> {
    if !settings.solver.is_built() {
        return Err(OptimumError::NotBuilt);
    }
    let instance = Instance::new(problem)?;
    let mut search = Search::new(&instance);
    search.run(problem, settings);
    Ok(search.report(problem))
}

/// What was found so far. Levels are those of [`Instance`].
struct Search<'a> {
    instance: &'a Instance,
    bound: f64,
    bound_name: BoundName,
    placement: Placement,
    level: f64,
    stage: Stage,
    steps: u64,
    nodes: u64,
    records: Vec<Record>,
}

/// Where things stood when a stage had ended, in levels.
pub(super) struct Record {
    pub(super) stage: Stage,
    pub(super) level: f64,
    pub(super) bound: f64,
    pub(super) work: u64,
}

impl Record {
    /// The same in hot_ratios.
    pub(super) fn report(&self, scale: &Scale) -> StageReport {
        StageReport {
            stage: self.stage,
            value: self.level.is_finite().then(|| scale.ratio_of_level(self.level)),
            bound: scale.ratio_of_level(self.bound),
            work: self.work,
        }
    }
}

impl<'a> Search<'a> {
    fn new(instance: &'a Instance) -> Self {
        let (bound, bound_name) = bounds::strongest(instance);
        let mut search = Self {
            instance,
            bound,
            bound_name,
            placement: Placement::new(),
            level: f64::INFINITY,
            stage: Stage::Bound,
            steps: 0,
            nodes: 0,
            records: Vec::new(),
        };
        search.record(Stage::Bound, 0);
        search
    }

    fn run(&mut self, problem: &Problem, settings: &Settings) {
        if let Some(start) = problem.start.and_then(|start| self.instance.placement_of(start)) {
            self.offer(start, Stage::Start);
            self.record(Stage::Start, 0);
        }
        if self.is_met() {
            return;
        }
        self.offer(construct::lpt(self.instance), Stage::Lpt);
        self.record(Stage::Lpt, 0);
        if self.is_met() {
            return;
        }
        // Half the tolerance, for search and report sum loads in other orders.
        let target = self.bound * (1.0 + settings.target_gap - TOLERANCE / 2.0);
        let improved =
            improve::improve(self.instance, &self.placement, target, settings.step_limit);
        self.steps = improved.steps;
        self.offer(improved.placement, Stage::LocalSearch);
        self.record(Stage::LocalSearch, improved.steps);

        let is_enough = |search: &Self| search.level <= search.bound * (1.0 + settings.target_gap);
        if !is_enough(self) && matches!(settings.solver, Solver::Auto | Solver::Bnb) {
            self.branch_and_bound(settings);
        }
        let searches_on = matches!(settings.solver, Solver::Auto | Solver::Heuristic | Solver::Bnb);
        if !is_enough(self) && searches_on {
            let limit = settings.branch_limit / REGROUP_SHARE;
            let found = regroup::regroup(self.instance, &self.placement, target, limit);
            self.nodes += found.nodes;
            self.offer(found.placement, Stage::Regroup);
            self.record(Stage::Regroup, found.nodes);
        }
        let backend = match settings.solver {
            Solver::Auto if ilp::is_promising(self.instance, settings) => Some(Backend::Microlp),
            solver => Backend::named(solver),
        };
        if let Some(backend) = backend.filter(|_| !is_enough(self)) {
            self.integer_program(backend, settings);
        }
    }

    fn branch_and_bound(&mut self, settings: &Settings) {
        let found = bnb::search(self.instance, self.level, self.bound, settings.branch_limit);
        let Some(found) = found else { return };
        if let Some(placement) = found.placement {
            self.offer(placement, Stage::Bnb);
        }
        self.raise_bound(found.bound, BoundName::Bnb, Stage::Bnb);
        self.nodes += found.nodes;
        self.record(Stage::Bnb, found.nodes);
    }

    fn integer_program(&mut self, backend: Backend, settings: &Settings) {
        let (stage, name) = (backend.stage(), backend.bound_name());
        let solved =
            ilp::solve(backend, self.instance, &self.placement, self.bound, settings.node_limit);
        let Some(solved) = solved else { return };
        self.offer(solved.placement, stage);
        self.raise_bound(solved.bound, name, stage);
        self.nodes += solved.nodes;
        self.record(stage, solved.work);
    }

    /// Keeps a placement if it is better than the one at hand.
    fn offer(&mut self, placement: Placement, stage: Stage) {
        let level = self.instance.level(&placement);
        if level < self.level {
            self.placement = placement;
            self.level = level;
            self.stage = if self.instance.is_forced() { Stage::Bound } else { stage };
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
        self.level <= self.bound * (1.0 + TOLERANCE)
    }

    fn record(&mut self, stage: Stage, work: u64) {
        self.records.push(Record { stage, level: self.level, bound: self.bound, work });
    }

    fn report(self, problem: &Problem) -> Optimum {
        let scale = Scale::new(problem);
        let stages = self.records.iter().map(|record| record.report(&scale));
        let findings = Findings {
            assignment: self.instance.assignment(problem, &self.placement),
            bound: scale.ratio_of_level(self.bound),
            bound_name: self.bound_name,
            solver: self.stage,
            stages: stages.collect(),
            steps: self.steps,
            nodes: self.nodes,
        };
        findings.by_hot_ratio(problem)
    }
}
