//! Sweeps: many points of a scenario under paired seeds, in parallel, without
//! losing work.

mod analysis;
mod identity;
mod journal;
mod lock;
mod points;
mod rows;
mod sobol;
mod unit;
mod work;

pub use analysis::{
    Analysis, Difference, FEW_SEEDS, FRONT, PolicySpreads, STATISTICS, statistics_columns, warnings,
};
pub use identity::{Identity, InputFile, Partition, hash, hex};
pub use journal::{Header, Journal, JournalError};
pub use lock::{Lock, LockError};
pub use points::Points;
pub use rows::{PointRows, metric, rows};
pub use unit::{LaneRow, Unit};
pub use work::{SweepError, Work};

use crate::scenario::Sweep;
