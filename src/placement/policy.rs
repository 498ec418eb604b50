//! A hash placement as a policy.

use super::{buckets, hash_name};
use crate::model::{HostId, ShardId};
use crate::policy::{Move, MoveReason, Policy, View};

/// A function from hashes to hosts that can be told of membership.
pub trait Placement: Send {
    /// Hosts leave, then others join, each in the order given. A host that
    /// leaves without being there is no error.
    fn change(&mut self, leaving: &[HostId], joining: &[(HostId, &str)]);

    /// The host that owns a hash; `None` without hosts.
    fn owner(&self, hash: u64) -> Option<HostId>;
}

/// Follows membership and moves every shard whose host is another one than
/// the placement gives.
///
/// Hosts that are there from the start join in the natural order of their
/// names, whatever the order in the file: membership is a set. Hosts that come
/// later join in order of arrival.
#[derive(Debug)]
pub struct HashPolicy<P> {
    placement: P,
    hash_seed: u64,
    members: Vec<HostId>,
    hashes: Vec<u64>,
}

impl<P: Placement> HashPolicy<P> {
    /// A policy over an empty placement.
    pub fn new(placement: P, hash_seed: u64) -> Self {
        Self { placement, hash_seed, members: Vec::new(), hashes: Vec::new() }
    }
}

impl<P: Placement> Policy for HashPolicy<P> {
    /// O(shards x lookup), after O(hosts log hosts) for the membership itself.
    fn membership(&mut self, view: &View<'_>, moves: &mut Vec<Move>) {
        let present: Vec<HostId> = (0..view.hosts.len() as u32)
            .map(HostId)
            .filter(|host| view.hosts[host.index()].status.may_receive())
            .collect();
        let absent_from = |hosts: &[HostId], host: &HostId| hosts.binary_search(host).is_err();
        let mut leaving = self.members.clone();
        leaving.retain(|host| absent_from(&present, host));
        let mut joining: Vec<(HostId, &str)> = present
            .iter()
            .filter(|host| absent_from(&self.members, host))
            .map(|&host| (host, view.hosts[host.index()].name.as_str()))
            .collect();
        joining.sort_by(|(_, a), (_, b)| buckets::natural_order(a, b));
        self.placement.change(&leaving, &joining);
        self.members = present;

        if self.hashes.len() != view.shards.len() {
            self.hashes = view.shards.iter().map(|name| hash_name(name, self.hash_seed)).collect();
        }
        for (index, &hash) in self.hashes.iter().enumerate() {
            let shard = ShardId(index as u32);
            let from = view.assignment.owner(shard);
            let Some(to) = self.placement.owner(hash) else { return };
            if from != Some(to) && !(from.is_some() && view.is_pinned(shard)) {
                let reason = match from {
                    None => MoveReason::Placement,
                    Some(_) => MoveReason::Membership,
                };
                moves.push(Move { shard, from, to, reason });
            }
        }
    }
}
