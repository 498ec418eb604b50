//! Units of work: one point under one seed, with all its policies.

use crate::experiment::{Lane, Summary};

/// What is kept of a lane.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneRow {
    /// The columns of its summary, in the order of [`Summary::METRICS`]; NaN for
    /// what does not apply.
    pub values: [f64; Summary::METRICS.len()],
    /// Its digest.
    pub digest: u64,
}

impl From<&Lane> for LaneRow {
    fn from(lane: &Lane) -> Self {
        Self { values: lane.summary.values(), digest: lane.digest }
    }
}

/// A finished unit.
#[derive(Clone, Debug, PartialEq)]
pub struct Unit {
    /// point x seeds + seed, all counted from 0.
    pub index: u64,
    /// One lane for each policy, in order.
    pub lanes: Vec<LaneRow>,
}
