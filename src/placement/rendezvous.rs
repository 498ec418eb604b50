//! Rendezvous hashing, also called highest random weight (Thaler and
//! Ravishankar 1998, "Using Name-Based Mappings to Increase Hit Rates"), with
//! weights (Schindelhauer and Schomaker 2005, "Weighted Distributed Hash
//! Tables").

use serde::{Deserialize, Serialize};

use super::{Member, Placement};
use crate::hash::fold;
use crate::hash::hash_name;
use crate::model::{HostId, SettingError};
use crate::random::midpoint;

/// Settings of the `rendezvous` placement.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct RendezvousSettings {
    /// Whether hosts own keys in proportion to their capacity.
    pub weighted: bool,
}

impl RendezvousSettings {
    /// Whether the settings are usable: all are.
    pub fn check(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

/// What a key is mixed with to give the score of a host for it: two hashes of
/// the host's name, the second odd.
#[derive(Clone, Copy, Debug)]
struct Mixer {
    salt: u64,
    factor: u64,
}

impl Mixer {
    #[inline]
    fn score(self, hash: u64) -> u64 {
        fold(hash ^ self.salt, self.factor)
    }
}

#[derive(Clone, Debug)]
struct Node {
    host: HostId,
    name: String,
    weight: f64,
}

/// A key belongs to the host with the highest score for it: the upper 40 bits of
/// a hash of both, or with weights w / -ln(u), with u that hash as a number
/// between 0 and 1. Equal scores: the first host by name as text. A host that
/// joins takes keys and nothing else moves; those of one that leaves go to all
/// others.
///
/// A lookup looks at every host.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    weighted: bool,
    hash_seed: u64,
    /// In order of their names.
    nodes: Vec<Node>,
    /// One for each node, close together.
    mixers: Vec<Mixer>,
}

/// The lower bits of a score, which make room for the position of the host.
const POSITION: u64 = (1 << 24) - 1;

impl Rendezvous {
    /// A placement without hosts.
    pub fn new(settings: &RendezvousSettings, hash_seed: u64) -> Self {
        let weighted = settings.weighted;
        Self { weighted, hash_seed, nodes: Vec::new(), mixers: Vec::new() }
    }

    /// The position of the highest score. With its complement in the lower bits,
    /// the maximum alone tells it, and the first of equal ones: no branch, and
    /// four maxima at a time.
    #[inline]
    fn highest(&self, hash: u64) -> usize {
        let rated =
            |mixer: &Mixer, position: u64| (mixer.score(hash) & !POSITION) | (POSITION - position);
        let mut best = [0; 4];
        let (fours, rest) = self.mixers.as_chunks::<4>();
        for (index, four) in (0..).zip(fours) {
            for (lane, mixer) in (0..).zip(four) {
                best[lane] = best[lane].max(rated(mixer, 4 * index + lane as u64));
            }
        }
        for (index, mixer) in rest.iter().enumerate() {
            best[index] = best[index].max(rated(mixer, (4 * fours.len() + index) as u64));
        }
        let best = best.into_iter().fold(0, u64::max);
        (POSITION - (best & POSITION)) as usize
    }

    /// The position of the least -ln(u) / w, which is the highest w / -ln(u).
    fn lightest(&self, hash: u64) -> usize {
        let (mut least, mut found) = (f64::INFINITY, 0);
        for (position, (mixer, node)) in self.mixers.iter().zip(&self.nodes).enumerate() {
            let u = midpoint(mixer.score(hash));
            // As -ln(u) is never below 1 - u, most hosts need no logarithm.
            if 1.0 - u < least * node.weight {
                let cost = -libm::log(u) / node.weight;
                if cost < least {
                    (least, found) = (cost, position);
                }
            }
        }
        found
    }
}

impl Placement for Rendezvous {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.nodes.retain(|node| !leaving.contains(&node.host));
        self.nodes.extend(joining.iter().map(|member| Node {
            host: member.host,
            name: member.name.to_owned(),
            weight: member.weight,
        }));
        self.nodes.sort_by(|a, b| a.name.cmp(&b.name));
        let mixer = |node: &Node| {
            let salt = hash_name(&node.name, self.hash_seed);
            // Another hash of the same name, which is no function of the salt
            // that the mixing could undo.
            Mixer { salt, factor: hash_name(&node.name, salt) | 1 }
        };
        self.mixers = self.nodes.iter().map(mixer).collect();
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        let position = if self.weighted { self.lightest(hash) } else { self.highest(hash) };
        Some(self.nodes.get(position)?.host)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{chi_square_of, members, numbered, probes};
    use super::*;

    fn weighted(weights: &[f64]) -> Rendezvous {
        let names: Vec<String> = (0..weights.len()).map(|i| format!("h{i}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let mut placement = Rendezvous::new(&RendezvousSettings { weighted: true }, 0);
        let mut members = members(&names);
        for (member, weight) in members.iter_mut().zip(weights) {
            member.weight = *weight;
        }
        placement.change(&[], &members);
        placement
    }

    /// Chi-square with 9 and 4 degrees of freedom: above 27.9 and 18.5 in one
    /// sample of a thousand.
    #[test]
    fn shares_are_those_of_the_weights() {
        let mut plain = Rendezvous::new(&RendezvousSettings::default(), 0);
        plain.change(&[], &members(&["a", "b", "c", "d", "e", "f", "g", "h", "i", "j"]));
        let chi = chi_square_of(&plain, 100_000, &[1.0; 10]);
        assert!(chi < 27.9, "{chi}");
        let weights = [1.0, 2.0, 3.0, 0.5, 10.0];
        let chi = chi_square_of(&weighted(&weights), 100_000, &weights);
        assert!(chi < 18.5, "{chi}");
    }

    /// The maxima in lanes find the first of the highest scores.
    #[test]
    fn the_highest_is_that_of_the_definition() {
        for hosts in 1..12 {
            let names = numbered(hosts);
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            let mut placement = Rendezvous::new(&RendezvousSettings::default(), 0);
            placement.change(&[], &members(&names));
            for hash in probes(300) {
                let score = |position: &usize| placement.mixers[*position].score(hash) >> 24;
                // Of equal ones, `max_by_key` gives the last.
                let highest = (0..hosts).rev().max_by_key(score).unwrap();
                assert_eq!(placement.owner(hash), Some(placement.nodes[highest].host));
            }
        }
    }

    /// The shortcut around the logarithm changes no answer.
    #[test]
    fn the_lightest_is_that_of_the_definition() {
        let placement = weighted(&[1.0, 7.0, 1e-3, 2.5, 2.5, 100.0]);
        for hash in probes(5000) {
            let all = placement.mixers.iter().zip(&placement.nodes);
            let cost = |(mixer, node): (&Mixer, &Node)| {
                -libm::log(midpoint(mixer.score(hash))) / node.weight
            };
            let least = all.min_by(|a, b| cost(*a).total_cmp(&cost(*b)));
            assert_eq!(placement.owner(hash), least.map(|(_, node)| node.host));
        }
    }

    /// A host whose weight grows takes keys and gives none.
    #[test]
    fn a_larger_weight_only_takes() {
        let (before, after) = (weighted(&[1.0, 2.0, 3.0]), weighted(&[1.0, 2.5, 3.0]));
        for hash in probes(5000) {
            let (old, new) = (before.owner(hash), after.owner(hash));
            assert!(old == new || new == Some(HostId(1)));
        }
    }
}
