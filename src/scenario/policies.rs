//! The registry of policies: one line a kind.

use std::path::Path;

use super::kinds::kinds;
use crate::balancer::Start;
use crate::balancer::greedy::GreedySettings;
use crate::balancer::naive::NaiveSettings;
use crate::model::{SettingError, SimDuration};
use crate::placement::{
    Anchor, AnchorSettings, BoundedRing, BoundedRingSettings, Directory, DirectorySettings,
    HashPolicy, Jump, JumpSettings, Maglev, MaglevSettings, ModN, ModNSettings, Placement, Redis,
    RedisSettings, Rendezvous, RendezvousSettings, Ring, RingSettings, Ringpop, RingpopSettings,
    Slots, SlotsSettings,
};
use crate::policy::Policy;

kinds! {
    /// The settings of a policy, by its kind.
    PolicySettings {
        /// Hash modulo the number of hosts.
        "mod-n" => ModN(ModNSettings),
        /// Consistent hashing on a ring.
        "ring" => Ring(RingSettings),
        /// The ring of ringpop-go.
        "ringpop" => Ringpop(RingpopSettings),
        /// Consistent hashing with bounded loads.
        "bounded-ring" => BoundedRing(BoundedRingSettings),
        /// Jump consistent hash.
        "jump" => Jump(JumpSettings),
        /// Rendezvous hashing.
        "rendezvous" => Rendezvous(RendezvousSettings),
        /// Maglev hashing.
        "maglev" => Maglev(MaglevSettings),
        /// AnchorHash.
        "anchor" => Anchor(AnchorSettings),
        /// Logical slots and a slot map.
        "slots" => Slots(SlotsSettings),
        /// The slots of Redis Cluster.
        "redis" => Redis(RedisSettings),
        /// A hash placement with named exceptions.
        "directory" => Directory(DirectorySettings),
        /// The reference's greedy balancer.
        "greedy" => Greedy(GreedySettings),
        /// The reference's naive balancer.
        "naive" => Naive(NaiveSettings),
    }
}

/// What settings make.
enum Rule {
    Placement(Box<dyn Placement>),
    Balancer(Box<dyn Policy>),
}

impl PolicySettings {
    /// A policy with these settings, for so many shards. `hash_seed` is that
    /// of hash placements.
    pub fn build(&self, shards: usize, hash_seed: u64) -> Box<dyn Policy> {
        match self.rule(shards, hash_seed) {
            Rule::Placement(placement) => Box::new(HashPolicy::new(placement, hash_seed)),
            Rule::Balancer(balancer) => balancer,
        }
    }

    /// A hash placement with these settings and without hosts; `None` for
    /// balancers.
    pub fn placement(&self, hash_seed: u64) -> Option<Box<dyn Placement>> {
        match self.rule(0, hash_seed) {
            Rule::Placement(placement) => Some(placement),
            Rule::Balancer(_) => None,
        }
    }

    /// Whether it is a map of numbered slots, with the slot of a small hash
    /// being that hash.
    pub fn has_slots(&self) -> bool {
        matches!(self, Self::Slots(_) | Self::Redis(_))
    }

    /// The same settings with weights, where the placement has them.
    pub fn with_weights(mut self) -> Self {
        match &mut self {
            Self::Ring(settings) => settings.weighted = true,
            Self::BoundedRing(settings) => settings.weighted = true,
            Self::Rendezvous(settings) => settings.weighted = true,
            Self::Maglev(settings) => settings.weighted = true,
            Self::Slots(settings) => settings.weighted = settings.rebalance.has_weights(),
            Self::Redis(settings) => settings.weighted = true,
            _ => {}
        }
        self
    }

    /// The same settings with room for so many hosts, where that is a setting and
    /// its default may not do.
    pub fn with_room(mut self, hosts: usize) -> Self {
        if let Self::Anchor(settings) = &mut self {
            settings.capacity = settings.capacity.max(u32::try_from(hosts).unwrap_or(u32::MAX));
        }
        self
    }

