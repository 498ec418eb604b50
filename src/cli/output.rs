//! Printing to standard output.

use std::io::{ErrorKind, Write};

use clap::ValueEnum;

use super::failure::Failure;

/// The form of what is printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(super) enum Format {
    /// Text for people.
    #[default]
    Table,
    /// One JSON document.
    Json,
    /// A CSV table.
    Csv,
}

/// Prints a text. A reader that has gone (`| head`) is no failure.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = std::io::stdout().lock();
    out.write_all(text.as_bytes()).and_then(|()| out.flush()).map_err(|error| match error.kind() {
        ErrorKind::BrokenPipe => Failure::ReaderGone,
        _ => Failure::Work(format!("standard output: {error}")),
    })
}

/// Prints notes for people on standard error.
pub(super) fn print_notes(notes: &[String]) {
    for note in notes {
        eprintln!("note: {note}");
    }
}
