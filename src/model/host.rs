//! Hosts: what owns shards.

use std::fmt;
use std::str::FromStr;

/// The most hosts that a cluster may start with: beyond, a ring of virtual
/// nodes fills the memory.
pub const MOST_HOSTS: usize = 100_000;

/// What a host may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HostStatus {
    /// Owns shards and may receive more.
    Active,
    /// Still owns shards, receives none.
    Draining,
    /// Has given up its shards and receives none.
    Drained,
    /// Not there.
    Down,
    /// Named in the assignment, but never heard of.
    Missing,
}

impl HostStatus {
    /// Every status, in the order of the documentation.
    pub const ALL: [HostStatus; 5] =
        [Self::Active, Self::Draining, Self::Drained, Self::Down, Self::Missing];

    /// Whether the host's capacity counts towards the fleet (active or draining).
    pub fn is_live(self) -> bool {
        matches!(self, Self::Active | Self::Draining)
    }

    /// Whether the host may be given shards.
    pub fn may_receive(self) -> bool {
        self == Self::Active
    }

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Draining => "draining",
            Self::Drained => "drained",
            Self::Down => "down",
            Self::Missing => "missing",
        }
    }
}

impl fmt::Display for HostStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for HostStatus {
    type Err = ();

    /// Reads a status word in any case; `up` is read as active.
    fn from_str(text: &str) -> Result<Self, ()> {
        if text.eq_ignore_ascii_case("up") {
            return Ok(Self::Active);
        }
        Self::ALL.into_iter().find(|s| text.eq_ignore_ascii_case(s.as_str())).ok_or(())
    }
}

/// A host: a name, a capacity in units of load a second, and a status.
#[derive(Clone, Debug, PartialEq)]
pub struct Host {
    /// Unique among the hosts of a cluster.
    pub name: String,
    /// Load a second at which the host is fully used; finite and above zero.
    pub capacity: f64,
    /// What the host may do now.
    pub status: HostStatus,
}

impl Host {
    /// An active host.
    pub fn new(name: impl Into<String>, capacity: f64) -> Self {
        Self { name: name.into(), capacity, status: HostStatus::Active }
    }
}
