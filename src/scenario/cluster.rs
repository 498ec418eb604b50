//! The `[cluster]` table: hosts, periods, and changes of membership.

use std::collections::BTreeSet;

use serde::de::{MapAccess, SeqAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Deserializer, Serialize};

use super::error::Fault;
use super::kinds::{Kinds, kinds};
use super::section::{Places, Section};
use crate::model::{
    Host, MOST_HOSTS, SettingError, SimDuration, SimTime, check_capacity, check_name,
};
use crate::sim::{ClusterChange, ClusterEvent};

/// Whether hash functions are the same under every seed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum HashSeed {
    /// Seed 0 always.
    #[default]
    Fixed,
    /// A hash seed for each seed, so that the arcs of a ring vary.
    PerSeed,
}

/// Settings of the cluster, but for its events.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClusterSettings {
    /// The hosts at the start: a number of them, named `host-0`, `host-1`,
    /// ..., or a list of names or of tables with name and capacity.
    pub hosts: Hosts,
    /// Capacity of hosts that do not state one, in units of load a second.
    #[serde(default = "one")]
    pub capacity: f64,
    /// Time between two load reports of a host. The default of 1s is the
    /// heartbeat interval of the reference's executors.
    #[serde(default = "one_second")]
    pub heartbeat: SimDuration,
    /// How long a shard that moves is not served.
    #[serde(default = "one_second")]
    pub handover: SimDuration,
    /// Whether hash functions are the same under every seed.
    #[serde(default)]
    pub hash_seed: HashSeed,
}

fn one() -> f64 {
    1.0
}

fn one_second() -> SimDuration {
    SimDuration::from_secs(1)
}

/// The hosts at the start.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Hosts {
    /// So many, named by number.
    Count(u32),
    /// Each by name.
    List(Vec<NamedHost>),
}

/// A host of a list.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct NamedHost {
    /// Its name.
    pub name: String,
    /// Its capacity, if it is not the common one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<f64>,
}

impl<'de> Deserialize<'de> for Hosts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct HostsVisitor;
        impl<'de> Visitor<'de> for HostsVisitor {
            type Value = Hosts;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number of hosts, or a list of names or of { name, capacity }")
            }

            fn visit_i64<E: serde::de::Error>(self, count: i64) -> Result<Hosts, E> {
                u32::try_from(count).map(Hosts::Count).map_err(|_| {
                    E::custom(format!("`hosts` must be from 1 to {MOST_HOSTS}, not {count}"))
                })
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Hosts, A::Error> {
                let mut hosts = Vec::new();
                while let Some(host) = list.next_element()? {
                    hosts.push(host);
                }
                Ok(Hosts::List(hosts))
            }
        }
        deserializer.deserialize_any(HostsVisitor)
    }
}

impl<'de> Deserialize<'de> for NamedHost {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Table {
            name: String,
            capacity: Option<f64>,
        }
        struct HostVisitor;
        impl<'de> Visitor<'de> for HostVisitor {
            type Value = NamedHost;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a host's name, or { name = \"..\", capacity = .. }")
            }

            fn visit_str<E: serde::de::Error>(self, name: &str) -> Result<NamedHost, E> {
                Ok(NamedHost { name: name.to_owned(), capacity: None })
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<NamedHost, A::Error> {
                let Table { name, capacity } = Table::deserialize(MapAccessDeserializer::new(map))?;
                Ok(NamedHost { name, capacity })
            }
        }
        deserializer.deserialize_any(HostVisitor)
    }
}

impl ClusterSettings {
    fn check(&self) -> Result<(), SettingError> {
        SettingError::require_capacity("capacity", self.capacity)?;
        if self.heartbeat == SimDuration::ZERO {
            return Err(SettingError::new("heartbeat", "must be above 0s"));
        }
        match &self.hosts {
            Hosts::Count(count) if (1..=MOST_HOSTS).contains(&(*count as usize)) => Ok(()),
            Hosts::Count(count) => {
                let message = format!("must be from 1 to {MOST_HOSTS}, not {count}");
                Err(SettingError::new("hosts", message))
            }
            Hosts::List(hosts) => check_list(hosts),
        }
    }

    /// The hosts at the start.
    pub fn initial_hosts(&self) -> Vec<Host> {
        match &self.hosts {
            Hosts::Count(count) => {
                (0..*count).map(|index| Host::new(format!("host-{index}"), self.capacity)).collect()
            }
            Hosts::List(hosts) => hosts
                .iter()
                .map(|host| Host::new(host.name.clone(), host.capacity.unwrap_or(self.capacity)))
                .collect(),
        }
    }
}

fn check_list(hosts: &[NamedHost]) -> Result<(), SettingError> {
    let mut names = BTreeSet::new();
    if hosts.is_empty() || hosts.len() > MOST_HOSTS {
        return Err(SettingError::new("hosts", format!("must name from 1 to {MOST_HOSTS} hosts")));
    }
    for (item, NamedHost { name, capacity }) in hosts.iter().enumerate() {
        let fault = |message: String| SettingError::item("hosts", item, message);
        check_name(name).map_err(|rule| fault(format!("has a host whose name {rule}")))?;
        if !names.insert(name) {
            return Err(fault(format!("names `{name}` twice")));
        }
        if let Some(capacity) = capacity {
            check_capacity(*capacity)
                .map_err(|rule| fault(format!("has `{name}`, whose capacity {rule}")))?;
        }
    }
    Ok(())
}

