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

#[derive(Clone, Debug)]
struct Node {
    /// Two hashes of the name, the second odd: what a key is mixed with.
    salt: u64,
    factor: u64,
    host: HostId,
    name: String,
    weight: f64,
}

impl Node {
    #[inline]
    fn score(&self, hash: u64) -> u64 {
        fold(hash ^ self.salt, self.factor)
    }
}

/// A key belongs to the host with the highest score for it: a hash of both, or
/// with weights w / -ln(u), with u that hash as a number between 0 and 1. Equal
/// scores: the first host by name as text. A host that joins takes keys and
/// nothing else moves; those of one that leaves go to all others.
///
/// A lookup looks at every host.
#[derive(Clone, Debug)]
pub struct Rendezvous {
    weighted: bool,
    hash_seed: u64,
    /// In order of their names.
    nodes: Vec<Node>,
}

impl Rendezvous {
    /// A placement without hosts.
    pub fn new(settings: &RendezvousSettings, hash_seed: u64) -> Self {
        Self { weighted: settings.weighted, hash_seed, nodes: Vec::new() }
    }

    #[inline]
    fn highest(&self, hash: u64) -> Option<&Node> {
        let (first, others) = self.nodes.split_first()?;
        let mut best = (first.score(hash), first);
        for node in others {
            let score = node.score(hash);
            if score > best.0 {
                best = (score, node);
            }
        }
        Some(best.1)
    }

    /// The least -ln(u) / w, which is the highest w / -ln(u).
    fn lightest(&self, hash: u64) -> Option<&Node> {
        let (mut least, mut found) = (f64::INFINITY, None);
        for node in &self.nodes {
            let u = midpoint(node.score(hash));
            // As -ln(u) is never below 1 - u, most hosts need no logarithm.
            if 1.0 - u < least * node.weight {
                let cost = -libm::log(u) / node.weight;
                if cost < least {
                    (least, found) = (cost, Some(node));
                }
            }
        }
        found
    }
}

impl Placement for Rendezvous {
    fn change(&mut self, leaving: &[HostId], joining: &[Member<'_>]) {
        self.nodes.retain(|node| !leaving.contains(&node.host));
        self.nodes.extend(joining.iter().map(|member| {
            let salt = hash_name(member.name, self.hash_seed);
            Node {
                salt,
                // The same for the same name and seed, and no function of the
                // salt that the mixing could undo.
                factor: hash_name(member.name, salt) | 1,
                host: member.host,
                name: member.name.to_owned(),
                weight: member.weight,
            }
        }));
        self.nodes.sort_by(|a, b| a.name.cmp(&b.name));
    }

    #[inline]
    fn owner(&self, hash: u64) -> Option<HostId> {
        let node = if self.weighted { self.lightest(hash) } else { self.highest(hash) };
        node.map(|node| node.host)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{chi_square_of, members, probes};
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

    /// The shortcut around the logarithm changes no answer.
    #[test]
    fn the_lightest_is_that_of_the_definition() {
        let placement = weighted(&[1.0, 7.0, 1e-3, 2.5, 2.5, 100.0]);
        for hash in probes(5000) {
            let cost = |node: &Node| -libm::log(midpoint(node.score(hash))) / node.weight;
            let least = placement.nodes.iter().min_by(|a, b| cost(a).total_cmp(&cost(b)));
            assert_eq!(placement.owner(hash), least.map(|node| node.host));
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
