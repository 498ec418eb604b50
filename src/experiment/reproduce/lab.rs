//! Where the experiments are run: how many seeds, on which data, and what
//! several claims share.

use std::cell::OnceCell;

use rayon::prelude::*;

use super::claim::ExperimentError;
use super::claims::shared::Shared;
use crate::model::Snapshot;

/// The place of all experiments of one call.
///
/// Claims are measured one after another, each over its seeds in parallel, so
/// that what they share is computed once, by whichever asks first.
#[derive(Debug)]
pub struct Lab {
    quick: bool,
    snapshots: Vec<Snapshot>,
    shared: Shared,
}

impl Lab {
    /// A lab; `quick` takes fewer seeds, and `snapshots` are real ones.
    pub(super) fn new(quick: bool, snapshots: Vec<Snapshot>) -> Self {
        Self { quick, snapshots, shared: Shared::default() }
    }

    /// What several claims share.
    pub(super) fn shared(&self) -> &Shared {
        &self.shared
    }

    /// The real snapshots.
    pub(super) fn snapshots(&self) -> &[Snapshot] {
        &self.snapshots
    }

    /// The seeds of an experiment: 1, 2, ..., as many as the whole set has, or
    /// as few as will do.
    pub(super) fn seeds(&self, whole: u64, quick: u64) -> std::ops::RangeInclusive<u64> {
        1..=if self.quick { quick } else { whole }
    }

    /// Measures something under every seed, in parallel; in order of the seeds.
    pub(super) fn over<T: Send>(
        &self,
        seeds: std::ops::RangeInclusive<u64>,
        measure: impl Fn(u64) -> T + Send + Sync,
    ) -> Vec<T> {
        let seeds: Vec<u64> = seeds.collect();
        seeds.into_par_iter().map(measure).collect()
    }
}

/// Something that is computed when it is first asked for.
pub(super) type Once<T> = OnceCell<T>;

/// What was computed before, or is now.
///
/// # Errors
///
/// When it cannot be computed; the next who asks tries again.
pub(super) fn once<T>(
    cell: &Once<T>,
    compute: impl FnOnce() -> Result<T, ExperimentError>,
) -> Result<&T, ExperimentError> {
    if let Some(known) = cell.get() {
        return Ok(known);
    }
    let computed = compute()?;
    Ok(cell.get_or_init(|| computed))
}
