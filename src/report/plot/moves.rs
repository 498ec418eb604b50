//! How many shards were moved, over time.

use super::axis::Curve;
use super::figure::{Area, BELOW_TITLE, Figure, MARGIN};
use super::series::Series;
use super::style::Look;
use super::time::{self, LABEL_GAP, Line, Stroke, ValueAxis};
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

fn figure(plot: &MovesPlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let lines: Vec<Line> = plot
        .policies
        .iter()
        .enumerate()
        .map(|(index, series)| Line::new(series, Stroke::Policy(Look::of(index))))
        .collect();
    let height = 500.0_f64.max(BELOW_TITLE + 100.0 + LABEL_GAP * lines.len() as f64);
    let mut figure = Figure::new(960.0, height, &plot.title, &plot.subtitle);
    let area = Area {
        left: MARGIN,
        top: BELOW_TITLE,
        right: figure.width - MARGIN,
        bottom: height - 30.0,
    };
    let Some((_, most)) = time::value_range(&lines) else {
        figure.note(area, "No samples of moves to draw");
        return Ok(figure);
    };
    let curve = Curve::for_values(lines.iter().filter_map(Line::last).chain([most]));
    let axis = ValueAxis {
        label: match curve {
            Curve::Linear => "moves since the start",
            Curve::SquareRoot => "moves since the start (square-root scale)",
        },
        curve,
        origin: 0.0,
        low: 0.0,
        high: (most * 1.03).max(1.0),
        whole: true,
        format: number::count,
    };
    time::draw(&mut figure, area, &lines, &axis);
    let mut caption = time::reading(&lines);
    caption.push_str("Numbers: mean at the end.");
    figure.caption(&caption);
    Ok(figure)
}
