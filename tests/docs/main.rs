//! Holds the documents to the code: keys, columns, words, commands, links and
//! examples that stand in README.md and docs/ are those of the program.

mod markdown;
mod readme;

use std::collections::BTreeSet;
use std::path::PathBuf;

use evenkeel::balancer::Start;
use evenkeel::balancer::greedy::Revision;
use evenkeel::experiment::sweep::{
    Analysis, Partition, STATISTICS, Unit, Work, rows, statistics_columns,
};
use evenkeel::experiment::{
    PlanRequest, Question, RunOptions, RunResult, Summaries, Tolerances, check, compare, plan,
    run as run_scenario, snapshot_optimum,
};
use evenkeel::model::{HostSource, HostStatus, Snapshot, read_hosts};
use evenkeel::optimum::{self, BoundName, Stage, Status};
use evenkeel::policy::{MoveReason, PassOutcome};
use evenkeel::report::sweep::{SweepInfo, sweep_tables};
use evenkeel::report::{
    CheckReport, CheckedScenario, checks_json, manifest, optimum_json, optimum_moves_csv,
    plan_json, plan_moves_csv, tables,
};
use evenkeel::scenario::{
    Metric, PolicySettings, Scenario, ScenarioError, Seeds, Statistic, Sweep, policy_kinds,
    policy_settings,
};
use evenkeel::sim::EventClass;
use evenkeel::workload::{Trace, TraceSettings, Workload};
use markdown::{blocks, first_column, section};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn document(name: &str) -> String {
    let text = std::fs::read_to_string(root().join(name));
    text.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A small scenario in which every table stands, to ask about keys.
const BASE: &str = r#"
schema = 1
name = "base"
duration = "1m"
[workload]
kind = "zipf"
shards = 3
exponent = 1
noise = { kind = "none" }
[cluster]
hosts = 2
[[cluster.event]]
at = "1s"
kind = "add"
host = "h"
[[policy]]
kind = "ring"
[optimum]
[report]
[[check]]
policy = "ring"
metric = "moves"
max = 9
"#;

fn parse(text: &str, sets: &[String]) -> Result<Scenario, ScenarioError> {
    Scenario::parse(text, "docs", &root().join("scenarios"), sets)
}

/// A word that is like no key and no kind.
const LIKE_NONE: &str = "qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq";

/// The words that the program lists when the last of some settings holds one
/// that is like none of them.
fn known_words(sets: &[&str], last: String) -> BTreeSet<String> {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).chain([last]).collect();
    let Err(ScenarioError::Fault(fault)) = parse(BASE, &sets) else { panic!("{sets:?} is read") };
    let help = fault.help.as_deref().unwrap_or_default();
    let known = help.strip_prefix("known here: ").unwrap_or_else(|| panic!("{fault}"));
    known.split(", ").map(str::to_owned).collect()
}

/// Every key that the program knows in a table.
fn known_keys(table: &str, sets: &[&str]) -> BTreeSet<String> {
    let path = [table, LIKE_NONE].join(".");
    known_words(sets, format!("{}=1", path.trim_start_matches('.')))
}

