//! How far one assignment is from another.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::model::HostId;

/// Renames hosts of equal capacity in an assignment, so that it has as much as
/// possible in common with another: which of them carries a set of shards
/// makes no difference to the balance.
///
/// Hosts are matched by the largest number of shards they have in common first
/// (ties: the earlier pair), so that the shards that still differ are an upper
/// bound of the fewest moves. `capacities` are by host; a `fixed` host keeps
/// its name. O(shards + pairs log pairs), where pairs of hosts share a shard.
pub fn relabelled(
    from: &[Option<HostId>],
    to: &[HostId],
    capacities: &[f64],
    fixed: impl Fn(HostId) -> bool,
) -> Vec<HostId> {
    let mut common: BTreeMap<(HostId, HostId), u64> = BTreeMap::new();
    for (old, new) in from.iter().zip(to) {
        if let Some(old) = old {
            *common.entry((*new, *old)).or_default() += 1;
        }
    }
    let alike = |a: HostId, b: HostId| {
        a == b || (!fixed(a) && !fixed(b) && capacities[a.index()] == capacities[b.index()])
    };
    let mut pairs: Vec<((HostId, HostId), u64)> =
        common.into_iter().filter(|((new, old), _)| alike(*new, *old)).collect();
    pairs.sort_by_key(|(pair, shards)| (Reverse(*shards), *pair));

    let mut name: Vec<Option<HostId>> = vec![None; capacities.len()];
    let mut taken = vec![false; capacities.len()];
    let hosts = || (0..capacities.len() as u32).map(HostId);
    for host in hosts().filter(|host| fixed(*host)) {
        name[host.index()] = Some(host);
        taken[host.index()] = true;
    }
    for ((new, old), _) in pairs {
        if name[new.index()].is_none() && !taken[old.index()] {
            name[new.index()] = Some(old);
            taken[old.index()] = true;
        }
    }
    // The others take the names that are left among those of their capacity.
    let mut free: BTreeMap<u64, Vec<HostId>> = BTreeMap::new();
    for host in hosts().rev().filter(|host| !taken[host.index()]) {
        free.entry(capacities[host.index()].to_bits()).or_default().push(host);
    }
    for host in hosts().filter(|host| name[host.index()].is_none()).collect::<Vec<_>>() {
        name[host.index()] = free.get_mut(&capacities[host.index()].to_bits()).and_then(Vec::pop);
    }
    to.iter().map(|host| name[host.index()].unwrap_or(*host)).collect()
}

/// Moves that turn one assignment into another that is as good, hosts of equal
/// capacity changing names as in [`relabelled`].
pub fn moves_between(from: &[Option<HostId>], to: &[HostId], capacities: &[f64]) -> u64 {
    let to = relabelled(from, to, capacities, |_| false);
    from.iter().zip(&to).filter(|(old, new)| **old != Some(**new)).count() as u64
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
        assert_eq!(relabelled(&from, &to, &[1.0, 1.0], |_| false), [0, 0, 0, 1, 0].map(HostId));
        assert_eq!(relabelled(&from, &to, &[1.0, 1.0], |host| host.0 == 1), to);
    }

    #[test]
    fn a_host_that_receives_nothing_leaves_its_name_to_another() {
        let from = [Some(HostId(2)), Some(HostId(2)), None];
        let to = [HostId(0), HostId(1), HostId(1)];
        assert_eq!(relabelled(&from, &to, &[1.0; 3], |_| false), [2, 0, 0].map(HostId));
    }
}
