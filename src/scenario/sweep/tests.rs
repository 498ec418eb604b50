//! Every form of an axis and every message.

use super::*;
use crate::scenario::PolicySettings;

/// A scenario for all tests, in a directory of its own.
struct Desk(tempfile::TempDir);

const SCENARIO: &str = r#"
schema = 1
name = "base"
duration = "1m"
[workload]
kind = "zipf"
shards = 20
exponent = 1.0
[cluster]
hosts = 4
[[policy]]
kind = "greedy"
"#;

impl Desk {
    fn new() -> Self {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("base.toml"), SCENARIO).unwrap();
        Self(directory)
    }

    fn read(&self, lines: &str) -> Result<Sweep, String> {
        let text = format!("schema = 1\nname = \"s\"\nscenario = \"base.toml\"\n{lines}\n");
        Sweep::parse(&text, "s.toml", self.0.path()).map_err(|error| error.to_string())
    }

    fn axis(&self, lines: &str) -> Axis {
        self.read(&format!("[[axis]]\n{lines}")).unwrap().axes.remove(0)
    }
}

fn sweep(lines: &str) -> Sweep {
    Desk::new().read(lines).unwrap()
}

fn fault(lines: &str) -> String {
    Desk::new().read(lines).unwrap_err()
}

/// The fault of a sweep whose only fault is its axis.
fn axis_fault(lines: &str) -> String {
    fault(&format!("[[axis]]\n{lines}"))
}

fn labels(axis: &Axis) -> Vec<String> {
    (0..axis.count().unwrap()).map(|place| axis.level(place as f64).label).collect()
}

#[test]
fn lists_and_ranges() {
    let desk = Desk::new();
    let labels = |lines: &str| labels(&desk.axis(lines));
    assert_eq!(labels("path = \"cluster.hosts\"\nvalues = [4, 8, 0x10]"), ["4", "8", "16"]);
    assert_eq!(
        labels("path = \"workload.exponent\"\nvalues = [0.50, 1, 1e-9]"),
        ["0.5", "1", "1e-9"]
    );
    assert_eq!(
        labels("path = \"workload.ranks\"\nvalues = [\"kept\", 'shuffled']"),
        ["kept", "shuffled"]
    );
    assert_eq!(
        labels("path = \"cluster.heartbeat\"\nvalues = [\"1s\", \"500ms\"]"),
        ["1s", "500ms"]
    );
    let draw = "path = \"workload.exponent\"\nvalues = [{ low = 1,   high = 2 }, 3]";
    assert_eq!(labels(draw), ["{ low = 1, high = 2 }", "3"]);
    let range = |ends: &str| labels(&format!("path = \"workload.exponent\"\n{ends}"));
    assert_eq!(range("from = 0.1\nto = 0.5\nsteps = 5"), ["0.1", "0.2", "0.3", "0.4", "0.5"]);
    assert_eq!(range("from = 3.0\nto = 1\nsteps = 2"), ["3", "1"]);
    assert_eq!(
        range("from = 0.1\nto = 100.0\nsteps = 4\nscale = \"log\""),
        ["0.1", "1", "10", "100"]
    );
    assert_eq!(
        range("from = 1\nto = 1024\nsteps = 6\nscale = \"log\""),
        ["1", "4", "16", "64", "256", "1024"]
    );
    assert_eq!(range("from = 1\nto = 10\nsteps = 4\nscale = \"linear\""), ["1", "4", "7", "10"]);
    let durations = "path = \"cluster.handover\"\nfrom = \"500ms\"\nto = \"2s\"\nsteps = 4";
    assert_eq!(labels(durations), ["500ms", "1s", "1500ms", "2s"]);
    let axis = desk.axis(durations);
    assert!(axis.is_numeric());
    assert_eq!(axis.level(2.0).number, Some(1.5));
    assert!(!desk.axis("path = \"workload.ranks\"\nvalues = [\"kept\"]").is_numeric());
}

