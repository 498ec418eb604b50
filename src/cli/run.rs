//! `evenkeel run`.

use std::path::PathBuf;

use clap::Args;
use evenkeel::experiment::{RunOptions, RunResult, run as run_scenario};
use evenkeel::report::{
    Heading, Tables, check_directory, comparison, manifest, redraw, tables, write_files,
};
use evenkeel::scenario::Scenario;
use serde_json::json;

use super::failure::Failure;
use super::interrupt;
use super::output::{print, print_notes};
use super::progress::progress_bar;
use super::sweep::refuse_unfinished;
use super::timing::Timing;
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
    refuse_unfinished(&out)?;

    let mut timing = Timing::start();
    let lanes = scenario.policies.len() as u64 * u64::from(scenario.run.replications);
    let bar = progress_bar(lanes, "lanes", arguments.quiet);
    let shown = bar.clone();
    interrupt::on_interrupt(move || {
        shown.finish_and_clear();
        "interrupted; nothing was written".to_owned()
    })?;
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
    files.push(timing_file(&timing, &result));
    interrupt::uninterrupted(|| write_files(&out, &files, Some(&manifest)))?;

    if arguments.quiet {
        return Ok(());
    }
    print_notes(&result.notes);
    print(&format!("{}\nwritten to {}\n", comparison(&scenario, &result), out.display()))
}

fn timing_file(timing: &Timing, result: &RunResult) -> (String, Vec<u8>) {
    let reports: u64 = result.lanes.iter().map(|lane| lane.reports).sum();
    let mut rates = json!({ "lanes": result.lanes.len(), "shard_reports": reports });
    if let Some(seconds) = timing.seconds("simulation_s") {
        rates["shard_reports_per_s"] = json!(reports as f64 / seconds);
    }
    timing.file(rates)
}
