//! How far each policy is from the optimum.

use super::axis::{Curve, Scale};
use super::figure::{Align, Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN};
use super::font::OTHER_FONTS;
use super::series::{Sample, Series, Spread};
use super::style::{AXIS, GRID, HEADING, LABEL, Look, MIDDLE, MUTED, TICK};
use super::time::{self, Lines, ValueAxis};
use super::{Format, PlotError, number, render};

/// What the plot of the excess shows. Excess is hot_ratio / optimum - 1, as a
/// share: 0.1 is drawn as 10 %.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ExcessPlot {
    /// The headline.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// The policies, in the order of declaration.
    pub policies: Vec<PolicyExcess>,
}

/// The excess of one policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyExcess {
    /// The policy's name.
    pub policy: String,
    /// Mean over the run, one for each seed; NaN where it is not known.
    pub seed_means: Vec<f64>,
    /// At every probe, one lane for each seed; may be empty.
    pub over_time: Vec<Vec<Sample>>,
}

/// Draws the mean excess of every seed, one row a policy, and below it the
/// excess over time.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn excess(plot: &ExcessPlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

const WIDTH: f64 = 960.0;
/// Height of the row of one policy.
const ROW: f64 = 28.0;
/// Room above the rows for their heading, and below for ticks and label.
const ABOVE: f64 = 24.0;
const BELOW: f64 = 48.0;
const NAME_ROOM: f64 = 170.0;

pub(super) fn figure(plot: &ExcessPlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let mut lines = Lines::of_policies(&in_percent(&plot.policies));
    lines.settle();
    let over_time = lines.value_range();
    let rows_height = ABOVE + ROW * plot.policies.len().max(3) as f64 + BELOW;
    let time_height = if over_time.is_some() { lines.height(300.0) } else { 0.0 };
    let height = BELOW_TITLE + rows_height + time_height + BELOW_PANEL;
    let mut figure = Figure::new(WIDTH, height, &plot.title, &plot.subtitle);
    let right = WIDTH - MARGIN;
    let bottom = BELOW_TITLE + rows_height;
    let area = Area { left: MARGIN, top: BELOW_TITLE, right, bottom };

    let rows: Vec<Spread> = plot
        .policies
        .iter()
        .map(|policy| Spread::of(0.0, policy.seed_means.iter().map(|share| share * 100.0)))
        .collect();
    let extremes = rows.iter().flat_map(|row| [row.low, row.high]).filter(|v| v.is_finite());
    let known: Vec<f64> = extremes.collect();
    // One curve for both panels, bent when either needs it.
    let highest = known.iter().copied().chain(over_time.map(|(_, high)| high));
    let highest = highest.fold(0.0, f64::max);
    let curves = [
        Curve::for_values(rows.iter().map(|row| row.mean), highest),
        Curve::for_values(lines.iter().filter_map(time::Line::last), highest),
    ];
    let curve = if curves.contains(&Curve::Log) { Curve::Log } else { Curve::Linear };
    if known.is_empty() && over_time.is_none() {
        figure.note(area, "No excess to draw: the optimum was not probed");
        return Ok(figure);
    }
    if known.is_empty() {
        figure.note(area, "No means over the run to draw");
    } else {
        draw_rows(&mut figure, area, &plot.policies, &rows, (curve, &known));
    }
    if let Some((lowest, highest)) = over_time {
        let below = Area { top: bottom, bottom: height - BELOW_PANEL, ..area };
        let axis = ValueAxis {
            label: match curve {
                Curve::Linear => "excess over the optimum over time (%)",
                Curve::Log => "excess over the optimum over time (%, log scale that includes 0)",
            },
            curve,
            origin: 0.0,
            low: lowest.min(0.0),
            high: (highest * 1.03).max(1.0),
            whole: false,
            format: |percent| number::percent(percent / 100.0),
        };
        time::draw(&mut figure, below, &lines, &axis);
    }
    let reading = lines.reading();
    figure.caption(&format!("Excess: hot_ratio / optimum − 1. Dots: seeds. {reading}"));
    Ok(figure)
}

