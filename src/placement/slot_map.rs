//! Slot maps: a fixed number of logical slots, each owned by one host, and the
//! rules that give them new owners.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize};

use super::Member;
use super::contract::succeed;
use crate::model::HostId;

/// Where slots lie at first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotLayout {
    /// One range for each host, with ends at the rounded sums of the hosts'
    /// shares, as `redis-cli --cluster create` lays slots out.
    #[default]
    Contiguous,
    /// Slots are dealt out in turns.
    RoundRobin,
}

/// Which slots move when hosts come or go.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SlotRebalance {
    /// The fewest that leave every host with its share rounded down or up.
    #[default]
    Minimal,
    /// The rule of a published listing: the first hosts by number get what is
    /// left over of the division, whoever owns more already. It knows no
    /// weights, and moves more than needed when others do.
    Listing,
}

impl SlotRebalance {
    /// Whether the rule knows weights.
    pub fn has_weights(self) -> bool {
        self == Self::Minimal
    }
}

/// A host of a slot map.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SlotHost {
    /// Which host.
    pub host: HostId,
    /// Its weight; a finite number above 0.
    pub weight: f64,
}

/// Who owns which slot.
#[derive(Clone, Debug, PartialEq)]
pub struct SlotMap {
    owners: Vec<HostId>,
    slots: u32,
    hosts: Vec<SlotHost>,
    layout: SlotLayout,
    version: u64,
}

/// The least and the most slots of each host: its share, rounded down and up.
/// Shares that are whole but for the rounding of numbers count as whole.
fn shares(slots: u32, hosts: &[SlotHost]) -> Vec<(f64, u32)> {
    /// Far above the rounding of a sum of 100,000 weights, far below a slot.
    const WHOLE: f64 = 1e-6;
    let total: f64 = hosts.iter().map(|of| of.weight).sum();
    let share = |of: &SlotHost| {
        let share = f64::from(slots) * (of.weight / total);
        let nearest = share.round();
        let share = if (share - nearest).abs() < WHOLE { nearest } else { share };
        (share, share.floor() as u32)
    };
    hosts.iter().map(share).collect()
}

/// How many slots each host should own, so that the fewest move: its share
/// rounded down, or up for as many hosts as it takes to own all slots. Up it
/// goes first for hosts that own more than the share rounded down, as each of
/// them keeps a slot that would have to move; then by the larger remainder,
/// then in order. O(n log n) for n hosts.
///
/// Every host that receives is below its target and every host that gives is
/// above it, so that the moves are sum(max(0, target - owned)); a host that is
/// rounded up lowers that sum by one exactly if it owns more than its share
/// rounded down. Hence no other choice of hosts needs fewer moves.
pub fn minimal_targets(slots: u32, hosts: &[SlotHost], owned: &[u32]) -> Vec<u32> {
    let shares = shares(slots, hosts);
    let mut targets: Vec<u32> = shares.iter().map(|(_, down)| *down).collect();
    let given: u32 = targets.iter().sum();
    let remainder = |host: usize| shares[host].0 - f64::from(shares[host].1);
    let keeps_more = |host: usize| owned.get(host).is_some_and(|owned| *owned > shares[host].1);
    let mut order: Vec<usize> = (0..hosts.len()).filter(|&host| remainder(host) > 0.0).collect();
    order.sort_by(|&a, &b| {
        keeps_more(b).cmp(&keeps_more(a)).then(remainder(b).total_cmp(&remainder(a)))
    });
    for &host in order.iter().take(slots.saturating_sub(given) as usize) {
        targets[host] += 1;
    }
    targets
}

/// The targets of the listing: slots / hosts, and one more for the first
/// hosts.
fn listing_targets(slots: u32, hosts: &[SlotHost]) -> Vec<u32> {
    let count = hosts.len().max(1) as u32;
    (0..hosts.len() as u32)
        .map(|number| slots / count + u32::from(number < slots % count))
        .collect()
}

impl SlotMap {
    /// A map of slots that nobody owns, at version 0.
    pub fn new(slots: u32, layout: SlotLayout) -> Self {
        Self { owners: Vec::new(), slots, hosts: Vec::new(), layout, version: 0 }
    }

    /// The number of slots.
    pub fn slots(&self) -> u32 {
        self.slots
    }

    /// Counts the changes of owners: a router that knows an older version may
    /// ask the wrong host.
    pub fn version(&self) -> u64 {
        self.version
    }

    /// The owner of a slot; `None` without hosts, and past the last slot.
    #[inline]
    pub fn owner(&self, slot: u32) -> Option<HostId> {
        self.owners.get(slot as usize).copied()
    }

    /// The owners of all slots, in order; empty without hosts.
    pub fn owners(&self) -> &[HostId] {
        &self.owners
    }

    /// The hosts, in order of their numbers.
    pub fn hosts(&self) -> &[SlotHost] {
        &self.hosts
    }

