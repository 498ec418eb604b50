//! A panel of lines over time, labelled at their right ends.

use plotters::style::RGBColor;

use super::axis::{Curve, Scale, Tick, TimeUnit, round_duration};
use super::figure::{Align, Area, Figure};
use super::font::OTHER_FONTS;
use super::labels::spread_out;
use super::series::{Series, Spread, coarsened};
use super::steps::{self, Stretch};
use super::style::{AXIS, GRID, HEADING, INK, LABEL, Look, MIDDLE, MUTED, TICK};

/// How a line is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Stroke {
    /// Solid with markers, over a light band of the range.
    Policy(Look),
    /// Dashed and dark: the best that could be done.
    Dashed,
    /// Dotted and dark: what nothing can beat.
    Dotted,
}

/// One line: its name and values.
pub(super) struct Line {
    name: String,
    stroke: Stroke,
    spreads: Vec<Spread>,
}

impl Line {
    /// The last mean that is not missing.
    pub(super) fn last(&self) -> Option<f64> {
        self.spreads.iter().rev().map(|spread| spread.mean).find(|mean| mean.is_finite())
    }

    fn color(&self) -> RGBColor {
        match self.stroke {
            Stroke::Policy(look) => look.color,
            Stroke::Dashed | Stroke::Dotted => INK,
        }
    }
}

/// The lines of a panel.
pub(super) struct Lines {
    lines: Vec<Line>,
    /// Lanes of the policy that has most.
    seeds: usize,
    /// The time over which each step averages, where samples lie too dense.
    cell: Option<String>,
}

/// More samples than this are averaged into cells, half as many at most: lines
/// denser than the pixels would be a solid block.
const MOST_STEPS: usize = 720;

impl Lines {
    /// One line a policy, in the look of its place in the order.
    pub(super) fn of_policies(policies: &[Series]) -> Self {
        let mut lines = Lines { lines: Vec::new(), seeds: 0, cell: None };
        for (index, series) in policies.iter().enumerate() {
            lines.seeds = lines.seeds.max(series.lanes.len());
            lines.add(series, Stroke::Policy(Look::of(index)));
        }
        lines
    }

    pub(super) fn add(&mut self, series: &Series, stroke: Stroke) {
        let (name, spreads) = (series.name.clone(), series.spreads());
        self.lines.push(Line { name, stroke, spreads });
    }