/// A host that joins.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AddHost {
    /// When.
    pub at: SimDuration,
    /// Its name; one that left may come back.
    pub host: String,
    /// Its capacity, if it is not the common one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<f64>,
}

/// A host that leaves.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RemoveHost {
    /// When.
    pub at: SimDuration,
    /// Its name.
    pub host: String,
}

/// A host that another one replaces.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReplaceHost {
    /// When.
    pub at: SimDuration,
    /// The name of the host that leaves.
    pub host: String,
    /// The name of the host that joins; one that left may come back.
    pub with: String,
    /// The capacity of the host that joins, if it is not the common one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub capacity: Option<f64>,
}

impl ReplaceHost {
    fn check(&self) -> Result<(), SettingError> {
        if let Some(capacity) = self.capacity {
            SettingError::require_capacity("capacity", capacity)?;
        }
        check_name(&self.with).map_err(|rule| SettingError::new("with", rule))
    }
}

impl AddHost {
    fn check(&self) -> Result<(), SettingError> {
        if let Some(capacity) = self.capacity {
            SettingError::require_capacity("capacity", capacity)?;
        }
        check_name(&self.host).map_err(|rule| SettingError::new("host", rule))
    }
}

impl RemoveHost {
    fn check(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

kinds! {
    /// An entry of `[[cluster.event]]`.
    EventSettings {
        /// A host joins.
        "add" => Add(AddHost),
        /// A host leaves.
        "remove" => Remove(RemoveHost),
        /// A host leaves and another one joins.
        "replace" => Replace(ReplaceHost),
    }
}

impl EventSettings {
    fn at(&self) -> SimDuration {
        match self {
            Self::Add(event) => event.at,
            Self::Remove(event) => event.at,
            Self::Replace(event) => event.at,
        }
    }

    /// The capacity of the host that joins, if one does.
    pub(super) fn capacity(&self, cluster: &ClusterSettings) -> Option<f64> {
        match self {
            Self::Add(AddHost { capacity, .. }) | Self::Replace(ReplaceHost { capacity, .. }) => {
                Some(capacity.unwrap_or(cluster.capacity))
            }
            Self::Remove(_) => None,
        }
    }

    /// The event as the simulator takes it.
    pub fn event(&self, cluster: &ClusterSettings) -> ClusterEvent {
        let change = match self {
            Self::Add(event) => ClusterChange::Add {
                host: event.host.clone(),
                capacity: event.capacity.unwrap_or(cluster.capacity),
            },
            Self::Remove(event) => ClusterChange::Remove { host: event.host.clone() },
            Self::Replace(event) => ClusterChange::Replace {
                host: event.host.clone(),
                with: event.with.clone(),
                capacity: event.capacity.unwrap_or(cluster.capacity),
            },
        };
        ClusterEvent { at: SimTime(self.at().0), change }
    }
}

/// Reads `[cluster]`.
pub(super) fn read(mut section: Section<'_>) -> Result<Read<'_>, Box<Fault>> {
    let mut events = Vec::new();
    for event in section.take_sections("event", "[[cluster.event]]")? {
        let places = event.places.clone();
        events.push(PlacedEvent { settings: EventSettings::read(event, &[])?, places });
    }
    let (settings, places) = section.read(&["event"], ClusterSettings::check)?;
    Ok(Read { settings, places, events })
}

/// What `[cluster]` says, with its places.
pub(super) struct Read<'s> {
    pub(super) settings: ClusterSettings,
    pub(super) places: Places<'s>,
    pub(super) events: Vec<PlacedEvent<'s>>,
}

/// An event with its place, to be checked against the others.
pub(super) struct PlacedEvent<'s> {
    pub(super) settings: EventSettings,
    places: Places<'s>,
}

/// Plays membership through: each host that joins must be new or gone, each
/// that leaves must be there and not be the last.
pub(super) fn check_events(
    events: &[PlacedEvent<'_>],
    cluster: &ClusterSettings,
    duration: SimDuration,
) -> Result<(), Box<Fault>> {
    let mut live: BTreeSet<String> =
        cluster.initial_hosts().into_iter().map(|host| host.name).collect();
    let mut in_order: Vec<&PlacedEvent<'_>> = events.iter().collect();
    in_order.sort_by_key(|event| event.settings.at());
    for PlacedEvent { settings, places } in in_order {
        let at = settings.at();
        if at > duration {
            let message = format!("the event at {at} is after the end of the run at {duration}");
            return Err(places.fault("at", message));
        }
        let there = |key, host: &str| {
            Err(places.fault(key, format!("host `{host}` is there already at {at}")))
        };
        let missing = |live: &BTreeSet<String>, host: &str| {
            let known: Vec<&str> = live.iter().map(String::as_str).collect();
            Err(places.unknown("host", &format!("host at {at}:"), host, &known))
        };
        match settings {
            EventSettings::Add(AddHost { host, .. }) => {
                if !live.insert(host.clone()) {
                    return there("host", host);
                }
            }
            EventSettings::Remove(RemoveHost { host, .. }) => {
                if !live.remove(host) {
                    return missing(&live, host);
                }
                if live.is_empty() {
                    let message =
                        format!("host `{host}` is the last one at {at}; a cluster needs a host");
                    return Err(places.fault("host", message));
                }
            }
            EventSettings::Replace(ReplaceHost { host, with, .. }) => {
                if !live.contains(host) {
                    return missing(&live, host);
                }
                if !live.insert(with.clone()) {
                    return there("with", with);
                }
                live.remove(host);
            }
        }
    }
    Ok(())
}
