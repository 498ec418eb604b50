//! Lookups a second of evenkeel's ring and jump beside the crates hashring and
//! jumphash, with 100 virtual nodes a host on both rings.
//!
//! Run with `cargo bench --bench lookups` in this folder. Three figures each:
//! the lookup alone, from a hash that is there already; from a shard's name,
//! hashed by xxh64 on both sides (the peers hash through the `Hasher`
//! interface, evenkeel in one call); and from a name as the peer does it when
//! nothing is chosen (SipHash).

#![allow(missing_docs, clippy::disallowed_methods)]

use std::hash::{BuildHasherDefault, Hasher};
use std::hint::black_box;
use std::time::Instant;

use evenkeel::model::HostId;
use evenkeel::hash::hash_name;
use evenkeel::placement::{Jump, Member, Placement, Ring, RingSettings};
use hashring::HashRing;
use jumphash::{CustomJumpHasher, JumpHasher};
use xxhash_rust::xxh64::{Xxh64, Xxh64Builder};

const LOOKUPS: usize = 100_000;

/// The fastest of so many runs counts.
const RUNS: usize = 15;

/// Takes a number as its own hash.
#[derive(Clone, Copy, Default)]
struct Given(u64);

impl Hasher for Given {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {}

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

/// Millions of lookups a second. `lookup` returns something that depends on
/// the answer.
fn rate<K>(keys: &[K], mut lookup: impl FnMut(&K) -> u32) -> f64 {
    let runs = (0..RUNS).map(|_| {
        let start = Instant::now();
        black_box(keys.iter().fold(0u32, |sum, key| sum.wrapping_add(lookup(key))));
        keys.len() as f64 * 1e-6 / start.elapsed().as_secs_f64()
    });
    runs.fold(0.0, f64::max)
}

fn index(host: Option<HostId>) -> u32 {
    host.map_or(0, |host| host.0)
}

/// The points of evenkeel's ring, so that both can search the same circle.
fn points(hosts: &[String], virtual_nodes: u32) -> Vec<(u64, u32)> {
    let of_host = |(host, name): (u32, &String)| {
        let name = name.clone();
        (0..virtual_nodes).map(move |i| (hash_name(&format!("{name}#{i}"), 0), host))
    };
    (0..).zip(hosts).flat_map(of_host).collect()
}

/// A point of a ring that lies where it is told.
struct Point {
    hash: u64,
    host: u32,
}

impl std::hash::Hash for Point {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(self.hash);
    }
}

fn rings(hosts: &[String], names: &[String], hashes: &[u64]) {
    let settings = RingSettings::default();
    let mut ours = Ring::new(&settings, 0);
    let joining: Vec<_> = (0..).map(HostId).zip(hosts.iter().map(String::as_str)).collect();
    ours.change(&[], &joining);

    let points = points(hosts, settings.virtual_nodes);
    let mut given = HashRing::with_hasher(BuildHasherDefault::<Given>::default());
    given.batch_add(points.iter().map(|&(hash, host)| Point { hash, host }).collect());
    let nodes: Vec<(u32, u32)> = (0..hosts.len() as u32)
        .flat_map(|host| (0..settings.virtual_nodes).map(move |i| (host, i)))
        .collect();
    let mut xxh64 = HashRing::with_hasher(Xxh64Builder::new(0));
    xxh64.batch_add(nodes.clone());
    let mut default = HashRing::new();
    default.batch_add(nodes);

    for hash in hashes {
        let theirs = given.get(hash).map(|point| HostId(point.host));
        assert_eq!(ours.owner(*hash), theirs, "both rings have the same points");
    }
    row(
        "ring",
        hosts.len(),
        [
            rate(hashes, |hash| index(ours.owner(*hash))),
            rate(hashes, |hash| given.get(hash).map_or(0, |point| point.host)),
            rate(names, |name| index(ours.owner(hash_name(name, 0)))),
            rate(names, |name| xxh64.get(name).map_or(0, |node| node.0)),
            rate(names, |name| default.get(name).map_or(0, |node| node.0)),
        ],
    );
}

fn jumps(hosts: &[String], names: &[String], hashes: &[u64]) {
    let mut ours = Jump::default();
    let joining: Vec<_> = (0..).map(HostId).zip(hosts.iter().map(String::as_str)).collect();
    ours.change(&[], &joining);

    let slots = hosts.len() as u32;
    let given = CustomJumpHasher::new(Given::default());
    let xxh64 = CustomJumpHasher::new(Xxh64::new(0));
    let default = JumpHasher::new_with_keys(0, 0);

    for hash in hashes {
        assert_eq!(index(ours.owner(*hash)), given.slot(hash, slots), "one algorithm");
    }
    row(
        "jump",
        hosts.len(),
        [
            rate(hashes, |hash| index(ours.owner(*hash))),
            rate(hashes, |hash| given.slot(hash, slots)),
            rate(names, |name| index(ours.owner(hash_name(name, 0)))),
            rate(names, |name| xxh64.slot(name, slots)),
            rate(names, |name| default.slot(name, slots)),
        ],
    );
}

fn row(what: &str, hosts: usize, rates: [f64; 5]) {
    let [ours, peer, ours_named, peer_named, peer_default] = rates;
    println!(
        "{what:5} {hosts:6} {ours:10.1} {peer:6.1} {:5.2} {ours_named:10.1} {peer_named:6.1} \
         {:5.2} {peer_default:10.1}",
        ours / peer,
        ours_named / peer_named,
    );
}

fn main() {
    let names: Vec<String> = (0..LOOKUPS).map(|i| format!("shard-{i}")).collect();
    let hashes: Vec<u64> = names.iter().map(|name| hash_name(name, 0)).collect();
    println!("million lookups a second");
    println!("             from a hash             from a name, xxh64       peer's own hash");
    println!("      hosts   evenkeel   peer ratio   evenkeel   peer ratio       peer");
    for count in [10, 100, 1_000, 10_000] {
        let hosts: Vec<String> = (0..count).map(|i| format!("host-{i}")).collect();
        rings(&hosts, &names, &hashes);
        jumps(&hosts, &names, &hashes);
    }
}
