//! Settings of the scenario itself: its length and seeds, the optimum that
//! policies are compared with, and what is written.

use serde::{Deserialize, Serialize};

use super::error::Fault;
use super::section::{Places, Section};
use crate::model::{SettingError, SimDuration, check_name};
use crate::optimum::{self, Metric};

/// The version of the scenario format that this program reads.
pub const SCHEMA: i64 = 1;

/// The keys at the top of a scenario.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RunSettings {
    /// Version of the format: 1.
    pub schema: i64,
    /// Name of the scenario: letters, digits, `-`, `_` and `.`; it names the
    /// output directory.
    pub name: String,
    /// One line for people.
    #[serde(default)]
    pub title: String,
    /// The first seed.
    #[serde(default = "default_seed")]
    pub seed: u64,
    /// Number of paired seeds: seed, seed + 1, ...
    #[serde(default = "default_replications")]
    pub replications: u32,
    /// Length of the run. A trace has one of its own.
    pub duration: Option<SimDuration>,
    /// Statistics over time begin here.
    #[serde(default)]
    pub warmup: SimDuration,
    /// Time between two rows of the time series.
    #[serde(default = "default_sample_every")]
    pub sample_every: SimDuration,
}

fn default_seed() -> u64 {
    1
}

fn default_replications() -> u32 {
    1
}

fn default_sample_every() -> SimDuration {
    SimDuration::from_secs(10)
}

/// Whether a name can name an output directory.
pub(super) fn check_run_name(name: &str) -> Result<(), SettingError> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
    if !name.is_empty() && name.chars().all(is_plain) && !name.starts_with('.') {
        return Ok(());
    }
    let rule = "must be made of letters, digits, `-`, `_` and `.`, and not begin with `.`";
    Err(SettingError::new("name", rule))
}

impl RunSettings {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        let fault = |key, message: String| Err(SettingError::new(key, message));
        if self.schema != SCHEMA {
            return fault(
                "schema",
                format!("{} is not known; this program reads schema {SCHEMA}", self.schema),
            );
        }
        check_run_name(&self.name)?;
        if !self.title.is_empty() {
            check_name(&self.title).map_err(|rule| SettingError::new("title", rule))?;
        }
        if !(1..=100_000).contains(&self.replications) {
            return fault(
                "replications",
                format!("must be from 1 to 100000, not {}", self.replications),
            );
        }
        if self.seed > i64::MAX as u64 - u64::from(self.replications) {
            return fault("seed", "is too large for so many replications".to_owned());
        }
        if self.duration == Some(SimDuration::ZERO) {
            return fault("duration", "must be above 0s".to_owned());
        }
        if self.sample_every == SimDuration::ZERO {
            return fault("sample_every", "must be above 0s".to_owned());
        }
        Ok(())
    }
}

/// Metrics that policies are compared by with the optimum.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metrics {
    /// The hottest host's utilisation.
    #[default]
    Max,
    /// The sum of squared utilisations.
    Squares,
    /// The two, each with an optimum of its own.
    Both,
}

impl Metrics {
    /// Which they are.
    pub fn list(self) -> &'static [Metric] {
        match self {
            Self::Max => &[Metric::Max],
            Self::Squares => &[Metric::Squares],
            Self::Both => &[Metric::Max, Metric::Squares],
        }
    }
}

/// Settings of the optimum that policies are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OptimumSettings {
    /// Whether the optimum is computed at all.
    pub enabled: bool,
    /// Time between two probes; the first is at 0.
    pub every: SimDuration,
    /// What the optimum is the best of.
    pub metric: Metrics,
    /// Whether the optimum within each policy's own budget is computed too.
    pub budgeted: bool,
    /// How it is searched.
    pub solver: optimum::Settings,
}

impl Default for OptimumSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            every: SimDuration::from_secs(60),
            metric: Metrics::default(),
            budgeted: false,
            solver: optimum::Settings::default(),
        }
    }
}

impl OptimumSettings {
    pub(super) fn check(&self) -> Result<(), SettingError> {
        if self.every == SimDuration::ZERO {
            let message = "must be above 0s; write enabled = false for no optimum";
            return Err(SettingError::new("every", message));
        }
        Ok(())
    }
}

/// What is written beside the tables.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct ReportSettings {
    /// Write hosts.csv at every sample, not only at the start and the end.
    pub hosts: bool,
    /// Draw plots.
    pub plots: bool,
}

impl Default for ReportSettings {
    fn default() -> Self {
        Self { hosts: false, plots: true }
    }
}

/// Reads `[optimum]`.
pub(super) fn read_optimum(
    mut section: Section<'_>,
) -> Result<(OptimumSettings, Places<'_>), Box<Fault>> {
    let solver = read_solver(&mut section)?;
    let (mut settings, places) = section.read(&[], OptimumSettings::check)?;
    settings.solver = solver;
    Ok((settings, places))
}

/// Takes `solver` out of `[optimum]`.
pub(super) fn read_solver(section: &mut Section<'_>) -> Result<optimum::Settings, Box<Fault>> {
    let solver = section.take_section("solver")?;
    Ok(solver.read(&[], optimum::Settings::check)?.0)
}
