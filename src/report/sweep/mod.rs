//! What a sweep leaves: tables, plots, a manifest; and how partitions of one are
//! read and joined.

mod info;
mod merge;
mod overview;
mod redraw;
mod tables;

pub use info::{AxisInfo, SweepInfo};
pub use merge::{MergeError, SweepFiles, merge};
pub use overview::overview;
pub use redraw::{redraw_directory, redraw_sweep};
pub use tables::{names, sweep_tables};
