//! Hot keys, small key spaces and fan-out.

use super::super::Lab;
use super::super::claim::Source::{ConsistentHashing, HashSharding, Resharding};
use super::super::claim::{Claim, ExperimentError, Figure, Values, Verdict};
use super::super::tools::{columns, hashes, host_loads, hot_ratio, mod_n, ring, single};
use crate::experiment::FanOut;
use crate::metrics::imbalance::max_over_mean;
use crate::optimum::{self, Problem, Settings};
use crate::workload::zipf_weights;

/// Small keys beside a large one.
const SMALL_KEYS: usize = 10_000;

/// The share of the load on the hottest shard, under each seed, when one key has
/// `share` and 10,000 small ones the rest.
fn hottest_share(lab: &Lab, share: f64, shards: u32) -> Values {
    let mut loads = vec![(1.0 - share) / SMALL_KEYS as f64; SMALL_KEYS + 1];
    loads[0] = share;
    lab.over(lab.seeds(100, 20), |seed| {
        let on_shards = host_loads(&mod_n(shards), shards, &hashes(seed, loads.len()), &loads);
        on_shards.iter().copied().fold(0.0, f64::max)
    })
}

/// The share of slow queries to so many shards, each of which is slow once in a
/// hundred; a part of that has a cause that all have in common.
fn slow_queries(shards: u32, common: f64) -> f64 {
    FanOut { shards, common }.tail(0.01)
}

/// The least hot_ratio of these shards on equal hosts.
fn best(loads: &[f64], hosts: usize) -> Result<f64, ExperimentError> {
    let capacities = vec![1.0; hosts];
    Ok(optimum::solve(&Problem::new(loads, &capacities), &Settings::default())?.hot_ratio)
}

const AT_FLOOR: &str = "the key's own share is the least any shard with it can have";

