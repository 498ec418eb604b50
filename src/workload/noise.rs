//! Measurement noise: how the load that a host measures in a heartbeat period
//! differs from the true one.
//!
//! Time is cut into cells of one heartbeat period, aligned at 0. Shard s in
//! cell k uses the number at position s of the noise stream k of the seed,
//! whichever host measures it, so that all policies see the same noise.

use serde::{Deserialize, Serialize};

use super::{normal_quantile, poisson};
use crate::model::{SettingError, SimDuration};
use crate::random::{Purpose, Stream};

/// Measured as it is; it has no settings.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoNoise {}

/// A Poisson number of events in each cell.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct PoissonNoise {
    /// The load that one event carries, in units; the default is 1.
    pub unit: f64,
}

impl Default for PoissonNoise {
    fn default() -> Self {
        Self { unit: 1.0 }
    }
}

/// The load times a lognormal factor with mean 1.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct LognormalNoise {
    /// Standard deviation of the factor's logarithm, at most 5: there the
    /// median measurement is 4e-6 of the load, and no run sees the mean.
    pub sigma: f64,
}

impl NoNoise {
    /// Whether the settings are usable: there are none.
    pub fn check(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

impl PoissonNoise {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        SettingError::require_capacity("unit", self.unit)
    }
}

impl LognormalNoise {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        if (0.0..=5.0).contains(&self.sigma) {
            return Ok(());
        }
        Err(SettingError::new("sigma", format!("must be from 0 to 5, not {}", self.sigma)))
    }
}

/// How measured loads differ from true ones.
#[derive(Clone, Debug, PartialEq)]
pub enum NoiseModel {
    /// Not at all.
    None,
    /// By counting events.
    Poisson(PoissonNoise),
    /// By a factor.
    Lognormal(LognormalNoise),
}

/// The noise of one lane.
#[derive(Debug)]
pub struct Noise {
    model: NoiseModel,
    period: f64,
    stream: Stream,
    /// For each shard the last mean count and its exp(-mean), since loads
    /// rarely change from one cell to the next.
    none: Vec<(f64, f64)>,
}

impl Noise {
    /// Noise for cells of `period`.
    pub fn new(model: NoiseModel, seed: u64, period: SimDuration) -> Self {
        let stream = Stream::new(seed, Purpose::Noise, 0);
        Self { model, period: period.as_secs_f64(), stream, none: Vec::new() }
    }

    /// Turns the true mean loads of a cell, by shard, into measured ones.
    pub fn measure(&mut self, cell: u64, loads: &mut [f64]) {
        match self.model {
            NoiseModel::None => {}
            NoiseModel::Poisson(PoissonNoise { unit }) => {
                self.stream.rewind_to(cell);
                self.none.resize(loads.len(), (0.0, 1.0));
                let per_load = self.period / unit;
                let per_count = unit / self.period;
                for (load, cached) in loads.iter_mut().zip(&mut self.none) {
                    let u = self.stream.next_uniform();
                    let mean = *load * per_load;
                    let count = if mean < poisson::EXACT_BELOW {
                        if cached.0 != mean {
                            *cached = (mean, libm::exp(-mean));
                        }
                        poisson::by_summation(mean, cached.1, u)
                    } else {
                        poisson::by_expansion(mean, u)
                    };
                    *load = count * per_count;
                }
            }
            NoiseModel::Lognormal(LognormalNoise { sigma }) => {
                self.stream.rewind_to(cell);
                for load in loads {
                    let z = normal_quantile(self.stream.next_uniform());
                    *load *= libm::exp(sigma * z - 0.5 * sigma * sigma);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn measure(settings: NoiseModel, cell: u64, loads: &[f64]) -> Vec<f64> {
        let mut loads = loads.to_vec();
        Noise::new(settings, 1, SimDuration::from_secs(10)).measure(cell, &mut loads);
        loads
    }

    #[test]
    fn a_shard_sees_the_same_noise_whatever_the_others_do() {
        for settings in [
            NoiseModel::Poisson(PoissonNoise { unit: 1.0 }),
            NoiseModel::Lognormal(LognormalNoise { sigma: 0.5 }),
        ] {
            let few = measure(settings.clone(), 3, &[1.0, 50.0]);
            let many = measure(settings.clone(), 3, &[2.0, 50.0, 7.0]);
            assert_eq!(few[1], many[1]);
            assert_ne!(few, measure(settings, 4, &[1.0, 50.0]));
        }
        assert_eq!(measure(NoiseModel::None, 3, &[1.5]), [1.5]);
    }

    #[test]
    fn noise_keeps_the_mean() {
        let loads = vec![3.0; 20_000];
        for settings in [
            NoiseModel::Poisson(PoissonNoise { unit: 2.0 }),
            NoiseModel::Lognormal(LognormalNoise { sigma: 0.5 }),
        ] {
            let measured = measure(settings.clone(), 0, &loads);
            let mean = measured.iter().sum::<f64>() / loads.len() as f64;
            assert!((mean / 3.0 - 1.0).abs() < 0.02, "{settings:?}: {mean}");
        }
        assert_eq!(measure(NoiseModel::Poisson(PoissonNoise { unit: 1.0 }), 0, &[0.0]), [0.0]);
    }
}
