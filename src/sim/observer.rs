//! Watching a run without changing it.

use super::{Cluster, EventClass};
use crate::model::{HostId, ShardId, SimTime};
use crate::policy::{Move, PassOutcome};

/// Hears of what happens. Every method may be left out.
pub trait Observer {
    /// Whether [`Observer::on_event`] is wanted, which costs time.
    fn wants_events(&self) -> bool {
        false
    }

    /// A change of state, just after it went into the digest.
    fn on_event(&mut self, _record: &EventRecord) {}

    /// A shard is about to change its owner.
    fn on_move(&mut self, _now: SimTime, _cluster: &Cluster, _planned: &Move) {}

    /// A pass has been carried out.
    fn on_pass(&mut self, _outcome: PassOutcome) {}

    /// Loads, hosts or owners have changed at `now`, and all changes before
    /// the samples of that instant are done. Called at 0 in any case.
    fn on_settled(&mut self, _now: SimTime, _cluster: &Cluster) {}

    /// A sample is due. `believed` are the loads that the policy believes in,
    /// by shard, NaN where it knows none.
    fn on_sample(&mut self, _now: SimTime, _cluster: &Cluster, _believed: Option<&[f64]>) {}

    /// A probe is due.
    fn on_probe(&mut self, _now: SimTime, _cluster: &Cluster) {}
}

/// Watches nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoObserver;

impl Observer for NoObserver {}

/// What a change of state did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Action {
    /// A shard carries another load.
    Load {
        /// The shard.
        shard: ShardId,
        /// Its new load, in units a second.
        load: f64,
    },
    /// A host joined.
    Join(HostId),
    /// A host left.
    Leave(HostId),
    /// Shards were reported.
    Report {
        /// How many.
        shards: usize,
    },
    /// A shard got another owner.
    Move(Move),
    /// A shard is served by its owner again.
    Served(ShardId),
}

/// One line of the event log.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventRecord {
    /// When.
    pub time: SimTime,
    /// The class of the event that did it.
    pub class: EventClass,
    /// What it did.
    pub action: Action,
    /// The digest of the run up to and with this.
    pub digest: u64,
}
