//! Lookups of evenkeel's hash placements beside the crates that implement the
//! same methods, and what it takes to build a placement and to place ten million
//! keys.
//!
//! Run with `cargo bench --bench lookups` in this folder. Nanoseconds a lookup,
//! on one core: from a hash that is there already, and from a shard's name,
//! hashed by xxh64 on both sides (the peers hash through the `Hasher`
//! interface, evenkeel in one call). Microseconds to build. Where a peer takes
//! no hash as it is, it mixes the hash once more, with one multiplication.
//!
//! The same is asked of both, except: the crate `maglev` has the table of 65,537
//! entries that is the default here, not one that grows with the hosts; the crate
//! `anchorhash` hashes 32 bits of a key, and anchors have no room to spare on
//! both sides; `rendezvous_hash` sorts all hosts for every key.

#![allow(missing_docs, clippy::disallowed_methods)]

use std::hash::{BuildHasher, BuildHasherDefault, Hash, Hasher};
use std::hint::black_box;
use std::time::Instant;

use anchorhash::AnchorHash;
use evenkeel::hash::hash_name;
use evenkeel::model::HostId;
use evenkeel::placement::{MaglevSettings, Member, Placement, Ring, RingSettings};
use evenkeel::scenario::policy_settings;
use hashring::HashRing;
use jumphash::CustomJumpHasher;
use maglev::ConsistentHasher;
use rendezvous_hash::{NodeHasher, RendezvousNodes};
use xxhash_rust::xxh64::{Xxh64, Xxh64Builder};

/// Few, so that on a busy machine some run is not interrupted.
const LOOKUPS: usize = 10_000;

/// The fastest of so many runs counts.
const RUNS: usize = 25;

/// Lookups where each looks at every host.
fn part(hosts: usize) -> usize {
    LOOKUPS.min(300_000 / hosts)
}

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

/// Mixes numbers by a multiplication each, and texts by xxh64.
#[derive(Clone, Copy, Default)]
struct Mixed(u64);

impl Hasher for Mixed {
    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }

    fn write(&mut self, bytes: &[u8]) {
        self.write_u64(xxhash_rust::xxh64::xxh64(bytes, 0));
    }

    fn write_u32(&mut self, number: u32) {
        self.write_u64(u64::from(number));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = (self.0.rotate_left(5) ^ number).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }
}

/// Scores of a host, known by the hash of its name, with one multiplication.
struct Scores<B>(B);

impl<B: BuildHasher> NodeHasher<(u64, u32)> for Scores<B> {
    fn hash<T: Hash>(&self, node: &(u64, u32), item: &T) -> u64 {
        let product = u128::from(self.0.hash_one(item) ^ node.0) * 0x9e37_79b9_7f4a_7c15_u128;
        (product >> 64) as u64 ^ product as u64
    }
}

/// The fastest time of a run, in seconds.
fn fastest(mut run: impl FnMut()) -> f64 {
    let once = |()| {
        let start = Instant::now();
        run();
        start.elapsed().as_secs_f64()
    };
    std::iter::repeat_n((), RUNS).map(once).fold(f64::INFINITY, f64::min)
}

/// Nanoseconds a lookup. `lookup` returns something that depends on the answer.
fn ns<K>(keys: &[K], mut lookup: impl FnMut(&K) -> u32) -> f64 {
    let time = fastest(|| {
        black_box(keys.iter().fold(0u32, |sum, key| sum.wrapping_add(lookup(key))));
    });
    time * 1e9 / keys.len() as f64
}

fn index(host: Option<HostId>) -> u32 {
    host.map_or(0, |host| host.0)
}

/// What was measured of one side.
#[derive(Clone, Copy)]
struct Figures {
    from_hash: f64,
    from_name: f64,
    build: f64,
}

struct Field {
    hosts: Vec<String>,
    names: Vec<String>,
    hashes: Vec<u64>,
}

impl Field {
    fn new(hosts: usize) -> Self {
        let names: Vec<String> = (0..LOOKUPS).map(|i| format!("shard-{i}")).collect();
        Self {
            hosts: (0..hosts).map(|i| format!("host-{i}")).collect(),
            hashes: names.iter().map(|name| hash_name(name, 0)).collect(),
            names,
        }
    }

