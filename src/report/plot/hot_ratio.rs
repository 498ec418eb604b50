//! How hot the hottest host ran, over time.

use super::axis::Curve;
use super::figure::{Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN};
use super::series::Series;
use super::time::{self, Line, Lines, Stroke, ValueAxis};
use super::{Format, PlotError, number, render};

/// What the plot of hot_ratio shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HotRatioPlot {
    /// The headline.
    pub title: String,
    /// A line below it: the scenario's size and seeds, for example.
    pub subtitle: String,
    /// hot_ratio of every policy, in the order of declaration.
    pub policies: Vec<Series>,
    /// The best any assignment could do, if it was probed.
    pub optimum: Option<Series>,
    /// What no assignment can beat.
    pub floor: Option<Series>,
}

/// Draws hot_ratio over time: means as step lines, ranges over seeds as bands,
/// the optimum dashed and the floor dotted.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn hot_ratio(plot: &HotRatioPlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

pub(super) fn figure(plot: &HotRatioPlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let mut lines = Lines::of_policies(&plot.policies);
    plot.optimum.iter().for_each(|series| lines.add(series, Stroke::Dashed));
    plot.floor.iter().for_each(|series| lines.add(series, Stroke::Dotted));
    lines.settle();
    let height = BELOW_TITLE + lines.height(404.0) + BELOW_PANEL;
    let mut figure = Figure::new(960.0, height, &plot.title, &plot.subtitle);
    let area = Area {
        left: MARGIN,
        top: BELOW_TITLE,
        right: figure.width - MARGIN,
        bottom: height - BELOW_PANEL,
    };
    let Some((lowest, highest)) = lines.value_range() else {
        figure.note(area, "No samples of hot_ratio to draw");
        return Ok(figure);
    };
    let above_perfect = |line: &Line| line.last().map_or(f64::NAN, |last| last - 1.0);
    let curve = Curve::for_values(lines.iter().map(above_perfect), highest - 1.0);
    let (low, high) = range(lowest, highest, curve);
    let axis = ValueAxis {
        label: match curve {
            Curve::Linear => "hot_ratio: utilisation of the hottest host / of the fleet",
            Curve::Log => "hot_ratio: utilisation of the hottest host / of the fleet (log scale)",
        },
        curve,
        origin: 1.0,
        low,
        high,
        whole: false,
        format: |value| number::fixed(value, 2),
    };
    time::draw(&mut figure, area, &lines, &axis);
    let reading = lines.reading();
    figure.caption(&format!("{reading} Numbers: mean at the end. 1 is perfect balance."));
    Ok(figure)
}

/// The axis starts at 1, perfect balance, unless that would leave most of it
/// empty; lines that hardly move are shown far from an axis rather than
/// magnified, as long as 1 is near.
fn range(lowest: f64, highest: f64, curve: Curve) -> (f64, f64) {
    let spread = highest - lowest;
    let is_flat = spread <= 0.01 * highest && lowest <= 3.0;
    if curve == Curve::Log || is_flat || lowest - 1.0 <= 2.0 * spread {
        let low = lowest.min(1.0);
        return (low, highest.max(low + 0.1) + (0.03 * spread).max(0.01));
    }
    let room = (0.1 * spread).max(0.01 * highest);
    (lowest - room, highest + room)
}
