//! Scenarios: TOML files read into a validated [`Scenario`].
//!
//! Each room owns its settings; here they are composed, read, and every
//! failure is turned into a message with its place.

mod alone;
mod check_words;
mod checks;
mod cluster;
mod error;
mod fields;
mod kinds;
mod limits;
mod overrides;
mod policies;
mod section;
mod settings;
mod sweep;
mod workloads;

use std::collections::BTreeMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;
use toml::de::DeTable;

pub use alone::{placement_kinds, policy_kinds, policy_settings, solver_settings};
pub use check_words::{Metric, Rows, Seeds, Statistic};
pub use checks::{Bounds, Check, CheckSettings, OPTIMUM, Reference, Window};
pub use cluster::{
    AddHost, ClusterSettings, EventSettings, HashSeed, Hosts, NamedHost, RemoveHost, ReplaceHost,
};
pub use error::{Fault, Place, ScenarioError, nearest, suggest};
pub use policies::{PolicySettings, start_policy};
pub use settings::{OptimumSettings, ReportSettings, RunSettings, SCHEMA};
pub use sweep::{
    Axis, Curve, DesignSettings, GridSettings, Level, Levels, MOST_SOBOL_AXES, RandomSettings,
    Range, SobolSettings, Sweep,
};
pub use workloads::{NoiseSettings, WorkloadSettings};

use crate::balancer::Start;
use crate::model::{
    Host, HostId, HostSource, InputError, SimDuration, Snapshot, check_name, read_text,
};
use crate::workload::Workload;
use error::{Change, Source};
use kinds::Kinds;
use limits::Limits;
use section::{Places, Section};
use workloads::Workloads;

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
    /// What must hold of a run.
    pub checks: Vec<Check>,
    /// The directory that paths are relative to.
    pub directory: PathBuf,
}

impl fmt::Debug for Scenario {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Scenario({})", self.run.name)
    }
}

