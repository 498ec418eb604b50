//! Salts, which spread one key, and hashes, which spread keys in order.

use super::super::claim::Source::HashSharding;
use super::super::claim::{Claim, Figure, Values, Verdict};
use super::super::tools::{columns, mod_n, most, owner, share_of};
use crate::experiment::FanOut;
use crate::hash::hash_name;
use crate::metrics::imbalance::max_over_mean;
use crate::workload::{Salt, SaltPlace};

/// Shards that sub-keys lie on.
const SHARDS: usize = 10;

/// The load that each shard has of a salted key, as a share of the key's load
/// before; `reads` of its requests are reads, and ask every sub-key.
fn salted(seed: u64, sub_keys: u32, place: SaltPlace, reads: f64) -> [f64; SHARDS] {
    let placement = mod_n(SHARDS as u32);
    let shard_of = |name: &str| owner(&placement, hash_name(name, seed));
    let salt = Salt { sub_keys, place, ..Salt::default() };
    let mut on_shards = [0.0; SHARDS];
    for (shard, part) in salt.spread("item", shard_of("item"), SHARDS, reads, shard_of) {
        on_shards[shard] += part;
    }
    on_shards
}

/// How many shards have some of a key.
fn touched(on_shards: &[f64]) -> f64 {
    on_shards.iter().map(|load| share_of(*load > 0.0)).sum()
}

/// The hottest shard over the mean when a key has `share` of the load, lies on
/// the shards as `parts` says, and the rest is even.
fn hottest(share: f64, parts: &[f64]) -> f64 {
    let even = (1.0 - share) / parts.len() as f64;
    let loads: Values = parts.iter().map(|part| even + share * part).collect();
    max_over_mean(&loads)
}

/// Ids in a row: those before, in so many ranges of a thousand, and a thousand
/// new ones.
const RANGES: u64 = 8;
const NEW: u64 = 1000;

/// The shares of the new ids that each shard gets.
fn shares(shard_of: impl Fn(u64) -> usize) -> Values {
    let mut shares = vec![0.0; RANGES as usize];
    for id in RANGES * NEW..(RANGES + 1) * NEW {
        shares[shard_of(id)] += 1.0 / NEW as f64;
    }
    shares
}

pub(super) const CLAIMS: &[Claim] = &[
    Claim::observation(
        "hs-salt-8",
        HashSharding,
        "Eight salts spread the writes of a key, and its reads cost eight times as much.",
        "8 times",
    )
    .run(
        Verdict::Reproduced,
        "Eight sub-keys by random salts, hashed to ten shards under each seed.",
        &[
            Figure::near("cost of reads", "times", 8.0, 1e-9, "a read asks every sub-key"),
            Figure::at_most("writes on the fullest shard", "share of the key", 0.5, "no figure is published; spread is at least that no shard keeps half"),
            Figure::shown("shards with some of the key", "shards"),
        ],
        |lab| {
            let rows = lab.over(lab.seeds(2000, 500), |seed| {
                let [writes, reads] = [0.0, 1.0].map(|reads| salted(seed, 8, SaltPlace::Hashed, reads));
                [reads.iter().sum(), most(&writes), touched(&writes)]
            });
            Ok(columns(&rows))
        },
    )
    .note("Not eight ways: hashed sub-keys meet on shards, and the fullest has more than an eighth of the writes."),
    Claim::observation(
        "hs-salt-16",
        HashSharding,
        "Sixteen salts relieve the shard of a conversation with 30 % of the writes.",
        "16 salts",
    )
    .run(
        Verdict::Reproduced,
        "One key with 30 % of the load on ten shards, whole and as 16 sub-keys; the rest is even. A shard is slow once in a hundred.",
        &[
            Figure::at_most("hottest, salted over whole", "times", 0.5, "no figure is published; relief is at least half of the heat"),
            Figure::shown("whole", "hottest / mean"),
            Figure::shown("salted, hashed", "hottest / mean"),
            Figure::shown("salted, in turns", "hottest / mean"),
            Figure::shown("shards with some of the key", "shards"),
            Figure::shown("slow reads", "share of reads"),
        ],
        |lab| {
            let rows = lab.over(lab.seeds(2000, 500), |seed| {
                let on_shards = salted(seed, 16, SaltPlace::Hashed, 0.0);
                let turns = salted(seed, 16, SaltPlace::RoundRobin, 0.0);
                let whole = salted(seed, 1, SaltPlace::Hashed, 0.0);
                let [whole, hashed, turns] =
                    [whole, on_shards, turns].map(|parts| hottest(0.3, &parts));
                let shards = touched(&on_shards);
                let slow = FanOut { shards: shards as u32, common: 0.0 }.tail(0.01);
                [hashed / whole, whole, hashed, turns, shards, slow]
            });
            Ok(columns(&rows))
        },
    )
    .note("Relieved, not even: hashed sub-keys meet on shards. Dealt out in turns, 16 of them leave little to be seen."),
    Claim::observation(
        "hs-monotone",
        HashSharding,
        "An ordered key sends all new writes to the newest range; hashing spreads them.",
        "all",
    )
    .run(
        Verdict::Reproduced,
        "A thousand new ids in a row on eight shards: by ranges of a thousand ids each, of which the last is open, and by modulo of their hashes.",
        &[
            Figure::near("on the newest range", "share of writes", 1.0, 1e-9, "all, as published"),
            Figure::at_most("hashed: on the fullest shard", "share of writes", 0.156, "an eighth, and three standard deviations of a count in 1000"),
        ],
        |lab| {
            let firsts: Vec<u64> = (0..RANGES).map(|range| range * NEW).collect();
            let newest = firsts.len() - 1;
            let by_range = shares(|id| firsts.partition_point(|first| *first <= id).saturating_sub(1));
            let placement = mod_n(RANGES as u32);
            let hashed = lab.over(lab.seeds(200, 60), |seed| {
                most(&shares(|id| owner(&placement, hash_name(&id.to_string(), seed))))
            });
            Ok(vec![vec![by_range[newest]], hashed])
        },
    ),
];