    fn members(&self) -> Vec<Member<'_>> {
        (0..)
            .zip(&self.hosts)
            .map(|(host, name)| Member {
                host: HostId(host),
                name,
                weight: f64::from(host % 3 + 1),
            })
            .collect()
    }

    /// A placement of ours, by kind and settings.
    fn ours(&self, kind: &str, sets: &[String]) -> Figures {
        let (settings, _) = policy_settings(kind, sets).expect("known settings");
        let built = || {
            let mut placement = settings.placement(0).expect("a placement");
            placement.change(&[], &self.members());
            placement
        };
        let placement = built();
        let count = if kind == "rendezvous" { part(self.hosts.len()) } else { LOOKUPS };
        // As the simulator asks: many at once.
        let all = fastest(|| {
            black_box(placement.place(&self.hashes[..count]));
        });
        Figures {
            from_hash: all * 1e9 / count as f64,
            from_name: ns(&self.names[..count], |name| {
                index(placement.owner(placement.hash(name, 0)))
            }),
            build: fastest(|| drop(black_box(built()))) * 1e6,
        }
    }

    fn hashring(&self) -> Figures {
        let points = RingSettings::default().virtual_nodes;
        // Both search the same circle.
        #[derive(Clone)]
        struct Point(u64, u32);
        impl Hash for Point {
            fn hash<H: Hasher>(&self, state: &mut H) {
                state.write_u64(self.0);
            }
        }
        let of_host = |(host, name): (u32, &String)| {
            let name = name.clone();
            (0..points).map(move |i| Point(hash_name(&format!("{name}#{i}"), 0), host))
        };
        let all: Vec<Point> = (0..).zip(&self.hosts).flat_map(of_host).collect();
        let mut given = HashRing::with_hasher(BuildHasherDefault::<Given>::default());
        given.batch_add(all);
        let mut ours = Ring::new(&RingSettings::default(), 0);
        ours.change(&[], &self.members());
        for hash in &self.hashes {
            assert_eq!(index(ours.owner(*hash)), given.get(hash).map_or(0, |point| point.1));
        }
        let nodes: Vec<(u32, u32)> = (0..self.hosts.len() as u32)
            .flat_map(|host| (0..points).map(move |i| (host, i)))
            .collect();
        let built = || {
            let mut ring = HashRing::with_hasher(Xxh64Builder::new(0));
            ring.batch_add(nodes.clone());
            ring
        };
        let named = built();
        Figures {
            from_hash: ns(&self.hashes, |hash| given.get(hash).map_or(0, |point| point.1)),
            from_name: ns(&self.names, |name| named.get(name).map_or(0, |node| node.0)),
            build: fastest(|| drop(black_box(built()))) * 1e6,
        }
    }

    fn jumphash(&self) -> Figures {
        let slots = self.hosts.len() as u32;
        let given = CustomJumpHasher::new(Given::default());
        let named = CustomJumpHasher::new(Xxh64::new(0));
        Figures {
            from_hash: ns(&self.hashes, |hash| given.slot(hash, slots)),
            from_name: ns(&self.names, |name| named.slot(name, slots)),
            build: f64::NAN,
        }
    }

    fn rendezvous_hash(&self) -> Figures {
        fn nodes<B>(hosts: &[String], build: B) -> RendezvousNodes<Known, Scores<B>>
        where
            B: BuildHasher,
        {
            let mut nodes = RendezvousNodes::new(Scores(build));
            for (number, host) in (0..).zip(hosts) {
                nodes.insert(Known((hash_name(host, 0), number)));
            }
            nodes
        }
        struct Known((u64, u32));
        impl rendezvous_hash::Node for Known {
            type NodeId = (u64, u32);
            type HashCode = u64;

            fn node_id(&self) -> &(u64, u32) {
                &self.0
            }

            fn hash_code<H, U: Hash>(&self, hasher: &H, item: &U) -> u64
            where
                H: NodeHasher<(u64, u32)>,
            {
                hasher.hash(&self.0, item)
            }
        }
        let given = nodes(&self.hosts, BuildHasherDefault::<Given>::default());
        let named = nodes(&self.hosts, Xxh64Builder::new(0));
        let part = part(self.hosts.len());
        let first = |node: Option<&Known>| node.map_or(0, |node| node.0.1);
        Figures {
            from_hash: ns(&self.hashes[..part], |hash| first(given.calc_candidates(hash).next())),
            from_name: ns(&self.names[..part], |name| first(named.calc_candidates(name).next())),
            build: fastest(|| drop(black_box(nodes(&self.hosts, Xxh64Builder::new(0))))) * 1e6,
        }
    }

    fn maglev(&self) -> Figures {
        let hosts = || 0..self.hosts.len() as u32;
        let size = MaglevSettings::default().table_size as usize;
        let mixed = BuildHasherDefault::<Mixed>::default();
        let given = maglev::Maglev::with_capacity_and_hasher(hosts(), size, mixed);
        let built =
            || maglev::Maglev::with_capacity_and_hasher(hosts(), size, Xxh64Builder::new(0));
        let named = built();
        // Building takes the crate a second with 1,000 hosts: once is enough.
        let start = Instant::now();
        drop(black_box(built()));
        Figures {
            build: start.elapsed().as_secs_f64() * 1e6,
            from_hash: ns(&self.hashes, |hash| given.get(hash).map_or(0, |host| *host)),
            from_name: ns(&self.names, |name| named.get(name).map_or(0, |host| *host)),
        }
    }

    fn anchorhash(&self) -> Figures {
        let hosts = || 0..self.hosts.len() as u32;
        let capacity = self.hosts.len() as u16;
        let given: AnchorHash<u64, u32, _> =
            anchorhash::Builder::with_hasher(BuildHasherDefault::<Mixed>::default())
                .with_resources(hosts())
                .build(capacity);
        let built = || -> AnchorHash<&String, u32, _> {
            anchorhash::Builder::with_hasher(Xxh64Builder::new(0))
                .with_resources(hosts())
                .build(capacity)
        };
        let named = built();
        Figures {
            from_hash: ns(&self.hashes, |hash| given.get_resource(*hash).map_or(0, |host| *host)),
            from_name: ns(&self.names, |name| named.get_resource(name).map_or(0, |host| *host)),
            build: fastest(|| drop(black_box(built()))) * 1e6,
        }
    }
}

