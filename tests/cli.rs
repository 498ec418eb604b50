//! The program through its real command line: what it prints, what it writes,
//! and its exit codes.

#[path = "common/cli.rs"]
#[allow(dead_code, unreachable_pub)]
mod cli;

use std::path::Path;

use cli::{Desk, SCENARIO, closed_pipe, scenario};
use insta::assert_snapshot;
use serde_json::Value;

fn desk() -> Desk {
    Desk::with("small.toml", SCENARIO)
}

/// The scenario as it is read, after changes.
fn printed(sets: &[&str]) -> String {
    let sets = sets.iter().flat_map(|set| ["--set", set]);
    let arguments: Vec<&str> =
        ["run", "small.toml", "--print-scenario"].into_iter().chain(sets).collect();
    desk().succeed(&arguments)
}

#[test]
fn help() {
    let desk = Desk::new();
    assert_snapshot!(desk.succeed(&["--help"]), @"
    A deterministic simulator and research bench for shard placement

    Usage: evenkeel <COMMAND>

    Commands:
      run          Simulate a scenario: compare its policies, write tables and plots
      plan         Show what a balancer would move on a snapshot of a cluster
      optimum      Compute how well a snapshot could be placed at best
      resize       Compare what hash placements move when hosts come or go
      fan-out      Compute how slow queries are that wait for many shards
      sweep        Run a scenario at many points of its settings, and compare them
      merge        Join the partitions of a sweep
      check        Run scenarios and hold them to their checks and to a baseline
      reproduce    Test published results: which figures hold, and why others do not
      plot         Draw the plots of a run or a sweep again, from its tables
      completions  Print a completion script for a shell
      help         Print this message or the help of the given subcommand(s)

    Options:
      -h, --help     Print help
      -V, --version  Print version
    ");
    assert_snapshot!(desk.succeed(&["run", "--help"]), @"
    Simulate a scenario: compare its policies, write tables and plots

    Usage: evenkeel run [OPTIONS] <SCENARIO>

    Arguments:
      <SCENARIO>  The scenario file

    Options:
          --out <DIR>         Where to write; by default results/NAME, with the scenario's name
          --seed <N>          The first seed, instead of the scenario's
          --replications <N>  Number of seeds, instead of the scenario's
          --threads <N>       Threads to use; by default one for each core. The result is the same
          --set <PATH=VALUE>  Change a setting, as in policy.greedy.upper_band=1.1; may be repeated
          --events            Write the log of all changes of state, events.csv
          --print-scenario    Print the scenario with every default filled in, and do nothing else
          --quiet             Print nothing but errors
      -h, --help              Print help
    ");
    assert_snapshot!(desk.succeed(&["plan", "--help"]), @"
    Show what a balancer would move on a snapshot of a cluster

    Usage: evenkeel plan [OPTIONS] <SNAPSHOT>

    Arguments:
      <SNAPSHOT>
              The snapshot, a CSV file with the columns shard,load and perhaps host

    Options:
          --hosts <FILE|N>
              The hosts: a CSV file with a column host, or how many there are in all

          --start <KIND>
              Where the shards lie if the snapshot places none
              
              [default: ring]
              [possible values: ring, mod-n, jump, greedy]

          --policy <NAME>
              The policy that plans
              
              [default: greedy]
              [possible values: mod-n, ring, ringpop, bounded-ring, jump, rendezvous, maglev, anchor,
              slots, redis, directory, greedy, naive]

          --passes <N>
              Passes at most
              
              [default: 10000]

          --max-moves <N>
              Moves at most, over all passes

          --set <PATH=VALUE>
              Change a setting of the policy, as in upper_band=1.1; may be repeated

          --out <DIR>
              Write plan.json and moves.csv into a directory

          --format <FORMAT>
              What to print

              Possible values:
              - table: Text for people
              - json:  One JSON document
              - csv:   A CSV table
              
              [default: table]

      -h, --help
              Print help (see a summary with '-h')
    ");
    assert_snapshot!(desk.succeed(&["optimum", "--help"]), @"
    Compute how well a snapshot could be placed at best

    Usage: evenkeel optimum [OPTIONS] <SNAPSHOT>

    Arguments:
      <SNAPSHOT>
              The snapshot, a CSV file with the columns shard,load and perhaps host

    Options:
          --hosts <FILE|N>
              The hosts: a CSV file with a column host, or how many there are in all

          --solver <SOLVER>
              Which stages of the solver may be used
              
              [possible values: auto, heuristic, bnb, ilp, highs]

          --set <PATH=VALUE>
              Change a setting of the solver, as in node_limit=1000; may be repeated

          --metric <METRIC>
              What is to be least: the hottest host's utilisation, or the sum of squared utilisations
              around the mean

              Possible values:
              - max:     The hottest host's utilisation
              - squares: The sum of squares
              
              [default: max]

          --max-moves <K>
              Moves at most, away from the current hosts

          --max-moved-load <L>
              Load that may move at most, in units a second

          --target <R>
              The hot_ratio to reach with the fewest moves

          --least <LEAST>
              With --target: what is to be least

              Possible values:
              - moves: The number of moves
              - load:  The load that moves
              
              [default: moves]

          --explain
              Show what each stage of the solver contributed

          --format <FORMAT>
              What to print

              Possible values:
              - table: Text for people
              - json:  One JSON document
              - csv:   A CSV table
              
              [default: table]

      -h, --help
              Print help (see a summary with '-h')
    ");
    assert_snapshot!(desk.succeed(&["plot", "--help"]), @"
    Draw the plots of a run or a sweep again, from its tables

    Usage: evenkeel plot <RESULTS>

    Arguments:
      <RESULTS>  The directory that a run, a sweep or a change of hosts has written

    Options:
      -h, --help  Print help
    ");
    let version = format!("evenkeel {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(desk.succeed(&["--version"]), version);
}

#[test]
fn arguments_that_are_wrong() {
    let desk = desk();
    assert!(desk.refuse(&[]).contains("Usage: evenkeel <COMMAND>"));
    assert_snapshot!(desk.refuse(&["rum"]), @"
    error: unrecognized subcommand 'rum'

      tip: a similar subcommand exists: 'run'

    Usage: evenkeel <COMMAND>

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["run"]), @"
    error: the following required arguments were not provided:
      <SCENARIO>

    Usage: evenkeel run <SCENARIO>

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["run", "small.toml", "--sed", "3"]), @"
    error: unexpected argument '--sed' found

      tip: a similar argument exists: '--seed'

    Usage: evenkeel run --seed <N> <SCENARIO>

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["run", "small.toml", "--seed", "-1"]), @"
    error: invalid value '-1' for '--seed <N>': must be a whole number of at least 0

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["run", "small.toml", "--seed", "9223372036854775807"]), @"
    error: `seed` is too large for so many replications
      --> command line
     |
     | seed=9223372036854775807
     |      ^^^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(desk.refuse(&["run", "small.toml", "--replications", "0"]), @"
    error: `replications` must be from 1 to 100000, not 0
      --> command line
     |
     | replications=0
     |              ^
    ");
    assert_snapshot!(desk.refuse(&["run", "small.toml", "--threads", "0"]), @"
    error: invalid value '0' for '--threads <N>': 0 is not in 1..=1024

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["run", "small.toml", "--out", ""]), @"
    error: a value is required for '--out <DIR>' but none was supplied

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["plan", "s.csv", "--policy", "gredy"]), @"
    error: invalid value 'gredy' for '--policy <NAME>'
      [possible values: mod-n, ring, ringpop, bounded-ring, jump, rendezvous, maglev, anchor, slots, redis, directory, greedy, naive]

      tip: a similar value exists: 'greedy'

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["plan", "s.csv", "--start", "file"]), @"
    error: invalid value 'file' for '--start <KIND>'
      [possible values: ring, mod-n, jump, greedy]

    For more information, try '--help'.
    ");
    assert_snapshot!(desk.refuse(&["completions", "dos"]), @"
    error: invalid value 'dos' for '<SHELL>'
      [possible values: bash, elvish, fish, powershell, zsh]

    For more information, try '--help'.
    ");
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = Desk::new().succeed(&["completions", shell]);
        assert!(["evenkeel", "print-scenario", "optimum"].iter().all(|word| script.contains(word)));
    }
}

#[test]
fn a_run_prints_a_table_and_writes_files() {
    let desk = desk();
    assert_snapshot!(desk.succeed(&["run", "small.toml", "--set", "replications=2"]), @"
    small
    3 hosts, 20 shards, 1m, 2 seeds

    policy  hot_ratio mean           max         final  excess %     moves        moved load  unavailable s
    greedy    1.090 ±0.026  1.610 ±0.450  1.080 ±0.017  9.0 ±2.6  1.5 ±0.7  2 025.3 ±1 579.8       1.5 ±0.7

    floor 1.000 ±0.000, optimum 1.000 ±0.000; mean ±standard deviation over 2 seeds

    written to results/small
    ");
    let files = desk.files("results/small");
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_snapshot!(names.join("\n"), @"
    hosts.csv
    manifest.json
    moves.csv
    optimum.csv
    passes.csv
    summary.csv
    timeseries.csv
    timing.json
    ");
    assert_snapshot!(desk.read("results/small/passes.csv"), @"
    policy,seed,reason,count
    greedy,1,moved,2
    greedy,1,no-source,58
    greedy,2,moved,1
    greedy,2,no-source,59
    ");
    assert_snapshot!(desk.read("results/small/moves.csv"), @"
    policy,seed,time_s,shard,from,to,load,reason
    greedy,1,1,shard-5,host-1,host-0,2441.2908632409726,rebalance
    greedy,1,2,shard-9,host-1,host-2,701.0766996685492,rebalance
    greedy,2,1,shard-18,host-0,host-2,908.260435673495,rebalance
    ");
    let timing: Value = serde_json::from_str(&desk.read("results/small/timing.json")).unwrap();
    assert_eq!(timing["lanes"], 2);
}

#[test]
fn quiet_and_events() {
    let desk = desk();
    assert_eq!(desk.succeed(&["run", "small.toml", "--out", "a", "--quiet", "--events"]), "");
    let events = desk.read("a/events.csv");
    let but_digest = |line| str::rsplit_once(line, ',').map_or(line, |(others, _)| others);
    let head: Vec<&str> = events.lines().take(4).map(but_digest).collect();
    assert_snapshot!(head.join("\n"), @"
    policy,seed,time_ns,class,action,shard,from,to,value
    greedy,1,1000000000,report,report,,,,20
    greedy,1,1000000000,pass,move,shard-5,host-1,host-0,
    greedy,1,2000000000,report,report,,,,19
    ");
    let manifest = desk.read("a/manifest.json");
    let last = events.lines().last().unwrap().rsplit(',').next().unwrap();
    assert!(manifest.contains(last), "the last event's digest is the lane's");
}

#[test]
fn two_runs_agree_but_for_the_time_they_took() {
    let desk = Desk::with("small.toml", scenario("plots = false", "plots = true"));
    let measured = |arguments: &[&str]| {
        let run = ["run", "small.toml", "--out", "out", "--replications", "3", "--quiet"];
        desk.succeed(&[&run[..], arguments].concat());
        let mut files = desk.files("out");
        files.retain(|(name, _)| name != "timing.json");
        files
    };
    let first = measured(&["--threads", "1"]);
    assert_eq!(first.iter().filter(|(name, _)| name.ends_with(".png")).count(), 5);
    assert!(measured(&["--threads", "2"]) == first);
    assert!(measured(&["--set", "title="]) == first);
    assert!(measured(&["--seed", "2"]) != first);
}

#[test]
fn plots_are_drawn_again_from_the_tables_alone() {
    let desk = Desk::with("small.toml", scenario("plots = false", "plots = true"));
    desk.succeed(&["run", "small.toml", "--out", "a b/out"]);
    let before = desk.files("a b/out");
    std::fs::remove_dir_all(desk.path("a b/out/plots")).unwrap();
    assert_snapshot!(desk.succeed(&["plot", "a b/out"]), @"
    a b/out/plots/hot_ratio.svg
    a b/out/plots/hot_ratio.png
    a b/out/plots/moves.svg
    a b/out/plots/moves.png
    a b/out/plots/hosts.svg
    a b/out/plots/hosts.png
    a b/out/plots/excess.svg
    a b/out/plots/excess.png
    ");
    assert!(desk.files("a b/out") == before);
}

#[test]
fn plots_leave_out_what_an_earlier_run_left() {
    let desk = Desk::with("small.toml", scenario("plots = false", "plots = true"));
    let run = ["run", "small.toml", "--out", "out", "--quiet", "--set", "optimum.enabled=false"];
    desk.succeed(&run);
    let plots = desk.files("out/plots");
    desk.write("out/optimum.csv", "left,over\n1,2\n");
    desk.succeed(&["plot", "out"]);
    assert!(desk.files("out/plots") == plots);
}

#[test]
fn plots_need_a_run() {
    let desk = desk();
    assert_snapshot!(desk.refuse(&["plot", "none"]), @"error: none: is not a directory with the results of a run");
    assert_snapshot!(desk.refuse(&["plot", "small.toml"]), @"error: small.toml: is not a directory with the results of a run");
    assert_snapshot!(desk.refuse(&["plot", "."]), @"error: ./manifest.json: no such file");
    desk.succeed(&["run", "small.toml", "--out", "out"]);
    let table = desk.read("out/timeseries.csv");
    desk.write("out/timeseries.csv", table.replacen("greedy,1,10,", "greedy,10,", 1));
    assert_snapshot!(desk.refuse(&["plot", "out"]), @"error: out/timeseries.csv, line 3: has 11 cells where the first row has 12; is a comma or a quote missing, or one too many?");
    desk.write("out/timeseries.csv", table.replace("hot_ratio", "heat"));
    assert_snapshot!(desk.refuse(&["plot", "out"]), @"error: out/timeseries.csv: has no column `hot_ratio`");
    std::fs::remove_file(desk.path("out/timeseries.csv")).unwrap();
    assert_snapshot!(desk.refuse(&["plot", "out"]), @"error: out/timeseries.csv: no such file");
    desk.write("out/manifest.json", "{}");
    assert_snapshot!(desk.refuse(&["plot", "out"]), @"error: out/manifest.json: is not the manifest of a run: it has no `outputs`");
    desk.write("out/manifest.json", "[");
    assert_snapshot!(desk.refuse(&["plot", "out"]), @"error: out/manifest.json: is not the manifest of a run: EOF while parsing a list at line 1 column 1");
}

#[test]
fn the_printed_scenario_is_a_scenario_that_prints_itself() {
    let filled = printed(&[]);
    assert_snapshot!(filled, @r#"
    schema = 1
    name = "small"
    title = ""
    seed = 1
    replications = 1
    duration = "1m"
    warmup = "0s"
    sample_every = "10s"

    [workload]
    kind = "zipf"
    shards = 20
    exponent = 0.9
    total_load = 10000.0
    ranks = "shuffled"

    [workload.noise]
    kind = "none"

    [cluster]
    hosts = 3
    capacity = 1.0
    heartbeat = "1s"
    handover = "1s"
    hash_seed = "fixed"

    [[policy]]
    name = "greedy"
    kind = "greedy"
    revision = "2026-08"
    start = "ring"
    pass_every = "1s"
    smoothing = "1m"
    upper_band = 1.15
    lower_band = 0.9
    severe_ratio = 1.3
    move_budget = 0.01
    cooldown = "1m"
    min_move_load = 0.01

    [optimum]
    enabled = true
    every = "30s"
    metric = "max"
    budgeted = false

    [optimum.solver]
    solver = "auto"
    target_gap = 0.000000001
    step_limit = 100000
    branch_limit = 20000000
    node_limit = 20000
    variable_limit = 64

    [report]
    hosts = false
    plots = false
    "#);
    let again = Desk::with("small.toml", &filled);
    assert_eq!(again.succeed(&["run", "small.toml", "--print-scenario"]), filled);
    assert!(again.files("").len() == 1, "nothing is written");
}

#[test]
fn every_scenario_of_the_package_prints_itself() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "toml") {
            continue;
        }
        let print = ["run", path.to_str().unwrap(), "--print-scenario"];
        let filled = Desk::new().succeed(&print);
        let desk = Desk::with("a.toml", &filled);
        // The files that it names are found from where it lies.
        std::fs::create_dir(desk.path("data")).unwrap();
        for data in std::fs::read_dir(folder.join("data")).unwrap() {
            let data = data.unwrap();
            std::fs::copy(data.path(), desk.path("data").join(data.file_name())).unwrap();
        }
        assert_eq!(desk.succeed(&["run", "a.toml", "--print-scenario"]), filled, "{path:?}");
    }
}

#[test]
fn settings_are_changed_from_the_command_line() {
    for (set, line) in [
        ("replications=3", "replications = 3"),
        ("seed=1_000", "seed = 1000"),
        ("duration=5m", "duration = \"5m\""),
        ("title=two words", "title = \"two words\""),
        ("title=\"in quotes\"", "title = \"in quotes\""),
        (" workload.exponent = 1.1 ", "exponent = 1.1"),
        ("workload.exponent={ low = 0.5, high = 0.7 }", "low = 0.5"),
        ("workload.noise.kind=poisson", "kind = \"poisson\""),
        ("workload.noise={ kind = \"lognormal\", sigma = 0.3 }", "sigma = 0.3"),
        ("cluster.hosts=[\"a\", \"b\"]", "name = \"b\""),
        ("policy.greedy.upper_band=1.3", "upper_band = 1.3"),
        ("policy.\"greedy\".upper_band=1.3", "upper_band = 1.3"),
        ("policy.0.upper_band=1.3", "upper_band = 1.3"),
        ("policy.0.name=a.b=c", "name = \"a.b=c\""),
        ("cluster.event=[{ at = \"5s\", kind = \"add\", host = \"z\" }]", "host = \"z\""),
        ("report.hosts=true", "hosts = true"),
        ("optimum.solver.node_limit=7", "node_limit = 7"),
    ] {
        let text = printed(&[set]);
        assert!(text.lines().any(|found| found.trim() == line), "{set}: {text}");
        assert!(!printed(&[]).lines().any(|found| found.trim() == line), "{set} changes nothing");
    }
    let renamed = printed(&["policy.0.name=a.b", "policy.\"a.b\".upper_band=1.3"]);
    assert!(renamed.contains("upper_band = 1.3"), "{renamed}");
    assert!(printed(&["seed=5", "seed=6"]).contains("seed = 6"), "later arguments win");
    assert_eq!(printed(&["seed=5", "replications=2"]), {
        let arguments =
            ["run", "small.toml", "--print-scenario", "--seed", "5", "--replications", "2"];
        desk().succeed(&arguments)
    });
}

#[test]
fn changes_that_cannot_be_made() {
    let refuse = |set: &str| desk().refuse(&["run", "small.toml", "--set", set]);
    assert_snapshot!(refuse("hosts=3"), @"
    error: unknown key `hosts`
      --> command line
     |
     | hosts=3
     | ^^^^^ known here: schema, name, title, seed, replications, duration, warmup, sample_every, workload, cluster, policy, optimum, report, check
    ");
    assert_snapshot!(refuse("workload.exponnt=1"), @"
    error: unknown key `exponnt`
      --> command line
     |
     | workload.exponnt=1
     | ^^^^^^^^^^^^^^^^ did you mean `exponent`?
    ");
    assert_snapshot!(refuse("workload.exponent=steep"), @"
    error: expected a number, or { low = .., high = .. }, found steep
      --> command line
     |
     | workload.exponent=steep
     |                   ^^^^^
    ");
    assert_snapshot!(refuse("workload.exponent={ low = 1"), @"
    error: expected a number, or { low = .., high = .. }, found { low = 1
      --> command line
     |
     | workload.exponent={ low = 1
     |                   ^^^^^^^^^
    ");
    assert_snapshot!(refuse("workload.shards.x=1"), @"
    error: `shards` is a number, which has no keys
      --> command line
     |
     | workload.shards.x=1
     | ^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(refuse("policy.gredy.upper_band=1"), @"
    error: there is no `gredy` in `policy`
      --> command line
     |
     | policy.gredy.upper_band=1
     | ^^^^^^^^^^^^^^^^^^^^^^^ did you mean `greedy`?
    ");
    assert_snapshot!(refuse("policy.7.upper_band=1"), @"
    error: there is no `7` in `policy`
      --> command line
     |
     | policy.7.upper_band=1
     | ^^^^^^^^^^^^^^^^^^^ known here: greedy
    ");
    assert_snapshot!(refuse("policy.upper_band=1"), @"
    error: `policy` is a list: name one of its entries, as in `policy.NAME.upper_band`
      --> command line
     |
     | policy.upper_band=1
     | ^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(refuse("policy=5"), @"
    error: `policy` must be a list of tables, each under [[policy]]
      --> command line
     |
     | policy=5
     |        ^
    ");
    assert_snapshot!(refuse("cluster.event.0.at=5s"), @"
    error: `event` must be a list of tables, each under [[cluster.event]]
      --> command line
     |
     | cluster.event.0.at=5s
     | ^^^^^^^^^^^^^^^^^^
    ");
    assert_snapshot!(refuse("seed"), @"
    error: `seed` has no `=`
      --> command line
     |
     | seed
     | ^^^^ write --set PATH=VALUE, for example --set workload.exponent=1.1
    ");
    assert_snapshot!(refuse("a..b=1"), @"
    error: `a..b` is not a path of keys joined by dots
      --> command line
     |
     | a..b=1
     | ^^^^
    ");
    assert_snapshot!(refuse("=1"), @"
    error: `` is not a path of keys joined by dots
      --> command line
     |
     | =1
     | ^
    ");
    assert_snapshot!(refuse("seed=1\nreplications=2"), @"
    error: expected a whole number of at least 0, found something else
      --> command line
     |
     | seed=1
     |      ^
    ");
    // Neither a deep path nor a deep value fills the stack.
    assert!(refuse(&format!("{}b=1", "a.".repeat(50_000))).contains("more keys"));
    assert!(refuse(&format!("x={}", "[".repeat(50_000))).contains("unknown key `x`"));
    let twice = scenario("[optimum]", "[[policy]]\nkind = \"greedy\"\nname = \"b\"\n\n[optimum]")
        .replace("kind = \"greedy\"\n\n", "kind = \"greedy\"\nname = \"a\"\n\n");
    let desk = Desk::with("small.toml", twice);
    assert_snapshot!(desk.refuse(&["run", "small.toml", "--set", "policy.greedy.upper_band=1"]), @"
    error: 2 entries of `policy` are of kind `greedy`
      --> command line
     |
     | policy.greedy.upper_band=1
     | ^^^^^^^^^^^^^^^^^^^^^^^^ give them names, or use numbers: policy.0
    ");
}

#[test]
fn an_output_directory_that_cannot_be_written() {
    let desk = desk();
    desk.write("file", "mine");
    for out in ["file", "file/below"] {
        let outcome = desk.run(&["run", "small.toml", "--out", out]);
        assert_eq!((outcome.code, outcome.out.as_str()), (Some(3), ""));
        assert!(outcome.err.contains("file is not a directory"), "{}", outcome.err);
    }
    assert_snapshot!(desk.run(&["run", "small.toml", "--out", "file"]).err, @"error: file: cannot be written: file is not a directory; files that were there are as they were");
    assert_eq!(desk.read("file"), "mine");
    // A directory where a file should be: what an earlier run wrote stays.
    desk.succeed(&["run", "small.toml", "--out", "out"]);
    std::fs::remove_file(desk.path("out/passes.csv")).unwrap();
    std::fs::create_dir(desk.path("out/passes.csv")).unwrap();
    let before = desk.files("out");
    let outcome = desk.run(&["run", "small.toml", "--out", "out", "--seed", "9"]);
    assert_eq!(outcome.code, Some(3));
    assert_snapshot!(outcome.err, @"error: out/passes.csv: cannot be written: there is a directory of that name; files that were there are as they were");
    assert!(desk.files("out") == before);
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk() {
    let desk = desk();
    let full = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_evenkeel"))
        .current_dir(desk.path(""))
        .args(["run", "small.toml", "--out", "out"])
        .stdout(full)
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(3));
    assert_snapshot!(String::from_utf8(output.stderr).unwrap(), @"error: standard output: No space left on device (os error 28)");
    assert!(desk.path("out/manifest.json").is_file(), "the files are written by then");
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let desk = desk();
    for arguments in [&["--print-scenario"][..], &["--out", "out"]] {
        let status = std::process::Command::new(env!("CARGO_BIN_EXE_evenkeel"))
            .current_dir(desk.path(""))
            .args(["run", "small.toml"])
            .args(arguments)
            .stdin(std::process::Stdio::null())
            .stdout(closed_pipe())
            .status()
            .unwrap();
        assert_eq!(status.code(), Some(0), "{arguments:?}");
    }
    assert!(desk.path("out/manifest.json").is_file());
}

#[test]
fn paths_are_found_from_anywhere() {
    let trace = SCENARIO
        .replace(
            "kind = \"zipf\"\nshards = 20\nexponent = 0.9",
            "kind = \"trace\"\npath = \"data/t.csv\"",
        )
        .replace("duration = \"60s\"\n", "");
    let desk = Desk::with("my scenarios/ünï.toml", trace);
    desk.write("my scenarios/data/t.csv", "time_s,shard,load\n0,a,1\n0,b,2\n30,a,3\n");
    desk.write("elsewhere/note", "");
    desk.succeed(&["run", "my scenarios/ünï.toml", "--out", "my results/1"]);
    assert!(desk.path("my results/1/manifest.json").is_file());
    let from_below = desk
        .command()
        .current_dir(desk.path("elsewhere"))
        .args(["run", "../my scenarios/ünï.toml"])
        .assert()
        .success();
    drop(from_below);
    assert!(desk.path("elsewhere/results/small/manifest.json").is_file());
    let manifest = desk.read("my results/1/manifest.json");
    assert_eq!(manifest, desk.read("elsewhere/results/small/manifest.json"));
    assert!(manifest.contains("\"data/t.csv\""));
}

/// Scenarios at the edges of what is allowed; each must run to its end, with
/// numbers in every row of its summary.
#[test]
fn the_edges_of_what_is_allowed() {
    let all = "[[policy]]\nkind = \"greedy\"\n\n[[policy]]\nkind = \"naive\"\n\n[[policy]]\nkind = \"ring\"\n\n\
               [[policy]]\nkind = \"jump\"\n\n[[policy]]\nkind = \"mod-n\"";
    let event = |at: &str, kind: &str, host: &str| {
        format!("\n[[cluster.event]]\nat = \"{at}\"\nkind = \"{kind}\"\nhost = \"{host}\"\n")
    };
    let noise = |lines: &str| format!("[workload.noise]\n{lines}\n\n[cluster]");
    let events = |events: &[(&str, &str, &str)]| -> String {
        let events: String = events.iter().map(|(at, kind, host)| event(at, kind, host)).collect();
        format!("hosts = 3\n{events}")
    };
    let cases: Vec<(&str, String)> = vec![
        ("= 0.9", "= 0".to_owned()),
        ("= 0.9", "= 5".to_owned()),
        ("= 0.9", "= 1e300".to_owned()),
        ("= 0.9", "= { low = 0, high = 1e308 }".to_owned()),
        ("= 0.9", "= 0.9\ntotal_load = 0".to_owned()),
        ("= 0.9", "= 0.9\ntotal_load = 1e60".to_owned()),
        ("= 0.9", "= 0.9\ntotal_load = 1e-60".to_owned()),
        (
            "hosts = 3",
            "hosts = [{ name = \"a\", capacity = 1e-60 }, { name = \"b\", capacity = 1e60 }]"
                .to_owned(),
        ),
        ("hosts = 3", "hosts = 1".to_owned()),
        ("hosts = 3", "hosts = 60".to_owned()),
        ("shards = 20", "shards = 1".to_owned()),
        ("[cluster]", noise("kind = \"poisson\"\nunit = 1e-60")),
        ("[cluster]", noise("kind = \"poisson\"\nunit = 1e60")),
        ("[cluster]", noise("kind = \"lognormal\"\nsigma = 0")),
        ("[cluster]", noise("kind = \"lognormal\"\nsigma = 5")),
        ("\"60s\"", "\"1ns\"".to_owned()),
        ("\"10s\"", "\"7s\"".to_owned()),
        ("\"10s\"", "\"10s\"\nwarmup = \"59999999999ns\"".to_owned()),
        ("hosts = 3", "hosts = 3\nheartbeat = \"213503d\"".to_owned()),
        ("hosts = 3", "hosts = 3\nhandover = \"213503d\"".to_owned()),
        ("hosts = 3", "hosts = 3\nhandover = \"0s\"".to_owned()),
        ("hosts = 3", events(&[("0s", "add", "x")])),
        ("hosts = 3", events(&[("0s", "remove", "host-0")])),
        ("hosts = 3", events(&[("60s", "remove", "host-0")])),
        (
            "hosts = 3",
            events(&[
                ("5s", "remove", "host-1"),
                ("20s", "remove", "host-0"),
                ("20s", "add", "host-1"),
                ("20s", "remove", "host-1"),
                ("20s", "add", "host-1"),
            ]),
        ),
        ("hosts = 3", "hosts = [\"ünï, 😀\", \"a\\\"b\", \" \"]".to_owned()),
        ("every = \"30s\"", "every = \"7s\"".to_owned()),
        ("every = \"30s\"", "enabled = false".to_owned()),
    ];
    for (part, by) in cases {
        let mut text = scenario("[[policy]]\nkind = \"greedy\"", all).replacen(part, &by, 1);
        if by == "\"1ns\"" {
            text = text.replace("\"10s\"", "\"1ns\"");
        }
        let desk = Desk::with("small.toml", text);
        desk.succeed(&["run", "small.toml", "--out", "out"]);
        let summary = desk.read("out/summary.csv");
        assert_eq!(summary.lines().count(), 6, "{by}");
        let mut rows = csv::Reader::from_reader(summary.as_bytes());
        let header = rows.headers().unwrap().clone();
        for row in rows.records() {
            for (name, cell) in header.iter().zip(&row.unwrap()) {
                let optional = name.contains("optimum") || name.contains("excess");
                assert!(optional || !cell.is_empty(), "{by}: {name} is empty\n{summary}");
                let number = cell.parse::<f64>().unwrap_or(0.0);
                let is_text = ["scenario", "policy", "digest"].contains(&name);
                assert!(is_text || number.is_finite(), "{by}: {name} is {cell}");
            }
        }
    }
}
