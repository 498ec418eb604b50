//! Evenkeel: a deterministic discrete-event simulator and research bench for
//! shard placement.

pub mod model;
pub mod policy;