#[test]
fn every_key_of_a_scenario_is_documented_and_no_other() {
    let formats = document("docs/formats.md");
    let trace = ["workload={ kind = 'trace', path = 'data/trace-template.csv' }"];
    let with_trace = |heading, table| (heading, table, trace.to_vec());
    let tables = [
        ("### Top level", "", vec![]),
        ("### `[workload]`, kind `zipf`", "workload", vec![]),
        (
            "### `[workload]`, kind `uniform`",
            "workload",
            vec!["workload={ kind = 'uniform', shards = 3 }"],
        ),
        (
            "### `[workload]`, kind `keys`",
            "workload",
            vec!["workload={ kind = 'keys', keys = 3, shards = 3 }"],
        ),
        with_trace("### `[workload]`, kind `trace`", "workload"),
        with_trace("### `[workload.window]`", "workload.window"),
        (
            "### `[workload.salt]`",
            "workload.salt",
            vec!["workload={ kind = 'keys', keys = 3, shards = 3 }"],
        ),
        (
            "### `[workload.noise]`, kind `poisson`",
            "workload.noise",
            vec!["workload.noise={ kind = 'poisson' }"],
        ),
        (
            "### `[workload.noise]`, kind `lognormal`",
            "workload.noise",
            vec!["workload.noise={ kind = 'lognormal' }"],
        ),
        ("### `[workload.noise]`, kind `none`", "workload.noise", vec![]),
        ("### `[cluster]`", "cluster", vec![]),
        ("### `[[cluster.event]]`, kind `add`", "cluster.event.0", vec![]),
        (
            "### `[[cluster.event]]`, kind `remove`",
            "cluster.event.0",
            vec!["cluster.event.0.kind=remove"],
        ),
        (
            "### `[[cluster.event]]`, kind `replace`",
            "cluster.event.0",
            vec!["cluster.event.0.kind=replace"],
        ),
        ("### `[[policy]]`, kinds `mod-n` and `jump`", "policy.0", vec!["policy.0.kind=mod-n"]),
        ("### `[[policy]]`, kinds `mod-n` and `jump`", "policy.0", vec!["policy.0.kind=jump"]),
        ("### `[[policy]]`, kind `ring`", "policy.0", vec![]),
        ("### `[[policy]]`, kind `ringpop`", "policy.0", vec!["policy.0.kind=ringpop"]),
        ("### `[[policy]]`, kind `bounded-ring`", "policy.0", vec!["policy.0.kind=bounded-ring"]),
        ("### `[[policy]]`, kind `rendezvous`", "policy.0", vec!["policy.0.kind=rendezvous"]),
        ("### `[[policy]]`, kind `maglev`", "policy.0", vec!["policy.0.kind=maglev"]),
        ("### `[[policy]]`, kind `anchor`", "policy.0", vec!["policy.0.kind=anchor"]),
        ("### `[[policy]]`, kind `slots`", "policy.0", vec!["policy.0.kind=slots"]),
        ("### `[[policy]]`, kind `redis`", "policy.0", vec!["policy.0.kind=redis"]),
        ("### `[[policy]]`, kind `directory`", "policy.0", vec!["policy.0.kind=directory"]),
        ("### `[[policy]]`, kind `greedy`", "policy.0", vec!["policy.0.kind=greedy"]),
        ("### `[[policy]]`, kind `naive`", "policy.0", vec!["policy.0.kind=naive"]),
        ("### `[optimum]`", "optimum", vec![]),
        ("### `[optimum.solver]`", "optimum.solver", vec![]),
        ("### `[report]`", "report", vec![]),
        ("### `[[check]]`", "check.0", vec![]),
        ("### `[check.window]`", "check.0.window", vec![]),
    ];
    for (heading, table, sets) in &tables {
        let documented: BTreeSet<String> =
            first_column(section(&formats, heading)).into_iter().map(str::to_owned).collect();
        assert_eq!(documented, known_keys(table, sets), "{heading}");
    }
    let headings: BTreeSet<&str> = tables.iter().map(|(heading, ..)| *heading).collect();
    let in_document = section(&formats, "## Scenario")
        .lines()
        .filter(|line| line.starts_with("### ") && !line.contains("--set"));
    assert_eq!(headings, in_document.collect(), "a table is not compared");
}

