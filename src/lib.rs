//! Evenkeel: a deterministic discrete-event simulator and research bench for
//! shard placement.

pub mod metrics;
pub mod model;
pub mod placement;
pub mod policy;
pub mod random;
pub mod sim;
pub mod workload;