    /// Averages all lines over round lengths of time if one is too dense.
    pub(super) fn settle(&mut self) {
        if self.lines.iter().all(|line| line.spreads.len() <= MOST_STEPS) {
            return;
        }
        let (start, end) = self.time_range();
        let (cell_s, text) = round_duration(2.0 * (end - start) / MOST_STEPS as f64);
        for line in &mut self.lines {
            if line.spreads.len() > MOST_STEPS / 2 {
                line.spreads = coarsened(&line.spreads, cell_s);
            }
        }
        self.cell = Some(text);
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &Line> {
        self.lines.iter()
    }

    /// Height of a figure that has room for all labels.
    pub(super) fn height(&self, least: f64) -> f64 {
        least.max(80.0 + LABEL_GAP * self.lines.len() as f64)
    }

    /// The smallest and the largest value, if there is any.
    pub(super) fn value_range(&self) -> Option<(f64, f64)> {
        let spreads = || self.lines.iter().flat_map(|line| &line.spreads);
        let low = spreads().map(|spread| spread.low).reduce(f64::min)?;
        let high = spreads().map(|spread| spread.high).reduce(f64::max)?;
        (low <= high).then_some((low, high))
    }

    /// From 0 or the first sample to the last; never empty.
    fn time_range(&self) -> (f64, f64) {
        let times = self.lines.iter().flat_map(|line| &line.spreads).map(|spread| spread.time_s);
        let (low, high) = times.fold((0.0, 0.0), |(low, high): (f64, f64), time_s| {
            (low.min(time_s), high.max(time_s))
        });
        if high > low { (low, high) } else { (low, low + 1.0) }
    }

    /// How to read the lines.
    pub(super) fn reading(&self) -> String {
        let seeds = match self.seeds {
            0 => return String::new(),
            1 => "1 seed".to_owned(),
            seeds => format!("{seeds} seeds"),
        };
        match &self.cell {
            Some(cell) => {
                format!("Lines: mean of {seeds} and of {cell}. Bands: smallest to largest.")
            }
            None if self.seeds > 1 => {
                format!("Lines: mean of {seeds}. Bands: smallest to largest.")
            }
            None => format!("Lines: {seeds}."),
        }
    }
}

/// What the vertical axis shows.
pub(super) struct ValueAxis {
    /// Stands above the axis.
    pub(super) label: &'static str,
    pub(super) curve: Curve,
    /// The value that a logarithm starts from: a whole number.
    pub(super) origin: f64,
    pub(super) low: f64,
    pub(super) high: f64,
    /// Only whole numbers occur.
    pub(super) whole: bool,
    /// How the label of a line writes its last value.
    pub(super) format: fn(f64) -> String,
}

/// Distance between the labels of two lines.
const LABEL_GAP: f64 = 17.0;
/// Widest name in a label.
const NAME_ROOM: f64 = 150.0;
/// From the lines' ends to the marker of their label, and on to its text.
const TO_MARKER: f64 = 26.0;
const TO_TEXT: f64 = 36.0;

/// Draws the lines into an area that includes the labels, the ticks and the
/// label of the vertical axis.
pub(super) fn draw(figure: &mut Figure, area: Area, content: &Lines, axis: &ValueAxis) {
    let lines = content.lines.as_slice();
    let labels: Vec<(String, String)> = lines.iter().map(|line| label_of(line, axis)).collect();
    let widest = |widths: &mut dyn Iterator<Item = f64>| widths.fold(0.0, f64::max) * OTHER_FONTS;
    let value_width = widest(&mut labels.iter().map(|(_, value)| LABEL.width(value)));
    let name_width = widest(&mut labels.iter().map(|(name, _)| HEADING.width(name)));
    let vertical = (area.bottom - 40.0, area.top + 26.0);
    let y = Scale::new(axis.curve, axis.origin, (axis.low, axis.high), vertical);
    let y_ticks = y.ticks(36.0, axis.whole);
    let tick_width = y_ticks.iter().map(|tick| TICK.width(&tick.label)).fold(0.0, f64::max);
    let inner = Area {
        left: area.left + tick_width + 8.0,
        top: vertical.1,
        right: area.right - TO_TEXT - value_width - 7.0 - name_width,
        bottom: vertical.0,
    };
    let (start, end) = content.time_range();
    let x = Scale::new(Curve::Linear, 0.0, (start, end), (inner.left, inner.right));
    figure.text((area.left, area.top + 10.0), axis.label, TICK, Align::Start);
    grid(figure, inner, &y, &y_ticks);
    time_axis(figure, inner, &x, (start, end));

    let runs: Vec<Vec<Vec<Stretch>>> =
        lines.iter().map(|line| steps::runs(&line.spreads, &x, &y, inner.right)).collect();
    let policies = lines.iter().filter(|line| matches!(line.stroke, Stroke::Policy(_))).count();
    let opacity = if policies > 5 { 0.10 } else { 0.16 };
    for (line, runs) in lines.iter().zip(&runs) {
        if matches!(line.stroke, Stroke::Policy(_)) {
            for run in runs.iter().filter(|run| run.iter().any(|at| at.low != at.high)) {
                figure.polygon(steps::band(run), line.color(), opacity);
            }
        }
    }
    for (line, runs) in lines.iter().zip(&runs) {
        for run in runs {
            stroke(figure, line, run);
        }
    }
    for (index, (line, runs)) in lines.iter().zip(&runs).enumerate() {
        markers(figure, line, runs, inner, (index, lines.len()));
    }
    end_labels(figure, inner, lines, &runs, &labels, value_width);
}

fn label_of(line: &Line, axis: &ValueAxis) -> (String, String) {
    let value = line.last().map_or_else(|| "no data".to_owned(), axis.format);
    (HEADING.fit(&line.name, NAME_ROOM), value)
}

fn grid(figure: &mut Figure, inner: Area, y: &Scale, ticks: &[Tick]) {
    for tick in ticks {
        let level = y.at(tick.value);
        figure.line((inner.left, level), (inner.right, level), GRID, 1.0);
        let at = (inner.left - 8.0, level + MIDDLE * TICK.em);
        figure.text(at, &tick.label, TICK, Align::End);
    }
}

fn time_axis(figure: &mut Figure, inner: Area, x: &Scale, (start, end): (f64, f64)) {
    figure.line((inner.left, inner.bottom), (inner.right, inner.bottom), AXIS, 1.0);
    let unit = TimeUnit::for_span(end - start);
    for tick in unit.ticks(start, end, (inner.width() / 60.0).floor().max(1.0)) {
        let at = x.at(tick.value);
        figure.line((at, inner.bottom), (at, inner.bottom + 4.0), AXIS, 1.0);
        figure.text((at, inner.bottom + 17.0), &tick.label, TICK, Align::Middle);
    }
    let middle = inner.left.midpoint(inner.right);
    figure.text(
        (middle, inner.bottom + 34.0),
        &format!("time ({})", unit.name),
        TICK,
        Align::Middle,
    );
}

fn stroke(figure: &mut Figure, line: &Line, run: &[Stretch]) {
    let points = steps::line(run);
    let (on, off) = match line.stroke {
        Stroke::Policy(_) => {
            figure.path(points, line.color(), 1.75);
            return;
        }
        Stroke::Dashed => (7.0, 4.0),
        Stroke::Dotted => (1.75, 3.5),
    };
    for piece in steps::dashes(&points, on, off) {
        figure.path(piece, line.color(), 1.5);
    }
}

/// Five markers on each policy's line, staggered so that lines that lie on each
/// other still show all their markers.
fn markers(
    figure: &mut Figure,
    line: &Line,
    runs: &[Vec<Stretch>],
    inner: Area,
    (index, lines): (usize, usize),
) {
    const MARKERS: usize = 5;
    let Stroke::Policy(look) = line.stroke else { return };
    let stagger = (index as f64 + 0.5) / lines as f64;
    for marker in 0..MARKERS {
        let at = inner.left + inner.width() * (marker as f64 + stagger) / MARKERS as f64;
        if let Some(level) = steps::level_at(runs, at) {
            look.mark(figure, (at, level), 3.5);
        }
    }
}

fn end_labels(
    figure: &mut Figure,
    inner: Area,
    lines: &[Line],
    runs: &[Vec<Vec<Stretch>>],
    labels: &[(String, String)],
    value_width: f64,
) {
    let ends: Vec<Option<&Stretch>> =
        runs.iter().map(|runs| runs.last().and_then(|run| run.last())).collect();
    let wanted: Vec<f64> =
        ends.iter().map(|end| end.map_or(inner.bottom, |end| end.mean)).collect();
    let places = spread_out(&wanted, LABEL_GAP, inner.top, inner.bottom);
    for (index, line) in lines.iter().enumerate() {
        let (name, value) = &labels[index];
        let place = places[index];
        let marker = inner.right + TO_MARKER;
        if let Some(end) = ends[index].filter(|end| end.to >= inner.right) {
            let from = (inner.right + 3.0, end.mean);
            figure.path(vec![from, (inner.right + 13.0, place), (marker - 7.0, place)], AXIS, 0.75);
        }
        sample(figure, line, (marker, place));
        let baseline = place + MIDDLE * HEADING.em;
        let middle = inner.right + TO_TEXT + value_width;
        figure.text((middle, baseline), value, LABEL.in_color(MUTED), Align::End);
        figure.text((middle + 7.0, baseline), name, HEADING, Align::Start);
    }
}

/// A small piece of the line, for its label.
fn sample(figure: &mut Figure, line: &Line, (x, y): (f64, f64)) {
    match line.stroke {
        Stroke::Policy(look) => look.mark(figure, (x, y), 4.0),
        Stroke::Dashed => figure.line((x - 5.0, y), (x + 5.0, y), INK, 1.5),
        Stroke::Dotted => {
            for dot in [-5.0, -1.0, 3.0] {
                figure.line((x + dot, y), (x + dot + 1.75, y), INK, 1.5);
            }
        }
    }
}