#[test]
fn values_reach_the_fields_they_are_for() {
    let sweep = sweep(
        "seed = 7\nreplications = 3\nset = [\"duration=2m\", 'workload.shards=30']\n\
         [[axis]]\npath = \"policy.greedy.upper_band\"\nvalues = [1.2, 1.3]\n\
         [[axis]]\nname = \"size\"\n[axis.variants]\n\
         small = [\"cluster.hosts=2\", \"workload.shards=10\"]\nlarge = [\"cluster.hosts=9\"]\n\
         [[axis]]\npath = [\"workload.exponent\", \"workload.total_load\"]\nname = \"both\"\nvalues = [2]",
    );
    assert_eq!(labels(&sweep.axes[1]), ["small", "large"]);
    let at = |point: [f64; 3]| {
        let scenario = sweep.scenario(&point).unwrap();
        let PolicySettings::Greedy(greedy) = &scenario.policies[0].settings else { panic!() };
        let hosts = scenario.cluster.initial_hosts().len();
        (greedy.upper_band, hosts, scenario.workload.shards().len())
    };
    assert_eq!(at([0.0, 0.0, 0.0]), (1.2, 2, 10));
    assert_eq!(at([1.0, 1.0, 0.0]), (1.3, 9, 30));
    let scenario = sweep.scenario(&[0.0; 3]).unwrap();
    assert_eq!(scenario.seeds().collect::<Vec<_>>(), [7, 8, 9]);
    assert_eq!(scenario.duration().as_secs_f64(), 120.0);
    let printed = scenario.to_toml();
    assert!(
        printed.contains("exponent = 2.0") && printed.contains("total_load = 2.0"),
        "{printed}"
    );
    assert_eq!(
        sweep.describe(["1.2", "small", "2"].into_iter()),
        "upper_band = 1.2, size = small, both = 2"
    );
}

#[test]
fn draws_fall_on_every_value() {
    let desk = Desk::new();
    let design = |lines: &str| desk.axis(lines).clone();
    let list = design("path = \"cluster.hosts\"\nvalues = [4, 8, 16]");
    assert_eq!([0.01, 0.34, 0.99].map(|u| list.coordinate(u)), [0.0, 1.0, 2.0]);
    let ranged = |ends: &str| {
        let text = format!(
            "[design]\nkind = \"random\"\npoints = 3\n[[axis]]\npath = \"workload.exponent\"\n{ends}"
        );
        desk.read(&text).unwrap().axes.remove(0)
    };
    let real = ranged("from = 1.0\nto = 3.0");
    assert_eq!([0.25, 0.5].map(|u| real.coordinate(u)), [1.5, 2.0]);
    let log = ranged("from = 0.01\nto = 100.0\nscale = \"log\"");
    assert_eq!(log.coordinate(0.75), 10.0);
    // Each whole number has an equal part of the range, up or down.
    for ends in ["from = 3\nto = 6", "from = 6\nto = 3"] {
        let whole = ranged(ends);
        let mut hits = [0; 4];
        (0..400)
            .for_each(|i| hits[whole.coordinate((f64::from(i) + 0.5) / 400.0) as usize - 3] += 1);
        assert_eq!(hits, [100; 4], "{ends}");
    }
    assert_eq!(real.count(), None);
    assert_eq!(real.level(1.25).label, "1.25");
}

const HOSTS: &str = "[[axis]]\npath = \"cluster.hosts\"\nvalues = [2, 4]";

#[test]
fn faults_of_the_file() {
    let read = |text: &str| Sweep::parse(text, "s.toml", Path::new("")).unwrap_err().to_string();
    assert!(read("schema = = 1").starts_with("not valid TOML"));
    assert!(read("name = \"s\"").contains("missing key `schema`"));
    assert!(
        read("schema = 2\nname = \"s\"\nscenario = \"x\"\n").contains("`schema` 2 is not known")
    );
    for (lines, message) in [
        ("", "there is no axis; write at least one [[axis]]"),
        ("axes = 1", "unknown key `axes`"),
        ("[design]\nkind = \"sobl\"\npoints = 2", "did you mean `sobol`?"),
        ("[design]\nkind = \"sobol\"", "missing key `points`"),
        ("[design]\nkind = \"sobol\"\npoints = 0", "`points` must be from 1 to 10000000, not 0"),
        (
            "[design]\nkind = \"random\"\npoints = 10000001",
            "`points` must be from 1 to 10000000, not 10000001",
        ),
        ("[design]\nkind = \"random\"\npoints = 2\nsed = 1", "did you mean `seed`?"),
        ("[design]\nkind = \"grid\"\npoints = 2", "unknown key `points`"),
    ] {
        let text = fault(lines);
        assert!(text.contains(message), "{lines}: {text}");
    }
    for (lines, message) in [
        ("set = 1", "`set` must be a list of texts PATH=VALUE, not a number"),
        ("set = [1]", "`set` must be a list of texts PATH=VALUE, not a number"),
        ("set = [\"seed=1\"]", "`seed` is the sweep's own"),
        ("set = [\"cluster.hosts\"]", "`cluster.hosts` has no `=`"),
        ("set = [\"cluster.hots=3\"]", "did you mean `hosts`?"),
        ("replications = 0", "`replications` must be from 1 to 100000, not 0"),
        ("seed = -1", "expected a whole number of at least 0"),
        ("where = \"hosts < other\"", "`where`: `other` is no axis"),
        ("where = 1", "expected a text in quotes"),
    ] {
        let text = fault(&format!("{lines}\n{HOSTS}"));
        assert!(text.contains(message), "{lines}: {text}");
        assert!(text.contains("--> s.toml, line 4"), "{lines}: {text}");
    }
    let missing = read(&format!("schema = 1\nname = \"s\"\nscenario = \"none.toml\"\n{HOSTS}"));
    assert!(missing.contains("none.toml: no such file\n  --> s.toml, line 3"), "{missing}");
    let name = read(&format!("schema = 1\nname = \"a/b\"\nscenario = \"x\"\n{HOSTS}"));
    assert!(name.contains("must be made of letters"), "{name}");
}

