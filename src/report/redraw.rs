//! Plots from a run's CSV files alone.

use std::path::Path;

use csv::StringRecord;
use serde_json::Value;

use super::files::NamedBytes;
use super::manifest::MANIFEST;
use super::plot::{
    CumulativePlot, ExcessPlot, Format, HostBar, HostsPanel, HostsPlot, HotRatioPlot, MovesPlot,
    PlotError, PolicyCurves, PolicyExcess, Sample, Series, cumulative, excess, hosts, hot_ratio,
    moves,
};
use super::rows::{Rows, number};
use super::tables::names;
use crate::model::{InputError, read_text};
use crate::optimum::Metric;
use crate::scenario::{PolicySettings, Scenario};

/// Why plots could not be drawn.
#[derive(Debug, thiserror::Error)]
pub enum RedrawError {
    /// A file of the run is missing or damaged.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The drawing itself failed.
    #[error(transparent)]
    Plot(#[from] PlotError),
}

/// What stands above the plots, and lines in them that are no data.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Heading {
    /// The title.
    pub title: String,
    /// Size of the scenario.
    pub size: String,
    /// The lower and upper band of the first greedy policy.
    pub bands: Option<(f64, f64)>,
}

impl Heading {
    /// The heading of a scenario.
    pub fn of(scenario: &Scenario) -> Self {
        let bands = scenario.policies.iter().find_map(|policy| match &policy.settings {
            PolicySettings::Greedy(settings) => Some((settings.lower_band, settings.upper_band)),
            _ => None,
        });
        Self {
            title: super::terminal::title(scenario).to_owned(),
            size: super::size(scenario),
            bands,
        }
    }

    fn from_manifest(path: &Path, manifest: &Value) -> Result<Self, InputError> {
        let word = |key: &str| {
            let value = manifest[key].as_str().map(str::to_owned);
            value.ok_or_else(|| no_manifest(path, format!("it has no `{key}`")))
        };
        let bands = manifest["bands"]
            .as_array()
            .and_then(|bands| Some((bands.first()?.as_f64()?, bands.get(1)?.as_f64()?)));
        Ok(Self { title: word("title")?, size: word("size")?, bands })
    }
}

fn no_manifest(path: &Path, why: impl std::fmt::Display) -> InputError {
    InputError::file(path, format!("is not the manifest of a run: {why}"))
}

/// The tables that plots are drawn from.
#[derive(Clone, Debug)]
pub struct Tables {
    heading: Heading,
    summary: Rows,
    timeseries: Rows,
    hosts: Rows,
    optimum: Option<Rows>,
}

impl Rows {
    /// Rows by policy in order of appearance, and within that by seed.
    fn by_lane(&self) -> Result<Vec<PolicyRows<'_>>, InputError> {
        let (policy, seed) = (self.column("policy")?, self.column("seed")?);
        let policies = self.rows.chunk_by(|a, b| a[policy] == b[policy]);
        Ok(policies
            .map(|rows| PolicyRows {
                policy: &rows[0][policy],
                seeds: rows.chunk_by(|a, b| a[seed] == b[seed]).collect(),
            })
            .collect())
    }

    /// One column over time, for each policy and seed.
    fn series(&self, name: &str) -> Result<Vec<Series>, InputError> {
        let (time, value) = (self.column("time_s")?, self.column(name)?);
        let sample =
            |row: &StringRecord| Sample { time_s: number(&row[time]), value: number(&row[value]) };
        let lane = |rows: &&[StringRecord]| rows.iter().map(sample).collect();
        let series = |rows: &PolicyRows<'_>| Series {
            name: rows.policy.to_owned(),
            lanes: rows.seeds.iter().map(lane).collect(),
        };
        Ok(self.by_lane()?.iter().map(series).collect())
    }
}

/// The rows of one policy, one slice for each seed.
struct PolicyRows<'a> {
    policy: &'a str,
    seeds: Vec<&'a [StringRecord]>,
}

impl Tables {
    /// Takes the tables of a run that were just made.
    ///
    /// # Errors
    ///
    /// When a table is missing.
    pub fn of(heading: Heading, files: &[NamedBytes]) -> Result<Self, InputError> {
        Self::from(heading, Path::new(""), |name| {
            let file = files.iter().find(|(file, _)| file == name);
            Ok(file.map(|(_, bytes)| bytes.clone()))
        })
    }

