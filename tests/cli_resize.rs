//! `evenkeel resize` and `evenkeel fan-out` through their command lines.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/cli.rs"]
#[allow(dead_code, unreachable_pub)]
mod cli;

use cli::Desk;
use insta::assert_snapshot;
use serde_json::Value;

fn rows(desk: &Desk, arguments: &[&str]) -> Vec<Value> {
    let arguments: Vec<&str> =
        ["resize"].iter().chain(arguments).chain(&["--format", "json"]).copied().collect();
    let json: Value = serde_json::from_str(&desk.succeed(&arguments)).unwrap();
    json.as_array().unwrap().clone()
}

#[test]
fn the_family_side_by_side() {
    let all = ["--from", "10", "--to", "11", "--keys", "20000", "--all", "--replications", "3"];
    let rows = rows(&Desk::new(), &all);
    assert_eq!(rows.len(), 11);
    for row in &rows {
        let keys: Vec<&str> = row.as_object().unwrap().keys().map(String::as_str).collect();
        for key in [
            "placement",
            "from",
            "to",
            "keys",
            "moved_share",
            "minimum_share",
            "max_over_mean_before",
            "max_over_mean_after",
            "seed_spread",
            "map_version_before",
            "map_version_after",
            "change",
        ] {
            assert!(keys.contains(&key), "{key} of {keys:?}");
        }
        assert_eq!(
            (&row["from"], &row["to"], &row["keys"]),
            (&10.into(), &11.into(), &20_000.into())
        );
    }
    let moved = |placement: &str| {
        rows.iter().find(|row| row["placement"] == placement).unwrap()["moved_share"]
            .as_f64()
            .unwrap()
    };
    assert!((moved("mod-n") - 0.909).abs() < 0.005);
    assert!((moved("jump") - 1.0 / 11.0).abs() < 0.005);
    assert!((moved("ring") - 1.0 / 11.0).abs() < 0.02);
    for row in &rows {
        let slots = ["slots", "redis"].contains(&row["placement"].as_str().unwrap());
        let versions = ["map_version_before", "map_version_after"].map(|key| row[key].as_u64());
        assert_eq!(versions, if slots { [Some(1), Some(2)] } else { [None; 2] }, "{row}");
    }
}

