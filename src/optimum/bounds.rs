//! Lower bounds on the hottest host's utilisation, in closed form.
//!
//! All are levels as [`Instance`] counts them, already lowered by its rounding
//! allowance, so that no bound exceeds the value of any assignment however its
//! sums were rounded.

use super::BoundName;
use super::instance::Instance;

/// How many class evaluations the pigeonhole bound may spend on one instance.
const PIGEONHOLE_BUDGET: usize = 1 << 16;

/// The strongest bound and its name; of equal ones the first in the order
/// mean, largest, pigeonhole, giants, pinned.
pub(super) fn strongest(instance: &Instance) -> (f64, BoundName) {
    let mut best = (mean(instance), BoundName::Mean);
    let mut offer = |(level, name)| {
        if level > best.0 {
            best = (level, name);
        }
        best.0
    };
    let so_far = offer((largest(instance), BoundName::Largest));
    offer((pigeonhole(instance, so_far), BoundName::Pigeonhole));
    offer((giants(instance), BoundName::Giants));
    offer((pinned(instance), BoundName::Pinned));
    (best.0 * (1.0 - instance.rounding), best.1)
}

/// No host can be below the load that is pinned to it.
fn pinned(instance: &Instance) -> f64 {
    let open = instance.classes.iter().map(|class| class.base / class.capacity);
    open.fold(instance.closed_level, f64::max)
}

/// The fleet's mean (McNaughton 1959): the hottest host is at least as hot as
/// the mean of all.
///
/// With pinned loads it is the water level: under a level T, host h can take
/// at most max(0, T c_h - b_h) of the free load W, so T is at least the level
/// at which these rooms add up to W. Only hosts whose pinned level b_h / c_h
/// is below the water count; they are the first of the hosts in that order.
fn mean(instance: &Instance) -> f64 {
    let mut classes: Vec<_> = instance.classes.iter().collect();
    classes.sort_by(|a, b| (a.base / a.capacity).total_cmp(&(b.base / b.capacity)));
    let mut load: f64 = PrefixSums::new(&instance.weights).last(instance.weights.len());
    let mut capacity = 0.0;
    let mut level = f64::INFINITY;
    for class in classes {
        if class.base / class.capacity >= level {
            break;
        }
        let members = class.members.len() as f64;
        load += members * class.base;
        capacity += members * class.capacity;
        level = load / capacity;
    }
    if level.is_finite() { level } else { 0.0 }
}

/// The heaviest free shard has to go somewhere: min over hosts of
/// (b_h + w_1) / c_h. With equal capacities and nothing pinned it is the
/// classical max w.
fn largest(instance: &Instance) -> f64 {
    let Some(&heaviest) = instance.weights.first() else { return 0.0 };
    let levels = instance.classes.iter().map(|class| (class.base + heaviest) / class.capacity);
    levels.fold(f64::INFINITY, f64::min)
}

/// The pigeonhole bound, for hosts of any capacities.
///
/// Take the m heaviest shards, and let s_j be the sum of the j lightest of
/// them. Any j of the m weigh at least s_j. So under a level T, host h holds
/// at most n_h(T) of the m, the largest j with b_h + s_j <= T c_h; and T is
/// infeasible while the n_h(T) add up to less than m. The bound is the least T
/// at which they reach m: the m-th smallest of all (b_h + s_j) / c_h, j >= 1.
///
/// With H equal hosts and m = kH + 1 it reads: some host holds k + 1 of the
/// kH + 1 heaviest, at least the sum of the k + 1 lightest of them (k = 1:
/// w_H + w_(H+1), as in Dell'Amico and Martello 1995). Other m are no stronger then: m = kH + 1, ..., (k + 1)H all ask
/// for s_(k+1), which falls with m.
///
/// `so_far` is a bound already known; only an m that beats it costs more than
/// O(classes log m).
fn pigeonhole(instance: &Instance, so_far: f64) -> f64 {
    let (items, hosts) = (instance.weights.len(), instance.hosts.len());
    let classes = &instance.classes;
    if items < 2 || hosts == 0 {
        return 0.0;
    }
    let sums = PrefixSums::new(&instance.weights);
    let mut level = so_far;
    let mut held = vec![0; classes.len()];
    for m in sizes(items, hosts, classes.len()) {
        let least = |class: usize, j: usize| {
            (classes[class].base + sums.last_of(j, m)) / classes[class].capacity
        };
        for (class, held) in held.iter_mut().enumerate() {
            *held = last_within(m, |j| least(class, j) <= level);
        }
        loop {
            let places: usize =
                classes.iter().zip(&held).map(|(class, held)| class.members.len() * held).sum();
            if places >= m {
                break;
            }
            // A class that holds all m already would have ended the loop.
            let next = |(class, &held): (usize, &usize)| least(class, held + 1);
            level = held.iter().enumerate().map(next).fold(f64::INFINITY, f64::min);
            for (class, held) in held.iter_mut().enumerate() {
                while *held < m && least(class, *held + 1) <= level {
                    *held += 1;
                }
            }
        }
    }
    level
}