    /// Reads the tables from the directory of a run: those that its manifest
    /// lists, since others may be left from an earlier run.
    ///
    /// # Errors
    ///
    /// When the directory does not hold a run.
    pub fn read(directory: &Path) -> Result<Self, InputError> {
        if !directory.is_dir() {
            return Err(InputError::file(
                directory,
                "is not a directory with the results of a run",
            ));
        }
        let path = directory.join(MANIFEST);
        let manifest: Value =
            serde_json::from_str(&read_text(&path)?).map_err(|error| no_manifest(&path, error))?;
        let outputs = manifest["outputs"]
            .as_array()
            .ok_or_else(|| no_manifest(&path, "it has no `outputs`"))?;
        Self::from(Heading::from_manifest(&path, &manifest)?, directory, |name| {
            if !outputs.iter().any(|output| output["file"] == name) {
                return Ok(None);
            }
            read_text(&directory.join(name)).map(|text| Some(text.into_bytes()))
        })
    }

    fn from(
        heading: Heading,
        directory: &Path,
        bytes: impl Fn(&str) -> Result<Option<Vec<u8>>, InputError>,
    ) -> Result<Self, InputError> {
        let optional = |name: &str| {
            let path = directory.join(name);
            bytes(name)?.map(|bytes| Rows::parse(&path, &bytes)).transpose()
        };
        let table = |name: &str| {
            let missing = || InputError::file(&directory.join(name), "is missing");
            optional(name)?.ok_or_else(missing)
        };
        Ok(Self {
            heading,
            summary: table(names::SUMMARY)?,
            timeseries: table(names::TIMESERIES)?,
            hosts: table(names::HOSTS)?,
            optimum: optional(names::OPTIMUM)?,
        })
    }
}

/// Draws every plot, as SVG and PNG.
///
/// # Errors
///
/// When a table lacks a column, or a file cannot be encoded.
pub fn redraw(tables: &Tables) -> Result<Vec<NamedBytes>, RedrawError> {
    let Heading { title, size, bands } = &tables.heading;
    let of_max = |rows: &Rows| rows.with("metric", Metric::Max.as_str());
    let hottest = tables.optimum.as_ref().map(of_max).transpose()?;
    let ratios = HotRatioPlot {
        title: title.clone(),
        subtitle: format!("Hottest host over the fleet's average: {size}"),
        policies: tables.timeseries.series("hot_ratio")?,
        optimum: of_one_policy(hottest.as_ref(), "optimum")?,
        floor: of_one_policy(Some(&tables.timeseries), "floor")?,
    };
    let movement = MovesPlot {
        title: title.clone(),
        subtitle: format!("Shard moves since the start: {size}"),
        policies: tables.timeseries.series("moves")?,
    };
    let bars = HostsPlot {
        title: title.clone(),
        subtitle:
            "Load of each host over the fleet's average, at the start and the end (first seed)"
                .to_owned(),
        bands: *bands,
        panels: panels(&tables.hosts)?,
    };
    let mut files = Vec::new();
    let mut add = |name: &str, draw: &dyn Fn(Format) -> Result<Vec<u8>, PlotError>| {
        files.extend(in_both_formats(name, draw)?);
        Ok::<(), PlotError>(())
    };
    add("hot_ratio", &|format| hot_ratio(&ratios, format))?;
    add("moves", &|format| moves(&movement, format))?;
    add("hosts", &|format| hosts(&bars, format))?;
    if let Some(optimum) = &tables.optimum {
        let probed = probed_metrics(optimum)?;
        if let Some((metric, rows)) = probed.first() {
            let distance = ExcessPlot {
                title: title.clone(),
                subtitle: format!("Distance to the optimum by {}: {size}", metric_name(*metric)),
                policies: excesses(rows, &tables.summary, *metric)?,
            };
            add("excess", &|format| excess(&distance, format))?;
        }
        let snapshots = CumulativePlot {
            title: title.clone(),
            subtitle: format!("How many snapshots are how near to the optimum: {size}"),
            policies: last_excesses(&probed)?,
        };
        if snapshots.policies.iter().any(|policy| policy.has_several_snapshots()) {
            add("cumulative", &|format| cumulative(&snapshots, format))?;
        }
    }
    Ok(files)
}

/// The metrics that were probed, in order, with their rows.
fn probed_metrics(optimum: &Rows) -> Result<Vec<(Metric, Rows)>, InputError> {
    let mut probed = Vec::new();
    for metric in Metric::ALL {
        let rows = optimum.with("metric", metric.as_str())?;
        if !rows.rows.is_empty() {
            probed.push((metric, rows));
        }
    }
    Ok(probed)
}

/// A metric in the texts of plots.
fn metric_name(metric: Metric) -> &'static str {
    match metric {
        Metric::Max => "hot_ratio",
        Metric::Squares => "the sum of squares",
    }
}

