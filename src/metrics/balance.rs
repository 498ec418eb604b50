//! How evenly a fleet is loaded at one instant.

use crate::model::{Host, square_ratio_of};

/// The imbalance of a fleet. Only live hosts (active or draining) count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Balance {
    /// The hottest host's utilisation over the fleet's; 1 is perfect, also
    /// for a fleet without load.
    pub hot_ratio: f64,
    /// Population standard deviation of the hosts' utilisations over their
    /// mean.
    pub cv: f64,
    /// 1 and the mean square of the hosts' utilisations around the fleet's, over
    /// the fleet's squared; 1 is perfect, also for a fleet without load.
    pub square_ratio: f64,
    /// The coldest host's utilisation over the fleet's; 1 for a fleet without
    /// load.
    pub min_ratio: f64,
    /// What no assignment can beat: the larger of 1 and the largest shard on
    /// the largest host, over the fleet's utilisation.
    pub floor: f64,
    /// Number of live hosts.
    pub hosts: usize,
}

/// How far a placement is from the best: `hot_ratio / optimum - 1`, where
/// both are at least 1.
pub fn excess(hot_ratio: f64, optimum: f64) -> f64 {
    hot_ratio / optimum - 1.0
}

/// The load of a fleet beside what its hosts carry.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Demand {
    /// Sum of the loads of all shards, in units a second.
    pub total: f64,
    /// The load of the largest shard, in units a second.
    pub largest: f64,
}

impl Demand {
    /// Sums loads in shard order. O(shards).
    pub fn of(loads: &[f64]) -> Self {
        Self { total: loads.iter().sum(), largest: loads.iter().copied().fold(0.0, f64::max) }
    }
}

impl Balance {
    /// Measures a fleet: `loads` gives the load on each host, in units a
    /// second. The fleet's utilisation is total load over total capacity of
    /// live hosts. O(hosts).
    pub fn of(hosts: &[Host], loads: &[f64], demand: Demand) -> Self {
        let live = || hosts.iter().zip(loads).filter(|(host, _)| host.status.is_live());
        let capacity: f64 = live().map(|(host, _)| host.capacity).sum();
        let largest_host = live().map(|(host, _)| host.capacity).fold(0.0, f64::max);
        let utilisations: Vec<f64> = live().map(|(host, load)| load / host.capacity).collect();
        let fleet = demand.total / capacity;
        let ratio = |utilisation: f64| if fleet > 0.0 { utilisation / fleet } else { 1.0 };
        let hottest = utilisations.iter().copied().fold(0.0, f64::max);
        let coldest = utilisations.iter().copied().fold(f64::INFINITY, f64::min);
        // The hottest host is never below the average: what is less than 1 by
        // rounding is 1.
        Self {
            hot_ratio: ratio(hottest).max(1.0),
            cv: super::imbalance::coefficient_of_variation(&utilisations),
            square_ratio: match fleet > 0.0 {
                true => square_ratio_of(utilisations.iter().copied(), fleet),
                false => 1.0,
            },
            min_ratio: ratio(coldest).min(1.0),
            floor: ratio(demand.largest / largest_host).max(1.0),
            hosts: utilisations.len(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::HostStatus;

    #[test]
    fn the_worked_example() {
        let hosts = [Host::new("a", 1.0), Host::new("b", 1.0)];
        let balance = Balance::of(&hosts, &[160.0, 40.0], Demand { total: 200.0, largest: 100.0 });
        assert_eq!(balance.hot_ratio, 1.6);
        assert_eq!(balance.min_ratio, 0.4);
        assert!((balance.cv - 0.6).abs() < 1e-15);
        assert!((balance.square_ratio - 1.36).abs() < 1e-15);
        assert_eq!(balance.floor, 1.0);
        assert_eq!(balance.hosts, 2);
    }

    #[test]
    fn capacities_and_status_count() {
        let mut hosts = [Host::new("a", 300.0), Host::new("b", 100.0), Host::new("gone", 1.0)];
        hosts[2].status = HostStatus::Down;
        let balance =
            Balance::of(&hosts, &[100.0, 100.0, 0.0], Demand { total: 200.0, largest: 80.0 });
        assert_eq!(balance.hot_ratio, 2.0);
        assert_eq!(balance.hosts, 2);
        let idle = Balance::of(&hosts, &[0.0, 0.0, 0.0], Demand::default());
        assert_eq!((idle.hot_ratio, idle.cv, idle.min_ratio, idle.floor), (1.0, 0.0, 1.0, 1.0));
    }
}
