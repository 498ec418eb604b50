//! `evenkeel resize`.

use std::path::PathBuf;

use clap::Args;
use clap::builder::PossibleValuesParser;
use evenkeel::experiment::{ResizeChange, ResizeKeys, ResizeRequest, resize as compare};
use evenkeel::hash::HashFunction;
use evenkeel::model::{Host, HostStatus, MOST_HOSTS, read_hosts};
use evenkeel::report::{
    check_directory, resize_csv, resize_files, resize_json, resize_table, write_files,
};
use evenkeel::scenario::{NamedPolicy, nearest, placement_kinds, policy_settings};

use super::failure::Failure;
use super::output::{Format, print, print_notes};

/// Arguments of `resize`.
#[derive(Debug, Args)]
#[command(group = clap::ArgGroup::new("change").required(true))]
#[command(group = clap::ArgGroup::new("which").required(true))]
pub(super) struct ResizeArguments {
    /// A placement, perhaps with settings: ring:virtual_nodes=200,hash=murmur3; may be repeated.
    #[arg(long, value_name = "NAME", group = "which")]
    placement: Vec<String>,
    /// Compare the whole family, with default settings.
    #[arg(long, group = "which")]
    all: bool,
    /// The number of hosts before; by default as many as the file of weights has.
    #[arg(
        long,
        value_name = "N",
        required_unless_present = "weights",
        allow_negative_numbers = true
    )]
    from: Option<usize>,
    /// The number of hosts afterwards.
    #[arg(long, value_name = "M", group = "change", allow_negative_numbers = true)]
    to: Option<usize>,
    /// A host that leaves.
    #[arg(long, value_name = "HOST", group = "change")]
    remove: Option<String>,
    /// A host that another one replaces.
    #[arg(long, value_name = "HOST", group = "change")]
    replace: Option<String>,
    /// The hosts stay, and a client hashes keys by another function.
    #[arg(long, value_name = "HASH", group = "change",
          value_parser = PossibleValuesParser::new(HashFunction::ALL.map(HashFunction::as_str)))]
    drift: Option<String>,
    /// How many keys are placed.
    #[arg(long, value_name = "N", default_value_t = 100_000, allow_negative_numbers = true)]
    keys: usize,
    /// Place slots by their number, so many as the slot maps then have.
    #[arg(long, value_name = "N", conflicts_with = "keys", allow_negative_numbers = true)]
    slots: Option<usize>,
    /// Exponent of Zipf's law for the loads of the keys; 0 makes all equal.
    #[arg(long, value_name = "S", default_value_t = 0.0, allow_negative_numbers = true)]
    exponent: f64,
    /// A file of hosts whose capacities are weights, for placements that have them.
    #[arg(long, value_name = "FILE")]
    weights: Option<PathBuf>,
    /// Number of seeds, each with other hashes and keys.
    #[arg(long, value_name = "N", default_value_t = 5, allow_negative_numbers = true)]
    replications: u32,
    /// Write resize.csv, samples.csv, resize.json and a plot into a directory.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// What to print.
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// The most keys: their owners, hashes and loads take half a gigabyte a core.
const MOST_KEYS: usize = 10_000_000;

pub(super) fn resize(arguments: &ResizeArguments) -> Result<(), Failure> {
    let keys = arguments.keys()?;
    let (hosts, change, notes) = arguments.hosts()?;
    let joining: &[Host] = match &change {
        ResizeChange::Hosts { joining, .. } => joining,
        ResizeChange::Drift(_) => &[],
    };
    let capacities: Vec<f64> = hosts.iter().chain(joining).map(|host| host.capacity).collect();
    let placements = arguments.placements(keys, capacities.len())?;
    for placement in &placements {
        placement
            .settings
            .check_hosts(&capacities)
            .map_err(|error| Failure::Input(format!("placement {}: {error}", placement.name)))?;
    }
    if let Some(out) = &arguments.out {
        check_directory(out)?;
    }
    let result = compare(&ResizeRequest {
        placements: &placements,
        hosts: &hosts,
        change: &change,
        keys,
        exponent: arguments.exponent,
        replications: arguments.replications,
    });
    let what = arguments.what(hosts.len());
    if let Some(out) = &arguments.out {
        let files = resize_files(&result, &what)?;
        write_files(out, &files.files, Some(&files.last))?;
    }
    print_notes(&notes);
    if keys.len() == 1 {
        let note = "with one key, every share is 0 or 1; place more keys to measure shares";
        print_notes(&[note.to_owned()]);
    }
    match arguments.format {
        Format::Table => print(&resize_table(&result, &what, arguments.exponent > 0.0)),
        Format::Json => print(&format!("{:#}\n", resize_json(&result, &what))),
        Format::Csv => print(&String::from_utf8_lossy(&resize_csv(&result, &what))),
    }
}

impl ResizeArguments {
    fn keys(&self) -> Result<ResizeKeys, Failure> {
        let (name, count) = match self.slots {
            Some(slots) => ("slots", slots),
            None => ("keys", self.keys),
        };
        let fault = |message: String| Err(Failure::Input(message));
        if !(1..=MOST_KEYS).contains(&count) {
            return fault(format!("--{name} {count}: must be from 1 to {MOST_KEYS}"));
        }
        if !(1..=100_000).contains(&self.replications) {
            let replications = self.replications;
            return fault(format!("--replications {replications}: must be from 1 to 100000"));
        }
        if !(self.exponent.is_finite() && self.exponent >= 0.0) {
            let exponent = self.exponent;
            return fault(format!("--exponent {exponent}: must be a finite number of at least 0"));
        }
        Ok(match self.slots {
            Some(_) => ResizeKeys::Slots(count),
            None => ResizeKeys::Keys(count),
        })
    }