#[test]
fn faults_of_an_axis() {
    const EXPONENT: &str = "path = \"workload.exponent\"\n";
    for (lines, message) in [
        ("", "missing key `name`"),
        ("name = \"x\"", "axis `x` has no values"),
        ("path = \"cluster.hosts\"", "axis `hosts` has no values"),
        ("path = \"cluster.hosts\"\nvalues = []", "axis `hosts` has no values"),
        ("path = \"cluster.hosts\"\nvalues = 3", "`values` must be a list, not a number"),
        ("path = \"cluster.hosts\"\nvalues = [3, 3]", "axis `hosts` has the value `3` twice"),
        ("path = \"cluster.hosts\"\nvalues = [\"a\\tb\"]", "must be a line of text"),
        ("name = \"x\"\nvalues = [3]", "axis `x` has no `path`"),
        ("path = \"cluster.hosts\"\nvalue = [3]", "did you mean `values`?"),
        ("path = \"cluster.hosts\"\nvalues = [3]\nfrom = 1\nto = 2", "more than one of"),
        ("path = \"cluster.hosts\"\nvalues = [3]\nsteps = 2", "`steps` is for a range"),
        ("path = \"cluster.hosts\"\nvalues = [3]\nscale = \"log\"", "`scale` is for a range"),
        ("path = \"seed\"\nvalues = [3]", "`seed` is the sweep's own and cannot be an axis"),
        ("path = \"a=b\"\nname = \"x\"\nvalues = [3]", "`a=b` is not a path"),
        ("path = 1\nvalues = [3]", "`path` must be a text or a list of texts, not a number"),
        ("path = []\nvalues = [3]", "`path` names no field"),
        ("path = \"cluster.hosts\"\nname = \"a b\"\nvalues = [3]", "the name of an axis must be"),
        ("path = \"cluster.hosts\"\nname = \"and\"\nvalues = [3]", "the name of an axis must be"),
        ("path = \"cluster.hosts\"\n[axis.variants]\na = []", "`path` has no use here"),
        ("name = \"x\"\nvariants = 1", "`variants` must be a table of lists"),
        ("name = \"x\"\nvariants = {}", "axis `x` has no values"),
        ("name = \"x\"\n[axis.variants]\na = 1", "`a` must be a list of texts PATH=VALUE"),
        ("name = \"x\"\n[axis.variants]\na = [\"name=b\"]", "`name` is the sweep's own"),
        ("path = \"workload.exponent\"\nfrom = 1", "a range needs `from` and `to`"),
        (
            "path = \"workload.exponent\"\nfrom = 1\nto = \"x\"",
            "expected a number or a duration, found \"x\"",
        ),
        (
            "path = \"workload.exponent\"\nfrom = 1\nto = inf",
            "expected a number or a duration, found inf",
        ),
        (
            "path = \"workload.exponent\"\nfrom = 1\nto = \"1s\"",
            "must both be numbers or both durations",
        ),
        ("path = \"workload.exponent\"\nfrom = 1\nto = 1", "`to` must differ from `from`"),
        (
            "path = \"workload.exponent\"\nfrom = 0\nto = 1\nscale = \"log\"",
            "a logarithmic range must be above 0",
        ),
        ("path = \"workload.exponent\"\nfrom = 0\nto = 1\nscale = \"lag\"", "unknown word `lag`"),
        (
            "path = \"workload.exponent\"\nfrom = 0\nto = 1\nsteps = 1",
            "`steps` must be from 2 to 1000000, not 1",
        ),
        ("path = \"workload.exponent\"\nfrom = 0\nto = 1\nsteps = 3", "has the value `1` twice"),
        ("path = \"workload.exponent\"\nfrom = 0.0\nto = 1.0", "missing key `steps`"),
    ] {
        let text = axis_fault(lines);
        assert!(text.contains(message), "{lines}: {text}");
        assert!(text.contains("--> s.toml, line "), "{lines}: {text}");
    }
    let twice = fault(&format!("{HOSTS}\n{HOSTS}"));
    assert!(twice.contains("there are two axes named `hosts`"), "{twice}");
    let reserved = sweep(&format!("[[axis]]\nname = \"moves\"\n{EXPONENT}values = [1]"));
    let error = reserved.check_names(&["moves".to_owned()]).unwrap_err().to_string();
    assert!(
        error.contains("`moves` is a column of the tables already\n  --> s.toml, line 5"),
        "{error}"
    );
}

