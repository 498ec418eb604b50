//! Rates, capacities and shares that follow from the numbers of document 001.

use super::super::claim::{Claim, Figure, Source::HotShards, Verdict};
use super::super::tools::{DAY_S, single};

/// Impressions a day on the whole platform.
pub(super) const IMPRESSIONS: f64 = 1e9;
/// Physical shards.
pub(super) const SHARDS: f64 = 32.0;
/// Queries a second that one shard can take.
const CAPACITY: f64 = 50_000.0;
/// Virtual shards.
pub(super) const VIRTUAL: f64 = 10_240.0;
/// The rule of the document: average utilisation that is aimed for.
const AIM: Figure = Figure::near(
    "average utilisation",
    "share",
    0.55,
    0.05,
    "the aim is 50 to 60 % of what a shard can take",
);
/// Published figures are rounded to the last digit shown.
const ROUNDED: &str = "rounding of the published figure";

/// The share of all load on a shard that holds a key with share `key`, the rest
/// being spread evenly.
pub(super) fn with_key(key: f64, shards: f64) -> f64 {
    key + (1.0 - key) / shards
}

pub(super) const CLAIMS: &[Claim] = &[
    Claim::arithmetic(
        "ad-10pct-10x",
        HotShards,
        "The shard of an advertiser with a tenth of all impressions carries ten times the average load.",
        "10 times",
    )
    .run(
        Verdict::Inconsistent,
        "A tenth of the load on one of 32 shards, the rest spread evenly.",
        &[
            Figure::near("load over the average", "times", 10.0, 0.5, ROUNDED),
            Figure::shown("shards at which it would be ten times", "shards"),
        ],
        |_| Ok(single([with_key(0.1, SHARDS) * SHARDS, (10.0 - 0.9) / 0.1])),
    )
    .note("With 32 shards the average is 3.1 % of the load; ten times that needs 91 shards."),
    Claim::arithmetic(
        "ad-100M-vs-10M",
        HotShards,
        "Of a billion impressions a day, 100 million go to one shard while the others handle 10 million each.",
        "10 million each",
    )
    .run(
        Verdict::Inconsistent,
        "The remaining impressions over the 31 other shards.",
        &[Figure::near("impressions of another shard", "a day", 1e7, 5e5, ROUNDED)],
        |_| Ok(single([0.9 * IMPRESSIONS / (SHARDS - 1.0)])),
    )
    .note("10 million each would take 91 shards."),
    Claim::arithmetic(
        "ad-saturate-50k",
        HotShards,
        "A shard with 100 million impressions a day saturates its 50,000 queries a second.",
        "saturated",
    )
    .run(
        Verdict::Inconsistent,
        "100 million a day as a rate, over the capacity of a shard.",
        &[Figure::near("utilisation of the hot shard", "share", 1.0, 0.05, "saturated is near 1")],
        |_| Ok(single([0.1 * IMPRESSIONS / DAY_S / CAPACITY])),
    )
    .note("Even the whole platform is less than a quarter of what one shard can take."),
    Claim::arithmetic(
        "ad-bottleneck",
        HotShards,
        "The most loaded shard limits the throughput of the whole system.",
        "limits the system",
    )
    .run(
        Verdict::Reproduced,
        "The load at which the shard of a tenth of all load is full, over the capacity of all 32.",
        &[Figure::at_most("usable share of the fleet's capacity", "share", 0.5, "well below all of it")],
        |_| Ok(single([1.0 / (with_key(0.1, SHARDS) * SHARDS)])),
    )
    .note("The law of the bottleneck, not Amdahl's, which is about parts that run one after another."),
    Claim::arithmetic(
        "ad-capacity",
        HotShards,
        "32 shards of 50,000 queries a second are sized for a billion impressions a day at 50 to 60 % utilisation.",
        "50 to 60 %",
    )
    .run(
        Verdict::Inconsistent,
        "A billion a day as a rate, over the capacity of all shards.",
        &[AIM],
        |_| Ok(single([IMPRESSIONS / DAY_S / (SHARDS * CAPACITY)])),
    )
    .note("The fleet is more than a hundred times too large for its own aim."),
    Claim::arithmetic(
        "ad-qps-359",
        HotShards,
        "With 320 virtual shards each, a physical shard sees 359 queries a second on average and 718 at peak.",
        "320; 359; 718",
    )
    .run(
        Verdict::Reproduced,
        "Divisions, with 31 million a day as rounded by the document, and without rounding.",
        &[
            Figure::near("virtual shards of a shard", "shards", 320.0, 0.0, "exact"),
            Figure::near("average rate from 31 million a day", "per second", 359.0, 0.5, ROUNDED),
            Figure::near("peak rate", "per second", 718.0, 1.0, ROUNDED),
            Figure::near("average rate without rounding", "per second", 359.0, 3.59, "1 %: the document rounds 31.25 million to 31"),
        ],
        |_| {
            let rounded = 31e6 / DAY_S;
            Ok(single([VIRTUAL / SHARDS, rounded, 2.0 * rounded, IMPRESSIONS / SHARDS / DAY_S]))
        },
    ),
    Claim::arithmetic(
        "ad-718-vs-50k",
        HotShards,
        "A peak of 718 queries a second suits an instance that can take 50,000.",
        "718 of 50,000",
    )
    .run(
        Verdict::Inconsistent,
        "The peak over the capacity, beside the document's aim for utilisation.",
        &[AIM],
        |_| Ok(single([718.0 / CAPACITY])),
    )
    .note("It fits, and contradicts the aim of not paying for idle shards."),
    Claim::arithmetic(
        "ad-1B-qps",
        HotShards,
        "A billion impressions a day are about 11,574 a second.",
        "11,574",
    )
    .run(
        Verdict::Reproduced,
        "A division.",
        &[Figure::near("rate", "per second", 11_574.0, 0.5, ROUNDED)],
        |_| Ok(single([IMPRESSIONS / DAY_S])),
    ),
    Claim::arithmetic(
        "ad-579",
        HotShards,
        "An advertiser with 5 % of the impressions makes 579 queries a second.",
        "579",
    )
    .run(
        Verdict::Reproduced,
        "A division.",
        &[Figure::near("rate", "per second", 579.0, 0.5, ROUNDED)],
        |_| Ok(single([0.05 * IMPRESSIONS / DAY_S])),
    ),
    Claim::arithmetic(
        "ad-shard5-359",
        HotShards,
        "The shard that holds the advertiser with 5 % sees 359 queries a second.",
        "359",
    )
    .run(
        Verdict::Inconsistent,
        "The advertiser's own rate and an even share of the rest.",
        &[Figure::near("rate of the hot shard", "per second", 359.0, 3.59, "1 %")],
        |_| Ok(single([with_key(0.05, SHARDS) * IMPRESSIONS / DAY_S])),
    )
    .note("359 is the average of all shards; the advertiser alone makes more."),
    Claim::arithmetic(
        "ad-opt3-1200",
        HotShards,
        "Twice the 579 queries a second of the top advertiser are 1200, and one instance is enough for them.",
        "1200",
    )
    .run(
        Verdict::Reproduced,
        "A product; how many instances of 50,000 it fills.",
        &[
            Figure::near("rate with headroom", "per second", 1200.0, 48.0, "4 %: rounded up in the document"),
            Figure::at_most("instances filled", "instances", 1.0, "one must be enough"),
        ],
        |_| {
            let rate = 2.0 * 0.05 * IMPRESSIONS / DAY_S;
            Ok(single([rate, rate / CAPACITY]))
        },
    ),
    Claim::arithmetic(
        "ad-cross-option",
        HotShards,
        "Beyond 100 million impressions a day, fine-grained rebalancing is a reason to upgrade.",
        "100 million a day",
    )
    .run(
        Verdict::Inconsistent,
        "The shards of 50,000 queries a second that 100 million a day fill, rounded up.",
        &[Figure::at_least("shards needed", "shards", 2.0, "with one shard there is nothing to balance")],
        |_| Ok(single([(1e8 / DAY_S / CAPACITY).ceil()])),
    )
    .note("One shard takes forty times that rate."),
];