    /// The hosts before, what happens to them, and notes on their file.
    fn hosts(&self) -> Result<(Vec<Host>, ResizeChange, Vec<String>), Failure> {
        let fault = |message: String| Err(Failure::Input(message));
        for (name, count) in [("from", self.from), ("to", self.to)] {
            if let Some(count) = count.filter(|count| !(1..=MOST_HOSTS).contains(count)) {
                return fault(format!(
                    "--{name} {count}: the number of hosts must be from 1 to {MOST_HOSTS}"
                ));
            }
        }
        let (mut all, notes) = match &self.weights {
            Some(file) => read_hosts(file)?,
            None => {
                let most = self.from.max(self.to).unwrap_or(0);
                let host = |index| Host::new(format!("host-{index}"), 1.0);
                ((0..most).map(host).collect(), Vec::new())
            }
        };
        if let (Some(file), Some(host)) =
            (&self.weights, all.iter().find(|host| host.status != HostStatus::Active))
        {
            return fault(format!(
                "{}: host `{}` is {}, and only active hosts own keys; leave it out",
                file.display(),
                host.name,
                host.status.as_str()
            ));
        }
        let from = self.from.unwrap_or(all.len());
        if let (Some(file), Some(most)) = (&self.weights, Some(from).max(self.to))
            && most > all.len()
        {
            return fault(format!(
                "{}: has {} hosts, and {most} are needed",
                file.display(),
                all.len()
            ));
        }
        let position = |all: &[Host], name: &String| {
            let known: Vec<&str> = all[..from].iter().map(|host| host.name.as_str()).collect();
            match known.iter().position(|known| known == name) {
                Some(position) => Ok(position),
                None => Err(Failure::Input(match nearest(name, &known) {
                    Some(near) => format!("there is no host `{name}`; did you mean `{near}`?"),
                    None => format!("there is no host `{name}`"),
                })),
            }
        };
        let change = match (self.to, &self.remove, &self.replace, &self.drift) {
            (Some(to), ..) if to >= from => {
                ResizeChange::Hosts { leaving: Vec::new(), joining: all[from..to].to_vec() }
            }
            (Some(to), ..) => {
                ResizeChange::Hosts { leaving: (to..from).collect(), joining: Vec::new() }
            }
            (_, Some(name), ..) => {
                let gone = position(&all, name)?;
                if from == 1 {
                    return fault(format!("host `{name}` is the last one; a cluster needs a host"));
                }
                ResizeChange::Hosts { leaving: vec![gone], joining: Vec::new() }
            }
            (_, _, Some(name), _) => {
                let gone = position(&all, name)?;
                let new = Host::new(format!("{name}-new"), all[gone].capacity);
                if all.iter().any(|host| host.name == new.name) {
                    return fault(format!("there is a host `{}` already", new.name));
                }
                ResizeChange::Hosts { leaving: vec![gone], joining: vec![new] }
            }
            (_, _, _, Some(hash)) => {
                let function = HashFunction::ALL.into_iter().find(|known| known.as_str() == hash);
                ResizeChange::Drift(function.unwrap_or_default())
            }
            (None, None, None, None) => {
                return fault("say what changes: --to, --remove, --replace or --drift".to_owned());
            }
        };
        all.truncate(from);
        Ok((all, change, notes))
    }

    fn placements(&self, keys: ResizeKeys, hosts: usize) -> Result<Vec<NamedPolicy>, Failure> {
        let kinds = placement_kinds();
        let named: Vec<String> = match self.all {
            true => kinds.iter().map(|kind| (*kind).to_owned()).collect(),
            false => self.placement.clone(),
        };
        let twice = |index: &usize| named[..*index].contains(&named[*index]);
        if let Some(index) = (0..named.len()).find(twice) {
            let message = format!("--placement {}: is given twice", named[index]);
            return Err(Failure::Input(message));
        }
        named
            .into_iter()
            .map(|name| {
                let (kind, rest) = name.split_once(':').unwrap_or((&name, ""));
                if !kinds.contains(&kind) {
                    let hint = match nearest(kind, &kinds) {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("known: {}", kinds.join(", ")),
                    };
                    return Err(Failure::Input(format!("unknown placement `{kind}`; {hint}")));
                }
                let mut sets: Vec<String> = match (kind, keys) {
                    ("slots", ResizeKeys::Slots(slots)) => vec![format!("slots={slots}")],
                    _ => Vec::new(),
                };
                for set in rest.split(',').filter(|set| !set.is_empty()) {
                    if !set.contains('=') {
                        let message = format!(
                            "--placement {name}: `{set}` has no value; write {kind}:{set}=VALUE"
                        );
                        return Err(Failure::Input(message));
                    }
                    sets.push(set.to_owned());
                }
                let (mut settings, _) = policy_settings(kind, &sets)?;
                if self.weights.is_some() && !sets.iter().any(|set| set.starts_with("weighted=")) {
                    settings = settings.with_weights();
                }
                if self.all {
                    settings = settings.with_room(hosts);
                }
                Ok(NamedPolicy { name, settings })
            })
            .collect()
    }

    /// The change in words.
    fn what(&self, from: usize) -> String {
        match (self.to, &self.remove, &self.replace, &self.drift) {
            (Some(to), ..) => format!("From {from} to {to} hosts"),
            (_, Some(host), ..) => format!("{host} of {from} hosts leaves"),
            (_, _, Some(host), _) => format!("{host} of {from} hosts is replaced"),
            (_, _, _, hash) => {
                let hash = hash.as_deref().unwrap_or_default();
                format!("A client of {from} hosts hashes by {hash}")
            }
        }
    }
}
