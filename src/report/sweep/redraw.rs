//! Plots of a sweep from its files alone.

use std::path::Path;

use super::info::SweepInfo;
use super::merge::SweepFiles;
use super::tables::names;
use crate::experiment::sweep::FRONT;
use crate::model::{InputError, read_text};
use crate::report::files::NamedBytes;
use crate::report::plot::{
    Format, FrontMark, FrontPlot, OnFront, SweepAxis, SweepMark, SweepPlot, sweep_front,
    sweep_over_axes,
};
use crate::report::redraw::{RedrawError, in_both_formats};
use crate::report::rows::{Rows, number};

/// One row of `points.csv`.
struct Row {
    at: Vec<String>,
    policy: usize,
    on_front: OnFront,
    /// Mean and interval of moves and of hot_ratio.
    moves: (f64, (f64, f64)),
    hot_ratio: (f64, (f64, f64)),
}

/// Draws every plot of a sweep from its tables that were just made, as SVG and
/// PNG.
///
/// # Errors
///
/// When `points.csv` is missing or lacks a column, or a file cannot be encoded.
pub fn redraw_sweep(
    info: &SweepInfo,
    tables: &[NamedBytes],
) -> Result<Vec<NamedBytes>, RedrawError> {
    let path = Path::new(names::POINTS);
    let points = tables.iter().find(|(name, _)| name == names::POINTS);
    let (_, bytes) = points.ok_or_else(|| InputError::file(path, "is missing"))?;
    draw(info, &Rows::parse(path, bytes)?)
}

/// Draws every plot again from the directory of a sweep; `None` if it holds none.
///
/// # Errors
///
/// When a file is missing or not as it was written, or cannot be encoded.
pub fn redraw_directory(directory: &Path) -> Result<Option<Vec<NamedBytes>>, RedrawError> {
    let Some(files) = SweepFiles::open(directory)? else { return Ok(None) };
    if files.info.partition.of > 1 {
        let message = "holds a part of a sweep, which has no plots; join all with evenkeel merge";
        return Err(InputError::file(directory, message).into());
    }
    let path = files.checked(names::POINTS)?;
    let table = Rows::parse(&path, read_text(&path)?.as_bytes())?;
    draw(&files.info, &table).map(Some)
}

fn draw(info: &SweepInfo, table: &Rows) -> Result<Vec<NamedBytes>, RedrawError> {
    let (policies, rows) = read(info, table)?;
    let of = |quantity: &str, counts: bool, value: fn(&Row) -> (f64, (f64, f64))| {
        let mark = |row: &Row| {
            let (mean, interval) = value(row);
            SweepMark { at: row.at.clone(), policy: row.policy, mean, interval }
        };
        let axes = info.axes.iter();
        SweepPlot {
            title: info.title.clone(),
            subtitle: format!("{quantity}: {}", info.size),
            quantity: quantity.to_owned(),
            counts,
            axes: axes
                .map(|axis| SweepAxis { name: axis.name.clone(), numeric: axis.numeric })
                .collect(),
            policies: policies.clone(),
            marks: rows.iter().map(mark).collect(),
        }
    };
    let mut files = Vec::new();
    if info.axes.len() <= 3 {
        let hot_ratio = of("hot_ratio (mean over time)", false, |row| row.hot_ratio);
        files.extend(in_both_formats("hot_ratio", &|format| sweep_over_axes(&hot_ratio, format))?);
        let moves = of("moves", true, |row| row.moves);
        files.extend(in_both_formats("moves", &|format| sweep_over_axes(&moves, format))?);
    }
    let front = FrontPlot {
        title: info.title.clone(),
        subtitle: format!("What moves buy: {}", info.size),
        policies,
        marks: rows.iter().map(|row| front_mark(info, row)).collect(),
    };
    let draw = |format: Format| sweep_front(&front, format);
    files.extend(in_both_formats("front", &draw)?);
    Ok(files)
}

fn front_mark(info: &SweepInfo, row: &Row) -> FrontMark {
    let axes = info.axes.iter().zip(&row.at);
    let at: Vec<String> = axes.map(|(axis, label)| format!("{} = {label}", axis.name)).collect();
    FrontMark {
        moves: row.moves.0,
        moves_interval: row.moves.1,
        hot_ratio: row.hot_ratio.0,
        hot_ratio_interval: row.hot_ratio.1,
        policy: row.policy,
        on_front: row.on_front,
        at: at.join(", "),
    }
}

/// The policies in order of appearance, and the rows.
fn read(info: &SweepInfo, table: &Rows) -> Result<(Vec<String>, Vec<Row>), InputError> {
    let axes: Vec<usize> =
        info.axes.iter().map(|axis| table.column(&axis.name)).collect::<Result<_, _>>()?;
    let (policy, front) = (table.column("policy")?, table.column("front")?);
    let columns = |metric: &str| -> Result<[usize; 3], InputError> {
        let column = |statistic| table.column(&format!("{metric}_{statistic}"));
        Ok([column("mean")?, column("ci_low")?, column("ci_high")?])
    };
    let [moves, hot_ratio] = [columns(FRONT[0])?, columns(FRONT[1])?];
    let mut policies: Vec<String> = Vec::new();
    let mut rows = Vec::new();
    for row in &table.rows {
        let name = &row[policy];
        let known = policies.iter().position(|policy| policy == name);
        let value = |[mean, low, high]: [usize; 3]| {
            (number(&row[mean]), (number(&row[low]), number(&row[high])))
        };
        rows.push(Row {
            at: axes.iter().map(|column| row[*column].to_owned()).collect(),
            policy: known.unwrap_or(policies.len()),
            on_front: match &row[front] {
                "knee" => OnFront::Knee,
                "front" => OnFront::Front,
                _ => OnFront::Behind,
            },
            moves: value(moves),
            hot_ratio: value(hot_ratio),
        });
        if known.is_none() {
            policies.push(name.to_owned());
        }
    }
    Ok((policies, rows))
}
