//! Balancers: policies that observe load and move shards at passes.
//!
//! Both follow the reference, Cadence Shard Manager
//! (<https://github.com/cadence-workflow/cadence>), exactly; `tests/parity.rs`
//! holds them to its answers. They compare raw loads and ignore capacity, as
//! the reference does.
//!
//! - [`greedy`]: smooths the reported loads and moves, within a budget, the
//!   shards that lower the sum of squares most from hosts above one band to
//!   the least loaded host below another;
//! - [`naive`]: moves at most one shard a pass, from the hottest host to the
//!   coldest, on the last raw reports.

pub mod greedy;
pub mod naive;
mod smoothing;
mod start;

pub use smoothing::{Smoothing, SmoothingError, smooth};
pub use start::Start;

use crate::model::{Assignment, Host, HostId};

/// Nothing can be placed: no host is active.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no host is active, so nothing can be placed")]
pub struct NoActiveHost;

/// Whether a host is one of the "executors" of the reference: it is active or
/// draining, or it still owns a shard. A host that is down, drained or missing
/// and owns nothing is no part of the assignment and must not lower the mean.
fn takes_part(host: HostId, hosts: &[Host], assignment: &Assignment) -> bool {
    hosts[host.index()].status.is_live() || !assignment.shards_of(host).is_empty()
}
