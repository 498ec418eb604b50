//! The Pareto front of hot_ratio against moves.

use crate::report::plot::axis::{Curve, Scale};
use crate::report::plot::figure::{Align, Area, BELOW_PANEL, BELOW_TITLE, Figure, MARGIN, Point};
use crate::report::plot::font::OTHER_FONTS;
use crate::report::plot::style::{AXIS, GRID, HEADING, INK, LABEL, Look, MIDDLE, MUTED, TICK};
use crate::report::plot::{Format, PlotError, number, render};

/// Where a point lies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OnFront {
    /// Another point beats it in both quantities.
    #[default]
    Behind,
    /// On the front.
    Front,
    /// The knee of the front.
    Knee,
}

/// The means of one point under one policy, with their intervals; NaN where there
/// are none.
#[derive(Clone, Debug, PartialEq)]
pub struct FrontMark {
    /// Moves.
    pub moves: f64,
    /// Interval of the moves.
    pub moves_interval: (f64, f64),
    /// hot_ratio.
    pub hot_ratio: f64,
    /// Interval of hot_ratio.
    pub hot_ratio_interval: (f64, f64),
    /// Position of the policy.
    pub policy: usize,
    /// Where it lies.
    pub on_front: OnFront,
    /// The values of the axes.
    pub at: String,
}

/// What the plot of the front shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrontPlot {
    /// The headline.
    pub title: String,
    /// A line below it.
    pub subtitle: String,
    /// The policies, in order.
    pub policies: Vec<String>,
    /// All points.
    pub marks: Vec<FrontMark>,
}

/// Draws the front of hot_ratio against moves, its knee marked and named.
///
/// # Errors
/// When the file cannot be encoded; never because of the data.
pub fn sweep_front(plot: &FrontPlot, format: Format) -> Result<Vec<u8>, PlotError> {
    render::render(&figure(plot)?, format)
}

const WIDTH: f64 = 960.0;
/// Widest name, distance of two, and room of the marker before it.
const NAME_ROOM: f64 = 150.0;
const NAME_GAP: f64 = 17.0;
const MARKER: f64 = 18.0;

pub(crate) fn figure(plot: &FrontPlot) -> Result<Figure, PlotError> {
    crate::report::plot::font::register()?;
    let panel = 440.0_f64.max(80.0 + NAME_GAP * plot.policies.len() as f64);
    let height = BELOW_TITLE + panel + BELOW_PANEL;
    let mut figure = Figure::new(WIDTH, height, &plot.title, &plot.subtitle);
    let bottom = height - BELOW_PANEL;
    let area = Area { left: MARGIN, top: BELOW_TITLE, right: WIDTH - MARGIN, bottom };
    let is_usable = |mark: &&FrontMark| mark.moves.is_finite() && mark.hot_ratio.is_finite();
    let marks: Vec<&FrontMark> = plot.marks.iter().filter(is_usable).collect();
    let values = |of: fn(&FrontMark) -> f64| marks.iter().map(move |mark| of(mark));
    let ends =
        |of: fn(&FrontMark) -> f64| values(of).reduce(f64::min).zip(values(of).reduce(f64::max));
    let (Some((_, most)), Some((low, high))) = (ends(|m| m.moves), ends(|m| m.hot_ratio)) else {
        figure.note(area, "No values to draw");
        return Ok(figure);
    };
    let names: Vec<String> =
        plot.policies.iter().map(|name| HEADING.fit(name, NAME_ROOM)).collect();
    let name_width = names.iter().map(|name| HEADING.width(name)).fold(0.0, f64::max) * OTHER_FONTS;
    let curve = Curve::for_values(values(|mark| mark.moves), most);
    let room = (0.06 * (high - low)).max(0.01 * high.abs()).max(1e-6);
    let vertical = (area.bottom - 40.0, area.top + 26.0);
    let y = Scale::new(Curve::Linear, 0.0, (low - room, high + room), vertical);
    let y_ticks = y.ticks(36.0, false);
    let tick_width = y_ticks.iter().map(|tick| TICK.width(&tick.label)).fold(0.0, f64::max);
    let inner = Area {
        left: area.left + tick_width + 8.0,
        top: vertical.1,
        right: area.right - name_width - MARKER - 14.0,
        bottom: vertical.0,
    };
    let x = Scale::new(curve, 0.0, (0.0, (most * 1.05).max(1.0)), (inner.left + 8.0, inner.right));
    let label = "hot_ratio (mean over time)";
    figure.text((area.left, area.top + 10.0), label, TICK, Align::Start);
    for tick in &y_ticks {
        let level = y.at(tick.value);
        figure.line((inner.left, level), (inner.right, level), GRID, 1.0);
        let at = (inner.left - 8.0, level + MIDDLE * TICK.em);
        figure.text(at, &tick.label, TICK, Align::End);
    }
    figure.line((inner.left, inner.bottom), (inner.right, inner.bottom), AXIS, 1.0);
    for tick in x.ticks(56.0, true) {
        let at = x.at(tick.value);
        figure.line((at, inner.bottom), (at, inner.bottom + 4.0), AXIS, 1.0);
        figure.text((at, inner.bottom + 17.0), &tick.label, TICK, Align::Middle);
    }
    let label = match curve {
        Curve::Linear => "moves",
        Curve::Log => "moves (log scale that includes 0)",
    };
    let middle = inner.left.midpoint(inner.right);
    figure.text((middle, inner.bottom + 34.0), label, TICK, Align::Middle);
    draw(&mut figure, &marks, &x, &y);
    if let Some(knee) = marks.iter().find(|mark| mark.on_front == OnFront::Knee) {
        name_knee(&mut figure, plot, knee, inner, (x.at(knee.moves), y.at(knee.hot_ratio)));
    }
    for (policy, name) in names.iter().enumerate() {
        let level = inner.top + 10.0 + NAME_GAP * policy as f64;
        Look::of(policy).mark(&mut figure, (inner.right + MARKER, level), 4.0);
        let at = (inner.right + MARKER + 10.0, level + MIDDLE * HEADING.em);
        figure.text(at, name, HEADING, Align::Start);
    }
    figure.caption(
        "Means over seeds; whiskers on the front: 95 %. Line: points that none beats in both. Ring: its knee.",
    );
    Ok(figure)
}

