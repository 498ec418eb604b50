//! How loaded each host was at the start and at the end, one panel a policy.

use super::axis::{Curve, Scale, Step, Tick};
use super::figure::{Align, Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN};
use super::font::OTHER_FONTS;
use super::style::{ARRIVED, AXIS, BEFORE, GRID, HEADING, INK, LABEL, MIDDLE, MUTED, STAYED, TICK};
use super::{Format, PlotError, number, profile, render};

/// What the plot of hosts shows: one seed of a run.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostsPlot {
    /// The headline.
    pub title: String,
    /// A line below it; say which seed it is.
    pub subtitle: String,
    /// The lower and the upper band of a balancer, relative to the fleet, if
    /// the policies have them.
    pub bands: Option<(f64, f64)>,
    /// One panel for each policy, in the order of declaration.
    pub panels: Vec<HostsPanel>,
}

/// The hosts of one policy.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HostsPanel {
    /// The policy's name.
    pub policy: String,
    /// Its hosts, in the order of declaration.
    pub hosts: Vec<HostBar>,
}

/// One host. All three numbers are utilisations relative to the fleet's, so
/// that 1 is the mean.
#[derive(Clone, Debug, PartialEq)]
pub struct HostBar {
    /// The host's name.
    pub name: String,
    /// At the start; NaN if the host was not there yet.
    pub start: f64,
    /// At the end; NaN if the host is gone.
    pub end: f64,
    /// The part of `end` that comes from shards that were elsewhere at the
    /// start; NaN if it is not known.
    pub arrived: f64,
}

impl HostBar {
    /// The part of the end that was there at the start.
    pub(super) fn stayed(&self) -> f64 {
        let arrived = if self.arrived.is_finite() { self.arrived.max(0.0) } else { 0.0 };
        (self.end - arrived).max(0.0)
    }
}

/// Draws the load of every host before and after, the arrived part marked: bars
/// side by side, or sorted profiles where bars would be too thin.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn hosts(plot: &HostsPlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

/// Panels shown at most; the caption says how many are left out.
const MOST_PANELS: usize = 36;
/// Narrowest place for a bar in pixels; below that, profiles are drawn.
const THINNEST_SLOT: f64 = 3.0;
/// Room for the heading above a panel and for labels below it.
const ABOVE: f64 = 30.0;
const BELOW: f64 = 44.0;
/// Between two columns of panels.
const GUTTER: f64 = 28.0;
const WIDTH: f64 = 960.0;
const LEGEND_HEIGHT: f64 = 24.0;

pub(super) fn figure(plot: &HostsPlot) -> Result<Figure, PlotError> {
    super::font::register()?;
    let panels = &plot.panels[..plot.panels.len().min(MOST_PANELS)];
    let columns = match panels.len() {
        0 | 1 => 1,
        2..=10 => 2,
        _ => 3,
    };
    let rows = panels.len().div_ceil(columns).max(1);
    let body = if columns == 1 { 280.0 } else { 150.0 };
    let top = BELOW_TITLE + LEGEND_HEIGHT;
    let row_height = ABOVE + body + BELOW;
    let height = top + rows as f64 * row_height + BELOW_PANEL;
    let mut figure = Figure::new(WIDTH, height, &plot.title, &plot.subtitle);

    let bands = plot.bands.filter(|(low, high)| low.is_finite() && high.is_finite());
    let values = panels.iter().flat_map(|panel| &panel.hosts).flat_map(|bar| [bar.start, bar.end]);
    let Some(highest) = values.filter(|value| value.is_finite()).reduce(f64::max) else {
        let area = Area { left: MARGIN, top, right: WIDTH - MARGIN, bottom: height - BELOW_PANEL };
        figure.note(area, "No hosts to draw");
        return Ok(figure);
    };
    let highest = highest.max(bands.map_or(1.0, |(_, high)| high)).max(1.0) * 1.05;
    let scale = Scale::new(Curve::Linear, 0.0, (0.0, highest), (body, 0.0));
    let ticks = scale.ticks(30.0, false);
    let tick_width = ticks.iter().map(|tick| TICK.width(&tick.label)).fold(0.0, f64::max) + 8.0;
    legend(&mut figure, bands);

    let column_width = (WIDTH - 2.0 * MARGIN - GUTTER * (columns as f64 - 1.0)) / columns as f64;
    for (index, panel) in panels.iter().enumerate() {
        let left = MARGIN + (index % columns) as f64 * (column_width + GUTTER);
        let top = top + (index / columns) as f64 * row_height + ABOVE;
        let area =
            Area { left: left + tick_width, top, right: left + column_width, bottom: top + body };
        let y = Scale::new(Curve::Linear, 0.0, (0.0, highest), (area.bottom, area.top));
        Frame { area, left, y, ticks: &ticks, bands }.draw(&mut figure, panel);
    }
    let left_out = match plot.panels.len() - panels.len() {
        0 => String::new(),
        more => format!(" {more} more policies are not shown."),
    };
    figure.caption(&format!("Utilisation of a host / of the fleet; 1 is the mean.{left_out}"));
    Ok(figure)
}

