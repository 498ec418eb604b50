//! The ring of ringpop-go (uber/ringpop-go, `hashring`), point for point.

use serde::{Deserialize, Serialize};

use super::circle::{Circle, Point};
use super::ring::check_points;
use super::{Member, Placement};
use crate::hash::HashFunction;
use crate::model::{HostId, SettingError};

/// What a host is called on ringpop's ring.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RingpopIdentity {
    /// It has an identity of its own, its name: point i is that of
    /// `{identity}#{i}`.
    #[default]
    Label,
    /// Its identity is its address, its name: point i is that of `{address}{i}`,
    /// without anything between, so that points of ports with a common
    /// beginning may be the same (`:300` and 11 is `:3001` and 1).
    Address,
}

/// Settings of the `ringpop` placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RingpopSettings {
    /// Points on the ring for each host, from 1 to 100,000; ringpop-go has 100.
    pub replica_points: u32,
    /// What a host is called.
    pub identity: RingpopIdentity,
}

impl Default for RingpopSettings {
    fn default() -> Self {
        Self { replica_points: 100, identity: RingpopIdentity::default() }
    }
}

impl RingpopSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        check_points("replica_points", self.replica_points)
    }
}

/// Ringpop's ring: FarmHash Fingerprint32 of points and keys; points in order
/// of (hash, address as bytes, index); a key belongs to the first point at or
/// after it, and past the last point to the first. It has no weights.
#[derive(Clone, Debug)]
pub struct Ringpop {
    settings: RingpopSettings,
    hash_seed: u64,
    names: Vec<(HostId, String)>,
    circle: Circle,
}

impl Ringpop {
    /// A ring without hosts. It is ringpop-go's with the seed 0.
    pub fn new(settings: &RingpopSettings, hash_seed: u64) -> Self {
        Self { settings: settings.clone(), hash_seed, names: Vec::new(), circle: Circle::default() }
    }
}

impl Placement for Ringpop {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.names.retain(|(host, _)| !leaving.contains(host));
        self.names.extend(joining.iter().map(|member| (member.host, member.name.to_owned())));
        let between = match self.settings.identity {
            RingpopIdentity::Label => "#",
            RingpopIdentity::Address => "",
        };
        let (count, seed) = (self.settings.replica_points, self.hash_seed);
        let points = joining.iter().flat_map(|member| {
            (0..count).map(move |i| {
                let text = format!("{}{between}{i}", member.name);
                Point { hash: HashFunction::Farmhash.hash(&text, seed), host: member.host }
            })
        });
        let name = |host| {
            self.names.iter().find(|(id, _)| *id == host).map_or("", |(_, name)| name.as_str())
        };
        self.circle.change(leaving, points, |a, b| name(a).cmp(name(b)));
    }

    fn hash(&self, key: &str, seed: u64) -> u64 {
        HashFunction::Farmhash.hash(key, seed)
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        self.circle.owner(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::members;
    use super::*;

    fn ringpop(identity: RingpopIdentity, names: &[&str]) -> Ringpop {
        let settings = RingpopSettings { identity, ..RingpopSettings::default() };
        let mut ring = Ringpop::new(&settings, 0);
        ring.change(&[], &members(names));
        ring
    }

    #[test]
    fn points_of_both_formats() {
        let owns = |ring: &Ringpop, point: u64| {
            ring.circle.points().iter().any(|own| own.hash >> 32 == point)
        };
        // `127.0.0.1:2100` and 1.
        assert!(owns(&ringpop(RingpopIdentity::Address, &["127.0.0.1:2100"]), 0x7310_a89f));
        assert!(owns(&ringpop(RingpopIdentity::Label, &["127.0.0.1:3000"]), 0xe221_9a13));
        assert!(!owns(&ringpop(RingpopIdentity::Address, &["127.0.0.1:3000"]), 0xe221_9a13));
    }

    #[test]
    fn a_key_on_a_point_belongs_to_it() {
        let ring = ringpop(RingpopIdentity::Label, &["127.0.0.1:3000", "127.0.0.1:3001"]);
        let hash = ring.hash("127.0.0.1:3000#0", 0);
        assert_eq!(ring.owner(hash), Some(HostId(0)));
        let last = ring.circle.points().last().copied();
        let first = ring.circle.points().first().copied();
        assert_ne!(last, None);
        assert_eq!(ring.owner(u64::MAX), first.map(|point| point.host));
    }

    /// Ports 300 and 3001: points 10 to 19 of the one are 0 to 9 of the other.
    #[test]
    fn ports_with_a_common_beginning_share_points() {
        let shared = |identity| {
            let ring = ringpop(identity, &["10.0.0.1:300", "10.0.0.1:3001"]);
            ring.circle.points().windows(2).filter(|pair| pair[0].hash == pair[1].hash).count()
        };
        assert_eq!(shared(RingpopIdentity::Address), 10);
        assert_eq!(shared(RingpopIdentity::Label), 0);
        // The first address in order of bytes owns what is shared.
        let ring = ringpop(RingpopIdentity::Address, &["10.0.0.1:3001", "10.0.0.1:300"]);
        assert_eq!(ring.owner(ring.hash("10.0.0.1:30015", 0)), Some(HostId(1)));
    }
}
