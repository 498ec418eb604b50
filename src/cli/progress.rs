//! Progress on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

/// A bar on standard error, if that is a terminal. `what` names the steps.
pub(super) fn progress_bar(length: u64, what: &str, quiet: bool) -> ProgressBar {
    if quiet {
        return ProgressBar::hidden();
    }
    let bar = ProgressBar::new(length);
    let template = format!("{{bar:40}} {{pos}}/{{len}} {what}, {{eta}} left");
    if let Ok(style) = ProgressStyle::with_template(&template) {
        bar.set_style(style);
    }
    bar
}
