//! Consistent hashing on a ring of virtual nodes (Karger et al. 1997,
//! "Consistent Hashing and Random Trees").

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use super::circle::{Circle, Point};
use super::{Member, Placement};
use crate::hash::HashFunction;
use crate::model::{HostId, SettingError};

/// What the points of a host are hashed from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RingIdentity {
    /// Its name: a host with another name has other points.
    #[default]
    Name,
    /// The number of the place it fills, from 0. A host that replaces another
    /// one fills the same place and has the same points.
    Place,
}

/// Whether points last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum RingTokens {
    /// A host keeps its points.
    #[default]
    Stable,
    /// Every change of membership draws all points anew: a mistake that this
    /// setting exists to show.
    Regenerated,
}

/// Settings of the `ring` placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RingSettings {
    /// Points on the ring for each host, from 1 to 100,000. The default of 100
    /// is ringpop-go's number of replica points.
    pub virtual_nodes: u32,
    /// The hash function of points and keys.
    pub hash: HashFunction,
    /// What the points of a host are hashed from.
    pub identity: RingIdentity,
    /// Whether points last.
    pub tokens: RingTokens,
    /// Whether a host has points in proportion to its capacity.
    pub weighted: bool,
    /// The capacity, in units a second, of a host with `virtual_nodes` points.
    pub weight_unit: f64,
}

impl Default for RingSettings {
    fn default() -> Self {
        Self {
            virtual_nodes: 100,
            hash: HashFunction::default(),
            identity: RingIdentity::default(),
            tokens: RingTokens::default(),
            weighted: false,
            weight_unit: 1.0,
        }
    }
}

impl RingSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        check_points("virtual_nodes", self.virtual_nodes)?;
        SettingError::require_capacity("weight_unit", self.weight_unit)
    }

    /// The number of points of a host: `virtual_nodes`, or that times weight /
    /// `weight_unit`, rounded, and at least 1. It depends on no other host:
    /// were it a share of all weights, a host that joins would take points from
    /// the others, and keys would move between these.
    pub fn points_of(&self, weight: f64) -> u32 {
        if !self.weighted {
            return self.virtual_nodes;
        }
        let points = (f64::from(self.virtual_nodes) * (weight / self.weight_unit)).round();
        // Beyond the range of u32 the conversion saturates.
        (points as u32).max(1)
    }
}

/// Whether a number of points for a host is usable.
pub(super) fn check_points(key: &'static str, points: u32) -> Result<(), SettingError> {
    if (1..=100_000).contains(&points) {
        return Ok(());
    }
    Err(SettingError::new(key, format!("must be from 1 to 100000, not {points}")))
}

/// A ring. Point i of a host is the hash of `{name}#{i}`; a hash belongs to
/// the first point at or after it, and past the last point to the first.
/// Points with equal hashes are ordered by host name and i.
///
/// A lookup takes constant expected time.
#[derive(Clone, Debug)]
pub struct Ring {
    settings: RingSettings,
    hash_seed: u64,
    /// Places, some of which may be empty.
    hosts: Vec<Option<RingHost>>,
    circle: Circle,
    /// Changes of membership so far, if they matter.
    generation: u64,
}

#[derive(Clone, Debug)]
struct RingHost {
    host: HostId,
    name: String,
    weight: f64,
}

impl Ring {
    /// A ring without hosts.
    pub fn new(settings: &RingSettings, hash_seed: u64) -> Self {
        Self {
            settings: settings.clone(),
            hash_seed,
            hosts: Vec::new(),
            circle: Circle::default(),
            generation: 0,
        }
    }

    /// A ring whose points are given, not hashed from names: for rings that are
    /// drawn by hand. Points at one position stay in the order given.
    pub fn from_points(points: impl IntoIterator<Item = (u64, HostId)>) -> Self {
        let mut ring = Self::new(&RingSettings::default(), 0);
        let points = points.into_iter().map(|(hash, host)| Point { hash, host });
        ring.circle.change(&[], points, |_, _| Ordering::Equal);
        ring
    }

    pub(super) fn circle(&self) -> &Circle {
        &self.circle
    }

    fn points(&self, place: usize, of: &RingHost) -> Vec<Point> {
        let identity = match self.settings.identity {
            RingIdentity::Name => of.name.clone(),
            RingIdentity::Place => place.to_string(),
        };
        let end = match self.generation {
            0 => String::new(),
            generation => format!("@{generation}"),
        };
        let hash = |i| self.settings.hash.hash(&format!("{identity}#{i}{end}"), self.hash_seed);
        let count = self.settings.points_of(of.weight);
        (0..count).map(|i| Point { hash: hash(i), host: of.host }).collect()
    }
}

