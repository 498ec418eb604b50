//! Claims about hashing from published articles, with the names they have in
//! the ledger of claims. Those not here are beside the code that they are about.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use evenkeel::hash::hash_name;
use evenkeel::metrics::imbalance::{coefficient_of_variation, max_over_mean};
use evenkeel::metrics::mean_and_deviation;
use evenkeel::model::HostId;
use evenkeel::placement::{Member, Placement, jump_hash};
use evenkeel::scenario::policy_settings;
use evenkeel::workload::zipf_weights;

/// A placement with default settings but for some, over hosts 0, 1, ..., n - 1.
fn placement(kind: &str, sets: &[&str], hash_seed: u64, hosts: u32) -> Box<dyn Placement> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let (settings, _) = policy_settings(kind, &sets).unwrap();
    let mut placement = settings.placement(hash_seed).unwrap();
    grow(&mut *placement, 0..hosts);
    placement
}

fn grow(placement: &mut dyn Placement, hosts: std::ops::Range<u32>) {
    for host in hosts {
        let name = format!("h{host}");
        placement.change(&[], &[Member { host: HostId(host), name: &name, weight: 1.0 }]);
    }
}

fn hashes(keys: u64) -> Vec<u64> {
    (0..keys).map(|key| hash_name(&key.to_string(), 0)).collect()
}

/// The share of keys whose owner differs after hosts have joined.
fn moved(placement: &mut dyn Placement, hashes: &[u64], joining: std::ops::Range<u32>) -> f64 {
    let before = placement.place(hashes);
    grow(placement, joining);
    let moved = before.iter().zip(placement.place(hashes)).filter(|(a, b)| *a != b);
    moved.count() as f64 / hashes.len() as f64
}

/// Loads on hosts.
fn on_hosts(placement: &dyn Placement, hashes: &[u64], loads: &[f64], hosts: usize) -> Vec<f64> {
    let mut sums = vec![0.0; hosts];
    for (owner, load) in placement.place(hashes).into_iter().zip(loads) {
        sums[owner.unwrap().index()] += load;
    }
    sums
}

/// hs-mod-799, hs-mod-8-10, hs-jump-92: 79.9 % from 4 to 5 by modulo, exactly
/// 80 % from 8 to 10, and 9.1 % from 10 to 11 by jump.
#[test]
fn shares_that_move() {
    let hashes = hashes(200_000);
    let mod_n = |hosts| placement("mod-n", &[], 0, hosts);
    assert!((moved(&mut *mod_n(4), &hashes, 4..5) - 0.8).abs() < 0.0027);
    let residues: Vec<u64> = (0..4000).collect();
    assert_eq!(moved(&mut *mod_n(8), &residues, 8..10), 0.8);
    let mut jump = placement("jump", &[], 0, 10);
    assert!((moved(&mut *jump, &hashes, 10..11) - 0.0909).abs() < 0.002);
}

/// hs-jump-new-only: published vectors; every key that moves goes to the new
/// bucket.
#[test]
fn jump_moves_to_the_new_bucket_only() {
    for (key, buckets, bucket) in [(42, 57, 43), (0xdead_10cc, 666, 361), (256, 1024, 520)] {
        assert_eq!(jump_hash(key, buckets), Some(bucket));
    }
    for hash in hashes(100_000) {
        let (old, new) = (jump_hash(hash, 10), jump_hash(hash, 11));
        assert!(old == new || new == Some(10));
    }
}

/// hs-jump-balance and hs-jump-range: jump is as even as modulo, which is as
/// even as chance.
#[test]
fn jump_is_as_even_as_modulo() {
    for kind in ["jump", "mod-n"] {
        let mut variations = Vec::new();
        for sample in 0..40 {
            let hashes: Vec<u64> =
                (0..20_000).map(|key| hash_name(&key.to_string(), sample)).collect();
            let ones = vec![1.0; hashes.len()];
            let loads = on_hosts(&*placement(kind, &[], 0, 10), &hashes, &ones, 10);
            variations.push(coefficient_of_variation(&loads));
        }
        // Binomial: sqrt(9 / 20,000) = 0.0212.
        let (mean, _) = mean_and_deviation(variations.into_iter()).unwrap();
        assert!((mean - 0.0207).abs() < 0.0025, "{kind}: {mean}");
    }
}

/// hs-slots-10-100x: how uneven the numbers of slots are with 1,024 slots, and
/// at worst with so many for each of n hosts, for n / 2 to n.
#[test]
fn ten_to_a_hundred_slots_a_host_are_even_enough() {
    let ratio = |slots: u32, hosts: u32| {
        let numbers: Vec<u64> = (0..u64::from(slots)).collect();
        let placement = placement("slots", &[&format!("slots={slots}")], 0, hosts);
        let ones = vec![1.0; numbers.len()];
        max_over_mean(&on_hosts(&*placement, &numbers, &ones, hosts as usize))
    };
    for (hosts, expected) in [(10, 1.006), (48, 1.031), (100, 1.074)] {
        assert!((ratio(1024, hosts) - expected).abs() < 0.0005, "{hosts}");
    }
    for (share, expected) in [(2, 1.49), (4, 1.24), (10, 1.091), (100, 1.010)] {
        let worst = (100..=200).map(|hosts| ratio(share * 200, hosts)).fold(0.0, f64::max);
        assert!((worst - expected).abs() < 0.006, "{share}: {worst}");
    }
}

