//! Dense indices of shards and hosts.

/// A shard, by its position in the declaration order of the scenario or file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ShardId(pub u32);

/// A host, by its position in the declaration order of the scenario or file;
/// hosts that join later come after all that were there.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct HostId(pub u32);

impl ShardId {
    /// The position in dense arrays.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

impl HostId {
    /// The position in dense arrays.
    #[inline]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}
