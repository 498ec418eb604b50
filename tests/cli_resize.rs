//! `evenkeel resize` and `evenkeel fan-out` through their command lines.

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
}

#[test]
fn slots_of_both_rules_as_a_table() {
    let arguments =
        ["resize", "--from", "8", "--to", "10", "--slots", "1024", "--placement", "slots"];
    let both = ["--placement", "slots:rebalance=listing", "--replications", "1"];
    let arguments: Vec<&str> = arguments.into_iter().chain(both).collect();
    assert_snapshot!(Desk::new().succeed(&arguments), @"");
    let csv: Vec<&str> = arguments.into_iter().chain(["--format", "csv"]).collect();
    assert_snapshot!(Desk::new().succeed(&csv), @"");
}

/// 2 of 8 weights leave; placements with weights own shares after them.
#[test]
fn weights_come_from_a_file() {
    let desk = Desk::with("hosts.csv", "host,capacity\na,1\nb,2\nc,3\nd,2\n");
    let all = ["--weights", "hosts.csv", "--remove", "d", "--all", "--keys", "20000"];
    for row in rows(&desk, &all) {
        assert_eq!(row["minimum_share"], 0.25);
        let hottest = row["max_over_mean_before"].as_f64().unwrap();
        let weighted = ["rendezvous", "maglev", "slots", "redis"]
            .contains(&row["placement"].as_str().unwrap());
        assert_eq!(hottest < 1.1, weighted, "{row}");
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

#[test]
fn mistakes_are_named() {
    let desk = Desk::with("hosts.csv", "host,capacity\na,1\na,2\n");
    let refused = |arguments: &[&str]| {
        let arguments: Vec<&str> = ["resize"].iter().chain(arguments).copied().collect();
        desk.refuse(&arguments)
    };
    assert_snapshot!(refused(&["--from", "0", "--to", "1", "--all"]), @"");
    assert_snapshot!(refused(&["--from", "1", "--remove", "host-0", "--all"]), @"");
    assert_snapshot!(refused(&["--from", "3", "--replace", "host-7", "--all"]), @"");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--placement", "maglv"]), @"");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--placement", "maglev:table_size=10"]), @"");
    assert_snapshot!(refused(&["--from", "3", "--to", "2000", "--placement", "anchor"]), @"");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--all", "--keys", "0"]), @"");
    assert_snapshot!(refused(&["--weights", "hosts.csv", "--to", "1", "--all"]), @"");
    assert_snapshot!(refused(&["--from", "3", "--to", "4", "--placement", "bounded-ring:epsilon=0"]), @"");
}

#[test]
fn tails_of_queries() {
    let desk = Desk::with("latency.csv", "latency\n10\n20\n30\n40\n");
    assert_snapshot!(desk.succeed(&["fan-out", "--shards", "1,32"]), @"");
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
    assert_snapshot!(desk.succeed(&measured), @"");
    assert_snapshot!(desk.refuse(&["fan-out", "--latency", "normal:1"]), @"");
    assert_snapshot!(desk.refuse(&["fan-out", "--common", "2"]), @"");
    assert_snapshot!(desk.refuse(&["fan-out", "--latency", "exponential:-1"]), @"");
}
