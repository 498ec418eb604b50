//! Slot maps: a fixed number of logical slots, each owned by one host, and the
//! rules that give them new owners.

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
                while owners.len() < slots {
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn equal(hosts: impl IntoIterator<Item = u32>) -> Vec<SlotHost> {
        hosts.into_iter().map(|host| SlotHost { host: HostId(host), weight: 1.0 }).collect()
    }

    fn map(slots: u32, hosts: u32, layout: SlotLayout) -> SlotMap {
        let mut map = SlotMap::new(slots, layout);
        map.change(&[], &equal(0..hosts), SlotRebalance::Minimal);
        map
    }

    fn counts(map: &SlotMap) -> Vec<u32> {
        let of = |host: &SlotHost| map.owners().iter().filter(|owner| **owner == host.host).count();
        map.hosts().iter().map(|host| of(host) as u32).collect()
    }

    fn moved(before: &SlotMap, after: &SlotMap) -> usize {
        before.owners().iter().zip(after.owners()).filter(|(a, b)| a != b).count()
    }

    /// The published example: 1,024 slots from 8 to 10 hosts, 204 move, each of
    /// the old hosts gives 25 or 26, and all own 102 or 103 (ledger
    /// hs-slot-204).
    #[test]
    fn the_published_example_moves_204_slots() {
        for layout in [SlotLayout::Contiguous, SlotLayout::RoundRobin] {
            for rule in [SlotRebalance::Minimal, SlotRebalance::Listing] {
                let before = map(1024, 8, layout);
                let mut after = before.clone();
                after.change(&[], &equal([8, 9]), rule);
                assert_eq!(moved(&before, &after), 204);
                assert_eq!((before.version(), after.version()), (1, 2));
                let gave: Vec<u32> = (0..8).map(|host| 128 - counts(&after)[host]).collect();
                assert!(gave.iter().all(|gave| (25..=26).contains(gave)), "{gave:?}");
                assert!(counts(&after).iter().all(|count| (102..=103).contains(count)));
            }
        }
        // The listing drains the old hosts one after the other; here every old
        // host feeds each of the new ones.
        let before = map(1024, 8, SlotLayout::Contiguous);
        let feeders = |rule| {
            let mut after = before.clone();
            after.change(&[], &equal([8, 9]), rule);
            let pairs = before.owners().iter().zip(after.owners());
            let mut from: Vec<HostId> =
                pairs.filter(|(_, to)| **to == HostId(8)).map(|(from, _)| *from).collect();
            from.sort();
            from.dedup();
            from.len()
        };
        assert_eq!((feeders(SlotRebalance::Minimal), feeders(SlotRebalance::Listing)), (8, 4));
    }

    /// The ledger's counterexample: 341, 341 and 342 slots are as even as can
    /// be, and the listing moves one all the same.
    #[test]
    fn the_listing_is_not_always_minimal() {
        let mut before = map(1024, 3, SlotLayout::Contiguous);
        for (slot, owner) in before.owners.iter_mut().enumerate() {
            *owner = HostId([0, 341, 682].iter().rposition(|start| slot >= *start).unwrap() as u32);
        }
        assert_eq!(counts(&before), [341, 341, 342]);
        let after = |rule| {
            let mut after = before.clone();
            after.change(&[], &[], rule);
            (moved(&before, &after), after.version() - before.version())
        };
        assert_eq!(after(SlotRebalance::Minimal), (0, 0));
        assert_eq!(after(SlotRebalance::Listing), (1, 1));
    }

    /// `redis-cli --cluster create` with three masters: 0-5460, 5461-10922,
    /// 10923-16383.
    #[test]
    fn ranges_are_those_of_redis_cli() {
        let map = map(16_384, 3, SlotLayout::Contiguous);
        for (slot, host) in [(0, 0), (5460, 0), (5461, 1), (10_922, 1), (10_923, 2), (16_383, 2)] {
            assert_eq!(map.owner(slot), Some(HostId(host)), "slot {slot}");
        }
        assert_eq!(map.owner(16_384), None);
    }

    /// 64 slots on 48 hosts: 32 have one and 16 two (ledger hs-64-48).
    #[test]
    fn too_few_slots_are_uneven() {
        let counts = counts(&map(64, 48, SlotLayout::Contiguous));
        let with = |number| counts.iter().filter(|count| **count == number).count();
        assert_eq!((with(1), with(2)), (32, 16));
    }

    #[test]
    fn a_replaced_host_hands_over_its_slots_and_nothing_else_moves() {
        let before = map(100, 7, SlotLayout::RoundRobin);
        for rule in [SlotRebalance::Minimal, SlotRebalance::Listing] {
            let mut after = before.clone();
            after.change(&[HostId(2)], &equal([7]), rule);
            for (old, new) in before.owners().iter().zip(after.owners()) {
                assert_eq!(*new, if *old == HostId(2) { HostId(7) } else { *old });
            }
        }
    }

    #[test]
    fn the_last_host_may_leave() {
        let mut map = map(10, 1, SlotLayout::Contiguous);
        map.change(&[HostId(0)], &[], SlotRebalance::Minimal);
        assert_eq!((map.owner(0), map.version()), (None, 2));
        map.change(&[], &equal([4]), SlotRebalance::Listing);
        assert_eq!(map.owner(9), Some(HostId(4)));
    }

    /// The fewest moves by trying every assignment of the slots that is allowed:
    /// each host owns its share rounded down or up, shares computed in whole
    /// numbers.
    fn fewest_by_enumeration(owners: &[HostId], hosts: &[SlotHost]) -> usize {
        let slots = owners.len();
        let total: u64 = hosts.iter().map(|of| of.weight as u64).sum();
        let bounds: Vec<(usize, usize)> = hosts
            .iter()
            .map(|of| {
                let share = slots as u64 * of.weight as u64;
                ((share / total) as usize, share.div_ceil(total) as usize)
            })
            .collect();
        let mut fewest = usize::MAX;
        for mut code in 0..hosts.len().pow(slots as u32) {
            let (mut counts, mut moves) = (vec![0; hosts.len()], 0);
            for owner in owners {
                let number = code % hosts.len();
                code /= hosts.len();
                counts[number] += 1;
                moves += usize::from(hosts[number].host != *owner);
            }
            let fits =
                |(count, (least, most)): (&usize, &(usize, usize))| (least..=most).contains(&count);
            if counts.iter().zip(&bounds).all(fits) {
                fewest = fewest.min(moves);
            }
        }
        fewest
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]

        /// Any owners before, some of them gone, any weights: no assignment
        /// within the bounds moves fewer slots.
        #[test]
        fn no_assignment_moves_fewer_slots(
            owners in prop::collection::vec(0_u32..6, 1..8),
            weights in prop::collection::vec(1_u32..6, 1..5),
        ) {
            let owners: Vec<HostId> = owners.into_iter().map(HostId).collect();
            let hosts: Vec<SlotHost> = (0..)
                .map(HostId)
                .zip(&weights)
                .map(|(host, &weight)| SlotHost { host, weight: f64::from(weight) })
                .collect();
            let before = SlotMap {
                slots: owners.len() as u32,
                owners: owners.clone(),
                hosts: Vec::new(),
                layout: SlotLayout::Contiguous,
                version: 1,
            };
            let mut after = before.clone();
            after.change(&[], &hosts, SlotRebalance::Minimal);
            prop_assert_eq!(moved(&before, &after), fewest_by_enumeration(&owners, &hosts));
            prop_assert!(after.owners().iter().all(|owner| owner.index() < hosts.len()));
        }

        /// Large maps stay within the bounds, and the listing never moves fewer.
        #[test]
        fn shares_are_rounded_and_the_listing_is_no_better(
            slots in 1_u32..3000,
            first in 1_u32..40,
            gone in prop::collection::btree_set(0_u32..40, 0..30),
            new in 0_u32..20,
        ) {
            let before = map(slots, first, SlotLayout::Contiguous);
            let leaving: Vec<HostId> = gone.into_iter().map(HostId).collect();
            let joining = equal(100..100 + new);
            let after = |rule| {
                let mut after = before.clone();
                after.change(&leaving, &joining, rule);
                after
            };
            let (least, listing) = (after(SlotRebalance::Minimal), after(SlotRebalance::Listing));
            let hosts = least.hosts().len() as u32;
            prop_assume!(hosts > 0);
            for map in [&least, &listing] {
                let counts = counts(map);
                prop_assert_eq!(counts.iter().sum::<u32>(), slots);
                prop_assert!(counts.iter().all(|c| *c == slots / hosts || *c == slots.div_ceil(hosts)));
            }
            prop_assert!(moved(&before, &least) <= moved(&before, &listing));
        }
    }
}
