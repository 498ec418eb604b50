//! A hash placement as a policy.

use super::{Member, Placement, natural_order, place_named};
use crate::model::{HostId, ShardId};
use crate::policy::{Move, MoveReason, Policy, View};

/// Follows membership and moves every shard whose host is another one than
/// the placement gives.
///
/// Hosts that are there from the start join in the natural order of their
/// names, whatever the order in the file: membership is a set. Hosts that come
/// later join in order of arrival. The weight of a host is its capacity.
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
        let member = |&host: &HostId| {
            let of_view = &view.hosts[host.index()];
            Member { host, name: &of_view.name, weight: of_view.capacity }
        };
        let mut joining: Vec<Member<'_>> =
            present.iter().filter(|host| absent_from(&self.members, host)).map(member).collect();
        joining.sort_by(|a, b| natural_order(a.name, b.name));
        self.placement.change(&leaving, &joining);
        self.members = present;

        if self.hashes.len() != view.shards.len() {
            let hash = |name: &String| self.placement.hash(name, self.hash_seed);
            self.hashes = view.shards.iter().map(hash).collect();
        }
        let owners = place_named(&self.placement, &self.hashes, |index, name| {
            name.push_str(&view.shards[index]);
        });
        for (index, owner) in owners.into_iter().enumerate() {
            let shard = ShardId(index as u32);
            let from = view.assignment.owner(shard);
            let Some(to) = owner else { return };
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
