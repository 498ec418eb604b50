//! `plan` and `optimum` on snapshots, good and bad.

#[path = "common/cli.rs"]
#[allow(dead_code, unreachable_pub)]
mod cli;

use cli::{Desk, SNAPSHOT, closed_pipe};
use insta::assert_snapshot;
use serde_json::Value;

/// What `plan` prints about a snapshot.
fn plan_of(snapshot: &str, arguments: &[&str]) -> String {
    let desk = Desk::with("s.csv", snapshot);
    desk.succeed(&[&["plan", "s.csv"], arguments].concat())
}

/// What `plan` prints about a snapshot with a hosts file.
fn plan_on(snapshot: &str, hosts: &str) -> String {
    let desk = Desk::with("s.csv", snapshot);
    desk.write("h.csv", hosts);
    desk.succeed(&["plan", "s.csv", "--hosts", "h.csv"])
}

/// The message about a snapshot that cannot be used.
fn refused(snapshot: impl AsRef<[u8]>, arguments: &[&str]) -> String {
    let desk = Desk::with("s.csv", snapshot);
    let plan = desk.refuse(&[&["plan", "s.csv", "--out", "out"], arguments].concat());
    assert_eq!(plan, desk.refuse(&[&["optimum", "s.csv"], arguments].concat()));
    plan
}

/// The message about a hosts file that cannot be used.
fn refused_hosts(hosts: &str) -> String {
    let desk = Desk::with("s.csv", SNAPSHOT);
    desk.write("h.csv", hosts);
    desk.refuse(&["plan", "s.csv", "--hosts", "h.csv", "--out", "out"])
}

