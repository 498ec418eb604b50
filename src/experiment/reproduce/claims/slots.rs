//! Fixed slots and the map of their owners.

use super::super::claim::Source::{ConsistentHashing, HashSharding, Resharding};
use super::super::claim::{Claim, Figure, Values, Verdict};
use super::super::tools::{mean, most, share_of, single};
use crate::hash::hash_tag;
use crate::metrics::imbalance::max_over_mean;
use crate::model::HostId;
use crate::placement::{REDIS_SLOTS, SlotHost, SlotLayout, SlotMap, SlotRebalance, redis_slot};

fn hosts(range: std::ops::Range<u32>) -> Vec<SlotHost> {
    range.map(|host| SlotHost { host: HostId(host), weight: 1.0 }).collect()
}

/// A map of slots over so many hosts.
fn map(slots: u32, count: u32) -> SlotMap {
    let mut map = SlotMap::new(slots, SlotLayout::default());
    map.change(&[], &hosts(0..count), SlotRebalance::Minimal);
    map
}

/// The same map with more hosts.
fn grown(map: &SlotMap, to: u32, rule: SlotRebalance) -> SlotMap {
    let mut grown = map.clone();
    grown.change(&[], &hosts(map.hosts().len() as u32..to), rule);
    grown
}

/// How many slots each host owns.
fn counts(map: &SlotMap) -> Values {
    let mut counts = vec![0.0; map.hosts().len()];
    for owner in map.owners() {
        counts[owner.index()] += 1.0;
    }
    counts
}

/// Slots that have another owner in the second map.
fn moves(from: &SlotMap, to: &SlotMap) -> f64 {
    from.owners().iter().zip(to.owners()).map(|(a, b)| share_of(a != b)).sum()
}

/// How many slots each of the hosts of the first map gives up.
fn given(from: &SlotMap, to: &SlotMap) -> Values {
    let after = counts(to);
    counts(from).iter().zip(&after).map(|(before, after)| before - after).collect()
}

fn least(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::INFINITY, f64::min)
}

/// The most slots over the mean when every host should have about `factor` slots,
/// at its worst as the hosts double from half as many.
fn worst_unevenness(factor: f64) -> f64 {
    const MOST: u32 = 64;
    let slots = (factor * f64::from(MOST)).round() as u32;
    most(
        &(MOST / 2..=MOST)
            .map(|hosts| max_over_mean(&counts(&map(slots, hosts))))
            .collect::<Values>(),
    )
}

/// Moves of the published listing beyond the fewest, when a map of 64 or 1024
/// slots that is as even as can be is rebalanced over as many hosts, or one or two
/// more, for 2 to 48 hosts.
fn excess_of_listing() -> Values {
    let starts = [64, 1024].into_iter().flat_map(|slots| (2..=48).map(move |of| map(slots, of)));
    let excess = |start: &SlotMap, to: u32| {
        let [listing, fewest] = [SlotRebalance::Listing, SlotRebalance::Minimal]
            .map(|rule| moves(start, &grown(start, to, rule)));
        listing - fewest
    };
    starts
        .flat_map(|start| {
            let hosts = start.hosts().len() as u32;
            (hosts..=hosts + 2).map(|to| excess(&start, to)).collect::<Values>()
        })
        .collect()
}

const EXACT: &str = "exact";