    /// Changes the hosts and moves slots by a rule. The first hosts there are
    /// own what the layout gives them. O(slots + hosts log hosts).
    pub fn change(&mut self, leaving: &[HostId], joining: &[SlotHost], rule: SlotRebalance) {
        let is_leaving = |of: &SlotHost| leaving.contains(&of.host);
        succeed(&mut self.hosts, is_leaving, joining.iter().copied());
        let next = if self.hosts.is_empty() {
            Vec::new()
        } else if self.owners.is_empty() {
            self.first_owners()
        } else {
            match rule {
                SlotRebalance::Minimal => self.moved_least(),
                SlotRebalance::Listing => self.moved_by_listing(),
            }
        };
        self.version += u64::from(next != self.owners);
        self.owners = next;
    }

    fn first_owners(&self) -> Vec<HostId> {
        let slots = self.slots as usize;
        match self.layout {
            SlotLayout::Contiguous => {
                let mut owners = Vec::with_capacity(slots);
                let mut end = 0.0;
                for (of, (share, _)) in self.hosts.iter().zip(shares(self.slots, &self.hosts)) {
                    end += share;
                    owners.resize((end.round() as usize).min(slots), of.host);
                }
                // Only the rounding of the sum can leave a slot at the end.
                owners.resize(slots, owners.last().copied().unwrap_or(self.hosts[0].host));
                owners
            }
            SlotLayout::RoundRobin => {
                let mut room = minimal_targets(self.slots, &self.hosts, &[]);
                let mut owners = Vec::with_capacity(slots);
                while room.iter().any(|room| *room > 0) {
                    for (of, room) in self.hosts.iter().zip(&mut room) {
                        if *room > 0 {
                            *room -= 1;
                            owners.push(of.host);
                        }
                    }
                }
                owners
            }
        }
    }

    /// Slots by the number of the host that owns them, and those of hosts that
    /// left, in order of the first slot of each.
    fn owned(&self) -> (Vec<Vec<u32>>, Vec<Vec<u32>>) {
        let ids = self.hosts.iter().map(|of| of.host).chain(self.owners.iter().copied());
        let mut numbers = vec![None; ids.map(|host| host.index() + 1).max().unwrap_or(0)];
        for (number, of) in self.hosts.iter().enumerate() {
            numbers[of.host.index()] = Some(number);
        }
        let mut owned = vec![Vec::new(); self.hosts.len()];
        for (slot, &owner) in (0..).zip(&self.owners) {
            let number = *numbers[owner.index()].get_or_insert(owned.len());
            if number == owned.len() {
                owned.push(Vec::new());
            }
            owned[number].push(slot);
        }
        let left = owned.split_off(self.hosts.len());
        (owned, left)
    }

    /// Hosts above their targets give their last slots, in turns; hosts below
    /// them receive in turns.
    fn moved_least(&self) -> Vec<HostId> {
        let (mut owned, mut givers) = self.owned();
        let count: Vec<u32> = owned.iter().map(|slots| slots.len() as u32).collect();
        let targets = minimal_targets(self.slots, &self.hosts, &count);
        for (slots, &target) in owned.iter_mut().zip(&targets) {
            givers.push(slots.split_off(slots.len().min(target as usize)));
        }
        let mut spare = Vec::new();
        while givers.iter().any(|slots| !slots.is_empty()) {
            spare.extend(givers.iter_mut().filter_map(Vec::pop));
            // Each round begins with another host, so that every one that gives
            // feeds every one that receives.
            givers.rotate_left(1);
        }
        let mut owners = self.owners.clone();
        let mut spare = spare.into_iter();
        let mut wanted: Vec<u32> = targets
            .iter()
            .zip(&count)
            .map(|(target, count)| target.saturating_sub(*count))
            .collect();
        while wanted.iter().any(|wanted| *wanted > 0) {
            for (of, wanted) in self.hosts.iter().zip(&mut wanted) {
                if *wanted == 0 {
                    continue;
                }
                *wanted -= 1;
                if let Some(slot) = spare.next() {
                    owners[slot as usize] = of.host;
                }
            }
        }
        owners
    }

    /// The listing: what hosts own beyond their targets goes on a pile, in
    /// order of the hosts, and hosts below their targets take from its top.
    fn moved_by_listing(&self) -> Vec<HostId> {
        let (owned, left) = self.owned();
        let targets = listing_targets(self.slots, &self.hosts);
        let mut pile = Vec::new();
        for (slots, &target) in owned.iter().zip(&targets) {
            pile.extend(slots.get(target as usize..).unwrap_or_default());
        }
        pile.extend(left.concat());
        let mut owners = self.owners.clone();
        for ((of, slots), &target) in self.hosts.iter().zip(&owned).zip(&targets) {
            for _ in slots.len()..target as usize {
                if let Some(slot) = pile.pop() {
                    owners[slot as usize] = of.host;
                }
            }
        }
        owners
    }
}

/// The hosts of a slot map that join; equal ones unless they are `weighted`.
pub(super) fn slot_hosts(joining: &[Member<'_>], weighted: bool) -> Vec<SlotHost> {
    joining
        .iter()
        .map(|member| SlotHost {
            host: member.host,
            weight: if weighted { member.weight } else { 1.0 },
        })
        .collect()
}
