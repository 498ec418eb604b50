//! `evenkeel sweep`.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use clap::Args;
use evenkeel::experiment::RunError;
use evenkeel::experiment::sweep::{
    Analysis, Header, Journal, Lock, LockError, Partition, PointRows, Unit, Work, rows, warnings,
};
use evenkeel::report::sweep::{SweepFiles, SweepInfo, overview, redraw_sweep, sweep_tables};
use evenkeel::report::{NamedBytes, check_directory, write_files};
use evenkeel::scenario::Sweep;
use rayon::{ThreadPool, ThreadPoolBuilder};
use serde_json::json;

use super::failure::Failure;
use super::interrupt::{on_interrupt, uninterrupted};
use super::output::{print, print_message};
use super::progress::progress_bar;
use super::timing::Timing;

/// Arguments of `sweep`.
#[derive(Debug, Args)]
pub(super) struct SweepArguments {
    /// The sweep file.
    sweep: PathBuf,
    /// Where to write; by default results/NAME, with the sweep's name.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Threads to use; by default one for each core. The result is the same.
    #[arg(long, value_name = "N", allow_negative_numbers = true,
          value_parser = clap::value_parser!(u16).range(1..=1024))]
    threads: Option<u16>,
    /// Run every N-th unit from the K-th on; `evenkeel merge` joins the parts.
    #[arg(long, value_name = "K/N", default_value_t = Partition::WHOLE, hide_default_value = true)]
    partition: Partition,
    /// Go on with what an interrupted sweep has left in the output directory.
    #[arg(long)]
    resume: bool,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

/// The journal of unfinished work in an output directory.
const JOURNAL: &str = "units.journal";

/// What stands in an output directory.
enum State {
    /// No sweep that matters.
    Free,
    /// Units of this sweep.
    Begun,
    /// This sweep is finished.
    Finished(Box<SweepFiles>),
}

pub(super) fn sweep(arguments: &SweepArguments) -> Result<(), Failure> {
    let sweep = Sweep::read(&arguments.sweep)?;
    let out = arguments.out.clone().unwrap_or_else(|| PathBuf::from("results").join(&sweep.name));
    check_directory(&out)?;
    let mut timing = Timing::start();
    let pool = pool(arguments.threads)?;
    let partition = arguments.partition;
    let work = Work::of(&sweep, &pool)?;
    let units: Vec<u64> = work.units(partition).collect();
    if units.is_empty() {
        let message = format!("--partition {partition} has no unit: the sweep has fewer");
        return Err(Failure::Input(message));
    }
    let info = SweepInfo::of(&sweep, &work, partition)?;
    let header = Header::new(info.identity.clone(), partition);
    // Looked at before anything is touched, and again when nobody else may.
    state(&out, &header, arguments.resume)?;
    std::fs::create_dir_all(&out).map_err(|error| not_made(&out, &error))?;
    let _lock = lock(&out)?;
    let journal = match state(&out, &header, arguments.resume)? {
        State::Finished(files) => {
            let rows = files.rows()?;
            return show(&info, &rows, Analysis::of(&rows), &out, arguments.quiet);
        }
        State::Free => (Journal::create(&out.join(JOURNAL), &header)?, Vec::new()),
        State::Begun => match Journal::open(&out.join(JOURNAL))? {
            Some((journal, _, units)) => (journal, units),
            None => return Err(Failure::Work(format!("{JOURNAL} has gone"))),
        },
    };
    timing.mark("check_s");
    let finished = run(&work, &units, &pool, journal, arguments.quiet)?;
    let run_now = finished.run_now;
    timing.mark("units_s");

    let rows = rows(&work, partition, &finished.units);
    let analysis = Analysis::of(&rows);
    let mut files = files(&info, &rows, &analysis)?;
    let manifest = info.manifest(&files);
    timing.mark("report_s");
    files.push(timing_file(&timing, &work, run_now, pool.current_num_threads()));
    uninterrupted(|| {
        write_files(&out, &files, Some(&manifest))?;
        std::fs::remove_file(out.join(JOURNAL)).map_err(|error| {
            Failure::Work(format!("{}: cannot be removed: {error}", out.join(JOURNAL).display()))
        })
    })?;
    show(&info, &rows, analysis, &out, arguments.quiet)
}

/// So many threads, or one for each core.
fn pool(threads: Option<u16>) -> Result<ThreadPool, Failure> {
    let threads = threads.map_or(0, usize::from);
    Ok(ThreadPoolBuilder::new().num_threads(threads).build().map_err(RunError::from)?)
}

fn not_made(out: &Path, error: &std::io::Error) -> Failure {
    Failure::Work(format!("{}: cannot be made: {error}", out.display()))
}

/// Keeps others out of a directory.
pub(super) fn lock(out: &Path) -> Result<Lock, Failure> {
    Lock::take(out).map_err(|error| {
        let message = format!("{} {error}", out.display());
        match error {
            LockError::InUse => Failure::Input(message),
            LockError::File(_) => Failure::Work(message),
        }
    })
}

