//! The shipped scenarios give the committed results, byte for byte.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use evenkeel::experiment::{RunOptions, run};
use evenkeel::report::{Heading, Tables, redraw, tables};
use evenkeel::scenario::Scenario;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Committed files below a directory: CSV and SVG.
fn committed(directory: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut files = BTreeMap::new();
    let mut open: Vec<PathBuf> = vec![directory.to_owned()];
    while let Some(next) = open.pop() {
        for entry in std::fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            let kept = path.extension().is_some_and(|ending| ending == "csv" || ending == "svg");
            if path.is_dir() {
                open.push(path);
            } else if kept {
                let name =
                    path.strip_prefix(directory).unwrap().to_string_lossy().replace('\\', "/");
                files.insert(name, std::fs::read(path).unwrap());
            }
        }
    }
    files
}

fn check(name: &str) {
    let path = root().join("scenarios").join(format!("{name}.toml"));
    let scenario = Scenario::read(&path, &[]).unwrap();
    assert_eq!(scenario.run.name, name);
    let result = run(&scenario, RunOptions::default()).unwrap();
    let mut files = tables(&scenario, &result, false);
    files.extend(redraw(&Tables::of(Heading::of(&scenario), &files).unwrap()).unwrap());
    let files: BTreeMap<String, Vec<u8>> =
        files.into_iter().filter(|(name, _)| !name.ends_with(".png")).collect();
    let reference = committed(&root().join("results/reference").join(name));
    let names = |files: &BTreeMap<String, Vec<u8>>| files.keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(&files), names(&reference));
    for (file, bytes) in &files {
        assert!(
            reference[file] == *bytes,
            "results/reference/{name}/{file} is not what the scenario gives; if that is meant, write it again: \
             evenkeel run scenarios/{name}.toml --out results/reference/{name}"
        );
    }
}

