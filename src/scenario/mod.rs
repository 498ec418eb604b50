//! Scenarios: TOML files read into a validated [`Scenario`].
//!
//! Each room owns its settings; here they are composed, read, and every
//! failure is turned into a message with its place.

mod cluster;
mod error;
mod fields;
mod kinds;
mod overrides;
mod policies;
mod section;
mod workloads;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::{Deserialize, Serialize};
use toml::de::DeTable;

pub use cluster::{
    AddHost, ClusterSettings, EventSettings, HashSeed, Hosts, NamedHost, RemoveHost,
};
pub use error::{Fault, Place, ScenarioError};
pub use policies::{PolicySettings, start_policy};
pub use workloads::{NoiseSettings, WorkloadSettings};

use crate::balancer::Start;
use crate::model::{
    Host, HostId, HostSource, InputError, SettingError, SimDuration, Snapshot, read_text,
};
use crate::optimum;
use crate::workload::Workload;
use error::Source;
use kinds::Kinds;
use section::Section;

/// The version of the scenario format that this program reads.
pub const SCHEMA: i64 = 1;

/// The most samples or probes of one lane; more are a mistake in a unit.
const MOST_ROWS: u64 = 10_000_000;

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

impl RunSettings {
    fn check(&self) -> Result<(), SettingError> {
        let fault = |key, message: String| Err(SettingError::new(key, message));
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        if self.schema != SCHEMA {
            return fault(
                "schema",
                format!("{} is not known; this program reads schema {SCHEMA}", self.schema),
            );
        }
        if self.name.is_empty() || !self.name.chars().all(is_plain) || self.name.starts_with('.') {
            let rule = "must be made of letters, digits, `-`, `_` and `.`, and not begin with `.`";
            return fault("name", rule.to_owned());
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

/// Settings of the optimum that policies are compared with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct OptimumSettings {
    /// Whether the optimum is computed at all.
    pub enabled: bool,
    /// Time between two probes; the first is at 0.
    pub every: SimDuration,
    /// How it is searched.
    pub solver: optimum::Settings,
}

impl Default for OptimumSettings {
    fn default() -> Self {
        Self {
            enabled: true,
            every: SimDuration::from_secs(60),
            solver: optimum::Settings::default(),
        }
    }
}

impl OptimumSettings {
    fn check(&self) -> Result<(), SettingError> {
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

/// A policy with its name.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedPolicy {
    /// Unique in the scenario; by default the kind.
    pub name: String,
    /// Its settings.
    #[serde(flatten)]
    pub settings: PolicySettings,
}

/// A validated scenario.
#[derive(Clone)]
pub struct Scenario {
    /// The keys at the top.
    pub run: RunSettings,
    /// How loads come about.
    pub workload_settings: WorkloadSettings,
    /// The loads themselves.
    pub workload: Arc<dyn Workload>,
    /// How measured loads differ from the true ones.
    pub noise: NoiseSettings,
    /// The cluster.
    pub cluster: ClusterSettings,
    /// Changes of membership.
    pub events: Vec<EventSettings>,
    /// The policies, in order.
    pub policies: Vec<NamedPolicy>,
    /// For each policy, the owners that its start file names.
    pub start_owners: Vec<Option<Vec<Option<HostId>>>>,
    /// The optimum.
    pub optimum: OptimumSettings,
    /// The output.
    pub report: ReportSettings,
    /// The directory that paths are relative to.
    pub directory: PathBuf,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scenario({})", self.run.name)
    }
}

impl Scenario {
    /// Reads a scenario file. `sets` are `PATH=VALUE` changes to it.
    pub fn read(path: &Path, sets: &[String]) -> Result<Self, ScenarioError> {
        let text = read_text(path)?;
        let directory = path.parent().unwrap_or(Path::new(""));
        Self::parse(&text, &path.display().to_string(), directory, sets)
    }

    /// Reads a scenario from a text. `name` stands for the file in messages,
    /// and paths in it are relative to `directory`.
    pub fn parse(
        text: &str,
        name: &str,
        directory: &Path,
        sets: &[String],
    ) -> Result<Self, ScenarioError> {
        let source = Source::new(name, text, sets);
        let document = DeTable::parse(source.file()).map_err(|error| {
            let range = error.span().unwrap_or(0..0);
            source.fault(range, format!("not valid TOML: {}", error.message()))
        })?;
        let mut table = document.into_inner();
        overrides::apply(&source, &mut table)?;
        let root = Section::new(&source, table, 0..0);
        Self::from_section(root, directory)
    }

    fn from_section(mut root: Section<'_>, directory: &Path) -> Result<Self, ScenarioError> {
        const TABLES: [&str; 5] = ["workload", "cluster", "policy", "optimum", "report"];
        let has = TABLES.map(|table| root.has(table));
        let mut workload_section = root.take_section("workload")?;
        let workload_places = workload_section.places.clone();
        let cluster_section = root.take_section("cluster")?;
        let policy_sections = root.take_sections("policy")?;
        let optimum_section = root.take_section("optimum")?;
        let report_section = root.take_section("report")?;
        let missing: Vec<&str> = TABLES
            .into_iter()
            .zip(has)
            .take(3)
            .filter(|(_, has)| !has)
            .map(|(table, _)| table)
            .collect();
        let missing = missing.first().map(|table| root.missing(table));
        let (mut run, places) = root.read(&TABLES, RunSettings::check)?;
        if let Some(fault) = missing {
            return Err(fault.into());
        }

        let noise = match workload_section.has("noise") {
            true => NoiseSettings::read(workload_section.take_section("noise")?, &[])?,
            false => NoiseSettings::None(crate::workload::NoNoise {}),
        };
        let workload_settings = WorkloadSettings::read(workload_section, &["noise"])?;
        let (cluster, events) = cluster::read(cluster_section)?;
        let policies = read_policies(policy_sections, &places)?;
        let (optimum, optimum_places) = optimum_section.read(&[], OptimumSettings::check)?;
        optimum
            .solver
            .check()
            .map_err(|error| optimum_places.fault("solver", format!("optimum.solver: {error}")))?;
        let (report, _) = report_section.read(&[], |_: &ReportSettings| Ok(()))?;

        let workload = workload_settings.build(directory)?;
        let duration = match run.duration.or(workload.extent()) {
            Some(duration) => duration,
            None => {
                let message = "missing key `duration`: how long the run lasts, for example \"1h\"";
                return Err(places.fault("duration", message).into());
            }
        };
        run.duration = Some(duration);
        if run.warmup >= duration {
            let message =
                format!("the warmup of {} must be shorter than the run of {duration}", run.warmup);
            return Err(places.fault("warmup", message).into());
        }
        if run.sample_every > duration {
            let message = format!(
                "the sample period of {} is longer than the run of {duration}",
                run.sample_every
            );
            return Err(places.fault("sample_every", message).into());
        }
        let most = |every: SimDuration| duration.0 / every.0 <= MOST_ROWS;
        if !most(run.sample_every) {
            let message = format!(
                "a sample every {} of {duration} is more than {MOST_ROWS} rows",
                run.sample_every
            );
            return Err(places.fault("sample_every", message).into());
        }
        if optimum.enabled && !most(optimum.every) {
            let message = format!(
                "a probe every {} of {duration} is more than {MOST_ROWS} rows",
                optimum.every
            );
            return Err(optimum_places.fault("every", message).into());
        }
        cluster::check_events(&events, &cluster, duration)?;
        if workload.shards().is_empty() {
            return Err(workload_places.fault("path", "the workload has no shards").into());
        }
        let start_owners = policies
            .iter()
            .map(|policy| {
                let Some((Start::File, Some(file))) = policy.settings.start() else {
                    return Ok(None);
                };
                start_owners(&directory.join(file), &workload.shards(), &cluster.initial_hosts())
                    .map(Some)
            })
            .collect::<Result<_, InputError>>()?;
        Ok(Self {
            run,
            workload_settings,
            workload,
            noise,
            cluster,
            events: events.into_iter().map(|event| event.settings).collect(),
            start_owners,
            policies,
            optimum,
            report,
            directory: directory.to_owned(),
        })
    }

    /// Length of the run.
    pub fn duration(&self) -> SimDuration {
        self.run.duration.unwrap_or_default()
    }

    /// The seeds, in order.
    pub fn seeds(&self) -> impl Iterator<Item = u64> + use<> {
        let first = self.run.seed;
        first..first + u64::from(self.run.replications)
    }

    /// The files that the scenario reads, relative to its directory.
    pub fn input_files(&self) -> Vec<PathBuf> {
        let trace = match &self.workload_settings {
            WorkloadSettings::Trace(settings) => Some(settings.path.clone()),
            _ => None,
        };
        let starts =
            self.policies.iter().filter_map(|policy| Some(policy.settings.start()?.1?.to_owned()));
        trace.into_iter().chain(starts).collect()
    }

    /// The scenario with every default filled in, itself a scenario.
    pub fn to_toml(&self) -> String {
        #[derive(Serialize)]
        struct Filled<'a> {
            #[serde(flatten)]
            run: &'a RunSettings,
            workload: FilledWorkload<'a>,
            cluster: FilledCluster<'a>,
            policy: &'a [NamedPolicy],
            optimum: &'a OptimumSettings,
            report: &'a ReportSettings,
        }
        #[derive(Serialize)]
        struct FilledWorkload<'a> {
            #[serde(flatten)]
            settings: &'a WorkloadSettings,
            noise: &'a NoiseSettings,
        }
        #[derive(Serialize)]
        struct FilledCluster<'a> {
            #[serde(flatten)]
            settings: &'a ClusterSettings,
            #[serde(skip_serializing_if = "<[_]>::is_empty")]
            event: &'a [EventSettings],
        }
        let filled = Filled {
            run: &self.run,
            workload: FilledWorkload { settings: &self.workload_settings, noise: &self.noise },
            cluster: FilledCluster { settings: &self.cluster, event: &self.events },
            policy: &self.policies,
            optimum: &self.optimum,
            report: &self.report,
        };
        // Every part is a table of numbers, texts and lists of tables, all of
        // which TOML has.
        toml::to_string_pretty(&filled)
            .unwrap_or_else(|error| format!("# cannot be written: {error}\n"))
    }
}

