//! `evenkeel check`.

use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use evenkeel::experiment::{
    RunOptions, Summaries, Tolerances, check as carry_out, compare, run as run_scenario,
};
use evenkeel::model::InputError;
use evenkeel::report::{
    CheckReport, CheckedScenario, annotations, check_directory, checks_json, checks_junit,
    checks_markdown, checks_text, summary_csv, write_files,
};
use evenkeel::scenario::{Scenario, suggest};

use super::failure::Failure;
use super::interrupt;
use super::output::{print, print_notes, print_plain};
use super::progress::progress_bar;

/// Arguments of `check`.
#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// The scenario files.
    #[arg(required = true, value_name = "SCENARIO")]
    scenarios: Vec<PathBuf>,
    /// Compare with the results of an earlier time, a summary.csv.
    #[arg(long, value_name = "FILE")]
    baseline: Option<PathBuf>,
    /// Write the results for later comparisons.
    #[arg(long, value_name = "FILE")]
    write_baseline: Option<PathBuf>,
    /// How much worse than the baseline counts as unchanged, as a share: of all
    /// metrics (0.01 if it is not given), or of one, as in moves=0.1; may be repeated.
    #[arg(
        long = "tolerance",
        value_name = "[METRIC=]SHARE",
        requires = "baseline",
        allow_negative_numbers = true
    )]
    tolerances: Vec<String>,
    /// Write the outcome as JUnit XML.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the outcome in Markdown.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    /// Print failures as annotations for GitHub Actions too.
    #[arg(long)]
    github: bool,
    /// Change a setting of every scenario, as in policy.greedy.upper_band=1.1; may
    /// be repeated.
    #[arg(long = "set", value_name = "PATH=VALUE")]
    sets: Vec<String>,
    /// Threads to use; by default one for each core. The result is the same.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// What to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
    /// Print nothing but errors and annotations.
    #[arg(long)]
    quiet: bool,
}

/// The form of what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Format {
    /// Text for people.
    #[default]
    Table,
    /// One JSON document.
    Json,
}

pub(super) fn check(arguments: &CheckArguments) -> Result<(), Failure> {
    // All that can be wrong with the input is found before anything is run.
    let scenarios = read_scenarios(arguments)?;
    let tolerances = tolerances(&arguments.tolerances)?;
    let baseline = arguments.baseline.as_deref().map(Summaries::read).transpose()?;
    let outputs = [&arguments.write_baseline, &arguments.junit, &arguments.markdown];
    for path in outputs.into_iter().flatten() {
        check_target(path)?;
    }

    interrupt::on_interrupt(|| "interrupted".to_owned())?;
    let mut report = CheckReport::default();
    let mut now = Summaries::default();
    let mut table = Vec::new();
    for (path, scenario) in &scenarios {
        let lanes = scenario.policies.len() as u64 * u64::from(scenario.run.replications);
        let bar = progress_bar(lanes, "lanes", arguments.quiet);
        let progress = |finished: usize, _: usize| bar.set_position(finished as u64);
        let options = RunOptions {
            threads: arguments.threads.map(usize::from),
            events: false,
            progress: Some(&progress),
        };
        let result = run_scenario(scenario, options)?;
        bar.finish_and_clear();
        if !arguments.quiet {
            print_notes(&result.notes);
        }
        now.add(scenario, &result);
        append_rows(&mut table, summary_csv(scenario, &result));
        report.scenarios.push(CheckedScenario {
            file: path.display().to_string(),
            name: scenario.run.name.clone(),
            checks: carry_out(scenario, &result),
        });
    }
    report.comparison = baseline.map(|baseline| compare(&baseline, &now, &tolerances));

    if let Some(path) = &arguments.write_baseline {
        write(path, table)?;
    }
    if let Some(path) = &arguments.junit {
        write(path, checks_junit(&report))?;
    }
    if let Some(path) = &arguments.markdown {
        write(path, checks_markdown(&report).into_bytes())?;
    }
    print_report(arguments, &report)?;
    match report.passed() {
        true => Ok(()),
        false => Err(Failure::Check(report.verdict())),
    }
}

