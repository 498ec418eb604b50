//! The family of hash placements: what all of them promise, and the cases of
//! public reports on hashing.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use evenkeel::balancer::Start;
use evenkeel::experiment::{PlanRequest, RunOptions, plan, run};
use evenkeel::hash::{HashFunction, hash_name};
use evenkeel::model::{HostId, HostSource, Snapshot};
use evenkeel::placement::{Member, Placement, jump_hash, place_named};
use evenkeel::scenario::{Scenario, placement_kinds, policy_settings};
use evenkeel::workload::zipf_weights;

/// The cases of reports: `EVENKEEL_DATA`, or `../shared/data` beside the
/// project; a printed reason where they are not.
fn report(name: &str) -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let data = std::env::var_os("EVENKEEL_DATA").map_or(beside, PathBuf::from);
    let folder = data.join("reports").join(name);
    if folder.is_dir() {
        return Some(folder);
    }
    println!("skipped: no report at {}", folder.display());
    None
}

/// Every hash placement with default settings, by kind.
fn placements() -> Vec<(&'static str, Box<dyn Placement>)> {
    placement_kinds().into_iter().map(|kind| (kind, placement(kind, &[]))).collect()
}

fn placement(kind: &str, sets: &[&str]) -> Box<dyn Placement> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    policy_settings(kind, &sets).unwrap().0.placement(0).unwrap()
}

/// Makes hosts `h1`, `h2`, ... with these numbers join.
fn join(placement: &mut dyn Placement, hosts: impl IntoIterator<Item = u32>) {
    for number in hosts {
        let name = format!("h{number}");
        placement.change(&[], &[Member { host: HostId(number), name: &name, weight: 1.0 }]);
    }
}

/// Owners of keys k0, k1, ..., by the numbers of the hosts.
fn owners(placement: &dyn Placement, keys: usize) -> Vec<u32> {
    let hashes: Vec<u64> = (0..keys).map(|i| placement.hash(&format!("k{i}"), 0)).collect();
    let owners = place_named(placement, &hashes, |i, name| name.push_str(&format!("k{i}")));
    owners.into_iter().map(|owner| owner.unwrap().0).collect()
}

/// Pairs of owners before and after, of the keys that moved.
fn moves(before: &[u32], after: &[u32]) -> Vec<(u32, u32)> {
    before.iter().copied().zip(after.iter().copied()).filter(|(a, b)| a != b).collect()
}

/// Placements that move keys between hosts that stay, by construction.
const DISTURB: [&str; 3] = ["mod-n", "maglev", "bounded-ring"];

#[test]
fn a_host_that_joins_takes_keys_and_nothing_else_moves() {
    for (kind, mut placement) in placements() {
        join(&mut *placement, 0..10);
        let before = owners(&*placement, 20_000);
        join(&mut *placement, [10]);
        let moved = moves(&before, &owners(&*placement, 20_000));
        let between_others = moved.iter().filter(|(_, to)| *to != 10).count();
        let share = moved.len() as f64 / 20_000.0;
        match kind {
            "mod-n" => assert!((share - 10.0 / 11.0).abs() < 0.01, "{kind}: {share}"),
            // The points of a ring of 100 for each host: 9.1 % ± 0.9 %.
            _ => assert!((0.05..0.14).contains(&share), "{kind}: {share}"),
        }
        assert!(DISTURB.contains(&kind) || between_others == 0, "{kind}: {between_others}");
        assert!((between_others as f64) < 0.06 * 20_000.0 || kind == "mod-n", "{kind}");
    }
}

