//! What the experiments have in common: keys, placements with hosts, and
//! columns of values.

use super::claim::Values;
use crate::hash::hash_name;
use crate::metrics::imbalance::max_over_mean;
use crate::model::{Assignment, Host, HostId, Snapshot};
use crate::placement::{Member, ModN, Placement, Ring, RingSettings};
use crate::random::{Purpose, Stream};
use crate::scenario::PolicySettings;
use crate::workload::{Draw, Ranks, Workload, Zipf, ZipfSettings};

/// Seconds in a day.
pub(super) const DAY_S: f64 = 86_400.0;

/// Figures of which each has one value.
pub(super) fn single<const N: usize>(values: [f64; N]) -> Vec<Values> {
    values.map(|value| vec![value]).to_vec()
}

/// From rows, one a seed, to columns, one a figure.
pub(super) fn columns<const N: usize>(rows: &[[f64; N]]) -> Vec<Values> {
    (0..N).map(|figure| rows.iter().map(|row| row[figure]).collect()).collect()
}

/// 1 if something holds, else 0: its mean over seeds is a share.
pub(super) fn share_of(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// The mean of some values; NaN without any.
pub(super) fn mean(values: impl IntoIterator<Item = f64>) -> f64 {
    let (mut sum, mut count) = (0.0, 0.0);
    for value in values {
        sum += value;
        count += 1.0;
    }
    sum / count
}

/// The largest of some values.
pub(super) fn most(values: &[f64]) -> f64 {
    values.iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

/// A stream of an experiment of its own.
pub(super) fn stream(seed: u64, draw: u64) -> Stream {
    Stream::new(seed, Purpose::Experiment, draw)
}

/// Hashes of so many keys, uniform and independent: what a hash function is
/// taken for.
pub(super) fn hashes(seed: u64, count: usize) -> Vec<u64> {
    let mut stream = stream(seed, 0);
    (0..count).map(|_| stream.next_u64()).collect()
}

/// Lets hosts `host-0`, `host-1`, ... join a placement.
pub(super) fn with_hosts<P: Placement>(mut placement: P, hosts: std::ops::Range<u32>) -> P {
    let names: Vec<(HostId, String)> =
        hosts.map(|host| (HostId(host), format!("host-{host}"))).collect();
    let joining: Vec<Member<'_>> =
        names.iter().map(|(host, name)| Member { host: *host, name, weight: 1.0 }).collect();
    placement.change(&[], &joining);
    placement
}

/// A ring with so many points a host, under a seed of its hash.
pub(super) fn ring(virtual_nodes: u32, hash_seed: u64, hosts: u32) -> Ring {
    with_hosts(
        Ring::new(&RingSettings { virtual_nodes, ..RingSettings::default() }, hash_seed),
        0..hosts,
    )
}

/// Hash modulo so many hosts.
pub(super) fn mod_n(hosts: u32) -> ModN {
    with_hosts(ModN::default(), 0..hosts)
}

/// The owner's place of a hash. Placements here have hosts.
pub(super) fn owner(placement: &impl Placement, hash: u64) -> usize {
    placement.owner(hash).map_or(0, HostId::index)
}

/// The share of hashes whose owner differs between two placements.
pub(super) fn moved(from: &impl Placement, to: &impl Placement, hashes: &[u64]) -> f64 {
    mean(hashes.iter().map(|&hash| share_of(from.owner(hash) != to.owner(hash))))
}

/// The load on each host when keys with these hashes and loads are placed.
pub(super) fn host_loads(
    placement: &impl Placement,
    hosts: u32,
    hashes: &[u64],
    loads: &[f64],
) -> Vec<f64> {
    let mut on_hosts = vec![0.0; hosts as usize];
    for (&hash, load) in hashes.iter().zip(loads) {
        on_hosts[owner(placement, hash)] += load;
    }
    on_hosts
}

/// The hottest host over the mean when keys are placed.
pub(super) fn hot_ratio(
    placement: &impl Placement,
    hosts: u32,
    hashes: &[u64],
    loads: &[f64],
) -> f64 {
    max_over_mean(&host_loads(placement, hosts, hashes, loads))
}

/// Shards with Zipf loads of sum 1 on equal hosts, all on a ring of 100 points
/// a host whose hash varies by seed.
pub(super) fn zipf_on_ring(seed: u64, hosts: u32, shards: u32, exponent: Draw) -> Snapshot {
    let settings = ZipfSettings { shards, exponent, total_load: 1e4, ranks: Ranks::Shuffled };
    let zipf = Zipf::new(settings);
    let loads = zipf.start(seed).initial();
    on_ring(seed, hosts, zipf.shards().to_vec(), loads)
}

/// Shards on a ring of 100 points a host whose hash varies by seed.
pub(super) fn on_ring(seed: u64, hosts: u32, shards: Vec<String>, loads: Vec<f64>) -> Snapshot {
    let hash_seed = Stream::new(seed, Purpose::HashSeed, 0).next_u64();
    let ring = ring(RingSettings::default().virtual_nodes, hash_seed, hosts);
    let owners = shards.iter().map(|name| ring.owner(hash_name(name, hash_seed))).collect();
    snapshot(hosts, shards, loads, owners)
}

/// A snapshot with equal hosts.
pub(super) fn snapshot(
    hosts: u32,
    shards: Vec<String>,
    loads: Vec<f64>,
    owners: Vec<Option<HostId>>,
) -> Snapshot {
    let count = shards.len();
    Snapshot {
        shards,
        loads,
        owners,
        pinned: vec![false; count],
        lines: Vec::new(),
        hosts: (0..hosts).map(|host| Host::new(format!("host-{host}"), 1.0)).collect(),
        notes: Vec::new(),
    }
}

/// The load on each host of a snapshot under an assignment.
pub(super) fn loads_of(snapshot: &Snapshot, assignment: &Assignment) -> Vec<f64> {
    (0..snapshot.hosts.len() as u32)
        .map(|host| assignment.shards_of(HostId(host)))
        .map(|shards| shards.iter().map(|shard| snapshot.loads[shard.index()]).sum())
        .collect()
}

/// The assignment of a snapshot as it stands.
pub(super) fn assignment_of(snapshot: &Snapshot) -> Assignment {
    Assignment::from_owners(&snapshot.owners, snapshot.hosts.len())
}

/// The greedy balancer with the reference's settings.
pub(super) fn greedy() -> PolicySettings {
    PolicySettings::Greedy(crate::balancer::greedy::GreedySettings::default())
}
