//! What several claims share, computed once.

use super::super::lab::Once;
use super::fleet::FleetSizes;
use super::hashing::MovedKeys;
use super::skew::HashedAdvertisers;
use super::snapshots::Batch;

/// The shared experiments; each is empty until a claim asks for it.
#[derive(Debug, Default)]
pub(in super::super) struct Shared {
    /// Hashed random keys.
    pub(super) moved_keys: Once<Vec<MovedKeys>>,
    /// Hashed advertisers.
    pub(super) hashed: Once<HashedAdvertisers>,
    /// Batches of 24 snapshots on 20 hosts, and on 10.
    pub(super) on_twenty: Once<Vec<Batch>>,
    pub(super) on_ten: Once<Vec<Batch>>,
    /// The smallest fleets.
    pub(super) fleets: Once<Vec<FleetSizes>>,
}
