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
        print_message("note", note);
    }
}

/// Prints a message on standard error. Control characters that it quotes do
/// not reach the terminal; that nobody listens is no failure.
pub(super) fn print_message(kind: &str, message: &str) {
    let visible = |c: char| if c.is_control() && c != '\n' { '\u{fffd}' } else { c };
    let message: String = message.chars().map(visible).collect();
    let _ = writeln!(std::io::stderr(), "{kind}: {message}");
}

/// Prints a text on standard error as it is; that nobody listens is no failure.
pub(super) fn print_plain(text: &str) {
    let _ = std::io::stderr().write_all(text.as_bytes());
}
