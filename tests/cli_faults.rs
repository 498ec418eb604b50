//! Scenarios that cannot be used: each is refused with exit code 2 and a
//! message that shows the place, before anything is written.

#[path = "common/cli.rs"]
#[allow(dead_code, unreachable_pub)]
mod cli;

use cli::{Desk, SCENARIO, fault, fault_of, fault_with, scenario};
use insta::assert_snapshot;

#[test]
fn files_that_are_no_text() {
    let desk = Desk::new();
    assert_snapshot!(desk.refuse(&["run", "none.toml"]), @"error: none.toml: no such file");
    assert_snapshot!(desk.refuse(&["run", "."]), @"error: .: is a directory, not a file");
    assert_snapshot!(fault_of(""), @"error: small.toml: is empty");
    assert_snapshot!(fault_of(" \n\n"), @"error: small.toml: is empty");
    assert_snapshot!(fault_of(b"schema = 1\nname = \"\xff\"\n"), @"error: small.toml, line 2: is not UTF-8 text; save the file as UTF-8");
}

#[test]
fn syntax() {
    assert_snapshot!(fault("hosts = 3", "hosts = = 3"), @"
    error: not valid TOML: extra `=`, expected nothing
      --> small.toml, line 12, column 9
       |
    12 | hosts = = 3
       |         ^
    ");
    assert_snapshot!(fault("\"small\"", "\"small"), @r#"
    error: not valid TOML: invalid basic string, expected `"`
      --> small.toml, line 2, column 14
      |
    2 | name = "small
      |              ^
    "#);
    assert_snapshot!(fault("hosts = 3", "hosts = 3\nhosts = 4"), @"
    error: not valid TOML: duplicate key
      --> small.toml, line 13, column 1
       |
    13 | hosts = 4
       | ^^^^^
    ");
    let deep = fault_with(&format!("x = {}", "[".repeat(10_000)));
    assert!(deep.contains("recursion") && deep.len() < 500, "{deep}");
}

#[test]
fn unknown_keys() {
    assert_snapshot!(fault("name = \"small\"", "name = \"small\"\nreplication = 3"), @"
    error: unknown key `replication`
      --> small.toml, line 3, column 1
      |
    3 | replication = 3
      | ^^^^^^^^^^^ did you mean `replications`?
    ");
    assert_snapshot!(fault("exponent = 0.9", "exponent = 0.9\ntotalload = 1"), @"
    error: unknown key `totalload`
      --> small.toml, line 10, column 1
       |
    10 | totalload = 1
       | ^^^^^^^^^ did you mean `total_load`?
    ");
    assert_snapshot!(
        fault("[cluster]", "[workload.noise]\nkind = \"poisson\"\nunits = 3\n\n[cluster]"),
        @"
    error: unknown key `units`
      --> small.toml, line 13, column 1
       |
    13 | units = 3
       | ^^^^^ did you mean `unit`?
    "
    );
    assert_snapshot!(fault("hosts = 3", "hosts = 3\nheartbeats = \"1s\""), @r#"
    error: unknown key `heartbeats`
      --> small.toml, line 13, column 1
       |
    13 | heartbeats = "1s"
       | ^^^^^^^^^^ did you mean `heartbeat`?
    "#);
    assert_snapshot!(fault("\"greedy\"", "\"greedy\"\nuper_band = 1.2"), @"
    error: unknown key `uper_band`
      --> small.toml, line 16, column 1
       |
    16 | uper_band = 1.2
       | ^^^^^^^^^ did you mean `upper_band`?
    ");
    assert_snapshot!(fault("every = \"30s\"", "evry = \"30s\""), @r#"
    error: unknown key `evry`
      --> small.toml, line 18, column 1
       |
    18 | evry = "30s"
       | ^^^^ did you mean `every`?
    "#);
    assert_snapshot!(fault_with("[optimum.solver]\n\nnode_limits = 3"), @"
    error: unknown key `node_limits`
      --> small.toml, line 25, column 1
       |
    25 | node_limits = 3
       | ^^^^^^^^^^^ did you mean `node_limit`?
    ");
    assert_snapshot!(fault("plots = false", "colour = 1"), @"
    error: unknown key `colour`
      --> small.toml, line 21, column 1
       |
    21 | colour = 1
       | ^^^^^^ known here: hosts, plots
    ");
    assert_snapshot!(fault_with("[clutser]\nhosts = 1"), @"
    error: unknown key `clutser`
      --> small.toml, line 23, column 2
       |
    23 | [clutser]
       |  ^^^^^^^ did you mean `cluster`?
    ");
    assert_snapshot!(
        fault_with("[[cluster.event]]\nat = \"5s\"\nkind = \"add\"\nhots = \"x\""),
        @r#"
    error: unknown key `hots`
      --> small.toml, line 26, column 1
       |
    26 | hots = "x"
       | ^^^^ did you mean `host`?
    "#
    );
    assert_snapshot!(fault("exponent = 0.9", "exponent = { low = 1, hi = 2 }"), @"
    error: unknown key `hi`
      --> small.toml, line 9, column 23
      |
    9 | exponent = { low = 1, hi = 2 }
      |                       ^^ did you mean `high`?
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = [\n  \"a\",\n  { name = \"b\", cap = 2 },\n]"), @r#"
    error: unknown key `cap`
      --> small.toml, line 14, column 17
       |
    14 |   { name = "b", cap = 2 },
       |                 ^^^ known here: name, capacity
    "#);
}

#[test]
fn an_unknown_key_of_an_inline_table_is_shown_too() {
    let inline = SCENARIO
        .replace("[workload]\nkind = \"zipf\"\nshards = 20\nexponent = 0.9\n", "")
        .replace("name =", "workload = { kind = \"zipf\", shards = 2, expnent = 3 }\nname =");
    assert_snapshot!(fault_of(inline), @r#"
    error: unknown key `expnent`
      --> small.toml, line 2, column 41
      |
    2 | workload = { kind = "zipf", shards = 2, expnent = 3 }
      |                                         ^^^^^^^ did you mean `exponent`?
    "#);
}

#[test]
fn missing_keys() {
    for key in ["schema = 1\n", "name = \"small\"\n"] {
        assert!(
            fault(key, "").contains(&format!("missing key `{}`", &key[..key.find(' ').unwrap()]))
        );
    }
    assert_snapshot!(fault("duration = \"60s\"\n", ""), @r#"
    error: missing key `duration`
      --> small.toml, line 1, column 1
      |
    1 | schema = 1
      | ^ say how long the run lasts, for example duration = "1h"
    "#);
    assert_snapshot!(fault("kind = \"zipf\"\n", ""), @"
    error: missing key `kind`
      --> small.toml, line 6, column 1
      |
    6 | [workload]
      | ^^^^^^^^^^
    ");
    assert_snapshot!(fault("shards = 20\n", ""), @"
    error: missing key `shards`
      --> small.toml, line 6, column 1
      |
    6 | [workload]
      | ^^^^^^^^^^
    ");
    assert_snapshot!(fault("hosts = 3\n", ""), @"
    error: missing key `hosts`
      --> small.toml, line 11, column 1
       |
    11 | [cluster]
       | ^^^^^^^^^
    ");
    assert_snapshot!(fault("kind = \"greedy\"\n", ""), @"
    error: missing key `kind`
      --> small.toml, line 14, column 1
       |
    14 | [[policy]]
       | ^^^^^^^^^^
    ");
    assert_snapshot!(fault("[[policy]]\nkind = \"greedy\"\n", ""), @"
    error: missing key `policy`
      --> small.toml, line 1, column 1
      |
    1 | schema = 1
      | ^
    ");
    assert_snapshot!(fault("[cluster]\nhosts = 3\n", ""), @"
    error: missing key `cluster`
      --> small.toml, line 1, column 1
      |
    1 | schema = 1
      | ^
    ");
    assert_snapshot!(fault_with("[[cluster.event]]\nkind = \"add\"\nhost = \"x\""), @"
    error: missing key `at`
      --> small.toml, line 23, column 1
       |
    23 | [[cluster.event]]
       | ^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(fault("[cluster]", "[workload.noise]\nkind = \"lognormal\"\n\n[cluster]"), @"
    error: missing key `sigma`
      --> small.toml, line 11, column 1
       |
    11 | [workload.noise]
       | ^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(fault("exponent = 0.9", "exponent = { low = 1 }"), @"
    error: missing key `high`
      --> small.toml, line 9, column 12
      |
    9 | exponent = { low = 1 }
      |            ^^^^^^^^^^^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = [\n  \"a\",\n  { capacity = 2 },\n]"), @"
    error: missing key `name`
      --> small.toml, line 14, column 3
       |
    14 |   { capacity = 2 },
       |   ^^^^^^^^^^^^^^^^
    ");
}

#[test]
fn wrong_types() {
    assert_snapshot!(fault("shards = 20", "shards = \"20\""), @r#"
    error: expected a whole number from 0 to 4294967295, found "20"
      --> small.toml, line 8, column 10
      |
    8 | shards = "20"
      |          ^^^^
    "#);
    assert_snapshot!(fault("shards = 20", "shards = 20.5"), @"
    error: expected a whole number from 0 to 4294967295, found 20.5
      --> small.toml, line 8, column 10
      |
    8 | shards = 20.5
      |          ^^^^
    ");
    assert_snapshot!(fault("shards = 20", "shards = 99999999999999999999999"), @"
    error: expected a whole number from 0 to 4294967295, found 99999999999999999999999
      --> small.toml, line 8, column 10
      |
    8 | shards = 99999999999999999999999
      |          ^^^^^^^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(fault("exponent = 0.9", "exponent = \"steep\""), @r#"
    error: expected a number, or { low = .., high = .. }, found "steep"
      --> small.toml, line 9, column 12
      |
    9 | exponent = "steep"
      |            ^^^^^^^
    "#);
    assert_snapshot!(fault("exponent = 0.9", "exponent = { low = \"a\", high = 1 }"), @r#"
    error: expected a number, found "a"
      --> small.toml, line 9, column 20
      |
    9 | exponent = { low = "a", high = 1 }
      |                    ^^^
    "#);
    assert_snapshot!(fault("\"small\"", "5"), @"
    error: expected a text in quotes, found 5
      --> small.toml, line 2, column 8
      |
    2 | name = 5
      |        ^
    ");
    assert_snapshot!(fault("\"greedy\"", "5"), @"
    error: `kind` must be a text, not a number
      --> small.toml, line 15, column 8
       |
    15 | kind = 5
       |        ^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = \"three\""), @r#"
    error: expected a number of hosts, or a list of names or of { name, capacity }, found "three"
      --> small.toml, line 12, column 9
       |
    12 | hosts = "three"
       |         ^^^^^^^
    "#);
    assert_snapshot!(fault("hosts = 3", "hosts = [1, 2]"), @r#"
    error: expected a host's name, or { name = "..", capacity = .. }, found 1
      --> small.toml, line 12, column 10
       |
    12 | hosts = [1, 2]
       |          ^
    "#);
    assert_snapshot!(fault("hosts = 3", "hosts = 3\nhash_seed = 3"), @"
    error: expected a text in quotes, found 3
      --> small.toml, line 13, column 13
       |
    13 | hash_seed = 3
       |             ^
    ");
    assert_snapshot!(fault("plots = false", "plots = \"no\""), @r#"
    error: expected true or false, found "no"
      --> small.toml, line 21, column 9
       |
    21 | plots = "no"
       |         ^^^^
    "#);
    assert_snapshot!(fault("[[policy]]", "[policy]"), @"
    error: `policy` must be a list of tables, each under [[policy]]
      --> small.toml, line 14, column 1
       |
    14 | [policy]
       | ^^^^^^^^
    ");
    assert_snapshot!(fault("[workload]", "[[workload]]"), @"
    error: `workload` must be a table, not a list
      --> small.toml, line 6, column 1
      |
    6 | [[workload]]
      | ^^^^^^^^^^^^
    ");
    assert_snapshot!(fault_with("[cluster.event]\nkind = \"add\""), @"
    error: `event` must be a list of tables, each under [[cluster.event]]
      --> small.toml, line 23, column 1
       |
    23 | [cluster.event]
       | ^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(fault("exponent = 0.9", "exponent = 0.9\nnoise = \"poisson\""), @r#"
    error: `noise` must be a table, not a text
      --> small.toml, line 10, column 9
       |
    10 | noise = "poisson"
       |         ^^^^^^^^^
    "#);
    assert_snapshot!(fault("name = \"small\"", "name = \"small\"\nseed = -1"), @"
    error: expected a whole number of at least 0, found -1
      --> small.toml, line 3, column 8
      |
    3 | seed = -1
      |        ^^
    ");
}

#[test]
fn unknown_words() {
    assert_snapshot!(fault("\"greedy\"", "\"gredy\""), @r#"
    error: unknown kind `gredy`
      --> small.toml, line 15, column 8
       |
    15 | kind = "gredy"
       |        ^^^^^^^ did you mean `greedy`?
    "#);
    assert_snapshot!(fault("\"greedy\"", "\"greedy\"\nrevision = \"2026-8\""), @r#"
    error: unknown word `2026-8`
      --> small.toml, line 16, column 12
       |
    16 | revision = "2026-8"
       |            ^^^^^^^^ did you mean `2026-08`?
    "#);
    assert_snapshot!(fault("hosts = 3", "hosts = 3\nhash_seed = \"perseed\""), @r#"
    error: unknown word `perseed`
      --> small.toml, line 13, column 13
       |
    13 | hash_seed = "perseed"
       |             ^^^^^^^^^ did you mean `per-seed`?
    "#);
    assert_snapshot!(fault_with("[optimum.solver]\n\nsolver = \"ipl\""), @r#"
    error: unknown word `ipl`
      --> small.toml, line 25, column 10
       |
    25 | solver = "ipl"
       |          ^^^^^ did you mean `ilp`?
    "#);
    assert_snapshot!(fault("\"zipf\"", "\"hot\""), @r#"
    error: unknown kind `hot`
      --> small.toml, line 7, column 8
      |
    7 | kind = "hot"
      |        ^^^^^ known here: zipf, uniform, keys, trace
    "#);
}

#[test]
fn durations() {
    for key in ["duration", "sample_every"] {
        let old = if key == "duration" { "duration = \"60s\"" } else { "sample_every = \"10s\"" };
        assert!(fault(old, &format!("{key} = \"0s\"")).contains("must be above 0s"));
    }
    assert_snapshot!(fault("\"60s\"", "60"), @r#"
    error: duration `60` has no unit; write for example "60s", "250ms" or "1h"
      --> small.toml, line 3, column 12
      |
    3 | duration = 60
      |            ^^
    "#);
    assert_snapshot!(fault("\"60s\"", "\"60\""), @r#"
    error: duration `60` has no unit; write for example "60s", "250ms" or "1h"
      --> small.toml, line 3, column 12
      |
    3 | duration = "60"
      |            ^^^^
    "#);
    assert_snapshot!(fault("\"60s\"", "\"0s\""), @r#"
    error: `duration` must be above 0s
      --> small.toml, line 3, column 12
      |
    3 | duration = "0s"
      |            ^^^^
    "#);
    assert_snapshot!(fault("\"60s\"", "\"1e3s\""), @r#"
    error: unknown unit `e` in duration `1e3s`; units are d, h, m, s, ms, us, ns
      --> small.toml, line 3, column 12
      |
    3 | duration = "1e3s"
      |            ^^^^^^
    "#);
    assert_snapshot!(fault("\"60s\"", "\"-5s\""), @r#"
    error: `-5s` is not a duration; write a number and a unit, for example "60s"
      --> small.toml, line 3, column 12
      |
    3 | duration = "-5s"
      |            ^^^^^
    "#);
    assert_snapshot!(fault("\"60s\"", "\"999999999d\""), @r#"
    error: duration `999999999d` cannot be held in whole nanoseconds of 64 bits
      --> small.toml, line 3, column 12
      |
    3 | duration = "999999999d"
      |            ^^^^^^^^^^^^
    "#);
    assert_snapshot!(fault("\"30s\"", "\"0s\""), @r#"
    error: `every` must be above 0s; write enabled = false for no optimum
      --> small.toml, line 18, column 9
       |
    18 | every = "0s"
       |         ^^^^
    "#);
    assert_snapshot!(fault("\"greedy\"", "\"greedy\"\npass_every = \"0s\""), @r#"
    error: `pass_every` must be above 0s
      --> small.toml, line 16, column 14
       |
    16 | pass_every = "0s"
       |              ^^^^
    "#);
    assert_snapshot!(fault("hosts = 3", "hosts = 3\nheartbeat = \"0s\""), @r#"
    error: `heartbeat` must be above 0s
      --> small.toml, line 13, column 13
       |
    13 | heartbeat = "0s"
       |             ^^^^
    "#);
    assert_snapshot!(fault("\"10s\"", "\"100s\""), @r#"
    error: the sample period of 100s is longer than the run of 1m
      --> small.toml, line 4, column 16
      |
    4 | sample_every = "100s"
      |                ^^^^^^ write a shorter one, or a longer `duration`
    "#);
    assert_snapshot!(fault("\"10s\"", "\"10s\"\nwarmup = \"60s\""), @r#"
    error: the warmup of 1m must be shorter than the run of 1m
      --> small.toml, line 5, column 10
      |
    5 | warmup = "60s"
      |          ^^^^^
    "#);
}

#[test]
fn numbers_out_of_range() {
    assert_snapshot!(fault("schema = 1", "schema = 99"), @"
    error: `schema` 99 is not known; this program reads schema 1
      --> small.toml, line 1, column 10
      |
    1 | schema = 99
      |          ^^
    ");
    assert_snapshot!(fault("\"small\"", "\"small\"\nreplications = 0"), @"
    error: `replications` must be from 1 to 100000, not 0
      --> small.toml, line 3, column 16
      |
    3 | replications = 0
      |                ^
    ");
    assert_snapshot!(fault("\"small\"", "\"small\"\nseed = 9223372036854775807"), @"
    error: `seed` is too large for so many replications
      --> small.toml, line 3, column 8
      |
    3 | seed = 9223372036854775807
      |        ^^^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(fault("shards = 20", "shards = 0"), @"
    error: `shards` must be from 1 to 10000000, not 0
      --> small.toml, line 8, column 10
      |
    8 | shards = 0
      |          ^
    ");
    assert_snapshot!(fault("= 0.9", "= -1"), @"
    error: `exponent` must be a finite number of at least 0, not -1
      --> small.toml, line 9, column 12
      |
    9 | exponent = -1
      |            ^^
    ");
    assert_snapshot!(fault("= 0.9", "= nan"), @"
    error: `exponent` must be a finite number of at least 0, not NaN
      --> small.toml, line 9, column 12
      |
    9 | exponent = nan
      |            ^^^
    ");
    assert_snapshot!(fault("= 0.9", "= inf"), @"
    error: `exponent` must be a finite number of at least 0, not inf
      --> small.toml, line 9, column 12
      |
    9 | exponent = inf
      |            ^^^
    ");
    assert_snapshot!(fault("= 0.9", "= { low = 2, high = 1 }"), @"
    error: `exponent` has its low 2 above its high 1
      --> small.toml, line 9, column 12
      |
    9 | exponent = { low = 2, high = 1 }
      |            ^^^^^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(fault("= 0.9", "= 0.9\ntotal_load = -5"), @"
    error: `total_load` must not be negative, as -5 is
      --> small.toml, line 10, column 14
       |
    10 | total_load = -5
       |              ^^
    ");
    assert_snapshot!(fault("= 0.9", "= 0.9\ntotal_load = 1e300"), @"
    error: `total_load` must be 0 or from 1e-60 to 1e60, not 1e300; use another unit
      --> small.toml, line 10, column 14
       |
    10 | total_load = 1e300
       |              ^^^^^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = 0"), @"
    error: `hosts` must be from 1 to 100000, not 0
      --> small.toml, line 12, column 9
       |
    12 | hosts = 0
       |         ^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = -1"), @"
    error: `hosts` must be from 1 to 100000, not -1
      --> small.toml, line 12, column 9
       |
    12 | hosts = -1
       |         ^^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = []"), @"
    error: `hosts` must name from 1 to 100000 hosts
      --> small.toml, line 12, column 9
       |
    12 | hosts = []
       |         ^^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = 3\ncapacity = 0"), @"
    error: `capacity` must be above 0, not 0
      --> small.toml, line 13, column 12
       |
    13 | capacity = 0
       |            ^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = 3\ncapacity = 1e-300"), @"
    error: `capacity` must be from 1e-60 to 1e60, not 1e-300; use another unit
      --> small.toml, line 13, column 12
       |
    13 | capacity = 1e-300
       |            ^^^^^^
    ");
    assert_snapshot!(
        fault("hosts = 3", "hosts = [\n  \"a\",\n  { name = \"b\", capacity = 0 },\n]"),
        @r#"
    error: `hosts` has `b`, whose capacity must be above 0, not 0
      --> small.toml, line 14, column 3
       |
    14 |   { name = "b", capacity = 0 },
       |   ^^^^^^^^^^^^^^^^^^^^^^^^^^^^
    "#
    );
    assert_snapshot!(fault("\"greedy\"", "\"greedy\"\nupper_band = nan"), @"
    error: `upper_band` must be a finite number above 0, not NaN
      --> small.toml, line 16, column 14
       |
    16 | upper_band = nan
       |              ^^^
    ");
    assert_snapshot!(fault_with("[optimum.solver]\n\nnode_limit = 0"), @"
    error: `node_limit` must be at least 1, not 0
      --> small.toml, line 25, column 14
       |
    25 | node_limit = 0
       |              ^
    ");
    assert_snapshot!(
        fault("[cluster]", "[workload.noise]\nkind = \"poisson\"\nunit = 0\n\n[cluster]"),
        @"
    error: `unit` must be above 0, not 0
      --> small.toml, line 13, column 8
       |
    13 | unit = 0
       |        ^
    "
    );
    assert_snapshot!(
        fault("[cluster]", "[workload.noise]\nkind = \"lognormal\"\nsigma = 50\n\n[cluster]"),
        @"
    error: `sigma` must be from 0 to 5, not 50
      --> small.toml, line 13, column 9
       |
    13 | sigma = 50
       |         ^^
    "
    );
}

#[test]
fn names() {
    assert_snapshot!(fault("\"small\"", "\"a/b\""), @r#"
    error: `name` must be made of letters, digits, `-`, `_` and `.`, and not begin with `.`
      --> small.toml, line 2, column 8
      |
    2 | name = "a/b"
      |        ^^^^^
    "#);
    assert_snapshot!(fault("\"small\"", "\"..\""), @r#"
    error: `name` must be made of letters, digits, `-`, `_` and `.`, and not begin with `.`
      --> small.toml, line 2, column 8
      |
    2 | name = ".."
      |        ^^^^
    "#);
    assert_snapshot!(fault("\"small\"", "\"small\"\ntitle = \"a\\u001b[31m\""), @r#"
    error: `title` must be a line of text; "a\u{1b}[31m" holds the character '\u{1b}'
      --> small.toml, line 3, column 9
      |
    3 | title = "a\u001b[31m"
      |         ^^^^^^^^^^^^^
    "#);
    assert_snapshot!(fault("\"greedy\"", "\"greedy\"\nname = \"\""), @r#"
    error: the name of a policy must not be empty
      --> small.toml, line 16, column 8
       |
    16 | name = ""
       |        ^^
    "#);
    assert_snapshot!(fault_with("[[policy]]\nkind = \"greedy\""), @r#"
    error: there are two policies named `greedy`; give each a `name` of its own
      --> small.toml, line 24, column 8
       |
    24 | kind = "greedy"
       |        ^^^^^^^^
    "#);
    assert_snapshot!(fault_with("[[policy]]\nkind = \"ring\"\nname = \"greedy\""), @r#"
    error: there are two policies named `greedy`; give each a `name` of its own
      --> small.toml, line 25, column 8
       |
    25 | name = "greedy"
       |        ^^^^^^^^
    "#);
    assert_snapshot!(fault("hosts = 3", "hosts = [\n  \"a\",\n  \"b\",\n  \"a\",\n]"), @r#"
    error: `hosts` names `a` twice
      --> small.toml, line 15, column 3
       |
    15 |   "a",
       |   ^^^
    "#);
    assert_snapshot!(fault("hosts = 3", "hosts = [\"a\", \"\"]"), @r#"
    error: `hosts` has a host whose name must not be empty
      --> small.toml, line 12, column 15
       |
    12 | hosts = ["a", ""]
       |               ^^
    "#);
}

#[test]
fn events() {
    let event = |lines: &str| fault_with(&format!("[[cluster.event]]\n{lines}"));
    assert_snapshot!(event("at = \"61s\"\nkind = \"add\"\nhost = \"x\""), @r#"
    error: the event at 61s is after the end of the run at 1m
      --> small.toml, line 24, column 6
       |
    24 | at = "61s"
       |      ^^^^^
    "#);
    assert_snapshot!(event("at = \"6s\"\nkind = \"remove\"\nhost = \"host-7\""), @r#"
    error: unknown host at 6s: `host-7`
      --> small.toml, line 26, column 8
       |
    26 | host = "host-7"
       |        ^^^^^^^^ did you mean `host-0`?
    "#);
    assert_snapshot!(event("at = \"6s\"\nkind = \"add\"\nhost = \"host-0\""), @r#"
    error: host `host-0` is there already at 6s
      --> small.toml, line 26, column 8
       |
    26 | host = "host-0"
       |        ^^^^^^^^
    "#);
    assert_snapshot!(event("at = \"6s\"\nkind = \"add\"\nhost = \"x\"\ncapacity = 0"), @"
    error: `capacity` must be above 0, not 0
      --> small.toml, line 27, column 12
       |
    27 | capacity = 0
       |            ^
    ");
    assert_snapshot!(event("at = \"6s\"\nkind = \"add\"\nhost = \"\""), @r#"
    error: `host` must not be empty
      --> small.toml, line 26, column 8
       |
    26 | host = ""
       |        ^^
    "#);
    let last = "[[cluster.event]]\nat = \"6s\"\nkind = \"remove\"\nhost = \"host-0\"\n";
    assert_snapshot!(fault_of(scenario("hosts = 3", "hosts = 1") + last), @r#"
    error: host `host-0` is the last one at 6s; a cluster needs a host
      --> small.toml, line 25, column 8
       |
    25 | host = "host-0"
       |        ^^^^^^^^
    "#);
}

#[test]
fn periods_that_would_never_end_or_fill_the_memory() {
    assert_snapshot!(fault("hosts = 3", "hosts = 3\nheartbeat = \"1ns\""), @r#"
    error: once every 1ns is more than 100000000 times in 1m
      --> small.toml, line 13, column 13
       |
    13 | heartbeat = "1ns"
       |             ^^^^^
    "#);
    assert_snapshot!(fault("\"greedy\"", "\"greedy\"\npass_every = \"1ns\""), @r#"
    error: once every 1ns is more than 100000000 times in 1m
      --> small.toml, line 16, column 14
       |
    16 | pass_every = "1ns"
       |              ^^^^^
    "#);
    assert_snapshot!(fault("\"10s\"", "\"1us\""), @r#"
    error: a sample every 1us of 1m in 1 lane (policies times seeds) makes more than 5000000 rows
      --> small.toml, line 4, column 16
      |
    4 | sample_every = "1us"
      |                ^^^^^
    "#);
    assert_snapshot!(fault("\"30s\"", "\"1us\""), @r#"
    error: a probe every 1us of 1m in 1 lane (policies times seeds) makes more than 5000000 rows
      --> small.toml, line 18, column 9
       |
    18 | every = "1us"
       |         ^^^^^
    "#);
    assert_snapshot!(fault("\"10s\"", "\"10ms\"\nreplications = 100000"), @r#"
    error: a sample every 10ms of 1m in 100000 lanes (policies times seeds) makes more than 5000000 rows
      --> small.toml, line 4, column 16
      |
    4 | sample_every = "10ms"
      |                ^^^^^^
    "#);
    assert_snapshot!(fault("shards = 20", "shards = 100000000"), @"
    error: `shards` must be from 1 to 10000000, not 100000000
      --> small.toml, line 8, column 10
      |
    8 | shards = 100000000
      |          ^^^^^^^^^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = 1000000"), @"
    error: `hosts` must be from 1 to 100000, not 1000000
      --> small.toml, line 12, column 9
       |
    12 | hosts = 1000000
       |         ^^^^^^^
    ");
    assert_snapshot!(
        fault_of(
            scenario("hosts = 3", "hosts = 100000")
                .replace("\"greedy\"", "\"ring\"\nvirtual_nodes = 100000")
        ),
        @"
    error: `virtual_nodes` of 100000 makes more than 50000000 points with 100000 hosts
      --> small.toml, line 16, column 17
       |
    16 | virtual_nodes = 100000
       |                 ^^^^^^
    "
    );
}

#[test]
fn lines_are_shown_as_a_terminal_can_show_them() {
    // A tab is one column wide; a long line is shown in part.
    assert_snapshot!(fault("shards = 20", "\tshards\t=\t0"), @"
    error: `shards` must be from 1 to 10000000, not 0
      --> small.toml, line 8, column 11
      |
    8 |  shards = 0
      |           ^
    ");
    assert_snapshot!(fault("hosts = 3", "hosts = [\"ünï😀\", \"漢字\", \"漢字\"]"), @r#"
    error: `hosts` names `漢字` twice
      --> small.toml, line 12, column 24
       |
    12 | hosts = ["ünï😀", "漢字", "漢字"]
       |                        ^^^^
    "#);
    assert_snapshot!(fault("hosts = 3", &format!("hosts = 3 # {}\nhots = 1", "x".repeat(500))), @"
    error: unknown key `hots`
      --> small.toml, line 13, column 1
       |
    13 | hots = 1
       | ^^^^ did you mean `hosts`?
    ");
    assert_snapshot!(fault("hosts = 3", &format!("hots = \"{}\"", "x".repeat(500))), @r#"
    error: unknown key `hots`
      --> small.toml, line 12, column 1
       |
    12 | hots = "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx...
       | ^^^^ did you mean `hosts`?
    "#);
    let far = format!("hosts = [{}3]", "\"a\", ".repeat(100));
    assert_snapshot!(fault("hosts = 3", &far), @r#"
    error: expected a host's name, or { name = "..", capacity = .. }, found 3
      --> small.toml, line 12, column 510
       |
    12 | ..."a", "a", "a", "a", "a", 3]
       |                             ^
    "#);
    // A byte order mark and carriage returns count for nothing.
    let marked = format!("\u{feff}{}", scenario("schema", "schem")).replace('\n', "\r\n");
    assert_snapshot!(fault_of(marked), @"
    error: unknown key `schem`
      --> small.toml, line 1, column 1
      |
    1 | schem = 1
      | ^^^^^ did you mean `schema`?
    ");
}

#[test]
fn files_that_a_scenario_names() {
    let trace = SCENARIO
        .replace(
            "kind = \"zipf\"\nshards = 20\nexponent = 0.9",
            "kind = \"trace\"\npath = \"t.csv\"",
        )
        .replace("duration = \"60s\"\n", "");
    let desk = Desk::with("in/small.toml", trace);
    let refuse = || desk.refuse(&["run", "in/small.toml", "--out", "out"]);
    assert_snapshot!(refuse(), @r#"
    error: in/t.csv: no such file
      --> in/small.toml, line 7, column 8
      |
    7 | path = "t.csv"
      |        ^^^^^^^
    "#);
    desk.write("in/t.csv", "");
    assert_snapshot!(refuse(), @r#"
    error: in/t.csv: is empty
      --> in/small.toml, line 7, column 8
      |
    7 | path = "t.csv"
      |        ^^^^^^^
    "#);
    desk.write("in/t.csv", "time_s,shard,load\n0,a,1\n");
    assert_snapshot!(refuse(), @r#"
    error: the sample period of 10s is longer than the run of 1s
      --> in/small.toml, line 3, column 16
      |
    3 | sample_every = "10s"
      |                ^^^^^ write a shorter one, or a longer `duration`
    "#);
    for (trace, says) in [
        ("time_s,shard,load\n", "holds no row of loads"),
        ("time_s,shard,load\n0,a,1\n0,a,2\n", "line 3: gives shard `a` a second load"),
        ("time_s,shard,load\n0,a,-1\n", "line 2, column `load`: the load must not be negative"),
        ("time_s,shard,load\n0,a,nan\n", "line 2, column `load`: the load must be a finite"),
        ("time_s,shard,load\n0,a,inf\n", "line 2, column `load`: the load must be a finite"),
        ("time_s,shard,load\nx,a,1\n", "line 2, column `time_s`: `x` is not a time"),
        ("time_s,shard,load\n0,a\n", "line 2: has 2 cells where the first row has 3"),
        ("time_s,shard,load\n0,a,1\n1e30,a,1\n", "line 3, column `time_s`: the time 1e30"),
        (
            "Time_s,Shard,Load\n0,a,1\n",
            "line 1: has no column `time_s`; write `time_s` for `Time_s`",
        ),
        ("time_s,shard,value\n0,a,1\n", "line 1: has no column `load`"),
        ("t,a,a\n0,1,2\n", "line 1: columns 2 and 3 are both named `a`"),
        ("t,a\n0,1\n0,2\n", "line 3: has the same time as line 2"),
        ("t\n0\n", "has one column"),
    ] {
        desk.write("in/t.csv", trace);
        let message = refuse();
        assert!(message.contains("in/t.csv") && message.contains(says), "{trace:?}: {message}");
    }
}

#[test]
fn start_files() {
    let start = scenario("\"greedy\"", "\"greedy\"\nstart = \"file\"\nstart_file = \"start.csv\"");
    let desk = Desk::with("small.toml", start);
    let refuse = || desk.refuse(&["run", "small.toml", "--out", "out"]);
    assert_snapshot!(refuse(), @r#"
    error: start.csv: no such file
      --> small.toml, line 17, column 14
       |
    17 | start_file = "start.csv"
       |              ^^^^^^^^^^^
    "#);
    desk.write("start.csv", "shard,load,host\nshard-0,1,host-0\nshard-1,1,host-9\n");
    assert_snapshot!(refuse(), @"error: start.csv, line 3, column `host`: host `host-9` is not in the scenario's cluster; add it there, or correct it here");
    desk.write("start.csv", "shard,load,host\nshard-0,1,host-0\nshard-99,1,host-0\n");
    assert_snapshot!(refuse(), @"error: start.csv, line 3, column `shard`: the workload has no shard `shard-99`");
    assert_snapshot!(fault("\"greedy\"", "\"greedy\"\nstart = \"file\""), @r#"
    error: `start_file` is missing: `start = "file"` needs the snapshot to read owners from
      --> small.toml, line 14, column 1
       |
    14 | [[policy]]
       | ^^^^^^^^^^
    "#);
}
