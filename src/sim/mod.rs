//! The simulator: a clock, an event queue, and the engine that turns loads,
//! membership and a policy into a history.
//!
//! The order of events is a contract: by time, then by [`EventClass`], then by
//! the order in which they were scheduled.

mod cluster;
mod digest;
mod engine;
mod event;
mod measure;
mod observer;
mod queue;

pub use cluster::Cluster;
pub use digest::Digest;
pub use engine::{SimError, Simulation};
pub use event::{ClusterChange, ClusterEvent, Config, EventClass};
pub use observer::{Action, EventRecord, NoObserver, Observer};
pub use queue::{CLASSES, EventQueue, ScheduleError, Scheduled};
