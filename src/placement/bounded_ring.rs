//! Consistent hashing with bounded loads (Mirrokni, Thorup and Zadimoghaddam
//! 2018, "Consistent Hashing with Bounded Loads").

use serde::{Deserialize, Serialize};

use super::ring::check_points;
use super::{Member, Placement, Ring, RingSettings};
use crate::model::{HostId, SettingError};

/// Settings of the `bounded-ring` placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct BoundedRingSettings {
    /// Points on the ring for each host, from 1 to 100,000.
    pub virtual_nodes: u32,
    /// How far above its share of the keys a host may go: above 0.
    pub epsilon: f64,
    /// Whether shares are in proportion to capacity, in place of equal ones.
    /// Points are equal in either case: the bound alone is weighted.
    pub weighted: bool,
}

impl Default for BoundedRingSettings {
    fn default() -> Self {
        Self { virtual_nodes: 100, epsilon: 0.25, weighted: false }
    }
}

impl BoundedRingSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        check_points("virtual_nodes", self.virtual_nodes)?;
        SettingError::require_above("epsilon", self.epsilon, 0.0)?;
        SettingError::require_at_most("epsilon", self.epsilon, 1e6)
    }
}

/// A ring on which no host owns more than ceil((1 + epsilon) m w / W) of m
/// keys, with w its weight and W that of all: a key goes to the first host at
/// or after its hash that has room. Keys come in order of declaration, so that
/// the placement depends on the sets of keys and hosts alone.
#[derive(Clone, Debug)]
pub struct BoundedRing {
    settings: BoundedRingSettings,
    ring: Ring,
    weights: Vec<(HostId, f64)>,
}

impl BoundedRing {
    /// A ring without hosts.
    pub fn new(settings: &BoundedRingSettings, hash_seed: u64) -> Self {
        let ring = RingSettings { virtual_nodes: settings.virtual_nodes, ..Default::default() };
        Self { settings: settings.clone(), ring: Ring::new(&ring, hash_seed), weights: Vec::new() }
    }

    /// How many of `keys` keys each host may own, by host.
    pub fn bounds(&self, keys: usize) -> Vec<(HostId, u64)> {
        let total: f64 = self.weights.iter().map(|(_, weight)| weight).sum();
        let most = (1.0 + self.settings.epsilon) * keys as f64;
        self.weights
            .iter()
            .map(|&(host, weight)| (host, (most * (weight / total)).ceil() as u64))
            .collect()
    }
}

impl Placement for BoundedRing {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.ring.change(leaving, joining);
        self.weights.retain(|(host, _)| !leaving.contains(host));
        let weight = |member: &Member<'_>| if self.settings.weighted { member.weight } else { 1.0 };
        self.weights.extend(joining.iter().map(|member| (member.host, weight(member))));
    }

    /// The owner as long as no host is full.
    fn owner(&self, hash: u64) -> Option<HostId> {
        self.ring.owner(hash)
    }

    /// Nearly linear in keys and points: points of full hosts are passed over
    /// by paths that are halved as they are walked (Tarjan and van Leeuwen
    /// 1984).
    fn place(&self, hashes: &[u64]) -> Vec<Option<HostId>> {
        let circle = self.ring.circle();
        let points = circle.points();
        let hosts = self.weights.iter().map(|(host, _)| host.index() + 1).max().unwrap_or(0);
        let mut room = vec![0; hosts];
        for (host, bound) in self.bounds(hashes.len()) {
            room[host.index()] = bound;
        }
        // Where to look on from each point: at itself while it has room.
        let mut next: Vec<u32> = (0..points.len() as u32).collect();
        let after = |point: u32| if point as usize + 1 == points.len() { 0 } else { point + 1 };
        let mut place = |hash: u64| {
            let mut point = circle.find(hash)? as u32;
            // Ends: the bounds add up to more than the keys, and a point that
            // was left behind leads around the circle to one with room.
            loop {
                let target = next[point as usize];
                if target != point {
                    next[point as usize] = next[target as usize];
                    point = next[point as usize];
                    continue;
                }
                let host = points[point as usize].host;
                match &mut room[host.index()] {
                    0 => next[point as usize] = after(point),
                    left => {
                        *left -= 1;
                        return Some(host);
                    }
                }
            }
        };
        hashes.iter().map(|&hash| place(hash)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{counts, members};
    use super::*;
    use crate::hash::hash_name;

    fn hashes(keys: usize) -> Vec<u64> {
        (0..keys).map(|i| hash_name(&format!("key-{i}"), 0)).collect()
    }

    fn ring(epsilon: f64, hosts: &[&str], weighted: bool) -> BoundedRing {
        let settings = BoundedRingSettings { epsilon, weighted, ..Default::default() };
        let mut ring = BoundedRing::new(&settings, 0);
        let mut members = members(hosts);
        for (index, member) in members.iter_mut().enumerate() {
            member.weight = index as f64 + 1.0;
        }
        ring.change(&[], &members);
        ring
    }

    /// By the definition: walk on from the key's point, one point at a time.
    fn slowly(ring: &BoundedRing, hashes: &[u64]) -> Vec<Option<HostId>> {
        let points = ring.ring.circle().points();
        let bounds = ring.bounds(hashes.len());
        let mut owned: Vec<u64> = vec![0; bounds.len()];
        let place = |hash: &u64| {
            let start = points.iter().position(|point| point.hash >= *hash).unwrap_or(0);
            let host = points[start..]
                .iter()
                .chain(&points[..start])
                .map(|point| point.host)
                .find(|host| owned[host.index()] < bounds[host.index()].1);
            if let Some(host) = host {
                owned[host.index()] += 1;
            }
            host
        };
        hashes.iter().map(place).collect()
    }

    #[test]
    fn no_host_is_above_its_bound_and_the_walk_is_that_of_the_definition() {
        let names = ["a", "b", "c", "d", "e", "f", "g"];
        for epsilon in [1e-9, 0.01, 0.25, 1.0] {
            for weighted in [false, true] {
                for keys in [0, 1, 6, 1000] {
                    let (ring, hashes) = (ring(epsilon, &names, weighted), hashes(keys));
                    let owners = ring.place(&hashes);
                    assert_eq!(owners, slowly(&ring, &hashes));
                    let owned = counts(&owners, names.len());
                    assert_eq!(owned.iter().sum::<u64>(), keys as u64);
                    for (host, bound) in ring.bounds(keys) {
                        assert!(owned[host.index()] <= bound);
                    }
                }
            }
        }
    }

    #[test]
    fn a_large_bound_leaves_the_ring_as_it_is() {
        let (ring, hashes) = (ring(1000.0, &["a", "b", "c"], false), hashes(500));
        let plain: Vec<_> = hashes.iter().map(|&hash| ring.owner(hash)).collect();
        assert_eq!(ring.place(&hashes), plain);
        assert_eq!(BoundedRing::new(&BoundedRingSettings::default(), 0).place(&[1]), [None]);
    }
}
