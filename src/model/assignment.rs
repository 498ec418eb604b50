//! Who owns which shard.

use super::{HostId, ShardId};

const NOBODY: u32 = u32::MAX;

/// An assignment of shards to hosts, with an ordered list of shards for each
/// host.
///
/// The order of a list matters to balancers that break ties by it. Moving a
/// shard keeps to the reference balancer's rule: the hole in the old host's
/// list is filled by its last shard, and the shard goes to the end of the new
/// host's list. Every operation takes constant time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assignment {
    owner: Vec<u32>,
    slot: Vec<u32>,
    lists: Vec<Vec<ShardId>>,
}

impl Assignment {
    /// Nobody owns any of `shards` shards; there are `hosts` hosts.
    pub fn empty(shards: usize, hosts: usize) -> Self {
        Self { owner: vec![NOBODY; shards], slot: vec![0; shards], lists: vec![Vec::new(); hosts] }
    }

    /// Takes the owner of each shard; lists are in shard order.
    pub fn from_owners(owners: &[Option<HostId>], hosts: usize) -> Self {
        let mut assignment = Self::empty(owners.len(), hosts);
        for (shard, owner) in owners.iter().enumerate() {
            if let Some(host) = owner {
                assignment.assign(ShardId(shard as u32), *host);
            }
        }
        assignment
    }

    /// Number of shards, owned or not.
    pub fn shard_count(&self) -> usize {
        self.owner.len()
    }

    /// Number of hosts, of any status.
    pub fn host_count(&self) -> usize {
        self.lists.len()
    }

    /// The host that owns a shard.
    #[inline]
    pub fn owner(&self, shard: ShardId) -> Option<HostId> {
        match self.owner[shard.index()] {
            NOBODY => None,
            host => Some(HostId(host)),
        }
    }

    /// The owner of each shard, in shard order.
    pub fn owners(&self) -> Vec<Option<HostId>> {
        (0..self.shard_count() as u32).map(|shard| self.owner(ShardId(shard))).collect()
    }

    /// The shards of a host, in list order.
    #[inline]
    pub fn shards_of(&self, host: HostId) -> &[ShardId] {
        &self.lists[host.index()]
    }

    /// Makes room for one more host and returns its id.
    pub fn add_host(&mut self) -> HostId {
        self.lists.push(Vec::new());
        HostId((self.lists.len() - 1) as u32)
    }

    /// Gives a shard to a host, taking it from its owner if it has one.
    /// A shard that the host has already stays where it is in the list.
    pub fn assign(&mut self, shard: ShardId, host: HostId) {
        if self.owner(shard) == Some(host) {
            return;
        }
        self.release(shard);
        let list = &mut self.lists[host.index()];
        self.owner[shard.index()] = host.0;
        self.slot[shard.index()] = list.len() as u32;
        list.push(shard);
    }

    /// Takes a shard from its owner; it then belongs to nobody.
    pub fn release(&mut self, shard: ShardId) {
        let Some(host) = self.owner(shard) else { return };
        let list = &mut self.lists[host.index()];
        let slot = self.slot[shard.index()] as usize;
        list.swap_remove(slot);
        if let Some(&filler) = list.get(slot) {
            self.slot[filler.index()] = slot as u32;
        }
        self.owner[shard.index()] = NOBODY;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_move_fills_the_hole_with_the_last_shard_and_appends() {
        let owners = [Some(HostId(0)), Some(HostId(0)), Some(HostId(0)), Some(HostId(1))];
        let mut assignment = Assignment::from_owners(&owners, 2);
        assignment.assign(ShardId(0), HostId(1));
        assert_eq!(assignment.shards_of(HostId(0)), [ShardId(2), ShardId(1)]);
        assert_eq!(assignment.shards_of(HostId(1)), [ShardId(3), ShardId(0)]);
        assignment.release(ShardId(2));
        assert_eq!(assignment.owner(ShardId(2)), None);
        assert_eq!(assignment.shards_of(HostId(0)), [ShardId(1)]);
        let late = assignment.add_host();
        assignment.assign(ShardId(2), late);
        assert_eq!(assignment.shards_of(late), [ShardId(2)]);
    }
}