fn read_scenarios(arguments: &CheckArguments) -> Result<Vec<(&Path, Scenario)>, Failure> {
    let mut scenarios: Vec<(&Path, Scenario)> = Vec::new();
    let compares = arguments.baseline.is_some() || arguments.write_baseline.is_some();
    for path in &arguments.scenarios {
        let scenario = Scenario::read(path, &arguments.sets)?;
        if scenario.checks.is_empty() && !compares {
            let message = "has no [[check]]; write one, or compare with a --baseline";
            return Err(InputError::file(path, message).into());
        }
        let name = &scenario.run.name;
        if let Some((other, _)) = scenarios.iter().find(|(_, other)| other.run.name == *name) {
            let message = format!("has the name `{name}`, which {} has too", other.display());
            return Err(InputError::file(path, message).into());
        }
        scenarios.push((path, scenario));
    }
    Ok(scenarios)
}

fn tolerances(arguments: &[String]) -> Result<Tolerances, Failure> {
    let mut tolerances = Tolerances::default();
    let (single, all): (Vec<_>, Vec<_>) = arguments
        .iter()
        .map(|text| (text, text.split_once('=')))
        .partition(|(_, pair)| pair.is_some());
    let share = |argument: &str, text: &str| match text.trim().parse::<f64>() {
        Ok(share) if share.is_finite() && share >= 0.0 => Ok(share),
        _ => Err(Failure::Input(format!(
            "--tolerance {argument}: `{text}` is not a share; write a number of at least 0, such as \
             0.05 for 5 %"
        ))),
    };
    for (argument, _) in all {
        tolerances.set_all(share(argument, argument)?);
    }
    for (argument, (metric, text)) in
        single.into_iter().filter_map(|(argument, pair)| Some((argument, pair?)))
    {
        let (metric, share) = (metric.trim(), share(argument, text)?);
        if !tolerances.set(metric, share) {
            let help = suggest(metric, &Tolerances::METRICS).unwrap_or_default();
            let message = format!("--tolerance {argument}: unknown metric `{metric}`; {help}");
            return Err(Failure::Input(message));
        }
    }
    Ok(tolerances)
}

/// Adds the rows of a CSV file to another with the same header.
fn append_rows(table: &mut Vec<u8>, file: Vec<u8>) {
    let header = match table.is_empty() {
        true => 0,
        false => file.iter().position(|byte| *byte == b'\n').map_or(file.len(), |end| end + 1),
    };
    table.extend_from_slice(&file[header..]);
}

/// The directory and the name of a file that is to be written.
fn target(path: &Path) -> Result<(&Path, String), Failure> {
    let name = path.file_name().and_then(|name| name.to_str());
    match (path.parent(), name) {
        (Some(directory), Some(name)) => Ok((directory, name.to_owned())),
        _ => Err(Failure::Input(format!("{}: does not name a file", path.display()))),
    }
}

/// Checks, before the work is done, that a file can stand at a path.
fn check_target(path: &Path) -> Result<(), Failure> {
    let (directory, _) = target(path)?;
    // A device, a directory or a link such as /dev/stdout would be replaced, not
    // written to.
    if path.symlink_metadata().is_ok_and(|there| !there.is_file()) {
        let message = format!("{}: is there and is not a regular file", path.display());
        return Err(Failure::Input(message));
    }
    Ok(check_directory(directory)?)
}

fn write(path: &Path, bytes: Vec<u8>) -> Result<(), Failure> {
    let (directory, name) = target(path)?;
    Ok(interrupt::uninterrupted(|| write_files(directory, &[(name, bytes)], None))?)
}

/// Prints the outcome. Beside a JSON document, annotations go to standard error.
fn print_report(arguments: &CheckArguments, report: &CheckReport) -> Result<(), Failure> {
    let commands = if arguments.github { annotations(report) } else { String::new() };
    match arguments.format {
        _ if arguments.quiet => print(&commands),
        Format::Table => print(&format!("{}{commands}", checks_text(report))),
        Format::Json => {
            print_plain(&commands);
            print(&format!("{:#}\n", checks_json(report)))
        }
    }
}