#[test]
fn every_kind_and_word_is_documented() {
    let (formats, methods) = (document("docs/formats.md"), document("docs/methods.md"));
    let quoted = |word: &str| format!("`{word}`");

    // Each kind has a section of its own in both documents.
    let kinds = [
        ("workload.kind", "[workload]"),
        ("workload.noise.kind", "[workload.noise]"),
        ("cluster.event.0.kind", "[[cluster.event]]"),
        ("policy.0.kind", "[[policy]]"),
    ];
    let heading_of = |document: &str, table: &str, kind: &str| {
        let is_heading = |line: &str| line.starts_with('#') && line.contains(&quoted(kind));
        document.lines().any(|line| is_heading(line) && line.contains(table))
    };
    for (path, table) in kinds {
        for kind in known_words(&[], format!("{path}={LIKE_NONE}")) {
            assert!(heading_of(&formats, table, &kind), "{table} {kind} in formats.md");
            let is_event = table.contains("event");
            assert!(is_event || heading_of(&methods, "", &kind), "{kind} in methods.md");
        }
    }
    let policies = document("README.md");
    let policies = first_column(section(&policies, "### Policies"));
    assert_eq!(policies, policy_kinds(), "the policies of README.md");

    let outcomes: Vec<&str> = first_column(section(&methods, "## Outcomes of a pass"));
    assert_eq!(outcomes, PassOutcome::ALL.map(PassOutcome::as_str));
    let bounds = [
        BoundName::Mean,
        BoundName::Largest,
        BoundName::Pigeonhole,
        BoundName::Giants,
        BoundName::Pinned,
        BoundName::Bnb,
        BoundName::Ilp,
        BoundName::Highs,
    ];
    assert_eq!(first_column(section(&methods, "### Bounds")), bounds.map(BoundName::as_str));
    let stages = [
        Stage::Bound,
        Stage::Start,
        Stage::Lpt,
        Stage::LocalSearch,
        Stage::Bnb,
        Stage::Regroup,
        Stage::Ilp,
        Stage::Highs,
    ];
    assert_eq!(first_column(section(&methods, "### Stages")), stages.map(Stage::as_str));
    let bounds = [BoundName::WaterFilling, BoundName::Giants, BoundName::Shedding, BoundName::Bnb];
    let stages = [Stage::Start, Stage::Lpt, Stage::Shedding, Stage::LocalSearch, Stage::Bnb];
    let words: Vec<&str> = std::iter::once("square_ratio")
        .chain(bounds.map(BoundName::as_str))
        .chain(stages.map(Stage::as_str))
        .collect();
    assert_eq!(first_column(section(&methods, "### Sum of squares")), words);
    let classes = [
        EventClass::LoadChange,
        EventClass::Cluster,
        EventClass::Report,
        EventClass::Pass,
        EventClass::Handover,
        EventClass::RouteUpdate,
        EventClass::Autoscaler,
        EventClass::Sample,
    ];
    let documented = first_column(section(&methods, "## Time and events"));
    assert_eq!(documented, classes.map(EventClass::as_str));

    let hosts = section(&formats, "## Hosts");
    for status in HostStatus::ALL {
        assert!(hosts.contains(&format!("| `{status}`")), "{status}");
    }
    let greedy = section(&formats, "### `[[policy]]`, kind `greedy`");
    let words =
        Revision::ALL.map(Revision::as_str).into_iter().chain(Start::ALL.map(Start::as_str));
    for word in words {
        assert!(greedy.contains(&quoted(word)), "{word}");
    }
    let reasons =
        [MoveReason::Placement, MoveReason::Membership, MoveReason::Rebalance, MoveReason::Swap];
    for word in reasons.map(MoveReason::as_str) {
        assert!(section(&formats, "### `moves.csv`").contains(&quoted(word)), "{word}");
    }
    let checks = section(&formats, "### `[[check]]`");
    let words = Metric::ALL
        .iter()
        .map(|word| word.as_str())
        .chain(Statistic::ALL.iter().map(|word| word.as_str()))
        .chain(Seeds::ALL.iter().map(|word| word.as_str()));
    for word in words {
        assert!(checks.contains(&quoted(word)), "{word}");
    }
    let status = section(&formats, "### `optimum.csv`");
    for word in [Status::Optimal, Status::Feasible].map(Status::as_str).into_iter() {
        assert!(status.contains(&quoted(word)), "{word}");
    }
}