#[test]
fn a_host_that_leaves_gives_its_keys_and_nothing_else_moves() {
    for (kind, mut placement) in placements() {
        join(&mut *placement, 0..10);
        let before = owners(&*placement, 20_000);
        placement.change(&[HostId(4)], &[]);
        let after = owners(&*placement, 20_000);
        assert!(after.iter().all(|owner| *owner != 4), "{kind}");
        let moved = moves(&before, &after);
        let between_others = moved.iter().filter(|(from, _)| *from != 4).count();
        match kind {
            // The last bucket's keys move as well: 19.0 % (ledger
            // hs-jump-no-retire).
            "jump" => {
                let share = moved.len() as f64 / 20_000.0;
                assert!((share - 0.19).abs() < 0.01, "{share}");
                assert!(moved.iter().all(|(from, _)| [4, 9].contains(from)));
            }
            _ if DISTURB.contains(&kind) => {}
            _ => assert_eq!(between_others, 0, "{kind}"),
        }
        join(&mut *placement, [4]);
        let again = owners(&*placement, 20_000);
        // A ring of names is as it was.
        if ["ring", "ringpop", "rendezvous", "maglev", "bounded-ring"].contains(&kind) {
            assert_eq!(again, before, "{kind}");
        }
    }
}

#[test]
fn a_replaced_host_hands_its_keys_over_where_hosts_have_places() {
    for (kind, mut placement) in placements() {
        join(&mut *placement, 0..10);
        let before = owners(&*placement, 5_000);
        let fresh = Member { host: HostId(77), name: "fresh", weight: 1.0 };
        placement.change(&[HostId(4)], &[fresh]);
        let after = owners(&*placement, 5_000);
        assert!(after.iter().all(|owner| *owner != 4), "{kind}");
        if ["mod-n", "jump", "anchor", "slots", "redis"].contains(&kind) {
            let handed: Vec<u32> =
                before.iter().map(|&owner| if owner == 4 { 77 } else { owner }).collect();
            assert_eq!(after, handed, "{kind}");
        }
    }
}

#[test]
fn without_hosts_nothing_is_owned() {
    for (kind, mut placement) in placements() {
        assert_eq!(placement.place(&[1, 2]), [None, None], "{kind}");
        join(&mut *placement, [3]);
        placement.change(&[HostId(3), HostId(8)], &[]);
        assert_eq!(placement.owner(5), None, "{kind}");
    }
}

#[test]
fn keys_are_spread_over_all_hosts() {
    for (kind, mut placement) in placements() {
        join(&mut *placement, 0..10);
        let mut counts = [0.0; 10];
        for owner in owners(&*placement, 50_000) {
            counts[owner as usize] += 1.0;
        }
        let hottest = counts.iter().copied().fold(0.0, f64::max) / 5_000.0;
        let most = match kind {
            "ring" | "ringpop" | "directory" => 1.35,
            "bounded-ring" => 1.2501,
            _ => 1.06,
        };
        assert!(hottest < most, "{kind}: {hottest}");
    }
}

/// Report 09: equal hosts keep equal points, and keys never move between old
/// hosts.
#[test]
fn a_ring_of_160_points_grows_without_moves_between_old_hosts() {
    for (kind, sets) in [
        ("ring", &["virtual_nodes=160"][..]),
        ("ring", &["virtual_nodes=160", "weighted=true", "hash=murmur3"]),
        ("ring", &["virtual_nodes=160", "hash=farmhash"]),
        ("rendezvous", &[]),
        ("jump", &[]),
    ] {
        let mut placement = placement(kind, sets);
        join(&mut *placement, 1..=6);
        let mut before = owners(&*placement, 100_000);
        for (new, mean, tolerance) in [(7, 1.0 / 7.0, 0.042), (8, 1.0 / 8.0, 0.0372)] {
            join(&mut *placement, [new]);
            let after = owners(&*placement, 100_000);
            let moved = moves(&before, &after);
            assert!(moved.iter().all(|(_, to)| *to == new), "{kind}");
            let share = moved.len() as f64 / 100_000.0;
            assert!((share - mean).abs() < tolerance, "{kind}: {share}");
            before = after;
        }
    }
}

