//! The problem stripped to what can still be chosen: free shards, heaviest
//! first, and the hosts that may take them.

use super::{OptimumError, Problem};
use crate::model::HostId;

/// A shard that is where the problem pins it has no entry here; its load is in
/// `base` of its host.
///
/// Levels: utilisations are counted as load / (capacity / largest capacity).
/// With equal capacities a level is simply a load, and dividing by the
/// capacity 1 is exact.
pub(super) struct Instance {
    /// Loads of the free shards, heaviest first, equal ones in shard order.
    pub(super) weights: Vec<f64>,
    /// The shard of each weight.
    pub(super) shards: Vec<u32>,
    /// The host of each open host's position.
    pub(super) hosts: Vec<u32>,
    /// Capacity of each open host over the largest capacity of all hosts.
    pub(super) capacity: Vec<f64>,
    /// Pinned load of each open host.
    pub(super) base: Vec<f64>,
    /// Open hosts that look alike.
    pub(super) classes: Vec<Class>,
    /// The class of each open host.
    pub(super) class_of: Vec<u32>,
    /// Level of the hottest host that is closed: pinned shards alone, so that
    /// no assignment can change it.
    pub(super) closed_level: f64,
    /// Relative error that covers the rounding of every sum of loads and of
    /// every quotient by a capacity; 0 when all of them are exact enough.
    pub(super) rounding: f64,
}

/// Open hosts with the same capacity and the same pinned load.
pub(super) struct Class {
    pub(super) capacity: f64,
    pub(super) base: f64,
    pub(super) members: Vec<u32>,
}

/// For each free shard, by position in `weights`, a position in `hosts`.
pub(super) type Placement = Vec<u32>;

impl Instance {
    /// Checks the problem and strips it. O(n log n + h log h).
    pub(super) fn new(problem: &Problem) -> Result<Self, OptimumError> {
        check(problem)?;
        let largest = problem.capacities.iter().copied().fold(0.0, f64::max);
        let mut pinned_load = vec![0.0; problem.capacities.len()];
        let mut shards: Vec<u32> = Vec::with_capacity(problem.loads.len());
        for (shard, &load) in problem.loads.iter().enumerate() {
            match problem.pin_of(shard) {
                Some(host) => pinned_load[host.index()] += load,
                None => shards.push(shard as u32),
            }
        }
        let weight = |shard: u32| problem.loads[shard as usize];
        // Loads are finite and not negative, so that `total_cmp` orders them.
        shards.sort_unstable_by(|&a, &b| weight(b).total_cmp(&weight(a)).then(a.cmp(&b)));

        let mut instance = Self {
            weights: shards.iter().map(|&s| weight(s)).collect(),
            shards,
            hosts: Vec::new(),
            capacity: Vec::new(),
            base: Vec::new(),
            classes: Vec::new(),
            class_of: Vec::new(),
            closed_level: 0.0,
            rounding: 0.0,
        };
        for (host, &capacity) in problem.capacities.iter().enumerate() {
            let capacity = capacity / largest;
            if problem.is_open(host) {
                instance.hosts.push(host as u32);
                instance.capacity.push(capacity);
                instance.base.push(pinned_load[host]);
            } else {
                let level = pinned_load[host] / capacity;
                instance.closed_level = instance.closed_level.max(level);
            }
        }
        if instance.hosts.is_empty() && !instance.shards.is_empty() {
            return Err(OptimumError::NoOpenHost);
        }
        instance.group_hosts();
        instance.rounding = rounding(problem);
        Ok(instance)
    }

    /// Some of the hosts and some of the free shards, both by position and
    /// these in order, as an instance of their own.
    pub(super) fn part(&self, hosts: &[u32], items: &[u32]) -> Self {
        let of = |values: &[f64], at: &[u32]| at.iter().map(|&i| values[i as usize]).collect();
        let mut part = Self {
            weights: of(&self.weights, items),
            shards: items.to_vec(),
            hosts: hosts.to_vec(),
            capacity: of(&self.capacity, hosts),
            base: of(&self.base, hosts),
            classes: Vec::new(),
            class_of: Vec::new(),
            closed_level: 0.0,
            rounding: self.rounding,
        };
        part.group_hosts();
        part
    }

    fn group_hosts(&mut self) {
        let mut order: Vec<u32> = (0..self.hosts.len() as u32).collect();
        let key = |h: u32| (self.capacity[h as usize], self.base[h as usize]);
        order.sort_by(|&a, &b| {
            let ((ca, ba), (cb, bb)) = (key(a), key(b));
            cb.total_cmp(&ca).then(ba.total_cmp(&bb)).then(a.cmp(&b))
        });
        self.class_of = vec![0; order.len()];
        for h in order {
            let (capacity, base) = (self.capacity[h as usize], self.base[h as usize]);
            match self.classes.last_mut() {
                Some(class) if class.capacity == capacity && class.base == base => {
                    class.members.push(h);
                }
                _ => self.classes.push(Class { capacity, base, members: vec![h] }),
            }
            self.class_of[h as usize] = (self.classes.len() - 1) as u32;
        }
    }

    /// Load of each open host, pinned load included.
    pub(super) fn loads(&self, placement: &[u32]) -> Vec<f64> {
        let mut loads = self.base.clone();
        for (item, &h) in placement.iter().enumerate() {
            loads[h as usize] += self.weights[item];
        }
        loads
    }

