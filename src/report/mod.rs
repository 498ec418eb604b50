//! What a run leaves for its reader: CSV tables, plots, a table for the
//! terminal, and a manifest.

mod check;
mod fan_out;
mod files;
mod manifest;
mod plan;
pub mod plot;
mod redraw;
mod reproduce;
mod resize;
mod rows;
pub mod sweep;
mod tables;
mod terminal;

pub use check::{
    CheckReport, CheckedScenario, annotations, checks_json, checks_junit, checks_markdown,
    checks_text,
};
pub use fan_out::{FanOutRow, fan_out_csv, fan_out_json, fan_out_table};
pub use files::{NamedBytes, WriteError, check_directory, write_files};
pub use manifest::{MANIFEST, manifest};
pub use plan::{optimum_json, optimum_moves_csv, plan_json, plan_moves_csv};
pub use redraw::{Heading, RedrawError, Tables, redraw};
pub use reproduce::{claim_list, claim_plots, differences, reproduction, verdict_table};
pub use resize::{ResizeFiles, redraw_resize, resize_csv, resize_files, resize_json, resize_table};
pub use tables::{names, summary_csv, tables};
pub use terminal::{Grid, comparison, count, headline, rounded, size};