#[test]
fn every_column_and_key_that_is_written_is_documented() {
    let formats = document("docs/formats.md");
    let text = BASE.replace("\"ring\"", "\"greedy\"");
    let scenario = parse(&text, &[]).unwrap();
    let options = RunOptions { threads: Some(1), events: true, progress: None };
    let result: RunResult = run_scenario(&scenario, options).unwrap();
    let header = |bytes: &[u8]| -> Vec<String> {
        let text = std::str::from_utf8(bytes).unwrap();
        text.lines().next().unwrap().split(',').map(str::to_owned).collect()
    };
    let files = tables(&scenario, &result, true);
    for (name, bytes) in &files {
        let heading = format!("### `{name}`");
        assert_eq!(first_column(section(&formats, &heading)), header(bytes), "{name}");
    }

    let keys = |bytes: &[u8]| -> BTreeSet<String> {
        let value: serde_json::Value = serde_json::from_slice(bytes).unwrap();
        value.as_object().unwrap().keys().cloned().collect()
    };
    let documented = |heading: &str| -> BTreeSet<String> {
        let text = section(&formats, heading);
        let own = text.split("\n### ").next().unwrap_or(text);
        first_column(own).into_iter().map(str::to_owned).collect()
    };
    let (_, bytes) = manifest(&scenario, &result, &files).unwrap();
    assert_eq!(documented("### `manifest.json`"), keys(&bytes));

    let path = root().join("scenarios/data/worked-example-start.csv");
    let snapshot = Snapshot::read(&path, HostSource::Snapshot).unwrap();
    let (policy, _) = policy_settings("greedy", &[]).unwrap();
    let request = PlanRequest {
        snapshot: &snapshot,
        policy: &policy,
        start: Start::Ring,
        max_passes: 10,
        max_moves: None,
        optimum: optimum::Settings::default(),
    };
    let plan = plan(&request).unwrap();
    let json = plan_json(&snapshot, "greedy", &plan);
    assert_eq!(documented("## Output of `plan`"), keys(json.to_string().as_bytes()));
    let output = section(&formats, "## Output of `plan`");
    for list in ["before", "optimum", "moves"] {
        let inner = json[list].as_array().map_or(&json[list], |list| &list[0]);
        for key in inner.as_object().unwrap().keys() {
            assert!(output.contains(&format!("`{key}`")), "{list}.{key}");
        }
    }
    let heading = "### `moves.csv` of a plan";
    let columns = first_column(section(&formats, heading));
    assert_eq!(columns, header(&plan_moves_csv(&snapshot, &plan)), "{heading}");

    let best = snapshot_optimum(&snapshot, Question::Free, optimum::Settings::default()).unwrap();
    let json = optimum_json(&snapshot, &best);
    assert_eq!(documented("## Output of `optimum`"), keys(json.to_string().as_bytes()));
    let columns = first_column(section(&formats, "### CSV of an optimum"));
    assert_eq!(columns, header(&optimum_moves_csv(&snapshot, &best)));
}