    /// Whether there is nothing to choose: one host, or no load that could be
    /// elsewhere.
    pub(super) fn is_forced(&self) -> bool {
        self.hosts.len() < 2 || self.weights.first().is_none_or(|&weight| weight == 0.0)
    }

    /// Level of the hottest host, open or closed.
    pub(super) fn level(&self, placement: &[u32]) -> f64 {
        let loads = self.loads(placement);
        loads.iter().zip(&self.capacity).map(|(l, c)| l / c).fold(self.closed_level, f64::max)
    }

    /// The placement that an assignment of the problem's shards means; `None`
    /// when a free shard has no host, or one that may not take it.
    pub(super) fn placement_of(&self, owners: &[Option<HostId>]) -> Option<Placement> {
        let mut position = vec![u32::MAX; 1 + self.hosts.iter().max().map_or(0, |&h| h as usize)];
        for (p, &host) in self.hosts.iter().enumerate() {
            position[host as usize] = p as u32;
        }
        let owner = |shard: &u32| owners[*shard as usize];
        self.shards
            .iter()
            .map(|s| owner(s).and_then(|host| position.get(host.index()).copied()))
            .map(|p| p.filter(|&p| p != u32::MAX))
            .collect()
    }

    /// The host of every shard of the problem.
    pub(super) fn assignment(&self, problem: &Problem, placement: &[u32]) -> Vec<HostId> {
        let mut owners: Vec<HostId> = (0..problem.loads.len())
            .map(|shard| problem.pin_of(shard).unwrap_or(HostId(0)))
            .collect();
        for (&shard, &h) in self.shards.iter().zip(placement) {
            owners[shard as usize] = HostId(self.hosts[h as usize]);
        }
        owners
    }
}

/// Everything that can be wrong with a problem.
fn check(problem: &Problem) -> Result<(), OptimumError> {
    let (shards, hosts) = (problem.loads.len(), problem.capacities.len());
    let lengths = [
        ("pinned", problem.pinned.map(<[_]>::len), shards),
        ("start", problem.start.map(<[_]>::len), shards),
        ("closed", problem.closed.map(<[_]>::len), hosts),
    ];
    for (what, found, expected) in lengths {
        if let Some(found) = found.filter(|&found| found != expected) {
            return Err(OptimumError::Length { what, found, expected });
        }
    }
    if hosts == 0 {
        return Err(OptimumError::NoHosts);
    }
    for (host, &value) in problem.capacities.iter().enumerate() {
        if !(value > 0.0 && value.is_finite()) {
            return Err(OptimumError::Capacity { host, value });
        }
    }
    for (shard, &value) in problem.loads.iter().enumerate() {
        if !(value >= 0.0 && value.is_finite()) {
            return Err(OptimumError::Load { shard, value });
        }
        if let Some(host) = problem.pin_of(shard).filter(|host| host.index() >= hosts) {
            return Err(OptimumError::Pin { shard, host: host.index() });
        }
    }
    let smallest = problem.capacities.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = problem.capacities.iter().copied().fold(0.0, f64::max);
    let total: f64 = problem.loads.iter().sum();
    let fleet_capacity: f64 = problem.capacities.iter().sum();
    let upper = [total / smallest, total * (largest / smallest)];
    let lower = [total, total / fleet_capacity, total / (fleet_capacity / largest)];
    let overflows = !fleet_capacity.is_finite() || upper.iter().any(|x| !x.is_finite());
    let underflows = total > 0.0 && !lower.iter().all(|x| x.is_normal());
    if overflows || underflows {
        return Err(OptimumError::Range);
    }
    Ok(())
}

/// Bound on the relative rounding error of a computed level (Higham, Accuracy
/// and Stability of Numerical Algorithms, 2nd ed., section 4.2: a sum of n
/// numbers of one sign is off by at most (n - 1) u).
///
/// Sums are exact when all loads are multiples of one power of two and their
/// total fits the 53 bits of the significand: whole numbers below 9e15, for
/// example. With equal capacities the quotients then need no allowance either:
/// rounding is monotone, so that x <= y gives fl(x / c) <= fl(y / c).
fn rounding(problem: &Problem) -> f64 {
    let mut ulps = 0;
    if !sums_are_exact(problem.loads) {
        ulps += problem.loads.len() + 4;
    }
    let first = problem.capacities[0];
    if problem.pinned.is_some() || problem.capacities.iter().any(|&c| c != first) {
        ulps += problem.capacities.len() + 16;
    }
    ulps as f64 * (f64::EPSILON / 2.0)
}

fn sums_are_exact(loads: &[f64]) -> bool {
    const FRACTION_BITS: u32 = 52;
    let mut lowest_bit = i64::MAX;
    for load in loads.iter().filter(|&&load| load > 0.0) {
        let bits = load.to_bits();
        let (exponent, fraction) = (bits >> FRACTION_BITS, bits & ((1 << FRACTION_BITS) - 1));
        if exponent == 0 {
            return false; // Subnormal: not worth the care.
        }
        let zeros = fraction.trailing_zeros().min(FRACTION_BITS);
        lowest_bit = lowest_bit.min(exponent as i64 - i64::from(FRACTION_BITS - zeros));
    }
    let total: f64 = loads.iter().sum();
    let top_bit = (total.to_bits() >> FRACTION_BITS) as i64;
    // The total is itself rounded; one bit of reserve covers that.
    lowest_bit == i64::MAX || top_bit - lowest_bit < i64::from(FRACTION_BITS)
}
