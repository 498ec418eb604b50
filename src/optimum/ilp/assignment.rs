//! The assignment problem as a program: which shard is on which host.

use good_lp::{Expression, ProblemVariables, variable};

use super::{BOUND_ALLOWANCE, Backend, LEAST_WEIGHT, PRUNE, Program, Solved};
use crate::optimum::instance::{Instance, Placement};
use crate::optimum::{Settings, construct};

/// A tree is expected to fit into the node limit when its estimate is at most
/// this many times the limit. Measured on Zipf loads with exponents 0.3 to
/// 0.98, trees had a quarter of the estimate or more.
const ESTIMATE_RESERVE: f64 = 3.0;

/// Whether the program is small enough to be worth a try.
///
/// A vertex of its relaxation splits at most H - 1 shards over several hosts:
/// n + H rows allow n + H basic variables, T is one, and each of the n shards
/// has one. So the tree is estimated as the ways to place all but the lightest
/// H - 1 shards.
pub(in crate::optimum) fn is_promising(instance: &Instance, settings: &Settings) -> bool {
    let (shards, hosts) = (instance.weights.len(), instance.hosts.len());
    let choices = |shard| choices(instance, shard).count();
    // The limit is small, so that the products and sums below stay small.
    let limit = settings.variable_limit;
    if (shards * hosts) as u64 > 2 * limit || (0..shards).map(choices).sum::<usize>() as u64 > limit
    {
        return false;
    }
    let decided = shards.saturating_sub(hosts - 1);
    let ways: f64 = (0..decided).map(|shard| choices(shard) as f64).product();
    ways <= ESTIMATE_RESERVE * settings.node_limit as f64
}

/// The hosts on which a shard, by its rank, needs to be tried: hosts of one
/// class are alike, so they may be numbered by the first shard each holds, and
/// the r-th heaviest shard is then on one of the first r of its class.
fn choices(instance: &Instance, shard: usize) -> impl Iterator<Item = u32> {
    instance.classes.iter().flat_map(move |class| class.members.iter().copied().take(shard + 1))
}

/// Minimises the level T of the hottest host:
///
/// minimise T, with x_sh in {0, 1} and bound <= T <= incumbent, such that
/// the sum over h of x_sh is 1 for every shard s, and
/// b_h + the sum over s of w_s x_sh is at most c_h T for every host h.
///
/// Only the variables of [`choices`] are in it.
///
/// `None` when the solver gives up; a caller never depends on its answer.
/// `bound` must be above 0: loads are counted in multiples of it.
pub(in crate::optimum) fn solve(
    backend: Backend,
    instance: &Instance,
    incumbent: &[u32],
    bound: f64,
    node_limit: u64,
) -> Option<Solved> {
    let (program, choices) = Program::new(instance, incumbent, bound);
    let outcome = program.solve(backend, node_limit)?;
    // The values are within a tolerance of 0 and 1; the largest is the 1.
    let mut placement: Placement = Vec::with_capacity(instance.weights.len());
    for choices in &choices {
        let value = |choice: &(usize, u32)| outcome.values[choice.0];
        let chosen = choices.iter().max_by(|a, b| value(a).total_cmp(&value(b)));
        placement.push(chosen?.1);
    }
    construct::fill(instance, &mut placement);
    Some(Solved {
        placement,
        bound: outcome.bound * bound * (1.0 - BOUND_ALLOWANCE),
        nodes: outcome.nodes,
        work: outcome.work,
    })
}

/// For each heavy shard, the variables it may set to 1 (their number in order
/// of creation) and the host each stands for.
type Choices = Vec<Vec<(usize, u32)>>;

impl Program {
    fn new(instance: &Instance, incumbent: &[u32], bound: f64) -> (Self, Choices) {
        let heavy = instance.weights.partition_point(|&w| w >= LEAST_WEIGHT * bound);
        let named = name_hosts_by_first_shard(instance, &incumbent[..heavy]);
        let highest = instance.level(incumbent) / bound;

        let mut variables = ProblemVariables::new();
        // A little room above keeps rounding from ruling the incumbent out.
        let level = variables.add(variable().min(1.0).max(highest * (1.0 + PRUNE)));
        let mut used: Vec<Expression> =
            instance.base.iter().map(|&base| Expression::from(base / bound)).collect();
        let mut rows = Vec::with_capacity(heavy + used.len());
        let mut choices = Vec::with_capacity(heavy);
        let mut hint = vec![highest];
        for (shard, &incumbent_host) in named.iter().enumerate() {
            let mut hosts = Vec::new();
            let mut sum = Expression::with_capacity(instance.hosts.len());
            for h in self::choices(instance, shard) {
                let x = variables.add(variable().binary());
                sum += x;
                used[h as usize].add_mul(instance.weights[shard] / bound, x);
                hosts.push((hint.len(), h));
                hint.push(if incumbent_host == h { 1.0 } else { 0.0 });
            }
            rows.push(sum.eq(1.0));
            choices.push(hosts);
        }
        for (load, &capacity) in used.into_iter().zip(&instance.capacity) {
            rows.push(load.leq(capacity * level));
        }
        (Self { variables, level, rows, hint }, choices)
    }
}

/// The same placement with the hosts of each class permuted such that the
/// first shards of its members come in order.
fn name_hosts_by_first_shard(instance: &Instance, placement: &[u32]) -> Placement {
    let mut name = vec![None; instance.hosts.len()];
    let mut taken = vec![0; instance.classes.len()];
    let named = placement.iter().map(|&h| {
        let class = instance.class_of[h as usize] as usize;
        *name[h as usize].get_or_insert_with(|| {
            taken[class] += 1;
            instance.classes[class].members[taken[class] - 1]
        })
    });
    named.collect()
}
