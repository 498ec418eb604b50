//! Exact search: branch and bound that fills one host at a time.
//!
//! Bin completion (Martello and Toth 1990, section 8.5; Korf 2002; Schreiber
//! and Korf 2013 for makespans): a node fills the host of the heaviest shard
//! that is left with a set of others, instead of placing a single shard. Under
//! a level T the hosts have T * capacity - load in all to waste, so that each
//! host must be filled to within what the hosts before it left of that. Near
//! the mean that is a narrow window, and few sets end in it.
//!
//! T starts just above the bound and is raised by growing steps while nothing
//! is found (iterative weakening, Korf 2011): the work then depends on how far
//! the optimum is from the bound, not on the incumbent, and every T that fails
//! is a better bound.

mod fill;
mod light;
mod refuted;

use super::TOLERANCE;
use super::instance::{Instance, Placement};
use fill::{End, Filler};

/// Shards that the search can tell apart, by the bits of a mask; and hosts, for
/// each set looks at all kinds of them.
const SIZE_LIMIT: usize = u128::BITS as usize;

/// By how much the step from the bound to the next T grows when nothing was
/// found. The work grows with a power of it, of about the number of hosts.
const WEAKENING: f64 = 2.0;

/// By how much the step shrinks when a T was given up: where the first bound
/// was far off, steps have grown past the optimum by much.
const RETREAT: f64 = 8.0;

/// Share of the nodes that a T may take. When that is not enough for the first
/// one, which is next to the bound and so the cheapest, none will be.
const FIRST_SHARE: u64 = 32;

/// A T may take more nodes when it takes no more than this many times as many
/// as the one before it. Steps that double multiply them by about 4.
const GROWTH: u64 = 8;

/// What the search found out.
pub(super) struct Searched {
    /// A better placement than the incumbent.
    pub(super) placement: Option<Placement>,
    /// No placement has a lower level.
    pub(super) bound: f64,
    /// Sets of shards that were tried for a host.
    pub(super) nodes: u64,
}

/// Whether there is nothing left to prove. Half the tolerance, for search and
/// report sum loads in other orders.
fn is_met(level: f64, bound: f64) -> bool {
    level <= bound * (1.0 + TOLERANCE / 2.0)
}

/// Searches for the best placement until it is proved or `node_limit` is
/// reached. `None` when the instance is too large to begin.
///
/// `bound` must be a valid bound above 0, `incumbent` the level of some
/// placement.
pub(super) fn search(
    instance: &Instance,
    incumbent: f64,
    bound: f64,
    node_limit: u64,
) -> Option<Searched> {
    let items = instance.weights.partition_point(|&w| w > 0.0);
    let hosts = instance.hosts.len();
    if items == 0 || items > SIZE_LIMIT || !(2..=SIZE_LIMIT).contains(&hosts) {
        return None;
    }
    let mut filler = Filler::new(instance, items, incumbent);
    let mut proved = bound;
    let least_step = TOLERANCE * bound;
    let mut step = least_step;
    let mut patience = node_limit / FIRST_SHARE;
    loop {
        let (found_before, nodes_before) = (filler.best_level(), filler.nodes());
        let last = filler.just_below(found_before);
        let target = last.min(proved + step);
        let limit = node_limit.min(nodes_before + patience);
        let end = filler.run(target, proved, limit);
        let found = filler.best_level();
        if is_met(found, proved) {
            break;
        }
        if end == End::Limit {
            if limit == node_limit || proved == bound && step == least_step {
                break;
            }
            if step == least_step {
                patience = patience.saturating_mul(GROWTH);
            }
            step = least_step.max(step / RETREAT);
            continue;
        }
        if target == last || found < found_before {
            proved = proved.max(found * (1.0 - 3.0 * instance.rounding));
            break;
        }
        proved = proved.max(target * (1.0 - instance.rounding));
        patience = patience.max(GROWTH * (filler.nodes() - nodes_before));
        step *= WEAKENING;
        if is_met(found, proved) {
            break;
        }
    }
    let nodes = filler.nodes();
    Some(Searched { placement: filler.into_best(), bound: proved, nodes })
}
