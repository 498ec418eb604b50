//! Rings: the example drawn by hand, virtual nodes, and what a new shard takes.

use super::super::claim::Source::ConsistentHashing;
use super::super::claim::{Claim, Figure, Verdict};
use super::super::tools::{
    columns, hashes, hot_ratio, mean, moved, ring, share_of, single, stream, with_hosts,
};
use crate::metrics::imbalance::max_over_mean;
use crate::model::HostId;
use crate::placement::{Member, Placement, Ring};
use crate::workload::zipf_weights;

const A: HostId = HostId(0);
const B: HostId = HostId(1);
const C: HostId = HostId(2);
const D: HostId = HostId(3);

/// Positions of the ring that is drawn: 0 to 99.
const POSITIONS: u64 = 100;

/// How uneven the shards' parts of the drawn ring are.
fn unevenness(ring: &Ring, shards: usize) -> f64 {
    let mut counts = vec![0.0; shards];
    for owner in (0..POSITIONS).filter_map(|position| ring.owner(position)) {
        counts[owner.index()] += 1.0;
    }
    max_over_mean(&counts)
}

/// Keys that are placed on each ring.
const KEYS: usize = 20_000;

const EXACT: &str = "exact";
const FAIR: &str = "1 / (N + 1), within 0.01: three standard errors of the mean over few rings";

