//! How a snapshot stands.

use crate::model::{Assignment, HostId, Snapshot, square_ratio};

/// How hot the hosts of a snapshot are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// The hottest host's utilisation over `fleet_utilisation`; 1 without load.
    pub hot_ratio: f64,
    /// The sum of squares around the mean, as a [`square_ratio`] over the live
    /// hosts that may receive or hold shards.
    pub square_ratio: f64,
    /// The hottest live host.
    pub hottest: HostId,
    /// Its utilisation: load over capacity.
    pub utilisation: f64,
    /// Load on live hosts over the capacity of the hosts that may receive, which
    /// are those that remain when draining ones have gone.
    pub fleet_utilisation: f64,
}

/// Measures an assignment of a snapshot's shards. Down and drained hosts serve
/// nothing, whatever a file says they own.
pub(super) fn stand(snapshot: &Snapshot, assignment: &Assignment) -> Stand {
    let load_on = |host: HostId| -> f64 {
        assignment.shards_of(host).iter().map(|shard| snapshot.loads[shard.index()]).sum()
    };
    let (mut load, mut capacity) = (0.0, 0.0);
    let (mut loads, mut capacities) = (Vec::new(), Vec::new());
    let (mut hottest, mut utilisation) = (HostId(0), 0.0);
    for (index, host) in snapshot.hosts.iter().enumerate().filter(|(_, host)| host.status.is_live())
    {
        let id = HostId(index as u32);
        let carried = load_on(id);
        load += carried;
        if host.status.may_receive() {
            capacity += host.capacity;
        }
        if host.status.may_receive() || !assignment.shards_of(id).is_empty() {
            loads.push(carried);
            capacities.push(host.capacity);
        }
        if carried / host.capacity > utilisation {
            (hottest, utilisation) = (id, carried / host.capacity);
        }
    }
    let fleet_utilisation = load / capacity;
    let hot_ratio = if load > 0.0 { utilisation / fleet_utilisation } else { 1.0 };
    let square_ratio = square_ratio(&loads, &capacities);
    Stand { hot_ratio, square_ratio, hottest, utilisation, fleet_utilisation }
}