/// Keys, kinds, columns and JSON keys of a sweep.
#[test]
fn everything_of_a_sweep_is_documented() {
    let formats = document("docs/formats.md");
    let scenarios = root().join("scenarios");
    const AXIS: &str = "[[axis]]\npath = \"cluster.hosts\"\nvalues = [2, 3]\n";
    const TOP: &str = "schema = 1\nname = \"s\"\nscenario = \"quickstart.toml\"\nreplications = 2\n\
                       set = ['duration=10s', 'warmup=0s', 'workload.shards=20']\n";
    let known = |text: &str| -> BTreeSet<String> {
        let Err(ScenarioError::Fault(fault)) = Sweep::parse(text, "docs", &scenarios) else {
            panic!("{text} is read")
        };
        let help = fault.help.as_deref().unwrap_or_default();
        let known = help.strip_prefix("known here: ").unwrap_or_else(|| panic!("{fault}"));
        known.split(", ").map(str::to_owned).collect()
    };
    let column = |heading: &str| -> BTreeSet<String> {
        first_column(section(&formats, heading)).into_iter().map(str::to_owned).collect()
    };
    assert_eq!(column("### Top level of a sweep"), known(&format!("{LIKE_NONE} = 1\n{TOP}{AXIS}")));
    assert_eq!(column("### `[[axis]]`"), known(&format!("{TOP}{AXIS}{LIKE_NONE} = 1\n")));
    let design = known(&format!("{TOP}[design]\nkind = \"{LIKE_NONE}\"\n{AXIS}"));
    assert_eq!(column("### `[design]`"), design);

    let sweep = Sweep::parse(&format!("{TOP}{AXIS}"), "docs", &scenarios).unwrap();
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    let work = Work::of(&sweep, &pool).unwrap();
    let units = std::sync::Mutex::new(vec![None; 4]);
    let keep = |unit: Unit| {
        let place = unit.index as usize;
        units.lock().unwrap()[place] = Some(unit);
        Ok(())
    };
    work.run(vec![0, 1, 2, 3], &pool, &keep).unwrap();
    let rows = rows(&work, Partition::WHOLE, &units.into_inner().unwrap());
    let info = SweepInfo::of(&sweep, &work, Partition::WHOLE).unwrap();
    let files = sweep_tables(&info, &rows, Some(&Analysis::of(&rows)));
    for (name, bytes) in &files {
        let header = std::str::from_utf8(bytes).unwrap().lines().next().unwrap();
        let mut columns: Vec<String> = header.split(',').map(str::to_owned).collect();
        // The axis, and each statistic of each metric, have names of their own.
        columns.retain(|column| column != "hosts");
        let statistics: Vec<String> = statistics_columns().collect();
        let heading = format!("### `{name}`");
        match name.as_str() {
            "sweep.csv" => {
                let summary = first_column(section(&formats, "### `summary.csv`"));
                assert_eq!(columns[1..], summary);
            }
            "points.csv" => {
                let (own, all) = columns.split_at(columns.len() - statistics.len());
                assert_eq!(all, statistics);
                let text = section(&formats, &heading);
                own.iter().for_each(|column| assert!(text.contains(&format!("| `{column}` |"))));
                let words = STATISTICS.iter().map(|word| format!("METRIC`_{word}`"));
                words.for_each(|word| assert!(text.contains(&word), "{word}"));
            }
            _ => assert_eq!(columns, first_column(section(&formats, &heading))),
        }
    }
    let (_, bytes) = info.manifest(&files);
    let manifest: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
    let keys: BTreeSet<String> = manifest.as_object().unwrap().keys().cloned().collect();
    assert_eq!(column("### `manifest.json` of a sweep"), keys);
}

#[test]
fn every_key_of_a_checks_document_is_documented() {
    let formats = document("docs/formats.md");
    let output = section(&formats, "## Output of `check`");
    let scenario = parse(BASE, &["check.0.max=-1".to_owned()]).unwrap();
    let result = run_scenario(&scenario, RunOptions::default()).unwrap();
    let mut rows = Summaries::default();
    rows.add(&scenario, &result);
    let checked = CheckedScenario {
        file: "base.toml".to_owned(),
        name: scenario.run.name.clone(),
        checks: check(&scenario, &result),
    };
    let report = CheckReport {
        scenarios: vec![checked],
        comparison: Some(compare(&rows, &rows, &Tolerances::default())),
    };
    let json = checks_json(&report);
    let keys = |value: &serde_json::Value| -> BTreeSet<String> {
        value.as_object().unwrap().keys().cloned().collect()
    };
    let documented = first_column(output).into_iter().map(str::to_owned).collect();
    assert_eq!(keys(&json), documented);
    let inner = [
        &json["checks"][0],
        &json["checks"][0]["offenders"][0],
        &json["baseline"],
        &json["baseline"]["differences"][0],
    ];
    for key in inner.into_iter().flat_map(keys) {
        assert!(output.contains(&format!("`{key}`")), "{key}");
    }
}

