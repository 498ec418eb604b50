//! `evenkeel merge`.

use std::path::PathBuf;

use clap::Args;
use evenkeel::experiment::sweep::Analysis;
use evenkeel::report::sweep::{SweepFiles, merge as join};
use evenkeel::report::{check_directory, write_files};

use super::failure::Failure;
use super::interrupt::{on_interrupt, uninterrupted};
use super::sweep::{files, lock, refuse_unfinished, show};

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// The directories of all partitions of a sweep, in any order.
    #[arg(required = true, value_name = "DIR")]
    parts: Vec<PathBuf>,
    /// Where to write; by default results/NAME, with the sweep's name.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Print nothing but errors.
    #[arg(long)]
    quiet: bool,
}

pub(super) fn merge(arguments: &MergeArguments) -> Result<(), Failure> {
    let mut parts = Vec::new();
    for directory in &arguments.parts {
        refuse_unfinished(directory)?;
        let part = SweepFiles::open(directory)?.ok_or_else(|| {
            Failure::Input(format!("{}: holds no finished part of a sweep", directory.display()))
        })?;
        parts.push(part);
    }
    let (info, rows) = join(&parts)?;
    let default = || PathBuf::from("results").join(&info.sweep);
    let out = arguments.out.clone().unwrap_or_else(default);
    check_directory(&out)?;
    let is_out = |part: &&PathBuf| {
        part.canonicalize().is_ok_and(|part| out.canonicalize().is_ok_and(|out| out == part))
    };
    if let Some(part) = arguments.parts.iter().find(is_out) {
        let message =
            format!("{}: is a part; write to another directory with --out", part.display());
        return Err(Failure::Input(message));
    }
    refuse_unfinished(&out)?;
    on_interrupt(|| "interrupted; nothing was written".to_owned())?;
    let analysis = Analysis::of(&rows);
    let files = files(&info, &rows, &analysis)?;
    let manifest = info.manifest(&files);
    std::fs::create_dir_all(&out)
        .map_err(|error| Failure::Work(format!("{}: cannot be made: {error}", out.display())))?;
    let _lock = lock(&out)?;
    uninterrupted(|| write_files(&out, &files, Some(&manifest)))?;
    show(&info, &rows, analysis, &out, arguments.quiet)
}
