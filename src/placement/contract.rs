//! What every hash placement can do.

use std::collections::BTreeMap;

use crate::model::HostId;

use crate::hash::hash_name;

/// A host that joins.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member<'a> {
    /// Which host.
    pub host: HostId,
    /// Its name.
    pub name: &'a str,
    /// Its weight: the share of the keys that it should own, relative to the
    /// others. Its capacity; only placements that are `weighted` look at it.
    pub weight: f64,
}

/// A function from hashes to hosts that can be told of membership.
pub trait Placement: Send {
    /// Hosts leave, then others join, each in the order given. A host that
    /// leaves without being there is no error. Where placements number their
    /// hosts, the first to join takes the place of the first that left, and so
    /// on: hosts that leave and join in one change are replaced.
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]);

    /// The hash of a key by which it is placed. xxh64 unless the placement has
    /// another function of its own.
    fn hash(&self, key: &str, seed: u64) -> u64 {
        hash_name(key, seed)
    }

    /// The host that owns a hash; `None` without hosts.
    fn owner(&self, hash: u64) -> Option<HostId>;

    /// The owners of all keys there are, by their hashes, in order of
    /// declaration. It differs from [`owner`](Self::owner) where the owner of
    /// a key depends on the other keys.
    fn place(&self, hashes: &[u64]) -> Vec<Option<HostId>> {
        hashes.iter().map(|&hash| self.owner(hash)).collect()
    }

    /// Keys whose hosts are fixed by name, whatever their hashes.
    fn exceptions(&self) -> Vec<(&str, HostId)> {
        Vec::new()
    }

    /// The version of the slot map, which counts its changes; `None` for a
    /// placement without one.
    fn map_version(&self) -> Option<u64> {
        None
    }
}

impl<P: Placement + ?Sized> Placement for Box<P> {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        (**self).change(leaving, joining);
    }

    fn hash(&self, key: &str, seed: u64) -> u64 {
        (**self).hash(key, seed)
    }

    fn owner(&self, hash: u64) -> Option<HostId> {
        (**self).owner(hash)
    }

    fn place(&self, hashes: &[u64]) -> Vec<Option<HostId>> {
        (**self).place(hashes)
    }

    fn exceptions(&self) -> Vec<(&str, HostId)> {
        (**self).exceptions()
    }

    fn map_version(&self) -> Option<u64> {
        (**self).map_version()
    }
}

/// The owners of keys with names: [`Placement::place`], and then the
/// exceptions. `name` writes the name of a key by its position.
pub fn place_named(
    placement: &(impl Placement + ?Sized),
    hashes: &[u64],
    mut name: impl FnMut(usize, &mut String),
) -> Vec<Option<HostId>> {
    let mut owners = placement.place(hashes);
    let exceptions: BTreeMap<&str, HostId> = placement.exceptions().into_iter().collect();
    if exceptions.is_empty() {
        return owners;
    }
    let mut key = String::new();
    for (index, owner) in owners.iter_mut().enumerate() {
        key.clear();
        name(index, &mut key);
        if let Some(&host) = exceptions.get(key.as_str()) {
            *owner = Some(host);
        }
    }
    owners
}

/// Puts members of a list in the places of those that leave, so that the
/// others keep theirs: the first to join takes the first place that became
/// free. Places that stay free are closed up; further members come last.
pub(super) fn succeed<T>(
    list: &mut Vec<T>,
    is_leaving: impl Fn(&T) -> bool,
    joining: impl Iterator<Item = T>,
) {
    let mut joining = joining;
    let mut next = Vec::with_capacity(list.len());
    for member in list.drain(..) {
        if is_leaving(&member) {
            next.extend(joining.next());
        } else {
            next.push(member);
        }
    }
    next.extend(joining);
    *list = next;
}