    fn rule(&self, shards: usize, hash_seed: u64) -> Rule {
        Rule::Placement(match self {
            Self::ModN(_) => Box::new(ModN::default()),
            Self::Ring(settings) => Box::new(Ring::new(settings, hash_seed)),
            Self::Jump(_) => Box::new(Jump::default()),
            Self::Rendezvous(settings) => Box::new(Rendezvous::new(settings, hash_seed)),
            Self::Maglev(settings) => Box::new(Maglev::new(settings, hash_seed)),
            Self::Anchor(settings) => Box::new(Anchor::new(settings)),
            Self::BoundedRing(settings) => Box::new(BoundedRing::new(settings, hash_seed)),
            Self::Ringpop(settings) => Box::new(Ringpop::new(settings, hash_seed)),
            Self::Slots(settings) => Box::new(Slots::new(settings)),
            Self::Redis(settings) => Box::new(Redis::new(settings)),
            Self::Directory(settings) => Box::new(Directory::new(settings, hash_seed)),
            Self::Greedy(settings) => return Rule::Balancer(Box::new(settings.build(shards))),
            Self::Naive(settings) => return Rule::Balancer(Box::new(settings.build(shards))),
        })
    }

    /// Where the shards lie at the start: a kind of placement, or a file.
    /// `None` for policies that place them by themselves.
    pub fn start(&self) -> Option<(Start, Option<&Path>)> {
        match self {
            Self::Greedy(settings) => Some((settings.start, settings.start_file.as_deref())),
            Self::Naive(settings) => Some((settings.start, settings.start_file.as_deref())),
            _ => None,
        }
    }
}

/// The most points that a ring may have: about a gigabyte.
const MOST_POINTS: u64 = 50_000_000;

impl PolicySettings {
    /// Simulated time between passes; `None` for policies without them.
    pub fn pass_every(&self) -> Option<SimDuration> {
        match self {
            Self::Greedy(settings) => Some(settings.pass_every),
            Self::Naive(settings) => Some(settings.pass_every),
            _ => None,
        }
    }

    /// Whether the settings are usable with as many hosts as there could be at
    /// once, of these capacities.
    ///
    /// # Errors
    ///
    /// When a ring would not fit into memory, or a table or an anchor is too
    /// small.
    pub fn check_hosts(&self, capacities: &[f64]) -> Result<(), SettingError> {
        let hosts = capacities.len();
        let points = |key, of_host: u32, points: u64| {
            if points <= MOST_POINTS {
                return Ok(());
            }
            let message =
                format!("of {of_host} makes more than {MOST_POINTS} points with {hosts} hosts");
            Err(SettingError::new(key, message))
        };
        let room = |key, room: u32| {
            if hosts <= room as usize {
                return Ok(());
            }
            let message = format!("of {room} is too small for the {hosts} hosts there may be");
            Err(SettingError::new(key, message))
        };
        let all = |of_host: u32| u64::from(of_host) * hosts as u64;
        match self {
            Self::Ring(settings) => {
                let sum = capacities.iter().map(|&c| u64::from(settings.points_of(c))).sum();
                points("virtual_nodes", settings.virtual_nodes, sum)
            }
            Self::BoundedRing(settings) => {
                points("virtual_nodes", settings.virtual_nodes, all(settings.virtual_nodes))
            }
            Self::Ringpop(settings) => {
                points("replica_points", settings.replica_points, all(settings.replica_points))
            }
            Self::Maglev(settings) => room("table_size", settings.table_size),
            Self::Anchor(settings) => room("capacity", settings.capacity),
            _ => Ok(()),
        }
    }
}

/// The policy that carries out a start placement; `None` for those that a
/// policy or a file carries out itself.
pub fn start_policy(start: Start, shards: usize, hash_seed: u64) -> Option<Box<dyn Policy>> {
    let settings = match start {
        Start::Ring => PolicySettings::Ring(RingSettings::default()),
        Start::ModN => PolicySettings::ModN(ModNSettings::default()),
        Start::Jump => PolicySettings::Jump(JumpSettings::default()),
        Start::Greedy | Start::File => return None,
    };
    Some(settings.build(shards, hash_seed))
}
