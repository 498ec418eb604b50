//! A hash placement with named exceptions.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{
    Anchor, AnchorSettings, Jump, Maglev, MaglevSettings, Member, ModN, Placement, Rendezvous,
    RendezvousSettings, Ring, RingSettings, Slots, SlotsSettings,
};
use crate::model::{HostId, SettingError, check_name};

/// The placement of all keys without an exception, with default settings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum DirectoryBase {
    /// Consistent hashing on a ring.
    #[default]
    Ring,
    /// Hash modulo the number of hosts.
    ModN,
    /// Jump consistent hash.
    Jump,
    /// Rendezvous hashing.
    Rendezvous,
    /// Maglev hashing.
    Maglev,
    /// AnchorHash.
    Anchor,
    /// A slot map.
    Slots,
}

impl DirectoryBase {
    fn build(self, hash_seed: u64) -> Box<dyn Placement> {
        match self {
            Self::Ring => Box::new(Ring::new(&RingSettings::default(), hash_seed)),
            Self::ModN => Box::new(ModN::default()),
            Self::Jump => Box::new(Jump::default()),
            Self::Rendezvous => {
                Box::new(Rendezvous::new(&RendezvousSettings::default(), hash_seed))
            }
            Self::Maglev => Box::new(Maglev::new(&MaglevSettings::default(), hash_seed)),
            Self::Anchor => Box::new(Anchor::new(&AnchorSettings::default())),
            Self::Slots => Box::new(Slots::new(&SlotsSettings::default())),
        }
    }
}

/// Settings of the `directory` placement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct DirectorySettings {
    /// The placement of all keys without an exception.
    pub base: DirectoryBase,
    /// Hosts by the name of the shard or key.
    pub exceptions: BTreeMap<String, String>,
    /// Whether hosts that exceptions name own nothing else.
    pub dedicated: bool,
}

impl DirectorySettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        for (key, host) in &self.exceptions {
            for name in [key, host] {
                check_name(name).map_err(|rule| {
                    SettingError::new("exceptions", format!("names `{name}`, which {rule}"))
                })?;
            }
        }
        Ok(())
    }
}

/// Hashes for all, and a directory for a few. A key whose host is not there is
/// placed by its hash.
pub struct Directory {
    settings: DirectorySettings,
    base: Box<dyn Placement>,
    /// Hosts that exceptions name and that are there.
    named: BTreeMap<String, HostId>,
}

impl Directory {
    /// A placement without hosts.
    pub fn new(settings: &DirectorySettings, hash_seed: u64) -> Self {
        Self {
            settings: settings.clone(),
            base: settings.base.build(hash_seed),
            named: BTreeMap::new(),
        }
    }
}

impl Placement for Directory {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.named.retain(|_, host| !leaving.contains(host));
        let (named, others): (Vec<Member<'_>>, Vec<Member<'_>>) = joining
            .iter()
            .partition(|member| self.settings.exceptions.values().any(|host| host == member.name));
        self.named.extend(named.iter().map(|member| (member.name.to_owned(), member.host)));
        let joining = if self.settings.dedicated { &others } else { joining };
        self.base.change(leaving, joining);
    }

    fn hash(&self, key: &str, seed: u64) -> u64 {
        self.base.hash(key, seed)
    }

    /// Where all hosts are dedicated, the first of them by name owns what has
    /// no exception.
    fn owner(&self, hash: u64) -> Option<HostId> {
        self.base.owner(hash).or_else(|| self.named.values().next().copied())
    }

    fn exceptions(&self) -> Vec<(&str, HostId)> {
        self.settings
            .exceptions
            .iter()
            .filter_map(|(key, host)| Some((key.as_str(), *self.named.get(host)?)))
            .collect()
    }

    fn map_version(&self) -> Option<u64> {
        self.base.map_version()
    }
}

#[cfg(test)]
mod tests {
    use super::super::place_named;
    use super::super::testing::members;
    use super::*;

    fn directory(dedicated: bool) -> Directory {
        let exceptions = [("k7", "c"), ("k9", "gone")].map(|(key, host)| (key.into(), host.into()));
        let settings =
            DirectorySettings { exceptions: exceptions.into(), dedicated, ..Default::default() };
        let mut directory = Directory::new(&settings, 0);
        directory.change(&[], &members(&["a", "b", "c"]));
        directory
    }

    fn owners(directory: &Directory) -> Vec<Option<HostId>> {
        let hashes: Vec<u64> = (0..50).map(|i| directory.hash(&format!("k{i}"), 0)).collect();
        place_named(directory, &hashes, |i, name| name.push_str(&format!("k{i}")))
    }

    #[test]
    fn exceptions_stay_and_the_rest_is_hashed() {
        let mut ring = Ring::new(&RingSettings::default(), 0);
        ring.change(&[], &members(&["a", "b", "c"]));
        for (key, owner) in owners(&directory(false)).into_iter().enumerate() {
            let hashed = ring.owner(ring.hash(&format!("k{key}"), 0));
            assert_eq!(owner, if key == 7 { Some(HostId(2)) } else { hashed });
        }
    }

    #[test]
    fn a_dedicated_host_owns_its_key_alone() {
        let mut directory = directory(true);
        let on_c = |directory: &Directory| {
            let owners = owners(directory);
            (0..50).filter(|key| owners[*key] == Some(HostId(2))).collect::<Vec<_>>()
        };
        assert_eq!(on_c(&directory), [7]);
        // Nobody is left but the dedicated host, which then owns everything.
        directory.change(&[HostId(0), HostId(1)], &[]);
        assert_eq!(on_c(&directory).len(), 50);
        directory.change(&[HostId(2)], &members(&["a"]));
        assert!(owners(&directory).iter().all(|owner| *owner == Some(HostId(0))));
    }
}
