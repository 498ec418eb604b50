//! A fixed number of logical slots, and a map from slots to hosts.

use serde::{Deserialize, Serialize};

use super::slot_map::slot_hosts;
use super::{Member, Placement, SlotLayout, SlotMap, SlotRebalance};
use crate::model::{HostId, SettingError};

/// Settings of the `slots` placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct SlotsSettings {
    /// Number of slots, from 1 to 16,777,216; it never changes.
    pub slots: u32,
    /// Where slots lie at first.
    pub layout: SlotLayout,
    /// Which slots move when hosts come or go.
    pub rebalance: SlotRebalance,
    /// Whether hosts own slots in proportion to their capacity.
    pub weighted: bool,
}

impl Default for SlotsSettings {
    fn default() -> Self {
        Self {
            slots: 1024,
            layout: SlotLayout::default(),
            rebalance: SlotRebalance::default(),
            weighted: false,
        }
    }
}

impl SlotsSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        if !(1..=1 << 24).contains(&self.slots) {
            let message = format!("must be from 1 to {}, not {}", 1 << 24, self.slots);
            return Err(SettingError::new("slots", message));
        }
        if self.weighted && !self.rebalance.has_weights() {
            let message = "has no use with `rebalance = \"listing\"`, which knows no weights";
            return Err(SettingError::new("weighted", message));
        }
        Ok(())
    }
}

/// Slot = hash mod the number of slots, and a [`SlotMap`].
#[derive(Clone, Debug)]
pub struct Slots {
    rebalance: SlotRebalance,
    weighted: bool,
    map: SlotMap,
}

impl Slots {
    /// A placement without hosts.
    pub fn new(settings: &SlotsSettings) -> Self {
        Self {
            rebalance: settings.rebalance,
            weighted: settings.weighted,
            map: SlotMap::new(settings.slots, settings.layout),
        }
    }

    /// The map.
    pub fn map(&self) -> &SlotMap {
        &self.map
    }
}

impl Placement for Slots {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.map.change(leaving, &slot_hosts(joining, self.weighted), self.rebalance);
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        let slots = u64::from(self.map.slots());
        // The usual numbers of slots need no division.
        let slot = if slots.is_power_of_two() { hash & (slots - 1) } else { hash % slots };
        self.map.owner(slot as u32)
    }

    fn map_version(&self) -> Option<u64> {
        Some(self.map.version())
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{members, probes};
    use super::*;

    #[test]
    fn a_slot_is_the_hash_modulo_their_number() {
        for slots in [1, 7, 64, 1000] {
            let settings = SlotsSettings { slots, ..Default::default() };
            let mut placement = Slots::new(&settings);
            assert_eq!(placement.owner(1), None);
            placement.change(&[], &members(&["a", "b", "c"]));
            for hash in probes(500) {
                let slot = (hash % u64::from(slots)) as u32;
                assert_eq!(placement.owner(hash), placement.map().owner(slot));
            }
        }
    }

    #[test]
    fn settings_that_contradict_each_other_are_refused() {
        let listing = SlotsSettings {
            rebalance: SlotRebalance::Listing,
            weighted: true,
            ..Default::default()
        };
        assert_eq!(listing.check().unwrap_err().key, "weighted");
        assert!(SlotsSettings { slots: 0, ..Default::default() }.check().is_err());
    }
}
