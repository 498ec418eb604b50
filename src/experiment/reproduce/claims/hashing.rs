//! Modulo and jump hash: how many keys move, and how even they are.

use super::super::Lab;
use super::super::claim::Source::{ConsistentHashing, HashSharding, Resharding};
use super::super::claim::{Claim, ExperimentError, Figure, Values, Verdict};
use super::super::lab::once;
use super::super::tools::{
    hashes, host_loads, mean, mod_n, moved, owner, share_of, single, with_hosts,
};
use crate::hash::hash_name;
use crate::metrics::imbalance::coefficient_of_variation;
use crate::model::HostId;
use crate::placement::{Jump, Placement};

/// Keys of the published experiment.
const KEYS: usize = 200_000;

/// What 200,000 random keys do under one seed.
#[derive(Clone, Debug)]
pub(in super::super) struct MovedKeys {
    mod_4_5: f64,
    mod_10_11: f64,
    jump_10_11: f64,
    /// Of the keys that jump hash moves, the share that goes to the new bucket.
    to_new: f64,
    least: f64,
    most: f64,
    /// Coefficients of variation over ten buckets.
    jump_variation: f64,
    mod_variation: f64,
}

fn jump(buckets: u32) -> Jump {
    with_hosts(Jump::default(), 0..buckets)
}

fn moved_keys(lab: &Lab) -> Result<&Vec<MovedKeys>, ExperimentError> {
    once(&lab.shared().moved_keys, || {
        let (jump_10, jump_11) = (jump(10), jump(11));
        Ok(lab.over(lab.seeds(200, 30), |seed| {
            let hashes = hashes(seed, KEYS);
            let ones = vec![1.0; KEYS];
            let changes: Vec<usize> = hashes
                .iter()
                .map(|&hash| (owner(&jump_10, hash), owner(&jump_11, hash)))
                .filter(|(from, to)| from != to)
                .map(|(_, to)| to)
                .collect();
            let buckets = host_loads(&jump_10, 10, &hashes, &ones);
            MovedKeys {
                mod_4_5: moved(&mod_n(4), &mod_n(5), &hashes),
                mod_10_11: moved(&mod_n(10), &mod_n(11), &hashes),
                jump_10_11: changes.len() as f64 / KEYS as f64,
                to_new: mean(changes.iter().map(|to| share_of(*to == 10))),
                least: buckets.iter().copied().fold(f64::INFINITY, f64::min),
                most: buckets.iter().copied().fold(0.0, f64::max),
                jump_variation: coefficient_of_variation(&buckets),
                mod_variation: coefficient_of_variation(&host_loads(
                    &mod_n(10),
                    10,
                    &hashes,
                    &ones,
                )),
            }
        }))
    })
}

fn column(lab: &Lab, value: fn(&MovedKeys) -> f64) -> Result<Values, ExperimentError> {
    Ok(moved_keys(lab)?.iter().map(value).collect())
}

/// The share of a whole cycle of hashes that modulo moves: exact.
fn moved_exactly(from: u32, to: u32) -> f64 {
    // From 0 to the product every pair of remainders comes equally often.
    let cycle: Vec<u64> = (0..u64::from(from) * u64::from(to)).collect();
    moved(&mod_n(from), &mod_n(to), &cycle)
}

/// The share of names whose hash among `shards` differs when it is made another
/// way.
fn differing(shards: u32, pairs: impl Iterator<Item = (u64, u64)>) -> f64 {
    let modulo = mod_n(shards);
    mean(pairs.map(|(a, b)| share_of(modulo.owner(a) != modulo.owner(b))))
}

const ONE_SAMPLE: &str =
    "the published figure is one sample of 200,000 keys, rounded to 0.1 %: 3 standard deviations";
const EXACT: &str = "exact";