macro_rules! references {
    ($($test:ident = $name:literal),+ $(,)?) => {
        $( #[test] fn $test() { check($name) } )+

        #[test]
        fn every_scenario_has_a_reference() {
            let mut scenarios: Vec<String> = std::fs::read_dir(root().join("scenarios"))
                .unwrap()
                .filter_map(|entry| Some(entry.unwrap().file_name().to_str()?.strip_suffix(".toml")?.to_owned()))
                .collect();
            scenarios.sort();
            let mut checked = vec![$($name),+];
            checked.sort();
            assert_eq!(scenarios, checked);
        }
    };
}

references! {
    below_the_bands = "below-the-bands",
    host_names = "host-names",
    hot_key = "hot-key",
    hot_key_salted = "hot-key-salted",
    prefix_ports = "prefix-ports",
    dead_zone = "dead-zone",
    giant_shard = "giant-shard",
    idle_newcomer = "idle-newcomer",
    quickstart = "quickstart",
    resize = "resize",
    small_exact = "small-exact",
    snapshots = "snapshots",
    too_few_slots = "too-few-slots",
    trace_template = "trace-template",
    worked_example = "worked-example",
}

/// Changes of hosts, whose references are made with `evenkeel resize .. --out`.
#[test]
fn changes_of_hosts_give_the_committed_tables_and_plots() {
    let growth = ["--from", "10", "--to", "11", "--keys", "20000", "--all"];
    let drift = ["--from", "8", "--drift", "murmur3", "--keys", "20000", "--all"];
    let slots = ["--from", "8", "--to", "10", "--slots", "1024", "--placement", "slots"];
    let listing = ["--placement", "slots:rebalance=listing", "--placement", "mod-n"];
    let slots: Vec<&str> = slots.into_iter().chain(listing).collect();
    for (name, arguments) in
        [("resize-family", &growth[..]), ("hash-drift", &drift), ("resize-slots", &slots)]
    {
        let out = tempfile::tempdir().unwrap();
        let mut command = assert_cmd::Command::new(env!("CARGO_BIN_EXE_evenkeel"));
        command.arg("resize").args(arguments).arg("--out").arg(out.path());
        command.assert().success();
        let reference = committed(&root().join("results/reference").join(name));
        assert_eq!(reference.len(), 3);
        assert!(
            committed(out.path()) == reference,
            "results/reference/{name} is not what evenkeel resize {} gives",
            arguments.join(" ")
        );
    }
}

/// The shipped sweep, as the command writes it.
#[test]
fn bands() {
    let directory = tempfile::tempdir().unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_evenkeel"))
        .current_dir(root())
        .args(["sweep", "scenarios/sweeps/bands.toml", "--quiet", "--out"])
        .arg(directory.path())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let reference = committed(&root().join("results/reference/bands"));
    let files = committed(directory.path());
    assert!(reference.keys().eq(files.keys()), "{:?}", files.keys());
    for (file, bytes) in &files {
        assert!(
            reference[file] == *bytes,
            "results/reference/bands/{file} is not what the sweep gives"
        );
    }
    let sweeps = std::fs::read_dir(root().join("scenarios/sweeps")).unwrap();
    assert_eq!(sweeps.count(), 1, "a sweep without a reference");
}

/// The rows of a committed table as maps from column to cell.
fn rows(name: &str, file: &str) -> Vec<BTreeMap<String, String>> {
    let path = root().join("results/reference").join(name).join(file);
    let mut reader = csv::Reader::from_path(path).unwrap();
    reader.deserialize().map(Result::unwrap).collect()
}

fn mean(rows: &[BTreeMap<String, String>], policy: &str, column: &str) -> f64 {
    let values: Vec<f64> = rows
        .iter()
        .filter(|row| row["policy"] == policy)
        .map(|row| row[column].parse().unwrap())
        .collect();
    values.iter().sum::<f64>() / values.len() as f64
}

/// What the scenarios say of themselves.
#[test]
fn the_references_show_what_the_scenarios_promise() {
    let quickstart = rows("quickstart", "summary.csv");
    assert_eq!(quickstart.len(), 50);
    assert!((mean(&quickstart, "ring", "hot_ratio_mean") - 2.3).abs() < 0.1);
    assert!((mean(&quickstart, "greedy", "hot_ratio_final") - 1.4).abs() < 0.05);

    let example = rows("worked-example", "moves.csv");
    let greedy: Vec<_> = example.iter().filter(|row| row["policy"] == "greedy").collect();
    assert_eq!(greedy.len(), 1);
    assert_eq!(
        (greedy[0]["shard"].as_str(), greedy[0]["from"].as_str(), greedy[0]["to"].as_str()),
        ("s60", "A", "B")
    );
    let hosts = rows("worked-example", "hosts.csv");
    let end: Vec<_> =
        hosts.iter().filter(|row| row["policy"] == "greedy" && row["time_s"] == "300").collect();
    assert!(end.iter().all(|row| row["load"] == "100"));

    let bands = rows("below-the-bands", "summary.csv");
    for policy in ["greedy 1.15/0.90", "greedy 1.05/0.95"] {
        assert!(mean(&bands, policy, "excess_mean") > 0.01);
        assert!(mean(&bands, policy, "floor_mean") < 1.05);
    }

    let resize = rows("resize", "summary.csv");
    for (policy, least, most) in [("mod-n", 0.87, 0.95), ("ring", 0.05, 0.14), ("jump", 0.05, 0.14)]
    {
        let share = mean(&resize, policy, "moves") / 1000.0;
        assert!((least..=most).contains(&share), "{policy}: {share}");
    }

    let slots = rows("too-few-slots", "summary.csv");
    assert!(mean(&slots, "64 slots", "hot_ratio_mean") > 1.5);
    assert!(mean(&slots, "1024 slots", "hot_ratio_mean") < 1.15);

    // 3.1 times the mean of 8 hosts and 3.7 times that of 10, and 1.4 salted
    // (ledger hs-hot-30 and hs-salt-16).
    let hot = rows("hot-key", "summary.csv");
    let salted = rows("hot-key-salted", "summary.csv");
    for policy in ["slots", "ring", "rendezvous"] {
        assert!((3.5..4.0).contains(&mean(&hot, policy, "hot_ratio_final")), "{policy}");
        assert!((1.2..1.95).contains(&mean(&salted, policy, "hot_ratio_final")), "{policy}");
    }

    let names = rows("host-names", "summary.csv");
    for (policy, share) in
        [("names", 18.0 / 110.0), ("places", 0.1), ("regenerated tokens", 0.9), ("slots", 0.1)]
    {
        let moved = mean(&names, policy, "moves") / 1000.0;
        assert!((moved - share).abs() < 0.03, "{policy}: {moved}");
    }

    let ports = rows("prefix-ports", "summary.csv");
    let [address, label] = ["address", "label"].map(|p| mean(&ports, p, "hot_ratio_mean"));
    assert!(address > label + 0.1, "{address} and {label}");

    for row in rows("hash-drift", "resize.csv") {
        let missed: f64 = row["moved_share"].parse().unwrap();
        assert!((missed - 0.875).abs() < 0.02, "{}: {missed}", row["placement"]);
    }

    let finals = |policy: &str| -> Vec<f64> {
        let rows = rows("dead-zone", "summary.csv");
        let of_policy = rows.iter().filter(|row| row["policy"] == policy);
        of_policy.map(|row| row["hot_ratio_final"].parse().unwrap()).collect()
    };
    let stuck = finals("greedy, severe 1.30");
    assert_eq!(stuck.iter().filter(|ratio| (1.15..1.3).contains(*ratio)).count(), 3);
    assert!(finals("greedy, severe 1.15").iter().all(|ratio| *ratio <= 1.15));

    let newcomer = rows("idle-newcomer", "hosts.csv");
    for row in newcomer.iter().filter(|row| row["host"] == "newcomer") {
        let stays_empty = row["policy"] == "greedy 1.15/0.90";
        assert_eq!(row["load"] == "0", stays_empty, "{row:?}");
    }

    let giant = rows("giant-shard", "summary.csv");
    for row in giant.iter().filter(|row| row["policy"] == "greedy") {
        assert!((row["hot_ratio_final"].parse::<f64>().unwrap() - 2.78).abs() < 0.01);
        assert!((row["hot_ratio_mean"].parse::<f64>().unwrap() - 2.085).abs() < 0.01);
    }

    let exact = rows("small-exact", "optimum.csv");
    assert!(exact.iter().all(|row| row["solver"] == "ilp" && row["status"] == "optimal"));
}
