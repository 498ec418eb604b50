//! Loads from a CSV file: a step function for each shard.

mod clock;
mod raw;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{LoadCursor, Workload};
use crate::model::{InputError, SettingError, ShardId, SimDuration, SimTime};
use raw::Raw;

/// What a shard carries at a time step that gives no load for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Absent {
    /// Nothing.
    #[default]
    Zero,
    /// What it carried before. On sparse traces this inflates the load.
    Hold,
}

/// The part of a trace to use, as times since its first time step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Window {
    /// Where the run starts.
    pub from: SimDuration,
    /// Where the trace is cut off; its end if absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<SimDuration>,
}

/// Settings of the `trace` workload.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TraceSettings {
    /// The file, relative to the scenario.
    pub path: PathBuf,
    /// Multiplies every load.
    #[serde(default = "one")]
    pub scale: f64,
    /// The period that a load counts events of; loads are divided by it. Absent
    /// when loads are rates already.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub per: Option<SimDuration>,
    /// The part to use.
    #[serde(default)]
    pub window: Window,
    /// What a missing load means.
    #[serde(default)]
    pub absent: Absent,
}

fn one() -> f64 {
    1.0
}

impl TraceSettings {
    /// Whether the settings are usable.
    pub fn check(&self) -> Result<(), SettingError> {
        SettingError::require_capacity("scale", self.scale)?;
        if self.per == Some(SimDuration::ZERO) {
            return Err(SettingError::new("per", "must be above 0s"));
        }
        if self.window.to.is_some_and(|to| to <= self.window.from) {
            return Err(SettingError::new("window", "must have its `to` after its `from`"));
        }
        Ok(())
    }

    fn rate(&self, load: f64) -> f64 {
        load * self.scale / self.per.map_or(1.0, SimDuration::as_secs_f64)
    }
}

/// A trace in memory: the loads at the start and the changes after it.
#[derive(Clone, Debug)]
pub struct Trace {
    shards: Arc<[String]>,
    initial: Vec<f64>,
    changes: Vec<Change>,
    extent: SimDuration,
}

#[derive(Clone, Debug)]
struct Change {
    at: SimTime,
    loads: Vec<(ShardId, f64)>,
}

impl Trace {
    /// Reads a file, long (`time_s,shard,load`) or wide (a column of times and
    /// one column a shard, with or without a header).
    ///
    /// Time 0 is the first time step, or the window's start. After its last
    /// step a trace goes on for as long as the step before took.
    pub fn read(path: &Path, settings: &TraceSettings) -> Result<Self, InputError> {
        Raw::read(path)?.into_trace(path, settings)
    }
}

impl Workload for Trace {
    fn shards(&self) -> Arc<[String]> {
        Arc::clone(&self.shards)
    }

    fn start(&self, _seed: u64) -> Box<dyn LoadCursor + '_> {
        Box::new(TraceCursor { trace: self, next: 0 })
    }

    fn extent(&self) -> Option<SimDuration> {
        Some(self.extent)
    }
}

struct TraceCursor<'a> {
    trace: &'a Trace,
    next: usize,
}

impl LoadCursor for TraceCursor<'_> {
    fn initial(&mut self) -> Vec<f64> {
        self.trace.initial.clone()
    }

    fn next_change(&self) -> Option<SimTime> {
        self.trace.changes.get(self.next).map(|change| change.at)
    }

    fn read_change(&mut self, changes: &mut Vec<(ShardId, f64)>) {
        if let Some(change) = self.trace.changes.get(self.next) {
            changes.extend_from_slice(&change.loads);
            self.next += 1;
        }
    }
}
