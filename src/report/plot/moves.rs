//! How many shards were moved, over time.

use super::axis::Curve;
use super::figure::{Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN};
use super::series::Series;
use super::time::{self, Line, Lines, ValueAxis};
use super::{Format, PlotError, number, render};

/// What the plot of moves shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MovesPlot {
    /// The headline.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// Moves since the start of every policy, in the order of declaration.
    pub policies: Vec<Series>,
}

/// Draws cumulative moves over time: means as step lines, ranges over seeds as
/// bands. Policies that never move lie on zero and are labelled so.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn moves(plot: &MovesPlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

pub(super) fn figure(plot: &MovesPlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let mut lines = Lines::of_policies(&plot.policies);
    lines.settle();
    let height = BELOW_TITLE + lines.height(404.0) + BELOW_PANEL;
    let mut figure = Figure::new(960.0, height, &plot.title, &plot.subtitle);
    let area = Area {
        left: MARGIN,
        top: BELOW_TITLE,
        right: figure.width - MARGIN,
        bottom: height - BELOW_PANEL,
    };
    let Some((_, most)) = lines.value_range() else {
        figure.note(area, "No samples of moves to draw");
        return Ok(figure);
    };
    let curve = Curve::for_values(lines.iter().filter_map(Line::last), most);
    let axis = ValueAxis {
        label: match curve {
            Curve::Linear => "moves since the start",
            Curve::Log => "moves since the start (log scale that includes 0)",
        },
        curve,
        origin: 0.0,
        low: 0.0,
        high: (most * 1.03).max(1.0),
        whole: true,
        format: number::count,
    };
    time::draw(&mut figure, area, &lines, &axis);
    figure.caption(&format!("{} Numbers: mean at the end.", lines.reading()));
    Ok(figure)
}