/// hs-tenant-40, hs-hot-30 and ch-hot-user: a key of a share p keeps its host
/// at p + (1 - p) / n, whatever the placement.
#[test]
fn a_hot_key_is_a_floor_for_every_placement() {
    let hashes = hashes(20_001);
    for (share, hosts) in [(0.4, 4), (0.4, 8), (0.4, 32), (0.3, 8), (0.3, 10)] {
        let mut loads = vec![(1.0 - share) / 20_000.0; 20_001];
        loads[0] = share;
        for kind in ["mod-n", "jump", "rendezvous", "slots"] {
            let on_hosts =
                on_hosts(&*placement(kind, &[], 0, hosts), &hashes, &loads, hosts as usize);
            let hottest = on_hosts.iter().copied().fold(0.0, f64::max);
            let expected = share + (1.0 - share) / f64::from(hosts);
            assert!(hottest >= share && (hottest - expected).abs() < 0.015, "{kind}: {hottest}");
        }
    }
}

/// hs-monotone: with ranges of an ordered key, new writes all go to the last
/// host; hashes spread them.
#[test]
fn hashing_spreads_ordered_keys() {
    let hashes = hashes(1000);
    let ones = vec![1.0; 1000];
    let loads = on_hosts(&*placement("mod-n", &[], 0, 8), &hashes, &ones, 8);
    let hottest = loads.iter().copied().fold(0.0, f64::max) / 1000.0;
    assert!((hottest - 0.143).abs() < 0.03, "{hottest}");
}

/// ch-1-over-n1: a ring moves 1 / (n + 1), with a spread of about
/// 1 / ((n + 1) sqrt(V)) for V points a host.
#[test]
fn a_ring_moves_its_share_with_a_spread() {
    let hashes = hashes(4000);
    for (points, hosts, share) in [(100, 3, 0.25), (100, 10, 0.0909), (4, 3, 0.25)] {
        let sets = [format!("virtual_nodes={points}")];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let shares = (1..=150).map(|seed| {
            let mut ring = placement("ring", &sets, seed, hosts);
            moved(&mut *ring, &hashes, hosts..hosts + 1)
        });
        let (mean, spread) = mean_and_deviation(shares).unwrap();
        let predicted = share / f64::from(points).sqrt();
        assert!((mean - share).abs() < 4.0 * predicted / 150.0_f64.sqrt(), "{points}: {mean}");
        assert!((0.6..1.4).contains(&(spread.unwrap() / predicted)), "{points}: {spread:?}");
    }
}

/// ch-tokens-not-load: with loads after Zipf's law more points do not help:
/// 4,096 users on 10 hosts, hottest about twice the mean from 16 points on.
/// uber-count-not-load: equal counts do not help either.
#[test]
fn more_points_do_not_even_out_loads() {
    let hashes = hashes(4096);
    let weights = zipf_weights(4096, 1.0);
    let hottest = |kind: &str, sets: &[&str]| {
        let ratios = (1..=60).map(|seed| {
            // Other keys are the popular ones under every seed.
            let mut hashes = hashes.clone();
            hashes.rotate_left(seed as usize * 61);
            max_over_mean(&on_hosts(&*placement(kind, sets, seed, 10), &hashes, &weights, 10))
        });
        mean_and_deviation(ratios).unwrap().0
    };
    let few = hottest("ring", &["virtual_nodes=1"]);
    assert!(few > 2.6, "{few}");
    for sets in [&["virtual_nodes=16"], &["virtual_nodes=100"], &["virtual_nodes=1000"]] {
        let ratio = hottest("ring", sets);
        assert!((1.85..2.3).contains(&ratio), "{sets:?}: {ratio}");
    }
    let even = hottest("slots", &["slots=4096", "layout=round-robin"]);
    assert!(even > 1.5, "{even}");
}

/// ad-ch-better: 10,240 virtual shards on 32 hosts are less even on a ring than
/// dealt out in turns.
#[test]
fn a_ring_is_less_even_than_turns() {
    let hashes = hashes(10_240);
    let ones = vec![1.0; hashes.len()];
    let ratio = |points: &str| {
        let sets = [format!("virtual_nodes={points}")];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let ratios = (1..=40).map(|seed| {
            max_over_mean(&on_hosts(&*placement("ring", &sets, seed, 32), &hashes, &ones, 32))
        });
        mean_and_deviation(ratios).unwrap().0
    };
    for (points, expected, tolerance) in [("1", 4.1, 0.6), ("16", 1.6, 0.12), ("100", 1.25, 0.05)] {
        let measured = ratio(points);
        assert!((measured - expected).abs() < tolerance, "{points}: {measured}");
    }
    let numbers: Vec<u64> = (0..10_240).collect();
    let turns = placement("slots", &["slots=10240", "layout=round-robin"], 0, 32);
    assert_eq!(max_over_mean(&on_hosts(&*turns, &numbers, &ones, 32)), 1.0);
}
