//! Caches, memory and money in document 001, as far as they are arithmetic.

use super::super::claim::{Claim, Figure, Source::HotShards, Verdict};
use super::super::tools::single;

/// Share of reads, and of these the share that a cache answers.
const READS: f64 = 0.7;
const HITS: f64 = 0.95;
/// Hours that a month is billed for.
const MONTH_H: f64 = 720.0;

pub(super) const CLAIMS: &[Claim] = &[
    Claim::arithmetic(
        "ad-cache-665",
        HotShards,
        "With 70 % reads and 95 % hits a cache takes 66.5 % of the load: 1000 queries a second become 335.",
        "66.5 %; 335",
    )
    .run(
        Verdict::Reproduced,
        "A product.",
        &[
            Figure::near("load taken", "share", 0.665, 1e-9, "exact"),
            Figure::near("queries left of 1000", "per second", 335.0, 1e-9, "exact"),
        ],
        |_| Ok(single([READS * HITS, 1000.0 * (1.0 - READS * HITS)])),
    ),
    Claim::arithmetic(
        "ad-cache-20-40",
        HotShards,
        "A cache that absorbs 60 to 80 % of the reads leaves the hot shard 20 to 40 % of its load.",
        "20 to 40 %",
    )
    .run(
        Verdict::Inconsistent,
        "1 - reads x absorbed, with 60 to 80 % reads as the document has them.",
        &[
            Figure::near("least load left", "share", 0.2, 0.05, "half a step of the published range"),
            Figure::near("most load left", "share", 0.4, 0.05, "half a step of the published range"),
        ],
        |_| Ok(single([1.0 - 0.8 * 0.8, 1.0 - 0.6 * 0.6])),
    )
    .note("The writes stay: 20 to 40 % would take a load of reads alone."),
    Claim::arithmetic(
        "ad-cache-100GB",
        HotShards,
        "100,000 entries of 1 KB take 100 GB, and the 10,000 hottest 10 GB.",
        "100 GB; 10 GB",
    )
    .run(
        Verdict::Inconsistent,
        "Products.",
        &[
            Figure::near("all entries", "GB", 100.0, 5.0, "5 %, between KB and KiB"),
            Figure::near("the hottest entries", "GB", 10.0, 0.5, "5 %, between KB and KiB"),
        ],
        |_| Ok(single([1e5 * 1e3 / 1e9, 1e4 * 1e3 / 1e9])),
    )
    .note("A thousand times too much: all entries fit into the memory of any host."),
    Claim::arithmetic(
        "ad-cache-latency",
        HotShards,
        "Hits under 1 ms against misses of 100 ms improve the average latency.",
        "1 ms; 100 ms",
    )
    .run(
        Verdict::Reproduced,
        "The mean of the mixture with 95 % hits, and its 99th percentile.",
        &[
            Figure::at_most("mean latency", "ms", 50.0, "half of the latency without a cache"),
            Figure::shown("99th percentile", "ms"),
        ],
        |_| {
            let p99 = if 1.0 - HITS > 0.01 { 100.0 } else { 1.0 };
            Ok(single([HITS * 1.0 + (1.0 - HITS) * 100.0, p99]))
        },
    )
    .note("More than one request in a hundred misses, so that the 99th percentile does not improve."),
    Claim::arithmetic(
        "ad-opt3-600k",
        HotShards,
        "100 clusters at $5,000 to $10,000 a month cost $600,000 to $1.2 million a year.",
        "$600,000 to $1.2 million",
    )
    .run(
        Verdict::Inconsistent,
        "Clusters x price x 12 months.",
        &[
            Figure::near("least cost of a year", "million $", 0.6, 0.03, "5 %"),
            Figure::near("largest cost of a year", "million $", 1.2, 0.06, "5 %"),
        ],
        |_| Ok(single([100.0 * 5e3 * 12.0 / 1e6, 100.0 * 1e4 * 12.0 / 1e6])),
    )
    .note("Too small by a factor of ten, and less than the document's other figures for the same thing."),
    Claim::arithmetic(
        "ad-opt3-144k",
        HotShards,
        "Four instances at $0.50 an hour cost $14,400 a month, and a hundred such clusters $17.3 million a year.",
        "$14,400; $17.3 million",
    )
    .run(
        Verdict::Inconsistent,
        "Instances x price x 720 hours; a hundred times that for 12 months.",
        &[
            Figure::near("a cluster for a month", "$", 14_400.0, 360.0, "a month of 720 to 744 hours"),
            Figure::near("a hundred for a year", "million $", 17.3, 0.5, "3 %, the length of a month"),
        ],
        |_| {
            let month = 4.0 * 0.5 * MONTH_H;
            Ok(single([month, 100.0 * 12.0 * month / 1e6]))
        },
    )
    .note("Too large by a factor of ten: the figures fit $5 an hour."),
];
