use proptest::prelude::*;

use super::*;
use crate::hash::hash_name;

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

/// How often the listing moves more than it has to (ledger
/// hs-rebalance-minimal): 2,000 times 1,024 slots on 2 to 48 hosts, each with its
/// share rounded down or up, by chance, and then up to three hosts more or fewer
/// or none. The ledger counts 422 of 2,000, and does not tell how it drew the
/// numbers of hosts and slots, on which the count depends most: it is about ten
/// times as high if they hardly change as if they are drawn anew. So 422 is not
/// reproduced here; that the listing is not minimal, and the other rule is, is.
#[test]
fn the_listing_often_moves_too_much() {
    let (mut not_minimal, mut worst) = (0, 0);
    for case in 0..2000_u64 {
        let draw = |what: &str, below: u64| {
            (hash_name(what, case) % below) as u32 // The bias is below 1e-17.
        };
        let from = 2 + draw("from", 47);
        let to = (from + draw("to", 7)).saturating_sub(3).max(1);
        let mut order: Vec<u32> = (0..from).collect();
        order.sort_by_key(|host| hash_name(&host.to_string(), case));
        let mut owned = vec![1024 / from; from as usize];
        for &host in &order[..(1024 % from) as usize] {
            owned[host as usize] += 1;
        }
        let before = SlotMap {
            owners: (0..).map(HostId).zip(&owned).flat_map(|(h, &n)| vec![h; n as usize]).collect(),
            hosts: equal(0..from),
            ..SlotMap::new(1024, SlotLayout::Contiguous)
        };
        let moves = |rule| {
            let leaving: Vec<HostId> = (to..from).map(HostId).collect();
            let mut after = before.clone();
            after.change(&leaving, &equal(from..to), rule);
            moved(&before, &after)
        };
        // What may stay: shares rounded down, and a slot more on as many hosts
        // as are rounded up, if they own it.
        let least = 1024 / to;
        let staying = &owned[..to.min(from) as usize];
        let above = staying.iter().filter(|owned| **owned > least).count();
        let kept: u32 = staying.iter().map(|owned| (*owned).min(least)).sum();
        let fewest = 1024 - kept as usize - above.min((1024 % to) as usize);
        assert_eq!(moves(SlotRebalance::Minimal), fewest, "{from} to {to}");
        let excess = moves(SlotRebalance::Listing) - fewest;
        not_minimal += usize::from(excess > 0);
        worst = worst.max(excess);
    }
    assert_eq!(not_minimal, 283);
    // At most as many slots as hosts are rounded up, or as are rounded down.
    assert!((2..=25).contains(&worst), "{worst}");
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