fn draw(figure: &mut Figure, marks: &[&FrontMark], x: &Scale, y: &Scale) {
    let mut front: Vec<&&FrontMark> =
        marks.iter().filter(|mark| mark.on_front != OnFront::Behind).collect();
    front.sort_by(|a, b| a.moves.total_cmp(&b.moves).then(b.hot_ratio.total_cmp(&a.hot_ratio)));
    // What the front reaches: at so many moves, no less hot_ratio.
    let mut steps: Vec<Point> = Vec::new();
    for mark in &front {
        let at = (x.at(mark.moves), y.at(mark.hot_ratio));
        if let Some(&(_, level)) = steps.last() {
            steps.push((at.0, level));
        }
        steps.push(at);
    }
    if steps.len() > 1 {
        figure.path(steps, AXIS, 1.25);
    }
    for mark in &front {
        let (across, up) = (x.at(mark.moves), y.at(mark.hot_ratio));
        let color = Look::of(mark.policy).color;
        let (left, right) = mark.moves_interval;
        if left.is_finite() && right > left {
            figure.line((x.at(left), up), (x.at(right), up), color, 1.0);
        }
        let (low, high) = mark.hot_ratio_interval;
        if low.is_finite() && high > low {
            figure.line((across, y.at(low)), (across, y.at(high)), color, 1.0);
        }
    }
    let radius = if marks.len() > 400 { 2.0 } else { 3.5 };
    for mark in marks {
        let at = (x.at(mark.moves), y.at(mark.hot_ratio));
        if mark.on_front == OnFront::Knee {
            figure.disc(at, radius + 5.0, INK);
            figure.disc(at, radius + 3.5, crate::report::plot::style::PAPER);
        }
        Look::of(mark.policy).mark(figure, at, radius);
    }
}

/// The knee's numbers and values, above and to the right of it, where the front
/// is not.
fn name_knee(figure: &mut Figure, plot: &FrontPlot, knee: &FrontMark, inner: Area, at: Point) {
    let policy = plot.policies.get(knee.policy).map_or("", String::as_str);
    let numbers = format!(
        "knee: hot_ratio {}, {} moves",
        number::fixed(knee.hot_ratio, 3),
        number::count(knee.moves)
    );
    let room = 0.7 * inner.width() / OTHER_FONTS;
    let lines = [(HEADING, numbers), (LABEL.in_color(MUTED), format!("{policy}, {}", knee.at))]
        .map(|(look, text)| (look, look.fit(&text, room)));
    let widths = lines.iter().map(|(look, text)| look.width(text) * OTHER_FONTS);
    let width = widths.fold(0.0, f64::max);
    let left = (at.0 + 30.0).min(inner.right - 8.0 - width);
    let top = inner.top + 14.0;
    for (index, (look, text)) in lines.iter().enumerate() {
        figure.text((left, top + 16.0 * index as f64), text, *look, Align::Start);
    }
    let from = (left + 4.0, top + 22.0);
    if at.1 > from.1 + 14.0 {
        figure.line(from, (at.0, at.1 - 9.5), AXIS, 0.75);
    }
}