#[test]
fn the_defaults_in_the_tables_are_those_of_the_program() {
    let formats = document("docs/formats.md");
    let cases = [
        ("### `[[policy]]`, kind `ring`", "ring"),
        ("### `[[policy]]`, kind `ringpop`", "ringpop"),
        ("### `[[policy]]`, kind `bounded-ring`", "bounded-ring"),
        ("### `[[policy]]`, kind `rendezvous`", "rendezvous"),
        ("### `[[policy]]`, kind `maglev`", "maglev"),
        ("### `[[policy]]`, kind `anchor`", "anchor"),
        ("### `[[policy]]`, kind `slots`", "slots"),
        ("### `[[policy]]`, kind `redis`", "redis"),
        ("### `[[policy]]`, kind `directory`", "directory"),
        ("### `[[policy]]`, kind `greedy`", "greedy"),
        ("### `[[policy]]`, kind `naive`", "naive"),
    ];
    for (heading, kind) in cases {
        let (defaults, optimum): (PolicySettings, _) = policy_settings(kind, &[]).unwrap();
        for row in section(&formats, heading).lines().filter(|line| line.starts_with("| `")) {
            let cells: Vec<&str> = row.trim_matches(['|', ' ']).split(" | ").collect();
            let (key, default) = (cells[0].trim_matches('`'), cells[2].trim().trim_matches('`'));
            if ["kind", "name", "start", "start_file"].contains(&key) {
                continue;
            }
            let set = [format!("{key}={default}")];
            let (as_documented, _) = policy_settings(kind, &set).unwrap();
            assert_eq!(as_documented, defaults, "{kind}.{key} = {default}");
        }
        for row in section(&formats, "### `[optimum.solver]`").lines() {
            let Some(row) = row.strip_prefix("| `") else { continue };
            let cells: Vec<&str> = row.split(" | ").collect();
            let (key, default) = (cells[0].trim_matches('`'), cells[2].trim().trim_matches('`'));
            let set = [format!("optimum.solver.{key}={default}")];
            let (_, as_documented) = policy_settings(kind, &set).unwrap();
            assert_eq!(as_documented, optimum, "{key} = {default}");
        }
    }
}

#[test]
fn complete_examples_are_read() {
    let formats = document("docs/formats.md");
    let [scenario, sweep] = blocks(&formats, "toml")[..] else { panic!("a scenario, a sweep") };
    let sweep = Sweep::parse(sweep, "docs", &root().join("scenarios"));
    let sweep = sweep.unwrap_or_else(|error| panic!("{error}"));
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().unwrap();
    assert!(Work::of(&sweep, &pool).unwrap().points().len() > 30);
    let scenario = parse(scenario, &[]).unwrap_or_else(|error| panic!("{error}"));
    let again = parse(&scenario.to_toml(), &[]).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(scenario.to_toml(), again.to_toml());

    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("example.csv");
    let write = |text: &str| std::fs::write(&path, text).unwrap();
    let [long, wide, snapshot, hosts] = blocks(&formats, "csv")[..] else {
        panic!("two traces, a snapshot and hosts")
    };
    let settings: TraceSettings = serde_json::from_str(r#"{ "path": "example.csv" }"#).unwrap();
    let traces = [long, wide].map(|text| {
        write(text);
        Trace::read(&path, &settings).unwrap()
    });
    for trace in &traces {
        assert_eq!(trace.shards()[..], ["users", "orders"]);
        assert_eq!(trace.extent().map(|extent| extent.as_secs_f64()), Some(180.0));
    }
    write(snapshot);
    assert_eq!(Snapshot::read(&path, HostSource::Snapshot).unwrap().shards.len(), 3);
    write(hosts);
    assert_eq!(read_hosts(&path).unwrap().0.len(), 3);
}

/// The examples of keys in formats.md are TOML, and those of `--set` apply.
#[test]
fn examples_of_single_keys_are_read() {
    let formats = document("docs/formats.md");
    let scenario = section(&formats, "## Scenario");
    let mut examples = 0;
    for line in scenario.lines().filter(|line| line.starts_with("| `")) {
        let Some(example) = line.trim_end_matches(" |").rsplit(" | ").next() else { continue };
        let example = example.trim_matches('`');
        if example.contains(" = ") {
            toml::from_str::<toml::Table>(example)
                .unwrap_or_else(|error| panic!("{line}: {error}"));
            examples += 1;
        }
    }
    assert!(examples > 50, "{examples} examples");

    let base = document("scenarios/quickstart.toml")
        + "\n[[cluster.event]]\nat = \"1m\"\nkind = \"add\"\nhost = \"new\"\n"
        + "\n[[policy]]\nkind = \"greedy\"\nname = \"greedy 1.05\"\n";
    let sets: Vec<String> = first_column(section(scenario, "### `--set PATH=VALUE`"))
        .into_iter()
        .map(|set| set.trim_start_matches("--set ").trim_matches('\'').to_owned())
        .collect();
    assert!(sets.len() > 5);
    for set in sets {
        parse(&base, std::slice::from_ref(&set)).unwrap_or_else(|error| panic!("{set}: {error}"));
    }
}