/// The excess of each policy by one metric: means of the seeds, and over time.
fn excesses(
    probed: &Rows,
    summary: &Rows,
    metric: Metric,
) -> Result<Vec<PolicyExcess>, InputError> {
    let column = summary.column(match metric {
        Metric::Max => "excess_mean",
        Metric::Squares => "square_excess_mean",
    })?;
    let policy = |(series, rows): (Series, PolicyRows<'_>)| PolicyExcess {
        policy: series.name,
        seed_means: rows.seeds.concat().iter().map(|row| number(&row[column])).collect(),
        over_time: series.lanes,
    };
    Ok(probed.series("excess")?.into_iter().zip(summary.by_lane()?).map(policy).collect())
}

/// The excess at the last probe of each seed, by policy and metric.
fn last_excesses(probed: &[(Metric, Rows)]) -> Result<Vec<PolicyCurves>, InputError> {
    let mut policies: Vec<PolicyCurves> = Vec::new();
    for (metric, rows) in probed {
        for (index, series) in rows.series("excess")?.into_iter().enumerate() {
            let last = |lane: &Vec<Sample>| lane.last().map(|sample| sample.value);
            let shares = series.lanes.iter().filter_map(last).collect();
            if index == policies.len() {
                policies.push(PolicyCurves { policy: series.name, metrics: Vec::new() });
            }
            policies[index].metrics.push((metric_name(*metric).to_owned(), shares));
        }
    }
    Ok(policies)
}

/// A plot as SVG and as PNG.
pub(super) fn in_both_formats(
    name: &str,
    draw: &dyn Fn(Format) -> Result<Vec<u8>, PlotError>,
) -> Result<[NamedBytes; 2], PlotError> {
    let file = |ending| format!("plots/{name}.{ending}");
    Ok([(file("svg"), draw(Format::Svg)?), (file("png"), draw(Format::Png)?)])
}

/// A quantity that is the same for all policies, from the rows of the first.
fn of_one_policy(rows: Option<&Rows>, column: &str) -> Result<Option<Series>, InputError> {
    let Some(rows) = rows else { return Ok(None) };
    let first = rows.series(column)?.into_iter().next();
    Ok(first.map(|series| Series { name: column.to_owned(), ..series }))
}

/// The hosts of the first seed of each policy, at the first and the last time.
fn panels(rows: &Rows) -> Result<Vec<HostsPanel>, InputError> {
    let column = |name| rows.column(name);
    let (time, host, load) = (column("time_s")?, column("host")?, column("load")?);
    let (capacity, status, arrived) =
        (column("capacity")?, column("status")?, column("arrived_load")?);
    let mut panels = Vec::new();
    for PolicyRows { policy, seeds } in rows.by_lane()? {
        let Some(rows) = seeds.first() else { continue };
        let times = (
            rows.first().map(|row| row[time].to_owned()),
            rows.last().map(|row| row[time].to_owned()),
        );
        let at = |when: &Option<String>| -> Vec<&StringRecord> {
            rows.iter().filter(|row| when.as_deref() == Some(&row[time])).collect()
        };
        let (start, end) = (at(&times.0), at(&times.1));
        let start_fleet = fleet_utilisation(&start, load, capacity, status);
        let end_fleet = fleet_utilisation(&end, load, capacity, status);
        // Hosts only ever join the list, so that the end names them all.
        let bars = end.iter().map(|row| {
            let before = start.iter().find(|before| before[host] == row[host]);
            let relative =
                |row: &StringRecord, column: usize, fleet: f64| match is_live(&row[status]) {
                    true => number(&row[column]) / number(&row[capacity]) / fleet,
                    false => f64::NAN,
                };
            HostBar {
                name: row[host].to_owned(),
                start: before.map_or(f64::NAN, |before| relative(before, load, start_fleet)),
                end: relative(row, load, end_fleet),
                arrived: relative(row, arrived, end_fleet),
            }
        });
        panels.push(HostsPanel { policy: policy.to_owned(), hosts: bars.collect() });
    }
    Ok(panels)
}

fn is_live(status: &str) -> bool {
    status.parse().is_ok_and(crate::model::HostStatus::is_live)
}

fn fleet_utilisation(rows: &[&StringRecord], load: usize, capacity: usize, status: usize) -> f64 {
    let live = || rows.iter().filter(|row| is_live(&row[status]));
    let sum = |column: usize| live().map(|row| number(&row[column])).sum::<f64>();
    sum(load) / sum(capacity)
}