/// What becomes of the checks of a scenario. A sweep has no use for them, and may
/// set other policies and times than they are about.
#[derive(Clone, Copy, Debug)]
enum Checks {
    Read,
    Ignored,
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
        let changes: Vec<Change> = sets.iter().map(Change::from).collect();
        Self::parse_changed(text, name, directory, &changes, &Workloads::default(), Checks::Read)
    }

    /// Reads a scenario with changes. Workloads that are known are not read again.
    fn parse_changed(
        text: &str,
        name: &str,
        directory: &Path,
        changes: &[Change],
        workloads: &Workloads,
        checks: Checks,
    ) -> Result<Self, ScenarioError> {
        let source = Source::new(name, text, changes);
        let document = DeTable::parse(source.file()).map_err(|error| {
            let range = error.span().unwrap_or(0..0);
            source.fault(range, format!("not valid TOML: {}", error.message()))
        })?;
        let mut table = document.into_inner();
        overrides::apply(&source, &mut table)?;
        let root = Section::new(&source, table, 0..0);
        Self::from_section(root, directory, workloads, checks)
    }

    fn from_section(
        mut root: Section<'_>,
        directory: &Path,
        workloads: &Workloads,
        checks: Checks,
    ) -> Result<Self, ScenarioError> {
        const TABLES: [&str; 6] = ["workload", "cluster", "policy", "optimum", "report", "check"];
        let has = TABLES.map(|table| root.has(table));
        let mut workload_section = root.take_section("workload")?;
        let workload_places = workload_section.places.clone();
        let cluster_section = root.take_section("cluster")?;
        let policy_sections = root.take_sections("policy", "[[policy]]")?;
        let optimum_section = root.take_section("optimum")?;
        let report_section = root.take_section("report")?;
        let check_sections = root.take_sections("check", "[[check]]")?;
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
        let cluster::Read { settings: cluster, places: cluster_places, events } =
            cluster::read(cluster_section)?;
        let (policies, policy_places) = read_policies(policy_sections, &places)?;
        let (optimum, optimum_places) = settings::read_optimum(optimum_section)?;
        let (report, _) = report_section.read(&[], |_: &ReportSettings| Ok(()))?;
        let checks = match checks {
            Checks::Read => checks::read(check_sections, &policies, run.warmup)?,
            Checks::Ignored => Vec::new(),
        };

        let workload = workloads
            .get(&workload_settings, directory)
            .map_err(|error| workload_places.file("path", error))?;
        let duration = match run.duration.or(workload.extent()) {
            Some(duration) => duration,
            None => {
                let help = "say how long the run lasts, for example duration = \"1h\"";
                return Err(places
                    .fault_with_help("duration", "missing key `duration`", help)
                    .into());
            }
        };
        run.duration = Some(duration);
        let lanes = policies.len() as u64 * u64::from(run.replications);
        let limits = Limits { duration, lanes };
        limits.check_run(&run, &places)?;
        if optimum.enabled {
            limits.check_rows("every", "a probe", optimum.every, &optimum_places)?;
        }
        limits.check_period("heartbeat", cluster.heartbeat, &cluster_places)?;
        for (policy, places) in policies.iter().zip(&policy_places) {
            if let Some(every) = policy.settings.pass_every() {
                limits.check_period("pass_every", every, places)?;
            }
            // As many as could ever be there at once.
            let joining = events.iter().filter_map(|event| event.settings.capacity(&cluster));
            let capacities: Vec<f64> =
                cluster.initial_hosts().iter().map(|host| host.capacity).chain(joining).collect();
            policy.settings.check_hosts(&capacities).map_err(|error| places.setting(error))?;
        }
        cluster::check_events(&events, &cluster, duration)?;
        if workload.shards().is_empty() {
            return Err(workload_places.fault("path", "the workload has no shards").into());
        }
        let start_owners = policies
            .iter()
            .zip(&policy_places)
            .map(|(policy, places)| {
                let Some((Start::File, Some(file))) = policy.settings.start() else {
                    return Ok(None);
                };
                start_owners(&directory.join(file), &workload.shards(), &cluster.initial_hosts())
                    .map(Some)
                    .map_err(|error| places.file("start_file", error))
            })
            .collect::<Result<_, ScenarioError>>()?;
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
            checks,
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
        let workload = self.workload_settings.path().cloned();
        let starts =
            self.policies.iter().filter_map(|policy| Some(policy.settings.start()?.1?.to_owned()));
        workload.into_iter().chain(starts).collect()
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
            #[serde(skip_serializing_if = "Vec::is_empty")]
            check: Vec<&'a CheckSettings>,
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
            check: self.checks.iter().map(|check| &check.settings).collect(),
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
    let snapshot = Snapshot::read(path, HostSource::Cluster(hosts))?;
    let positions: BTreeMap<&str, usize> =
        shards.iter().enumerate().map(|(position, name)| (name.as_str(), position)).collect();
    let mut owners = vec![None; shards.len()];
    for (shard, name) in snapshot.shards.iter().enumerate() {
        let Some(&position) = positions.get(name.as_str()) else {
            let message = format!("the workload has no shard `{name}`");
            return Err(InputError::cell(path, snapshot.lines[shard], "shard", message));
        };
        owners[position] = snapshot.owners[shard];
    }
    Ok(owners)
}

fn read_policies<'s>(
    sections: Vec<Section<'s>>,
    root: &Places<'s>,
) -> Result<(Vec<NamedPolicy>, Vec<Places<'s>>), Box<Fault>> {
    let mut policies: Vec<NamedPolicy> = Vec::new();
    let mut all_places = Vec::new();
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
        check_name(&name)
            .map_err(|rule| places.fault("name", format!("the name of a policy {rule}")))?;
        if names.insert(name.clone(), ()).is_some() {
            let key = if is_named { "name" } else { "kind" };
            let message =
                format!("there are two policies named `{name}`; give each a `name` of its own");
            return Err(places.fault(key, message));
        }
        policies.push(NamedPolicy { name, settings });
        all_places.push(places);
    }
    Ok((policies, all_places))
}
