//! How many snapshots lie within which distance of the optimum.

use super::axis::{Curve, Scale};
use super::figure::{Align, Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN, Point};
use super::font::OTHER_FONTS;
use super::style::{AXIS, GRID, HEADING, LABEL, Look, MIDDLE, MUTED, TICK};
use super::{Format, PlotError, render, steps};

/// What the cumulative plot shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CumulativePlot {
    /// The headline.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// The policies in the order of declaration, each with its curves.
    pub policies: Vec<PolicyCurves>,
}

/// The curves of one policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PolicyCurves {
    /// The policy's name.
    pub policy: String,
    /// One for each metric: its name and the excesses, as shares, in any order.
    /// NaN where one is not known. The first is drawn solid, others dashed.
    pub metrics: Vec<(String, Vec<f64>)>,
}

impl PolicyCurves {
    /// Whether there is a distribution to draw.
    pub(crate) fn has_several_snapshots(&self) -> bool {
        self.metrics.iter().any(|(_, shares)| shares.len() > 1)
    }
}

/// Draws for each curve the share of snapshots whose excess is at most so much,
/// beside a table of how many are within 1 % and 5 %.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn cumulative(plot: &CumulativePlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

const WIDTH: f64 = 960.0;
const LEAST_HEIGHT: f64 = 380.0;
/// Height of a row of the table.
const ROW: f64 = 18.0;
/// Widest name in the table.
const NAME_ROOM: f64 = 190.0;
/// Excesses, in percent, that the table counts up to.
const WITHIN: [f64; 2] = [1.0, 5.0];
/// Width of a column of the table.
const COLUMN: f64 = 56.0;

/// One curve: its name, its look, and the excesses in percent, sorted.
struct Line {
    name: String,
    look: Look,
    dashed: bool,
    percents: Vec<f64>,
}

impl Line {
    /// How many are at most this.
    fn within(&self, percent: f64) -> usize {
        self.percents.partition_point(|value| *value <= percent)
    }
}

fn lines(plot: &CumulativePlot) -> Vec<Line> {
    let mut lines = Vec::new();
    for (index, policy) in plot.policies.iter().enumerate() {
        for (metric, (name, shares)) in policy.metrics.iter().enumerate() {
            let percents = shares.iter().map(|share| share * 100.0 + 0.0);
            let mut percents: Vec<f64> = percents.filter(|value| value.is_finite()).collect();
            percents.sort_by(f64::total_cmp);
            let name = match policy.metrics.len() {
                1 => policy.policy.clone(),
                _ => format!("{}, {name}", policy.policy),
            };
            lines.push(Line { name, look: Look::of(index), dashed: metric > 0, percents });
        }
    }
    lines
}

pub(super) fn figure(plot: &CumulativePlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let lines = lines(plot);
    let table = 56.0 + ROW * lines.len() as f64;
    let height = BELOW_TITLE + LEAST_HEIGHT.max(table) + BELOW_PANEL;
    let mut figure = Figure::new(WIDTH, height, &plot.title, &plot.subtitle);
    let area = Area {
        left: MARGIN,
        top: BELOW_TITLE,
        right: WIDTH - MARGIN,
        bottom: height - BELOW_PANEL,
    };
    let known = || lines.iter().flat_map(|line| line.percents.iter().copied());
    let Some(highest) = known().reduce(f64::max) else {
        figure.note(area, "No excess to draw: the optimum was not probed");
        return Ok(figure);
    };
    let names: Vec<String> = lines.iter().map(|line| HEADING.fit(&line.name, NAME_ROOM)).collect();
    let name_width = names.iter().map(|name| HEADING.width(name)).fold(0.0, f64::max) * OTHER_FONTS;
    let inner = Area {
        left: area.left + 40.0,
        top: area.top + 26.0,
        right: area.right - 40.0 - name_width - COLUMN * WITHIN.len() as f64,
        bottom: area.bottom - 40.0,
    };
    let lowest = known().fold(0.0, f64::min);
    // What is near the optimum is what the plot is about.
    let curve = if highest > 2.0 * WITHIN[1] { Curve::Log } else { Curve::Linear };
    let range = (lowest, (highest * 1.03).max(lowest + 1.0));
    let x = Scale::new(curve, 0.0, range, (inner.left, inner.right));
    let y = Scale::new(Curve::Linear, 0.0, (0.0, 100.0), (inner.bottom, inner.top));
    axes(&mut figure, inner, &x, &y, curve);
    for line in &lines {
        draw(&mut figure, line, &x, &y);
    }
    legend(&mut figure, inner, &lines, &names, name_width);
    figure.caption(
        "Excess: the policy's value / the optimum's − 1, at the last probe of each seed. \
         Right: how many seeds are within 1 % and 5 %.",
    );
    Ok(figure)
}

