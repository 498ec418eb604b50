//! `evenkeel run`.

use std::path::PathBuf;
use std::time::Instant;

use clap::Args;
use evenkeel::experiment::{RunOptions, RunResult, run as run_scenario};
use evenkeel::report::{
    Heading, Tables, check_directory, comparison, manifest, redraw, tables, write_files,
};
use evenkeel::scenario::Scenario;
use indicatif::{ProgressBar, ProgressStyle};
use serde_json::json;

use super::failure::Failure;
use super::output::{print, print_notes};
use super::whole::whole;

/// Arguments of `run`.
#[derive(Debug, Args)]
pub(super) struct RunArguments {
    /// The scenario file.
    scenario: PathBuf,
    /// Where to write; by default results/NAME, with the scenario's name.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// The first seed, instead of the scenario's.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u64>)]
    seed: Option<u64>,
    /// Number of seeds, instead of the scenario's.
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = whole::<u32>)]
    replications: Option<u32>,
    /// Threads to use; by default one for each core. The result is the same.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Change a setting, as in policy.greedy.upper_band=1.1; may be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Write the log of all changes of state, events.csv.
    #[arg(long)]
    events: bool,
    /// Print the scenario with every default filled in, and do nothing else.
    #[arg(long)]
    print_scenario: bool,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

pub(super) fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let mut sets = arguments.sets.clone();
    sets.extend(arguments.seed.map(|seed| format!("seed={seed}")));
    sets.extend(arguments.replications.map(|count| format!("replications={count}")));
    let scenario = Scenario::read(&arguments.scenario, &sets)?;
    if arguments.print_scenario {
        return print(&scenario.to_toml());
    }
    let default = || PathBuf::from("results").join(&scenario.run.name);
    let out = arguments.out.clone().unwrap_or_else(default);

    check_directory(&out)?;

    let mut timing = Timing::start();
    let bar = progress_bar(&scenario, arguments.quiet);
    let progress = |finished: usize, _: usize| bar.set_position(finished as u64);
    let options = RunOptions {
        threads: arguments.threads.map(usize::from),
        events: arguments.events,
        progress: Some(&progress),
    };
    let result = run_scenario(&scenario, options)?;
    bar.finish_and_clear();
    timing.mark("simulation_s");

    let mut files = tables(&scenario, &result, arguments.events);
    if scenario.report.plots {
        files.extend(redraw(&Tables::of(Heading::of(&scenario), &files)?)?);
    }
    let manifest = manifest(&scenario, &result, &files)?;
    timing.mark("report_s");
    files.push(timing.file(&result));
    write_files(&out, &files, Some(&manifest))?;

    if arguments.quiet {
        return Ok(());
    }
    print_notes(&result.notes);
    print(&format!("{}\nwritten to {}\n", comparison(&scenario, &result), out.display()))
}

/// A bar on standard error, if that is a terminal.
fn progress_bar(scenario: &Scenario, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let lanes = scenario.policies.len() as u64 * u64::from(scenario.run.replications);
    let bar = ProgressBar::new(lanes);
    if let Ok(style) = ProgressStyle::with_template("{bar:40} {pos}/{len} lanes, {eta} left") {
        bar.set_style(style);
    }
    bar
}

/// Wall times, for timing.json alone.
struct Timing {
    last: Instant,
    marks: Vec<(&'static str, f64)>,
}

#[expect(
    clippy::disallowed_methods,
    reason = "wall times go to timing.json, the only file that differs"
)]
fn wall_clock() -> Instant {
    Instant::now()
}

impl Timing {
    fn start() -> Self {
        Self { last: wall_clock(), marks: Vec::new() }
    }

    fn mark(&mut self, name: &'static str) {
        let now = wall_clock();
        self.marks.push((name, (now - self.last).as_secs_f64()));
        self.last = now;
    }

    fn file(&self, result: &RunResult) -> (String, Vec<u8>) {
        let reports: u64 = result.lanes.iter().map(|lane| lane.reports).sum();
        let mut timing = json!({ "lanes": result.lanes.len(), "shard_reports": reports });
        for (name, seconds) in &self.marks {
            timing[name] = json!(seconds);
        }
        if let Some((_, seconds)) = self.marks.first().filter(|(_, seconds)| *seconds > 0.0) {
            timing["shard_reports_per_s"] = json!(reports as f64 / seconds);
        }
        ("timing.json".to_owned(), format!("{timing:#}\n").into_bytes())
    }
}
