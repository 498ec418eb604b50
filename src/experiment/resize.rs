//! What a change of hosts costs: the same keys placed before and after.

use std::fmt::Write;

use rayon::prelude::*;

use crate::hash::HashFunction;
use crate::metrics::{Balance, Demand, mean_and_deviation};
use crate::model::{Host, HostId, HostStatus};
use crate::placement::{Member, Placement, natural_order, place_named};
use crate::random::{Purpose, Stream};
use crate::scenario::NamedPolicy;
use crate::workload::zipf_weights;

/// What happens between the two placements.
#[derive(Clone, Debug, PartialEq)]
pub enum ResizeChange {
    /// Hosts leave, by their positions, and others join, at the same instant.
    Hosts {
        /// Those that leave.
        leaving: Vec<usize>,
        /// Those that join.
        joining: Vec<Host>,
    },
    /// The hosts stay, and a client hashes keys by another function.
    Drift(HashFunction),
}

/// What is placed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResizeKeys {
    /// So many keys, `key-0`, `key-1`, ... Other seeds take those that follow.
    Keys(usize),
    /// So many slots: what a slot map moves, each by its number. Placements
    /// without slots place the names `slot-0`, `slot-1`, ...
    Slots(usize),
}

impl ResizeKeys {
    /// How many.
    pub fn len(self) -> usize {
        match self {
            Self::Keys(count) | Self::Slots(count) => count,
        }
    }

    /// Whether there is nothing to place.
    pub fn is_empty(self) -> bool {
        self.len() == 0
    }

    /// Writes the name of a key: the `index`-th of the `seed`-th set.
    fn name(self, seed: u64, index: usize, text: &mut String) {
        let number = seed * self.len() as u64 + index as u64;
        let kind = match self {
            Self::Keys(_) => "key",
            Self::Slots(_) => "slot",
        };
        // Writing to a string does not fail.
        let _ = write!(text, "{kind}-{number}");
    }
}

/// What is asked.
#[derive(Clone, Debug)]
pub struct ResizeRequest<'a> {
    /// The hash placements. Policies that are none are left out.
    pub placements: &'a [NamedPolicy],
    /// The hosts before.
    pub hosts: &'a [Host],
    /// What happens to them.
    pub change: &'a ResizeChange,
    /// What is placed.
    pub keys: ResizeKeys,
    /// Exponent of Zipf's law for the loads of the keys, the first key being
    /// the most popular; 0 for equal loads.
    pub exponent: f64,
    /// Number of seeds.
    pub replications: u32,
}

/// A placement under one seed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResizeSample {
    /// The seed, from 0. With 0 all hash functions have the seed 0 as well.
    pub seed: u64,
    /// The share of the keys whose owner is another one afterwards.
    pub moved_share: f64,
    /// The share of the load that these keys carry.
    pub moved_load_share: f64,
    /// Keys on the fullest host over the mean before, by weight.
    pub max_over_mean_before: f64,
    /// The same afterwards.
    pub max_over_mean_after: f64,
    /// Load on the hottest host over the mean before, by weight.
    pub load_max_over_mean_before: f64,
    /// The same afterwards.
    pub load_max_over_mean_after: f64,
    /// The version of the slot map before and afterwards, if there is one.
    pub map_versions: Option<(u64, u64)>,
}

/// A placement over all seeds.
#[derive(Clone, Debug, PartialEq)]
pub struct ResizeRow {
    /// Its name.
    pub placement: String,
    /// One sample a seed.
    pub samples: Vec<ResizeSample>,
}

impl ResizeRow {
    /// The mean of a value over the seeds, and its sample standard deviation if
    /// there are several.
    pub fn mean(&self, value: impl Fn(&ResizeSample) -> f64) -> (f64, Option<f64>) {
        mean_and_deviation(self.samples.iter().map(value)).unwrap_or((f64::NAN, None))
    }

    /// The version of the slot map before and afterwards, if there is one. No
    /// seed changes it, as hosts and their order are the same.
    pub fn map_versions(&self) -> Option<(u64, u64)> {
        self.samples.first().and_then(|sample| sample.map_versions)
    }

