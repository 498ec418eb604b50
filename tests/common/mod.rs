//! What tests and benches share.
// Each of them uses a part of it.
#![allow(dead_code, unreachable_pub)]

pub mod instances;
pub mod rebalances;
pub mod transcription;
pub mod vectors;
pub mod world;
