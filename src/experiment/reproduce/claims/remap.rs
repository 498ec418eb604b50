//! Virtual shards and their remapping in document 001.

use super::super::claim::{Claim, Figure, Source::HotShards, Verdict};
use super::super::tools::{
    DAY_S, columns, hashes, hot_ratio, mod_n, owner, ring, share_of, single,
};
use super::volume::{IMPRESSIONS, SHARDS, VIRTUAL};

/// The average rate of a shard, and what a range of virtual shards is of it.
fn average_rate() -> f64 {
    IMPRESSIONS / SHARDS / DAY_S
}

/// The first and the last virtual shard of the document's example.
const EXAMPLE: std::ops::RangeInclusive<u64> = 2000..=2500;

/// How many virtual shards of a range each of 32 shards has, numbered by modulo.
fn held(virtual_shards: impl Iterator<Item = u64>) -> Vec<f64> {
    let modulo = mod_n(SHARDS as u32);
    let mut counts = vec![0.0; SHARDS as usize];
    for number in virtual_shards {
        counts[owner(&modulo, number)] += 1.0;
    }
    counts
}

pub(super) const CLAIMS: &[Claim] = &[
    Claim::arithmetic(
        "ad-remap-359-340-378",
        HotShards,
        "Remapping 100 virtual shards from one shard to another takes the first from 359 to about 340 queries a second and the other to about 378.",
        "340; 378",
    )
    .run(
        Verdict::Inconsistent,
        "100 of the 320 virtual shards of a shard move to one with the same load.",
        &[
            Figure::near("giver afterwards", "per second", 340.0, 5.0, "the published figure is rounded to 5"),
            Figure::near("receiver afterwards", "per second", 378.0, 5.0, "the published figure is rounded to 5"),
        ],
        |_| {
            let part = 100.0 / (VIRTUAL / SHARDS);
            Ok(single([average_rate() * (1.0 - part), average_rate() * (1.0 + part)]))
        },
    )
    .note("100 virtual shards are 1 % of all load, but a third of one shard's."),
    Claim::arithmetic(
        "ad-remap-2000-2500",
        HotShards,
        "Mapping the virtual shards 2000 to 2500 to a new shard relieves the hot shard.",
        "the hot shard",
    )
    .run(
        Verdict::Inconsistent,
        "10,000 virtual shards lie on 32 shards by modulo; it is counted who gives up those of the range.",
        &[
            Figure::near("shards that give something up", "shards", 1.0, 0.0, "the hot one alone"),
            Figure::shown("most that one gives up", "share"),
            Figure::at_most("new shard over the average", "times", 1.1, "the new one should not be hot itself"),
        ],
        |_| {
            let (all, given) = (held(0..10_000), held(EXAMPLE));
            let givers = given.iter().map(|count| share_of(*count > 0.0)).sum();
            let shares = given.iter().zip(&all).map(|(given, all)| given / all);
            let received: f64 = given.iter().sum();
            let average = all.iter().sum::<f64>() / (SHARDS + 1.0);
            Ok(single([givers, shares.fold(0.0, f64::max), received / average]))
        },
    )
    .note("A range of numbers lies on all shards alike: all give a little, and the new shard becomes the hot one."),
    Claim::arithmetic(
        "ad-no-data-move",
        HotShards,
        "One per cent of the load can be moved at a time without moving data.",
        "no data",
    )
    .run(
        Verdict::Inconsistent,
        "100 virtual shards get another database; the share of keys whose rows lie elsewhere.",
        &[Figure::near("keys whose rows have to be copied", "share", 0.0, 0.0, "none, as claimed")],
        |_| {
            let moved = (0..VIRTUAL as u64).map(|number| share_of(number < 100));
            Ok(single([moved.sum::<f64>() / VIRTUAL]))
        },
    )
    .note("The document itself copies in two phases with a day of grace. Only rehashing is saved."),
    Claim::arithmetic(
        "ad-vshard-312",
        HotShards,
        "10,000 virtual shards do not divide by 32, which leaves some shards with many and others idle.",
        "idle shards",
    )
    .run(
        Verdict::Inconsistent,
        "Virtual shards by modulo 32, counted.",
        &[
            Figure::at_least("idle shards", "shards", 1.0, "some are, as claimed"),
            Figure::shown("most over the average, of 10,000", "times"),
            Figure::shown("most over the average, of 10,240", "times"),
        ],
        |_| {
            let counts = held(0..10_000);
            let uneven = |counts: &[f64]| crate::metrics::imbalance::max_over_mean(counts);
            let idle = counts.iter().map(|count| share_of(*count == 0.0)).sum();
            Ok(single([idle, uneven(&counts), uneven(&held(0..VIRTUAL as u64))]))
        },
    )
    .note("Half of the shards hold 313 and half 312."),
    Claim::rule(
        "ad-ch-better",
        HotShards,
        "Consistent hashing spreads virtual shards over shards better than numbering them.",
        "better",
    )
    .run(
        Verdict::Inconsistent,
        "10,240 virtual shards on 32 shards, by a ring with 1 to 1000 points a shard and by modulo of their numbers; most over the mean.",
        &[
            Figure::at_most("ring of 100 over modulo", "times", 1.0, "the ring must not be worse"),
            Figure::shown("ring of 1", "most / mean"),
            Figure::shown("ring of 16", "most / mean"),
            Figure::shown("ring of 100", "most / mean"),
            Figure::shown("ring of 1000", "most / mean"),
        ],
        |lab| {
            let (shards, numbered) = (SHARDS as u32, held(0..VIRTUAL as u64));
            let modulo = crate::metrics::imbalance::max_over_mean(&numbered);
            let loads = vec![1.0; VIRTUAL as usize];
            let rows = lab.over(lab.seeds(100, 20), |seed| {
                let hashes = hashes(seed, VIRTUAL as usize);
                let uneven = |points| hot_ratio(&ring(points, seed, shards), shards, &hashes, &loads);
                let [one, some, many, most] = [1, 16, 100, 1000].map(uneven);
                [many / modulo, one, some, many, most]
            });
            Ok(columns(&rows))
        },
    )
    .note("By the document's own numbers, 10,240 is 320 times 32: numbers in a row are exactly even, and nothing can be better. A ring makes them random."),
    Claim::arithmetic(
        "ad-100-too-coarse",
        HotShards,
        "100 virtual shards are too coarse for 32 shards, and a table of 100,000 is huge.",
        "100; 100,000",
    )
    .run(
        Verdict::Inconsistent,
        "The shard with the most of 100; the bytes of 100,000 entries of 16.",
        &[
            Figure::at_least("most over the average, of 100", "times", 1.2, "more than the noise of a ring of 100 points"),
            Figure::at_least("table of 100,000", "MB", 1000.0, "huge would be a gigabyte"),
        ],
        |_| Ok(single([(100.0 / SHARDS).ceil() / (100.0 / SHARDS), 1e5 * 16.0 / 1e6])),
    )
    .note("The first half holds. The table of 100,000 entries is no burden to anyone."),
    Claim::arithmetic(
        "ad-table-160k",
        HotShards,
        "A table of 10,240 entries of 16 bytes takes 160 KB and fits into the first-level cache.",
        "160 KB; L1",
    )
    .run(
        Verdict::Inconsistent,
        "A product, beside the 64 KB of data cache that a core of the named kind has (Arm, Neoverse N1 technical reference manual).",
        &[
            Figure::near("size of the table", "KiB", 160.0, 0.5, "rounding of the published figure"),
            Figure::at_most("table over first-level cache", "times", 1.0, "it must fit"),
        ],
        |_| Ok(single([VIRTUAL * 16.0 / 1024.0, VIRTUAL * 16.0 / 65_536.0])),
    )
    .note("It fits into the second level. With two bytes an entry it would fit into the first."),
    Claim::arithmetic(
        "ad-limit-10pct",
        HotShards,
        "Half of all virtual shards would overwhelm a new shard; a limit of 10 % of the load for each operation prevents that.",
        "10 %",
    )
    .run(
        Verdict::Inconsistent,
        "That share of the total on one of 33 shards, over the average.",
        &[
            Figure::at_most("new shard with 10 % of all load", "times", 1.6, "what 50 % average utilisation leaves up to 80 %"),
            Figure::shown("new shard with half of all load", "times"),
        ],
        |_| Ok(single([0.1 * (SHARDS + 1.0), 0.5 * (SHARDS + 1.0)])),
    )
    .note("A tenth of all load is more than three average shards. A tenth of one shard's load would be harmless."),
    Claim::arithmetic(
        "ad-trigger-70-80",
        HotShards,
        "A shard above 80 % utilisation gives up 10 % of its virtual shards, which ends the alert at 70 %.",
        "70 %; 80 %; 10 %",
    )
    .run(
        Verdict::Inconsistent,
        "0.8 x 0.9, and how often it takes that to come to the alert's threshold.",
        &[
            Figure::at_most("utilisation after one operation", "share", 0.7, "the alert's threshold"),
            Figure::shown("operations until the alert ends", "operations"),
        ],
        |_| {
            let (mut utilisation, mut operations) = (0.8, 0.0);
            while utilisation > 0.7 {
                utilisation *= 0.9;
                operations += 1.0;
            }
            Ok(single([0.8 * 0.9, operations]))
        },
    )
    .note("One operation does not end the alert."),
];
