//! Load over time: what each shard truly carries, and how a measurement of it
//! differs.
//!
//! The true load of a shard is piecewise constant. A [`Workload`] gives the
//! loads at the start and then changes of single shards at later instants.

mod draw;
mod keys;
mod noise;
mod poisson;
mod quantile;
mod trace;
mod uniform;
mod zipf;

use std::sync::Arc;

pub use draw::Draw;
pub use keys::{Keys, KeysSettings, Normalise, Salt, SaltPlace, Salts};
pub use noise::{LognormalNoise, NoNoise, Noise, NoiseModel, PoissonNoise};
pub use poisson::poisson_quantile;
pub use quantile::normal_quantile;
pub use trace::{Absent, Trace, TraceSettings, Window};
pub use uniform::{Uniform, UniformSettings};
pub use zipf::{Ranks, Zipf, ZipfSettings, zipf_weights};

use crate::model::{ShardId, SimDuration, SimTime};

/// Loads over time, for any seed.
pub trait Workload: Send + Sync {
    /// The names of the shards, in declaration order.
    fn shards(&self) -> Arc<[String]>;

    /// The loads under a seed.
    fn start(&self, seed: u64) -> Box<dyn LoadCursor + '_>;

    /// How long the workload lasts, for those that end.
    fn extent(&self) -> Option<SimDuration> {
        None
    }
}

/// The loads of one lane, read forwards in time.
pub trait LoadCursor: Send {
    /// The load of each shard at the start, in units a second.
    fn initial(&mut self) -> Vec<f64>;

    /// When the next change is; later than all that were read.
    fn next_change(&self) -> Option<SimTime> {
        None
    }

    /// Reads the next change: shards with their new loads, in declaration
    /// order of the shards.
    fn read_change(&mut self, _changes: &mut Vec<(ShardId, f64)>) {}
}

/// Loads that never change.
pub(crate) struct Constant(pub(crate) Vec<f64>);

impl LoadCursor for Constant {
    fn initial(&mut self) -> Vec<f64> {
        std::mem::take(&mut self.0)
    }
}

/// Names `shard-0`, `shard-1`, ... for workloads that make their shards up.
fn numbered_shards(count: u32) -> Arc<[String]> {
    (0..count).map(|index| format!("shard-{index}")).collect()
}