fn axes(figure: &mut Figure, inner: Area, x: &Scale, y: &Scale, curve: Curve) {
    let title = (inner.left - 40.0, inner.top - 16.0);
    figure.text(title, "share of the snapshots (%)", TICK, Align::Start);
    for tick in y.ticks(36.0, false) {
        let level = y.at(tick.value);
        figure.line((inner.left, level), (inner.right, level), GRID, 1.0);
        let at = (inner.left - 8.0, level + MIDDLE * TICK.em);
        figure.text(at, &tick.label, TICK, Align::End);
    }
    for tick in x.ticks(48.0, false) {
        let at = x.at(tick.value);
        figure.line((at, inner.top), (at, inner.bottom + 4.0), GRID, 1.0);
        figure.text((at, inner.bottom + 17.0), &tick.label, TICK, Align::Middle);
    }
    figure.line((inner.left, inner.bottom), (inner.right, inner.bottom), AXIS, 1.0);
    let label = match curve {
        Curve::Linear => "excess over the optimum of at most (%)",
        Curve::Log => "excess over the optimum of at most (%, log scale that includes 0)",
    };
    let middle = inner.left.midpoint(inner.right);
    figure.text((middle, inner.bottom + 34.0), label, TICK, Align::Middle);
}

/// A staircase: at each excess it rises by one snapshot.
fn draw(figure: &mut Figure, line: &Line, x: &Scale, y: &Scale) {
    let count = line.percents.len() as f64;
    let mut points: Vec<Point> = Vec::new();
    for (index, percent) in line.percents.iter().enumerate() {
        let at = x.at(*percent);
        points.push((at, y.at(100.0 * index as f64 / count)));
        points.push((at, y.at(100.0 * (index + 1) as f64 / count)));
    }
    let Some(&(last, top)) = points.last() else { return };
    points.push((x.at(f64::MAX).max(last), top));
    if line.dashed {
        for piece in steps::dashes(&points, 5.0, 3.0) {
            figure.path(piece, line.look.color, 1.75);
        }
    } else {
        figure.path(points, line.look.color, 1.75);
    }
}

fn legend(figure: &mut Figure, inner: Area, lines: &[Line], names: &[String], name_width: f64) {
    let marker = inner.right + 22.0;
    let text = marker + 16.0;
    let columns = WITHIN.map(|percent| format!("≤ {percent} %"));
    let right = |column: usize| text + name_width + COLUMN * (column as f64 + 1.0);
    for (column, head) in columns.iter().enumerate() {
        figure.text((right(column), inner.top + 4.0), head, TICK, Align::End);
    }
    for (index, line) in lines.iter().enumerate() {
        let middle = inner.top + ROW * (index as f64 + 1.2);
        let baseline = middle + MIDDLE * HEADING.em;
        let (from, to) = ((marker - 9.0, middle), (marker + 9.0, middle));
        if line.dashed {
            for piece in steps::dashes(&[from, to], 5.0, 3.0) {
                figure.path(piece, line.look.color, 1.75);
            }
        } else {
            figure.line(from, to, line.look.color, 1.75);
        }
        figure.text((text, baseline), &names[index], HEADING, Align::Start);
        for (column, percent) in WITHIN.into_iter().enumerate() {
            let of = format!("{} of {}", line.within(percent), line.percents.len());
            let of = LABEL.fit(&of, COLUMN - 4.0);
            figure.text((right(column), baseline), &of, LABEL.in_color(MUTED), Align::End);
        }
    }
}