    /// The sample standard deviation of max/mean afterwards.
    pub fn seed_spread(&self) -> Option<f64> {
        self.mean(|sample| sample.max_over_mean_after).1
    }
}

/// Placements beside each other.
#[derive(Clone, Debug, PartialEq)]
pub struct Resize {
    /// The number of hosts before.
    pub from: usize,
    /// The number of hosts afterwards.
    pub to: usize,
    /// How many keys were placed.
    pub keys: usize,
    /// The share of the keys that has to move if hosts own their shares before
    /// and after.
    pub minimum_share: f64,
    /// One row a placement, in order.
    pub rows: Vec<ResizeRow>,
}

/// All hosts there are before or afterwards, and who is there when.
struct Fleet {
    before: Vec<Host>,
    after: Vec<Host>,
}

impl Fleet {
    fn of(request: &ResizeRequest<'_>) -> Self {
        let (leaving, joining): (&[usize], &[Host]) = match request.change {
            ResizeChange::Hosts { leaving, joining } => (leaving, joining),
            ResizeChange::Drift(_) => (&[], &[]),
        };
        let all: Vec<Host> = request.hosts.iter().chain(joining).cloned().collect();
        let (mut before, mut after) = (all.clone(), all);
        for host in &mut before[request.hosts.len()..] {
            host.status = HostStatus::Down;
        }
        for &gone in leaving {
            after[gone].status = HostStatus::Down;
        }
        Self { before, after }
    }

    fn count(hosts: &[Host]) -> usize {
        hosts.iter().filter(|host| host.status.is_live()).count()
    }

    /// The sum of what hosts gain if each owns its share by weight before and
    /// after: sum of max(0, after - before).
    fn minimum_share(&self) -> f64 {
        let total = |hosts: &[Host]| -> f64 {
            hosts.iter().filter(|host| host.status.is_live()).map(|host| host.capacity).sum()
        };
        let (before, after) = (total(&self.before), total(&self.after));
        let share = |host: &Host, total: f64| {
            if host.status.is_live() { host.capacity / total } else { 0.0 }
        };
        let gain = |(old, new)| (share(new, after) - share(old, before)).max(0.0);
        self.before.iter().zip(&self.after).map(gain).sum()
    }
}

/// Places keys before and after a change, with every placement and seed.
/// O(placements x seeds x keys x lookup), on all cores.
pub fn resize(request: &ResizeRequest<'_>) -> Resize {
    let fleet = Fleet::of(request);
    let loads = zipf_weights(request.keys.len(), request.exponent);
    let jobs: Vec<(usize, u64)> = (0..request.placements.len())
        .flat_map(|policy| (0..u64::from(request.replications)).map(move |seed| (policy, seed)))
        .collect();
    let samples: Vec<(usize, Option<ResizeSample>)> = jobs
        .into_par_iter()
        .with_max_len(1)
        .map(|(policy, seed)| (policy, sample(request, &fleet, &loads, policy, seed)))
        .collect();
    let rows = request.placements.iter().enumerate().map(|(index, policy)| ResizeRow {
        placement: policy.name.clone(),
        samples: samples
            .iter()
            .filter(|(policy, _)| *policy == index)
            .filter_map(|(_, sample)| *sample)
            .collect(),
    });
    Resize {
        from: Fleet::count(&fleet.before),
        to: Fleet::count(&fleet.after),
        keys: request.keys.len(),
        minimum_share: fleet.minimum_share(),
        rows: rows.filter(|row| !row.samples.is_empty()).collect(),
    }
}

