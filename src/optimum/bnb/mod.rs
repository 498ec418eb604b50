//! Exact search: branch and bound that fills one host at a time.
//!
//! Bin completion (Martello and Toth 1990, section 8.5; Korf 2002; Schreiber
//! and Korf 2013 for makespans): a node fills the host of the heaviest shard
//! that is left with a set of others, instead of placing a single shard. Under
//! a level T the hosts have T * capacity - load in all to waste, so that each
//! host must be filled to within what the hosts before it left of that. Near
//! the mean that is a narrow window, and few sets end in it.
//!
//! T starts just above the bound and is raised while nothing is found
//! (iterative weakening, Korf 2011): the work then depends on how far the
//! optimum is from the bound, not on the incumbent, and every T that fails is
//! a better bound.

mod fill;
mod light;
mod refuted;

use super::TOLERANCE;
use super::instance::{Instance, Placement};
use fill::{End, Filler};

/// Shards that the search can tell apart, by the bits of a mask.
const SHARD_LIMIT: usize = u128::BITS as usize;

/// By how much the distance of T to the first bound grows when nothing was
/// found. The work grows with a power of it, of about the number of hosts.
const WEAKENING: f64 = 2.0;

/// Share of the nodes that the first T may take, which is next to the bound
/// and so the cheapest: when that is not enough, none will be.
const FIRST_SHARE: u64 = 16;

/// What the search found out.
pub(super) struct Searched {
    /// A better placement than the incumbent.
    pub(super) placement: Option<Placement>,
    /// No placement has a lower level.
    pub(super) bound: f64,
    /// Sets of shards that were tried for a host.
    pub(super) nodes: u64,
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
    if items > SHARD_LIMIT || instance.hosts.len() < 2 || items == 0 {
        return None;
    }
    let mut filler = Filler::new(instance, items, incumbent);
    let (first, mut proved) = (bound, bound);
    let mut target = bound * (1.0 + TOLERANCE);
    let mut limit = node_limit / FIRST_SHARE;
    loop {
        let found_before = filler.best_level();
        let last = target >= filler.just_below(found_before);
        if last {
            target = filler.just_below(found_before);
        }
        if filler.run(target, proved, limit) == End::Limit {
            break;
        }
        if filler.best_level() <= proved * (1.0 + TOLERANCE) {
            break;
        }
        if last || filler.best_level() < found_before {
            proved = proved.max(filler.best_level() * (1.0 - 3.0 * instance.rounding));
            break;
        }
        proved = proved.max(target * (1.0 - instance.rounding));
        target = first + WEAKENING * (target - first);
        limit = node_limit;
    }
    let nodes = filler.nodes();
    Some(Searched { placement: filler.into_best(), bound: proved, nodes })
}
