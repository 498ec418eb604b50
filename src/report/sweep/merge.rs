//! Reading what partitions of a sweep have written, and joining it.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use csv::StringRecord;
use serde_json::Value;

use super::info::SweepInfo;
use super::tables::names;
use crate::experiment::sweep::{LaneRow, Partition, PointRows};
use crate::experiment::{Summary, hash};
use crate::model::{InputError, read_text};
use crate::report::MANIFEST;
use crate::report::rows::Rows;

/// The results of a sweep, or of a part of it, as a directory holds them.
#[derive(Clone, Debug)]
pub struct SweepFiles {
    /// Where they are.
    pub directory: PathBuf,
    /// What they are of.
    pub info: SweepInfo,
    outputs: Vec<Value>,
}

/// Why directories do not make one sweep.
#[derive(Debug, thiserror::Error)]
pub enum MergeError {
    /// A file is missing or damaged.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The parts do not fit together.
    #[error("{0}")]
    Parts(String),
}

impl SweepFiles {
    /// Opens a directory; `None` if it holds no finished sweep.
    ///
    /// # Errors
    ///
    /// When its manifest is damaged.
    pub fn open(directory: &Path) -> Result<Option<Self>, InputError> {
        let path = directory.join(MANIFEST);
        if !path.is_file() {
            return Ok(None);
        }
        // What is no JSON is the manifest of nothing.
        let manifest: Value = serde_json::from_str(&read_text(&path)?).unwrap_or_default();
        if manifest["kind"] != "sweep" {
            return Ok(None);
        }
        let outputs = manifest["outputs"].as_array().cloned().unwrap_or_default();
        let info = serde_json::from_value(manifest).map_err(|error| {
            InputError::file(&path, format!("is not the manifest of a sweep: {error}"))
        })?;
        Ok(Some(Self { directory: directory.to_owned(), info, outputs }))
    }

    /// The path of one of its files, which must be as it was written.
    pub(super) fn checked(&self, name: &str) -> Result<PathBuf, InputError> {
        let path = self.directory.join(name);
        let found = hash(read_text(&path)?.as_bytes());
        match self.outputs.iter().any(|out| out["file"] == name && out["xxh64"] == *found) {
            true => Ok(path),
            false => {
                let message = format!("is not what {MANIFEST} lists; was it changed?");
                Err(InputError::file(&path, message))
            }
        }
    }

    /// The rows of `sweep.csv`.
    ///
    /// # Errors
    ///
    /// When the file is not as it was written.
    pub fn rows(&self) -> Result<Vec<PointRows>, InputError> {
        let path = self.checked(names::SWEEP)?;
        let table = Rows::parse(&path, read_text(&path)?.as_bytes())?;
        let columns = Columns::of(&table, &self.info)?;
        let mut lanes: Vec<Row> = Vec::new();
        for row in &table.rows {
            let line = row.position().map_or(0, csv::Position::line);
            let fault = || InputError::line(&path, line, "is not a row of a sweep");
            lanes.push(columns.read(row).ok_or_else(fault)?);
        }
        let points = by_point(lanes);
        match points.iter().find(|rows| rows.lanes.len() != rows.seeds.len() * rows.policies.len())
        {
            Some(rows) => {
                let message =
                    format!("has not every policy under every seed at point {}", rows.point);
                Err(InputError::file(&path, message))
            }
            None => Ok(points),
        }
    }
}

/// A row of `sweep.csv`.
struct Row {
    point: usize,
    labels: Vec<String>,
    policy: String,
    seed: u64,
    lane: LaneRow,
}

/// Where the columns of `sweep.csv` stand.
struct Columns {
    point: usize,
    axes: Vec<usize>,
    policy: usize,
    seed: usize,
    metrics: Vec<usize>,
    digest: usize,
}

impl Columns {
    fn of(table: &Rows, info: &SweepInfo) -> Result<Self, InputError> {
        let all = |names: &mut dyn Iterator<Item = &str>| -> Result<Vec<usize>, InputError> {
            names.map(|name| table.column(name)).collect()
        };
        Ok(Self {
            point: table.column("point")?,
            axes: all(&mut info.axes.iter().map(|axis| axis.name.as_str()))?,
            policy: table.column("policy")?,
            seed: table.column("seed")?,
            metrics: all(&mut Summary::METRICS.into_iter())?,
            digest: table.column("digest")?,
        })
    }