/// Report 10: membership is a set. Reversing the file of hosts changes no
/// placement.
#[test]
fn the_order_of_hosts_in_a_file_changes_no_placement() {
    let Some(folder) = report("10-host-order") else { return };
    for kind in placement_kinds() {
        let (policy, optimum) = policy_settings(kind, &[]).unwrap();
        let placed = ["hosts.csv", "hosts-reversed.csv"].map(|hosts| {
            let hosts = folder.join(hosts);
            let snapshot =
                Snapshot::read(&folder.join("snapshot.csv"), HostSource::File(&hosts)).unwrap();
            let request = PlanRequest {
                snapshot: &snapshot,
                policy: &policy,
                start: Start::Greedy,
                max_passes: 1,
                max_moves: None,
                optimum,
            };
            let mut owners: Vec<Option<String>> = vec![None; snapshot.shards.len()];
            for step in plan(&request).unwrap().moves {
                owners[step.shard.index()] = Some(snapshot.hosts[step.to.index()].name.clone());
            }
            owners
        });
        assert_eq!(placed[0].iter().flatten().count(), 1000, "{kind}");
        assert_eq!(placed[0], placed[1], "{kind}");
    }
}

/// Report 10: the greedy start deals equal shards out evenly in either order,
/// and the same twice.
#[test]
fn the_greedy_start_is_even_and_repeats() {
    let Some(folder) = report("10-host-order") else { return };
    let (policy, optimum) = policy_settings("greedy", &[]).unwrap();
    for hosts in ["hosts.csv", "hosts-reversed.csv"] {
        let hosts = folder.join(hosts);
        let snapshot =
            Snapshot::read(&folder.join("snapshot.csv"), HostSource::File(&hosts)).unwrap();
        let planned = || {
            let request = PlanRequest {
                snapshot: &snapshot,
                policy: &policy,
                start: Start::Greedy,
                max_passes: 10,
                max_moves: None,
                optimum,
            };
            plan(&request).unwrap().moves
        };
        let mut counts = [0; 10];
        for step in planned() {
            counts[step.to.index()] += 1;
        }
        assert_eq!(counts, [100; 10]);
        assert_eq!(planned(), planned());
    }
}

/// Report 11: one key is no sample: 10,000 moves from 6 to 18, so that a test
/// with this key alone finds that all move, where half of 10,000 keys do.
#[test]
fn jump_moves_half_of_ten_thousand_keys() {
    let places = |key: u64| (jump_hash(key, 10), jump_hash(key, 20));
    assert_eq!(places(10_000), (Some(6), Some(18)));
    let moved: Vec<_> = (0..10_000).map(places).filter(|(old, new)| old != new).collect();
    assert_eq!(moved.len(), 5000);
    assert!(moved.iter().all(|(_, new)| *new >= Some(10)));
}

/// Report 11: vectors of jump hash, and the share that moves from 10 to 20
/// hosts.
#[test]
fn half_of_the_keys_move_when_hosts_double() {
    if let Some(folder) = report("11-same-key-every-time") {
        let mut reader = csv::Reader::from_path(folder.join("jump-vectors.csv")).unwrap();
        let mut rows = 0;
        for row in reader.deserialize::<(u64, u32, u32)>() {
            let (key, buckets, bucket) = row.unwrap();
            assert_eq!(jump_hash(key, buckets), Some(bucket), "{key}, {buckets}");
            rows += 1;
        }
        assert!(rows > 30);
    }
    for (kind, mut placement) in placements() {
        join(&mut *placement, 0..10);
        let before = owners(&*placement, 10_000);
        join(&mut *placement, 10..20);
        let moved = moves(&before, &owners(&*placement, 10_000));
        let share = moved.len() as f64 / 10_000.0;
        let most = if kind == "bounded-ring" { 0.6 } else { 0.55 };
        assert!((0.45..most).contains(&share), "{kind}: {share}");
    }
}