/// Giants keep a host from shards that do not fit beside them (for bin packing
/// the bound L2 of Martello and Toth 1990, section 8.3). For hosts that are
/// all alike.
///
/// For k giants and the shards down to the j-th: either the lightest giant and
/// the j-th share a host under T, or all shards between them are on the other
/// H - k hosts. So T is at least the lesser of (b + w_k + w_j) / c and the mean
/// of w_(k+1) + ... + w_j over H - k hosts. The first falls with j, the second
/// rises, so for each k the best j is where they meet: O(H log n).
fn giants(instance: &Instance) -> f64 {
    let [class] = &instance.classes[..] else { return 0.0 };
    let (weights, hosts) = (&instance.weights, class.members.len());
    let sums = PrefixSums::new(weights);
    let mut best = 0.0_f64;
    for k in 1..hosts.min(weights.len()) {
        // For the j-th shard after the giants.
        let shared = |j: usize| (class.base + weights[k - 1] + weights[k + j - 1]) / class.capacity;
        let apart =
            |j: usize| (class.base + sums.last_of(j, k + j) / (hosts - k) as f64) / class.capacity;
        let all = weights.len() - k;
        let rising = last_within(all, |j| j == 0 || apart(j) <= shared(j));
        if rising > 0 {
            best = best.max(apart(rising));
        }
        if rising < all {
            best = best.max(shared(rising + 1));
        }
    }
    best
}

/// The m to try: with one class the ones that can be strongest, otherwise all,
/// thinned out evenly past twice the number of hosts to stay in the budget;
/// always all shards.
fn sizes(items: usize, hosts: usize, classes: usize) -> impl Iterator<Item = usize> {
    let dense = if classes == 1 { 0 } else { items.min(2 * hosts + 1) };
    let dense = dense.min((PIGEONHOLE_BUDGET / classes).max(1));
    let step = match classes {
        1 => hosts,
        _ => (items * classes / PIGEONHOLE_BUDGET).max(1),
    };
    let sparse = (dense + 1..=items).step_by(step);
    (1..=dense).chain(sparse).chain(std::iter::once(items))
}

/// The largest j in 0..=m for which `holds`, which is monotone and true at 0.
fn last_within(m: usize, holds: impl Fn(usize) -> bool) -> usize {
    let (mut yes, mut no) = (0, m + 1);
    while no - yes > 1 {
        let middle = yes + (no - yes) / 2;
        if holds(middle) {
            yes = middle;
        } else {
            no = middle;
        }
    }
    yes
}

/// Sums of the first weights, each as an unevaluated pair of numbers (Knuth's
/// two-sum), so that their differences are good to the last bit or so.
struct PrefixSums(Vec<(f64, f64)>);

impl PrefixSums {
    fn new(weights: &[f64]) -> Self {
        let mut sums = Vec::with_capacity(weights.len() + 1);
        let (mut high, mut low) = (0.0, 0.0);
        sums.push((high, low));
        for &w in weights {
            let sum: f64 = high + w;
            let part = sum - high;
            low += (high - (sum - part)) + (w - part);
            high = sum;
            sums.push((high, low));
        }
        Self(sums)
    }

    /// Sum of the first m.
    fn last(&self, m: usize) -> f64 {
        self.last_of(m, m)
    }

    /// Sum of the last j of the first m.
    fn last_of(&self, j: usize, m: usize) -> f64 {
        let ((high, low), (before_high, before_low)) = (self.0[m], self.0[m - j]);
        (high - before_high) + (low - before_low)
    }
}
