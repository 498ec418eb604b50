//! What the parity test, the differential test and the planner's bench share.
// Each of them uses a part of it.
#![allow(dead_code, unreachable_pub)]

pub mod transcription;
pub mod vectors;
pub mod world;