#[test]
fn slots_of_both_rules_as_a_table() {
    let arguments =
        ["resize", "--from", "8", "--to", "10", "--slots", "1024", "--placement", "slots"];
    let both = ["--placement", "slots:rebalance=listing", "--replications", "1"];
    let arguments: Vec<&str> = arguments.into_iter().chain(both).collect();
    assert_snapshot!(Desk::new().succeed(&arguments), @"
    From 8 to 10 hosts
    8 to 10 hosts, 1 024 keys, 1 seed

    placement                moved %  above minimum %  max/mean before  max/mean after
    slots                      19.92            -0.08           1.0000          1.0059
    slots:rebalance=listing    19.92            -0.08           1.0000          1.0059

    unavoidable minimum 20.00 %
    ");
    let csv: Vec<&str> = arguments.into_iter().chain(["--format", "csv"]).collect();
    assert_snapshot!(Desk::new().succeed(&csv), @"
    placement,from,to,keys,moved_share,minimum_share,max_over_mean_before,max_over_mean_after,moved_load_share,load_max_over_mean_before,load_max_over_mean_after,seed_spread,map_version_before,map_version_after,change
    slots,8,10,1024,0.19921875,0.2,1,1.005859375,0.19921875,1,1.005859375,,1,2,From 8 to 10 hosts
    slots:rebalance=listing,8,10,1024,0.19921875,0.2,1,1.005859375,0.19921875,1,1.005859375,,1,2,From 8 to 10 hosts
    ");
}

/// 2 of 8 weights leave; placements with weights own shares after them.
#[test]
fn weights_come_from_a_file() {
    let desk = Desk::with("hosts.csv", "host,capacity\na,1\nb,2\nc,3\nd,2\n");
    let all = ["--weights", "hosts.csv", "--remove", "d", "--all", "--keys", "20000"];
    for row in rows(&desk, &all) {
        assert!((row["minimum_share"].as_f64().unwrap() - 0.25).abs() < 1e-12);
        let hottest = row["max_over_mean_before"].as_f64().unwrap();
        let weighted = ["ring", "bounded-ring", "rendezvous", "maglev", "slots", "redis"]
            .contains(&row["placement"].as_str().unwrap());
        assert_eq!(hottest < 1.3, weighted, "{row}");
    }
    // Twice the load for a host of twice the weight, and a hot key on top.
    let skewed = [
        "--weights",
        "hosts.csv",
        "--replace",
        "a",
        "--placement",
        "rendezvous",
        "--exponent",
        "1",
    ];
    let row = &rows(&desk, &skewed)[0];
    assert!(row["load_max_over_mean_after"].as_f64() > row["max_over_mean_after"].as_f64());
}

#[test]
fn files_are_written_and_one_key_is_noted() {
    let desk = Desk::new();
    let arguments = ["resize", "--from", "2", "--to", "3", "--keys", "1", "--all", "--out", "r"];
    desk.succeed(&arguments);
    for file in ["resize.csv", "samples.csv", "resize.json", "plots/resize.svg", "plots/resize.png"]
    {
        assert!(desk.path("r").join(file).is_file(), "{file}");
    }
}

/// Plots come from the tables alone, and are the same.
#[test]
fn plots_are_drawn_again() {
    let desk = Desk::new();
    desk.succeed(&[
        "resize", "--from", "3", "--remove", "host-1", "--keys", "500", "--all", "--out", "r",
    ]);
    let files = ["plots/resize.svg", "plots/resize.png"].map(|file| desk.path("r").join(file));
    let drawn = files.each_ref().map(|file| std::fs::read(file).unwrap());
    std::fs::remove_dir_all(desk.path("r/plots")).unwrap();
    std::fs::remove_file(desk.path("r/resize.json")).unwrap();
    assert_snapshot!(desk.succeed(&["plot", "r"]), @"
    r/plots/resize.svg
    r/plots/resize.png
    ");
    assert!(files.each_ref().map(|file| std::fs::read(file).unwrap()) == drawn);
    let svg = String::from_utf8(drawn[0].clone()).unwrap();
    assert!(svg.contains("host-1 of 3 hosts leaves"));

    std::fs::remove_file(desk.path("r/samples.csv")).unwrap();
    assert_snapshot!(desk.refuse(&["plot", "r"]), @"error: r/samples.csv: no such file");
    assert!(files.each_ref().map(|file| std::fs::read(file).unwrap()) == drawn);
}

#[test]
fn mistakes_are_named() {
    let desk = Desk::with("hosts.csv", "host,capacity\na,1\na,2\n");
    desk.write("down.csv", "host,capacity,status\na,1,up\nb,2,down\n");
    desk.write("bad.csv", "host,capacity\na,1\nb,0\n");
    let refused = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["resize"].iter().chain(arguments).copied().collect();
        desk.refuse(&arguments)
    };
    assert_snapshot!(refused(&["--from", "0", "--to", "1", "--all"]), @"error: --from 0: the number of hosts must be from 1 to 100000");
    assert_snapshot!(refused(&["--from", "1", "--remove", "host-0", "--all"]), @"error: host `host-0` is the last one; a cluster needs a host");
    assert_snapshot!(refused(&["--from", "3", "--replace", "host-7", "--all"]), @"error: there is no host `host-7`; did you mean `host-0`?");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--placement", "maglv"]), @"error: unknown placement `maglv`; did you mean `maglev`?");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--placement", "maglev:table_size=10"]), @"
    error: `table_size` must be a prime, not 10; the next one is 11
      --> command line
     |
     | policy.maglev.table_size=10
     |                          ^^
    ");
    assert_snapshot!(refused(&["--from", "3", "--to", "2000", "--placement", "anchor"]), @"error: placement anchor: `capacity` of 1024 is too small for the 2000 hosts there may be");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--all", "--keys", "0"]), @"error: --keys 0: must be from 1 to 10000000");
    assert_snapshot!(refused(&["--weights", "hosts.csv", "--to", "1", "--all"]), @"error: hosts.csv, line 3, column `host`: host `a` was given on line 2 already");
    assert_snapshot!(refused(&["--weights", "bad.csv", "--to", "1", "--all"]), @"error: bad.csv, line 3, column `capacity`: the capacity must be above 0, not 0");
    assert_snapshot!(refused(&["--weights", "down.csv", "--to", "1", "--all"]), @"error: down.csv: host `b` is down, and only active hosts own keys; leave it out");
    assert_snapshot!(refused(&["--from", "3", "--to", "0", "--all"]), @"error: --to 0: the number of hosts must be from 1 to 100000");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--placement", "ring:hash"]), @"error: --placement ring:hash: `hash` has no value; write ring:hash=VALUE");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--placement", "ring", "--placement", "ring"]), @"error: --placement ring: is given twice");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--placement", "bounded-ring:epsilon=0"]), @"
    error: `epsilon` must be a finite number above 0, not 0
      --> command line
     |
     | policy.bounded-ring.epsilon=0
     |                             ^
    ");
}

