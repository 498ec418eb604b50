//! Hash modulo the number of hosts.

use serde::{Deserialize, Serialize};

use super::{Buckets, Member, Placement};
use crate::model::{HostId, SettingError};

/// Settings of the `mod-n` placement: it has none.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModNSettings {}

impl ModNSettings {
    /// Whether the settings are usable: there are none.
    pub fn check(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

/// Bucket = hash mod n. Even, stateless, and from n to n + 1 hosts it moves
/// n / (n + 1) of the shards.
#[derive(Clone, Debug, Default)]
pub struct ModN {
    buckets: Buckets,
}

impl Placement for ModN {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.buckets.change(leaving, joining);
    }

    fn owner(&self, hash: u64) -> Option<HostId> {
        let number = hash.checked_rem(self.buckets.len() as u64)?;
        self.buckets.host(number as usize)
    }
}
