//! Sweeps as a user runs them: what is written, and that nothing is lost however
//! they end.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/cli.rs"]
#[allow(dead_code, unreachable_pub)]
mod cli;

use std::process::{Child, Command, Stdio};
use std::time::Duration;

use cli::{Desk, SCENARIO};
use evenkeel::experiment::sweep::Lock;
use insta::assert_snapshot;
use xxhash_rust::xxh64::xxh64;

/// A sweep of 3 x 2 points, 4 seeds and 2 policies, with points of several
/// lengths.
const SWEEP: &str = r#"schema = 1
name = "tiny"
scenario = "small.toml"
replications = 4
set = ["policy=[{ kind = 'greedy' }, { kind = 'ring' }]"]

[[axis]]
path = "workload.shards"
values = [10, 30, 20]

[[axis]]
path = "policy.greedy.upper_band"
from = 1.1
to = 1.3
steps = 2
"#;

fn desk_with(sweep: &str) -> Desk {
    let desk = Desk::with("small.toml", SCENARIO);
    desk.write("sweep.toml", sweep);
    desk
}

/// Files of a directory that must not differ.
fn results(desk: &Desk, directory: &str) -> Vec<(String, Vec<u8>)> {
    let mut files = desk.files(directory);
    files.retain(|(name, _)| name != "timing.json");
    files
}

fn sweep_into(desk: &Desk, out: &str, more: &[&str]) -> String {
    let arguments = [&["sweep", "sweep.toml", "--out", out][..], more].concat();
    desk.succeed(&arguments)
}

