//! The registry of policies: one line a kind.

use std::path::Path;

use super::kinds::kinds;
use crate::balancer::Start;
use crate::balancer::greedy::GreedySettings;
use crate::balancer::naive::NaiveSettings;
use crate::model::{SettingError, SimDuration};
use crate::placement::{HashPolicy, Jump, JumpSettings, ModN, ModNSettings, Ring, RingSettings};
use crate::policy::Policy;

kinds! {
    /// The settings of a policy, by its kind.
    PolicySettings {
        /// Hash modulo the number of hosts.
        "mod-n" => ModN(ModNSettings),
        /// Consistent hashing on a ring.
        "ring" => Ring(RingSettings),
        /// Jump consistent hash.
        "jump" => Jump(JumpSettings),
        /// The reference's greedy balancer.
        "greedy" => Greedy(GreedySettings),
        /// The reference's naive balancer.
        "naive" => Naive(NaiveSettings),
    }
}

impl PolicySettings {
    /// A policy with these settings, for so many shards. `hash_seed` is that
    /// of hash placements.
    pub fn build(&self, shards: usize, hash_seed: u64) -> Box<dyn Policy> {
        match self {
            Self::ModN(_) => Box::new(HashPolicy::new(ModN::default(), hash_seed)),
            Self::Ring(settings) => {
                Box::new(HashPolicy::new(Ring::new(settings, hash_seed), hash_seed))
            }
            Self::Jump(_) => Box::new(HashPolicy::new(Jump::default(), hash_seed)),
            Self::Greedy(settings) => Box::new(settings.build(shards)),
            Self::Naive(settings) => Box::new(settings.build(shards)),
        }
    }

    /// Where the shards lie at the start: a kind of placement, or a file.
    /// `None` for policies that place them by themselves.
    pub fn start(&self) -> Option<(Start, Option<&Path>)> {
        match self {
            Self::ModN(_) | Self::Ring(_) | Self::Jump(_) => None,
            Self::Greedy(settings) => Some((settings.start, settings.start_file.as_deref())),
            Self::Naive(settings) => Some((settings.start, settings.start_file.as_deref())),
        }
    }
}

/// The most points that a ring may have: about a gigabyte.
const MOST_POINTS: u64 = 50_000_000;

impl PolicySettings {
    /// Simulated time between passes; `None` for policies without them.
    pub fn pass_every(&self) -> Option<SimDuration> {
        match self {
            Self::ModN(_) | Self::Ring(_) | Self::Jump(_) => None,
            Self::Greedy(settings) => Some(settings.pass_every),
            Self::Naive(settings) => Some(settings.pass_every),
        }
    }

    /// Whether the settings are usable with so many hosts.
    ///
    /// # Errors
    ///
    /// When a ring would not fit into memory.
    pub fn check_hosts(&self, hosts: usize) -> Result<(), SettingError> {
        match self {
            Self::Ring(RingSettings { virtual_nodes })
                if u64::from(*virtual_nodes) * hosts as u64 > MOST_POINTS =>
            {
                let message = format!(
                    "of {virtual_nodes} makes more than {MOST_POINTS} points with {hosts} hosts"
                );
                Err(SettingError::new("virtual_nodes", message))
            }
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
