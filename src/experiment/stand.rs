//! How a snapshot stands, and how it could stand at best.

use crate::metrics::relabelled;
use crate::model::{Assignment, HostId, ShardId, Snapshot};
use crate::optimum::{self, Optimum, OptimumError, Problem};

/// How hot the hosts of a snapshot are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stand {
    /// The hottest host's utilisation over `fleet_utilisation`; 1 without load.
    pub hot_ratio: f64,
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
    let (mut hottest, mut utilisation) = (HostId(0), 0.0);
    for (index, host) in snapshot.hosts.iter().enumerate().filter(|(_, host)| host.status.is_live())
    {
        let id = HostId(index as u32);
        let carried = load_on(id);
        load += carried;
        if host.status.may_receive() {
            capacity += host.capacity;
        }
        if carried / host.capacity > utilisation {
            (hottest, utilisation) = (id, carried / host.capacity);
        }
    }
    let fleet_utilisation = load / capacity;
    let hot_ratio = if load > 0.0 { utilisation / fleet_utilisation } else { 1.0 };
    Stand { hot_ratio, hottest, utilisation, fleet_utilisation }
}

/// The best assignment of a snapshot to the hosts that may receive. Pinned
/// shards stay, also on a host that may not. The search begins at `owners`: if
/// they all may stay, its answer is no worse.
pub(super) fn best(
    snapshot: &Snapshot,
    owners: &[Option<HostId>],
    settings: optimum::Settings,
) -> Result<Optimum, OptimumError> {
    let pin = |shard: usize| snapshot.owners[shard].filter(|_| snapshot.pinned[shard]);
    let mut has_pins = vec![false; snapshot.hosts.len()];
    for host in (0..snapshot.shards.len()).filter_map(pin) {
        has_pins[host.index()] = true;
    }
    let open = |host: HostId| snapshot.hosts[host.index()].status.may_receive();
    let kept: Vec<HostId> = (0..snapshot.hosts.len() as u32)
        .map(HostId)
        .filter(|host| open(*host) || has_pins[host.index()])
        .collect();
    let position = |host: HostId| kept.binary_search(&host).ok().map(|at| HostId(at as u32));
    let capacities: Vec<f64> =
        kept.iter().map(|host| snapshot.hosts[host.index()].capacity).collect();
    let closed: Vec<bool> = kept.iter().map(|host| !open(*host)).collect();
    let pinned: Vec<Option<HostId>> =
        (0..snapshot.shards.len()).map(|shard| pin(shard).and_then(position)).collect();
    let start: Vec<Option<HostId>> = owners.iter().map(|owner| owner.and_then(position)).collect();
    let problem = Problem {
        pinned: Some(&pinned),
        closed: Some(&closed),
        start: Some(&start),
        ..Problem::new(&snapshot.loads, &capacities)
    };
    let mut optimum = optimum::solve(&problem, &settings)?;
    for host in &mut optimum.assignment {
        *host = kept[host.index()];
    }
    // Hosts of equal capacity may change names, which saves moves.
    let capacities: Vec<f64> = snapshot.hosts.iter().map(|host| host.capacity).collect();
    let keeps_its_name = |host: HostId| has_pins[host.index()] || !open(host);
    optimum.assignment =
        relabelled(&snapshot.owners, &optimum.assignment, &capacities, keeps_its_name);
    Ok(optimum)
}

/// A snapshot beside the best it could be.
#[derive(Clone, Debug)]
pub struct SnapshotOptimum {
    /// As it is; `None` if no shard is placed.
    pub current: Option<Stand>,
    /// As it could be.
    pub optimum: Optimum,
    /// The shards that change hosts for it, in file order, with the host each
    /// has now.
    pub moves: Vec<(ShardId, Option<HostId>, HostId)>,
}

/// Computes how well a snapshot could be placed at best.
///
/// # Errors
///
/// When no host may receive, or numbers leave their range.
pub fn snapshot_optimum(
    snapshot: &Snapshot,
    settings: optimum::Settings,
) -> Result<SnapshotOptimum, OptimumError> {
    let optimum = best(snapshot, &snapshot.owners, settings)?;
    let current = snapshot
        .is_placed()
        .then(|| stand(snapshot, &Assignment::from_owners(&snapshot.owners, snapshot.hosts.len())));
    let moves = (0..)
        .map(ShardId)
        .zip(snapshot.owners.iter().zip(&optimum.assignment))
        .filter(|(_, (old, new))| **old != Some(**new))
        .map(|(shard, (old, new))| (shard, *old, *new))
        .collect();
    Ok(SnapshotOptimum { current, optimum, moves })
}
