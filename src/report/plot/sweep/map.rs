//! A quantity over two axes, in one panel for each policy and, with a third
//! axis, for each of its values.

use std::collections::BTreeMap;

use super::lines::bottom_axis;
use super::ramp::Ramp;
use super::values::{SweepMark, SweepPlot, Values, number};
use crate::report::plot::axis::Curve;
use crate::report::plot::figure::{
    Align, Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN, TextLook,
};
use crate::report::plot::font::OTHER_FONTS;
use crate::report::plot::style::{HEADING, MIDDLE, TICK};

const WIDTH: f64 = 960.0;
/// Room of one panel with its heading and axes.
const PANEL_HEIGHT: f64 = 270.0;
/// Panels in a row, and in all.
const COLUMNS: usize = 3;
const MOST_PANELS: usize = 24;
/// Room of the legend above the panels.
const LEGEND: f64 = 56.0;
/// More values than this along an axis are places, not cells; more of a third
/// axis are put into three groups.
const MOST_CELLS: usize = 24;
const MOST_GROUPS: usize = 12;

/// What one panel shows.
struct Panel<'a> {
    heading: String,
    marks: Vec<&'a SweepMark>,
}

pub(super) fn figure(plot: &SweepPlot) -> Figure {
    let panels = panels(plot);
    let shown = panels.len().clamp(1, MOST_PANELS);
    let columns = shown.min(COLUMNS);
    let rows = shown.div_ceil(columns);
    let height = BELOW_TITLE + LEGEND + rows as f64 * PANEL_HEIGHT + BELOW_PANEL;
    let mut figure = Figure::new(WIDTH, height, &plot.title, &plot.subtitle);
    let top = BELOW_TITLE + LEGEND;
    let area = Area { left: MARGIN, top, right: WIDTH - MARGIN, bottom: height - BELOW_PANEL };
    let range = plot.range().filter(|_| (2..=3).contains(&plot.axes.len()));
    let Some((low, high)) = range else {
        figure.note(area, "No values to draw");
        return figure;
    };
    let means = || plot.marks.iter().map(|mark| mark.mean);
    let curve = if low >= 0.0 { Curve::for_values(means(), high) } else { Curve::Linear };
    let ramp = Ramp::new(curve, (low, high));
    let legend = Area {
        left: MARGIN,
        top: BELOW_TITLE + 18.0,
        right: MARGIN + 300.0,
        bottom: BELOW_TITLE + 30.0,
    };
    figure.text((MARGIN, BELOW_TITLE + 10.0), &plot.quantity, TICK, Align::Start);
    ramp.legend(&mut figure, legend);

    let axes = [Values::of(plot, 0), Values::of(plot, 1)];
    let width = area.width() / columns as f64;
    for (index, panel) in panels.iter().take(shown).enumerate() {
        let (row, column) = (index / columns, index % columns);
        let left = area.left + column as f64 * width;
        let top = area.top + row as f64 * PANEL_HEIGHT;
        let place = Area { left, top, right: left + width - 14.0, bottom: top + PANEL_HEIGHT };
        draw(&mut figure, place, plot, panel, &axes, &ramp);
    }
    let rest = match panels.len() - shown {
        0 => String::new(),
        rest => format!(" {rest} more panels are left out."),
    };
    figure.caption(&format!("Means over seeds. One colour scale for all panels.{rest}"));
    figure
}

/// One panel for each policy and group of the third axis.
fn panels(plot: &SweepPlot) -> Vec<Panel<'_>> {
    let groups = groups(plot);
    let mut panels = Vec::new();
    for (policy, name) in plot.policies.iter().enumerate() {
        for (group, is_in) in &groups {
            let heading = if group.is_empty() { name.clone() } else { format!("{name}, {group}") };
            let is_own = |mark: &&SweepMark| mark.policy == policy && is_in(mark);
            panels.push(Panel { heading, marks: plot.marks.iter().filter(is_own).collect() });
        }
    }
    panels
}

type Group<'a> = (String, Box<dyn Fn(&SweepMark) -> bool + 'a>);

