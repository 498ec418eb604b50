//! The slots of Redis Cluster (Redis Cluster specification, "Key distribution
//! model" and "Hash tags").

use serde::{Deserialize, Serialize};

use super::slot_map::slot_hosts;
use super::{Member, Placement, SlotLayout, SlotMap, SlotRebalance};
use crate::hash::{crc16, hash_tag};
use crate::model::{HostId, SettingError};

/// The number of slots of Redis Cluster.
pub const REDIS_SLOTS: u32 = 16_384;

/// The slot of a key, as `CLUSTER KEYSLOT` gives it: CRC16 (XMODEM) of its
/// hashed part modulo 16384.
pub fn redis_slot(key: &str) -> u32 {
    u32::from(crc16(hash_tag(key).as_bytes())) % REDIS_SLOTS
}

/// Settings of the `redis` placement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RedisSettings {
    /// Whether hosts own slots in proportion to their capacity, as with
    /// `redis-cli --cluster rebalance --cluster-weight`.
    pub weighted: bool,
}

impl RedisSettings {
    /// Whether the settings are usable: all are.
    pub fn check(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

/// Slots of Redis Cluster in one range for each host, rebalanced with the
/// fewest moves. The hash of a key is its slot, whatever the seed.
#[derive(Clone, Debug)]
pub struct Redis {
    weighted: bool,
    map: SlotMap,
}

impl Redis {
    /// A placement without hosts.
    pub fn new(settings: &RedisSettings) -> Self {
        let map = SlotMap::new(REDIS_SLOTS, SlotLayout::Contiguous);
        Self { weighted: settings.weighted, map }
    }
}

impl Placement for Redis {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.map.change(leaving, &slot_hosts(joining, self.weighted), SlotRebalance::Minimal);
    }

    fn hash(&self, key: &str, _seed: u64) -> u64 {
        u64::from(redis_slot(key))
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        self.map.owner((hash % u64::from(REDIS_SLOTS)) as u32)
    }

    fn map_version(&self) -> Option<u64> {
        Some(self.map.version())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of `CLUSTER KEYSLOT` from the documentation of Redis and the
    /// ledger (hs-redis, hs-hashtag-rule).
    #[test]
    fn key_slots() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
        for (key, slot) in [
            ("123456789", 0x31c3),
            ("somekey", 11_058),
            ("foo{hash_tag}", 2515),
            ("{user1000}.cart", 3443),
            ("{user1000}.profile", 3443),
            ("user1000", 3443),
            ("foo{}{bar}", 8363),
            ("bar", 5061),
            ("foo{{bar}}zap", redis_slot("{bar")),
            ("foo{bar}{zap}", 5061),
            ("foo", 12_182),
            ("", 0),
        ] {
            assert_eq!(redis_slot(key), slot, "{key}");
        }
    }
}
