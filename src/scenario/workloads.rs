//! The registries of workloads and of noise: one line a kind.

use std::path::Path;
use std::sync::Arc;

use super::kinds::kinds;
use crate::model::InputError;
use crate::workload::{
    LognormalNoise, NoNoise, NoiseModel, PoissonNoise, Trace, TraceSettings, Uniform,
    UniformSettings, Workload, Zipf, ZipfSettings,
};

kinds! {
    /// The settings of a workload, by its kind.
    WorkloadSettings {
        /// Loads after Zipf's law.
        "zipf" => Zipf(ZipfSettings),
        /// Loads around one mean.
        "uniform" => Uniform(UniformSettings),
        /// Loads from a file.
        "trace" => Trace(TraceSettings),
    }
}

impl WorkloadSettings {
    /// The workload with these settings; paths are relative to `directory`.
    pub fn build(&self, directory: &Path) -> Result<Arc<dyn Workload>, InputError> {
        Ok(match self {
            Self::Zipf(settings) => Arc::new(Zipf::new(settings.clone())),
            Self::Uniform(settings) => Arc::new(Uniform::new(settings.clone())),
            Self::Trace(settings) => {
                Arc::new(Trace::read(&directory.join(&settings.path), settings)?)
            }
        })
    }
}

kinds! {
    /// The settings of measurement noise, by its kind.
    NoiseSettings {
        /// None.
        "none" => None(NoNoise),
        /// Counted events.
        "poisson" => Poisson(PoissonNoise),
        /// A factor.
        "lognormal" => Lognormal(LognormalNoise),
    }
}

impl NoiseSettings {
    /// The noise with these settings.
    pub fn model(&self) -> NoiseModel {
        match self {
            Self::None(_) => NoiseModel::None,
            Self::Poisson(settings) => NoiseModel::Poisson(settings.clone()),
            Self::Lognormal(settings) => NoiseModel::Lognormal(settings.clone()),
        }
    }
}
