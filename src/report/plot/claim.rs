//! A published claim beside what was measured.

use super::axis::{Curve, Scale};
use super::figure::{Align, Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN};
use super::font::OTHER_FONTS;
use super::series::Spread;
use super::style::{AXIS, GRID, HEADING, INK, LABEL, Look, MIDDLE, MUTED, TICK};
use super::{Format, PlotError, number, render};

/// What the plot of a claim shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimPlot {
    /// The headline: the claim.
    pub title: String,
    /// A line below it: where it is from, and the verdict.
    pub subtitle: String,
    /// One panel for each unit, with an axis of its own.
    pub panels: Vec<ClaimPanel>,
}

/// Figures of one unit.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimPanel {
    /// What the axis says.
    pub unit: String,
    /// The figures, from top to bottom.
    pub rows: Vec<ClaimRow>,
}

/// One figure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClaimRow {
    /// What the label says.
    pub name: String,
    /// The published figure, if it is one number.
    pub published: Option<f64>,
    /// Where the mean may lie; either end may be infinite.
    pub allowed: Option<(f64, f64)>,
    /// The measured values, one for each seed.
    pub values: Vec<f64>,
}

/// Draws a row for each figure: the measured values as dots, their mean as a
/// marker, the allowed range as a grey bar, the published figure as a line.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn claim(plot: &ClaimPlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

const WIDTH: f64 = 960.0;
const ROW: f64 = 30.0;
/// Above the rows of a panel, and below them for its axis and its unit.
const ABOVE: f64 = 8.0;
const BELOW: f64 = 50.0;
/// Widest column of names in pixels.
const NAME_ROOM: f64 = 300.0;
/// Room for the mean and the range on the right.
const TEXT_ROOM: f64 = 210.0;

fn panel_height(panel: &ClaimPanel) -> f64 {
    ABOVE + ROW * panel.rows.len() as f64 + BELOW
}

pub(super) fn figure(plot: &ClaimPlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let body: f64 = plot.panels.iter().map(panel_height).sum();
    let height = BELOW_TITLE + body.max(60.0) + BELOW_PANEL;
    let mut figure = Figure::new(WIDTH, height, &plot.title, &plot.subtitle);
    let all = Area {
        left: MARGIN,
        top: BELOW_TITLE,
        right: WIDTH - MARGIN,
        bottom: height - BELOW_PANEL,
    };
    if plot.panels.is_empty() {
        figure.note(all, "Nothing was measured");
        return Ok(figure);
    }
    let names = plot.panels.iter().flat_map(|panel| &panel.rows).map(|row| &row.name);
    let widest = names.map(|name| HEADING.width(name)).fold(0.0, f64::max) * OTHER_FONTS;
    let left = all.left + widest.min(NAME_ROOM) + 16.0;
    let mut top = all.top;
    for panel in &plot.panels {
        let area = Area {
            left,
            top: top + ABOVE,
            right: all.right - TEXT_ROOM,
            bottom: top + panel_height(panel) - BELOW,
        };
        draw(&mut figure, area, panel);
        top += panel_height(panel);
    }
    figure.caption(
        "Dots: seeds. Marker and number: their mean, and the range. Grey: where the mean may lie. Line: published.",
    );
    Ok(figure)
}

/// The least and the largest value that a panel has to show.
fn extent(panel: &ClaimPanel) -> Option<(f64, f64)> {
    let shown = panel.rows.iter().flat_map(|row| {
        let allowed = row.allowed.into_iter().flat_map(|(low, high)| [low, high]);
        row.values.iter().copied().chain(row.published).chain(allowed)
    });
    let finite = shown.filter(|value| value.is_finite());
    let (low, high) = finite.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
        (value.min(low), value.max(high))
    });
    if low > high {
        return None;
    }
    // From zero, unless that would push all that differs to one side.
    let low = if low >= 0.0 && high - low > 0.3 * high { 0.0 } else { low };
    let room = (0.04 * (high - low)).max(0.002 * high.abs()).max(1e-9);
    Some((if low == 0.0 { 0.0 } else { low - room }, high + room))
}

