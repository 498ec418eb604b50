//! The digest of a run.

use xxhash_rust::xxh64::Xxh64;

use super::{Action, EventClass};
use crate::model::{Assignment, ShardId, SimTime};

/// xxh64 with seed 0 over the loads and owners at the start, and then over the
/// changes of state in their order, each as little-endian fields of fixed
/// width: the time in nanoseconds (u64), the class (u8), a tag of the action
/// (u8), indices of shards and hosts (u32 each, all ones for nobody) and loads
/// as the bits of their f64. Samples and probes are not in it, so that observing
/// changes nothing.
#[derive(Clone)]
pub struct Digest {
    hash: Xxh64,
    buffer: Vec<u8>,
}

/// Stands for no host.
const NOBODY: u32 = u32::MAX;

impl Default for Digest {
    fn default() -> Self {
        Self { hash: Xxh64::new(0), buffer: Vec::new() }
    }
}

impl Digest {
    /// The digest so far.
    pub fn value(&self) -> u64 {
        self.hash.digest()
    }

    fn words<const N: usize>(&mut self, words: [u32; N]) {
        for word in words {
            self.hash.update(&word.to_le_bytes());
        }
    }

    /// What a run starts from: the load and the owner of each shard.
    pub(super) fn start(&mut self, loads: &[f64], assignment: &Assignment) {
        let shards: Vec<ShardId> = (0..loads.len() as u32).map(ShardId).collect();
        self.report(&shards, loads);
        for shard in shards {
            self.words([assignment.owner(shard).map_or(NOBODY, |host| host.0)]);
        }
    }

    /// The loads of a report, each after its shard. They are put together first,
    /// since the hash is fast on long runs of bytes only.
    pub(super) fn report(&mut self, shards: &[ShardId], loads: &[f64]) {
        self.buffer.clear();
        for (shard, load) in shards.iter().zip(loads) {
            self.buffer.extend_from_slice(&shard.0.to_le_bytes());
            self.buffer.extend_from_slice(&load.to_bits().to_le_bytes());
        }
        self.hash.update(&self.buffer);
    }

    /// A change of state. The loads of a report follow one by one.
    pub(super) fn action(&mut self, time: SimTime, class: EventClass, action: Action) {
        let tag = match action {
            Action::Load { .. } => 0,
            Action::Join(_) => 1,
            Action::Leave(_) => 2,
            Action::Report { .. } => 3,
            Action::Move(_) => 4,
            Action::Served(_) => 5,
        };
        self.hash.update(&time.0.to_le_bytes());
        self.hash.update(&[class as u8, tag]);
        match action {
            Action::Load { shard, load } => self.report(&[shard], &[load]),
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
