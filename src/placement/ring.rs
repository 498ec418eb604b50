//! Consistent hashing on a ring of virtual nodes (Karger et al. 1997,
//! "Consistent Hashing and Random Trees").

use serde::{Deserialize, Serialize};

use super::{Placement, hash_name};
use crate::model::{HostId, SettingError};

/// Settings of the `ring` placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RingSettings {
    /// Points on the ring for each host, from 1 to 100,000. The default of 100
    /// is ringpop-go's number of replica points.
    pub virtual_nodes: u32,
}

impl Default for RingSettings {
    fn default() -> Self {
        Self { virtual_nodes: 100 }
    }
}

impl RingSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        if (1..=100_000).contains(&self.virtual_nodes) {
            return Ok(());
        }
        let message = format!("must be from 1 to 100000, not {}", self.virtual_nodes);
        Err(SettingError::new("virtual_nodes", message))
    }
}

#[derive(Clone, Copy, Debug)]
struct Point {
    hash: u64,
    host: HostId,
}

/// A ring. Point i of a host is the hash of `{name}#{i}`; a hash belongs to
/// the first point at or after it, and past the last point to the first.
/// Points with equal hashes are ordered by host name and i.
///
/// A lookup goes through a table over the top bits of the hash, with one entry
/// a point on average, and takes constant expected time. A change of
/// membership sorts the points, which are nearly in order already.
#[derive(Clone, Debug)]
pub struct Ring {
    virtual_nodes: u32,
    hash_seed: u64,
    names: Vec<(HostId, String)>,
    points: Vec<Point>,
    /// For each value of the top bits, the first point at or after it.
    first: Vec<u32>,
    shift: u32,
}

impl Ring {
    /// A ring without hosts.
    pub fn new(settings: &RingSettings, hash_seed: u64) -> Self {
        Self {
            virtual_nodes: settings.virtual_nodes,
            hash_seed,
            names: Vec::new(),
            points: Vec::new(),
            first: Vec::new(),
            shift: 63,
        }
    }

    fn name(&self, host: HostId) -> &str {
        self.names.iter().find(|(id, _)| *id == host).map_or("", |(_, name)| name)
    }

    fn build_table(&mut self) {
        let bits = (usize::BITS - self.points.len().leading_zeros()).max(1);
        self.shift = 64 - bits;
        self.first.clear();
        self.first.reserve(1 << bits);
        let mut point = 0;
        for top in 0..1u64 << bits {
            while self.points.get(point).is_some_and(|p| p.hash >> self.shift < top) {
                point += 1;
            }
            self.first.push(point as u32);
        }
    }
}

impl Placement for Ring {
    fn change(&mut self, leaving: &[HostId], joining: &[(HostId, &str)]) {
        self.names.retain(|(id, _)| !leaving.contains(id));
        self.points.retain(|point| !leaving.contains(&point.host));
        for &(host, name) in joining {
            self.names.push((host, name.to_owned()));
            for i in 0..self.virtual_nodes {
                let hash = hash_name(&format!("{name}#{i}"), self.hash_seed);
                self.points.push(Point { hash, host });
            }
        }
        // Stable: points of one host with one hash stay in order of i.
        let mut points = std::mem::take(&mut self.points);
        points.sort_by(|a, b| {
            a.hash.cmp(&b.hash).then_with(|| self.name(a.host).cmp(self.name(b.host)))
        });
        self.points = points;
        self.build_table();
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        let start = *self.first.get((hash >> self.shift) as usize)? as usize;
        let tail = self.points.get(start..)?;
        let found = tail.iter().find(|point| point.hash >= hash).or(self.points.first())?;
        Some(found.host)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ring(hosts: &[&str], virtual_nodes: u32) -> Ring {
        let mut ring = Ring::new(&RingSettings { virtual_nodes }, 0);
        let joining: Vec<(HostId, &str)> = (0..).map(HostId).zip(hosts.iter().copied()).collect();
        ring.change(&[], &joining);
        ring
    }

    #[test]
    fn an_empty_ring_owns_nothing() {
        let mut ring = ring(&[], 100);
        assert_eq!(ring.owner(1), None);
        ring.change(&[], &[(HostId(0), "a")]);
        assert_eq!(ring.owner(1), Some(HostId(0)));
        ring.change(&[HostId(0)], &[]);
        assert_eq!(ring.owner(1), None);
    }

    /// By the definition: the least point at or after the hash, by scanning
    /// them all.
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
        for (id, name) in [(2, "c"), (1, "b"), (0, "a")] {
            backward.change(&[], &[(HostId(id), name)]);
        }
        for i in 0..1000 {
            let hash = hash_name(&format!("{i}"), 0);
            assert_eq!(forward.owner(hash), backward.owner(hash));
        }
    }
}
