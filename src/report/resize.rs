//! What a change of hosts costs, as a table, JSON, CSV and a plot.

use serde_json::{Value, json};

use super::files::NamedBytes;
use super::plot::{Format, PlotError, ResizePlot, ResizePlotRow, resize};
use super::tables::Table;
use super::terminal::{Grid, count};
use crate::experiment::{Resize, ResizeRow, ResizeSample};

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
pub fn resize_json(result: &Resize) -> Value {
    let object = |row: &ResizeRow| {
        let mut object = json!({
            "placement": row.placement,
            "from": result.from,
            "to": result.to,
            "keys": result.keys,
            "moved_share": mean(row, MOVED),
            "minimum_share": result.minimum_share,
            "seed_spread": row.seed_spread(),
        });
        for column in MEANS {
            object[column.0] = json!(mean(row, column));
        }
        object
    };
    result.rows.iter().map(object).collect()
}

/// One row a placement: means over seeds.
pub fn resize_csv(result: &Resize) -> Vec<u8> {
    let mut header = vec!["placement", "from", "to", "keys", MOVED.0, "minimum_share"];
    header.extend(MEANS.map(|(name, _)| name));
    header.push("seed_spread");
    let mut table = Table::new(&header);
    for row in &result.rows {
        let [before, after, moved_load, load_before, load_after] =
            MEANS.map(|column| mean(row, column));
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

/// Every file of a change of hosts. `what` says what was changed.
///
/// # Errors
///
/// When the plot cannot be encoded.
pub fn resize_files(result: &Resize, what: &str) -> Result<Vec<NamedBytes>, PlotError> {
    let plot = ResizePlot {
        title: what.to_owned(),
        subtitle: size(result),
        minimum_share: result.minimum_share,
        rows: result
            .rows
            .iter()
            .map(|row| ResizePlotRow {
                placement: row.placement.clone(),
                moved_share: mean(row, MOVED),
                before: mean(row, MEANS[0]),
                after: row.samples.iter().map(|sample| sample.max_over_mean_after).collect(),
            })
            .collect(),
    };
    let json = format!("{:#}\n", resize_json(result)).into_bytes();
    Ok(vec![
        ("resize.csv".to_owned(), resize_csv(result)),
        ("samples.csv".to_owned(), samples_csv(result)),
        ("resize.json".to_owned(), json),
        ("plots/resize.svg".to_owned(), resize(&plot, Format::Svg)?),
        ("plots/resize.png".to_owned(), resize(&plot, Format::Png)?),
    ])
}

fn size(result: &Resize) -> String {
    let seeds = result.rows.first().map_or(0, |row| row.samples.len());
    format!(
        "{} to {}, {}, {}",
        result.from,
        count(result.to, "host"),
        count(result.keys, "key"),
        count(seeds, "seed"),
    )
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
    let several = result.rows.iter().any(|row| row.samples.len() > 1);
    let spread = if several { "; mean ±standard deviation over seeds" } else { "" };
    format!(
        "{what}\n{}\n\n{}\nunavoidable minimum {:.2} %{spread}\n",
        size(result),
        grid.render(),
        result.minimum_share * 100.0
    )
}
