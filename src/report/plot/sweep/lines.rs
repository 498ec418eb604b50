//! A quantity along one axis: a line for each policy, with its interval.

use super::values::{SweepMark, SweepPlot, Values};
use crate::report::plot::axis::{Curve, Scale};
use crate::report::plot::figure::{Align, Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN, Point};
use crate::report::plot::font::OTHER_FONTS;
use crate::report::plot::labels::spread_out;
use crate::report::plot::style::{AXIS, GRID, HEADING, Look, MIDDLE, TICK};

const WIDTH: f64 = 960.0;
/// Distance between the labels of two lines, and the widest.
const LABEL_GAP: f64 = 17.0;
const NAME_ROOM: f64 = 150.0;
/// From the ends of the lines to the text of their labels.
const TO_TEXT: f64 = 36.0;

pub(super) fn figure(plot: &SweepPlot) -> Figure {
    let panel = 404.0_f64.max(80.0 + LABEL_GAP * plot.policies.len() as f64);
    let height = BELOW_TITLE + panel + BELOW_PANEL;
    let mut figure = Figure::new(WIDTH, height, &plot.title, &plot.subtitle);
    let bottom = height - BELOW_PANEL;
    let area = Area { left: MARGIN, top: BELOW_TITLE, right: WIDTH - MARGIN, bottom };
    let ends = |mark: &SweepMark| [mark.mean, mark.interval.0, mark.interval.1];
    let values = || plot.marks.iter().flat_map(ends).filter(|value| value.is_finite());
    let extremes = values().reduce(f64::min).zip(values().reduce(f64::max));
    let Some((low, high)) = extremes else {
        figure.note(area, "No values to draw");
        return figure;
    };
    let names: Vec<String> =
        plot.policies.iter().map(|name| HEADING.fit(name, NAME_ROOM)).collect();
    let name_width = names.iter().map(|name| HEADING.width(name)).fold(0.0, f64::max) * OTHER_FONTS;
    let room = (0.05 * (high - low)).max(0.01 * high.abs()).max(1e-6);
    let least = if plot.counts { 0.0 } else { low - room };
    let vertical = (area.bottom - 40.0, area.top + 26.0);
    let y = Scale::new(Curve::Linear, 0.0, (least.min(low), high + room), vertical);
    let ticks = y.ticks(36.0, false);
    let tick_width = ticks.iter().map(|tick| TICK.width(&tick.label)).fold(0.0, f64::max);
    let inner = Area {
        left: area.left + tick_width + 8.0,
        top: vertical.1,
        right: area.right - TO_TEXT - name_width,
        bottom: vertical.0,
    };
    figure.text((area.left, area.top + 10.0), &plot.quantity, TICK, Align::Start);
    for tick in &ticks {
        let level = y.at(tick.value);
        figure.line((inner.left, level), (inner.right, level), GRID, 1.0);
        let at = (inner.left - 8.0, level + MIDDLE * TICK.em);
        figure.text(at, &tick.label, TICK, Align::End);
    }
    let along = Values::of(plot, 0);
    let places = inset(&along, inner);
    bottom_axis(&mut figure, inner, &along, &places, &plot.axes[0].name);
    let lines: Vec<Vec<(f64, &SweepMark)>> = (0..plot.policies.len())
        .map(|policy| {
            let own =
                plot.marks.iter().filter(|mark| mark.policy == policy && mark.mean.is_finite());
            let mut line: Vec<_> =
                own.map(|mark| (places[along.place(&mark.at[0])], mark)).collect();
            line.sort_by(|a, b| a.0.total_cmp(&b.0));
            line
        })
        .collect();
    draw(&mut figure, inner, &y, &lines);
    let wanted: Vec<f64> = lines
        .iter()
        .map(|line| line.last().map_or(inner.bottom, |(_, mark)| y.at(mark.mean)))
        .collect();
    for (policy, place) in
        spread_out(&wanted, LABEL_GAP, inner.top, inner.bottom).into_iter().enumerate()
    {
        Look::of(policy).mark(&mut figure, (inner.right + 26.0, place), 4.0);
        let at = (inner.right + TO_TEXT, place + MIDDLE * HEADING.em);
        figure.text(at, &names[policy], HEADING, Align::Start);
    }
    figure.caption("Means over seeds, with intervals of 95 % (Student's t).");
    figure
}

/// Where values lie, a little inside of the panel.
fn inset(values: &Values, inner: Area) -> Vec<f64> {
    let (left, width) = (inner.left + 14.0, inner.width() - 28.0);
    values.shares().iter().map(|share| left + share * width).collect()
}

/// The values of an axis below a panel, as far as there is room.
pub(super) fn bottom_axis(
    figure: &mut Figure,
    inner: Area,
    values: &Values,
    places: &[f64],
    name: &str,
) {
    figure.line((inner.left, inner.bottom), (inner.right, inner.bottom), AXIS, 1.0);
    let mut taken = f64::NEG_INFINITY;
    for (label, &at) in values.labels.iter().zip(places) {
        let label = TICK.fit(label, 90.0);
        let half = TICK.width(&label) * OTHER_FONTS / 2.0;
        let is_inside = at - half >= inner.left - 30.0 && at + half <= inner.right + 30.0;
        if at - half < taken + 6.0 || !is_inside {
            continue;
        }
        taken = at + half;
        figure.line((at, inner.bottom), (at, inner.bottom + 4.0), AXIS, 1.0);
        figure.text((at, inner.bottom + 17.0), &label, TICK, Align::Middle);
    }
    let middle = inner.left.midpoint(inner.right);
    let name = TICK.fit(name, inner.width());
    figure.text((middle, inner.bottom + 34.0), &name, TICK, Align::Middle);
}

fn draw(figure: &mut Figure, inner: Area, y: &Scale, lines: &[Vec<(f64, &SweepMark)>]) {
    // Policies stand a little apart, so that all their intervals show.
    let offset = |policy: usize| 3.0 * (policy as f64 - (lines.len() - 1) as f64 / 2.0);
    let place = |policy: usize, at: f64| {
        (at + offset(policy).clamp(-12.0, 12.0)).clamp(inner.left, inner.right)
    };
    for (policy, line) in lines.iter().enumerate() {
        let color = Look::of(policy).color;
        for (at, mark) in line {
            let (low, high) = mark.interval;
            if low.is_finite() && high > low {
                let at = place(policy, *at);
                figure.line((at, y.at(low)), (at, y.at(high)), color, 1.0);
                for end in [low, high] {
                    let (left, right) = ((at - 3.0).max(inner.left), (at + 3.0).min(inner.right));
                    figure.line((left, y.at(end)), (right, y.at(end)), color, 1.0);
                }
            }
        }
        let points: Vec<Point> =
            line.iter().map(|(at, mark)| (place(policy, *at), y.at(mark.mean))).collect();
        if points.len() > 1 {
            figure.path(points, color, 1.75);
        }
    }
    for (policy, line) in lines.iter().enumerate() {
        for (at, mark) in line {
            Look::of(policy).mark(figure, (place(policy, *at), y.at(mark.mean)), 3.5);
        }
    }
}