    fn read(&self, row: &StringRecord) -> Option<Row> {
        let text = |column: usize| row.get(column).unwrap_or("");
        let mut values = [f64::NAN; Summary::METRICS.len()];
        for (value, &column) in values.iter_mut().zip(&self.metrics) {
            match text(column) {
                "" => {}
                number => *value = number.parse().ok()?,
            }
        }
        let digest = u64::from_str_radix(text(self.digest), 16).ok()?;
        Some(Row {
            point: text(self.point).parse().ok()?,
            labels: self.axes.iter().map(|column| text(*column).to_owned()).collect(),
            policy: text(self.policy).to_owned(),
            seed: text(self.seed).parse().ok()?,
            lane: LaneRow { values, digest },
        })
    }
}

/// Rows in the order of `sweep.csv`, put together by point.
fn by_point(rows: Vec<Row>) -> Vec<PointRows> {
    let mut points: Vec<PointRows> = Vec::new();
    for rows in rows.chunk_by(|a, b| a.point == b.point) {
        let by_policy: Vec<&[Row]> = rows.chunk_by(|a, b| a.policy == b.policy).collect();
        let policies: Arc<[String]> = by_policy.iter().map(|rows| rows[0].policy.clone()).collect();
        points.push(PointRows {
            point: rows[0].point,
            labels: rows[0].labels.clone(),
            policies,
            seeds: by_policy[0].iter().map(|row| row.seed).collect(),
            lanes: rows.iter().map(|row| row.lane).collect(),
        });
    }
    points
}

/// Joins all partitions of one sweep.
///
/// # Errors
///
/// When one is missing, there twice, or of another sweep or version.
pub fn merge(parts: &[SweepFiles]) -> Result<(SweepInfo, Vec<PointRows>), MergeError> {
    let fault = |message: String| Err(MergeError::Parts(message));
    let Some(first) = parts.first() else { return fault("there is nothing to join".to_owned()) };
    let mut by_part: BTreeMap<u32, &SweepFiles> = BTreeMap::new();
    let of = first.info.partition.of;
    for part in parts {
        let shown = part.directory.display();
        if let Some(difference) = first.info.identity.difference(&part.info.identity) {
            return fault(format!(
                "{shown} does not belong to {}: it {difference}",
                first.directory.display()
            ));
        }
        if part.info.partition.of != of {
            return fault(format!(
                "{shown} is part {}, and {} is part {}: all must be of as many",
                part.info.partition,
                first.directory.display(),
                first.info.partition
            ));
        }
        if let Some(other) = by_part.insert(part.info.partition.part, part) {
            return fault(format!(
                "{} and {shown} are both part {}",
                other.directory.display(),
                part.info.partition
            ));
        }
    }
    let missing: Vec<String> = (1..=of)
        .filter(|part| !by_part.contains_key(part))
        .take(5)
        .map(|p| format!("{p}/{of}"))
        .collect();
    if !missing.is_empty() {
        return fault(format!("part {} is missing", missing.join(", ")));
    }
    let info = SweepInfo { partition: Partition::WHOLE, ..first.info.clone() };
    let mut points: BTreeMap<usize, Vec<PointRows>> = BTreeMap::new();
    for part in by_part.values() {
        for rows in part.rows()? {
            points.entry(rows.point).or_default().push(rows);
        }
    }
    let points: Vec<PointRows> = points.into_values().map(join).collect();
    let is_whole = |rows: &PointRows| {
        rows.seeds == info.seeds && rows.lanes.len() == info.seeds.len() * rows.policies.len()
    };
    match points.iter().find(|rows| !is_whole(rows)) {
        _ if points.len() != info.points => {
            fault(format!("{} of {} points are there", points.len(), info.points))
        }
        Some(rows) => fault(format!("point {} has not every seed once", rows.point)),
        None => Ok((info, points)),
    }
}

/// One point of several partitions, its seeds in order.
fn join(parts: Vec<PointRows>) -> PointRows {
    let mut seeds: Vec<(u64, usize, usize)> = Vec::new();
    for (part, rows) in parts.iter().enumerate() {
        seeds.extend(rows.seeds.iter().enumerate().map(|(place, seed)| (*seed, part, place)));
    }
    seeds.sort_unstable();
    let first = &parts[0];
    let lane = |policy: usize| {
        let parts = &parts;
        let of = move |&(_, part, place): &(u64, usize, usize)| {
            parts[part].lanes.get(policy * parts[part].seeds.len() + place).copied()
        };
        seeds.iter().filter_map(of)
    };
    PointRows {
        point: first.point,
        labels: first.labels.clone(),
        policies: Arc::clone(&first.policies),
        lanes: (0..first.policies.len()).flat_map(lane).collect(),
        seeds: seeds.iter().map(|(seed, ..)| *seed).collect(),
    }
}