/// What the colours mean, in a row of its own above the panels.
fn legend(figure: &mut Figure, bands: Option<(f64, f64)>) {
    let (mut left, middle) = (MARGIN, BELOW_TITLE + 8.0);
    let baseline = middle + MIDDLE * LABEL.em;
    let entries = [
        (BEFORE, "at the start"),
        (STAYED, "at the end: shards that stayed"),
        (ARRIVED, "at the end: shards that arrived"),
    ];
    for (color, text) in entries {
        let area = Area { left, top: middle - 5.5, right: left + 11.0, bottom: middle + 5.5 };
        figure.rect(area, color, 1.0);
        figure.text((left + 17.0, baseline), text, LABEL, Align::Start);
        left += 17.0 + LABEL.width(text) * OTHER_FONTS + 18.0;
    }
    figure.line((left, middle), (left + 16.0, middle), INK, 1.25);
    figure.text((left + 22.0, baseline), "mean", LABEL, Align::Start);
    left += 22.0 + LABEL.width("mean") * OTHER_FONTS + 18.0;
    if let Some((low, high)) = bands {
        figure.line((left, middle), (left + 16.0, middle), INK, 0.5);
        let text = format!("bands {} and {}", number::fixed(low, 2), number::fixed(high, 2));
        figure.text((left + 22.0, baseline), &text, LABEL, Align::Start);
    }
}

/// Where a panel is drawn, and on which scale.
struct Frame<'a> {
    area: Area,
    /// Left edge of the panel with its tick labels.
    left: f64,
    y: Scale,
    ticks: &'a [Tick],
    bands: Option<(f64, f64)>,
}

