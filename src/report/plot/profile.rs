//! Hosts too many for bars: their loads sorted, hottest first.

use super::axis::Scale;
use super::figure::{Area, Figure, Point};
use super::hosts::HostBar;
use super::style::{ARRIVED, AXIS, PAPER, STAYED};

/// Draws the end as an area, the arrived part above the part that stayed, and
/// the start as a line over it. Each is sorted on its own.
pub(super) fn draw(figure: &mut Figure, area: Area, y: &Scale, hosts: &[HostBar]) {
    let slots = hosts.len();
    let mut ends: Vec<&HostBar> = hosts.iter().filter(|bar| bar.end.is_finite()).collect();
    ends.sort_by(|a, b| b.end.total_cmp(&a.end));
    let levels: Vec<f64> = ends.iter().map(|bar| bar.end).collect();
    let arrived: Vec<f64> = ends.iter().map(|bar| bar.end - bar.stayed()).collect();
    let per_column = columns(&levels, slots, area);
    filled(figure, area, &outline(&per_column, y), ARRIVED);
    let stayed: Vec<(f64, f64, f64)> = columns(&arrived, slots, area)
        .iter()
        .zip(&per_column)
        .map(|(&(left, right, arrived), &(.., end))| (left, right, end - arrived))
        .collect();
    filled(figure, area, &outline(&stayed, y), STAYED);

    let mut starts: Vec<f64> =
        hosts.iter().map(|bar| bar.start).filter(|start| start.is_finite()).collect();
    starts.sort_by(|a, b| b.total_cmp(a));
    let line = outline(&columns(&starts, slots, area), y);
    figure.path(line.clone(), PAPER, 2.25);
    figure.path(line, AXIS, 1.25);
}

/// Means of the values in columns of about two pixels: left, right, mean. Value
/// i of `slots` has its place from i to i + 1; the first value stays alone, so
/// that the hottest host keeps its height.
fn columns(values: &[f64], slots: usize, area: Area) -> Vec<(f64, f64, f64)> {
    let width = area.width() / slots as f64;
    let group = ((2.0 / width).floor() as usize).max(1);
    let place = |index: usize| area.left + index as f64 * width;
    let mut columns = Vec::new();
    let mut from = 0;
    while from < values.len() {
        let to = if from == 0 { 1 } else { (from + group).min(values.len()) };
        let mean = values[from..to].iter().sum::<f64>() / (to - from) as f64;
        columns.push((place(from), place(to), mean));
        from = to;
    }
    columns
}

/// A line through the middles of the columns, from the first edge to the last.
fn outline(columns: &[(f64, f64, f64)], y: &Scale) -> Vec<Point> {
    let middle = |&(left, right, value): &(f64, f64, f64)| (left.midpoint(right), y.at(value));
    let mut points: Vec<Point> = columns.iter().map(middle).collect();
    if let (Some(first), Some(last)) = (columns.first(), columns.last()) {
        points.insert(0, (first.0, y.at(first.2)));
        points.push((last.1, y.at(last.2)));
    }
    points
}

fn filled(figure: &mut Figure, area: Area, top: &[Point], color: plotters::style::RGBColor) {
    let (Some(first), Some(last)) = (top.first(), top.last()) else { return };
    let mut points = vec![(first.0, area.bottom)];
    points.extend_from_slice(top);
    points.push((last.0, area.bottom));
    figure.polygon(points, color, 1.0);
}
