//! How far one assignment is from another.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use crate::model::HostId;

/// Turns an assignment `to` into one that is as good and has more in common
/// with another, `from`: shards of equal load change places, and hosts of equal
/// capacity change names.
///
/// `loads` are by shard and `capacities` by host; a shard that is `pinned` (by
/// index; empty if none is) and a `fixed` host stay as they are. The shards that
/// still differ are an upper bound of the fewest moves. O(shards log shards +
/// pairs log pairs), where pairs of hosts share a shard.
pub fn nearest(
    from: &[Option<HostId>],
    to: &[HostId],
    loads: &[f64],
    capacities: &[f64],
    pinned: &[bool],
    fixed: impl Fn(HostId) -> bool,
) -> Vec<HostId> {
    // Places first, for names are matched by what stays; then once more, since
    // other names leave other places.
    let placed = exchanged(from, to, loads, pinned);
    exchanged(from, &relabelled(from, &placed, capacities, fixed), loads, pinned)
}

/// Lets shards of equal load change places so that as many as possible stay:
/// of each load, a host keeps the shards that it has, up to as many as it
/// gets, the first declared first. O(shards log shards).
fn exchanged(
    from: &[Option<HostId>],
    to: &[HostId],
    loads: &[f64],
    pinned: &[bool],
) -> Vec<HostId> {
    let is_free = |shard: &usize| !pinned.get(*shard).copied().unwrap_or(false);
    let mut by_load: Vec<usize> = (0..to.len()).filter(is_free).collect();
    by_load.sort_by(|a, b| loads[*a].total_cmp(&loads[*b]));
    let mut result = to.to_vec();
    for alike in by_load.chunk_by(|a, b| loads[*a] == loads[*b]) {
        let mut places: BTreeMap<HostId, usize> = BTreeMap::new();
        for &shard in alike {
            *places.entry(to[shard]).or_default() += 1;
        }
        let mut leaving = Vec::new();
        for &shard in alike {
            match from[shard].and_then(|host| Some((host, places.get_mut(&host)?))) {
                Some((host, left)) if *left > 0 => {
                    *left -= 1;
                    result[shard] = host;
                }
                _ => leaving.push(shard),
            }
        }
        let left = places.into_iter().flat_map(|(host, left)| std::iter::repeat_n(host, left));
        for (shard, host) in leaving.into_iter().zip(left) {
            result[shard] = host;
        }
    }
    result
}

/// Renames hosts of equal capacity in an assignment, so that it has as much as
/// possible in common with another: which of them carries a set of shards
/// makes no difference to the balance.
///
/// Hosts are matched by the largest number of shards they have in common first
/// (ties: the earlier pair). `capacities` are by host; a `fixed` host keeps its
/// name. O(shards + pairs log pairs), where pairs of hosts share a shard.
fn relabelled(
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

/// Moves that turn one assignment into another that is as good, as in
/// [`nearest`] without pins.
pub fn moves_between(
    from: &[Option<HostId>],
    to: &[HostId],
    loads: &[f64],
    capacities: &[f64],
) -> u64 {
    let to = nearest(from, to, loads, capacities, &[], |_| false);
    from.iter().zip(&to).filter(|(old, new)| **old != Some(**new)).count() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_of_equal_capacity_may_change_names() {
        let from = [0, 0, 0, 1, 1].map(|host| Some(HostId(host)));
        let to = [1, 1, 1, 0, 1].map(HostId);
        let loads = [1.0, 2.0, 3.0, 4.0, 5.0];
        assert_eq!(moves_between(&from, &to, &loads, &[1.0, 1.0]), 1);
        assert_eq!(moves_between(&from, &to, &loads, &[1.0, 2.0]), 4);
        assert_eq!(relabelled(&from, &to, &[1.0, 1.0], |_| false), [0, 0, 0, 1, 0].map(HostId));
        assert_eq!(relabelled(&from, &to, &[1.0, 1.0], |host| host.0 == 1), to);
    }

    #[test]
    fn shards_of_equal_load_may_change_places() {
        // Counts of 4 and 2 become 3 and 3: one move, whichever shards they are.
        let from = [0, 0, 0, 0, 1, 1].map(|host| Some(HostId(host)));
        let to = [1, 1, 0, 1, 0, 0].map(HostId);
        assert_eq!(moves_between(&from, &to, &[1.0; 6], &[1.0, 2.0]), 1);
        // Of a load, the first that a host has stay there.
        let near = |pinned: &[bool]| nearest(&from, &to, &[1.0; 6], &[1.0, 2.0], pinned, |_| false);
        assert_eq!(near(&[]), [0, 0, 0, 1, 1, 1].map(HostId));
        let pinned = [true, false, false, false, false, false];
        assert_eq!(near(&pinned), [1, 0, 0, 0, 1, 1].map(HostId));
        // Only 2 and 2 may change places.
        let loads = [2.0, 1.0, 1.5, 1.7, 2.0, 3.0];
        let near = nearest(&from, &to, &loads, &[1.0, 2.0], &[], |_| false);
        assert_eq!(near, [0, 1, 0, 1, 1, 0].map(HostId));
    }

    #[test]
    fn a_host_that_receives_nothing_leaves_its_name_to_another() {
        let from = [Some(HostId(2)), Some(HostId(2)), None];
        let to = [HostId(0), HostId(1), HostId(1)];
        assert_eq!(relabelled(&from, &to, &[1.0; 3], |_| false), [2, 0, 0].map(HostId));
    }
}