/// Report 12: modulo moves three times what has to move.
#[test]
fn modulo_churns() {
    let mut placement = placement("mod-n", &[]);
    join(&mut *placement, 0..3);
    let ids: Vec<u64> = (0..12_000).collect();
    let before = placement.place(&ids);
    join(&mut *placement, [3]);
    let moved = before.iter().zip(placement.place(&ids)).filter(|(a, b)| *a != b).count();
    assert_eq!(moved, 9000);
    let hashed: Vec<u64> = ids.iter().map(|id| hash_name(&id.to_string(), 0)).collect();
    let after = placement.place(&hashed);
    placement.change(&[HostId(3)], &[]);
    let moved = placement.place(&hashed).iter().zip(&after).filter(|(a, b)| a != b).count();
    assert!((moved as f64 / 12_000.0 - 0.75).abs() < 0.0158);

    // The same start as slots, and the fewest moves to 3,000 on each host.
    let mut slots = self::placement("slots", &["slots=12000", "layout=round-robin"]);
    let names = ["h0", "h1", "h2"].map(str::to_owned);
    let joining: Vec<Member<'_>> = (0..)
        .map(HostId)
        .zip(&names)
        .map(|(host, name)| Member { host, name, weight: 1.0 })
        .collect();
    slots.change(&[], &joining);
    assert_eq!(slots.place(&ids), before);
    join(&mut *slots, [3]);
    let after = slots.place(&ids);
    assert_eq!(before.iter().zip(&after).filter(|(a, b)| a != b).count(), 3000);
    for host in 0..4 {
        assert_eq!(after.iter().filter(|owner| **owner == Some(HostId(host))).count(), 3000);
    }
}

/// Two clients with different hash functions agree on 1 / n of the keys
/// (ledger hs-drift).
#[test]
fn clients_with_different_hashes_miss() {
    let mut placement = placement("mod-n", &[]);
    join(&mut *placement, 0..8);
    let with = |hash: HashFunction| -> Vec<Option<HostId>> {
        (0..40_000).map(|i| placement.owner(hash.hash(&format!("k{i}"), 0) >> 32)).collect()
    };
    let [xxh64, murmur3, farmhash] = HashFunction::ALL.map(with);
    for (a, b) in [(&xxh64, &murmur3), (&xxh64, &farmhash), (&murmur3, &farmhash)] {
        let misses = a.iter().zip(b).filter(|(a, b)| a != b).count() as f64 / 40_000.0;
        assert!((misses - 0.875).abs() < 0.01, "{misses}");
    }
}

/// A key with a shard of its own, and a host of its own for that shard.
#[test]
fn a_named_key_has_a_host_of_its_own() {
    let text = r#"
        schema = 1
        name = "dedicated"
        duration = "1m"
        [workload]
        kind = "keys"
        keys = 1000
        shards = 50
        ranks = "kept"
        dedicated = ["key-0"]
        [cluster]
        hosts = 5
        [[cluster.event]]
        at = "30s"
        kind = "add"
        host = "host-5"
        [[policy]]
        kind = "directory"
        exceptions = { "key:key-0" = "host-2" }
        dedicated = true
        [optimum]
        enabled = false
    "#;
    let scenario = Scenario::parse(text, "dedicated.toml", Path::new(""), &[]).unwrap();
    let lane = &run(&scenario, RunOptions::default()).unwrap().lanes[0];
    let at_the_end: Vec<_> = lane.hosts.iter().rev().take(6).collect();
    let own = at_the_end.iter().find(|row| row.host == "host-2").unwrap();
    let load = 10_000.0 * zipf_weights(1000, 1.0)[0];
    assert_eq!((own.shards, own.moved_in, own.moved_out), (1, 0, 0));
    assert!((own.load - load).abs() < 1e-9);
    let others: usize = at_the_end.iter().map(|row| row.shards).sum();
    assert_eq!(others, 51);
}