impl Frame<'_> {
    fn draw(&self, figure: &mut Figure, panel: &HostsPanel) {
        let area = self.area;
        for tick in self.ticks {
            let level = self.y.at(tick.value);
            figure.line((area.left, level), (area.right, level), GRID, 1.0);
            let at = (area.left - 8.0, level + MIDDLE * TICK.em);
            figure.text(at, &tick.label, TICK, Align::End);
        }
        self.heading(figure, panel);
        if panel.hosts.is_empty() {
            figure.note(area, "no hosts");
        } else {
            let slot = area.width() / panel.hosts.len() as f64;
            if slot >= THINNEST_SLOT {
                self.bars(figure, &panel.hosts, slot);
                self.names(figure, &panel.hosts, slot);
            } else {
                profile::draw(figure, area, &self.y, &panel.hosts);
                let text = format!(
                    "{} hosts, hottest first, at the start (grey line) and at the end",
                    number::count(panel.hosts.len() as f64)
                );
                self.label(figure, &text);
            }
        }
        self.references(figure);
        figure.line((area.left, area.bottom), (area.right, area.bottom), AXIS, 1.0);
    }

    /// The policy's name on the left, its hottest host on the right.
    fn heading(&self, figure: &mut Figure, panel: &HostsPanel) {
        let baseline = self.area.top - 11.0;
        if panel.hosts.is_empty() {
            let name = HEADING.fit(&panel.policy, self.area.right - self.left);
            figure.text((self.left, baseline), &name, HEADING, Align::Start);
            return;
        }
        let hottest = |value: fn(&HostBar) -> f64| {
            let values = panel.hosts.iter().map(value).filter(|value| value.is_finite());
            number::fixed(values.reduce(f64::max).unwrap_or(f64::NAN), 2)
        };
        let text = format!("hottest {}, then {}", hottest(|bar| bar.start), hottest(|bar| bar.end));
        let room = self.area.right - self.left - LABEL.width(&text) * OTHER_FONTS - 12.0;
        let name = HEADING.fit(&panel.policy, room);
        figure.text((self.left, baseline), &name, HEADING, Align::Start);
        let at = (self.area.right, baseline);
        figure.text(at, &text, LABEL.in_color(MUTED), Align::End);
    }

    /// Bars of the start, wide and light, and before them bars of the end,
    /// narrow and dark, the arrived part on top.
    fn bars(&self, figure: &mut Figure, hosts: &[HostBar], slot: f64) {
        let (wide, narrow) = (slot.min(90.0) * 0.84, slot.min(90.0) * 0.46);
        for (index, bar) in hosts.iter().enumerate() {
            let middle = self.area.left + (index as f64 + 0.5) * slot;
            let mut draw = |width: f64, from: f64, to: f64, color| {
                let area = Area {
                    left: middle - width / 2.0,
                    top: self.y.at(to),
                    right: middle + width / 2.0,
                    bottom: self.y.at(from),
                };
                if area.bottom > area.top {
                    figure.rect(area, color, 1.0);
                }
            };
            if bar.start.is_finite() {
                draw(wide, 0.0, bar.start, BEFORE);
            }
            if bar.end.is_finite() {
                draw(narrow, 0.0, bar.stayed(), STAYED);
                draw(narrow, bar.stayed(), bar.end, ARRIVED);
            }
        }
    }

    /// The mean and the bands, over the bars.
    fn references(&self, figure: &mut Figure) {
        let across = |value| {
            let level = self.y.at(value);
            [(self.area.left, level), (self.area.right, level)]
        };
        figure.path(across(1.0).to_vec(), INK, 1.25);
        if let Some((low, high)) = self.bands {
            figure.path(across(low).to_vec(), INK, 0.5);
            figure.path(across(high).to_vec(), INK, 0.5);
        }
    }

    /// Names below the bars where they fit, without what they all begin with if
    /// that helps; places in the order of declaration otherwise.
    fn names(&self, figure: &mut Figure, hosts: &[HostBar], slot: f64) {
        let names: Vec<&str> = hosts.iter().map(|bar| bar.name.as_str()).collect();
        let fits =
            |names: &[&str]| names.iter().all(|name| TICK.width(name) * OTHER_FONTS <= slot - 4.0);
        let shared = shared_start(&names);
        let short: Vec<&str> = names.iter().map(|name| &name[shared.len()..]).collect();
        let (shown, label) = if fits(&names) {
            (names, String::new())
        } else if !shared.is_empty() && fits(&short) {
            {
                let ends = [names.first(), names.last()].map(|name| name.map_or("", |name| name));
                (short, format!("{} to {}", ends[0], ends[1]))
            }
        } else {
            let places = Scale::new(
                Curve::Linear,
                0.0,
                (0.5, hosts.len() as f64 + 0.5),
                (self.area.left, self.area.right),
            );
            let most = (self.area.width() / 40.0).floor();
            let step = Step::decimal(hosts.len() as f64, most, true);
            for tick in step.ticks(1.0, hosts.len() as f64) {
                let at = (places.at(tick.value), self.area.bottom + 15.0);
                figure.text(at, &tick.label, TICK, Align::Middle);
            }
            self.label(figure, "host, in the order of declaration");
            return;
        };
        for (index, name) in shown.iter().enumerate() {
            let middle = self.area.left + (index as f64 + 0.5) * slot;
            figure.text((middle, self.area.bottom + 15.0), name, TICK, Align::Middle);
        }
        self.label(figure, &label);
    }

    fn label(&self, figure: &mut Figure, text: &str) {
        let at = (self.area.left.midpoint(self.area.right), self.area.bottom + 30.0);
        figure.text(at, &TICK.fit(text, self.area.width()), TICK, Align::Middle);
    }
}

/// What all names begin with, leaving at least one letter of each.
fn shared_start<'a>(names: &[&'a str]) -> &'a str {
    let Some((&first, rest)) = names.split_first() else { return "" };
    let mut shared = first;
    for name in rest {
        let common = shared.chars().zip(name.chars()).take_while(|(a, b)| a == b);
        let length: usize = common.map(|(letter, _)| letter.len_utf8()).sum();
        shared = &shared[..length];
    }
    let leaves_all = |length: usize| names.iter().all(|name| name.len() > length);
    let length = shared.char_indices().map(|(at, letter)| at + letter.len_utf8());
    // Digits stay together: of `host-10` and `host-12`, `10` and `12` are left.
    let whole = |&length: &usize| !shared[..length].ends_with(|c: char| c.is_ascii_digit());
    let end = length.rev().filter(whole).find(|&length| leaves_all(length));
    &shared[..end.unwrap_or(0)]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shared_starts_leave_numbers_whole() {
        assert_eq!(shared_start(&["host-10", "host-12"]), "host-");
        assert_eq!(shared_start(&["h1", "h2", "h"]), "");
        assert_eq!(shared_start(&["a", "b"]), "");
        assert_eq!(shared_start(&["same", "same"]), "sam");
        assert_eq!(shared_start(&["é1", "é2"]), "é");
        assert_eq!(shared_start(&[]), "");
    }
}
