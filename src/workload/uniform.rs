//! Loads without a favourite.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::zipf::{check_shards, default_total_load};
use super::{Constant, LoadCursor, Workload, numbered_shards};
use crate::model::SettingError;
use crate::random::{Purpose, Stream};

/// Settings of the `uniform` workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct UniformSettings {
    /// Number of shards, from 1 to 10 million.
    pub shards: u32,
    /// Expected sum of all loads, in units a second.
    #[serde(default = "default_total_load")]
    pub total_load: f64,
    /// From 0 to 1: each load is drawn uniformly within this share of the mean
    /// on either side. 0 makes all shards equal.
    #[serde(default)]
    pub spread: f64,
}

impl UniformSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        check_shards(self.shards)?;
        SettingError::require_load("total_load", self.total_load)?;
        if (0.0..=1.0).contains(&self.spread) {
            return Ok(());
        }
        Err(SettingError::new("spread", format!("must be from 0 to 1, not {}", self.spread)))
    }
}

/// Constant loads, each uniform around the mean.
#[derive(Clone, Debug)]
pub struct Uniform {
    settings: UniformSettings,
    shards: Arc<[String]>,
}

impl Uniform {
    /// A workload with shards named `shard-0`, `shard-1`, ...
    pub fn new(settings: UniformSettings) -> Self {
        let shards = numbered_shards(settings.shards);
        Self { settings, shards }
    }
}

impl Workload for Uniform {
    fn shards(&self) -> Arc<[String]> {
        Arc::clone(&self.shards)
    }

    fn start(&self, seed: u64) -> Box<dyn LoadCursor + '_> {
        let mean = self.settings.total_load / self.shards.len() as f64;
        let mut stream = Stream::new(seed, Purpose::Loads, 0);
        let mut load = || mean * (1.0 + self.settings.spread * (2.0 * stream.next_uniform() - 1.0));
        Box::new(Constant(self.shards.iter().map(|_| load()).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loads_stay_within_the_spread() {
        let settings = |spread| UniformSettings { shards: 1000, total_load: 2000.0, spread };
        let equal = Uniform::new(settings(0.0)).start(1).initial();
        assert!(equal.iter().all(|load| *load == 2.0));
        let spread = Uniform::new(settings(0.5)).start(1).initial();
        assert!(spread.iter().all(|load| (1.0..=3.0).contains(load)));
        assert!((spread.iter().sum::<f64>() / 2000.0 - 1.0).abs() < 0.03);
    }
}
