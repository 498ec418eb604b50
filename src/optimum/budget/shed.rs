//! The least cost of reaching a level: a lower bound in closed form.

use super::{Measure, matching};
use crate::optimum::layout::Layout;

/// A host is looked at with at most this many big shards: the weights tried as
/// "big" are those above a fifth of what the largest host may hold.
const MOST_BIG: usize = 4;

/// Weights tried as the least big one, at most.
const THRESHOLDS: usize = 128;

/// Giants that are matched with hosts one by one, at most.
const MOST_GIANTS: usize = 32;

/// Evaluations of a host's cost that one call may take.
const EVALUATIONS: usize = 1 << 15;

/// What hosts hold at some point of a search: shards that left are in the air
/// or on another host, where they stay; of the others on their host, the first
/// `fixed` of its list stay or have left.
pub(super) struct Standing {
    /// Load of each host.
    pub(super) loads: Vec<f64>,
    /// How many of each host's list are decided.
    pub(super) decided: Vec<usize>,
    /// Items that have left, or never were anywhere; heaviest first.
    pub(super) air: Vec<u32>,
}

impl Standing {
    /// Nothing is decided.
    pub(super) fn new(layout: &Layout) -> Self {
        Self {
            loads: layout.loads.clone(),
            decided: vec![0; layout.loads.len()],
            air: layout.homeless.clone(),
        }
    }
}

/// The least cost of shedding `excess` from the shards of a host's list from
/// position `first` on; infinite when they do not weigh as much.
///
/// By moves, that is the number of shards when the heaviest go first. By load,
/// at least the excess, and at least as many shards as by moves, the lightest.
/// O(log n).
pub(super) fn cost_of_shedding(layout: &Layout, host: usize, first: usize, excess: f64) -> f64 {
    if excess <= 0.0 {
        return 0.0;
    }
    let prefix = &layout.prefix[host];
    let before = prefix[first];
    let count = prefix[first..].partition_point(|&sum| sum - before < excess);
    if first + count >= prefix.len() {
        return f64::INFINITY;
    }
    match layout.measure {
        Measure::Moves => count as f64,
        Measure::Load => {
            let last = prefix.len() - 1;
            excess.max(prefix[last] - prefix[last - count])
        }
    }
}

/// A lower bound on what it costs, from a standing on, to bring every host to
/// `level` or below; stops early once it is above `enough`.
///
/// *Shedding.* A host above the level has to shed its excess, the heaviest
/// shards first; so the costs of the hosts add up.
///
/// *Big shards.* Let B of the undecided shards and of those in the air weigh at
/// least t. In the end host h holds some number g of them, with g t within its
/// limit; k of its own a ones and g - k that came, each at least t. It costs
/// h at least the a - k that leave, and what of its other shards has to go so
/// that the k lightest of its own, the g - k new ones and the rest are within
/// the limit (by load: what leaves is least when the heaviest k stay). With
/// f_h(g) the least over k, the cost is at least the least sum of the f_h(g_h)
/// with the g_h adding up to B. Replacing f_h by its convex envelope, which
/// only lowers it, that is the sum of the f_h(0) and the B smallest slopes.
///
/// *Giants.* When no host can hold two of the B (t above half the largest
/// limit), each has a host of its own in the end, and it is known what it costs
/// host h to hold giant i alone: its other giants leave, and so does what has to
/// for i to fit. The least sum is an assignment problem of giants and hosts.
///
/// The rule "t = infinity" is shedding alone. Every rule is valid on its own, so
/// that a cut-off in evaluations costs strength, never validity. Each falls as
/// the level rises. O(thresholds * hosts * log shards).
pub(super) fn least_cost(
    layout: &Layout,
    standing: &Standing,
    thresholds: &[f64],
    level: f64,
    enough: f64,
) -> f64 {
    let hosts = layout.loads.len();
    let limits: Vec<f64> = (0..hosts).map(|host| layout.limit(host, level)).collect();
    let mut best = 0.0;
    for (host, limit) in limits.iter().enumerate() {
        let excess = standing.loads[host] - limit;
        best += cost_of_shedding(layout, host, standing.decided[host], excess);
    }
    let largest = limits.iter().copied().fold(0.0, f64::max);
    let mut slopes = Vec::new();
    let mut curve = Vec::new();
    for &threshold in thresholds {
        if best > enough {
            break;
        }
        if threshold * (MOST_BIG + 1) as f64 <= largest {
            break;
        }
        let giants = (2.0 * threshold > largest)
            .then(|| with_giants(layout, standing, &limits, threshold, enough))
            .flatten();
        let sharing = giants.unwrap_or_else(|| {
            with_big(layout, standing, &limits, threshold, &mut slopes, &mut curve)
        });
        if sharing > best {
            best = sharing;
        }
    }
    best
}

/// The weights to try as the least big one, heaviest first.
pub(super) fn thresholds(layout: &Layout) -> Vec<f64> {
    let room = EVALUATIONS / (layout.loads.len() + 1);
    let mut weights = layout.instance.weights.clone();
    weights.dedup();
    weights.truncate(THRESHOLDS.min(room));
    weights.retain(|&weight| weight > 0.0);
    weights
}

