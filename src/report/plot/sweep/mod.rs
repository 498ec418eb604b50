//! Plots of a sweep: a quantity along one axis, over two, or in panels over
//! three, and the Pareto front.

mod front;
mod lines;
mod map;
mod ramp;
#[cfg(test)]
pub(super) mod tests;
mod values;

use super::figure::Figure;
use super::{Format, PlotError, render};

pub use front::{FrontMark, FrontPlot, OnFront, sweep_front};
pub use values::{SweepAxis, SweepMark, SweepPlot};

/// Draws a quantity over the axes of a sweep: lines with intervals for one axis,
/// heat maps for two, small multiples of them for three. More have no plot.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn sweep_over_axes(plot: &SweepPlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

pub(super) fn figure(plot: &SweepPlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    Ok(match plot.axes.len() {
        1 => lines::figure(plot),
        _ => map::figure(plot),
    })
}
