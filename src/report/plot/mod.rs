//! Plots of a run as SVG and PNG files.
//!
//! Each plot is a function from plain data to the bytes of a file. The data
//! never make it fail: gaps stay gaps, an empty plot says so. The same data give
//! the same bytes on every machine: the font is shipped with the program, ticks
//! are computed without logarithms and powers, and nothing depends on the
//! clock.
//!
//! ```
//! use evenkeel::report::plot::{Format, MovesPlot, Sample, Series, moves};
//!
//! let lane = vec![
//!     Sample { time_s: 0.0, value: 0.0 },
//!     Sample { time_s: 60.0, value: 12.0 },
//!     Sample { time_s: 120.0, value: 14.0 },
//! ];
//! let plot = MovesPlot {
//!     title: "Moves".into(),
//!     subtitle: "2 hosts, 20 shards".into(),
//!     policies: vec![Series { name: "greedy".into(), lanes: vec![lane] }],
//! };
//! let svg = moves(&plot, Format::Svg)?;
//! assert!(svg.starts_with(b"<svg"));
//! # Ok::<(), evenkeel::report::plot::PlotError>(())
//! ```

mod axis;
mod claim;
mod cumulative;
mod excess;
mod figure;
mod font;
mod hosts;
mod hot_ratio;
mod labels;
mod moves;
mod number;
mod profile;
mod render;
mod resize;
mod series;
mod steps;
mod style;
mod sweep;
#[cfg(test)]
mod tests;
mod time;

pub use claim::{ClaimPanel, ClaimPlot, ClaimRow, claim};
pub use cumulative::{CumulativePlot, PolicyCurves, cumulative};
pub use excess::{ExcessPlot, PolicyExcess, excess};
pub use hosts::{HostBar, HostsPanel, HostsPlot, hosts};
pub use hot_ratio::{HotRatioPlot, hot_ratio};
pub use moves::{MovesPlot, moves};
pub use resize::{ResizePlot, ResizePlotRow, resize};
pub use series::{Sample, Series};
pub use sweep::{
    FrontMark, FrontPlot, OnFront, SweepAxis, SweepMark, SweepPlot, sweep_front, sweep_over_axes,
};

/// The file format of a plot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// Scalable Vector Graphics; text stays text.
    Svg,
    /// Portable Network Graphics, at two pixels for one of the SVG.
    Png,
}

/// Why a plot could not be drawn.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PlotError {
    /// The font shipped with the program does not load: a broken build.
    #[error("the font shipped for plots cannot be loaded")]
    Font,
    /// A drawing backend failed.
    #[error("the plot cannot be drawn: {0}")]
    Drawing(String),
    /// The PNG encoder failed.
    #[error("the plot cannot be written as PNG: {0}")]
    Png(#[from] png::EncodingError),
}

impl PlotError {
    fn drawing(error: impl std::error::Error) -> Self {
        PlotError::Drawing(error.to_string())
    }
}
