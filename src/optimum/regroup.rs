//! Dealing the shards of a few hosts anew, exactly.

use super::instance::{Instance, Placement};
use super::{TOLERANCE, bnb, bounds};

/// Hosts in a group, the hottest among them: few first.
const SIZES: [usize; 2] = [3, 4];

/// Partners that groups are formed of, coolest first.
const PARTNERS: usize = 15;

/// Shards in a group, at most. Above, a search seldom ends.
const SHARD_LIMIT: usize = 32;

/// Nodes of the search of one group, at most.
const GROUP_NODES: u64 = 20_000;

/// What was done.
pub(super) struct Regrouped {
    pub(super) placement: Placement,
    /// Nodes of all searches.
    pub(super) nodes: u64,
}

/// Lowers the hottest host until it meets `target`, no group helps, or
/// `node_limit` nodes were searched.
///
/// Where hosts hold few shards each, exchanges between two of them end early.
/// So the hottest host and two or three of the coolest are taken out, and the
/// branch and bound places their shards as a small instance of its own: a
/// neighbourhood of very many placements (Ahuja et al. 2002), searched whole.
pub(super) fn regroup(
    instance: &Instance,
    placement: &[u32],
    target: f64,
    node_limit: u64,
) -> Regrouped {
    let mut placement = placement.to_vec();
    let mut nodes = 0;
    while let Some(better) = improved(instance, &placement, target, node_limit, &mut nodes) {
        for (item, host) in better {
            placement[item as usize] = host;
        }
    }
    Regrouped { placement, nodes }
}

/// New hosts for some shards, after which the host that is the hottest now is
/// cooler, and no other as hot.
fn improved(
    instance: &Instance,
    placement: &[u32],
    target: f64,
    node_limit: u64,
    nodes: &mut u64,
) -> Option<Vec<(u32, u32)>> {
    let loads = instance.loads(placement);
    let level = |h: u32| loads[h as usize] / instance.capacity[h as usize];
    let mut order: Vec<u32> = (0..loads.len() as u32).collect();
    order.sort_by(|&a, &b| level(a).total_cmp(&level(b)).then(a.cmp(&b)));
    let hottest = order.pop()?;
    // What is gained must be more than rounding.
    let limit = level(hottest) * (1.0 - TOLERANCE / 4.0);
    if limit <= target {
        return None;
    }
    let mut held = vec![Vec::new(); loads.len()];
    for (item, &h) in placement.iter().enumerate() {
        held[h as usize].push(item as u32);
    }
    order.truncate(PARTNERS);
    for size in SIZES.into_iter().filter(|&size| size <= order.len()) {
        let mut partners = Combinations::new(size - 1, order.len());
        while let Some(chosen) = partners.next() {
            if *nodes >= node_limit {
                return None;
            }
            let mut hosts: Vec<u32> = chosen.iter().map(|&at| order[at]).collect();
            hosts.push(hottest);
            let mut items: Vec<u32> =
                hosts.iter().flat_map(|&h| &held[h as usize]).copied().collect();
            if items.len() > SHARD_LIMIT {
                continue;
            }
            items.sort_unstable();
            let group = instance.part(&hosts, &items);
            let (bound, _) = bounds::strongest(&group);
            if bound >= limit {
                continue;
            }
            let found = bnb::search(&group, limit, bound, GROUP_NODES.min(node_limit - *nodes));
            let Some(found) = found else { continue };
            *nodes += found.nodes;
            if let Some(dealt) = found.placement {
                let host = |&at: &u32| hosts[at as usize];
                return Some(items.into_iter().zip(dealt.iter().map(host)).collect());
            }
        }
    }
    None
}

/// All ways to choose some of the numbers below `of`, in lexicographic order.
struct Combinations {
    chosen: Vec<usize>,
    of: usize,
    begun: bool,
}

impl Combinations {
    /// `size` must be at most `of`.
    fn new(size: usize, of: usize) -> Self {
        Self { chosen: (0..size).collect(), of, begun: false }
    }

    fn next(&mut self) -> Option<&[usize]> {
        if self.begun {
            let size = self.chosen.len();
            let raised = (0..size).rev().find(|&i| self.chosen[i] < self.of - size + i)?;
            self.chosen[raised] += 1;
            for i in raised + 1..size {
                self.chosen[i] = self.chosen[i - 1] + 1;
            }
        }
        self.begun = true;
        Some(&self.chosen)
    }
}

#[cfg(test)]
mod tests {
    use super::Combinations;

    #[test]
    fn every_combination_comes_once() {
        for (size, of, count) in [(2, 15, 105), (3, 15, 455), (2, 2, 1), (3, 4, 4)] {
            let mut combinations = Combinations::new(size, of);
            let mut all = Vec::new();
            while let Some(chosen) = combinations.next() {
                assert!(chosen.is_sorted() && chosen.iter().all(|&at| at < of));
                all.push(chosen.to_vec());
            }
            assert_eq!(all.len(), count);
            assert!(all.is_sorted_by(|a, b| a < b));
        }
    }
}
