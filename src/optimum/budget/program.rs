//! The problem within a budget as an integer linear program: which shard
//! leaves for which host.

use good_lp::{Constraint, Expression, ProblemVariables, Variable, variable};

use super::Measure;
use crate::optimum::ilp::{BOUND_ALLOWANCE, Backend, LEAST_WEIGHT, PRUNE, Program, Solved};
use crate::optimum::instance::Placement;
use crate::optimum::layout::{Layout, NOWHERE};

/// What is asked of the program.
#[derive(Clone, Copy)]
pub(super) struct Query<'a> {
    /// A placement within the budget, to begin with.
    pub(super) incumbent: &'a [u32],
    /// A level that none is below; above 0.
    pub(super) bound: f64,
    /// What the moves may cost.
    pub(super) budget: f64,
    /// Nodes of the search tree, at most.
    pub(super) nodes: u64,
}

/// Minimises the level T of the hottest host:
///
/// minimise T, with y_sh in {0, 1} for each shard s and each host h that it is
/// not on, and bound <= T <= incumbent, such that
///
/// - the sum over h of y_sh is at most 1 for each s (1 if it is nowhere),
/// - the sum over s and h of p_s y_sh is within the budget, with p_s = 1 or w_s,
/// - each host holds what stayed and what came, which is at most c_h T.
///
/// *Left out.* A y_sh that alone exceeds the budget, or the incumbent's level
/// on h: no better placement sets it. Shards of no weight, and those of less
/// than [`LEAST_WEIGHT`]: without them, the least level can only be lower.
///
/// *Alike* are hosts that hold nothing that could leave, with equal capacity and
/// pinned load: numbered by the first shard that comes to each, the r-th is
/// needed for the shards from the r-th heaviest on alone.
///
/// `None` when the solver gives up; a caller never depends on its answer. The
/// placement that comes with the bound may exceed the budget by the solver's
/// tolerance.
pub(super) fn solve(layout: &Layout, backend: Backend, query: &Query) -> Option<Solved> {
    let (program, exits) = Builder::new(layout, query).build();
    let outcome = program.solve(backend, query.nodes)?;
    let mut placement = layout.home.clone();
    for exit in &exits {
        // The values are within a tolerance of 0 and 1; the largest is the 1.
        let value = |choice: &&(usize, u32)| outcome.values[choice.0];
        let chosen = exit.hosts.iter().max_by(|a, b| value(a).total_cmp(&value(b)));
        let must = layout.home[exit.item as usize] == NOWHERE;
        if let Some(&(_, host)) = chosen.filter(|chosen| must || value(chosen) > 0.5) {
            placement[exit.item as usize] = host;
        }
    }
    settle(layout, &mut placement);
    Some(Solved {
        placement,
        bound: outcome.bound * query.bound * (1.0 - BOUND_ALLOWANCE),
        nodes: outcome.nodes,
        work: outcome.work,
    })
}

/// How many binary variables the program has.
pub(super) fn variables(layout: &Layout, query: &Query) -> usize {
    let builder = Builder::new(layout, query);
    (0..builder.heavy).map(|item| builder.destinations(item as u32).count()).sum()
}

/// Shards that are nowhere land on the host that is coolest with them, the
/// heaviest first.
fn settle(layout: &Layout, placement: &mut Placement) {
    let capacity = &layout.instance.capacity;
    let mut loads = layout.instance.base.clone();
    for (item, &host) in (0..).zip(placement.iter()) {
        if host != NOWHERE {
            loads[host as usize] += layout.weight(item);
        }
    }
    for &item in &layout.homeless {
        if placement[item as usize] != NOWHERE {
            continue;
        }
        let with_it = |host: usize| (loads[host] + layout.weight(item)) / capacity[host];
        let coolest = (0..loads.len()).min_by(|&a, &b| with_it(a).total_cmp(&with_it(b)));
        // Items exist only where an open host does.
        let host = coolest.unwrap_or(0);
        loads[host] += layout.weight(item);
        placement[item as usize] = host as u32;
    }
}

/// A shard's variables: their number in order of creation, and the host
/// each stands for.
struct Exit {
    item: u32,
    hosts: Vec<(usize, u32)>,
}

struct Builder<'a> {
    layout: &'a Layout<'a>,
    bound: f64,
    /// What may be spent on moves that need not be.
    spare: f64,
    /// The incumbent's level, and what each host may hold under it.
    highest: f64,
    limits: Vec<f64>,
    /// Items up to here are in the program.
    heavy: usize,
    /// The place of each host among those that are alike.
    rank: Vec<usize>,
    /// The incumbent, with such hosts renamed.
    named: Placement,
}

impl<'a> Builder<'a> {
    fn new(layout: &'a Layout<'a>, query: &Query) -> Self {
        let instance = layout.instance;
        let highest = instance.level(query.incumbent);
        let heavy = instance.weights.partition_point(|&w| w >= LEAST_WEIGHT * query.bound);
        let alike = alike(layout);
        let mut rank = vec![0; layout.loads.len()];
        for group in &alike {
            for (place, &host) in group.iter().enumerate() {
                rank[host as usize] = place;
            }
        }
        Self {
            layout,
            bound: query.bound,
            spare: query.budget - layout.forced_cost(),
            highest,
            limits: (0..layout.loads.len()).map(|host| layout.limit(host, highest)).collect(),
            heavy,
            rank,
            named: name_by_first_shard(&alike, layout.loads.len(), query.incumbent),
        }
    }