fn in_percent(policies: &[PolicyExcess]) -> Vec<Series> {
    let percent = |sample: &Sample| Sample { value: sample.value * 100.0, ..*sample };
    let series = |policy: &PolicyExcess| Series {
        name: policy.policy.clone(),
        lanes: policy.over_time.iter().map(|lane| lane.iter().map(percent).collect()).collect(),
    };
    policies.iter().map(series).collect()
}

fn draw_rows(
    figure: &mut Figure,
    area: Area,
    policies: &[PolicyExcess],
    rows: &[Spread],
    (curve, known): (Curve, &[f64]),
) {
    let names: Vec<String> =
        policies.iter().map(|policy| HEADING.fit(&policy.policy, NAME_ROOM)).collect();
    let texts: Vec<(String, String)> = rows.iter().map(text_of).collect();
    let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max) * OTHER_FONTS;
    let name_width = widest(&mut names.iter().map(|name| HEADING.width(name)));
    let mean_width = widest(&mut texts.iter().map(|(mean, _)| HEADING.width(mean)));
    let range_width = widest(&mut texts.iter().map(|(_, range)| LABEL.width(range)));
    let inner = Area {
        left: area.left + 20.0 + name_width + 14.0,
        top: area.top + ABOVE,
        right: area.right - mean_width - range_width - 34.0,
        bottom: area.bottom - BELOW,
    };
    let highest = known.iter().copied().fold(0.0, f64::max);
    let lowest = known.iter().copied().fold(0.0, f64::min);
    let range = (lowest, (highest * 1.03).max(1.0));
    let x = Scale::new(curve, 0.0, range, (inner.left, inner.right));
    for tick in x.ticks(64.0, false) {
        let at = x.at(tick.value);
        figure.line((at, inner.top), (at, inner.bottom), GRID, 1.0);
        figure.text((at, inner.bottom + 16.0), &tick.label, TICK, Align::Middle);
    }
    let zero = x.at(0.0);
    figure.line((zero, inner.top), (zero, inner.bottom), AXIS, 1.0);
    let title = match curve {
        Curve::Linear => "mean excess over the optimum (%)",
        Curve::Log => "mean excess over the optimum (%, log scale that includes 0)",
    };
    figure.text((area.left, area.top + 10.0), title, TICK, Align::Start);

    for (index, (policy, row)) in policies.iter().zip(rows).enumerate() {
        let middle = inner.top + ROW * (index as f64 + 0.5);
        let baseline = middle + MIDDLE * HEADING.em;
        let look = Look::of(index);
        look.mark(figure, (area.left + 6.0, middle), 4.0);
        figure.text((area.left + 20.0, baseline), &names[index], HEADING, Align::Start);
        let (mean, spread) = &texts[index];
        let mean_at = (inner.right + 16.0 + mean_width, baseline);
        figure.text(mean_at, mean, HEADING, Align::End);
        let spread_at = (mean_at.0 + 10.0, baseline);
        figure.text(spread_at, spread, LABEL.in_color(MUTED), Align::Start);
        if !row.mean.is_finite() {
            continue;
        }
        let strip = Area {
            left: x.at(row.low),
            top: middle - 5.0,
            right: x.at(row.high),
            bottom: middle + 5.0,
        };
        if strip.right > strip.left {
            figure.rect(strip, look.color, 0.25);
        }
        for share in policy.seed_means.iter().filter(|share| share.is_finite()) {
            figure.disc((x.at(share * 100.0), middle), 2.0, look.color);
        }
        look.mark(figure, (x.at(row.mean), middle), 5.0);
    }
}

/// The mean, and the range if there is one.
fn text_of(row: &Spread) -> (String, String) {
    if !row.mean.is_finite() {
        return ("no data".to_owned(), String::new());
    }
    let percent = |value: f64| number::percent(value / 100.0);
    let range = if row.low == row.high {
        String::new()
    } else {
        format!("{} to {}", percent(row.low), percent(row.high))
    };
    (percent(row.mean), range)
}
