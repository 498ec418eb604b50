//! `check`: what passes, what fails and how, and what is refused.

#[path = "common/cli.rs"]
#[allow(dead_code, unreachable_pub)]
mod cli;

use cli::{Desk, Outcome, SCENARIO};
use insta::assert_snapshot;
use serde_json::Value;

/// Two checks that hold.
const CHECKS: &str = r#"
[[check]]
policy = "greedy"
metric = "hot_ratio"
statistic = "final"
max = 1.25

[[check]]
name = "close to the optimum"
policy = "greedy"
metric = "hot_ratio"
statistic = "final"
of = "optimum"
within = 0.25
"#;

/// Keys of a check that holds.
const HOLDS: &str = "policy = \"greedy\"\nmetric = \"hot_ratio\"\nstatistic = \"max\"\nmax = 9";

fn desk() -> Desk {
    Desk::with("small.toml", format!("{SCENARIO}{CHECKS}"))
}

/// A desk with one check of the small scenario.
fn with_check(check: &str) -> Desk {
    Desk::with("small.toml", format!("{SCENARIO}\n[[check]]\n{check}\n"))
}

/// What is printed when a check fails.
fn failing(desk: &Desk, arguments: &[&str]) -> String {
    let Outcome { code, out, .. } = desk.run(&[&["check", "small.toml"], arguments].concat());
    assert_eq!(code, Some(1), "{out}");
    out
}

/// What is printed about one check that fails.
fn failure(check: &str) -> String {
    failing(&with_check(check), &[])
}

/// The message about a check that cannot be used.
fn refused(check: &str) -> String {
    let desk = with_check(check);
    let message = desk.refuse(&["check", "small.toml"]);
    assert_eq!(message, desk.refuse(&["run", "small.toml", "--out", "out"]));
    message
}

