//! `evenkeel completions`.

use clap::{Args, CommandFactory};
use clap_complete::Shell;

use super::failure::Failure;
use super::output::print;

/// Arguments of `completions`.
#[derive(Debug, Args)]
pub(super) struct CompletionsArguments {
    /// The shell.
    shell: Shell,
}

pub(super) fn completions(arguments: &CompletionsArguments) -> Result<(), Failure> {
    let mut script = Vec::new();
    clap_complete::generate(
        arguments.shell,
        &mut super::Arguments::command(),
        "evenkeel",
        &mut script,
    );
    print(&String::from_utf8_lossy(&script))
}
