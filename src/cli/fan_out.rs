//! `evenkeel fan-out`.

use std::path::Path;

use clap::Args;
use evenkeel::experiment::{FanOut, Latency};
use evenkeel::model::{CsvFile, InputError};
use evenkeel::report::{FanOutRow, fan_out_csv, fan_out_json, fan_out_table};

use super::failure::Failure;
use super::output::{Format, print};

/// Arguments of `fan-out`.
#[derive(Debug, Args)]
pub(super) struct FanOutArguments {
    /// How many shards a query asks; several numbers are compared.
    #[arg(long, value_name = "N,...", value_delimiter = ',', default_value = "1,8,32,128")]
    shards: Vec<u32>,
    /// The latency of a shard: exponential:MEAN, lognormal:MEDIAN,SIGMA, or a CSV file with a
    /// column latency.
    #[arg(long, value_name = "WHAT", default_value = "lognormal:10,0.5")]
    latency: String,
    /// A shard is slow with this probability.
    #[arg(long, value_name = "P", default_value_t = 0.01, allow_negative_numbers = true)]
    slow: f64,
    /// The share of slowness that shards have in common.
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true)]
    common: f64,
    /// Queries that are simulated.
    #[arg(long, value_name = "N", default_value_t = 20_000, allow_negative_numbers = true)]
    queries: usize,
    /// The seed of the simulation.
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,
    /// What to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

pub(super) fn fan_out(arguments: &FanOutArguments) -> Result<(), Failure> {
    let fault = |message: String| Err(Failure::Input(message));
    let FanOutArguments { slow, common, queries, .. } = *arguments;
    if !(slow > 0.0 && slow < 1.0) {
        return fault(format!("--slow {slow}: must be between 0 and 1"));
    }
    if !(0.0..=1.0).contains(&common) {
        return fault(format!("--common {common}: must be from 0 to 1"));
    }
    if !(1..=10_000_000).contains(&queries) {
        return fault(format!("--queries {queries}: must be from 1 to 10000000"));
    }
    if let Some(shards) = arguments.shards.iter().find(|shards| !(1..=100_000).contains(*shards)) {
        return fault(format!("--shards {shards}: must be from 1 to 100000"));
    }
    let latency = read_latency(&arguments.latency)?;
    latency
        .check()
        .map_err(|error| Failure::Input(format!("--latency {}: {error}", arguments.latency)))?;
    let rows: Vec<FanOutRow> = arguments
        .shards
        .iter()
        .map(|&shards| {
            let query = FanOut { shards, common };
            FanOutRow::of(&query, &latency, slow, queries, arguments.seed)
        })
        .collect();
    match arguments.format {
        Format::Table => print(&fan_out_table(&rows, slow, common)),
        Format::Json => print(&format!("{:#}\n", fan_out_json(&rows))),
        Format::Csv => print(&String::from_utf8_lossy(&fan_out_csv(&rows))),
    }
}

fn read_latency(text: &str) -> Result<Latency, Failure> {
    let numbers = |text: &str| -> Option<Vec<f64>> {
        text.split(',').map(|number| number.trim().parse().ok()).collect()
    };
    let latency = match text.split_once(':') {
        Some(("exponential", rest)) => match numbers(rest).as_deref() {
            Some(&[mean]) => Some(Latency::Exponential { mean }),
            _ => None,
        },
        Some(("lognormal", rest)) => match numbers(rest).as_deref() {
            Some(&[median, sigma]) => Some(Latency::Lognormal { median, sigma }),
            _ => None,
        },
        Some(_) if !Path::new(text).exists() => None,
        _ => return Ok(Latency::Measured(measured(Path::new(text))?)),
    };
    latency.ok_or_else(|| {
        let forms = "exponential:MEAN or lognormal:MEDIAN,SIGMA, with numbers, or a file";
        Failure::Input(format!("--latency {text}: write {forms}"))
    })
}

/// The column `latency` of a file, in ascending order.
fn measured(path: &Path) -> Result<Vec<f64>, InputError> {
    let file = CsvFile::open(path)?;
    let column =
        file.column("latency").ok_or_else(|| InputError::line(path, 1, file.lacks("latency")))?;
    let mut values = file
        .rows(false)
        .map(|row| row?.load(path, column, "latency"))
        .collect::<Result<Vec<f64>, _>>()?;
    values.sort_by(f64::total_cmp);
    Ok(values)
}
