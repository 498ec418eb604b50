//! How far one assignment is from another.

use std::collections::BTreeMap;

use crate::model::HostId;

/// Moves that turn one assignment into another that is as good: hosts of equal
/// capacity may change names, since which of them carries a set of shards makes
/// no difference.
///
/// Hosts are matched by the largest number of shards they have in common first
/// (ties: the earlier pair of hosts), so that this is an upper bound of the
/// fewest moves, exact where the matching is. `capacities` are by host.
/// O(shards + pairs log pairs), where pairs of hosts share a shard.
pub fn moves_between(from: &[Option<HostId>], to: &[HostId], capacities: &[f64]) -> u64 {
    let mut common: BTreeMap<(HostId, HostId), u64> = BTreeMap::new();
    for (a, b) in from.iter().zip(to) {
        if let Some(a) = a {
            *common.entry((*a, *b)).or_default() += 1;
        }
    }
    let capacity = |host: HostId| capacities[host.index()].to_bits();
    let mut pairs: Vec<((HostId, HostId), u64)> =
        common.into_iter().filter(|((a, b), _)| capacity(*a) == capacity(*b)).collect();
    pairs.sort_by_key(|(pair, shards)| (std::cmp::Reverse(*shards), *pair));
    let mut matched_from = vec![false; capacities.len()];
    let mut matched_to = vec![false; capacities.len()];
    let mut stay = 0;
    for ((a, b), shards) in pairs {
        if !matched_from[a.index()] && !matched_to[b.index()] {
            matched_from[a.index()] = true;
            matched_to[b.index()] = true;
            stay += shards;
        }
    }
    from.len() as u64 - stay
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_equal_capacity_may_change_names() {
        let from = [0, 0, 0, 1, 1].map(|host| Some(HostId(host)));
        let to = [1, 1, 1, 0, 1].map(HostId);
        assert_eq!(moves_between(&from, &to, &[1.0, 1.0]), 1);
        assert_eq!(moves_between(&from, &to, &[1.0, 2.0]), 4);
    }
}
