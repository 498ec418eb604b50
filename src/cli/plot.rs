//! `evenkeel plot`.

use std::path::PathBuf;

use clap::Args;
use evenkeel::report::sweep::redraw_directory;
use evenkeel::report::{Tables, redraw, redraw_resize, write_files};

use super::failure::Failure;
use super::output::print;

/// Arguments of `plot`.
#[derive(Debug, Args)]
pub(super) struct PlotArguments {
    /// The directory that a run, a sweep or a change of hosts has written.
    results: PathBuf,
}

pub(super) fn plot(arguments: &PlotArguments) -> Result<(), Failure> {
    let directory = &arguments.results;
    let files = if let Some(files) = redraw_directory(directory)? {
        files
    } else if let Some(files) = redraw_resize(directory)? {
        files
    } else {
        redraw(&Tables::read(directory)?)?
    };
    write_files(directory, &files, None)?;
    let lines: String =
        files.iter().map(|(name, _)| format!("{}\n", directory.join(name).display())).collect();
    print(&lines)
}