/// What stands in the directory, if it can be used.
fn state(out: &Path, header: &Header, resume: bool) -> Result<State, Failure> {
    let path = out.join(JOURNAL);
    let refuse = |why: String| {
        Err(Failure::Input(format!(
            "{}: {why}; write to another directory with --out, or remove this one to begin anew",
            out.display()
        )))
    };
    let other = |found: &Header| {
        header.identity.difference(&found.identity).or_else(|| {
            (header.partition != found.partition)
                .then(|| format!("is partition {}, not {}", found.partition, header.partition))
        })
    };
    if let Some(found) = Journal::header(&path)? {
        return match other(&found) {
            Some(difference) if resume => refuse(format!("what is begun there {difference}")),
            None if resume => Ok(State::Begun),
            _ => refuse("holds a sweep that is not finished; go on with --resume".to_owned()),
        };
    }
    if !resume {
        return Ok(State::Free);
    }
    let Some(files) = SweepFiles::open(out)? else { return Ok(State::Free) };
    let found = Header::new(files.info.identity.clone(), files.info.partition);
    match other(&found) {
        Some(difference) => refuse(format!("what is finished there {difference}")),
        None => Ok(State::Finished(Box::new(files))),
    }
}

/// Refuses a directory with unfinished work.
pub(super) fn refuse_unfinished(out: &Path) -> Result<(), Failure> {
    if !out.join(JOURNAL).exists() {
        return Ok(());
    }
    let message = format!("{}: holds a sweep that is not finished", out.display());
    Err(Failure::Input(message + "; go on with evenkeel sweep --resume"))
}

/// Units by their place in the partition, and how many were run just now.
struct Finished {
    units: Vec<Option<Unit>>,
    run_now: usize,
}

/// Runs what the journal does not hold yet.
fn run(
    work: &Work<'_>,
    units: &[u64],
    pool: &ThreadPool,
    (journal, done): (Journal, Vec<Unit>),
    quiet: bool,
) -> Result<Finished, Failure> {
    let mut finished: Vec<Option<Unit>> = vec![None; units.len()];
    for unit in done {
        if let Ok(place) = units.binary_search(&unit.index) {
            finished[place] = Some(unit);
        }
    }
    let left: Vec<u64> =
        units.iter().zip(&finished).filter(|(_, unit)| unit.is_none()).map(|(u, _)| *u).collect();
    let run_now = left.len();
    let total = units.len() as u64;
    let count = Arc::new(AtomicU64::new(total - run_now as u64));
    let bar = progress_bar(total, "units", quiet);
    bar.set_position(count.load(Ordering::Relaxed));
    bar.reset_eta();
    let (shown, counted) = (bar.clone(), Arc::clone(&count));
    on_interrupt(move || {
        shown.finish_and_clear();
        let kept = counted.load(Ordering::Relaxed);
        format!("interrupted; {kept} of {total} units are kept: go on with --resume")
    })?;
    let kept = Mutex::new((journal, &mut finished));
    let keep = |unit: Unit| {
        let mut kept = kept.lock().unwrap_or_else(PoisonError::into_inner);
        uninterrupted(|| kept.0.append(&unit))?;
        if let Ok(place) = units.binary_search(&unit.index) {
            kept.1[place] = Some(unit);
        }
        bar.set_position(count.fetch_add(1, Ordering::Relaxed) + 1);
        Ok(())
    };
    work.run(left, pool, &keep)?;
    drop(kept);
    bar.finish_and_clear();
    Ok(Finished { units: finished, run_now })
}

/// Tables and plots. A partition has no plots, as it has no statistics.
pub(super) fn files(
    info: &SweepInfo,
    rows: &[PointRows],
    analysis: &Analysis,
) -> Result<Vec<NamedBytes>, Failure> {
    if info.partition.of > 1 {
        return Ok(sweep_tables(info, rows, None));
    }
    let mut files = sweep_tables(info, rows, Some(analysis));
    let plots = redraw_sweep(info, &files)?;
    files.extend(plots);
    Ok(files)
}

/// Says what a sweep came to.
pub(super) fn show(
    info: &SweepInfo,
    rows: &[PointRows],
    analysis: Analysis,
    out: &Path,
    quiet: bool,
) -> Result<(), Failure> {
    if quiet {
        return Ok(());
    }
    if info.left_out > 0 {
        let message = format!("`where` left {} points of the design out", info.left_out);
        print_message("note", &message);
    }
    if info.partition.of > 1 {
        let text = format!(
            "partition {} is written to {}; join all with evenkeel merge\n",
            info.partition,
            out.display()
        );
        return print(&text);
    }
    for warning in warnings(rows, info.seeds.len()) {
        print_message("warning", &warning);
    }
    print(&format!("{}\nwritten to {}\n", overview(info, rows, &analysis), out.display()))
}

fn timing_file(timing: &Timing, work: &Work<'_>, units: usize, threads: usize) -> NamedBytes {
    let mut rates = json!({
        "points": work.points().len(),
        "seeds": work.seeds().len(),
        "units_run": units,
        "threads": threads,
    });
    if let Some(seconds) = timing.seconds("units_s") {
        rates["units_per_s"] = json!(units as f64 / seconds);
        rates["units_per_s_and_thread"] = json!(units as f64 / seconds / threads as f64);
    }
    timing.file(rates)
}
