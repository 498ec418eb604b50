//! Maglev hashing (Eisenbud et al. 2016, "Maglev: A Fast and Reliable Software
//! Network Load Balancer", section 3.4).

use serde::{Deserialize, Serialize};

use super::{Member, Placement};
use crate::hash::below;
use crate::hash::hash_name;
use crate::model::{HostId, SettingError};

/// Settings of the `maglev` placement.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct MaglevSettings {
    /// Entries of the table: a prime. The default of 65537 is the paper's small
    /// table. It stays the same as hosts come and go: a table that grows with
    /// them moves nearly every key.
    pub table_size: u32,
    /// Whether hosts fill entries in proportion to their capacity.
    pub weighted: bool,
}

impl Default for MaglevSettings {
    fn default() -> Self {
        Self { table_size: 65_537, weighted: false }
    }
}

/// The largest table.
const MOST_ENTRIES: u32 = 100_000_007;

impl MaglevSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        let size = self.table_size;
        if !(2..=MOST_ENTRIES).contains(&size) {
            let message = format!("must be a prime from 2 to {MOST_ENTRIES}, not {size}");
            return Err(SettingError::new("table_size", message));
        }
        if !is_prime(size) {
            let next = (size + 1..).find(|&number| is_prime(number)).unwrap_or(MOST_ENTRIES);
            let message = format!("must be a prime, not {size}; the next one is {next}");
            return Err(SettingError::new("table_size", message));
        }
        Ok(())
    }
}

/// By division, in O(√n).
fn is_prime(number: u32) -> bool {
    number >= 2
        && (2..).take_while(|d| d * d <= u64::from(number)).all(|d| u64::from(number) % d != 0)
}

#[derive(Clone, Debug)]
struct Backend {
    host: HostId,
    name: String,
    weight: f64,
}

/// A table of fixed size that hosts fill in turns, each in an order of its own:
/// offset, offset + skip, offset + 2 skip, ... modulo the size. A key belongs
/// to the host in the entry that its hash falls on.
///
/// Hosts take turns in the order of their names as text, so that the table
/// depends on the set of hosts alone. With weights, a host takes its turn in
/// round r when r w / (the largest w) has reached the number of turns it has
/// taken. A lookup takes constant time, a change expected O(M log M) for M
/// entries, and a few keys move between hosts that stay.
#[derive(Clone, Debug)]
pub struct Maglev {
    settings: MaglevSettings,
    hash_seed: u64,
    /// In order of their names.
    backends: Vec<Backend>,
    /// Positions in `backends`; empty without hosts.
    table: Vec<HostId>,
}

impl Maglev {
    /// A placement without hosts.
    pub fn new(settings: &MaglevSettings, hash_seed: u64) -> Self {
        Self { settings: settings.clone(), hash_seed, backends: Vec::new(), table: Vec::new() }
    }

    /// The hosts by entry; empty without hosts.
    pub fn table(&self) -> &[HostId] {
        &self.table
    }

    fn fill(&self) -> Vec<HostId> {
        const FREE: HostId = HostId(u32::MAX);
        let size = self.settings.table_size;
        if self.backends.is_empty() {
            return Vec::new();
        }
        let largest = self.backends.iter().map(|backend| backend.weight).fold(0.0, f64::max);
        struct Turns {
            host: HostId,
            next: u32,
            skip: u32,
            share: f64,
            taken: f64,
        }
        let mut all: Vec<Turns> = self
            .backends
            .iter()
            .map(|backend| Turns {
                host: backend.host,
                next: below(hash_name(&backend.name, self.hash_seed), size),
                skip: below(hash_name(&backend.name, !self.hash_seed), size - 1) + 1,
                share: if self.settings.weighted { backend.weight / largest } else { 1.0 },
                taken: 0.0,
            })
            .collect();
        let mut table = vec![FREE; size as usize];
        let mut free = size;
        let mut round = 0.0;
        loop {
            for turns in &mut all {
                if turns.taken > round * turns.share {
                    continue;
                }
                turns.taken += 1.0;
                // The size is prime, so that the steps reach every entry, and
                // one of them is free.
                loop {
                    let entry = turns.next as usize;
                    let step = u64::from(turns.next) + u64::from(turns.skip);
                    turns.next =
                        if step >= u64::from(size) { step - u64::from(size) } else { step } as u32;
                    if table[entry] == FREE {
                        table[entry] = turns.host;
                        break;
                    }
                }
                free -= 1;
                if free == 0 {
                    return table;
                }
            }
            round += 1.0;
        }
    }
}