fn sample(
    request: &ResizeRequest<'_>,
    fleet: &Fleet,
    loads: &[f64],
    policy: usize,
    seed: u64,
) -> Option<ResizeSample> {
    let policy = &request.placements[policy].settings;
    let keys = request.keys;
    let hash_seed = match seed {
        0 => 0,
        seed => Stream::new(seed, Purpose::HashSeed, 0).next_u64(),
    };
    let mut placement = policy.placement(hash_seed)?;
    let by_number = matches!(keys, ResizeKeys::Slots(_)) && policy.has_slots();
    let hashes = |hash: &dyn Fn(&str) -> u64| -> Vec<u64> {
        if by_number {
            return (0..keys.len() as u64).collect();
        }
        let mut name = String::new();
        (0..keys.len())
            .map(|index| {
                name.clear();
                keys.name(seed, index, &mut name);
                hash(&name)
            })
            .collect()
    };
    let own = hashes(&|name| placement.hash(name, hash_seed));
    let place = |placement: &dyn Placement, hashes: &[u64]| {
        place_named(placement, hashes, |index, name| keys.name(seed, index, name))
    };

    let known = request.hosts.len();
    placement.change(&[], &members(&fleet.before[..known], 0));
    let before = place(&*placement, &own);
    let version_before = placement.map_version();
    let after = match request.change {
        ResizeChange::Hosts { leaving, .. } => {
            let leaving: Vec<HostId> = leaving.iter().map(|&host| HostId(host as u32)).collect();
            placement.change(&leaving, &members(&fleet.after[known..], known as u32));
            place(&*placement, &own)
        }
        ResizeChange::Drift(function) => {
            place(&*placement, &hashes(&|name| function.hash(name, hash_seed)))
        }
    };

    let moved = || before.iter().zip(&after).zip(loads).filter(|((a, b), _)| a != b);
    let evenness = |hosts: &[Host], owners: &[Option<HostId>]| {
        let equal = vec![1.0; owners.len()];
        [&equal[..], loads].map(|loads| max_over_mean(hosts, owners, loads))
    };
    let [max_over_mean_before, load_max_over_mean_before] = evenness(&fleet.before, &before);
    let [max_over_mean_after, load_max_over_mean_after] = evenness(&fleet.after, &after);
    Some(ResizeSample {
        seed,
        moved_share: moved().count() as f64 / keys.len() as f64,
        moved_load_share: moved().map(|(_, load)| load).sum::<f64>() + 0.0,
        max_over_mean_before,
        max_over_mean_after,
        load_max_over_mean_before,
        load_max_over_mean_after,
        map_versions: version_before.zip(placement.map_version()),
    })
}

/// Hosts that join, in the natural order of their names.
fn members(hosts: &[Host], first: u32) -> Vec<Member<'_>> {
    let mut members: Vec<Member<'_>> = (first..)
        .map(HostId)
        .zip(hosts)
        .map(|(host, of)| Member { host, name: &of.name, weight: of.capacity })
        .collect();
    members.sort_by(|a, b| natural_order(a.name, b.name));
    members
}