pub(super) const CLAIMS: &[Claim] = &[
    Claim::observation(
        "hs-tenant-40",
        HashSharding,
        "A tenant with 40 % of the load puts 40 % on one shard, whatever the hash.",
        "40 %",
    )
    .run(
        Verdict::Reproduced,
        "One key with 40 % among 10,000 small ones, hashed to 4, 8 and 32 shards; the hottest shard's share.",
        &[
            Figure::at_least("4 shards", "share of all load", 0.4, AT_FLOOR),
            Figure::at_least("8 shards", "share of all load", 0.4, AT_FLOOR),
            Figure::at_least("32 shards", "share of all load", 0.4, AT_FLOOR),
        ],
        |lab| Ok([4, 8, 32].map(|shards| hottest_share(lab, 0.4, shards)).to_vec()),
    )
    .note("40 % is the least: others hash to the same shard too, 0.4 + 0.6/N in all."),
    Claim::observation(
        "hs-hot-30",
        HashSharding,
        "A conversation with 30 % of the traffic keeps its shard hot, however slots are laid out.",
        "30 %",
    )
    .run(
        Verdict::Reproduced,
        "One key with 30 % among 10,000 small ones, hashed to 8 and 10 shards; the hottest shard's share.",
        &[
            Figure::at_least("8 shards", "share of all load", 0.3, AT_FLOOR),
            Figure::at_least("10 shards", "share of all load", 0.3, AT_FLOOR),
        ],
        |lab| Ok([8, 10].map(|shards| hottest_share(lab, 0.3, shards)).to_vec()),
    ),
    Claim::observation(
        "hs-adding-no-help",
        HashSharding,
        "More shards do nothing for a single hot key.",
        "nothing",
    )
    .run(
        Verdict::Reproduced,
        "The hottest shard's share with 16 shards over that with 8, with one key of 30 %.",
        &[Figure::at_least("left of the hottest share", "share", 0.8, "twice the shards would halve an even load")],
        |lab| {
            let [eight, sixteen] = [8, 16].map(|shards| hottest_share(lab, 0.3, shards));
            Ok(vec![eight.iter().zip(&sixteen).map(|(few, many)| many / few).collect()])
        },
    )
    .note("Nearly nothing: the small keys beside it leave, and 30 % stay."),
    Claim::observation(
        "hs-country",
        HashSharding,
        "Countries make a poor key: a couple of hundred values, of which a handful dominate.",
        "a handful",
    )
    .run(
        Verdict::Reproduced,
        "249 values with Zipf weights of exponent 1, hashed to 32 shards.",
        &[
            Figure::at_least("share of the first five", "share", 0.33, "a handful has a third"),
            Figure::at_least("hottest / mean", "hottest / mean", 2.0, "twice what an even key would give"),
        ],
        |lab| {
            let weights = zipf_weights(249, 1.0);
            let ratios = lab.over(lab.seeds(200, 40), |seed| {
                hot_ratio(&mod_n(32), 32, &hashes(seed, weights.len()), &weights)
            });
            Ok(vec![vec![weights[..5].iter().sum()], ratios])
        },
    ),
    Claim::arithmetic(
        "hs-celebrity",
        HashSharding,
        "A celebrity gets thousands of times the rate of an average user.",
        "thousands",
    )
    .run(
        Verdict::Reproduced,
        "The first of a million users with Zipf weights of exponent 1, over the mean.",
        &[Figure::at_least("first over the mean", "times", 1000.0, "thousands")],
        |_| Ok(single([zipf_weights(1_000_000, 1.0)[0] * 1e6])),
    ),
    Claim::arithmetic(
        "hs-fanout-275",
        HashSharding,
        "When each of 32 shards is slow once in a hundred, a query to all of them is slow in 27.5 % of the cases.",
        "27.5 %",
    )
    .run(
        Verdict::Reproduced,
        "1 - 0.99^32.",
        &[
            Figure::near("slow queries to 32 shards", "share of queries", 0.275, 0.0005, "rounding of the published figure"),
            Figure::shown("if half of the slowness strikes all at once", "share of queries"),
        ],
        |_| Ok(single([slow_queries(32, 0.0), slow_queries(32, 0.5)])),
    )
    .note("Independence is the worst case.")
    .headline(),
    Claim::arithmetic(
        "hs-fanout-8-128",
        HashSharding,
        "A query to all shards is fine with 8 of them and saturates with 128.",
        "8; 128",
    )
    .run(
        Verdict::Reproduced,
        "1 - 0.99^N.",
        &[
            Figure::at_most("slow queries to 8 shards", "share of queries", 0.1, "fine: fewer than one in ten"),
            Figure::at_least("slow queries to 128 shards", "share of queries", 0.5, "most of them"),
            Figure::near("work of the cluster, 128 over 8 shards", "times", 16.0, 0.0, "one sub-query a shard"),
        ],
        |_| Ok(single([slow_queries(8, 0.0), slow_queries(128, 0.0), 128.0 / 8.0])),
    ),
    Claim::arithmetic(
        "rs-60pct",
        Resharding,
        "One shard of four that holds 60 % has to be split.",
        "60 %",
    )
    .run(
        Verdict::Reproduced,
        "The best placement on four nodes with the shard whole, and on five with it split in two.",
        &[
            Figure::near("whole, on four nodes", "hottest / mean", 2.4, 1e-9, "0.6 x 4: the shard alone"),
            Figure::at_most("split, on five nodes", "hottest / mean", 1.6, "less than what no split can reach"),
        ],
        |_| {
            let rest = 0.4 / 3.0;
            let whole = best(&[0.6, rest, rest, rest], 4)?;
            Ok(single([whole, best(&[0.3, 0.3, rest, rest, rest], 5)?]))
        },
    ),
    Claim::observation(
        "ch-hot-user",
        ConsistentHashing,
        "No ring, however even, can split the load of one user.",
        "cannot",
    )
    .run(
        Verdict::Reproduced,
        "4096 users with Zipf weights of exponent 1.2 on a ring of 1000 points for each of ten shards.",
        &[Figure::at_least("hottest shard over the largest user", "times", 1.0, "the largest user's load alone")],
        |lab| {
            let weights = zipf_weights(4096, 1.2);
            let rows = lab.over(lab.seeds(50, 10), |seed| {
                let ring = ring(1000, seed, 10);
                let on_shards = host_loads(&ring, 10, &hashes(seed, weights.len()), &weights);
                [max_over_mean(&on_shards) / (10.0 * weights[0])]
            });
            Ok(columns(&rows))
        },
    ),
];
