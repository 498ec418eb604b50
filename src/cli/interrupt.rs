//! Ctrl-C: the program ends at once, but never in the middle of writing.

use std::sync::{Mutex, PoisonError};

use super::failure::Failure;
use super::output::print_message;

/// The exit code of an interrupted program.
const INTERRUPTED: i32 = 130;

/// Held while files are written.
static WRITING: Mutex<()> = Mutex::new(());

/// Ends the program with exit code 130 on Ctrl-C, after a message. Work in flight
/// is dropped.
pub(super) fn on_interrupt(message: impl Fn() -> String + Send + 'static) -> Result<(), Failure> {
    ctrlc::set_handler(move || {
        let _nothing_is_written = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
        print_message("note", &message());
        std::process::exit(INTERRUPTED);
    })
    .map_err(|error| Failure::Work(format!("Ctrl-C cannot be listened for: {error}")))
}

/// Writes something that is whole or not there.
pub(super) fn uninterrupted<T>(write: impl FnOnce() -> T) -> T {
    let _end_waits = WRITING.lock().unwrap_or_else(PoisonError::into_inner);
    write()
}
