//! Why a pass that has a source and a destination moves nothing.

use super::exchange::{self, Band, Pair};
use super::gain::gain;
use super::{Destination, Limits, Pass, Planner, Stamp, Standing, has_any};
use crate::model::{HostId, SimDuration};
use crate::policy::PassOutcome;

impl Planner {
    /// The reason, in this order: waiting for a cooldown would bring a move
    /// (or an exchange); a lower least load would; every shard that would gain
    /// is pinned; the sources hold nothing that was ever measured; nothing
    /// gains.
    ///
    /// Called before anything has moved in the pass, so the lists are those
    /// of the assignment. Looks only at sources that hold a shard that would
    /// gain, if there are any.
    pub(super) fn why_nothing(
        &mut self,
        pass: &Pass<'_>,
        destination: Destination,
        budget: usize,
    ) -> PassOutcome {
        self.sources.wake_all();
        let fleet = pass.fleet;
        let (mut too_small, mut pinned, mut measured, mut sources) = (false, false, false, 0);
        for source in self.sources.ready().iter().filter(|other| other.host != destination.host) {
            sources += 1;
            let shards = fleet.assignment.shards_of(HostId(source.host));
            measured = measured || shards.iter().any(|shard| !fleet.loads[shard.index()].is_nan());
            if !self.lists.of(fleet, source.host).would_gain(source.load, destination.load) {
                continue;
            }
            for shard in shards {
                let load = fleet.loads[shard.index()];
                if gain(source.load, destination.load, load) > 0.0 {
                    if fleet.stamps[shard.index()] == Stamp::PINNED {
                        pinned = true;
                    } else if load >= pass.limits.least_load {
                        return PassOutcome::CoolingDown;
                    } else {
                        too_small = true;
                    }
                }
            }
        }
        if pass.exchanges
            && budget >= 2
            && destination.below
            && self.would_exchange(pass, destination)
        {
            PassOutcome::CoolingDown
        } else if too_small {
            PassOutcome::BelowMinLoad
        } else if pinned {
            PassOutcome::Pinned
        } else if sources > 0 && !measured {
            PassOutcome::Unmeasured
        } else {
            PassOutcome::NoGain
        }
    }

    /// Whether there would be an exchange if nothing cooled down.
    fn would_exchange(&self, pass: &Pass<'_>, destination: Destination) -> bool {
        let fleet = pass.fleet;
        let limits = Limits { cooldown: SimDuration::ZERO, ..pass.limits };
        let movable = |host: u32| -> Vec<f64> {
            let shards = fleet.assignment.shards_of(HostId(host)).iter().map(|shard| shard.index());
            shards
                .map(|shard| {
                    let load = fleet.loads[shard];
                    let may = limits.may_move(load, fleet.stamps[shard], fleet.now);
                    if may { load } else { f64::NAN }
                })
                .collect()
        };
        let cools = |host: u32| {
            fleet.assignment.shards_of(HostId(host)).iter().any(|shard| {
                let stamp = fleet.stamps[shard.index()];
                stamp != Stamp::PINNED && stamp.cools_at(fleet.now, pass.limits.cooldown)
            })
        };
        let may_give = |host: u32| {
            host != destination.host && fleet.standing[host as usize] == Standing::Receives
        };
        let candidates = self.sources.ready().iter().filter(|source| may_give(source.host));
        let found = candidates
            .map(|source| (source, movable(source.host)))
            .find(|(_, given)| has_any(given));
        let Some((source, given)) = found else { return false };
        if !cools(source.host) && !cools(destination.host) {
            return false;
        }
        let pair = Pair { source: source.load, destination: destination.load };
        let band = Band { low: pass.lower, high: pass.upper };
        exchange::best(&given, &movable(destination.host), pair, band).is_some()
    }
}
