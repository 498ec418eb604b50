//! The lists of hosts as they are during a pass.

use super::gain::{self, gain};
use super::ladder::Ladder;
use super::{Fleet, Limits};
use crate::model::{HostId, ShardId};

/// Lists that are searched by scanning, whatever their use: a scan of so
/// many loads costs about as much as one search of a [`Ladder`].
const SHORT: usize = 512;

/// Scans of a longer list before it is worth a [`Ladder`].
const PATIENCE: u32 = 8;

/// A host's shards in list order, with the load of each that may move.
///
/// Made when a host is first looked at as a source (or as a partner of an
/// exchange), and kept up to date from then on.
#[derive(Clone, Debug, Default)]
pub(super) struct ShardList {
    /// Load by position; NaN if the shard may not move.
    loads: Vec<f64>,
    /// Shard by position. What arrived in this pass never moves again, so
    /// its id is not kept: any id stands in for it.
    shards: Vec<ShardId>,
    /// No shard that may move has less load than this.
    least: f64,
    /// Whether shards that cool down or are too small have been taken out.
    sifted: bool,
    scans: u32,
    ladder: Option<Ladder>,
}

impl ShardList {
    /// Takes the list of a host, behind which `arrived` shards have come.
    fn take(&mut self, fleet: &Fleet<'_>, host: HostId, arrived: u32) {
        let list = fleet.assignment.shards_of(host);
        self.shards.clear();
        self.shards.extend_from_slice(list);
        self.loads.clear();
        self.loads.extend(list.iter().map(|shard| fleet.loads[shard.index()]));
        self.least = least(&self.loads);
        self.sifted = false;
        self.scans = 0;
        self.ladder = None;
        for _ in 0..arrived {
            self.receive();
        }
    }

    /// Takes out the shards that may not move now.
    fn sift(&mut self, fleet: &Fleet<'_>, limits: &Limits) {
        for (load, shard) in self.loads.iter_mut().zip(&self.shards) {
            if !load.is_nan() && !limits.may_move(*load, fleet.stamps[shard.index()], fleet.now) {
                *load = f64::NAN;
            }
        }
        self.least = least(&self.loads);
        self.sifted = true;
    }

    /// The position of the shard whose move gains most, the first of equals;
    /// `None` if no move gains.
    pub(super) fn best(
        &mut self,
        fleet: &Fleet<'_>,
        limits: &Limits,
        source: f64,
        destination: f64,
    ) -> Option<usize> {
        if !self.sifted {
            // Most sources that have nothing to give hold a giant shard and
            // small ones at rest; whether they cool down is then no matter.
            gain::first_largest(&self.loads, source, destination)?;
            self.sift(fleet, limits);
        }
        if self.loads.len() > SHORT && self.scans == PATIENCE {
            self.ladder = Ladder::new(&self.loads);
            // Built once a pass: from here on every move keeps it in step.
            self.scans += 1;
        }
        if let Some(position) =
            self.ladder.as_ref().and_then(|ladder| ladder.best(source, destination))
        {
            return position;
        }
        self.scans += 1;
        gain::first_largest(&self.loads, source, destination)
    }

    /// Whether no shard can gain for this destination, nor for any hotter
    /// one up to `most`.
    pub(super) fn is_hopeless(&self, source: f64, destination: f64, most: f64) -> bool {
        gain::hopeless(source, destination, most, self.least)
    }

    /// Gives a shard away; the last one fills its place.
    pub(super) fn give(&mut self, position: usize) -> (ShardId, f64) {
        let last = self.loads.len() - 1;
        if let Some(ladder) = &mut self.ladder {
            ladder.remove(self.loads[position], position);
            if position != last {
                ladder.relocate(self.loads[last], last, position);
            }
        }
        (self.shards.swap_remove(position), self.loads.swap_remove(position))
    }

    /// Takes a shard to the end; it does not move again in this pass.
    fn receive(&mut self) {
        self.shards.push(ShardId(u32::MAX));
        self.loads.push(f64::NAN);
    }

    /// Loads by position, NaN where a shard may not move.
    pub(super) fn movable(&mut self, fleet: &Fleet<'_>, limits: &Limits) -> &[f64] {
        if !self.sifted {
            self.sift(fleet, limits);
        }
        &self.loads
    }

    /// Whether a shard would gain if it were allowed to move.
    pub(super) fn would_gain(&self, source: f64, destination: f64) -> bool {
        self.sifted || self.loads.iter().any(|&load| gain(source, destination, load) > 0.0)
    }
}

/// The least load; infinite if there is none. Zero and less count as zero:
/// they never gain, and make no statement about the others.
fn least(loads: &[f64]) -> f64 {
    loads
        .iter()
        .fold(f64::INFINITY, |least, &load| if load < least { load } else { least })
        .max(0.0)
}

/// The lists of the hosts that a pass has looked at.
#[derive(Clone, Debug, Default)]
pub(super) struct Lists {
    /// By host: its list among `made`, or [`NOT_MADE`].
    slots: Vec<u32>,
    /// By host: shards that arrived before its list was made.
    arrived: Vec<u32>,
    made: Vec<ShardList>,
    used: usize,
}

const NOT_MADE: u32 = u32::MAX;

impl Lists {
    /// Forgets all lists, but not their memory.
    pub(super) fn reset(&mut self, hosts: usize) {
        self.slots.clear();
        self.slots.resize(hosts, NOT_MADE);
        self.arrived.clear();
        self.arrived.resize(hosts, 0);
        self.used = 0;
    }

    /// The list of a host, made if need be.
    pub(super) fn of(&mut self, fleet: &Fleet<'_>, host: u32) -> &mut ShardList {
        let index = host as usize;
        if self.slots[index] == NOT_MADE {
            self.slots[index] = self.used as u32;
            if self.made.len() == self.used {
                self.made.push(ShardList::default());
            }
            self.made[self.used].take(fleet, HostId(host), self.arrived[index]);
            self.used += 1;
        }
        &mut self.made[self.slots[index] as usize]
    }

    /// A shard arrives at a host.
    pub(super) fn receive(&mut self, host: u32) {
        match self.slots[host as usize] {
            NOT_MADE => self.arrived[host as usize] += 1,
            slot => self.made[slot as usize].receive(),
        }
    }
}
