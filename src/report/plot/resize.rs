//! What a change of hosts moves, and how even it leaves the hosts.

use super::axis::{Curve, Scale};
use super::figure::{Align, Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN};
use super::font::OTHER_FONTS;
use super::style::{AXIS, BEFORE, GRID, HEADING, INK, LABEL, Look, MIDDLE, MUTED, STAYED, TICK};
use super::{Format, PlotError, number, render};

/// What the plot shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResizePlot {
    /// The headline.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// The share of the keys that has to move.
    pub minimum_share: f64,
    /// One row a placement, in order.
    pub rows: Vec<ResizePlotRow>,
}

/// One placement.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ResizePlotRow {
    /// Its name.
    pub placement: String,
    /// The share of the keys that moved.
    pub moved_share: f64,
    /// The fullest host over the mean before.
    pub before: f64,
    /// The same afterwards, one value a seed.
    pub after: Vec<f64>,
}

/// Draws two panels with a row a placement: the share of keys that moved, with
/// the unavoidable minimum as a line, and max/mean before and after.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn resize(plot: &ResizePlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

const WIDTH: f64 = 960.0;
/// Height of a row; room above the rows for their heading, and below for ticks.
const ROW: f64 = 26.0;
const ABOVE: f64 = 24.0;
const BELOW: f64 = 34.0;
const NAME_ROOM: f64 = 220.0;
/// Between the panels: room for the numbers of the left one.
const GUTTER: f64 = 80.0;

fn figure(plot: &ResizePlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let rows = plot.rows.len();
    let height = BELOW_TITLE + ABOVE + ROW * rows.max(2) as f64 + BELOW + BELOW_PANEL;
    let mut figure = Figure::new(WIDTH, height, &plot.title, &plot.subtitle);
    let bottom = height - BELOW_PANEL - BELOW;
    let names: Vec<String> =
        plot.rows.iter().map(|row| HEADING.fit(&row.placement, NAME_ROOM)).collect();
    let name_width =
        names.iter().map(|name| HEADING.width(name)).fold(0.0, f64::max) * OTHER_FONTS + 14.0;
    let room = (WIDTH - 2.0 * MARGIN - name_width - 2.0 * GUTTER) / 2.0;
    let left = MARGIN + name_width;
    let shares = Area { left, top: BELOW_TITLE + ABOVE, right: left + room, bottom };
    let ratios =
        Area { left: shares.right + GUTTER, right: shares.right + GUTTER + room, ..shares };
    if plot.rows.is_empty() {
        figure.note(Area { left: MARGIN, ..ratios }, "No placements to draw");
        return Ok(figure);
    }
    let finite = |values: &mut dyn Iterator<Item = f64>| {
        values.filter(|value| value.is_finite()).fold(0.0, f64::max)
    };
    let most = finite(&mut plot.rows.iter().map(|row| row.moved_share)).max(plot.minimum_share);
    let x =
        Scale::new(Curve::Linear, 0.0, (0.0, (most * 103.0).max(1.0)), (shares.left, shares.right));
    frame(&mut figure, shares, &x, "moved (% of the keys), and the unavoidable minimum");
    let hottest =
        finite(&mut plot.rows.iter().flat_map(|row| row.after.iter().copied().chain([row.before])));
    let range = (1.0, (1.0 + (hottest - 1.0) * 1.05).max(1.05));
    let ratio = Scale::new(Curve::Linear, 1.0, range, (ratios.left, ratios.right));
    frame(&mut figure, ratios, &ratio, "fullest host / mean, before (grey) and after");

    for (index, (row, name)) in plot.rows.iter().zip(&names).enumerate() {
        let middle = shares.top + ROW * (index as f64 + 0.5);
        let baseline = middle + MIDDLE * HEADING.em;
        figure.text((MARGIN, baseline), name, HEADING, Align::Start);
        if row.moved_share.is_finite() {
            let right = x.at(row.moved_share * 100.0);
            let bar = Area { left: shares.left, top: middle - 7.0, right, bottom: middle + 7.0 };
            if bar.right > bar.left {
                figure.rect(bar, STAYED, 1.0);
            }
            let text = number::percent(row.moved_share);
            figure.text((right + 8.0, baseline), &text, LABEL, Align::Start);
        }
        if row.before.is_finite() {
            figure.disc((ratio.at(row.before), middle), 6.0, BEFORE);
        }
        let after: Vec<f64> = row.after.iter().copied().filter(|v| v.is_finite()).collect();
        for value in &after {
            figure.disc((ratio.at(*value), middle), 2.0, STAYED);
        }
        if !after.is_empty() {
            let mean = after.iter().sum::<f64>() / after.len() as f64;
            Look::of(0).mark(&mut figure, (ratio.at(mean), middle), 4.0);
            let at = (ratios.right + 12.0, baseline);
            figure.text(at, &number::fixed(mean, 3), LABEL.in_color(MUTED), Align::Start);
        }
    }
    let minimum = x.at(plot.minimum_share * 100.0);
    figure.line((minimum, shares.top), (minimum, shares.bottom), INK, 1.25);
    figure.caption("Small dots: seeds. Numbers: means over seeds.");
    Ok(figure)
}

/// Grid lines, ticks and the heading of a panel.
fn frame(figure: &mut Figure, area: Area, x: &Scale, heading: &str) {
    for tick in x.ticks(56.0, false) {
        let at = x.at(tick.value);
        figure.line((at, area.top), (at, area.bottom), GRID, 1.0);
        figure.text((at, area.bottom + 16.0), &tick.label, TICK, Align::Middle);
    }
    figure.line((area.left, area.top), (area.left, area.bottom), AXIS, 1.0);
    figure.text((area.left, area.top - 12.0), heading, TICK, Align::Start);
}
