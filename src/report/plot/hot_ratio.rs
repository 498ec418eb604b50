//! How hot the hottest host ran, over time.

use super::axis::Curve;
use super::figure::{Area, BELOW_TITLE, Figure, MARGIN};
use super::series::Series;
use super::style::Look;
use super::time::{self, LABEL_GAP, Line, Stroke, ValueAxis};
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

fn figure(plot: &HotRatioPlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let mut lines: Vec<Line> = plot
        .policies
        .iter()
        .enumerate()
        .map(|(index, series)| Line::new(series, Stroke::Policy(Look::of(index))))
        .collect();
    let policies = lines.len();
    lines.extend(plot.optimum.iter().map(|series| Line::new(series, Stroke::Dashed)));
    lines.extend(plot.floor.iter().map(|series| Line::new(series, Stroke::Dotted)));

    let height = 500.0_f64.max(BELOW_TITLE + 100.0 + LABEL_GAP * lines.len() as f64);
    let mut figure = Figure::new(960.0, height, &plot.title, &plot.subtitle);
    let area = Area {
        left: MARGIN,
        top: BELOW_TITLE,
        right: figure.width - MARGIN,
        bottom: height - 30.0,
    };
    let Some((lowest, highest)) = time::value_range(&lines) else {
        figure.note(area, "No samples of hot_ratio to draw");
        return Ok(figure);
    };
    let above_perfect = |line: &Line| line.last().map_or(f64::NAN, |last| last - 1.0);
    let curve =
        Curve::for_values(lines.iter().map(above_perfect).chain([(highest - 1.0).max(0.0)]));
    let (low, high) = range(lowest, highest, curve);
    let axis = ValueAxis {
        label: match curve {
            Curve::Linear => "hot_ratio: utilisation of the hottest host / of the fleet",
            Curve::SquareRoot => {
                "hot_ratio: utilisation of the hottest host / of the fleet (square-root scale)"
            }
        },
        curve,
        origin: 1.0,
        low,
        high,
        whole: false,
        format: |value| number::fixed(value, 2),
    };
    time::draw(&mut figure, area, &lines, &axis);
    let mut caption = time::reading(&lines[..policies]);
    caption.push_str("Numbers: mean at the end. 1 is a perfect balance.");
    figure.caption(&caption);
    Ok(figure)
}

/// The axis starts at 1, perfect balance, unless that would leave most of it
/// empty.
fn range(lowest: f64, highest: f64, curve: Curve) -> (f64, f64) {
    let starts_at_one = curve == Curve::SquareRoot || lowest - 1.0 <= 2.0 * (highest - lowest);
    let spread = (highest - lowest).max(0.02);
    let low = if starts_at_one { lowest.min(1.0) } else { lowest - 0.1 * spread };
    (low, highest.max(low + 0.1) + 0.03 * spread)
}
