//! Zipfian loads.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{Constant, Draw, LoadCursor, Workload, numbered_shards};
use crate::model::SettingError;
use crate::random::{Purpose, Stream};

/// How ranks of popularity are given to shards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Ranks {
    /// A permutation for each seed.
    #[default]
    Shuffled,
    /// Shard i has rank i + 1.
    Kept,
}

/// Settings of the `zipf` workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ZipfSettings {
    /// Number of shards, from 1 to 10 million.
    pub shards: u32,
    /// The exponent s of the weights k^-s: at least 0 (all equal), also above 1.
    pub exponent: Draw,
    /// Sum of all loads, in units a second.
    #[serde(default = "default_total_load")]
    pub total_load: f64,
    /// How ranks are given to shards.
    #[serde(default)]
    pub ranks: Ranks,
}

/// Ten thousand units a second.
pub(super) fn default_total_load() -> f64 {
    10_000.0
}

/// Whether a number of shards is usable.
pub(super) fn check_shards(shards: u32) -> Result<(), SettingError> {
    if (1..=10_000_000).contains(&shards) {
        return Ok(());
    }
    Err(SettingError::new("shards", format!("must be from 1 to 10000000, not {shards}")))
}

impl ZipfSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        check_shards(self.shards)?;
        self.exponent.require_at_least("exponent", 0.0)?;
        SettingError::require_load("total_load", self.total_load)
    }
}

/// The exact normalised Zipf weights k^-s / H for k = 1 .. n, where H is the
/// sum of k^-s (the generalised harmonic number); Zipf 1949. The sum is taken
/// from the smallest term to the largest.
pub fn zipf_weights(count: usize, exponent: f64) -> Vec<f64> {
    let mut weights: Vec<f64> = (1..=count).map(|rank| libm::pow(rank as f64, -exponent)).collect();
    let sum: f64 = weights.iter().rev().sum();
    for weight in &mut weights {
        *weight /= sum;
    }
    weights
}

/// Positions in order of their ranks, the first having the largest load.
pub(super) fn by_rank(count: usize, ranks: Ranks, seed: u64) -> Vec<usize> {
    let mut by_rank: Vec<usize> = (0..count).collect();
    if ranks == Ranks::Shuffled {
        // Sorting by a key of its own for each position leaves the order of
        // the others as it was when one is added.
        let mut stream = Stream::new(seed, Purpose::Ranks, 0);
        let keys: Vec<u64> = (0..count).map(|_| stream.next_u64()).collect();
        by_rank.sort_by_key(|&position| (keys[position], position));
    }
    by_rank
}

/// Constant loads that follow Zipf's law.
#[derive(Clone, Debug)]
pub struct Zipf {
    settings: ZipfSettings,
    shards: Arc<[String]>,
}

impl Zipf {
    /// A workload with shards named `shard-0`, `shard-1`, ...
    pub fn new(settings: ZipfSettings) -> Self {
        let shards = numbered_shards(settings.shards);
        Self { settings, shards }
    }
}

impl Workload for Zipf {
    fn shards(&self) -> Arc<[String]> {
        Arc::clone(&self.shards)
    }

    fn start(&self, seed: u64) -> Box<dyn LoadCursor + '_> {
        let count = self.shards.len();
        let exponent = self.settings.exponent.value(seed, 0);
        let by_rank = by_rank(count, self.settings.ranks, seed);
        let mut loads = vec![0.0; count];
        for (shard, weight) in by_rank.into_iter().zip(zipf_weights(count, exponent)) {
            loads[shard] = weight * self.settings.total_load;
        }
        Box::new(Constant(loads))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// k^-1 for four shards: 12, 6, 4, 3 parts of 25.
    #[test]
    fn weights_of_exponent_one() {
        let weights = zipf_weights(4, 1.0);
        for (weight, parts) in weights.iter().zip([12.0, 6.0, 4.0, 3.0]) {
            assert!((weight - parts / 25.0).abs() < 1e-15);
        }
        assert!(zipf_weights(7, 0.0).iter().all(|w| (w - 1.0 / 7.0).abs() < 1e-15));
        let steep = zipf_weights(100, 1.5);
        assert!((steep[0] / steep[3] - 8.0).abs() < 1e-12);
    }

    #[test]
    fn shuffled_ranks_are_a_permutation_of_the_kept_ones() {
        let settings = |ranks| ZipfSettings {
            shards: 50,
            exponent: Draw::Fixed(0.98),
            total_load: 100.0,
            ranks,
        };
        let load = |ranks, seed| Zipf::new(settings(ranks)).start(seed).initial();
        let kept = load(Ranks::Kept, 1);
        assert!(kept.windows(2).all(|pair| pair[0] > pair[1]));
        assert!((kept.iter().sum::<f64>() - 100.0).abs() < 1e-9);
        let mut shuffled = load(Ranks::Shuffled, 1);
        assert_ne!(shuffled, load(Ranks::Shuffled, 2));
        assert_ne!(shuffled, kept);
        shuffled.sort_by(|a, b| b.total_cmp(a));
        assert_eq!(shuffled, kept);
    }
}
