//! What a change of hosts costs, as a table, JSON, CSV and a plot.

use std::path::Path;

use serde_json::{Value, json};

use super::files::NamedBytes;
use super::plot::{Format, ResizePlot, ResizePlotRow, resize};
use super::redraw::{RedrawError, in_both_formats};
use super::rows::{Rows, number};
use super::tables::Table;
use super::terminal::{Grid, count};
use crate::experiment::{Resize, ResizeRow, ResizeSample};
use crate::model::{InputError, read_text};

/// One row for each placement; where it stands, all files are of one command.
const RESIZE: &str = "resize.csv";
/// One row for each placement and seed.
const SAMPLES: &str = "samples.csv";

/// The columns of `resize.csv` and the keys of the JSON objects that are means
/// over seeds, apart from the share of the minimum, which no seed changes.
type Column = (&'static str, fn(&ResizeSample) -> f64);

const MOVED: Column = ("moved_share", |sample| sample.moved_share);
const MEANS: [Column; 5] = [
    ("max_over_mean_before", |sample| sample.max_over_mean_before),
    ("max_over_mean_after", |sample| sample.max_over_mean_after),
    ("moved_load_share", |sample| sample.moved_load_share),
    ("load_max_over_mean_before", |sample| sample.load_max_over_mean_before),
    ("load_max_over_mean_after", |sample| sample.load_max_over_mean_after),
];

fn mean(row: &ResizeRow, (_, value): Column) -> f64 {
    row.mean(value).0
}

/// An array with one object a placement; docs/formats.md describes the keys.
/// `what` says what was changed.
pub fn resize_json(result: &Resize, what: &str) -> Value {
    let object = |row: &ResizeRow| {
        let versions = row.map_versions();
        let mut object = json!({
            "placement": row.placement,
            "from": result.from,
            "to": result.to,
            "keys": result.keys,
            "moved_share": mean(row, MOVED),
            "minimum_share": result.minimum_share,
            "seed_spread": row.seed_spread(),
            "map_version_before": versions.map(|(before, _)| before),
            "map_version_after": versions.map(|(_, after)| after),
            "change": what,
        });
        for column in MEANS {
            object[column.0] = json!(mean(row, column));
        }
        object
    };
    result.rows.iter().map(object).collect()
}

/// One row a placement: means over seeds. `what` says what was changed.
pub fn resize_csv(result: &Resize, what: &str) -> Vec<u8> {
    let mut header = vec!["placement", "from", "to", "keys", MOVED.0, "minimum_share"];
    header.extend(MEANS.map(|(name, _)| name));
    header.extend(["seed_spread", "map_version_before", "map_version_after", "change"]);
    let mut table = Table::new(&header);
    for row in &result.rows {
        let [before, after, moved_load, load_before, load_after] =
            MEANS.map(|column| mean(row, column));
        let versions = row.map_versions();
        table.row(&[
            &row.placement.as_str(),
            &result.from,
            &result.to,
            &result.keys,
            &mean(row, MOVED),
            &result.minimum_share,
            &before,
            &after,
            &moved_load,
            &load_before,
            &load_after,
            &row.seed_spread(),
            &versions.map(|(before, _)| before),
            &versions.map(|(_, after)| after),
            &what,
        ]);
    }
    table.bytes()
}

/// One row a placement and seed.
fn samples_csv(result: &Resize) -> Vec<u8> {
    let mut header = vec!["placement", "seed", MOVED.0];
    header.extend(MEANS.map(|(name, _)| name));
    let mut table = Table::new(&header);
    for row in &result.rows {
        for sample in &row.samples {
            let [before, after, moved_load, load_before, load_after] =
                MEANS.map(|(_, value)| value(sample));
            table.row(&[
                &row.placement.as_str(),
                &sample.seed,
                &sample.moved_share,
                &before,
                &after,
                &moved_load,
                &load_before,
                &load_after,
            ]);
        }
    }
    table.bytes()
}

/// The files of a change of hosts.
#[derive(Clone, Debug, PartialEq)]
pub struct ResizeFiles {
    /// Those that may be written in any order.
    pub files: Vec<NamedBytes>,
    /// The table of placements, which is written last.
    pub last: NamedBytes,
}

/// Every file of a change of hosts. `what` says what was changed.
///
/// # Errors
///
/// When the plot cannot be encoded.
pub fn resize_files(result: &Resize, what: &str) -> Result<ResizeFiles, RedrawError> {
    let (placements, samples) = (resize_csv(result, what), samples_csv(result));
    let mut files = draw(
        &Rows::parse(Path::new(RESIZE), &placements)?,
        &Rows::parse(Path::new(SAMPLES), &samples)?,
    )?;
    let json = format!("{:#}\n", resize_json(result, what)).into_bytes();
    files.extend([(SAMPLES.to_owned(), samples), ("resize.json".to_owned(), json)]);
    Ok(ResizeFiles { files, last: (RESIZE.to_owned(), placements) })
}

/// Draws the plot of a change of hosts again from the directory that holds its
/// files; `None` if it holds none.
///
/// # Errors
///
/// When a table is missing or lacks a column, or a file cannot be encoded.
pub fn redraw_resize(directory: &Path) -> Result<Option<Vec<NamedBytes>>, RedrawError> {
    if !directory.join(RESIZE).is_file() {
        return Ok(None);
    }
    let table = |name: &str| -> Result<Rows, InputError> {
        let path = directory.join(name);
        Rows::parse(&path, read_text(&path)?.as_bytes())
    };
    draw(&table(RESIZE)?, &table(SAMPLES)?).map(Some)
}

/// The plot, as SVG and PNG, from both tables.
fn draw(placements: &Rows, samples: &Rows) -> Result<Vec<NamedBytes>, RedrawError> {
    let column = |name: &str| placements.column(name);
    let [placement, from, to, keys] =
        [column("placement")?, column("from")?, column("to")?, column("keys")?];
    let [moved, before] = [column(MOVED.0)?, column(MEANS[0].0)?];
    let after = samples.column(MEANS[1].0)?;
    let mut plot = ResizePlot::default();
    if let Some(row) = placements.rows.first() {
        plot.title = row[column("change")?].to_owned();
        plot.minimum_share = number(&row[column("minimum_share")?]);
        let seeds = samples.with("placement", &row[placement])?.rows.len();
        let whole = |column: usize| row[column].parse().unwrap_or(0);
        plot.subtitle = size(whole(from), whole(to), whole(keys), seeds);
    }
    for row in &placements.rows {
        let of_placement = samples.with("placement", &row[placement])?;
        plot.rows.push(ResizePlotRow {
            placement: row[placement].to_owned(),
            moved_share: number(&row[moved]),
            before: number(&row[before]),
            after: of_placement.rows.iter().map(|row| number(&row[after])).collect(),
        });
    }
    Ok(in_both_formats("resize", &|format: Format| resize(&plot, format))?.into())
}

fn size(from: usize, to: usize, keys: usize, seeds: usize) -> String {
    let [to, keys, seeds] = [count(to, "host"), count(keys, "key"), count(seeds, "seed")];
    format!("{from} to {to}, {keys}, {seeds}")
}

/// The comparison for people. Columns of the load are shown if loads differ.
pub fn resize_table(result: &Resize, what: &str, with_load: bool) -> String {
    let mut header =
        vec!["placement", "moved %", "above minimum %", "max/mean before", "max/mean after"];
    if with_load {
        header.extend(["load moved %", "hot_ratio before", "hot_ratio after"]);
    }
    let mut grid = Grid::of_header(header.into_iter().map(str::to_owned).collect());
    let spread = |(mean, deviation): (f64, Option<f64>)| match deviation {
        None => format!("{mean:.4}"),
        Some(deviation) => format!("{mean:.4} ±{deviation:.4}"),
    };
    for row in &result.rows {
        let moved = mean(row, MOVED);
        // A share just below the minimum is the sampling of the keys.
        let above = (moved - result.minimum_share) * 100.0;
        let [before, after, moved_load, load_before, load_after] =
            MEANS.map(|(_, value)| row.mean(value));
        let mut cells = vec![
            row.placement.clone(),
            format!("{:.2}", moved * 100.0),
            format!("{above:.2}"),
            spread(before),
            spread(after),
        ];
        if with_load {
            cells.extend([
                format!("{:.2}", moved_load.0 * 100.0),
                spread(load_before),
                spread(load_after),
            ]);
        }
        grid.row(cells);
    }
    let seeds = result.rows.first().map_or(0, |row| row.samples.len());
    let several = result.rows.iter().any(|row| row.samples.len() > 1);
    let spread = if several { "; mean ±standard deviation over seeds" } else { "" };
    format!(
        "{what}\n{}\n\n{}\nunavoidable minimum {:.2} %{spread}\n",
        size(result.from, result.to, result.keys, seeds),
        grid.render(),
        result.minimum_share * 100.0
    )
}
