//! The state of a simulated cluster, in dense arrays by shard and host.

use std::sync::Arc;

use super::{Action, ClusterChange, SimError};
use crate::metrics::{Balance, Demand};
use crate::model::{Assignment, Host, HostId, HostStatus, ShardId, SimTime};
use crate::policy::View;

/// A shard that is served has this as the instant since which it is not.
const SERVED: SimTime = SimTime(u64::MAX);

/// Hosts, loads, owners, and who is served.
#[derive(Clone, Debug)]
pub struct Cluster {
    shards: Arc<[String]>,
    hosts: Vec<Host>,
    loads: Vec<f64>,
    demand: Demand,
    assignment: Assignment,
    host_loads: Vec<f64>,
    stale: Vec<bool>,
    demand_is_stale: bool,
    epoch: u64,
    unserved_since: Vec<SimTime>,
    /// Counts the handovers of a shard, so that the end of an old one is known.
    handovers: Vec<u32>,
    /// Shard-time without service, of handovers that ended.
    unserved: u128,
}

impl Cluster {
    pub(super) fn new(
        shards: Arc<[String]>,
        hosts: Vec<Host>,
        loads: Vec<f64>,
        assignment: Assignment,
    ) -> Self {
        Self {
            demand: Demand::of(&loads),
            host_loads: vec![0.0; hosts.len()],
            stale: vec![true; hosts.len()],
            demand_is_stale: false,
            epoch: 0,
            unserved_since: vec![SERVED; loads.len()],
            handovers: vec![0; loads.len()],
            unserved: 0,
            shards,
            hosts,
            loads,
            assignment,
        }
    }

    /// Names of the shards.
    pub fn shards(&self) -> &[String] {
        &self.shards
    }

    /// Every host there has been, in order of joining.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The true load of each shard, in units a second.
    pub fn loads(&self) -> &[f64] {
        &self.loads
    }

    /// Who owns what.
    pub fn assignment(&self) -> &Assignment {
        &self.assignment
    }

    /// The true load on each host, in units a second. During an instant with
    /// changes this is brought up to date only before observers see it.
    pub fn host_loads(&self) -> &[f64] {
        &self.host_loads
    }

    /// The load of the fleet.
    pub fn demand(&self) -> Demand {
        self.demand
    }

    /// Counts the changes of loads and of membership: while it stays the same,
    /// so does what could be reached.
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// How evenly the fleet is loaded. O(hosts).
    pub fn balance(&self) -> Balance {
        Balance::of(&self.hosts, &self.host_loads, self.demand)
    }

    /// Shard-seconds without service up to `now`.
    pub fn unavailable_s(&self, now: SimTime) -> f64 {
        let open: u128 = self
            .unserved_since
            .iter()
            .filter(|since| **since != SERVED)
            .map(|since| u128::from(now.since(*since).0))
            .sum();
        (self.unserved + open) as f64 / 1e9
    }

    pub(super) fn view(&self, now: SimTime) -> View<'_> {
        View {
            now,
            hosts: &self.hosts,
            shards: &self.shards,
            assignment: &self.assignment,
            pinned: &[],
        }
    }

    pub(super) fn is_served(&self, shard: ShardId) -> bool {
        self.unserved_since[shard.index()] == SERVED
    }

    pub(super) fn set_load(&mut self, shard: ShardId, load: f64) {
        self.loads[shard.index()] = load;
        self.epoch += 1;
        self.demand_is_stale = true;
        if let Some(owner) = self.assignment.owner(shard) {
            self.stale[owner.index()] = true;
        }
    }

    /// Carries out a change of membership and says who left or joined, in
    /// order.
    pub(super) fn change_membership(
        &mut self,
        change: &ClusterChange,
    ) -> Result<Vec<Action>, SimError> {
        self.epoch += 1;
        Ok(match change {
            ClusterChange::Add { host, capacity } => vec![self.join(host, *capacity)?],
            ClusterChange::Remove { host } => vec![self.leave(host)?],
            ClusterChange::Replace { host, with, capacity } => {
                vec![self.leave(host)?, self.join(with, *capacity)?]
            }
        })
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.hosts.iter().position(|host| host.name == name)
    }

    fn join(&mut self, name: &str, capacity: f64) -> Result<Action, SimError> {
        let host = Host::new(name, capacity);
        match self.position(name) {
            Some(index) if self.hosts[index].status.is_live() => {
                Err(SimError::HostIsThere(name.to_owned()))
            }
            Some(index) => {
                self.hosts[index] = host;
                Ok(Action::Join(HostId(index as u32)))
            }
            None => {
                self.hosts.push(host);
                self.host_loads.push(0.0);
                self.stale.push(true);
                Ok(Action::Join(self.assignment.add_host()))
            }
        }
    }

    fn leave(&mut self, name: &str) -> Result<Action, SimError> {
        let index = self
            .position(name)
            .filter(|index| self.hosts[*index].status.is_live())
            .ok_or_else(|| SimError::NoSuchHost(name.to_owned()))?;
        self.hosts[index].status = HostStatus::Down;
        Ok(Action::Leave(HostId(index as u32)))
    }

    /// Gives a shard to a host at once, as if it had been there before.
    pub(super) fn place(&mut self, shard: ShardId, to: HostId) {
        if let Some(from) = self.assignment.owner(shard) {
            self.stale[from.index()] = true;
        }
        self.stale[to.index()] = true;
        self.assignment.assign(shard, to);
    }

    /// Starts a move and returns the number of its handover.
    pub(super) fn begin_handover(&mut self, now: SimTime, shard: ShardId, to: HostId) -> u32 {
        self.place(shard, to);
        let index = shard.index();
        if self.unserved_since[index] == SERVED {
            self.unserved_since[index] = now;
        }
        self.handovers[index] += 1;
        self.handovers[index]
    }

    /// Ends a handover; false if the shard has moved on since.
    pub(super) fn end_handover(&mut self, now: SimTime, shard: ShardId, handover: u32) -> bool {
        let index = shard.index();
        if self.handovers[index] != handover {
            return false;
        }
        self.unserved += u128::from(now.since(self.unserved_since[index]).0);
        self.unserved_since[index] = SERVED;
        true
    }

    /// Sums the loads of hosts that changed, in list order; false if none did.
    pub(super) fn settle(&mut self) -> bool {
        let mut changed = self.demand_is_stale;
        if self.demand_is_stale {
            self.demand = Demand::of(&self.loads);
            self.demand_is_stale = false;
        }
        for index in 0..self.hosts.len() {
            if std::mem::take(&mut self.stale[index]) {
                changed = true;
                let shards = self.assignment.shards_of(HostId(index as u32));
                // An empty sum is -0, which would show.
                self.host_loads[index] =
                    shards.iter().map(|s| self.loads[s.index()]).sum::<f64>() + 0.0;
            }
        }
        changed
    }
}
