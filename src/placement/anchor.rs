//! AnchorHash (Mendelson, Vargaftik, Barabash, Lorenz, Keslassy and Orda 2020,
//! "AnchorHash: A Scalable Consistent Hash", algorithm 3).

use serde::{Deserialize, Serialize};

use super::{Member, Placement};
use crate::hash::{below, fold};
use crate::model::{HostId, SettingError};

/// Settings of the `anchor` placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct AnchorSettings {
    /// The most hosts there may ever be at once, from 1 to 1,048,576. A lookup
    /// takes 1 + ln(capacity / hosts) steps on average.
    pub capacity: u32,
}

impl Default for AnchorSettings {
    fn default() -> Self {
        Self { capacity: 1024 }
    }
}

impl AnchorSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        if (1..=1 << 20).contains(&self.capacity) {
            return Ok(());
        }
        let message = format!("must be from 1 to {}, not {}", 1 << 20, self.capacity);
        Err(SettingError::new("capacity", message))
    }
}

/// A bucket, as the paper's arrays A and K have it.
#[derive(Clone, Copy, Debug)]
struct Bucket {
    /// 0 while it works; otherwise how many buckets worked just after it was
    /// removed.
    left: u32,
    /// Its successor: who took its place among the working ones.
    successor: u32,
}

/// A fixed number of buckets, of which some work. A hash that falls on a bucket
/// that does not is hashed again among those that worked when it was removed.
/// Any host may leave, and only its keys move; a host that joins takes the
/// bucket that was removed last, and takes keys alone. It has no weights.
#[derive(Clone, Debug)]
pub struct Anchor {
    buckets: Vec<Bucket>,
    /// The paper's W, the working buckets by position, and L, their positions.
    working: Vec<u32>,
    position: Vec<u32>,
    /// Removed buckets, the last one on top.
    removed: Vec<u32>,
    /// How many buckets work.
    count: u32,
    hosts: Vec<HostId>,
}

impl Anchor {
    /// A placement without hosts.
    pub fn new(settings: &AnchorSettings) -> Self {
        let capacity = settings.capacity;
        // As if buckets had been removed from the last down to the first. The
        // paper's arrays begin with one that works; before the first host joins
        // none is asked for.
        let bucket = |number| Bucket { left: number, successor: number };
        Self {
            buckets: (0..capacity).map(bucket).collect(),
            working: (0..capacity).collect(),
            position: (0..capacity).collect(),
            removed: (0..capacity).rev().collect(),
            count: 0,
            hosts: vec![HostId(u32::MAX); capacity as usize],
        }
    }

    fn add(&mut self, host: HostId) {
        // Whoever composes the placement has checked that there is room.
        let Some(number) = self.removed.pop() else { return };
        let (at, count) = (number as usize, self.count as usize);
        self.buckets[at].left = 0;
        self.position[self.working[count] as usize] = self.count;
        self.working[self.position[at] as usize] = number;
        self.buckets[at].successor = number;
        self.count += 1;
        self.hosts[at] = host;
    }

    fn remove(&mut self, number: u32) {
        let at = number as usize;
        self.removed.push(number);
        self.count -= 1;
        self.buckets[at].left = self.count;
        let last = self.working[self.count as usize];
        self.working[self.position[at] as usize] = last;
        self.buckets[at].successor = last;
        self.position[last as usize] = self.position[at];
    }

    /// The bucket of a hash. The paper rehashes by a family of functions, one a
    /// bucket; here the hash is mixed with the bucket's number.
    #[inline]
    fn bucket(&self, hash: u64) -> u32 {
        // The golden ratio's fraction in 64 bits, odd: spreads numbers apart.
        const SPREAD: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut number = below(hash, self.buckets.len() as u32);
        loop {
            let left = self.buckets[number as usize].left;
            if left == 0 {
                return number;
            }
            let again = fold(hash ^ SPREAD, SPREAD.wrapping_mul(2 * u64::from(number) + 3));
            let mut next = below(again, left);
            // Buckets that were removed earlier give way to their successors.
            while self.buckets[next as usize].left >= left {
                next = self.buckets[next as usize].successor;
            }
            number = next;
        }
    }
}

impl Placement for Anchor {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        for gone in leaving {
            let is_its = |number: &u32| self.hosts[*number as usize] == *gone;
            let working = &self.working[..self.count as usize];
            if let Some(number) = working.iter().copied().find(is_its) {
                self.remove(number);
            }
        }
        for member in joining {
            self.add(member.host);
        }
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        if self.count == 0 {
            return None;
        }
        self.hosts.get(self.bucket(hash) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{chi_square_of, members, numbered, probes};
    use super::*;

    fn anchor(hosts: usize, capacity: u32) -> Anchor {
        let names = numbered(hosts);
        let mut anchor = Anchor::new(&AnchorSettings { capacity });
        anchor.change(&[], &members(&names.iter().map(String::as_str).collect::<Vec<_>>()));
        anchor
    }

    /// Above 27.9 in one sample of a thousand: spare capacity costs time and no
    /// evenness.
    #[test]
    fn spare_capacity_is_as_even_as_none() {
        for capacity in [10, 16, 100, 1024, 65_536] {
            let chi = chi_square_of(&anchor(10, capacity), 100_000, &[1.0; 10]);
            assert!(chi < 27.9, "capacity {capacity}: {chi}");
        }
    }

    #[test]
    fn hosts_may_leave_in_any_order_and_come_back() {
        let mut placement = anchor(12, 64);
        let start: Vec<_> = probes(3000).map(|hash| placement.owner(hash)).collect();
        for gone in [3, 11, 0, 7] {
            let before: Vec<_> = probes(3000).map(|hash| placement.owner(hash)).collect();
            placement.change(&[HostId(gone)], &[]);
            for (hash, before) in probes(3000).zip(before) {
                let after = placement.owner(hash);
                assert!(after != Some(HostId(gone)));
                assert!(after == before || before == Some(HostId(gone)));
            }
        }
        let names = numbered(12);
        let all = members(&names.iter().map(String::as_str).collect::<Vec<_>>());
        // The last to leave is the first to come back.
        placement.change(&[], &[all[7], all[0], all[11], all[3]]);
        let end: Vec<_> = probes(3000).map(|hash| placement.owner(hash)).collect();
        assert_eq!(start, end);
    }

    #[test]
    fn all_may_leave() {
        let mut placement = anchor(2, 4);
        placement.change(&[HostId(0), HostId(1), HostId(9)], &[]);
        assert_eq!(placement.owner(5), None);
        placement.change(&[], &members(&["a"]));
        assert!(probes(100).all(|hash| placement.owner(hash) == Some(HostId(0))));
    }
}