/// The owners that a snapshot names for the shards of a workload. Shards that
/// it does not name are left to the policy; names it knows alone are faults.
fn start_owners(
    path: &Path,
    shards: &[String],
    hosts: &[Host],
) -> Result<Vec<Option<HostId>>, InputError> {
    let snapshot = Snapshot::read(path, HostSource::Snapshot)?;
    let ids: BTreeMap<&str, HostId> =
        (0..).map(HostId).zip(hosts).map(|(id, host)| (host.name.as_str(), id)).collect();
    let positions: BTreeMap<&str, usize> =
        shards.iter().enumerate().map(|(position, name)| (name.as_str(), position)).collect();
    let mut owners = vec![None; shards.len()];
    for (name, owner) in snapshot.shards.iter().zip(&snapshot.owners) {
        let Some(&position) = positions.get(name.as_str()) else {
            return Err(InputError::file(
                path,
                format!("places shard `{name}`, which the workload does not have"),
            ));
        };
        if let Some(owner) = owner {
            let host = &snapshot.hosts[owner.index()].name;
            let Some(id) = ids.get(host.as_str()) else {
                let message = format!(
                    "places shard `{name}` on host `{host}`, which the cluster does not have"
                );
                return Err(InputError::file(path, message));
            };
            owners[position] = Some(*id);
        }
    }
    Ok(owners)
}

