//! Jump consistent hash (Lamping and Veach 2014, "A Fast, Minimal Memory,
//! Consistent Hash Algorithm").

use serde::{Deserialize, Serialize};

use super::{Buckets, Member, Placement};
use crate::model::{HostId, SettingError};

/// Settings of the `jump` placement: it has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct JumpSettings {}

impl JumpSettings {
    /// Whether the settings are usable: there are none.
    pub fn check(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

/// The bucket of a key among `buckets` buckets; `None` without buckets.
/// Expected time O(ln buckets). The step is the paper's: a division of
/// doubles, which an integer division does not equal near 2^31 buckets.
#[inline]
pub fn jump_hash(mut key: u64, buckets: u32) -> Option<u32> {
    // Lamping and Veach, figure 1: the multiplier of the key's own generator.
    const MULTIPLIER: u64 = 2_862_933_555_777_941_757;
    if buckets == 0 {
        return None;
    }
    let mut bucket = 0;
    let mut next: i64 = 0;
    while next < i64::from(buckets) {
        bucket = next;
        key = key.wrapping_mul(MULTIPLIER).wrapping_add(1);
        let scale = (1u64 << 31) as f64 / ((key >> 33) + 1) as f64;
        next = ((bucket + 1) as f64 * scale) as i64;
    }
    Some(bucket as u32)
}

/// Jump hash over hosts. A host that joins takes 1 / (n + 1) of the shards.
/// The paper allows the last bucket alone to go: when another host leaves, the
/// last one takes over its bucket and gives up its own, so that about 2 / n
/// of the shards move instead of 1 / n.
#[derive(Clone, Debug, Default)]
pub struct Jump {
    buckets: Buckets,
}

impl Placement for Jump {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.buckets.change(leaving, joining);
    }

    fn owner(&self, hash: u64) -> Option<HostId> {
        let number = jump_hash(hash, self.buckets.len() as u32)?;
        self.buckets.host(number as usize)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of the published algorithm.
    #[test]
    fn known_buckets() {
        for (key, buckets, bucket) in [
            (0, 1, 0),
            (0, 7, 0),
            (10_000, 10, 6),
            (10_000, 20, 18),
            (2_996_833_280_945_013_628, 2_147_483_647, 2_033_053_698),
        ] {
            assert_eq!(jump_hash(key, buckets), Some(bucket), "key {key}, {buckets} buckets");
        }
        assert_eq!(jump_hash(1, 0), None);
    }

    /// Keys 0 to 9999 from 10 to 20 buckets: exactly half move, and only to
    /// the new buckets.
    #[test]
    fn doubling_moves_half_of_the_keys_to_new_buckets() {
        let moved: Vec<u32> = (0..10_000)
            .filter_map(|key| {
                let (before, after) = (jump_hash(key, 10)?, jump_hash(key, 20)?);
                (before != after).then_some(after)
            })
            .collect();
        assert_eq!(moved.len(), 5000);
        assert!(moved.iter().all(|bucket| *bucket >= 10));
    }
}