#[test]
fn the_worked_example() {
    assert_snapshot!(plan_of(SNAPSHOT, &[]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.6000            h1       160.000000
    after                 1.0000            h1       100.000000
    optimum (optimal)     1.0000                     100.000000

    1 move in 2 passes, carrying a load of 60.
    Then the policy rests: no host is above the upper threshold.
    The same traffic would need 2 of the 2 active hosts at the new ratio.

    shard  from  to  load  pass     reason
    b        h1  h2    60     1  rebalance
    ");
    assert_snapshot!(plan_of(SNAPSHOT, &["--format", "csv"]), @"
    shard,from,to,load,pass,reason
    b,h1,h2,60,1,rebalance
    ");
    assert_snapshot!(plan_of(SNAPSHOT, &["--format", "json"]), @r#"
    {
      "active_hosts": 2,
      "after": {
        "fleet_utilisation": 100.0,
        "hot_ratio": 1.0,
        "hottest_host": "h1",
        "utilisation": 100.0
      },
      "before": {
        "fleet_utilisation": 100.0,
        "hot_ratio": 1.6,
        "hottest_host": "h1",
        "utilisation": 160.0
      },
      "excess": 0.0,
      "hosts_needed": 2,
      "moved_load": 60.0,
      "moves": [
        {
          "from": "h1",
          "load": 60.0,
          "pass": 1,
          "reason": "rebalance",
          "shard": "b",
          "to": "h2"
        }
      ],
      "optimum": {
        "bound": 0.999999999999998,
        "bound_name": "mean",
        "gap": 1.9984014443252857e-15,
        "hot_ratio": 1.0,
        "solver": "start",
        "status": "optimal",
        "utilisation": 100.0
      },
      "passes": 2,
      "placements": [],
      "policy": "greedy",
      "reason": "no-source",
      "stopped_early": false
    }
    "#);
    let desk = Desk::with("s.csv", SNAPSHOT);
    assert_snapshot!(desk.succeed(&["optimum", "s.csv"]), @"
                                  hot_ratio  hottest utilisation
    now                            1.600000                  160
    best found (optimal, by lpt)   1.000000                  100
    lower bound (mean)             1.000000

    gap 2.0e-15; 1 move from the current hosts
    ");
    assert_snapshot!(desk.succeed(&["optimum", "s.csv", "--format", "csv"]), @"
    shard,from,to,load
    b,h1,h2,60
    ");
    assert_snapshot!(desk.succeed(&["optimum", "s.csv", "--format", "json"]), @r#"
    {
      "bound": 0.999999999999998,
      "bound_name": "mean",
      "gap": 1.9984014443252857e-15,
      "hot_ratio": 1.6,
      "metric": "max",
      "moved_load": 60.0,
      "moves": [
        {
          "from": "h1",
          "load": 60.0,
          "shard": "b",
          "to": "h2"
        }
      ],
      "nodes": 0,
      "optimum": 1.0,
      "solver": "lpt",
      "square_ratio": 1.36,
      "stages": [
        {
          "bound": 0.999999999999998,
          "stage": "bound",
          "value": null,
          "work": 0
        },
        {
          "bound": 0.999999999999998,
          "stage": "start",
          "value": 1.6,
          "work": 0
        },
        {
          "bound": 0.999999999999998,
          "stage": "lpt",
          "value": 1.0,
          "work": 0
        }
      ],
      "status": "optimal",
      "steps": 0,
      "utilisation": 100.0
    }
    "#);
}

#[test]
fn the_sum_of_squares_is_another_metric() {
    let desk = Desk::with("s.csv", SNAPSHOT);
    let squares = |arguments: &[&str]| {
        desk.succeed(&[&["optimum", "s.csv", "--metric", "squares"], arguments].concat())
    };
    assert_snapshot!(squares(&[]), @"
                                  square_ratio  hottest utilisation
    now                               1.360000                  160
    best found (optimal, by lpt)      1.000000                  100
    lower bound (water-filling)       1.000000

    gap 0.0e0; 1 move from the current hosts
    ");
    assert_snapshot!(squares(&["--max-moved-load", "50"]), @"
                                    square_ratio  hottest utilisation
    now                                 1.360000                  160
    best found (optimal, by start)      1.360000                  160
    lower bound (shedding)              1.360000

    gap 2.4e-14; 0 moves from the current hosts
    ");
    assert_snapshot!(squares(&["--format", "json", "--max-moves", "0"]), @r#"
    {
      "bound": 1.359999999999966,
      "bound_name": "shedding",
      "gap": 2.5143286145923294e-14,
      "hot_ratio": 1.6,
      "metric": "squares",
      "moved_load": 0.0,
      "moves": [],
      "nodes": 0,
      "optimum": 1.36,
      "solver": "start",
      "square_ratio": 1.36,
      "stages": [
        {
          "bound": 1.359999999999966,
          "stage": "bound",
          "value": null,
          "work": 0
        },
        {
          "bound": 1.359999999999966,
          "stage": "start",
          "value": 1.36,
          "work": 0
        }
      ],
      "status": "optimal",
      "steps": 0,
      "utilisation": 160.0
    }
    "#);
    let below = desk.refuse(&["optimum", "s.csv", "--target", "0.5"]);
    assert!(below.contains("no assignment reaches a hot_ratio of 0.5: none is below"), "{below}");
    let target = ["optimum", "s.csv", "--metric", "squares", "--target", "1.1"];
    assert_snapshot!(desk.refuse(&target), @"error: --target is a hot_ratio, which --metric squares does not minimise; leave one of them out");
}

/// h3 drains: it is no host of the sum, as it is empty in every answer.
#[test]
fn squares_are_over_the_hosts_that_remain() {
    let desk = Desk::with("s.csv", "shard,host,load\na,h1,4\nb,h3,2\nc,h3,1\nd,h2,1\n");
    desk.write("hosts.csv", "host,capacity,status\nh1,1,active\nh2,1,active\nh3,5,draining\n");
    let squares = ["optimum", "s.csv", "--hosts", "hosts.csv", "--metric", "squares"];
    for budget in [&[][..], &["--max-moves", "2"], &["--max-moved-load", "3"]] {
        let json = desk.succeed(&[&squares, budget, &["--format", "json"]].concat());
        let json: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(json["optimum"], 1.0, "{json}");
        assert_eq!(json["moves"].as_array().unwrap().len(), 2, "{json}");
        // 4, 1 and 3 over 5, over 8 over 7.
        let now = json["square_ratio"].as_f64().unwrap();
        let term = |u: f64| (u * 7.0 / 8.0 - 1.0) * (u * 7.0 / 8.0 - 1.0);
        assert!((now - 1.0 - (term(4.0) + term(1.0) + term(0.6)) / 3.0).abs() < 1e-12, "{json}");
    }
    let few = [&squares[..], &["--max-moves", "1"]].concat();
    assert_snapshot!(desk.refuse(&few), @"error: shards that have to leave their hosts take 2, but the budget is 1");
}

#[test]
fn small_shards_are_noted_where_the_revision_leaves_them() {
    let desk = Desk::with("small.csv", "shard,host,load\na,h1,0.001\nb,h2,7\n");
    for (revision, noted) in [("2026-08", true), ("swap", true), ("2026-05", false)] {
        let set = format!("revision={revision}");
        let done = desk.run(&["plan", "small.csv", "--set", &set]);
        assert_eq!(done.err.contains("min_move_load"), noted, "{revision}");
    }
}

#[test]
fn json_is_one_document_and_notes_go_elsewhere() {
    let desk = Desk::with("s.csv", "shard,load,host,zone\na,1,h1,x\nb,0,h2,x\n");
    for command in ["plan", "optimum"] {
        let outcome = desk.run(&[command, "s.csv", "--format", "json"]);
        assert_eq!(outcome.err, "note: s.csv: columns not used: zone\n");
        assert!(serde_json::from_str::<Value>(&outcome.out).unwrap().is_object());
    }
}

#[test]
fn a_plan_is_written_where_it_is_wanted() {
    let desk = Desk::with("s.csv", SNAPSHOT);
    let printed = desk.succeed(&["plan", "s.csv", "--out", "a/b", "--format", "json"]);
    assert_eq!(desk.read("a/b/plan.json"), printed);
    assert_eq!(desk.read("a/b/moves.csv"), desk.succeed(&["plan", "s.csv", "--format", "csv"]));
    desk.write("file", "mine");
    let outcome = desk.run(&["plan", "s.csv", "--out", "file"]);
    assert_eq!((outcome.code, outcome.out.as_str()), (Some(3), ""));
    assert_snapshot!(outcome.err, @"error: file: cannot be written: file is not a directory; files that were there are as they were");
    assert_eq!(desk.read("file"), "mine");
}

#[test]
fn policies_and_their_settings() {
    assert_snapshot!(plan_of(SNAPSHOT, &["--policy", "naive"]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.6000            h1       160.000000
    after                 1.4000            h2       140.000000
    optimum (optimal)     1.0000                     100.000000

    1 move in 2 passes, carrying a load of 100.
    Then the policy rests: no move would lower the imbalance.
    The same traffic would need 2 of the 2 active hosts at the new ratio.

    shard  from  to  load  pass     reason
    a        h1  h2   100     1  rebalance
    ");
    assert_snapshot!(plan_of(SNAPSHOT, &["--policy", "ring"]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.6000            h1       160.000000
    after                 1.4000            h1       140.000000
    optimum (optimal)     1.0000                     100.000000

    2 moves, carrying a load of 100.
    The same traffic would need 2 of the 2 active hosts at the new ratio.

    shard  from  to  load  pass      reason
    b        h1  h2    60     0  membership
    c        h2  h1    40     0  membership
    ");
    assert_snapshot!(plan_of(SNAPSHOT, &["--set", "upper_band=3"]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.6000            h1       160.000000
    after                 1.6000            h1       160.000000
    optimum (optimal)     1.0000                     100.000000

    No move helps: no host is above the upper threshold.
    The same traffic would need 2 of the 2 active hosts at the new ratio.
    ");
    assert_eq!(
        plan_of(SNAPSHOT, &["--set", "upper_band=3"]),
        plan_of(SNAPSHOT, &["--set", "policy.greedy.upper_band=3"]),
    );
    for set in ["node_limit=5", "optimum.solver.node_limit=5"] {
        Desk::with("s.csv", SNAPSHOT).succeed(&["optimum", "s.csv", "--set", set]);
    }
}

#[test]
fn settings_that_a_plan_does_not_have() {
    let refuse = |set: &str| Desk::with("s.csv", SNAPSHOT).refuse(&["plan", "s.csv", "--set", set]);
    assert_snapshot!(refuse("uper_band=3"), @"
    error: unknown key `uper_band`
      --> command line
     |
     | policy.greedy.uper_band=3
     | ^^^^^^^^^^^^^^^^^^^^^^^ did you mean `upper_band`?
    ");
    assert_snapshot!(refuse("upper_band=wide"), @"
    error: expected a number, found wide
      --> command line
     |
     | policy.greedy.upper_band=wide
     |                          ^^^^
    ");
    assert_snapshot!(refuse("start=jump"), @"
    error: `start` has no use here: shards start where the snapshot has them
      --> command line
     |
     | policy.greedy.start=jump
     |                     ^^^^ use --start for a snapshot that places none
    ");
    assert_snapshot!(refuse("optimum.enabled=false"), @"
    error: unknown key `enabled`
      --> command line
     |
     | optimum.enabled=false
     | ^^^^^^^^^^^^^^^ known here: solver
    ");
    assert_snapshot!(refuse("optimum.solver.node_limit=0"), @"
    error: `node_limit` must be at least 1, not 0
      --> command line
     |
     | optimum.solver.node_limit=0
     |                           ^
    ");
    assert_snapshot!(refuse("workload.shards=3"), @"
    error: unknown key `workload`
      --> command line
     |
     | workload.shards=3
     | ^^^^^^^^^^^^^^^ known here: policy, optimum
    ");
    assert_snapshot!(refuse("policy.naive.max_deviation=3"), @"
    error: there is no `naive` in `policy`
      --> command line
     |
     | policy.naive.max_deviation=3
     | ^^^^^^^^^^^^^^^^^^^^^^^^^^ known here: greedy
    ");
    let optimum = Desk::with("s.csv", SNAPSHOT);
    assert_snapshot!(optimum.refuse(&["optimum", "s.csv", "--set", "upper_band=1"]), @"
    error: unknown key `upper_band`
      --> command line
     |
     | optimum.solver.upper_band=1
     | ^^^^^^^^^^^^^^^^^^^^^^^^^ known here: solver, target_gap, step_limit, branch_limit, node_limit, variable_limit
    ");
    let ring = ["plan", "s.csv", "--hosts", "100000", "--policy", "ring"];
    let points = [&ring[..], &["--set", "virtual_nodes=100000"]].concat();
    assert_snapshot!(optimum.refuse(&points), @"error: `virtual_nodes` of 100000 makes more than 50000000 points with 100000 hosts");
}

#[test]
fn limits_end_a_plan_early_only_when_more_was_to_be_done() {
    assert_snapshot!(plan_of(SNAPSHOT, &["--max-moves", "0"]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.6000            h1       160.000000
    after                 1.6000            h1       160.000000
    optimum (optimal)     1.0000                     100.000000

    A limit ended the plan before the policy was at rest.
    The same traffic would need 2 of the 2 active hosts at the new ratio.
    ");
    assert_snapshot!(plan_of(SNAPSHOT, &["--passes", "0"]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.6000            h1       160.000000
    after                 1.6000            h1       160.000000
    optimum (optimal)     1.0000                     100.000000

    A limit ended the plan before the policy was at rest.
    The same traffic would need 2 of the 2 active hosts at the new ratio.
    ");
    for (arguments, early) in [
        (["--max-moves", "0"], true),
        (["--max-moves", "1"], false),
        (["--passes", "0"], true),
        (["--passes", "1"], true),
        (["--passes", "2"], false),
    ] {
        let json = plan_of(SNAPSHOT, &[&arguments[..], &["--format", "json"]].concat());
        let plan: Value = serde_json::from_str(&json).unwrap();
        assert_eq!(plan["stopped_early"], early, "{arguments:?}");
    }
    // Half an exchange would leave 30 and 70 where 60 and 40 were.
    let exchange = "shard,host,load\na,h1,30\nb,h1,30\nc,h2,20\nd,h2,20\n";
    for (limit, moves, after) in [("1", 0, 1.2), ("2", 2, 1.0)] {
        let sets = ["revision=swap", "move_budget=1", "upper_band=1.05", "lower_band=0.95"];
        let mut arguments = vec!["--max-moves", limit, "--format", "json"];
        arguments.extend(sets.iter().flat_map(|set| ["--set", set]));
        let plan: Value = serde_json::from_str(&plan_of(exchange, &arguments)).unwrap();
        assert_eq!(plan["moves"].as_array().unwrap().len(), moves);
        assert_eq!(plan["after"]["hot_ratio"], after);
    }
}

#[test]
fn shards_without_a_host() {
    let unplaced = "shard,load\na,1\nb,2\nc,3\n";
    assert_snapshot!(refused(unplaced, &[]), @"error: s.csv: names no host; give the hosts with --hosts FILE or --hosts N");
    assert_snapshot!(plan_of(unplaced, &["--hosts", "2"]), @"
                       hot_ratio  hottest host  its utilisation
    before                2.0000        host-0         6.000000
    after                 1.0000        host-0         3.000000
    optimum (optimal)     1.0000                       3.000000

    1 move in 2 passes, carrying a load of 3.
    Then the policy rests: no host is above the upper threshold.
    The same traffic would need 1 of the 2 active hosts at the new ratio.

    shard    from      to  load  pass     reason
    c      host-0  host-1     3     1  rebalance
    ");
    assert_snapshot!(plan_of(unplaced, &["--hosts", "2", "--start", "jump"]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.0000        host-0         3.000000
    after                 1.0000        host-0         3.000000
    optimum (optimal)     1.0000                       3.000000

    No move helps: no host is above the upper threshold.
    The same traffic would need 2 of the 2 active hosts at the new ratio.
    ");
    assert_snapshot!(plan_of("shard,load,host\na,100,h1\nb,60,\nc,40,h2\n", &[]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.4286            h1       100.000000
    after                 1.0000            h1       100.000000
    optimum (optimal)     1.0000                     100.000000

    Placed: 1 shard without a host.
    No move helps: no host is above the upper threshold.
    The same traffic would need 2 of the 2 active hosts at the new ratio.

    shard  from  to  load  pass     reason
    b         -  h2    60     0  placement
    ");
    let desk = Desk::with("s.csv", unplaced);
    assert_snapshot!(desk.succeed(&["optimum", "s.csv", "--hosts", "2"]), @"
                                  hot_ratio  hottest utilisation
    best found (optimal, by lpt)   1.000000                    3
    lower bound (mean)             1.000000

    gap 2.1e-15; 0 moves from the current hosts
    ");
}

#[test]
fn hosts_by_number() {
    let one_more = plan_of(SNAPSHOT, &["--hosts", "3", "--format", "csv"]);
    assert_snapshot!(one_more, @"
    shard,from,to,load,pass,reason
    a,h1,host-0,100,1,rebalance
    ");
    for hosts in ["0", "-1", "1.5", "100001", "99999999999999999999999"] {
        let message = refused(SNAPSHOT, &["--hosts", hosts]);
        assert!(message.contains("a whole number from 1 to 100000"), "{message}");
    }
    assert_snapshot!(refused(SNAPSHOT, &["--hosts", "1"]), @"error: s.csv: names 2 hosts, more than the 1 of --hosts");
    assert_snapshot!(refused(SNAPSHOT, &["--hosts", "none.csv"]), @"error: none.csv: no such file");
    // As many as there may be, without a hang.
    plan_of("shard,load\na,1\nb,2\n", &["--hosts", "100000", "--start", "jump"]);
}

#[test]
fn hosts_from_a_file() {
    let hosts = "host,capacity,status\nh1,1,up\nh2,2,draining\nh3,1,active\nh4,1,down\n";
    assert_snapshot!(plan_on(SNAPSHOT, hosts), @"
                       hot_ratio  hottest host  its utilisation
    before                1.6000            h1       160.000000
    after                 1.0000            h1       100.000000
    optimum (optimal)     1.0000                     100.000000

    2 moves in 2 passes, carrying a load of 100.
    Then the policy rests: no host is above the upper threshold.
    The same traffic would need 2 of the 2 active hosts at the new ratio.

    shard  from  to  load  pass     reason
    c        h2  h3    40     0  placement
    b        h1  h3    60     1  rebalance
    ");
    assert_snapshot!(refused_hosts("host\nh1\n"), @"error: s.csv, line 4, column `host`: host `h2` is not in the hosts file; add it there, or correct it here");
    assert_snapshot!(refused_hosts("host,status\nh1,down\nh2,draining\n"), @"error: no host is active; at least one must be able to receive shards");
    assert_snapshot!(refused_hosts("host,status\nh1,ok\nh2,up\n"), @"error: h.csv, line 2, column `status`: `ok` is not a status; write one of up, active, draining, drained, down, missing");
    assert_snapshot!(refused_hosts("host,capacity\nh1,0\nh2,1\n"), @"error: h.csv, line 2, column `capacity`: the capacity must be above 0, not 0");
    assert_snapshot!(refused_hosts("host,capacity\nh1,1e-300\nh2,1\n"), @"error: h.csv, line 2, column `capacity`: the capacity must be from 1e-60 to 1e60, not 1e-300; use another unit");
    assert_snapshot!(refused_hosts("host,capacity\nh1,big\nh2,1\n"), @"error: h.csv, line 2, column `capacity`: `big` is not a number");
    assert_snapshot!(refused_hosts("host\nh1\nh2\nh1\n"), @"error: h.csv, line 4, column `host`: host `h1` was given on line 2 already");
    assert_snapshot!(refused_hosts(""), @"error: h.csv: is empty");
    assert_snapshot!(refused_hosts("host\n"), @"error: h.csv: holds no host");
    assert_snapshot!(refused_hosts("h1\nh2\n"), @"error: h.csv, line 1: has no column `host`; its first line must name the columns, and is: h1");
}

#[test]
fn loads_that_are_none() {
    let load = |text: &str| refused(format!("shard,load,host\na,{text},h\n"), &[]);
    assert_snapshot!(load("-1"), @"error: s.csv, line 2, column `load`: the load must not be negative, as -1 is");
    assert_snapshot!(load("nan"), @"error: s.csv, line 2, column `load`: the load must be a finite number, not NaN");
    assert_snapshot!(load("1e999"), @"error: s.csv, line 2, column `load`: the load must be a finite number, not inf");
    assert_snapshot!(load("1e308"), @"error: s.csv, line 2, column `load`: the load must be 0 or from 1e-60 to 1e60, not 1e308; use another unit");
    assert_snapshot!(load("heavy"), @"error: s.csv, line 2, column `load`: `heavy` is not a number");
    assert_snapshot!(load(""), @"error: s.csv, line 2, column `load`: the load is missing");
    assert_snapshot!(load("\"1,5\""), @"error: s.csv, line 2, column `load`: `1,5` is not a number");
}

#[test]
fn tables_that_are_none() {
    assert_snapshot!(refused("shard,load,host\n", &[]), @"error: s.csv: holds no shard");
    assert_snapshot!(refused("shard,load,host\na,1,h\nb,2\n", &[]), @"error: s.csv, line 3: has 2 cells where the first row has 3; is a comma or a quote missing, or one too many?");
    assert_snapshot!(refused("shard,load,host\na,1,h,\n", &[]), @"error: s.csv, line 2: has 4 cells where the first row has 3; is a comma or a quote missing, or one too many?");
    assert_snapshot!(refused("shard,load,host\n\"a,1,h\nb,1,h\n", &[]), @"error: s.csv, line 2: has 1 cell where the first row has 3; is a comma or a quote missing, or one too many?");
    assert_snapshot!(refused("shard,load,host\na,1,h\n,,\n", &[]), @"error: s.csv, line 3, column `shard`: the shard's name is missing");
    assert_snapshot!(refused("shard,load,host\na,1,h\nb,1,h\na,1,h\n", &[]), @"error: s.csv, line 4, column `shard`: shard `a` was given on line 2 already");
    assert_snapshot!(refused("shard,load,load,host\na,1,2,h\n", &[]), @"error: s.csv, line 1: has two columns named `load`");
    assert_snapshot!(refused("Shard,Load,Host\na,1,h\n", &[]), @"error: s.csv, line 1: has no column `shard`; write `shard` for `Shard`");
    assert_snapshot!(refused("shard;load;host\na;1;h\n", &[]), @"error: s.csv, line 1: has no column `shard`; columns must be separated by commas");
    assert_snapshot!(refused("a,1,h\nb,1,h\n", &[]), @"error: s.csv, line 1: has no column `shard`; its first line must name the columns, and is: a,1,h");
    assert_snapshot!(refused(b"shard,load,host\n\xfc,1,h\n", &[]), @"error: s.csv, line 2: is not UTF-8 text; save the file as UTF-8");
    assert_snapshot!(refused("shard,load,host\n\"a\nb\",1,h\n", &[]), @r#"
    error: s.csv, line 2, column `shard`: a name must be a line of text; "a\nb" holds the character '\n'
    "#);
    assert_snapshot!(refused("shard,load,host\na,1,\"h\u{7}\"\n", &[]), @r#"
    error: s.csv, line 2, column `host`: a name must be a line of text; "h\u{7}" holds the character '\u{7}'
    "#);
}

#[test]
fn tables_as_other_programs_write_them() {
    let usual = plan_of(SNAPSHOT, &[]);
    assert_eq!(plan_of(&SNAPSHOT.replace('\n', "\r\n"), &[]), usual);
    assert_eq!(plan_of(&format!("\u{feff}{SNAPSHOT}"), &[]), usual);
    assert_eq!(plan_of(&SNAPSHOT.replace(',', " , "), &[]), usual);
    assert_eq!(plan_of(&SNAPSHOT.replace('\n', "\n\n"), &[]), usual);
    let quoted = "shard,load,host\n\"a,1\",100,\"ünï, 😀\"\n\"b\"\"2\",60,\"ünï, 😀\"\nc,40,h2\n";
    assert_snapshot!(plan_of(quoted, &["--format", "csv"]), @r#"
    shard,from,to,load,pass,reason
    "b""2","ünï, 😀",h2,60,1,rebalance
    "#);
    let outcome = Desk::with("s.csv", "shard,load,host,\na,1,h,\n").run(&["plan", "s.csv"]);
    assert_eq!(outcome.err, "note: s.csv: columns not used: (one without a name)\n");
}

#[test]
fn pins() {
    let pinned = "shard,load,host,pinned\na,100,h1,true\nb,60,h1,TRUE\nc,40,h2,\n";
    assert_snapshot!(plan_of(pinned, &[]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.6000            h1       160.000000
    after                 1.6000            h1       160.000000
    optimum (optimal)     1.6000                     160.000000

    No move helps: every shard that would help is pinned.
    The same traffic would need 2 of the 2 active hosts at the new ratio.
    ");
    for policy in ["greedy", "naive", "ring", "jump", "mod-n"] {
        for lists in
            [pinned, "shard,load,host,pinned\na,100,h1,true\nb,60,h1,\nc,40,h2,\nd,9,h1,\n"]
        {
            let json = plan_of(lists, &["--policy", policy, "--format", "json"]);
            let plan: Value = serde_json::from_str(&json).unwrap();
            let moved = plan["moves"].as_array().unwrap();
            assert!(moved.iter().all(|step| step["shard"] != "a"), "{policy}: {json}");
            let ratio = |key: &str| plan[key]["hot_ratio"].as_f64().unwrap();
            assert!(ratio("optimum") <= ratio("after"), "{policy}: {json}");
        }
    }
    assert_snapshot!(refused("shard,load,host,pinned\na,1,h,yes\n", &[]), @"error: s.csv, line 2, column `pinned`: `yes` is neither true nor false");
    assert_snapshot!(refused("shard,load,host,pinned\na,1,,true\nb,1,h,\n", &[]), @"error: s.csv, line 2, column `pinned`: shard `a` is pinned, but has no host to stay on");
    let desk = Desk::with("s.csv", pinned);
    desk.write("h.csv", "host,status\nh1,down\nh2,up\n");
    assert_snapshot!(desk.refuse(&["plan", "s.csv", "--hosts", "h.csv"]), @"error: s.csv, line 2, column `pinned`: shard `a` is pinned to host `h1`, which is down");
}

#[test]
fn nothing_to_carry() {
    let idle = "shard,load,host\na,0,h1\nb,-0,h2\n";
    assert_snapshot!(plan_of(idle, &[]), @"
                       hot_ratio  hottest host  its utilisation
    before                1.0000            h1         0.000000
    after                 1.0000            h1         0.000000
    optimum (optimal)     1.0000                       0.000000

    No move helps: no host is above the upper threshold.
    The same traffic would need 2 of the 2 active hosts at the new ratio.
    ");
    assert_snapshot!(Desk::with("s.csv", idle).succeed(&["optimum", "s.csv"]), @"
                                    hot_ratio  hottest utilisation
    now                              1.000000                    0
    best found (optimal, by bound)   1.000000                    0
    lower bound (mean)               1.000000

    gap 0.0e0; 0 moves from the current hosts
    ");
}

#[test]
fn the_widest_range_of_numbers_gives_numbers() {
    let hosts = "host,capacity\nh1,1e-60\nh2,1e60\n";
    for loads in [("1e60", "1e-60"), ("1e-60", "1e60"), ("1e60", "1e60"), ("1e-60", "0")] {
        let desk =
            Desk::with("s.csv", format!("shard,load,host\na,{},h1\nb,{},h2\n", loads.0, loads.1));
        desk.write("h.csv", hosts);
        for command in ["plan", "optimum"] {
            let json = desk.succeed(&[command, "s.csv", "--hosts", "h.csv", "--format", "json"]);
            // The first stage of the solver has no assignment yet.
            let json = json.replace("\"value\": null,", "");
            assert!(!json.contains("null,"), "{loads:?}: {json}");
        }
    }
}

#[test]
fn a_large_snapshot() {
    let rows: String =
        (0..100_000).map(|i| format!("s{i},{},h{}\n", i * 7919 % 1000, i % 100)).collect();
    let printed = plan_of(
        &format!("shard,load,host\n{rows}"),
        &["--set", "upper_band=1.02", "--set", "lower_band=1"],
    );
    assert!(printed.contains("Then the policy rests"), "{printed}");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let desk = Desk::with("s.csv", SNAPSHOT);
    for arguments in
        [&["plan", "s.csv"][..], &["optimum", "s.csv"], &["--help"], &["completions", "bash"]]
    {
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_evenkeel"))
            .current_dir(desk.path(""))
            .args(arguments)
            .stdout(closed_pipe())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
    // A message that nobody reads does not change the exit code.
    let status = std::process::Command::new(env!("CARGO_BIN_EXE_evenkeel"))
        .args(["plan", "none.csv"])
        .stderr(closed_pipe())
        .status()
        .unwrap();
    assert_eq!(status.code(), Some(2));
}