/// The values of a third axis, or three groups of them where there are many.
fn groups(plot: &SweepPlot) -> Vec<Group<'_>> {
    let Some(axis) = plot.axes.get(2) else {
        return vec![(String::new(), Box::new(|_: &SweepMark| true))];
    };
    let values = Values::of(plot, 2);
    if values.len() <= MOST_GROUPS || !axis.numeric {
        let one = |label: &String| -> Group<'_> {
            let wanted = label.clone();
            let heading = format!("{} = {label}", axis.name);
            (heading, Box::new(move |mark: &SweepMark| mark.at.get(2) == Some(&wanted)))
        };
        return values.labels.iter().map(one).collect();
    }
    let third = |part: usize| -> Group<'_> {
        let (first, last) = (part * values.len() / 3, (part + 1) * values.len() / 3 - 1);
        let heading = format!("{} {} to {}", axis.name, values.labels[first], values.labels[last]);
        let (low, high) = (values.numbers[first], values.numbers[last]);
        let is_in = move |mark: &SweepMark| {
            mark.at.get(2).and_then(|l| number(l)).is_some_and(|v| (low..=high).contains(&v))
        };
        (heading, Box::new(is_in))
    };
    (0..3).map(third).collect()
}

fn draw(
    figure: &mut Figure,
    area: Area,
    plot: &SweepPlot,
    panel: &Panel<'_>,
    [across, up]: &[Values; 2],
    ramp: &Ramp,
) {
    let label = |label: &String| TICK.fit(label, 70.0);
    let widest = up.labels.iter().map(|text| TICK.width(&label(text))).fold(0.0, f64::max);
    let left = area.left + widest * OTHER_FONTS + 8.0;
    let inner = Area { left, top: area.top + 38.0, right: area.right, bottom: area.bottom - 48.0 };
    let heading = HEADING.fit(&panel.heading, area.width());
    figure.text((area.left, area.top + 14.0), &heading, HEADING, Align::Start);
    let name = TICK.fit(&plot.axes[1].name, area.width());
    figure.text((area.left, area.top + 30.0), &name, TICK, Align::Start);

    let is_cells = across.len() <= MOST_CELLS && up.len() <= MOST_CELLS;
    let height = inner.bottom - inner.top;
    let (x, y): (Vec<f64>, Vec<f64>) = match is_cells {
        true => {
            let cell = |count: usize, place: usize| (place as f64 + 0.5) / count as f64;
            (
                (0..across.len())
                    .map(|p| inner.left + cell(across.len(), p) * inner.width())
                    .collect(),
                (0..up.len()).map(|p| inner.bottom - cell(up.len(), p) * height).collect(),
            )
        }
        false => (
            across.shares().iter().map(|s| inner.left + 6.0 + s * (inner.width() - 12.0)).collect(),
            up.shares().iter().map(|s| inner.bottom - 6.0 - s * (height - 12.0)).collect(),
        ),
    };
    let place = |mark: &SweepMark| (across.place(&mark.at[0]), up.place(&mark.at[1]));
    let marks = panel.marks.iter().filter(|mark| mark.mean.is_finite());
    if is_cells {
        let half = (inner.width() / across.len() as f64 / 2.0, height / up.len() as f64 / 2.0);
        // Points that differ along a third axis alone share a cell.
        let mut cells: BTreeMap<(usize, usize), (f64, f64)> = BTreeMap::new();
        for mark in marks {
            let (sum, count) = cells.entry(place(mark)).or_default();
            (*sum, *count) = (*sum + mark.mean, *count + 1.0);
        }
        for ((column, row), (sum, count)) in cells {
            cell(figure, plot, ramp, sum / count, ((x[column], y[row]), half));
        }
    } else {
        for mark in marks {
            let (column, row) = place(mark);
            figure.disc((x[column], y[row]), 4.0, ramp.color(mark.mean));
        }
    }
    bottom_axis(figure, inner, across, &x, &plot.axes[0].name);
    let mut taken = f64::INFINITY;
    for (text, &at) in up.labels.iter().zip(&y) {
        if at + TICK.em > taken {
            continue;
        }
        taken = at;
        let place = (inner.left - 6.0, at + MIDDLE * TICK.em);
        figure.text(place, &label(text), TICK, Align::End);
    }
}

/// A cell with its number, if there is room for it.
fn cell(
    figure: &mut Figure,
    plot: &SweepPlot,
    ramp: &Ramp,
    mean: f64,
    (at, half): ((f64, f64), (f64, f64)),
) {
    let area = Area {
        left: at.0 - half.0,
        top: at.1 - half.1,
        right: at.0 + half.0 - 1.0,
        bottom: at.1 + half.1 - 1.0,
    };
    figure.rect(area, ramp.color(mean), 1.0);
    let text = plot.text(mean);
    let look = TextLook { color: ramp.ink_on(mean), ..TICK };
    let has_room = look.width(&text) * OTHER_FONTS <= area.width() - 2.0;
    if has_room && area.bottom - area.top >= look.em + 3.0 {
        figure.text((at.0, at.1 + MIDDLE * look.em), &text, look, Align::Middle);
    }
}