fn with_big(
    layout: &Layout,
    standing: &Standing,
    limits: &[f64],
    threshold: f64,
    slopes: &mut Vec<f64>,
    curve: &mut Vec<f64>,
) -> f64 {
    let is_big = |&item: &u32| layout.weight(item) >= threshold;
    let mut bigs = standing.air.partition_point(is_big);
    let mut cost = 0.0;
    slopes.clear();
    for (host, &limit) in limits.iter().enumerate() {
        let first = standing.decided[host];
        let own = layout.lists[host][first..].partition_point(is_big);
        bigs += own;
        let view = Host { layout, host, first, own, load: standing.loads[host], limit };
        curve.clear();
        // Five of them are too many for any host: the curve is short.
        let costs = (0..).map(|held| view.least_with(held, threshold));
        curve.extend(costs.take_while(|&cost| cost < f64::INFINITY));
        match envelope(curve, slopes) {
            Some(at_zero) => cost += at_zero,
            None => return f64::INFINITY,
        }
    }
    if bigs > slopes.len() {
        return f64::INFINITY;
    }
    if bigs > 0 && bigs < slopes.len() {
        slopes.select_nth_unstable_by(bigs - 1, f64::total_cmp);
    }
    // In a fixed order, so that the sum is the same everywhere.
    slopes.truncate(bigs);
    slopes.sort_unstable_by(f64::total_cmp);
    cost += slopes.iter().sum::<f64>();
    match layout.measure {
        // A whole number; the reserve covers the sum of slopes.
        Measure::Moves => (cost - 1e-6).ceil(),
        Measure::Load => cost * (1.0 - 1e-12),
    }
}

/// The bound by giants; `None` when there are too many to match. Costs beyond
/// `enough` count as little more than that, which only lowers the sum.
fn with_giants(
    layout: &Layout,
    standing: &Standing,
    limits: &[f64],
    threshold: f64,
    enough: f64,
) -> Option<f64> {
    let hosts = limits.len();
    let is_big = |&item: &u32| layout.weight(item) >= threshold;
    let in_air = standing.air.partition_point(is_big);
    let mut giants: Vec<u32> = standing.air[..in_air].to_vec();
    let mut cost = 0.0;
    let mut views = Vec::with_capacity(hosts);
    for (host, &limit) in limits.iter().enumerate() {
        let first = standing.decided[host];
        let list = &layout.lists[host][first..];
        let own = list.partition_point(is_big);
        giants.extend(&list[..own]);
        let view = Host { layout, host, first, own, load: standing.loads[host], limit };
        let without = view.least_alone_with(0.0, false);
        if without == f64::INFINITY {
            return Some(f64::INFINITY);
        }
        cost += without;
        views.push((view, without));
    }
    if giants.len() > hosts {
        return Some(f64::INFINITY);
    }
    if giants.len() > MOST_GIANTS {
        return None;
    }
    let most = enough.min(layout.cost_of_all()) + 1.0;
    let mut costs = Vec::with_capacity(giants.len() * hosts);
    for (at, &giant) in giants.iter().enumerate() {
        for (host, (view, without)) in views.iter().enumerate() {
            let stays = at >= in_air && layout.home[giant as usize] as usize == host;
            let with = view.least_alone_with(layout.weight(giant), stays);
            costs.push((with - without).min(most));
        }
    }
    let cost = cost + matching::least_cost(&costs, hosts);
    Some(match layout.measure {
        Measure::Moves => (cost - 1e-6).ceil(),
        Measure::Load => cost - 1e-12 * (cost + most),
    })
}

struct Host<'a> {
    layout: &'a Layout<'a>,
    host: usize,
    first: usize,
    /// Big ones among its undecided shards.
    own: usize,
    load: f64,
    limit: f64,
}

impl Host<'_> {
    /// What it costs to end with one giant of this weight and no other; it
    /// `stays` if it is one of the host's own.
    fn least_alone_with(&self, giant: f64, stays: bool) -> f64 {
        let prefix = &self.layout.prefix[self.host];
        let rest = self.first + self.own;
        let own_load = prefix[rest] - prefix[self.first];
        let excess = self.load - own_load + giant - self.limit;
        let leave = match self.layout.measure {
            Measure::Moves => (self.own - usize::from(stays)) as f64,
            Measure::Load => own_load - if stays { giant } else { 0.0 },
        };
        leave + cost_of_shedding(self.layout, self.host, rest, excess)
    }

    /// f_h(held) of [`least_cost`].
    fn least_with(&self, held: usize, threshold: f64) -> f64 {
        let prefix = &self.layout.prefix[self.host];
        let rest = self.first + self.own;
        let own_load = prefix[rest] - prefix[self.first];
        let mut best = f64::INFINITY;
        for kept in 0..=held.min(self.own) {
            let come = (held - kept) as f64 * threshold;
            let light = prefix[rest] - prefix[rest - kept];
            let excess = |kept_load: f64| self.load - own_load + kept_load + come - self.limit;
            let shed = cost_of_shedding(self.layout, self.host, rest, excess(light));
            let cost = match self.layout.measure {
                Measure::Moves => (self.own - kept) as f64 + shed,
                Measure::Load => {
                    let heavy = prefix[self.first + kept] - prefix[self.first];
                    own_load - heavy + shed.max(excess(heavy))
                }
            };
            if cost < best {
                best = cost;
            }
        }
        best
    }
}

/// Appends the slopes of the convex envelope of a curve over 0, 1, ... to
/// `slopes` and returns its value at 0; `None` for an empty curve: the host is
/// too hot without any.
fn envelope(curve: &[f64], slopes: &mut Vec<f64>) -> Option<f64> {
    let &at_zero = curve.first()?;
    let mut at = 0;
    loop {
        let mut least: Option<(f64, usize)> = None;
        for (next, &value) in curve.iter().enumerate().skip(at + 1) {
            let slope = (value - curve[at]) / (next - at) as f64;
            if least.is_none_or(|(least, _)| slope <= least) {
                least = Some((slope, next));
            }
        }
        let Some((slope, next)) = least else { return Some(at_zero) };
        slopes.extend(std::iter::repeat_n(slope, next - at));
        at = next;
    }
}
