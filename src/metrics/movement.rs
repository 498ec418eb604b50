//! What a policy has moved.

use crate::model::{HostId, ShardId};

/// The entry of a list that grows as needed.
fn entry<T: Clone + Default>(list: &mut Vec<T>, index: usize) -> &mut T {
    if list.len() <= index {
        list.resize(index + 1, T::default());
    }
    &mut list[index]
}

/// Counts of moves. Placing a shard that never had an owner is not a move.
#[derive(Clone, Debug, Default)]
pub struct Movement {
    /// Number of moves.
    pub moves: u64,
    /// Sum of the moved shards' true loads at the time of their moves, in
    /// units a second.
    pub moved_load: f64,
    by_shard: Vec<u32>,
    by_host: Vec<(u64, u64)>,
}

impl Movement {
    /// Counts one move.
    pub fn record(&mut self, shard: ShardId, from: HostId, to: HostId, load: f64) {
        self.moves += 1;
        self.moved_load += load;
        *entry(&mut self.by_shard, shard.index()) += 1;
        entry(&mut self.by_host, from.index()).1 += 1;
        entry(&mut self.by_host, to.index()).0 += 1;
    }

    /// The most moves of any one shard.
    pub fn most_of_a_shard(&self) -> u32 {
        self.by_shard.iter().copied().max().unwrap_or(0)
    }

    /// How many shards a host received and gave away.
    pub fn in_and_out(&self, host: HostId) -> (u64, u64) {
        self.by_host.get(host.index()).copied().unwrap_or((0, 0))
    }
}