impl Placement for Ring {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        for place in &mut self.hosts {
            if place.as_ref().is_some_and(|of| leaving.contains(&of.host)) {
                *place = None;
            }
        }
        let mut filled = Vec::with_capacity(joining.len());
        let mut free = 0;
        for member in joining {
            while self.hosts.get(free).is_some_and(Option::is_some) {
                free += 1;
            }
            if free == self.hosts.len() {
                self.hosts.push(None);
            }
            let name = member.name.to_owned();
            self.hosts[free] = Some(RingHost { host: member.host, name, weight: member.weight });
            filled.push(free);
        }
        if self.settings.tokens == RingTokens::Regenerated {
            // The first hosts there are have the points that they would have
            // anyway, so that this is how tokens begin too.
            self.generation += u64::from(!self.circle.points().is_empty());
            self.circle.clear();
            filled = (0..self.hosts.len()).collect();
        }
        let of = |place: &usize| Some((*place, self.hosts[*place].as_ref()?));
        let joining: Vec<Point> =
            filled.iter().filter_map(of).flat_map(|(place, of)| self.points(place, of)).collect();
        let name = |host| {
            self.hosts.iter().flatten().find(|of| of.host == host).map_or("", |of| of.name.as_str())
        };
        self.circle.change(leaving, joining, |a, b| name(a).cmp(name(b)));
    }

    fn hash(&self, key: &str, seed: u64) -> u64 {
        self.settings.hash.hash(key, seed)
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        self.circle.owner(hash)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{members, moved_between};
    use super::*;
    use crate::hash::hash_name;

    fn ring(hosts: &[&str], virtual_nodes: u32) -> Ring {
        let settings = RingSettings { virtual_nodes, ..RingSettings::default() };
        let mut ring = Ring::new(&settings, 0);
        ring.change(&[], &members(hosts));
        ring
    }

    #[test]
    fn an_empty_ring_owns_nothing() {
        let mut ring = ring(&[], 100);
        assert_eq!(ring.owner(1), None);
        ring.change(&[], &members(&["a"]));
        assert_eq!(ring.owner(1), Some(HostId(0)));
        ring.change(&[HostId(0)], &[]);
        assert_eq!(ring.owner(1), None);
    }

    /// By the definition: the least point at or after the hash, by scanning
    /// them all.
    /// Ledger ch-binary-search.
    #[test]
    fn lookups_agree_with_the_definition() {
        let names = ["a", "b", "c", "d", "e"];
        let ring = ring(&names, 37);
        let mut points: Vec<(u64, usize)> = Vec::new();
        for (host, name) in names.iter().enumerate() {
            points.extend((0..37).map(|i| (hash_name(&format!("{name}#{i}"), 0), host)));
        }
        points.sort_unstable();
        let mut probes: Vec<u64> = (0..2000).map(|i| hash_name(&format!("key-{i}"), 0)).collect();
        probes.extend(points.iter().flat_map(|(hash, _)| [*hash, hash + 1, hash - 1]));
        probes.extend([0, u64::MAX]);
        for probe in probes {
            let expected = points.iter().find(|(hash, _)| *hash >= probe).unwrap_or(&points[0]).1;
            assert_eq!(ring.owner(probe), Some(HostId(expected as u32)), "hash {probe}");
        }
    }

    #[test]
    fn the_order_of_joining_does_not_matter() {
        let (forward, mut backward) = (ring(&["a", "b", "c"], 50), ring(&[], 50));
        for member in members(&["a", "b", "c"]).into_iter().rev() {
            backward.change(&[], &[member]);
        }
        for i in 0..1000 {
            let hash = hash_name(&format!("{i}"), 0);
            assert_eq!(forward.owner(hash), backward.owner(hash));
        }
    }

    /// node-hashring issue 43: a share of all weights, computed in floating
    /// point, gave 39 points of 40 to each of seven equal hosts.
    #[test]
    fn equal_hosts_have_equal_points_at_every_number_of_hosts() {
        let settings =
            RingSettings { virtual_nodes: 40, weighted: true, ..RingSettings::default() };
        let naive = |hosts: u32| (1.0 / f64::from(hosts) * 40.0 * f64::from(hosts)).floor();
        let fails: Vec<u32> = (1..=200).filter(|&hosts| naive(hosts) < 40.0).collect();
        assert_eq!(fails, [7, 14, 28, 49, 56, 98, 103, 112, 141, 147, 161, 196]);
        let mut ring = Ring::new(&settings, 0);
        for index in 0..200 {
            let name = format!("h{index}");
            ring.change(&[], &[Member { host: HostId(index), name: &name, weight: 1.0 }]);
            assert_eq!(ring.circle().points().len(), 40 * (index as usize + 1));
        }
        assert_eq!(settings.points_of(2.5), 100);
        assert_eq!(settings.points_of(1e-9), 1);
    }

    /// 2 (n - 1) / (n (n + 1)) of the keys change owner with the name of one
    /// host (ledger ch-hostname), none with its place, and about 1 - 1 / n with
    /// all tokens.
    #[test]
    fn replacing_a_host_costs_what_its_identity_says() {
        let names: Vec<String> = (0..10).map(|i| format!("h{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let share = |identity, tokens| {
            let settings =
                RingSettings { virtual_nodes: 400, identity, tokens, ..RingSettings::default() };
            let mut ring = Ring::new(&settings, 0);
            ring.change(&[], &members(&names));
            let mut after = ring.clone();
            let new = Member { host: HostId(10), name: "fresh", weight: 1.0 };
            after.change(&[HostId(3)], &[new]);
            // The newcomer in the old one's place is the same owner.
            moved_between(
                &ring,
                &after,
                20_000,
                |host| {
                    if host == HostId(10) { HostId(3) } else { host }
                },
            )
        };
        assert_eq!(share(RingIdentity::Place, RingTokens::Stable), 0.0);
        let by_name = share(RingIdentity::Name, RingTokens::Stable);
        assert!((by_name - 18.0 / 110.0).abs() < 0.03, "{by_name}");
        let regenerated = share(RingIdentity::Place, RingTokens::Regenerated);
        assert!((regenerated - 0.9).abs() < 0.02, "{regenerated}");
    }
}
