//! Host loads and their mean: the one part of a pass that sees every shard.

use super::{Fleet, Standing};
use crate::balancer::greedy::Stamp;
use crate::balancer::greedy::beliefs::average_measured;
use crate::model::{Assignment, HostId, ShardId};

/// Loads of all hosts and the mean of those that take part.
#[derive(Clone, Debug, Default)]
pub(super) struct Totals {
    /// By host index, in units a second.
    pub(super) loads: Vec<f64>,
    /// Whether the reference would see the host at all, by host index; empty
    /// when it sees every host that takes part.
    pub(super) recorded: Vec<bool>,
    /// Total load over the number of hosts that are seen.
    pub(super) mean: f64,
    /// The total load.
    pub(super) total: f64,
}

/// What a never-measured shard counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unmeasured {
    /// The plain average of all measured shards.
    Average,
    /// Nothing, and a host that has no recorded shard is not seen.
    Nothing,
}

impl Totals {
    /// Sums the loads of each host in list order, and the hosts in order of
    /// declaration.
    pub(super) fn take(&mut self, fleet: &Fleet<'_>, unmeasured: Unmeasured) {
        sum_lists(fleet.assignment, fleet.loads, &mut self.loads);
        self.recorded.clear();
        // A sum is NaN if a shard was never measured; only then is a second
        // look needed (or if infinities cancel, where it does no harm).
        let measured = !self.loads.iter().any(|load| load.is_nan());
        if !measured {
            let filler = match unmeasured {
                Unmeasured::Average => {
                    average_measured(hosts(fleet), fleet.assignment, fleet.loads)
                }
                Unmeasured::Nothing => 0.0,
            };
            self.fill(fleet, filler);
        }
        if unmeasured == Unmeasured::Nothing {
            self.recorded.extend(hosts(fleet).map(|host| is_recorded(fleet, host, measured)));
        }
        let mut seen = 0_u32;
        self.total = 0.0;
        for (host, &load) in self.loads.iter().enumerate() {
            if fleet.standing[host] != Standing::Absent && self.sees(host) {
                seen += 1;
                self.total += load;
            }
        }
        self.mean = if seen == 0 { 0.0 } else { self.total / f64::from(seen) };
    }

    /// Whether the reference sees a host that takes part.
    #[inline]
    pub(super) fn sees(&self, host: usize) -> bool {
        self.recorded.is_empty() || self.recorded[host]
    }

    fn fill(&mut self, fleet: &Fleet<'_>, filler: f64) {
        for (host, sum) in hosts(fleet).zip(&mut self.loads) {
            if sum.is_nan() {
                *sum = fleet.assignment.shards_of(host).iter().fold(0.0, |sum, shard| {
                    let load = fleet.loads[shard.index()];
                    sum + if load.is_nan() { filler } else { load }
                });
            }
        }
    }
}

fn hosts(fleet: &Fleet<'_>) -> impl Iterator<Item = HostId> {
    (0..fleet.standing.len() as u32).map(HostId)
}

fn is_recorded(fleet: &Fleet<'_>, host: HostId, all_measured: bool) -> bool {
    let mut shards = fleet.assignment.shards_of(host).iter().map(|shard| shard.index());
    if all_measured {
        return shards.next().is_some();
    }
    shards.any(|shard| !fleet.loads[shard].is_nan() || fleet.stamps[shard] != Stamp::NO_RECORD)
}

/// Lists summed side by side: one sum alone would wait for each addition.
const LANES: usize = 4;

/// Sums `loads` over each host's list, in list order, into `sums`.
fn sum_lists(assignment: &Assignment, loads: &[f64], sums: &mut Vec<f64>) {
    let list = |host: usize| assignment.shards_of(HostId(host as u32));
    let add = |sum: f64, shard: &ShardId| sum + loads[shard.index()];
    sums.clear();
    sums.resize(assignment.host_count(), 0.0);
    let (groups, rest) = sums.as_chunks_mut::<LANES>();
    let grouped = groups.len() * LANES;
    for (group, sums) in groups.iter_mut().enumerate() {
        let lists: [_; LANES] = std::array::from_fn(|lane| list(group * LANES + lane));
        let common = lists.iter().map(|list| list.len()).min().unwrap_or(0);
        let [a, b, c, d] = lists.map(|list| &list[..common]);
        let mut lanes = [0.0; LANES];
        for (((a, b), c), d) in a.iter().zip(b).zip(c).zip(d) {
            lanes = [add(lanes[0], a), add(lanes[1], b), add(lanes[2], c), add(lanes[3], d)];
        }
        for lane in 0..LANES {
            sums[lane] = lists[lane][common..].iter().fold(lanes[lane], add);
        }
    }
    for (host, sum) in rest.iter_mut().enumerate() {
        *sum = list(grouped + host).iter().fold(0.0, add);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_are_those_of_each_list_in_its_order() {
        for hosts in [1, 3, 4, 5, 9, 2000] {
            let shards = 10_007;
            let owners: Vec<_> =
                (0..shards).map(|s| Some(HostId((s * s % 7919 % hosts) as u32))).collect();
            let loads: Vec<f64> = (0..shards).map(|s| 1.0 / (1 + s * 37 % 1009) as f64).collect();
            let assignment = Assignment::from_owners(&owners, hosts);
            let mut sums = Vec::new();
            sum_lists(&assignment, &loads, &mut sums);
            for (host, sum) in sums.iter().enumerate() {
                let list = assignment.shards_of(HostId(host as u32));
                let plain = list.iter().fold(0.0, |sum, shard| sum + loads[shard.index()]);
                assert_eq!(*sum, plain);
            }
        }
    }
}