fn row(kind: &str, hosts: usize, ours: Figures, peer: Option<(&str, Figures)>) {
    let cell = |value: f64| if value.is_nan() { "-".to_owned() } else { format!("{value:.1}") };
    let (name, theirs) = match peer {
        Some((name, theirs)) => (name, theirs),
        None => ("", Figures { from_hash: f64::NAN, from_name: f64::NAN, build: f64::NAN }),
    };
    println!(
        "{kind:28} {hosts:5} {:>9} {:>9} {:>9} {:>9} {:>10} {:>10}  {name}",
        cell(ours.from_hash),
        cell(theirs.from_hash),
        cell(ours.from_name),
        cell(theirs.from_name),
        cell(ours.build),
        cell(theirs.build),
    );
}

fn main() {
    println!(
        "                                      ns from a hash      ns from a name       µs to build"
    );
    println!(
        "placement                    hosts  evenkeel      peer  evenkeel      peer   evenkeel       peer"
    );
    for count in [10, 100, 1_000] {
        let field = Field::new(count);
        let plain = |kind: &str| field.ours(kind, &[]);
        row("ring", count, plain("ring"), Some(("hashring", field.hashring())));
        row("jump", count, plain("jump"), Some(("jumphash", field.jumphash())));
        row(
            "rendezvous",
            count,
            plain("rendezvous"),
            Some(("rendezvous_hash", field.rendezvous_hash())),
        );
        row("maglev", count, plain("maglev"), Some(("maglev", field.maglev())));
        let capacity = [format!("capacity={count}")];
        row(
            "anchor, same capacity",
            count,
            field.ours("anchor", &capacity),
            Some(("anchorhash", field.anchorhash())),
        );
        let weighted = ["weighted=true".to_owned()];
        row("rendezvous, weighted", count, field.ours("rendezvous", &weighted), None);
        row("maglev, weighted", count, field.ours("maglev", &weighted), None);
        let spare = ["capacity=1024".to_owned()];
        row("anchor of 1024", count, field.ours("anchor", &spare), None);
        for kind in ["mod-n", "ringpop", "bounded-ring", "slots", "redis", "directory"] {
            row(kind, count, plain(kind), None);
        }
    }

    println!("\nseconds for ten million hashes on one core, 100 hosts");
    let field = Field::new(100);
    let hashes: Vec<u64> =
        (0..10_000_000u64).map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).collect();
    for kind in
        ["mod-n", "ring", "ringpop", "bounded-ring", "jump", "maglev", "anchor", "slots", "redis"]
    {
        let (settings, _) = policy_settings(kind, &[]).expect("known settings");
        let mut placement = settings.placement(0).expect("a placement");
        placement.change(&[], &field.members());
        let start = Instant::now();
        black_box(placement.place(&hashes));
        println!("{kind:28} {:.3}", start.elapsed().as_secs_f64());
    }
}