pub(super) const CLAIMS: &[Claim] = &[
    Claim::observation(
        "ch-ring-example",
        ConsistentHashing,
        "On a ring with A at 20, B at 50 and C at 80, a new D at 40 takes what lies above 20 up to 40, from B alone; 20 stays with A, 35 and 40 are D's, and 90 wraps to A.",
        "(20, 40] from B",
    )
    .run(
        Verdict::Reproduced,
        "All 100 positions, before and after.",
        &[
            Figure::near("positions that D takes", "positions", 20.0, 0.0, EXACT),
            Figure::near("of these from B", "positions", 20.0, 0.0, EXACT),
            Figure::near("named positions with the published owner", "of 4 positions", 4.0, 0.0, EXACT),
            Figure::shown("before", "most / mean"),
            Figure::shown("after", "most / mean"),
        ],
        |_| {
            let before = Ring::from_points([(20, A), (50, B), (80, C)]);
            let after = Ring::from_points([(20, A), (40, D), (50, B), (80, C)]);
            let taken: Vec<u64> =
                (0..POSITIONS).filter(|&at| after.owner(at) != before.owner(at)).collect();
            let from_b = taken.iter().filter(|&&at| before.owner(at) == Some(B));
            let named = [(20, A), (40, D), (35, D), (90, A)];
            let right = named.iter().filter(|(at, owner)| after.owner(*at) == Some(*owner));
            Ok(single([
                taken.len() as f64,
                from_b.count() as f64,
                right.count() as f64,
                unevenness(&before, 3),
                unevenness(&after, 4),
            ]))
        },
    )
    .note("A fifth moves rather than a quarter, and the ring is less even than before.")
    .headline(),
    Claim::observation(
        "ch-binary-search",
        ConsistentHashing,
        "A binary search over sorted positions finds the first at or after a hash, and wraps around.",
        "finds it",
    )
    .run(
        Verdict::Reproduced,
        "Random rings of up to 40 points on 1000 positions: every lookup beside a scan of all points.",
        &[Figure::near("lookups that agree", "share", 1.0, 0.0, EXACT)],
        |lab| {
            let rows = lab.over(lab.seeds(300, 60), |seed| {
                let mut stream = stream(seed, 1);
                let mut draw = |below: u64| stream.next_u64() % below;
                let points: Vec<(u64, HostId)> = (0..1 + draw(40))
                    .map(|_| (draw(1000), HostId(draw(8) as u32)))
                    .collect();
                let ring = Ring::from_points(points.clone());
                let scan = |hash: u64| {
                    let ahead = points.iter().filter(|(at, _)| *at >= hash);
                    // The first of equals, as the ring has it.
                    let first = |best: &(u64, HostId), next: &(u64, HostId)| best.0.cmp(&next.0);
                    let found = ahead.min_by(|a, b| first(a, b));
                    found.or_else(|| points.iter().min_by(|a, b| first(a, b))).map(|found| found.1)
                };
                [mean((0..1000).map(|hash| share_of(ring.owner(hash) == scan(hash))))]
            });
            Ok(columns(&rows))
        },
    ),
    Claim::observation(
        "ch-1-over-n1",
        ConsistentHashing,
        "A new shard of equal size moves about 1 / (N + 1) of the keys.",
        "1 / (N + 1)",
    )
    .run(
        Verdict::Reproduced,
        "20,000 keys on random rings of 100 points a shard, from 3 to 4 and from 10 to 11.",
        &[
            Figure::near("moved, 3 to 4", "share of keys", 0.25, 0.01, FAIR),
            Figure::near("moved, 10 to 11", "share of keys", 1.0 / 11.0, 0.01, FAIR),
            Figure::near("of these to the new shard", "share of moves", 1.0, 0.0, EXACT),
        ],
        |lab| {
            let rows = lab.over(lab.seeds(200, 40), |seed| {
                let hashes = hashes(seed, KEYS);
                let grown = |shards: u32| {
                    let (before, after) = (ring(100, seed, shards), ring(100, seed, shards + 1));
                    let share = moved(&before, &after, &hashes);
                    let to_new = mean(
                        hashes
                            .iter()
                            .filter(|&&hash| before.owner(hash) != after.owner(hash))
                            .map(|&hash| share_of(after.owner(hash) == Some(HostId(shards)))),
                    );
                    (share, to_new)
                };
                let ((three, only), (ten, only_too)) = (grown(3), grown(10));
                [three, ten, only.min(only_too)]
            });
            Ok(columns(&rows))
        },
    ),
    Claim::observation(
        "ch-vnodes",
        ConsistentHashing,
        "Virtual nodes make a ring more even.",
        "more even",
    )
    .run(
        Verdict::Reproduced,
        "20,000 keys on random rings of ten shards, by points a shard; most over the mean.",
        &[
            Figure::at_most("100 points over 1", "times", 0.6, "well beyond the spread of rings with one point"),
            Figure::shown("1 point", "most / mean"),
            Figure::shown("16 points", "most / mean"),
            Figure::shown("100 points", "most / mean"),
            Figure::shown("1000 points", "most / mean"),
        ],
        |lab| {
            let ones = vec![1.0; KEYS];
            let rows = lab.over(lab.seeds(200, 40), |seed| {
                let hashes = hashes(seed, KEYS);
                let uneven = |points| hot_ratio(&ring(points, seed, 10), 10, &hashes, &ones);
                let [one, some, many, most] = [1, 16, 100, 1000].map(uneven);
                [many / one, one, some, many, most]
            });
            Ok(columns(&rows))
        },
    ),
    Claim::observation(
        "ch-tokens-not-load",
        ConsistentHashing,
        "More points make the counts of keys more even, not necessarily the load.",
        "not necessarily",
    )
    .run(
        Verdict::Reproduced,
        "4096 users with Zipf weights of exponent 1 on random rings of ten shards; hottest over the mean.",
        &[
            Figure::near("1000 points over 16", "times", 1.0, 0.1, "no better for sixty times the points"),
            Figure::shown("1 point", "hottest / mean"),
            Figure::shown("16 points", "hottest / mean"),
            Figure::shown("100 points", "hottest / mean"),
            Figure::shown("1000 points", "hottest / mean"),
        ],
        |lab| {
            let weights = zipf_weights(4096, 1.0);
            let rows = lab.over(lab.seeds(300, 60), |seed| {
                let hashes = hashes(seed, weights.len());
                let hot = |points| hot_ratio(&ring(points, seed, 10), 10, &hashes, &weights);
                let [one, some, many, most] = [1, 16, 100, 1000].map(hot);
                [most / some, one, some, many, most]
            });
            Ok(columns(&rows))
        },
    ),
    Claim::observation(
        "ch-regenerate",
        ConsistentHashing,
        "Drawing all points anew when a shard joins gives up the stability of the ring.",
        "gives it up",
    )
    .run(
        Verdict::Reproduced,
        "20,000 keys on random rings of 64 points a shard, against rings of one shard more under another hash.",
        &[
            Figure::near("moved, 3 to 4", "share of keys", 0.75, 0.02, "as under modulo: 1 - 1/(N + 1)"),
            Figure::near("moved, 10 to 11", "share of keys", 10.0 / 11.0, 0.02, "as under modulo: 1 - 1/(N + 1)"),
        ],
        |lab| {
            let rows = lab.over(lab.seeds(100, 20), |seed| {
                let hashes = hashes(seed, KEYS);
                [3, 10].map(|shards| {
                    moved(&ring(64, seed, shards), &ring(64, seed + (1 << 32), shards + 1), &hashes)
                })
            });
            Ok(columns(&rows))
        },
    ),
    Claim::observation(
        "ch-hostname",
        ConsistentHashing,
        "Points hashed from host names make the replacement of a host change who owns what; stable ids do not.",
        "changes ownership",
    )
    .run(
        Verdict::Reproduced,
        "One of ten hosts on a ring of 100 points a host is replaced by one of another name.",
        &[
            Figure::near("moved, names", "share of keys", 18.0 / 110.0, 0.01, "2 (N - 1) / (N (N + 1)) for N = 10: what the old gives up and the new takes"),
            Figure::near("moved, stable ids", "share of keys", 0.0, 0.0, "the same names, the same points"),
        ],
        |lab| {
            let rows = lab.over(lab.seeds(200, 40), |seed| {
                let hashes = hashes(seed, KEYS);
                let before = ring(100, seed, 10);
                let mut renamed = before.clone();
                let replacement = Member { host: HostId(10), name: "replacement", weight: 1.0 };
                renamed.change(&[HostId(3)], &[replacement]);
                let mut kept = before.clone();
                kept.change(&[HostId(3)], &[]);
                let kept = with_hosts(kept, 3..4);
                // The new host stands in for the old one.
                let stands_for = |host: Option<HostId>| match host {
                    Some(HostId(10)) => Some(HostId(3)),
                    other => other,
                };
                let changed = hashes
                    .iter()
                    .map(|&hash| share_of(stands_for(renamed.owner(hash)) != before.owner(hash)));
                [mean(changed), moved(&before, &kept, &hashes)]
            });
            Ok(columns(&rows))
        },
    ),
];