#[test]
fn designs_have_a_most() {
    let axis = |name: &str| {
        format!(
            "[[axis]]\nname = \"{name}\"\npath = \"workload.exponent\"\nfrom = 0.0\nto = 1.0\nsteps = 1000\n"
        )
    };
    let text = fault(&["a", "b", "c"].map(axis).concat());
    assert!(text.contains("the grid has more than 10000000 points"), "{text}");
    let many: String = (0..22).map(|i| axis(&format!("a{i}"))).collect();
    let text = fault(&format!("[design]\nkind = \"sobol\"\npoints = 2\n{many}"));
    assert!(text.contains("a Sobol sequence has at most 21 axes, not 22"), "{text}");
}

/// A path that names no field is shown where it stands, with the nearest one; a
/// value out of range too, with its point.
#[test]
fn faults_of_points() {
    let at = |lines: &str| sweep(lines).scenario(&[1.0]).unwrap_err().to_string();
    let text = at("[[axis]]\npath = \"policy.greedy.uper_band\"\nvalues = [1.1, 1.2]");
    assert_eq!(
        text,
        "unknown key `uper_band`\n  --> s.toml, line 5, column 8\n  |\n\
         5 | path = \"policy.greedy.uper_band\"\n  |        ^^^^^^^^^^^^^^^^^^^^^^^^^ did you mean `upper_band`?"
    );
    let text = at("[[axis]]\npath = \"policy.gredy.upper_band\"\nvalues = [1.1, 1.2]");
    assert!(
        text.contains("there is no `gredy` in `policy`") && text.contains("did you mean `greedy`?"),
        "{text}"
    );
    let text = at("[[axis]]\npath = \"cluster.hosts\"\nvalues = [3, 0]");
    assert_eq!(
        text,
        "at the point hosts = 0: `hosts` must be from 1 to 100000, not 0\n  --> s.toml, line 6, column 14\n  |\n\
         6 | values = [3, 0]\n  |              ^"
    );
    let text = at("[[axis]]\npath = \"workload.exponent\"\nfrom = 1.0\nto = -1.0\nsteps = 2");
    assert!(text.starts_with("at the point exponent = -1: `exponent` must be"), "{text}");
    assert!(text.contains("--> s.toml, line 6"), "{text}");
    let text = at("[[axis]]\nname = \"x\"\n[axis.variants]\na = []\nb = [\"cluster.hosts=0\"]");
    assert!(
        text.starts_with("at the point x = b: `hosts` must be") && text.contains("line 8"),
        "{text}"
    );
}

#[test]
fn conditions_choose_points() {
    let sweep = sweep(&format!(
        "where = \"hosts < exponent * 2\"\n{HOSTS}\n[[axis]]\npath = \"workload.exponent\"\nvalues = [1.0, 1.5, 2.5]"
    ));
    let admitted: Vec<[f64; 2]> = (0..6u8)
        .map(|i| [f64::from(i / 3), f64::from(i % 3)])
        .filter(|point| sweep.admits(point))
        .collect();
    assert_eq!(admitted, [[0.0, 1.0], [0.0, 2.0], [1.0, 2.0]]);
    let text = fault(&format!("where = 'hosts <= \"x\"'\n{HOSTS}"));
    assert!(text.contains("`where`: `\"x\"` is a text, where a number is needed"), "{text}");
    assert!(text.contains("4 | where = 'hosts <= \"x\"'\n  |                   ^^^"), "{text}");
    let escaped = fault(&format!("where = \"hosts \\u003c 'x'\"\n{HOSTS}"));
    assert!(escaped.contains("line 4, column 9"), "{escaped}");
}
