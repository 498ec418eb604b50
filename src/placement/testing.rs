//! What the tests of placements share.

use super::{Member, Placement};
use crate::hash::hash_name;
use crate::model::HostId;

/// Hosts 0, 1, ... of weight 1, by their names.
pub(super) fn members<'a>(names: &[&'a str]) -> Vec<Member<'a>> {
    (0..).map(HostId).zip(names).map(|(host, name)| Member { host, name, weight: 1.0 }).collect()
}

/// Names `host-0`, `host-1`, ...
pub(super) fn numbered(hosts: usize) -> Vec<String> {
    (0..hosts).map(|i| format!("host-{i}")).collect()
}

/// Hashes of different keys.
pub(super) fn probes(keys: usize) -> impl Iterator<Item = u64> {
    (0..keys).map(|i| hash_name(&format!("key-{i}"), 0))
}

/// Keys of each host.
pub(super) fn counts(owners: &[Option<HostId>], hosts: usize) -> Vec<u64> {
    let mut counts = vec![0; hosts];
    for owner in owners.iter().flatten() {
        counts[owner.index()] += 1;
    }
    counts
}

/// The chi-square statistic of keys a host against shares.
pub(super) fn chi_square_of(placement: &impl Placement, keys: usize, weights: &[f64]) -> f64 {
    let owners = placement.place(&probes(keys).collect::<Vec<_>>());
    let total: f64 = weights.iter().sum();
    let term = |(count, weight): (u64, &f64)| {
        let expected = keys as f64 * weight / total;
        (count as f64 - expected) * (count as f64 - expected) / expected
    };
    counts(&owners, weights.len()).into_iter().zip(weights).map(term).sum()
}

/// The share of keys that change owner, where hosts may stand for others.
pub(super) fn moved_between(
    before: &impl Placement,
    after: &impl Placement,
    keys: usize,
    same: impl Fn(HostId) -> HostId,
) -> f64 {
    let moved = probes(keys).filter(|&hash| before.owner(hash) != after.owner(hash).map(&same));
    moved.count() as f64 / keys as f64
}