#[test]
fn tails_of_queries() {
    let desk = Desk::with("latency.csv", "latency\n10\n20\n30\n40\n");
    assert_snapshot!(desk.succeed(&["fan-out", "--shards", "1,32"]), @"
    A shard is slow with probability 0.01, of which a share of 0 is common to all.

    shards asked  slow %  simulated     p50     p99  simulated
    1              1.000      1.090  10.000  32.001     32.697
    32            27.502     27.540  27.526  55.268     55.507
    ");
    let measured = [
        "fan-out",
        "--latency",
        "latency.csv",
        "--slow",
        "0.25",
        "--shards",
        "2",
        "--format",
        "csv",
    ];
    assert_snapshot!(desk.succeed(&measured), @"
    shards,slow_share,slow_share_simulated,p50,p99,p99_simulated
    2,0.4375,0.4379,30,40,40
    ");
    assert_snapshot!(desk.refuse(&["fan-out", "--latency", "normal:1"]), @"error: --latency normal:1: write exponential:MEAN or lognormal:MEDIAN,SIGMA, with numbers, or a file");
    assert_snapshot!(desk.refuse(&["fan-out", "--common", "2"]), @"error: --common 2: must be from 0 to 1");
    assert_snapshot!(desk.refuse(&["fan-out", "--latency", "exponential:-1"]), @"error: --latency exponential:-1: `mean` must be above 0, not -1");
}

#[test]
fn a_setting_that_is_written_wins_over_a_file_of_weights() {
    let desk = Desk::with("w.csv", "host,capacity\na,1\nb,3\nc,2\n");
    let named = ["ring", "ring:weighted=true", "ring:weighted=false"];
    let mut arguments = vec!["--weights", "w.csv", "--remove", "c", "--keys", "5000"];
    arguments.extend(named.iter().flat_map(|name| ["--placement", name]));
    let uneven: Vec<f64> = rows(&desk, &arguments)
        .iter()
        .map(|row| row["max_over_mean_before"].as_f64().unwrap())
        .collect();
    assert_eq!(uneven[0], uneven[1]);
    // Host a has a third of the keys and a sixth of the weight.
    assert!(uneven[2] > 1.6, "{uneven:?}");
}

#[test]
fn the_family_has_room_for_all_hosts() {
    let desk = Desk::new();
    let all = ["--from", "1100", "--to", "1101", "--keys", "2000", "--all", "--replications", "1"];
    assert_eq!(rows(&desk, &all).len(), 11);
}
