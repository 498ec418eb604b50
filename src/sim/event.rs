//! What can happen, and what a run is made of.

use std::sync::Arc;

use super::SimError;
use crate::model::{Assignment, Host, SimDuration, SimTime};

/// The classes of events, in the order in which they are handled when they
/// fall on one instant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum EventClass {
    /// True loads change.
    LoadChange = 0,
    /// A host joins or leaves.
    Cluster = 1,
    /// Hosts report the loads they measured: a heartbeat.
    Report = 2,
    /// A balancer plans.
    Pass = 3,
    /// A shard is served again after a move.
    Handover = 4,
    /// Clients learn of an owner (no events of this class yet).
    RouteUpdate = 5,
    /// The fleet is resized by rule (no events of this class yet).
    Autoscaler = 6,
    /// Measurements are taken; changes nothing.
    Sample = 7,
}

impl EventClass {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::LoadChange => "load-change",
            Self::Cluster => "cluster",
            Self::Report => "report",
            Self::Pass => "pass",
            Self::Handover => "handover",
            Self::RouteUpdate => "route-update",
            Self::Autoscaler => "autoscaler",
            Self::Sample => "sample",
        }
    }
}

/// A change of membership.
#[derive(Clone, Debug, PartialEq)]
pub enum ClusterChange {
    /// A host joins, or one that left comes back.
    Add {
        /// Its name.
        host: String,
        /// Its capacity, in units of load a second.
        capacity: f64,
    },
    /// A host leaves at once.
    Remove {
        /// Its name.
        host: String,
    },
    /// A host leaves and another one joins, and the policy hears of both in
    /// one answer.
    Replace {
        /// The name of the one that leaves.
        host: String,
        /// The name of the one that joins.
        with: String,
        /// The capacity of the one that joins, in units of load a second.
        capacity: f64,
    },
}

/// A change of membership at an instant.
#[derive(Clone, Debug, PartialEq)]
pub struct ClusterEvent {
    /// When.
    pub at: SimTime,
    /// What.
    pub change: ClusterChange,
}

/// What a run is made of, beside its loads and its policy.
#[derive(Clone, Debug)]
pub struct Config {
    /// Names of the shards.
    pub shards: Arc<[String]>,
    /// The hosts at the start.
    pub hosts: Vec<Host>,
    /// Time between two reports of a host; reports fall on its multiples.
    pub heartbeat: SimDuration,
    /// How long a shard that moves is not served.
    pub handover: SimDuration,
    /// Length of the run; events at its very end still happen.
    pub duration: SimDuration,
    /// Time between two samples; the first is at 0.
    pub sample_every: SimDuration,
    /// Time between two probes, at which the optimum is asked for; the first
    /// is at 0.
    pub probe_every: Option<SimDuration>,
    /// Changes of membership, in any order; those of one instant happen in
    /// the order given.
    pub events: Vec<ClusterEvent>,
}

impl Config {
    /// Whether the run can end, and fits the loads and the start placement.
    pub(super) fn check(
        &self,
        loads: usize,
        start: &Assignment,
        pass_every: Option<SimDuration>,
    ) -> Result<(), SimError> {
        let periods = [
            ("heartbeat", Some(self.heartbeat)),
            ("sample_every", Some(self.sample_every)),
            ("probe_every", self.probe_every),
            ("pass_every", pass_every),
        ];
        if let Some((name, _)) = periods.iter().find(|(_, every)| *every == Some(SimDuration::ZERO))
        {
            return Err(SimError::ZeroPeriod(name));
        }
        let (shards, owners) = (self.shards.len(), start.shard_count());
        if loads != shards || owners != shards {
            return Err(SimError::Shards { shards, loads, owners });
        }
        let (hosts, start) = (self.hosts.len(), start.host_count());
        if start != hosts {
            return Err(SimError::Hosts { start, hosts });
        }
        Ok(())
    }
}