#[test]
fn checks_that_hold() {
    let outcome = desk().run(&["check", "small.toml"]);
    assert_eq!((outcome.code, outcome.err.as_str()), (Some(0), ""));
    assert_snapshot!(outcome.out, @"
    small (small.toml)
      pass  final(hot_ratio[greedy], 0s..1m) <= 1.25 for 1 seed
            measured 1.09261
      pass  close to the optimum
            |final(hot_ratio[greedy], 0s..1m) / final(optimum, 0s..1m) - 1| <= 0.25 for 1 seed
            measured ratio 1.09256

    all 2 checks passed
    ");
    assert_eq!(desk().succeed(&["check", "small.toml", "--quiet", "--github"]), "");
    // Nothing is written without being asked for.
    let desk = desk();
    desk.succeed(&["check", "small.toml"]);
    assert_eq!(desk.files("").len(), 1);
}

/// A scenario made worse by hand fails, and the message shows the formula, the
/// value, the seeds and the times.
#[test]
fn a_scenario_made_worse() {
    let worse = ["--set", "policy.greedy.move_budget=0", "--set", "replications=2"];
    let outcome = desk().run(&[&["check", "small.toml"], &worse[..]].concat());
    assert_eq!(outcome.code, Some(1));
    assert_snapshot!(outcome.out, @"
    small (small.toml)
      FAIL  final(hot_ratio[greedy], 0s..1m) <= 1.25 for each of 2 seeds
            measured 1.29164 to 1.92751
            seed 1: 1.92751 (1.92751 at 1m)
            seed 2: 1.29164 (1.29164 at 1m)
      FAIL  close to the optimum
            |final(hot_ratio[greedy], 0s..1m) / final(optimum, 0s..1m) - 1| <= 0.25 for each of 2 seeds
            measured ratio 1.29159 to 1.92743
            seed 1: 1.92751 / 1.00004 = 1.92743 (1.92751 at 1m)
            seed 2: 1.29164 / 1.00004 = 1.29159 (1.29164 at 1m)

    2 of 2 checks failed
    ");
    assert_snapshot!(outcome.err, @"error: 2 of 2 checks failed");
    let quiet = desk().run(&[&["check", "small.toml", "--quiet"], &worse[..]].concat());
    assert_eq!((quiet.code, quiet.out, quiet.err), (Some(1), String::new(), outcome.err));
}

#[test]
fn bounds_of_every_form() {
    let ring = "kind = \"ring\"\n\n[cluster]\nhash_seed = \"per-seed\"\nhosts = 3";
    let text = SCENARIO
        .replace("[cluster]\nhosts = 3\n\n", "")
        .replace("kind = \"greedy\"", &format!("kind = \"greedy\"\n\n[[policy]]\n{ring}"))
        .replace("duration", "replications = 4\nduration");
    let checks = r#"
[[check]]
policy = "greedy"
metric = "hot_ratio"
statistic = "min"
min = 1.3

[[check]]
policy = "greedy"
metric = "moves"
min = 1
max = 1

[[check]]
policy = "greedy"
metric = "moves"
statistic = "increase"
max = 0.5
seeds = "mean"

[[check]]
policy = "greedy"
metric = "hot_ratio_mean"
of = "ring"
max = 0.7
seeds = "interval"

[[check]]
policy = "ring"
metric = "hot_ratio_mean"
of = "greedy"
within = 0.1
seeds = "mean"

[[check]]
policy = "greedy"
metric = "cv"
statistic = "p90"
of = "ring"
min = 0.5
max = 0.9
window = { from = "15s", to = "45s" }
"#;
    let desk = Desk::with("small.toml", format!("{text}{checks}"));
    assert_snapshot!(failing(&desk, &[]), @"
    small (small.toml)
      FAIL  min(hot_ratio[greedy], 0s..1m) >= 1.3 for each of 4 seeds
            measured 1.0299 to 1.12215
            seed 1: 1.12215 (1.12215 in 10s..1m)
            seed 2: 1.03996 (1.19776 in 0s..10s, 1.03996 in 10s..1m)
            seed 3: 1.03938 (1.03938 in 10s..1m)
            seed 4: 1.0299 (1.0299 in 10s..1m)
      FAIL  moves[greedy] = 1 for each of 4 seeds
            measured 1 to 3
            seed 1: 2
            seed 3: 2
            seed 4: 3
      FAIL  increase(moves[greedy], 0s..1m) <= 0.5 for the mean of 4 seeds
            measured mean 2
            seed 1: 2 (2 in 10s..1m)
            seed 2: 1 (1 in 10s..1m)
            seed 3: 2 (2 in 10s..1m)
            seed 4: 3 (3 in 10s..1m)
      FAIL  hot_ratio_mean[greedy] <= 0.7 * hot_ratio_mean[ring] for the 95 % interval of the mean of 4 seeds
            measured mean ratio 0.731885, interval 0.508822 to 0.954948
            seed 1: 1.13139 / 1.50453 = 0.75199
            seed 2: 1.04259 / 1.19776 = 0.870448
            seed 3: 1.04665 / 1.36242 = 0.768228
      FAIL  |hot_ratio_mean[ring] / hot_ratio_mean[greedy] - 1| <= 0.1 for the mean of 4 seeds
            measured mean ratio 1.41074
            seed 1: 1.50453 / 1.13139 = 1.3298
            seed 2: 1.19776 / 1.04259 = 1.14883
            seed 3: 1.36242 / 1.04665 = 1.3017
            seed 4: 1.95859 / 1.05152 = 1.86264
      FAIL  0.5 * p90(cv[ring], 15s..45s) <= p90(cv[greedy], 15s..45s) <= 0.9 * p90(cv[ring], 15s..45s) for each of 4 seeds
            measured ratio 0.0488605 to 0.224863
            seed 1: 0.0868039 / 0.386031 = 0.224863 (0.0868039 in 15s..45s)
            seed 2: 0.0288965 / 0.180015 = 0.160522 (0.0288965 in 15s..45s)
            seed 3: 0.0308401 / 0.294508 = 0.104718 (0.0308401 in 15s..45s)
            seed 4: 0.0331818 / 0.679113 = 0.0488605 (0.0331818 in 15s..45s)

    6 of 6 checks failed
    ");
}

#[test]
fn nothing_passes_without_something_to_see() {
    assert_snapshot!(failure(&format!("{HOLDS}\nwindow = {{ to = \"2m\" }}")), @"
    small (small.toml)
      FAIL  max(hot_ratio[greedy], 0s..2m) <= 9 for 1 seed
            not measured: the run of 1m is shorter than the window

    1 of 1 check failed
    ");
    assert_snapshot!(failure(&format!("{HOLDS}\nwindow = {{ last = \"61s\" }}")), @"
    small (small.toml)
      FAIL  max(hot_ratio[greedy], last 61s) <= 9 for 1 seed
            not measured: the run of 1m is shorter than the window

    1 of 1 check failed
    ");
    assert_snapshot!(failure(&format!("{HOLDS}\nwindow = {{ from = \"31s\", to = \"39s\" }}")), @"
    small (small.toml)
      FAIL  max(hot_ratio[greedy], 31s..39s) <= 9 for 1 seed
            not measured: no value was taken in the window (seed 1)

    1 of 1 check failed
    ");
    assert_snapshot!(failure(&format!("{HOLDS}\nseeds = \"interval\"")), @"
    small (small.toml)
      FAIL  max(hot_ratio[greedy], 0s..1m) <= 9 for the 95 % interval of the mean of 1 seed
            not measured: an interval needs at least 2 seeds, and there is 1

    1 of 1 check failed
    ");
    let budgeted =
        "policy = \"greedy\"\nmetric = \"budgeted_excess\"\nstatistic = \"max\"\nmax = 9";
    assert_snapshot!(failure(budgeted), @"
    small (small.toml)
      FAIL  max(budgeted_excess[greedy], 0s..1m) <= 9 for 1 seed
            not measured: no value was taken in the window (seed 1)

    1 of 1 check failed
    ");
    let off = ["--set", "optimum.enabled=false"];
    let of_optimum = with_check(&format!("{HOLDS}\nof = \"optimum\""));
    assert_snapshot!(failing(&of_optimum, &off), @"
    small (small.toml)
      FAIL  max(hot_ratio[greedy], 0s..1m) <= 9 * max(optimum, 0s..1m) for 1 seed
            not measured: the optimum was not computed: [optimum] has enabled = false (seed 1)

    1 of 1 check failed
    ");
    let excess = with_check("policy = \"greedy\"\nmetric = \"excess_mean\"\nmax = 9");
    assert_snapshot!(failing(&excess, &off), @"
    small (small.toml)
      FAIL  excess_mean[greedy] <= 9 for 1 seed
            not measured: the value is not a number (seed 1)

    1 of 1 check failed
    ");
    // A shorter run is refused by the checks, not by `run`.
    let short = with_check(&format!("{HOLDS}\nwindow = {{ to = \"60s\" }}"));
    short.succeed(&["check", "small.toml"]);
    let shorter = ["--set", "duration=30s"];
    short.succeed(&[&["run", "small.toml", "--out", "out"], &shorter[..]].concat());
    assert_snapshot!(failing(&short, &shorter), @"
    small (small.toml)
      FAIL  max(hot_ratio[greedy], 0s..1m) <= 9 for 1 seed
            not measured: the run of 30s is shorter than the window

    1 of 1 check failed
    ");
}

#[test]
fn names_that_are_unknown() {
    assert_snapshot!(refused(&HOLDS.replace("\"greedy\"", "\"gredy\"")), @r#"
    error: unknown policy `gredy`
      --> small.toml, line 24, column 10
       |
    24 | policy = "gredy"
       |          ^^^^^^^ did you mean `greedy`?
    "#);
    assert_snapshot!(refused(&HOLDS.replace("hot_ratio", "hot_rato")), @r#"
    error: unknown word `hot_rato`
      --> small.toml, line 25, column 10
       |
    25 | metric = "hot_rato"
       |          ^^^^^^^^^^ did you mean `hot_ratio`?
    "#);
    assert_snapshot!(refused(&HOLDS.replace("\"max\"", "\"p75\"")), @r#"
    error: unknown word `p75`
      --> small.toml, line 26, column 13
       |
    26 | statistic = "p75"
       |             ^^^^^ did you mean `p95`?
    "#);
    assert_snapshot!(refused(&format!("{HOLDS}\nof = \"ring\"")), @r#"
    error: unknown policy `ring`
      --> small.toml, line 28, column 6
       |
    28 | of = "ring"
       |      ^^^^^^ known here: greedy, optimum
    "#);
    assert_snapshot!(refused(&format!("{HOLDS}\nseeds = \"all\"")), @r#"
    error: unknown word `all`
      --> small.toml, line 28, column 9
       |
    28 | seeds = "all"
       |         ^^^^^ known here: each, mean, interval
    "#);
    assert_snapshot!(refused(&HOLDS.replace("max = 9", "maximum = 9")), @"
    error: unknown key `maximum`
      --> small.toml, line 27, column 1
       |
    27 | maximum = 9
       | ^^^^^^^ known here: name, policy, metric, statistic, min, max, within, of, window, seeds
    ");
    assert_snapshot!(refused(&format!("{HOLDS}\nwindow = {{ form = \"1s\" }}")), @r#"
    error: unknown key `form`
      --> small.toml, line 28, column 12
       |
    28 | window = { form = "1s" }
       |            ^^^^ did you mean `from`?
    "#);
}

#[test]
fn keys_that_do_not_go_together() {
    assert_snapshot!(refused("metric = \"moves\"\nmax = 1"), @"
    error: missing key `policy`
      --> small.toml, line 23, column 1
       |
    23 | [[check]]
       | ^^^^^^^^^
    ");
    assert_snapshot!(refused("policy = \"greedy\"\nmetric = \"moves\""), @"
    error: the check has no bound
      --> small.toml, line 23, column 1
       |
    23 | [[check]]
       | ^^^^^^^^^ write `max`, `min`, or `within` and `of`
    ");
    assert_snapshot!(refused("policy = \"greedy\"\nmetric = \"cv\"\nmax = 1"), @r#"
    error: missing key `statistic`
      --> small.toml, line 25, column 10
       |
    25 | metric = "cv"
       |          ^^^^ say what becomes of the values over time: statistic = "mean", "max", ...
    "#);
    let window = "policy = \"greedy\"\nmetric = \"moves\"\nmax = 1\nwindow = { last = \"1s\" }";
    assert_snapshot!(refused(window), @r#"
    error: missing key `statistic`
      --> small.toml, line 25, column 10
       |
    25 | metric = "moves"
       |          ^^^^^^^ say what becomes of the values over time: statistic = "mean", "max", ...
    "#);
    let mean = "policy = \"greedy\"\nmetric = \"cv_mean\"\nmax = 1\n";
    assert_snapshot!(refused(&format!("{mean}statistic = \"max\"")), @r#"
    error: `cv_mean` is one value a seed, of all the time after the warmup
      --> small.toml, line 27, column 13
       |
    27 | statistic = "max"
       |             ^^^^^ leave it out, or take a metric of timeseries.csv or optimum.csv
    "#);
    assert_snapshot!(refused(&format!("{mean}window = {{ last = \"1s\" }}")), @r#"
    error: `cv_mean` is one value a seed, of all the time after the warmup
      --> small.toml, line 27, column 10
       |
    27 | window = { last = "1s" }
       |          ^^^^^^^^^^^^^^^ leave it out, or take a metric of timeseries.csv or optimum.csv
    "#);
    assert_snapshot!(refused(&format!("{mean}min = 2")), @"
    error: `min` of 2 is above `max` of 1: nothing would pass
      --> small.toml, line 27, column 7
       |
    27 | min = 2
       |       ^
    ");
    assert_snapshot!(refused(&format!("{mean}within = 2")), @"
    error: `within` cannot stand beside `min` or `max`
      --> small.toml, line 27, column 10
       |
    27 | within = 2
       |          ^
    ");
    assert_snapshot!(refused(&mean.replace("max = 1", "within = 1")), @r#"
    error: `within` of what?
      --> small.toml, line 26, column 10
       |
    26 | within = 1
       |          ^ name another policy, or "optimum", in `of`
    "#);
    assert_snapshot!(refused(&mean.replace("max = 1", "of = \"optimum\"\nwithin = 1")), @r#"
    error: `cv_mean` has no optimum
      --> small.toml, line 26, column 6
       |
    26 | of = "optimum"
       |      ^^^^^^^^^ only `hot_ratio` and `square_ratio` have one
    "#);
    assert_snapshot!(refused(&format!("{HOLDS}\nof = \"greedy\"")), @r#"
    error: a policy compared with itself always passes
      --> small.toml, line 28, column 6
       |
    28 | of = "greedy"
       |      ^^^^^^^^
    "#);
    assert_snapshot!(refused(&HOLDS.replace("max = 9", "within = -1\nof = \"optimum\"")), @"
    error: `within` must be a finite number of at least 0, not -1
      --> small.toml, line 27, column 10
       |
    27 | within = -1
       |          ^^
    ");
    assert_snapshot!(refused(&HOLDS.replace("= 9", "= nan")), @"
    error: `max` must be a finite number
      --> small.toml, line 27, column 7
       |
    27 | max = nan
       |       ^^^
    ");
    for (window, word) in [
        ("from = \"9s\", to = \"9s\"", "is empty"),
        ("last = \"1s\", to = \"9s\"", "either `last`"),
        ("last = \"0s\"", "longer than 0s"),
        ("to = 5", "unit"),
    ] {
        let message = refused(&format!("{HOLDS}\nwindow = {{ {window} }}"));
        assert!(message.contains(word) && message.contains("line 28"), "{message}");
    }
    let early = with_check(&format!("{HOLDS}\nwindow = {{ to = \"9s\" }}"));
    assert_snapshot!(early.refuse(&["check", "small.toml", "--set", "warmup=10s"]), @r#"
    error: the window to 9s ends before the warmup of 10s does
      --> small.toml, line 28, column 10
       |
    28 | window = { to = "9s" }
       |          ^^^^^^^^^^^^^ write `from` too
    "#);
    let text = format!("{SCENARIO}\n[[check]]\n{HOLDS}\nof = \"optimum\"\n");
    let both = Desk::with(
        "small.toml",
        text.replace(
            "kind = \"greedy\"",
            "kind = \"greedy\"\nname = \"greedy\"\n[[policy]]\nkind = \"ring\"\nname = \"optimum\"",
        ),
    );
    assert!(both.refuse(&["check", "small.toml"]).contains("give that policy another name"));
}

#[test]
fn arguments_and_files_that_are_wrong() {
    let desk = desk();
    desk.write("bare.toml", SCENARIO);
    desk.write("again.toml", format!("{SCENARIO}{CHECKS}"));
    assert_snapshot!(desk.refuse(&["check"]), @"
    error: the following required arguments were not provided:
      <SCENARIO>...

    Usage: evenkeel check <SCENARIO>...

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["check", "small.toml", "none.toml"]), @"error: none.toml: no such file");
    assert_snapshot!(desk.refuse(&["check", "bare.toml"]), @"error: bare.toml: has no [[check]]; write one, or compare with a --baseline");
    assert_snapshot!(desk.refuse(&["check", "small.toml", "again.toml"]), @"error: again.toml: has the name `small`, which small.toml has too");
    assert_snapshot!(desk.refuse(&["check", "small.toml", "--baseline", "none.csv"]), @"error: none.csv: no such file");
    desk.write("dir/file", "");
    assert_snapshot!(desk.refuse(&["check", "small.toml", "--junit", "dir"]), @"error: dir: is there and is not a regular file");
    assert_snapshot!(desk.refuse(&["check", "small.toml", "--markdown", ".."]), @"error: ..: does not name a file");
    desk.succeed(&["check", "small.toml", "--write-baseline", "b.csv"]);
    let with = |tolerance| {
        desk.refuse(&["check", "small.toml", "--baseline", "b.csv", "--tolerance", tolerance])
    };
    assert_snapshot!(with("mvoes=0.1"), @"error: --tolerance mvoes=0.1: unknown metric `mvoes`; did you mean `moves`?");
    assert_snapshot!(with("moves=-0.1"), @"error: --tolerance moves=-0.1: `-0.1` is not a share; write a number of at least 0, such as 0.05 for 5 %");
    assert_snapshot!(with("5%"), @"error: --tolerance 5%: `5%` is not a share; write a number of at least 0, such as 0.05 for 5 %");
    assert!(desk.refuse(&["check", "small.toml", "--tolerance", "1"]).contains("--baseline"));
    let good = desk.read("b.csv");
    let row = good.lines().nth(1).unwrap();
    let broken = |text: String| {
        desk.write("bad.csv", text);
        desk.refuse(&["check", "small.toml", "--baseline", "bad.csv"])
    };
    assert_snapshot!(broken(good.replace("hot_ratio_mean", "ratio")), @"error: bad.csv, line 1: has no column `hot_ratio_mean`; its first line must name the columns, and is: scenario,policy,seed,ratio,hot_ratio_p50,hot_ratio_p99,hot_ratio_max,hot_ratio_final,floor_mean,optimum_mean,excess_mean,cv_mean,moves,moved_load,moves_per_shard_max,unavailable_s,digest,square_ratio_");
    assert_snapshot!(broken(good.replace("greedy,1,", "greedy,one,")), @"error: bad.csv, line 2, column `seed`: `one` is not a number");
    assert_snapshot!(broken(good.replace("greedy,1,", "greedy,1,NaN")), @"error: bad.csv, line 2, column `hot_ratio_mean`: `NaN1.1082353880063587` is not a number");
    assert_snapshot!(broken(format!("{good}{row}\n")), @"error: bad.csv, line 3: the same scenario, policy and seed as in line 2");
    assert_snapshot!(broken(good.lines().next().unwrap().to_owned()), @"error: bad.csv: has no rows");
    // The work itself failed: a file that cannot be written.
    let outcome = desk.run(&["check", "small.toml", "--junit", "b.csv/check.xml"]);
    assert_eq!(outcome.code, Some(3), "{}", outcome.err);
}

#[test]
fn a_baseline_finds_what_became_worse_and_better() {
    let desk = Desk::with("small.toml", SCENARIO);
    let more = ["--set", "replications=3"];
    let check =
        |arguments: &[&str]| desk.run(&[&["check", "small.toml"], arguments, &more[..]].concat());
    assert_eq!(check(&["--write-baseline", "base/b.csv"]).code, Some(0));
    desk.succeed(&[&["run", "small.toml", "--out", "out"], &more[..]].concat());
    assert_eq!(desk.read("base/b.csv"), desk.read("out/summary.csv"));

    let same = check(&["--baseline", "base/b.csv"]);
    assert_eq!(same.code, Some(0));
    assert_snapshot!(same.out, @"
    Against the baseline
    unchanged: small, policy greedy: hot_ratio_mean, hot_ratio_p50, hot_ratio_p99, hot_ratio_max, hot_ratio_final, optimum_mean, excess_mean, cv_mean, moves, moved_load, moves_per_shard_max, unavailable_s, square_ratio_mean

    against the baseline 0 regressed, 0 improved, 13 unchanged
    ");

    let worse = ["--set", "policy.greedy.move_budget=0"];
    let outcome = check(&[&["--baseline", "base/b.csv"], &worse[..]].concat());
    assert_eq!(outcome.code, Some(1));
    assert_snapshot!(outcome.out, @"
    Against the baseline
    trend      scenario  policy               metric     before     after     change                   seeds
    regressed     small  greedy          excess_mean  0.0962719   0.53287  +453.51 %  3 worse, 0 better of 3
    regressed     small  greedy              cv_mean  0.0783204  0.414376  +429.08 %  3 worse, 0 better of 3
    regressed     small  greedy        hot_ratio_p50    1.08834   1.53294   +40.85 %  3 worse, 0 better of 3
    regressed     small  greedy      hot_ratio_final    1.08834   1.53294   +40.85 %  3 worse, 0 better of 3
    regressed     small  greedy       hot_ratio_mean    1.09632   1.53294   +39.83 %  3 worse, 0 better of 3
    regressed     small  greedy    square_ratio_mean     1.0088   1.20841   +19.79 %  3 worse, 0 better of 3
    improved      small  greedy                moves    1.33333         0  -100.00 %  0 worse, 3 better of 3
    improved      small  greedy           moved_load    1786.29         0  -100.00 %  0 worse, 3 better of 3
    improved      small  greedy  moves_per_shard_max          1         0  -100.00 %  0 worse, 3 better of 3
    improved      small  greedy        unavailable_s    1.33333         0  -100.00 %  0 worse, 3 better of 3
    unchanged: small, policy greedy: hot_ratio_p99, hot_ratio_max, optimum_mean

    against the baseline 6 regressed, 4 improved, 3 unchanged
    ");
    let tolerant =
        check(&[&["--baseline", "base/b.csv", "--tolerance", "99"], &worse[..]].concat());
    assert_eq!(tolerant.code, Some(0), "{}", tolerant.out);
    let but_one = ["--tolerance", "cv_mean=0.5", "--tolerance", "99", "--baseline", "base/b.csv"];
    let outcome = check(&[&but_one[..], &worse[..]].concat());
    assert_eq!(outcome.code, Some(1));
    assert!(outcome.out.contains("1 regressed, 0 improved, 12 unchanged"), "{}", outcome.out);
}

#[test]
fn a_baseline_of_other_runs_fails() {
    let desk = Desk::with("small.toml", SCENARIO);
    desk.write("other.toml", SCENARIO.replace("\"small\"", "\"other\""));
    let two = ["small.toml", "other.toml"];
    desk.succeed(&[&["check", "--write-baseline", "b.csv"], &two[..]].concat());
    desk.succeed(&[&["check", "--baseline", "b.csv"], &two[..]].concat());
    let compare =
        |arguments: &[&str]| failing(&desk, &[&["--baseline", "b.csv"], arguments].concat());
    assert_snapshot!(compare(&[]), @"
    Against the baseline
      not compared: other, policy greedy: in the baseline, but was not run
    unchanged: small, policy greedy: hot_ratio_mean, hot_ratio_p50, hot_ratio_p99, hot_ratio_max, hot_ratio_final, optimum_mean, excess_mean, cv_mean, moves, moved_load, moves_per_shard_max, unavailable_s, square_ratio_mean

    against the baseline 0 regressed, 0 improved, 13 unchanged; 1 not compared
    ");
    let seeds = compare(&["other.toml", "--set", "seed=2", "--set", "replications=2"]);
    assert_snapshot!(seeds, @"
    Against the baseline
      not compared: small, policy greedy: seeds not in the baseline: 2, 3
      not compared: small, policy greedy: seeds in the baseline, but not run: 1
      not compared: other, policy greedy: seeds not in the baseline: 2, 3
      not compared: other, policy greedy: seeds in the baseline, but not run: 1

    against the baseline 0 regressed, 0 improved, 0 unchanged; 4 not compared
    ");
    assert_snapshot!(compare(&["other.toml", "--set", "policy.greedy.name=renamed"]), @"
    Against the baseline
      not compared: small, policy renamed: not in the baseline
      not compared: other, policy renamed: not in the baseline
      not compared: small, policy greedy: in the baseline, but was not run
      not compared: other, policy greedy: in the baseline, but was not run

    against the baseline 0 regressed, 0 improved, 0 unchanged; 4 not compared
    ");
    let other_loads = compare(&["other.toml", "--set", "workload.exponent=1.5"]);
    assert!(
        other_loads.contains("small, policy greedy: other loads, floor_mean is"),
        "{other_loads}"
    );
    let no_optimum = compare(&["other.toml", "--set", "optimum.enabled=false"]);
    assert!(no_optimum.contains("optimum_mean is known on one side only"), "{no_optimum}");
}

/// A scenario with names that are markup everywhere, one check that holds and
/// three that fail.
fn marked() -> Desk {
    let checks = r#"
[[check]]
name = "<b> & \"quotes\" | pipe, colon: 100 % *bold*"
policy = "a<b> & 'c'"
metric = "hot_ratio"
statistic = "max"
max = 1.1

[[check]]
policy = "a<b> & 'c'"
metric = "hot_ratio"
statistic = "final"
max = 9
"#;
    let policy = "kind = \"greedy\"\nname = \"a<b> & 'c'\"";
    Desk::with("small.toml", SCENARIO.replace("kind = \"greedy\"", policy) + checks)
}

#[test]
fn junit_is_read_by_another_parser() {
    let desk = marked();
    desk.succeed(&["check", "small.toml", "--set", "check.0.max=9", "--write-baseline", "b.csv"]);
    let worse = ["--set", "policy.0.move_budget=0", "--baseline", "b.csv", "--junit", "out/j.xml"];
    failing(&desk, &worse);
    let text = desk.read("out/j.xml");
    let document = roxmltree::Document::parse(&text).expect("it is well-formed");
    let root = document.root_element();
    assert_eq!(root.tag_name().name(), "testsuites");
    let elements = |node: roxmltree::Node<'_, '_>, name: &str| {
        node.descendants().filter(|node| node.has_tag_name(name)).count()
    };
    let numbers = |node: roxmltree::Node<'_, '_>| {
        ["tests", "failures", "errors"]
            .map(|key| node.attribute(key).unwrap().parse::<usize>().unwrap())
    };
    assert_eq!(numbers(root), [elements(root, "testcase"), elements(root, "failure"), 0]);
    let suites: Vec<_> = root.children().filter(|node| node.is_element()).collect();
    assert_eq!(suites.len(), 2);
    for suite in &suites {
        assert_eq!(suite.tag_name().name(), "testsuite");
        assert_eq!(numbers(*suite), [elements(*suite, "testcase"), elements(*suite, "failure"), 0]);
    }
    let names: Vec<_> = suites.iter().map(|suite| suite.attribute("name").unwrap()).collect();
    assert_eq!(names, ["small", "baseline"]);
    let case = suites[0].descendants().find(|node| node.has_tag_name("testcase")).unwrap();
    let name = "<b> & \"quotes\" | pipe, colon: 100 % *bold*";
    assert_eq!((case.attribute("name"), case.attribute("classname")), (Some(name), Some("small")));
    let failure = case.descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(failure.attribute("type"), Some("out-of-bounds"));
    assert_snapshot!(failure.text().unwrap(), @"
    small.toml, line 24
    max(hot_ratio[a<b> & 'c'], 0s..1m) <= 1.1 for 1 seed
    measured 1.92751
    seed 1: 1.92751 (1.92751 in 0s..1m)
    ");
    let regressed = suites[1].descendants().find(|node| node.has_tag_name("failure")).unwrap();
    assert_eq!(regressed.attribute("type"), Some("regressed"));
    assert_eq!(regressed.attribute("message"), regressed.text());
    assert_snapshot!(regressed.text().unwrap(), @"excess_mean regressed: 0.108187 to 0.927427 (+757.25 %; seeds: 1 worse, 0 better of 1)");
}

#[test]
fn markdown() {
    let desk = marked();
    desk.succeed(&["check", "small.toml", "--set", "check.0.max=9", "--write-baseline", "b.csv"]);
    let worse = ["--set", "policy.0.move_budget=0", "--baseline", "b.csv", "--markdown", "m.md"];
    failing(&desk, &worse);
    assert_snapshot!(desk.read("m.md"), @r#"
    ## evenkeel check failed

    1 of 2 checks failed; against the baseline 6 regressed, 4 improved, 3 unchanged.

    ### small

    | | check | measured |
    | --- | --- | --- |
    | **FAIL** | &lt;b&gt; &amp; "quotes" \| pipe, colon: 100 % \*bold\*<br>max(hot\_ratio\[a&lt;b&gt; &amp; 'c'\], 0s..1m) &lt;= 1.1 for 1 seed | measured 1.92751<br>seed 1: 1.92751 (1.92751 in 0s..1m) |
    | pass | final(hot\_ratio\[a&lt;b&gt; &amp; 'c'\], 0s..1m) &lt;= 9 for 1 seed | measured 1.92751 |

    ### Against the baseline

    | | scenario | policy | metric | before | after | change | seeds |
    | --- | --- | --- | --- | ---: | ---: | ---: | --- |
    | **regressed** | small | a&lt;b&gt; &amp; 'c' | excess\_mean | 0.108187 | 0.927427 | +757.25 % | 1 worse, 0 better of 1 |
    | **regressed** | small | a&lt;b&gt; &amp; 'c' | cv\_mean | 0.0825504 | 0.671412 | +713.34 % | 1 worse, 0 better of 1 |
    | **regressed** | small | a&lt;b&gt; &amp; 'c' | hot\_ratio\_p50 | 1.09261 | 1.92751 | +76.41 % | 1 worse, 0 better of 1 |
    | **regressed** | small | a&lt;b&gt; &amp; 'c' | hot\_ratio\_final | 1.09261 | 1.92751 | +76.41 % | 1 worse, 0 better of 1 |
    | **regressed** | small | a&lt;b&gt; &amp; 'c' | hot\_ratio\_mean | 1.10824 | 1.92751 | +73.93 % | 1 worse, 0 better of 1 |
    | **regressed** | small | a&lt;b&gt; &amp; 'c' | square\_ratio\_mean | 1.013 | 1.45079 | +43.22 % | 1 worse, 0 better of 1 |
    | improved | small | a&lt;b&gt; &amp; 'c' | moves | 2 | 0 | -100.00 % | 0 worse, 1 better of 1 |
    | improved | small | a&lt;b&gt; &amp; 'c' | moved\_load | 3142.37 | 0 | -100.00 % | 0 worse, 1 better of 1 |
    | improved | small | a&lt;b&gt; &amp; 'c' | moves\_per\_shard\_max | 1 | 0 | -100.00 % | 0 worse, 1 better of 1 |
    | improved | small | a&lt;b&gt; &amp; 'c' | unavailable\_s | 2 | 0 | -100.00 % | 0 worse, 1 better of 1 |

    <details><summary>3 unchanged</summary>

    | | scenario | policy | metric | before | after | change | seeds |
    | --- | --- | --- | --- | ---: | ---: | ---: | --- |
    | unchanged | small | a&lt;b&gt; &amp; 'c' | hot\_ratio\_p99 | 1.92751 | 1.92751 | 0 % | 0 worse, 0 better of 1 |
    | unchanged | small | a&lt;b&gt; &amp; 'c' | hot\_ratio\_max | 1.92751 | 1.92751 | 0 % | 0 worse, 0 better of 1 |
    | unchanged | small | a&lt;b&gt; &amp; 'c' | optimum\_mean | 1.00004 | 1.00004 | 0 % | 0 worse, 0 better of 1 |

    </details>
    "#);
}

#[test]
fn annotations() {
    let desk = marked();
    desk.succeed(&["check", "small.toml", "--set", "check.0.max=9", "--write-baseline", "b.csv"]);
    let worse = ["--set", "policy.0.move_budget=0", "--set", "seed=1", "--baseline", "b.csv"];
    let quiet = [&worse[..], &["--github", "--quiet"]].concat();
    assert_snapshot!(failing(&desk, &quiet), @r#"
    ::error file=small.toml,line=24,title=<b> & "quotes" | pipe%2C colon%3A 100 %25 *bold*::max(hot_ratio[a<b> & 'c'], 0s..1m) <= 1.1 for 1 seed%0Ameasured 1.92751%0Aseed 1: 1.92751 (1.92751 in 0s..1m)
    ::error file=small.toml,title=small%3A a<b> & 'c' is worse than the baseline::excess_mean regressed: 0.108187 to 0.927427 (+757.25 %25; seeds: 1 worse, 0 better of 1)%0Acv_mean regressed: 0.0825504 to 0.671412 (+713.34 %25; seeds: 1 worse, 0 better of 1)%0Ahot_ratio_p50 regressed: 1.09261 to 1.92751 (+76.41 %25; seeds: 1 worse, 0 better of 1)%0Ahot_ratio_final regressed: 1.09261 to 1.92751 (+76.41 %25; seeds: 1 worse, 0 better of 1)%0Ahot_ratio_mean regressed: 1.10824 to 1.92751 (+73.93 %25; seeds: 1 worse, 0 better of 1)%0Asquare_ratio_mean regressed: 1.013 to 1.45079 (+43.22 %25; seeds: 1 worse, 0 better of 1)
    "#);
    let seeds = ["--set", "seed=2", "--baseline", "b.csv", "--github", "--quiet"];
    assert_snapshot!(failing(&desk, &seeds), @r#"
    ::error file=small.toml,line=24,title=<b> & "quotes" | pipe%2C colon%3A 100 %25 *bold*::max(hot_ratio[a<b> & 'c'], 0s..1m) <= 1.1 for 1 seed%0Ameasured 1.29164%0Aseed 2: 1.29164 (1.29164 in 0s..10s)
    ::error title=not compared with the baseline::small, policy a<b> & 'c': seeds not in the baseline: 2
    ::error title=not compared with the baseline::small, policy a<b> & 'c': seeds in the baseline, but not run: 1
    "#);
}

#[test]
fn json_is_one_document() {
    let desk = marked();
    let arguments = ["check", "small.toml", "--format", "json", "--github"];
    let Outcome { code, out, err } = desk.run(&arguments);
    assert_eq!(code, Some(1));
    let json: Value = serde_json::from_str(&out).expect("one document");
    assert_eq!(json["passed"], false);
    assert_eq!(json["baseline"], Value::Null);
    assert_snapshot!(format!("{:#}", json["checks"][0]), @r#"
    {
      "file": "small.toml",
      "formula": "max(hot_ratio[a<b> & 'c'], 0s..1m) <= 1.1 for 1 seed",
      "high": 1.1,
      "line": 24,
      "low": null,
      "measured": {
        "high": 1.9275117380995568,
        "low": 1.9275117380995568
      },
      "message": "measured 1.92751",
      "metric": "hot_ratio",
      "name": "<b> & \"quotes\" | pipe, colon: 100 % *bold*",
      "of": null,
      "offenders": [
        {
          "more": 0,
          "reference": null,
          "seed": 1,
          "times": [
            {
              "from_s": 0.0,
              "to_s": 10.0,
              "value": 1.9275117380995568
            }
          ],
          "value": 1.9275117380995568
        }
      ],
      "policy": "a<b> & 'c'",
      "scenario": "small",
      "seeds": "each",
      "statistic": "max",
      "verdict": "out-of-bounds"
    }
    "#);
    assert_eq!(json["checks"][1]["verdict"], "passed");
    assert!(err.starts_with("::error file=small.toml,line=24,"), "{err}");
    assert!(err.ends_with("error: 1 of 2 checks failed\n"), "{err}");
}

#[test]
fn threads_change_nothing() {
    let desk = marked();
    let files = |threads: &str| {
        let name = |ending: &str| format!("{threads}/check.{ending}");
        let (csv, xml, md) = (name("csv"), name("xml"), name("md"));
        let outputs = ["--write-baseline", &csv, "--junit", &xml, "--markdown", &md];
        let rest = ["--threads", threads, "--set", "replications=5"];
        let out = failing(&desk, &[&outputs[..], &rest[..]].concat());
        (out, desk.files(threads))
    };
    assert_eq!(files("1"), files("7"));
}

/// A check is printed with the scenario, and can be set.
#[test]
fn checks_are_part_of_the_scenario() {
    let desk = desk();
    let printed = desk.succeed(&["run", "small.toml", "--print-scenario"]);
    desk.write("printed.toml", &printed);
    assert_eq!(printed, desk.succeed(&["run", "printed.toml", "--print-scenario"]));
    assert!(printed.contains("[[check]]") && printed.contains("seeds = \"each\""), "{printed}");
    assert_snapshot!(desk.refuse(&["check", "small.toml", "--set", "check.0.policy=gredy"]), @"
    error: unknown policy `gredy`
      --> command line
     |
     | check.0.policy=gredy
     |                ^^^^^ did you mean `greedy`?
    ");
}
