//! The digest of a run.

use xxhash_rust::xxh64::Xxh64;

use super::{Action, EventClass};
use crate::model::SimTime;

/// xxh64 with seed 0 over the changes of state in their order, each as
/// little-endian fields of fixed width: the time in nanoseconds (u64), the
/// class (u8), a tag of the action (u8), indices of shards and hosts (u32 each,
/// all ones for nobody) and loads as the bits of their f64. Samples and probes
/// are not in it, so that observing changes nothing.
#[derive(Clone)]
pub struct Digest(Xxh64);

impl Default for Digest {
    fn default() -> Self {
        Self(Xxh64::new(0))
    }
}

impl Digest {
    /// The digest so far.
    pub fn value(&self) -> u64 {
        self.0.digest()
    }

    fn words<const N: usize>(&mut self, words: [u32; N]) {
        for word in words {
            self.0.update(&word.to_le_bytes());
        }
    }

    /// A load, as it stands in an event.
    pub(super) fn load(&mut self, shard: u32, load: f64) {
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&shard.to_le_bytes());
        bytes[4..].copy_from_slice(&load.to_bits().to_le_bytes());
        self.0.update(&bytes);
    }

    /// A change of state. The loads of a report follow one by one.
    pub(super) fn action(&mut self, time: SimTime, class: EventClass, action: Action) {
        const NOBODY: u32 = u32::MAX;
        let tag = match action {
            Action::Load { .. } => 0,
            Action::Join(_) => 1,
            Action::Leave(_) => 2,
            Action::Report { .. } => 3,
            Action::Move(_) => 4,
            Action::Served(_) => 5,
        };
        self.0.update(&time.0.to_le_bytes());
        self.0.update(&[class as u8, tag]);
        match action {
            Action::Load { shard, load } => self.load(shard.0, load),
            Action::Join(host) | Action::Leave(host) => self.words([host.0]),
            Action::Report { shards } => self.words([shards as u32]),
            Action::Move(m) => self.words([m.shard.0, m.from.map_or(NOBODY, |h| h.0), m.to.0]),
            Action::Served(shard) => self.words([shard.0]),
        }
    }
}

impl std::fmt::Debug for Digest {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Digest({:016x})", self.value())
    }
}
