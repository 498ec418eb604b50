//! `evenkeel plot`.

use std::path::PathBuf;

use clap::Args;
use evenkeel::report::sweep::redraw_directory;
use evenkeel::report::{Tables, redraw, write_files};

use super::failure::Failure;
use super::output::print;

/// Arguments of `plot`.
#[derive(Debug, Args)]
pub(super) struct PlotArguments {
    /// The directory that a run or a sweep has written.
    results: PathBuf,
}

pub(super) fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let files = match redraw_directory(&arguments.results)? {
        Some(files) => files,
        None => redraw(&Tables::read(&arguments.results)?)?,
    };
    write_files(&arguments.results, &files, None)?;
    let lines: String = files
        .iter()
        .map(|(name, _)| format!("{}\n", arguments.results.join(name).display()))
        .collect();
    print(&lines)
}