#[test]
fn a_sweep_writes_tables_and_plots() {
    let desk = desk_with(SWEEP);
    let outcome = desk.run(&["sweep", "sweep.toml"]);
    assert_eq!(outcome.code, Some(0), "{}", outcome.err);
    assert!(
        outcome.err.contains("warning: 4 seeds are few for intervals of 95 %"),
        "{}",
        outcome.err
    );
    assert!(
        outcome.out.starts_with("tiny\n6 points of 2 axes, 2 policies, 4 seeds\n"),
        "{}",
        outcome.out
    );
    assert!(outcome.out.ends_with("written to results/tiny\n"), "{}", outcome.out);
    let names: Vec<String> =
        results(&desk, "results/tiny").into_iter().map(|(name, _)| name).collect();
    assert_snapshot!(names.join(" "), @".lock manifest.json pairs.csv plots/ plots/front.png plots/front.svg plots/hot_ratio.png plots/hot_ratio.svg plots/moves.png plots/moves.svg points.csv sweep.csv");
    let table = desk.read("results/tiny/sweep.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert_eq!(lines.len(), 1 + 6 * 2 * 4);
    assert!(lines[0].starts_with("point,shards,upper_band,scenario,policy,seed,hot_ratio_mean,"));
    assert!(lines[1].starts_with("0,10,1.1,small,greedy,1,"));
    assert!(lines[9].starts_with("1,10,1.3,small,greedy,1,"));
    assert!(lines[48].starts_with("5,20,1.3,small,ring,4,"));
}

/// A row of `sweep.csv` is the row that a run of its own gives.
#[test]
fn rows_are_those_of_runs() {
    let desk = desk_with(SWEEP);
    sweep_into(&desk, "out", &["--quiet"]);
    let sets = [
        "workload.shards=30",
        "policy=[{ kind = 'greedy' }, { kind = 'ring' }]",
        "policy.greedy.upper_band=1.3",
    ];
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let run: Vec<&str> = ["run", "small.toml", "--out", "run", "--replications", "4"]
        .into_iter()
        .chain(sets)
        .collect();
    desk.succeed(&run);
    let table = desk.read("out/sweep.csv");
    let of_sweep: Vec<&str> =
        table.lines().filter_map(|line| line.strip_prefix("3,30,1.3,")).collect();
    let summary = desk.read("run/summary.csv");
    assert_eq!(of_sweep, summary.lines().skip(1).collect::<Vec<_>>());
}

/// Cells of a table by the name of their column.
fn cells(desk: &Desk, file: &str) -> Vec<std::collections::BTreeMap<String, String>> {
    let text = desk.read(file);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    reader.deserialize().map(|row| row.unwrap()).collect()
}

#[test]
fn statistics_are_those_of_the_rows() {
    let desk = desk_with(SWEEP);
    sweep_into(&desk, "out", &["--quiet"]);
    let rows = cells(&desk, "out/sweep.csv");
    let column = |point: &str, policy: &str, name: &str| -> Vec<f64> {
        let own = rows.iter().filter(|row| row["point"] == point && row["policy"] == policy);
        own.map(|row| row[name].parse().unwrap()).collect()
    };
    // t of 3 degrees of freedom.
    const T: f64 = 3.182_446_305_283_71;
    let spread = |values: &[f64]| {
        let mean = values.iter().sum::<f64>() / 4.0;
        let square = values.iter().map(|v| (v - mean) * (v - mean)).sum::<f64>() / 3.0;
        (mean, (square / 4.0).sqrt())
    };
    let near = |cell: &str, value: f64| {
        let cell: f64 = cell.parse().unwrap();
        assert!((cell - value).abs() <= 1e-9 * value.abs().max(1.0), "{cell} is not {value}");
    };
    let points = cells(&desk, "out/points.csv");
    assert_eq!(points.len(), 12);
    for row in &points {
        for metric in ["hot_ratio_mean", "moves", "unavailable_s"] {
            let mut values = column(&row["point"], &row["policy"], metric);
            let (mean, error) = spread(&values);
            near(&row[&format!("{metric}_mean")], mean);
            near(&row[&format!("{metric}_se")], error);
            near(&row[&format!("{metric}_ci_low")], mean - T * error);
            near(&row[&format!("{metric}_ci_high")], mean + T * error);
            values.sort_by(f64::total_cmp);
            near(&row[&format!("{metric}_median")], (values[1] + values[2]) / 2.0);
            near(&row[&format!("{metric}_min")], values[0]);
            near(&row[&format!("{metric}_max")], values[3]);
        }
        assert_eq!(row["seeds"], "4");
    }
    let pairs = cells(&desk, "out/pairs.csv");
    // All metrics but the two that the optimum by squares has.
    assert_eq!(pairs.len(), 6 * 14);
    for row in pairs.iter().filter(|row| row["metric"] == "hot_ratio_mean") {
        assert_eq!((row["policy"].as_str(), row["other"].as_str()), ("greedy", "ring"));
        let greedy = column(&row["point"], "greedy", "hot_ratio_mean");
        let ring = column(&row["point"], "ring", "hot_ratio_mean");
        let differences: Vec<f64> = greedy.iter().zip(&ring).map(|(a, b)| a - b).collect();
        let (mean, error) = spread(&differences);
        near(&row["difference"], mean);
        near(&row["ci_low"], mean - T * error);
        assert_eq!(row["differs"], (mean.abs() > T * error).to_string());
    }
    // Only the front is marked, and no row beats a member of it.
    let number = |row: &std::collections::BTreeMap<String, String>, name: &str| -> f64 {
        row[name].parse().unwrap()
    };
    for member in points.iter().filter(|row| !row["front"].is_empty()) {
        let beats = |row: &&std::collections::BTreeMap<String, String>| {
            number(row, "moves_mean") <= number(member, "moves_mean")
                && number(row, "hot_ratio_mean_mean") < number(member, "hot_ratio_mean_mean")
        };
        assert!(!points.iter().any(|row| beats(&row)));
    }
}

#[test]
fn threads_and_partitions_give_the_same_bytes() {
    let desk = desk_with(SWEEP);
    sweep_into(&desk, "one", &["--threads", "1", "--quiet"]);
    sweep_into(&desk, "seven", &["--threads", "7", "--quiet"]);
    let whole = results(&desk, "one");
    assert!(whole == results(&desk, "seven"));
    for part in ["1/3", "2/3", "3/3"] {
        let printed = sweep_into(&desk, &format!("part-{}", &part[..1]), &["--partition", part]);
        assert!(printed.contains(&format!("partition {part} is written to part-")), "{printed}");
    }
    let part: Vec<String> = results(&desk, "part-2").into_iter().map(|(name, _)| name).collect();
    assert_eq!(part, [".lock", "manifest.json", "sweep.csv"]);
    desk.succeed(&["merge", "part-2", "part-3", "part-1", "--out", "joined"]);
    assert!(whole == results(&desk, "joined"));
    desk.succeed(&["merge", "one", "--out", "again", "--quiet"]);
    assert!(whole == results(&desk, "again"));
}

/// A sweep that takes about a second: long enough to be ended in the middle.
const LONG: &str = r#"schema = 1
name = "long"
scenario = "small.toml"
replications = 25
set = ["duration=2h", "sample_every=1h", "optimum.every=1h"]

[[axis]]
path = "policy.greedy.upper_band"
values = [1.05, 1.1, 1.15, 1.2, 1.25, 1.3, 1.35, 1.4]
"#;

fn start(desk: &Desk, out: &str) -> Child {
    Command::new(env!("CARGO_BIN_EXE_evenkeel"))
        .current_dir(desk.path(""))
        .args(["sweep", "sweep.toml", "--out", out, "--threads", "2", "--resume", "--quiet"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap()
}

/// Waits until a journal holds more than it did, or the process has ended.
fn wait_for_units(desk: &Desk, out: &str, child: &mut Child, before: u64) -> u64 {
    let journal = desk.path(&format!("{out}/units.journal"));
    loop {
        let length = std::fs::metadata(&journal).map_or(0, |file| file.len());
        if length > before + 1000 || child.try_wait().unwrap().is_some() {
            return length;
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_killed_sweep_goes_on_where_it_was() {
    let desk = desk_with(LONG);
    sweep_into(&desk, "whole", &["--quiet"]);
    let mut kills = 0;
    let mut length = 0;
    // Instants that differ from round to round.
    for round in 0..40u64 {
        let mut child = start(&desk, "out");
        length = wait_for_units(&desk, "out", &mut child, length);
        std::thread::sleep(Duration::from_millis(round * 7 % 23));
        let is_done = child.try_wait().unwrap().is_some();
        child.kill().unwrap();
        child.wait().unwrap();
        if is_done {
            break;
        }
        kills += 1;
    }
    assert!(kills > 0);
    desk.succeed(&["sweep", "sweep.toml", "--out", "out", "--resume", "--quiet"]);
    assert!(results(&desk, "whole") == results(&desk, "out"), "after {kills} kills");
}

/// Ends a process as Ctrl-C does.
#[cfg(unix)]
fn interrupt(child: &Child) {
    let status = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(status.unwrap().success());
}

#[cfg(unix)]
#[test]
fn an_interrupted_sweep_keeps_its_units() {
    let desk = desk_with(LONG);
    sweep_into(&desk, "whole", &["--quiet"]);
    let mut child = start(&desk, "out");
    wait_for_units(&desk, "out", &mut child, 0);
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.starts_with("note: interrupted; "), "{message}");
    assert!(message.contains("of 200 units are kept: go on with --resume"), "{message}");
    let refused = desk.refuse(&["sweep", "sweep.toml", "--out", "out"]);
    assert!(
        refused.contains("out: holds a sweep that is not finished; go on with --resume"),
        "{refused}"
    );
    let refused = desk.refuse(&["merge", "out", "--out", "joined"]);
    assert!(refused.contains("holds a sweep that is not finished"), "{refused}");
    desk.succeed(&["sweep", "sweep.toml", "--out", "out", "--resume", "--quiet"]);
    assert!(results(&desk, "whole") == results(&desk, "out"));
    // There is nothing left to do then, and nothing is done.
    let before = desk.files("out");
    let again = desk.succeed(&["sweep", "sweep.toml", "--out", "out", "--resume"]);
    assert!(again.starts_with("long\n8 points of 1 axis, 1 policy, 25 seeds\n"), "{again}");
    assert!(before == desk.files("out"));
}

#[cfg(unix)]
#[test]
fn an_interrupted_run_writes_nothing() {
    let desk = Desk::with("small.toml", SCENARIO);
    let mut child = Command::new(env!("CARGO_BIN_EXE_evenkeel"))
        .current_dir(desk.path(""))
        .args([
            "run",
            "small.toml",
            "--out",
            "out",
            "--set",
            "duration=100d",
            "--set",
            "sample_every=10d",
        ])
        .args(["--set", "optimum.enabled=false", "--quiet"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // Whatever it is doing by now, it has not finished.
    std::thread::sleep(Duration::from_millis(300));
    assert!(child.try_wait().unwrap().is_none());
    interrupt(&child);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130));
    assert_eq!(
        String::from_utf8(output.stderr).unwrap(),
        "note: interrupted; nothing was written\n"
    );
    assert!(!desk.path("out").exists());
}

#[test]
fn work_of_another_sweep_is_not_continued() {
    let desk = desk_with(SWEEP);
    sweep_into(&desk, "out", &["--quiet"]);
    let resume = ["sweep", "sweep.toml", "--out", "out", "--resume"];
    let refused = |message: &str| {
        let text = desk.refuse(&resume);
        assert!(text.contains(message), "{text}");
    };
    let part = desk.refuse(&[&resume[..], &["--partition", "1/2"]].concat());
    assert!(part.contains("what is finished there is partition 1/1, not 1/2"), "{part}");

    desk.write("sweep.toml", SWEEP.replace("replications = 4", "replications = 5"));
    refused(
        "out: what is finished there is of another sweep file, or the sweep file has changed since",
    );
    desk.write("sweep.toml", SWEEP);
    desk.write("small.toml", SCENARIO.replace("hosts = 3", "hosts = 4"));
    refused("is of another scenario, or the scenario has changed since");
    desk.write("small.toml", SCENARIO);
    let manifest = desk.read("out/manifest.json");
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    desk.write("out/manifest.json", manifest.replace(&version, "\"version\": \"0.0.1\""));
    refused("is of version 0.0.1 of the program, not ");
}

/// A journal with a record of another program's version before it.
fn journal_of_version(desk: &Desk, version: &str) -> Vec<u8> {
    let manifest: serde_json::Value =
        serde_json::from_str(&desk.read("out/manifest.json")).unwrap();
    let identity = serde_json::json!({
        "version": version,
        "sweep_xxh64": manifest["sweep_xxh64"],
        "scenario_xxh64": manifest["scenario_xxh64"],
        "inputs": manifest["inputs"],
    });
    let header = serde_json::json!({ "journal": 1, "identity": identity, "partition": "1/1" });
    let payload = header.to_string().into_bytes();
    let mut bytes = (payload.len() as u32).to_le_bytes().to_vec();
    bytes.extend(xxh64(&payload, 0).to_le_bytes());
    bytes.extend(payload);
    bytes
}

#[test]
fn a_journal_of_another_version_is_not_continued() {
    let desk = desk_with(SWEEP);
    sweep_into(&desk, "out", &["--quiet"]);
    let whole = results(&desk, "out");
    let resume = ["sweep", "sweep.toml", "--out", "out", "--resume"];
    desk.write("out/units.journal", journal_of_version(&desk, "0.0.1"));
    let text = desk.refuse(&resume);
    assert!(
        text.contains("out: what is begun there is of version 0.0.1 of the program, not"),
        "{text}"
    );
    desk.write("out/units.journal", "something else");
    let text = desk.refuse(&resume);
    assert!(text.contains("out/units.journal: is not the journal of a sweep"), "{text}");
    // One that is of this version is taken up.
    desk.write("out/units.journal", journal_of_version(&desk, env!("CARGO_PKG_VERSION")));
    desk.succeed(&resume);
    assert!(whole == results(&desk, "out"));
}

#[test]
fn a_directory_has_one_sweep_at_a_time() {
    let desk = desk_with(SWEEP);
    sweep_into(&desk, "out", &["--quiet"]);
    sweep_into(&desk, "part", &["--partition", "1/1", "--quiet"]);
    let lock = Lock::take(&desk.path("out")).unwrap();
    let in_use = "error: out is in use by another run; wait for it, or write to another directory with --out\n";
    assert_eq!(desk.refuse(&["sweep", "sweep.toml", "--out", "out"]), in_use);
    assert_eq!(desk.refuse(&["merge", "part", "--out", "out"]), in_use);
    drop(lock);
    sweep_into(&desk, "out", &["--quiet"]);
}

#[test]
fn partitions_that_do_not_fit_together() {
    let desk = desk_with(SWEEP);
    for (out, part) in [("a", "1/3"), ("b", "2/3"), ("c", "3/3"), ("half", "1/2")] {
        sweep_into(&desk, out, &["--partition", part, "--quiet"]);
    }
    desk.write("other.toml", SWEEP.replace("values = [10, 30, 20]", "values = [10, 30]"));
    desk.succeed(&["sweep", "other.toml", "--out", "other", "--partition", "3/3", "--quiet"]);
    let merge = |parts: &[&str]| desk.refuse(&[&["merge"], parts, &["--out", "joined"]].concat());
    assert_eq!(merge(&["a", "c"]), "error: part 2/3 is missing\n");
    assert_eq!(merge(&["a"]), "error: part 2/3, 3/3 is missing\n");
    assert_eq!(merge(&["a", "b", "a"]), "error: a and a are both part 1/3\n");
    assert_eq!(
        merge(&["a", "half"]),
        "error: half is part 1/2, and a is part 1/3: all must be of as many\n"
    );
    let mixed = merge(&["a", "b", "other"]);
    assert!(mixed.contains("other does not belong to a: it is of another sweep file"), "{mixed}");
    assert!(merge(&["a", "none"]).contains("none: holds no finished part of a sweep"));
    assert!(desk.refuse(&["merge", "a", "b", "c", "--out", "b"]).contains("b: is a part"));
    assert!(desk.refuse(&["plot", "a"]).contains("holds a part of a sweep, which has no plots"));

    let manifest = desk.read("b/manifest.json");
    let version = format!("\"version\": \"{}\"", env!("CARGO_PKG_VERSION"));
    desk.write("b/manifest.json", manifest.replace(&version, "\"version\": \"0.0.1\""));
    let mixed = merge(&["a", "b", "c"]);
    assert!(
        mixed.contains("b does not belong to a: it is of version 0.0.1 of the program"),
        "{mixed}"
    );
    desk.write("b/manifest.json", manifest);
    let table = desk.read("b/sweep.csv");
    desk.write("b/sweep.csv", table.replacen("small,greedy,2", "small,greedy,3", 1));
    assert!(merge(&["a", "b", "c"]).contains("sweep.csv: is not what manifest.json lists"));
    desk.write("b/sweep.csv", table);
    desk.succeed(&["merge", "a", "b", "c", "--out", "joined"]);
}

#[test]
fn plots_are_drawn_again_from_the_files_alone() {
    let desk = desk_with(SWEEP);
    sweep_into(&desk, "out", &["--quiet"]);
    let whole = results(&desk, "out");
    std::fs::remove_dir_all(desk.path("out/plots")).unwrap();
    let printed = desk.succeed(&["plot", "out"]);
    assert!(printed.contains("out/plots/front.svg"), "{printed}");
    assert!(whole == results(&desk, "out"));
    desk.write("out/points.csv", "point\n");
    assert!(desk.refuse(&["plot", "out"]).contains("points.csv: is not what manifest.json lists"));
}

/// One axis has lines, two and three have maps, more have the front alone.
#[test]
fn plots_follow_the_number_of_axes() {
    let axes = ["cluster.hosts", "workload.shards", "workload.exponent", "policy.greedy.cooldown"];
    let values = ["[2, 3]", "[5, 9]", "[0.5, 1.0]", "[\"0s\", \"1m\"]"];
    for count in 1..=4 {
        let axis = |i: usize| format!("[[axis]]\npath = \"{}\"\nvalues = {}\n", axes[i], values[i]);
        let list: String = (0..count).map(axis).collect();
        let desk = desk_with(&format!(
            "schema = 1\nname = \"n\"\nscenario = \"small.toml\"\nreplications = 2\n{list}"
        ));
        sweep_into(&desk, "out", &["--quiet"]);
        let plots: Vec<String> =
            desk.files("out/plots").into_iter().map(|(name, _)| name).collect();
        let has = |name: &str| plots.iter().any(|plot| plot == name);
        assert!(has("front.svg"));
        assert_eq!((has("hot_ratio.svg"), has("moves.png")), (count < 4, count < 4), "{count}");
    }
}

#[test]
fn designs_draw_their_points() {
    for (design, points) in [
        ("kind = \"sobol\"\npoints = 8", 8),
        ("kind = \"latin-hypercube\"\npoints = 7\nseed = 3", 7),
        ("kind = \"random\"\npoints = 5", 5),
    ] {
        let desk = desk_with(&format!(
            "schema = 1\nname = \"d\"\nscenario = \"small.toml\"\n[design]\n{design}\n\
             [[axis]]\npath = \"policy.greedy.upper_band\"\nfrom = 1.05\nto = 1.45\n\
             [[axis]]\npath = \"workload.shards\"\nfrom = 10\nto = 40\n"
        ));
        let outcome = desk.run(&["sweep", "sweep.toml", "--out", "out"]);
        assert!(outcome.err.contains("1 seed gives no interval"), "{}", outcome.err);
        let rows = cells(&desk, "out/points.csv");
        assert_eq!(rows.len(), points);
        for row in rows {
            let [band, shards]: [f64; 2] =
                ["upper_band", "shards"].map(|name| row[name].parse().unwrap());
            assert!((1.05..=1.45).contains(&band) && (10.0..=40.0).contains(&shards));
            assert_eq!((shards.fract(), row["moves_se"].as_str()), (0.0, ""));
        }
    }
    let desk = desk_with(&SWEEP.replace(
        "name = \"tiny\"",
        "name = \"tiny\"\nwhere = \"shards < 25 and not upper_band > 1.2\"",
    ));
    let outcome = desk.run(&["sweep", "sweep.toml", "--out", "out"]);
    assert!(
        outcome.err.contains("note: `where` left 4 points of the design out"),
        "{}",
        outcome.err
    );
    let points: Vec<String> = cells(&desk, "out/points.csv")
        .iter()
        .map(|row| row["point"].clone() + " " + &row["shards"])
        .collect();
    assert_eq!(points, ["0 10", "0 10", "1 20", "1 20"]);
}

#[test]
fn sweeps_that_cannot_be_run() {
    let refuse = |part: &str, by: &str| {
        assert!(SWEEP.contains(part), "the sweep has no {part:?}");
        desk_with(&SWEEP.replacen(part, by, 1)).refuse(&["sweep", "sweep.toml"])
    };
    assert_snapshot!(refuse("greedy.upper_band", "greedy.uper_band"), @r#"
    error: unknown key `uper_band`
      --> sweep.toml, line 12, column 8
       |
    12 | path = "policy.greedy.uper_band"
       |        ^^^^^^^^^^^^^^^^^^^^^^^^^ did you mean `upper_band`?
    "#);
    assert_snapshot!(refuse("from = 1.1\nto = 1.3\nsteps = 2", ""), @"
    error: axis `upper_band` has no values
      --> sweep.toml, line 11, column 1
       |
    11 | [[axis]]
       | ^^^^^^^^ write `values`, a range (`from`, `to`, `steps`), or `variants`
    ");
    assert_snapshot!(refuse("values = [10, 30, 20]", "values = [10, 0]"), @"
    error: at the point shards = 0, upper_band = 1.1: `shards` must be from 1 to 10000000, not 0
      --> sweep.toml, line 9, column 15
      |
    9 | values = [10, 0]
      |               ^
    ");
    assert_snapshot!(refuse("from = 1.1", "from = -0.5"), @"
    error: at the point shards = 10, upper_band = -0.5: `upper_band` must be a finite number above 0, not -0.5
      --> sweep.toml, line 13, column 8
       |
    13 | from = -0.5
       |        ^^^^
    ");
    assert_snapshot!(refuse("name = \"tiny\"", "name = \"tiny\"\nwhere = \"shards > 100\""), @r#"
    error: no point of the design satisfies `where`
      --> sweep.toml, line 3, column 9
      |
    3 | where = "shards > 100"
      |         ^^^^^^^^^^^^^^
    "#);
    assert_snapshot!(refuse("name = \"tiny\"", "name = \"tiny\"\nwhere = \"shard > 100\""), @r#"
    error: `where`: `shard` is no axis
      --> sweep.toml, line 3, column 10
      |
    3 | where = "shard > 100"
      |          ^^^^^ did you mean `shards`?
    "#);
    assert_snapshot!(refuse("path = \"workload.shards\"", "name = \"seed\"\npath = \"workload.shards\""), @r#"
    error: `seed` is a column of the tables already
      --> sweep.toml, line 8, column 8
      |
    8 | name = "seed"
      |        ^^^^^^ give the axis another `name`
    "#);
    assert_snapshot!(refuse("steps = 2", "steps = 1000000\n[[axis]]\npath = \"cluster.hosts\"\nfrom = 1\nto = 11\nsteps = 11"), @"
    error: the grid has more than 10000000 points
      --> sweep.toml, line 16, column 1
       |
    16 | [[axis]]
       | ^^^^^^^^ take fewer values, or a [design] that draws points
    ");
    assert_snapshot!(refuse("steps = 2", "steps = 1000000"), @"
    error: points, seeds and policies make more than 10000000 rows together
      --> sweep.toml, line 1, column 1
      |
    1 | schema = 1
      | ^ take fewer points or seeds
    ");
    let desk = desk_with(SWEEP);
    assert_snapshot!(desk.refuse(&["sweep", "none.toml"]), @"error: none.toml: no such file");
    assert_snapshot!(desk.refuse(&["sweep", "sweep.toml", "--partition", "25/30"]), @"error: --partition 25/30 has no unit: the sweep has fewer");
    let partition = desk.refuse(&["sweep", "sweep.toml", "--partition", "4/3"]);
    assert!(partition.contains("write K/N with K from 1 to N, as in 2/3"), "{partition}");
}