/// The settings of a policy and of the optimum without a scenario: defaults,
/// changed by `PATH=VALUE` arguments. A path without dots is one of the
/// policy's.
pub fn policy_settings(
    kind: &str,
    sets: &[String],
) -> Result<(PolicySettings, OptimumSettings), ScenarioError> {
    let of_policy = |set: &String| match set.split_once('=') {
        Some((path, _)) if !path.contains('.') => format!("policy.{kind}.{set}"),
        _ => set.clone(),
    };
    let sets: Vec<String> = sets.iter().map(of_policy).collect();
    let source = Source::new("defaults", &format!("[[policy]]\nkind = \"{kind}\"\n"), &sets);
    let parsed =
        DeTable::parse(source.file()).map_err(|error| source.fault(0..0, error.message()))?;
    let mut table = parsed.into_inner();
    overrides::apply(&source, &mut table)?;
    let mut root = Section::new(&source, table, 0..0);
    let mut policies = root.take_sections("policy")?;
    let (optimum, _) = root.take_section("optimum")?.read(&[], OptimumSettings::check)?;
    root.read(&["policy", "optimum"], |_: &NothingElse| Ok(()))?;
    let section = policies.pop().ok_or_else(|| source.fault(0..0, "there is no policy"))?;
    Ok((PolicySettings::read(section, &[])?, optimum))
}

/// The kinds of policies, in the order of the documentation.
pub fn policy_kinds() -> &'static [&'static str] {
    <PolicySettings as Kinds>::KINDS
}

/// A table without keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NothingElse {}

fn read_policies(
    sections: Vec<Section<'_>>,
    root: &section::Places<'_>,
) -> Result<Vec<NamedPolicy>, Box<Fault>> {
    let mut policies: Vec<NamedPolicy> = Vec::new();
    let mut names = BTreeMap::new();
    if sections.is_empty() {
        return Err(root.fault("policy", "there is no policy; write at least one [[policy]]"));
    }
    for mut section in sections {
        let places = section.places.clone();
        let name = section.take_text("name")?;
        let settings = PolicySettings::read(section, &["name"])?;
        let is_named = name.is_some();
        let name = name.unwrap_or_else(|| settings.kind().to_owned());
        if name.is_empty() {
            return Err(places.fault("name", "a policy's name must not be empty"));
        }
        if names.insert(name.clone(), ()).is_some() {
            let key = if is_named { "name" } else { "kind" };
            let message =
                format!("there are two policies named `{name}`; give each a `name` of its own");
            return Err(places.fault(key, message));
        }
        policies.push(NamedPolicy { name, settings });
    }
    Ok(policies)
}