pub(super) const CLAIMS: &[Claim] = &[
    Claim::arithmetic(
        "hs-mod-formula",
        HashSharding,
        "From N to N + 1 shards, modulo keeps 1 / (N + 1) of the keys.",
        "1 / (N + 1)",
    )
    .run(
        Verdict::Reproduced,
        "A whole cycle of hashes, counted.",
        &[
            Figure::near("kept from 4 to 5", "share", 0.2, 1e-12, EXACT),
            Figure::near("kept from 10 to 11", "share", 1.0 / 11.0, 1e-12, EXACT),
        ],
        |_| Ok(single([1.0 - moved_exactly(4, 5), 1.0 - moved_exactly(10, 11)])),
    ),
    Claim::observation(
        "hs-mod-799",
        HashSharding,
        "Of 200,000 random hashes, modulo moves 79.9 % from 4 to 5 shards.",
        "79.9 %",
    )
    .run(
        Verdict::WithinNoise,
        "200,000 random hashes under each seed.",
        &[Figure::sampled("moved by modulo, 4 to 5", "share of keys", 0.799, 0.0005, 3.0, ONE_SAMPLE)],
        |lab| Ok(vec![column(lab, |keys| keys.mod_4_5)?]),
    )
    .headline(),
    Claim::observation(
        "hs-mod-908",
        HashSharding,
        "Of 200,000 random hashes, modulo moves 90.8 % from 10 to 11 shards.",
        "90.8 %",
    )
    .run(
        Verdict::WithinNoise,
        "200,000 random hashes under each seed.",
        &[Figure::sampled("moved by modulo, 10 to 11", "share of keys", 0.908, 0.0005, 3.0, ONE_SAMPLE)],
        |lab| Ok(vec![column(lab, |keys| keys.mod_10_11)?]),
    )
    .headline(),
    Claim::observation(
        "hs-jump-92",
        HashSharding,
        "Of 200,000 random hashes, jump hash moves 9.2 % from 10 to 11 shards.",
        "9.2 %",
    )
    .run(
        Verdict::WithinNoise,
        "200,000 random hashes under each seed.",
        &[Figure::sampled("moved by jump hash, 10 to 11", "share of keys", 0.092, 0.0005, 3.0, ONE_SAMPLE)],
        |lab| Ok(vec![column(lab, |keys| keys.jump_10_11)?]),
    )
    .headline(),
    Claim::observation(
        "hs-jump-range",
        HashSharding,
        "Jump hash puts 19,856 to 20,153 of 200,000 keys into each of ten buckets.",
        "19,856 to 20,153",
    )
    .run(
        Verdict::WithinNoise,
        "200,000 random hashes under each seed.",
        &[
            Figure::sampled("smallest bucket", "keys", 19_856.0, 0.5, 3.0, "one sample: 3 standard deviations"),
            Figure::sampled("largest bucket", "keys", 20_153.0, 0.5, 3.0, "one sample: 3 standard deviations"),
            Figure::sampled("largest less smallest", "difference in keys", 297.0, 0.5, 3.0, "one sample: 3 standard deviations"),
        ],
        |lab| {
            Ok(vec![
                column(lab, |keys| keys.least)?,
                column(lab, |keys| keys.most)?,
                column(lab, |keys| keys.most - keys.least)?,
            ])
        },
    )
    .headline(),
    Claim::observation(
        "hs-jump-new-only",
        HashSharding,
        "All keys that jump hash moves go to the new bucket.",
        "all",
    )
    .run(
        Verdict::Reproduced,
        "200,000 random hashes under each seed, from 10 to 11 buckets.",
        &[Figure::near("of the moved keys, to the new bucket", "share", 1.0, 0.0, EXACT)],
        |lab| Ok(vec![column(lab, |keys| keys.to_new)?]),
    ),
    Claim::observation(
        "hs-jump-balance",
        HashSharding,
        "Jump hash is nearly perfectly even, and modulo perfectly.",
        "near-perfect; perfect",
    )
    .run(
        Verdict::Reproduced,
        "200,000 random hashes in ten buckets; standard deviation over mean of the buckets.",
        &[
            Figure::at_most("jump hash", "deviation / mean", 0.01, "1 % is nearly perfect; the noise of counting alone is 0.67 %"),
            Figure::at_most("modulo", "deviation / mean", 0.01, "as above"),
        ],
        |lab| {
            Ok(vec![
                column(lab, |keys| keys.jump_variation)?,
                column(lab, |keys| keys.mod_variation)?,
            ])
        },
    )
    .note("Modulo of random hashes is no more perfect than jump hash: both have the noise of counting."),
    Claim::observation(
        "hs-jump-no-retire",
        HashSharding,
        "Jump hash can grow and shrink at its end only.",
        "at its end only",
    )
    .run(
        Verdict::Reproduced,
        "Bucket 3 of ten, or the last, is retired; keys that move though their bucket stays.",
        &[
            Figure::at_least("needlessly moved, bucket 3", "share of keys", 0.05, "about 9 %: the last bucket has to stand in"),
            Figure::at_most("needlessly moved, last bucket", "share of keys", 0.0, EXACT),
        ],
        |lab| {
            let before = jump(10);
            let without = |gone: u32| {
                let mut after = before.clone();
                after.change(&[HostId(gone)], &[]);
                after
            };
            let (middle, last) = (without(3), without(9));
            let needless = |after: &Jump, gone: u32, hashes: &[u64]| {
                mean(hashes.iter().map(|&hash| {
                    let from = before.owner(hash);
                    share_of(from != Some(HostId(gone)) && after.owner(hash) != from)
                }))
            };
            let rows = lab.over(lab.seeds(20, 5), |seed| {
                let hashes = hashes(seed, 50_000);
                [needless(&middle, 3, &hashes), needless(&last, 9, &hashes)]
            });
            Ok(super::super::tools::columns(&rows))
        },
    ),
    Claim::arithmetic(
        "hs-mod-8-10",
        HashSharding,
        "From 8 to 10 shards, modulo would move 80 % of the keys.",
        "80 %",
    )
    .run(
        Verdict::Reproduced,
        "A whole cycle of hashes, counted.",
        &[Figure::near("moved", "share of keys", 0.8, 1e-12, EXACT)],
        |_| Ok(single([moved_exactly(8, 10)])),
    ),
    Claim::arithmetic(
        "hs-mod-storage",
        HashSharding,
        "Resizing under modulo rewrites nearly everything and takes double the storage meanwhile.",
        "double",
    )
    .run(
        Verdict::Reproduced,
        "1 + the share of keys that moves.",
        &[
            Figure::near("4 to 5 shards", "times the storage", 2.0, 0.2, "10 %: the source says double, not exactly"),
            Figure::near("10 to 11 shards", "times the storage", 2.0, 0.2, "as above"),
        ],
        |_| Ok(single([1.0 + moved_exactly(4, 5), 1.0 + moved_exactly(10, 11)])),
    ),
    Claim::observation(
        "hs-drift",
        HashSharding,
        "When two programs hash differently, reads miss and writes go to the wrong shard.",
        "miss",
    )
    .run(
        Verdict::Reproduced,
        "50,000 names hashed under two seeds to 8 shards; how many land on different ones.",
        &[Figure::near("on different shards", "share of keys", 0.875, 0.01, "1 - 1/N; 1 % is seven standard deviations of 50,000 keys")],
        |_| {
            let names = (0..50_000).map(|i| format!("user-{i}"));
            let pairs = names.map(|name| (hash_name(&name, 0), hash_name(&name, 1)));
            Ok(single([differing(8, pairs)]))
        },
    ),
    Claim::observation(
        "hs-normalise",
        HashSharding,
        "A name with a capital letter and the same without it live on two shards.",
        "two shards",
    )
    .run(
        Verdict::Reproduced,
        "50,000 names with and without a capital letter, hashed to 8 shards.",
        &[Figure::near("on different shards", "share of keys", 0.875, 0.01, "1 - 1/N; 1 % is seven standard deviations of 50,000 keys")],
        |_| {
            let pairs = (0..50_000).map(|i| {
                (hash_name(&format!("User-{i}"), 0), hash_name(&format!("user-{i}"), 0))
            });
            Ok(single([differing(8, pairs)]))
        },
    )
    .note("Not always: with N shards, one pair in N meets by chance."),
    Claim::arithmetic(
        "ch-mod-3-4",
        ConsistentHashing,
        "From 3 to 4 shards, modulo moves three quarters of the keys: of twelve hashes in a row, three stay.",
        "3/4; 3 of 12",
    )
    .run(
        Verdict::Reproduced,
        "The hashes 0 to 11, counted.",
        &[
            Figure::near("moved by modulo, 3 to 4", "share of keys", 0.75, 1e-12, EXACT),
            Figure::near("hashes that stay, of twelve", "hashes", 3.0, 1e-9, EXACT),
        ],
        |_| {
            let share = moved_exactly(3, 4);
            Ok(single([share, 12.0 * (1.0 - share)]))
        },
    )
    .headline(),
    Claim::observation(
        "ch-unique",
        ConsistentHashing,
        "A unique index on each shard cannot make an e-mail address unique in the whole service.",
        "cannot",
    )
    .run(
        Verdict::Reproduced,
        "Pairs of user ids with one address, hashed to 8 shards; both are accepted unless they meet.",
        &[Figure::near("pairs on different shards", "share of pairs", 0.875, 0.01, "1 - 1/N; 1 % is seven standard deviations of 50,000 pairs")],
        |_| {
            let pairs = (0..50_000).map(|i| {
                (hash_name(&format!("user-{i}-a"), 0), hash_name(&format!("user-{i}-b"), 0))
            });
            Ok(single([differing(8, pairs)]))
        },
    ),
    Claim::arithmetic(
        "rs-1024-divides",
        Resharding,
        "1024 logical shards divide evenly over the nodes for a long time.",
        "a long time",
    )
    .run(
        Verdict::Inconsistent,
        "From four nodes upwards one at a time: how many sizes divide 1024 before the first that does not.",
        &[
            Figure::at_least("even sizes after four", "sizes", 2.0, "a long time is more than one step"),
            Figure::shown("most over the mean with 100 nodes", "times"),
        ],
        |_| {
            let even = (5..1024_u32).take_while(|nodes| 1024 % nodes == 0).count();
            let mean = 1024.0 / 100.0_f64;
            Ok(single([even as f64, mean.ceil() / mean]))
        },
    )
    .note("Only powers of two divide 1024: the fifth node is uneven already, though by 0.1 % only."),
];
