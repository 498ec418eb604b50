//! Salting: a hot key becomes several sub-keys `{key}#0`, `{key}#1`, ...

use serde::{Deserialize, Serialize};

use crate::hash::hash_name;
use crate::model::SettingError;

/// How a request to a hot key finds its sub-key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Salts {
    /// Each write takes one at random. A read must ask all of them.
    #[default]
    Random,
    /// The hash of the item that is written or read gives one. A read asks
    /// that one alone, but the sub-keys are as even as few items are.
    Hashed,
}

/// Where sub-keys lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SaltPlace {
    /// On the shards that they hash to: several may meet on one.
    #[default]
    Hashed,
    /// On consecutive shards, from that of the key on.
    RoundRobin,
}

/// Settings of salting.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Salt {
    /// A key is hot, and salted, from this share of the total load on.
    pub hot_share: f64,
    /// Sub-keys of a hot key.
    pub sub_keys: u32,
    /// How a request finds its sub-key.
    pub salts: Salts,
    /// With hashed salts: different items of a hot key, equally popular.
    pub items: u32,
    /// Where sub-keys lie.
    pub place: SaltPlace,
}

impl Default for Salt {
    fn default() -> Self {
        Self {
            hot_share: 0.01,
            sub_keys: 8,
            salts: Salts::default(),
            items: 1000,
            place: SaltPlace::default(),
        }
    }
}

impl Salt {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let fault = |message: String| Err(SettingError::new("salt", message));
        if !(self.hot_share > 0.0 && self.hot_share <= 1.0) {
            return fault(format!(
                "must have a `hot_share` above 0 and at most 1, not {}",
                self.hot_share
            ));
        }
        for (name, number, most) in
            [("sub_keys", self.sub_keys, 65_536), ("items", self.items, 1_000_000)]
        {
            if !(1..=most).contains(&number) {
                return fault(format!("must have `{name}` from 1 to {most}, not {number}"));
            }
        }
        Ok(())
    }

    pub(super) fn is_hot(&self, load: f64, total: f64) -> bool {
        load > 0.0 && load >= self.hot_share * total
    }

    /// The shards of the sub-keys of a hot key and what each carries, as a
    /// share of the key's load before. With random salts, every read counts
    /// once on each sub-key: k sub-keys turn reads of a share r into a load of
    /// k r, and the sum is 1 - r + k r.
    pub(crate) fn spread(
        &self,
        key: &str,
        own: usize,
        shards: usize,
        reads: f64,
        shard_of: impl Fn(&str) -> usize,
    ) -> Vec<(usize, f64)> {
        let count = self.sub_keys as usize;
        let even = 1.0 / count as f64;
        let parts: Vec<f64> = match self.salts {
            Salts::Random => vec![(1.0 - reads) * even + reads; count],
            Salts::Hashed => {
                let mut items = vec![0_u32; count];
                for item in 0..self.items {
                    let hash = hash_name(&format!("{key}/{item}"), 0);
                    items[(hash % count as u64) as usize] += 1;
                }
                items.into_iter().map(|n| f64::from(n) / f64::from(self.items)).collect()
            }
        };
        let place = |number: usize| match self.place {
            SaltPlace::Hashed => shard_of(&format!("{key}#{number}")),
            SaltPlace::RoundRobin => (own + number) % shards,
        };
        parts.into_iter().enumerate().map(|(number, part)| (place(number), part)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spread(salt: &Salt, reads: f64) -> Vec<(usize, f64)> {
        salt.spread("k", 3, 10, reads, |text| (hash_name(text, 0) % 10) as usize)
    }

    /// Reads of a key with eight sub-keys cost eight times as much (ledger
    /// hs-salt-8).
    #[test]
    fn reads_of_random_salts_touch_every_sub_key() {
        let sum =
            |salt: &Salt, reads| spread(salt, reads).iter().map(|(_, part)| part).sum::<f64>();
        let salt = Salt::default();
        for (reads, expected) in [(0.0, 1.0), (1.0, 8.0), (0.25, 0.75 + 2.0)] {
            assert!((sum(&salt, reads) - expected).abs() < 1e-12);
        }
        let hashed = Salt { salts: Salts::Hashed, ..salt };
        assert!((sum(&hashed, 0.5) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn few_items_are_uneven() {
        let most = |items| {
            let salt = Salt { salts: Salts::Hashed, items, ..Salt::default() };
            spread(&salt, 0.0).iter().map(|(_, part)| *part).fold(0.0, f64::max)
        };
        assert_eq!(most(1), 1.0);
        assert!(most(1_000_000) < 0.126);
        assert!(most(20) > most(10_000));
    }

    /// On ten shards eight sub-keys meet: 5.70 different shards, and 2.39 of
    /// them on the fullest (ledger hs-salt-8).
    #[test]
    fn hashed_sub_keys_meet_on_shards() {
        let (mut different, mut fullest) = (0, 0);
        for key in 0..4000 {
            let mut counts = [0; 10];
            let shard_of = |text: &str| (hash_name(text, key) % 10) as usize;
            for (shard, _) in Salt::default().spread("k", 0, 10, 0.0, shard_of) {
                counts[shard] += 1;
            }
            different += counts.iter().filter(|count| **count > 0).count();
            fullest += counts.iter().max().unwrap();
        }
        let mean = |sum: usize| sum as f64 / 4000.0;
        assert!((mean(different) - 5.70).abs() < 0.05, "{}", mean(different));
        assert!((mean(fullest) - 2.39).abs() < 0.05, "{}", mean(fullest));
        let round = Salt { place: SaltPlace::RoundRobin, ..Salt::default() };
        let shards: Vec<usize> = spread(&round, 0.0).into_iter().map(|(shard, _)| shard).collect();
        assert_eq!(shards, [3, 4, 5, 6, 7, 8, 9, 0]);
    }
}