    /// The hosts that an item may have to go to.
    fn destinations(&self, item: u32) -> impl Iterator<Item = u32> {
        let (layout, weight) = (self.layout, self.layout.weight(item));
        let home = layout.home[item as usize];
        let affordable =
            home == NOWHERE || (weight > 0.0 && layout.price[item as usize] <= self.spare);
        let hosts = 0..if affordable { self.limits.len() } else { 0 };
        let fits = move |host: usize| {
            host as u32 != home
                && self.rank[host] <= item as usize
                && layout.instance.base[host] + weight <= self.limits[host]
        };
        hosts.filter(move |&host| fits(host)).map(|host| host as u32)
    }

    fn build(self) -> (Program, Vec<Exit>) {
        let mut parts = Parts::new(&self);
        let exits = (0..self.heavy as u32).map(|item| parts.exit(item)).collect();
        (parts.into_program(), exits)
    }
}

/// The program as it grows. Loads are in multiples of the bound.
struct Parts<'a> {
    of: &'a Builder<'a>,
    variables: ProblemVariables,
    level: Variable,
    rows: Vec<Constraint>,
    hint: Vec<f64>,
    /// What each host holds.
    used: Vec<Expression>,
    cost: Expression,
}

impl<'a> Parts<'a> {
    fn new(of: &'a Builder<'a>) -> Self {
        let highest = of.highest / of.bound;
        let mut variables = ProblemVariables::new();
        // A little room above keeps rounding from ruling the incumbent out.
        let level = variables.add(variable().min(1.0).max(highest * (1.0 + PRUNE)));
        let mut base = of.layout.instance.base.clone();
        for item in 0..of.heavy {
            if let Some(load) = base.get_mut(of.layout.home[item] as usize) {
                *load += of.layout.instance.weights[item];
            }
        }
        Self {
            of,
            variables,
            level,
            rows: Vec::new(),
            hint: vec![highest],
            used: base.into_iter().map(|load| Expression::from(load / of.bound)).collect(),
            cost: Expression::from(0.0),
        }
    }

    /// An item that moves whole or stays.
    fn exit(&mut self, item: u32) -> Exit {
        let layout = self.of.layout;
        let weight = layout.weight(item) / self.of.bound;
        let home = layout.home[item as usize];
        let mut hosts = Vec::new();
        let mut sum = Expression::from(0.0);
        for host in self.of.destinations(item) {
            let here = self.of.named[item as usize] == host;
            hosts.push((self.hint.len(), host));
            self.hint.push(if here { 1.0 } else { 0.0 });
            let y = self.variables.add(variable().binary());
            sum += y;
            self.used[host as usize].add_mul(weight, y);
            if let Some(load) = self.used.get_mut(home as usize) {
                load.add_mul(-weight, y);
                self.cost.add_mul(self.price(layout.price[item as usize]), y);
            }
        }
        if home == NOWHERE {
            self.rows.push(sum.eq(1.0));
        } else if hosts.len() > 1 {
            self.rows.push(sum.leq(1.0));
        }
        Exit { item, hosts }
    }

    /// A price in the program's units.
    fn price(&self, price: f64) -> f64 {
        match self.of.layout.measure {
            Measure::Moves => price,
            Measure::Load => price / self.of.bound,
        }
    }

    fn into_program(mut self) -> Program {
        // The reserve covers the rounding of sums of loads.
        let spare = self.price(self.of.spare) * (1.0 + PRUNE);
        self.rows.push(self.cost.leq(spare));
        for (load, &capacity) in self.used.into_iter().zip(&self.of.layout.instance.capacity) {
            self.rows.push(load.leq(capacity * self.level));
        }
        let Self { variables, level, rows, hint, .. } = self;
        Program { variables, level, rows, hint }
    }
}

/// Open hosts that hold nothing that could leave, by what they look like.
fn alike(layout: &Layout) -> Vec<Vec<u32>> {
    let is_empty = |host: &u32| layout.lists[*host as usize].is_empty();
    let classes = layout.instance.classes.iter();
    classes.map(|class| class.members.iter().copied().filter(is_empty).collect()).collect()
}

/// The same placement with the hosts of each group permuted such that the first
/// shards of its members come in order.
fn name_by_first_shard(groups: &[Vec<u32>], hosts: usize, placement: &[u32]) -> Placement {
    let mut name: Vec<u32> = (0..hosts as u32).collect();
    for group in groups {
        let mut first: Vec<(usize, u32)> = group
            .iter()
            .map(|&host| {
                let first = placement.iter().position(|&at| at == host);
                (first.unwrap_or(placement.len()), host)
            })
            .collect();
        first.sort_unstable();
        for (&(_, host), &new) in first.iter().zip(group) {
            name[host as usize] = new;
        }
    }
    placement.iter().map(|&host| name[host as usize]).collect()
}