pub(super) const CLAIMS: &[Claim] = &[
    Claim::observation(
        "hs-slot-204",
        HashSharding,
        "From 8 to 10 shards, 204 of 1024 slots move; each old shard gives 25 or 26, and all end with 102 or 103.",
        "204; 25 or 26; 102 or 103",
    )
    .run(
        Verdict::Reproduced,
        "The published listing on a map of 1024 slots over 8 shards.",
        &[
            Figure::near("slots that move", "slots", 204.0, 0.0, EXACT),
            Figure::near("least that an old shard gives", "slots", 25.0, 0.0, EXACT),
            Figure::near("most that an old shard gives", "slots", 26.0, 0.0, EXACT),
            Figure::near("least that a shard has", "slots", 102.0, 0.0, EXACT),
            Figure::near("most that a shard has", "slots", 103.0, 0.0, EXACT),
        ],
        |_| {
            let before = map(1024, 8);
            let after = grown(&before, 10, SlotRebalance::Listing);
            let (given, owned) = (given(&before, &after), counts(&after));
            let moved = moves(&before, &after);
            Ok(single([moved, least(&given), most(&given), least(&owned), most(&owned)]))
        },
    )
    .headline(),
    Claim::rule(
        "hs-rebalance-minimal",
        HashSharding,
        "The published rebalancing moves the fewest slots.",
        "the fewest",
    )
    .run(
        Verdict::Inconsistent,
        "Even maps of 64 and 1024 slots over 2 to 48 hosts are rebalanced over as many hosts, or one or two more, by the listing and by the fewest moves.",
        &[
            Figure::at_most("most moves beyond the fewest", "slots", 0.0, EXACT),
            Figure::shown("rebalancings with such moves", "share"),
        ],
        |_| {
            let excess = excess_of_listing();
            Ok(single([most(&excess), mean(excess.iter().map(|moves| share_of(*moves > 0.0)))]))
        },
    )
    .note("Its own listing does not: it gives what is left over of the division to the first hosts, whoever owns more already. Given to those that own most, no move is wasted."),
    Claim::arithmetic(
        "hs-ideal-2-10",
        HashSharding,
        "19.9 % of the slots are near the ideal of two tenths.",
        "19.9 %",
    )
    .run(
        Verdict::Reproduced,
        "Slots that the listing moves from 8 to 10 shards, of 1024.",
        &[
            Figure::near("moved", "share of slots", 0.199, 0.0005, "rounding of the published figure"),
            Figure::near("moved, beside the ideal", "share of slots", 0.2, 1.0 / 1024.0, "one slot"),
        ],
        |_| {
            let before = map(1024, 8);
            let share = moves(&before, &grown(&before, 10, SlotRebalance::Listing)) / 1024.0;
            Ok(single([share, share]))
        },
    ),
    Claim::arithmetic(
        "hs-disk-70",
        HashSharding,
        "Disks that are 70 % full before the growth from 8 to 10 shards have room afterwards.",
        "70 %",
    )
    .run(
        Verdict::Reproduced,
        "70 % times the slots that the fullest shard has afterwards over before.",
        &[Figure::at_most("fullest disk afterwards", "share", 0.57, "well below 70 %; 56 % would be an even growth")],
        |_| {
            let before = map(1024, 8);
            let after = counts(&grown(&before, 10, SlotRebalance::Listing));
            Ok(single([0.7 * most(&after) / least(&counts(&before))]))
        },
    ),
    Claim::arithmetic(
        "hs-64-48",
        HashSharding,
        "64 slots on 48 shards give some one and some two, a factor of two.",
        "one or two",
    )
    .run(
        Verdict::Reproduced,
        "A map of 64 slots over 48 shards.",
        &[
            Figure::near("least slots of a shard", "slots", 1.0, 0.0, EXACT),
            Figure::near("most slots of a shard", "slots", 2.0, 0.0, EXACT),
        ],
        |_| {
            let owned = counts(&map(64, 48));
            Ok(single([least(&owned), most(&owned)]))
        },
    ),
    Claim::observation(
        "hs-slots-10-100x",
        HashSharding,
        "10 to 100 slots for each shard are a good number.",
        "10 to 100",
    )
    .run(
        Verdict::Reproduced,
        "The most slots of a shard over the mean, at its worst over 32 to 64 shards, with that many slots for each of 64.",
        &[
            Figure::at_most("10 slots a shard", "most / mean", 1.1, "a tenth, the step that ten slots allow"),
            Figure::at_most("100 slots a shard", "most / mean", 1.01, "a hundredth"),
            Figure::shown("2 slots a shard", "most / mean"),
            Figure::shown("4 slots a shard", "most / mean"),
        ],
        |_| Ok(single([10.0, 100.0, 2.0, 4.0].map(worst_unevenness))),
    ),
    Claim::observation(
        "hs-redis",
        HashSharding,
        "Redis Cluster has 16,384 slots by CRC16, and keys with one tag share a slot.",
        "16,384",
    )
    .run(
        Verdict::Reproduced,
        "Slots of keys as Redis Cluster has them.",
        &[
            Figure::near("slots", "slots", 16_384.0, 0.0, EXACT),
            Figure::near("slot of 123456789", "slot", 12_739.0, 0.0, "31C3 in hexadecimal, by the specification of Redis Cluster"),
            Figure::near("slots between keys with one tag", "distance", 0.0, 0.0, EXACT),
        ],
        |_| {
            let [cart, profile] = ["{user1000}.cart", "{user1000}.profile"].map(redis_slot);
            let distance = cart.abs_diff(profile);
            Ok(single([REDIS_SLOTS, redis_slot("123456789"), distance].map(f64::from)))
        },
    ),
    Claim::rule(
        "hs-hashtag-rule",
        HashSharding,
        "If a key holds a text in braces that is not empty, only that text is hashed.",
        "the text in braces",
    )
    .run(
        Verdict::Inconsistent,
        "Keys with braces, by the rule of Redis Cluster: from the first opening brace to the first closing one after it.",
        &[
            Figure::near("keys of which only the text in braces is hashed", "of 3 keys", 3.0, 0.0, "all, as claimed"),
        ],
        |_| {
            let keys = [("a{b}c", "b"), ("{user}.cart", "user"), ("foo{}{bar}", "bar")];
            let hashed = keys.iter().map(|(key, text)| share_of(hash_tag(key) == *text));
            Ok(single([hashed.sum()]))
        },
    )
    .note("The specification of Redis Cluster, which the document describes, takes the text from the first opening brace to the first closing one after it: foo{}{bar} holds a text in braces and is hashed whole, for its first pair is empty."),
    Claim::observation(
        "rs-51",
        Resharding,
        "From 4 to 5 nodes, each gives about 51 of 1024 logical shards.",
        "51 each",
    )
    .run(
        Verdict::Reproduced,
        "A map of 1024 slots over 4 nodes, with one more.",
        &[
            Figure::near("least that a node gives", "slots", 51.0, 0.0, EXACT),
            Figure::near("most that a node gives", "slots", 51.0, 0.0, EXACT),
            Figure::near("slots that move", "slots", 204.0, 0.0, "four times 51"),
        ],
        |_| {
            let before = map(1024, 4);
            let after = grown(&before, 5, SlotRebalance::Minimal);
            let given = given(&before, &after);
            Ok(single([least(&given[..4]), most(&given[..4]), moves(&before, &after)]))
        },
    )
    .headline(),
    Claim::observation(
        "rs-presplit",
        Resharding,
        "Shards split beforehand move whole, and no key is ever hashed anew.",
        "never",
    )
    .run(
        Verdict::Reproduced,
        "A map of 1024 slots over 4 nodes, with one more: the number of slots, which keys are hashed to, before and after, and what moves.",
        &[
            Figure::near("change of the number of slots", "slots", 0.0, 0.0, EXACT),
            Figure::at_most("moved", "share of slots", 0.2, "the share of the new node"),
        ],
        |_| {
            let before = map(1024, 4);
            let after = grown(&before, 5, SlotRebalance::Minimal);
            let change = f64::from(after.slots()) - f64::from(before.slots());
            Ok(single([change, moves(&before, &after) / 1024.0]))
        },
    ),
    Claim::observation(
        "ch-4096",
        ConsistentHashing,
        "With 4096 buckets, only the table of their places changes.",
        "4096 buckets",
    )
    .run(
        Verdict::Reproduced,
        "A map of 4096 slots over 3 shards, with one more.",
        &[
            Figure::near("slots that move", "slots", 1024.0, 0.0, "a quarter, the fewest"),
            Figure::near("change of the number of slots", "slots", 0.0, 0.0, EXACT),
        ],
        |_| {
            let before = map(4096, 3);
            let after = grown(&before, 4, SlotRebalance::Minimal);
            Ok(single([moves(&before, &after), f64::from(after.slots()) - f64::from(before.slots())]))
        },
    ),
];
