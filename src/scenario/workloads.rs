//! The registries of workloads and of noise: one line a kind.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use super::kinds::kinds;
use crate::model::InputError;
use crate::workload::{
    Keys, KeysSettings, LognormalNoise, NoNoise, NoiseModel, PoissonNoise, Trace, TraceSettings,
    Uniform, UniformSettings, Workload, Zipf, ZipfSettings,
};

kinds! {
    /// The settings of a workload, by its kind.
    WorkloadSettings {
        /// Loads after Zipf's law.
        "zipf" => Zipf(ZipfSettings),
        /// Loads around one mean.
        "uniform" => Uniform(UniformSettings),
        /// Keys that fold into shards by hash.
        "keys" => Keys(KeysSettings),
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
            Self::Keys(settings) => Arc::new(Keys::read(settings.clone(), directory)?),
            Self::Trace(settings) => {
                Arc::new(Trace::read(&directory.join(&settings.path), settings)?)
            }
        })
    }

    /// The file that the workload is read from, if it is.
    pub fn path(&self) -> Option<&PathBuf> {
        match self {
            Self::Trace(settings) => Some(&settings.path),
            Self::Keys(settings) => settings.path.as_ref(),
            Self::Zipf(_) | Self::Uniform(_) => None,
        }
    }
}

/// Workloads that were built before, so that the points of a sweep share them: a
/// trace is read once. Keeps the few that were used last.
#[derive(Default)]
pub(super) struct Workloads {
    built: Mutex<Vec<(WorkloadSettings, Arc<dyn Workload>)>>,
}

impl Workloads {
    const KEPT: usize = 16;

    /// The workload with these settings. Paths are relative to `directory`, the
    /// same in all calls.
    pub(super) fn get(
        &self,
        settings: &WorkloadSettings,
        directory: &Path,
    ) -> Result<Arc<dyn Workload>, InputError> {
        // Whoever panicked left a whole list.
        let lock = || self.built.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lock().iter().find(|(known, _)| known == settings).map(|(_, w)| Arc::clone(w));
        if let Some(workload) = known {
            return Ok(workload);
        }
        let workload = settings.build(directory)?;
        let mut built = lock();
        if built.len() == Self::KEPT {
            built.remove(0);
        }
        built.push((settings.clone(), Arc::clone(&workload)));
        Ok(workload)
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
