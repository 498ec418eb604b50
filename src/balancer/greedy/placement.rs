//! Load-aware placement of shards that have no owner.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::beliefs::average_measured;
use crate::balancer::NoActiveHost;
use crate::model::{Assignment, Host, HostId, ShardId};

/// Chooses a host for each of `orphans`, in order, as the reference does.
///
/// Only active hosts receive. A never-measured shard (NaN in `loads`) counts
/// as the plain average of the measured shards that active hosts hold, and so
/// does each shard placed here; averages are not computed again in between.
/// Each shard goes to the host with the least (load, number of shards, name).
///
/// Takes time linear in the shards of active hosts, and logarithmic in their
/// number for each orphan.
///
/// # Errors
///
/// When there is something to place and no host is active.
pub fn place(
    orphans: &[ShardId],
    hosts: &[Host],
    assignment: &Assignment,
    loads: &[f64],
) -> Result<Vec<(ShardId, HostId)>, NoActiveHost> {
    if orphans.is_empty() {
        return Ok(Vec::new());
    }
    let mut active: Vec<HostId> = (0..hosts.len() as u32)
        .map(HostId)
        .filter(|host| hosts[host.index()].status.may_receive())
        .collect();
    let average = average_measured(active.iter().copied(), assignment, loads);
    active.sort_by(|a, b| hosts[a.index()].name.cmp(&hosts[b.index()].name));
    let mut open: BinaryHeap<Reverse<Seat>> = active
        .iter()
        .enumerate()
        .map(|(rank, &host)| {
            let shards = assignment.shards_of(host);
            let load = shards.iter().fold(0.0, |sum, shard| {
                let load = loads[shard.index()];
                sum + if load.is_nan() { average } else { load }
            });
            Reverse(Seat { load, shards: shards.len(), rank, host })
        })
        .collect();
    orphans
        .iter()
        .map(|&shard| {
            let mut top = open.peek_mut().ok_or(NoActiveHost)?;
            let seat = &mut top.0;
            seat.load += average;
            seat.shards += 1;
            Ok((shard, seat.host))
        })
        .collect()
}

/// A host that may receive, ordered by what the reference compares.
struct Seat {
    load: f64,
    shards: usize,
    /// Position of the name among the names, as text.
    rank: usize,
    host: HostId,
}

impl Ord for Seat {
    fn cmp(&self, other: &Self) -> Ordering {
        self.load
            .total_cmp(&other.load)
            .then(self.shards.cmp(&other.shards))
            .then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Seat {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Seat {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Seat {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::HostStatus;

    fn shards(ids: std::ops::Range<u32>) -> Vec<ShardId> {
        ids.map(ShardId).collect()
    }

    #[test]
    fn the_least_loaded_host_takes_each_shard_as_an_average_one() {
        // b holds 10 and 20, a holds 12: an average shard is 14.
        let hosts = [Host::new("b", 1.0), Host::new("a", 1.0)];
        let owners = [Some(HostId(0)), Some(HostId(0)), Some(HostId(1)), None, None, None];
        let assignment = Assignment::from_owners(&owners, 2);
        let loads = [10.0, 20.0, 12.0, f64::NAN, f64::NAN, 500.0];
        let placed = place(&shards(3..6), &hosts, &assignment, &loads).unwrap();
        // a: 12 -> 26 -> 40; b stays at 30 until a has passed it.
        let to: Vec<u32> = placed.iter().map(|(_, host)| host.0).collect();
        assert_eq!(to, [1, 1, 0]);
    }

    #[test]
    fn ties_go_by_the_name_and_only_active_hosts_receive() {
        let mut hosts = ["c", "b", "a", "d"].map(|name| Host::new(name, 1.0));
        hosts[2].status = HostStatus::Draining;
        let assignment = Assignment::empty(3, 4);
        let loads = [f64::NAN; 3];
        let placed = place(&shards(0..3), &hosts, &assignment, &loads).unwrap();
        let to: Vec<u32> = placed.iter().map(|(_, host)| host.0).collect();
        assert_eq!(to, [1, 0, 3]);
        for host in &mut hosts {
            host.status = HostStatus::Down;
        }
        assert_eq!(place(&shards(0..3), &hosts, &assignment, &loads), Err(NoActiveHost));
        assert_eq!(place(&[], &hosts, &assignment, &loads), Ok(Vec::new()));
    }
}
