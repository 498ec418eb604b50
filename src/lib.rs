//! Evenkeel: a deterministic discrete-event simulator and research bench for
//! shard placement.

pub mod balancer;
pub mod experiment;
pub mod metrics;
pub mod model;
pub mod optimum;
pub mod placement;
pub mod policy;
pub mod random;
pub mod report;
pub mod scenario;
pub mod sim;
pub mod workload;