impl Placement for Maglev {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.backends.retain(|backend| !leaving.contains(&backend.host));
        self.backends.extend(joining.iter().map(|member| Backend {
            host: member.host,
            name: member.name.to_owned(),
            weight: member.weight,
        }));
        self.backends.sort_by(|a, b| a.name.cmp(&b.name));
        self.table = self.fill();
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        self.table.get(below(hash, self.table.len() as u32) as usize).copied()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{members, numbered};
    use super::*;

    fn maglev(hosts: usize, settings: &MaglevSettings) -> Maglev {
        let names = numbered(hosts);
        let mut maglev = Maglev::new(settings, 0);
        maglev.change(&[], &members(&names.iter().map(String::as_str).collect::<Vec<_>>()));
        maglev
    }

    fn entries(maglev: &Maglev, hosts: usize) -> Vec<usize> {
        let mut counts = vec![0; hosts];
        for host in maglev.table() {
            counts[host.index()] += 1;
        }
        counts
    }

    /// The paper's property: with equal weights, entries differ by one at most.
    #[test]
    fn every_host_fills_the_same_number_of_entries() {
        for (hosts, table_size) in [(1, 7), (3, 7), (7, 7), (10, 65_537), (1000, 65_537)] {
            let maglev = maglev(hosts, &MaglevSettings { table_size, ..Default::default() });
            let counts = entries(&maglev, hosts);
            let (least, most) = (counts.iter().min(), counts.iter().max());
            assert!(most.unwrap() - least.unwrap() <= 1, "{hosts}: {least:?} to {most:?}");
        }
    }

    #[test]
    fn the_table_depends_on_the_set_of_hosts_alone() {
        let settings = MaglevSettings { table_size: 251, ..Default::default() };
        let forward = maglev(6, &settings);
        let names = numbered(6);
        let all = members(&names.iter().map(String::as_str).collect::<Vec<_>>());
        let mut other = Maglev::new(&settings, 0);
        other.change(&[], &[all[5], all[2], all[0]]);
        other.change(&[HostId(2)], &[all[4]]);
        other.change(&[], &[all[1], all[3], all[2]]);
        assert_eq!(forward.table(), other.table());
    }

    /// A fixed prime table moves a little more than 1 / 101 of its entries,
    /// and not nearly all.
    #[test]
    fn few_entries_move_between_hosts_that_stay() {
        let settings = MaglevSettings::default();
        let (before, after) = (maglev(100, &settings), maglev(101, &settings));
        let moved = before.table().iter().zip(after.table()).filter(|(a, b)| a != b).count();
        let share = moved as f64 / before.table().len() as f64;
        assert!((1.0 / 101.0..0.04).contains(&share), "{share}");
    }

    #[test]
    fn weights_are_shares_of_the_table() {
        let settings = MaglevSettings { weighted: true, ..Default::default() };
        let mut maglev = Maglev::new(&settings, 0);
        let mut three = members(&["a", "b", "c"]);
        (three[0].weight, three[1].weight, three[2].weight) = (10.0, 5.0, 0.1);
        maglev.change(&[], &three);
        for (count, weight) in entries(&maglev, 3).into_iter().zip([10.0, 5.0, 0.1]) {
            let expected = 65_537.0 * weight / 15.1;
            assert!((count as f64 - expected).abs() <= 2.0, "{count} for {expected}");
        }
    }

    #[test]
    fn sizes_that_are_not_prime_are_refused() {
        let check = |table_size| MaglevSettings { table_size, weighted: false }.check();
        assert!(check(65_536).unwrap_err().message.contains("65537"));
        assert!(check(0).is_err() && check(1).is_err() && check(u32::MAX).is_err());
        assert_eq!((check(2), check(65_537), check(MOST_ENTRIES)), (Ok(()), Ok(()), Ok(())));
    }
}