/// The hot_ratio of keys with these loads.
fn max_over_mean(hosts: &[Host], owners: &[Option<HostId>], loads: &[f64]) -> f64 {
    let mut on_host = vec![0.0; hosts.len()];
    for (owner, load) in owners.iter().zip(loads) {
        if let Some(host) = owner {
            on_host[host.index()] += load;
        }
    }
    Balance::of(hosts, &on_host, Demand::of(loads)).hot_ratio
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{policy_kinds, policy_settings};

    fn hosts(range: std::ops::Range<usize>) -> Vec<Host> {
        range.map(|i| Host::new(format!("host-{i}"), 1.0)).collect()
    }

    fn policy(kind: &str, sets: &[&str]) -> NamedPolicy {
        let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
        NamedPolicy { name: kind.to_owned(), settings: policy_settings(kind, &sets).unwrap().0 }
    }

    fn ask(
        placements: &[NamedPolicy],
        from: usize,
        change: &ResizeChange,
        keys: ResizeKeys,
    ) -> Resize {
        resize(&ResizeRequest {
            placements,
            hosts: &hosts(0..from),
            change,
            keys,
            exponent: 0.0,
            replications: 2,
        })
    }

    fn grow(from: usize, to: usize) -> ResizeChange {
        ResizeChange::Hosts { leaving: vec![], joining: hosts(from..to) }
    }

    /// Ledger hs-jump-92, hs-mod-799 and what the shares of the family are.
    #[test]
    fn from_10_to_11_hosts() {
        let family: Vec<NamedPolicy> =
            policy_kinds().iter().map(|kind| policy(kind, &[])).collect();
        let result = ask(&family, 10, &grow(10, 11), ResizeKeys::Keys(20_000));
        assert_eq!((result.from, result.to, result.rows.len()), (10, 11, family.len() - 2));
        assert!((result.minimum_share - 1.0 / 11.0).abs() < 1e-12);
        for row in &result.rows {
            let (moved, _) = row.mean(|sample| sample.moved_share);
            match row.placement.as_str() {
                "mod-n" => assert!((moved - 10.0 / 11.0).abs() < 0.005, "{moved}"),
                "jump" => assert!((moved - 1.0 / 11.0).abs() < 0.005, "{moved}"),
                _ => assert!((0.05..0.15).contains(&moved), "{}: {moved}", row.placement),
            }
            for sample in &row.samples {
                // Equal loads: the share of the load is that of the keys.
                assert!((sample.moved_load_share - sample.moved_share).abs() < 1e-9);
            }
        }
    }

    /// Ledger hs-slot-204.
    #[test]
    fn slots_are_moved_by_number() {
        let slots = [policy("slots", &["slots=1024"])];
        let result = ask(&slots, 8, &grow(8, 10), ResizeKeys::Slots(1024));
        assert!(result.rows[0].samples.iter().all(|s| s.moved_share == 204.0 / 1024.0));
        assert_eq!(result.minimum_share, 0.2);
        assert_eq!(result.rows[0].map_versions(), Some((1, 2)));
    }

    #[test]
    fn only_slot_maps_have_versions_and_only_moves_change_them() {
        let family = ["slots", "redis", "directory", "ring"].map(|kind| policy(kind, &[]));
        let versions = |from, change| -> Vec<_> {
            let result = ask(&family, from, &change, ResizeKeys::Keys(10));
            result.rows.iter().map(ResizeRow::map_versions).collect()
        };
        let grown = Some((1, 2));
        assert_eq!(versions(3, grow(3, 4)), [grown, grown, None, None]);
        let same = Some((1, 1));
        assert_eq!(versions(3, grow(3, 3)), [same, same, None, None]);
        let drift = ResizeChange::Drift(HashFunction::Murmur3);
        assert_eq!(versions(3, drift), [same, same, None, None]);
    }

    #[test]
    fn a_client_with_another_hash_misses_most_keys() {
        let family = [policy("mod-n", &[]), policy("jump", &[]), policy("rendezvous", &[])];
        let drift = ResizeChange::Drift(HashFunction::Murmur3);
        let result = ask(&family, 8, &drift, ResizeKeys::Keys(20_000));
        assert_eq!((result.from, result.to, result.minimum_share), (8, 8, 0.0));
        for row in &result.rows {
            let (moved, _) = row.mean(|sample| sample.moved_share);
            assert!((moved - 0.875).abs() < 0.01, "{}: {moved}", row.placement);
        }
        let same = ResizeChange::Drift(HashFunction::Xxh64);
        let result = ask(&family, 8, &same, ResizeKeys::Keys(100));
        assert!(result.rows.iter().all(|row| row.samples[0].moved_share == 0.0));
    }

    #[test]
    fn the_minimum_follows_weights_and_replaced_hosts() {
        let minimum = |hosts: &[f64], leaving: &[usize], joining: &[f64]| {
            let host = |(i, &capacity): (usize, &f64)| Host::new(format!("h{i}"), capacity);
            let change = ResizeChange::Hosts {
                leaving: leaving.to_vec(),
                joining: joining.iter().enumerate().map(|(i, c)| host((i + 100, c))).collect(),
            };
            resize(&ResizeRequest {
                placements: &[],
                hosts: &hosts.iter().enumerate().map(host).collect::<Vec<_>>(),
                change: &change,
                keys: ResizeKeys::Keys(1),
                exponent: 0.0,
                replications: 1,
            })
            .minimum_share
        };
        assert_eq!(minimum(&[1.0, 1.0, 2.0], &[2], &[]), 0.5);
        assert_eq!(minimum(&[1.0, 1.0, 2.0], &[0], &[1.0]), 0.25);
        assert_eq!(minimum(&[1.0, 1.0], &[], &[2.0]), 0.5);
        assert_eq!(minimum(&[1.0, 1.0], &[], &[]), 0.0);
    }
}