fn draw(figure: &mut Figure, area: Area, panel: &ClaimPanel) {
    let Some(range) = extent(panel) else {
        figure.note(area, "Nothing was measured");
        return;
    };
    let x = Scale::new(Curve::Linear, 0.0, range, (area.left, area.right));
    for tick in x.ticks(72.0, false) {
        let at = x.at(tick.value);
        figure.line((at, area.top), (at, area.bottom), GRID, 1.0);
        figure.text((at, area.bottom + 16.0), &tick.label, TICK, Align::Middle);
    }
    figure.line((area.left, area.bottom), (area.right, area.bottom), AXIS, 1.0);
    let unit_at = (area.left.midpoint(area.right), area.bottom + 33.0);
    figure.text(unit_at, &panel.unit, TICK, Align::Middle);
    let look = Look::of(0);
    for (index, row) in panel.rows.iter().enumerate() {
        let middle = area.top + ROW * (index as f64 + 0.5);
        let name = HEADING.fit(&row.name, NAME_ROOM);
        let baseline = middle + MIDDLE * HEADING.em;
        figure.text((MARGIN, baseline), &name, HEADING, Align::Start);
        if let Some((low, high)) = row.allowed {
            let (top, bottom) = (middle - 9.0, middle + 9.0);
            let strip =
                Area { left: x.at(low), top, right: x.at(high).max(x.at(low) + 1.0), bottom };
            figure.rect(strip, GRID, 1.0);
        }
        if let Some(published) = row.published {
            let at = x.at(published);
            figure.line((at, middle - 11.0), (at, middle + 11.0), INK, 1.5);
        }
        for value in row.values.iter().filter(|value| value.is_finite()) {
            figure.disc((x.at(*value), middle), 2.0, look.color);
        }
        let spread = Spread::of(0.0, row.values.iter().copied());
        if spread.mean.is_finite() {
            look.mark(figure, (x.at(spread.mean), middle), 4.5);
        }
        let (mean, rest) = texts(&spread);
        let at = area.right + 16.0;
        figure.text((at, baseline), &mean, HEADING, Align::Start);
        let at = at + HEADING.width(&mean) * OTHER_FONTS + 10.0;
        figure.text((at, baseline), &rest, LABEL.in_color(MUTED), Align::Start);
    }
}

/// The mean, and the range if there is one, with three significant digits.
fn texts(spread: &Spread) -> (String, String) {
    let Spread { mean, low, high, .. } = *spread;
    if !mean.is_finite() {
        return ("no data".to_owned(), String::new());
    }
    let places = places(high.abs().max(low.abs()));
    let text = |value| number::fixed(value, places);
    let range =
        if low == high { String::new() } else { format!("{} to {}", text(low), text(high)) };
    (text(mean), range)
}

/// Places after the point that show three digits of a number of this size.
fn places(size: f64) -> usize {
    let mut places = 0;
    let mut scaled = size;
    while scaled > 0.0 && scaled < 100.0 && places < 5 {
        scaled *= 10.0;
        places += 1;
    }
    places
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_digits_are_shown() {
        assert_eq!([5000.0, 99.0, 2.3, 0.38, 0.0].map(places), [0, 1, 2, 3, 0]);
    }

    #[test]
    fn the_axis_holds_what_is_finite() {
        let row = ClaimRow {
            name: "a".into(),
            published: Some(2.3),
            allowed: Some((2.0, f64::INFINITY)),
            values: vec![2.4, f64::NAN],
        };
        let panel = ClaimPanel { unit: "x".into(), rows: vec![row] };
        let (low, high) = extent(&panel).unwrap();
        assert!(low < 2.0 && low > 1.9 && high > 2.4 && high < 2.5);
        assert_eq!(extent(&ClaimPanel::default()), None);
        let plot = ClaimPlot { panels: vec![panel], ..ClaimPlot::default() };
        assert!(claim(&plot, Format::Svg).unwrap().starts_with(b"<svg"));
    }
}
