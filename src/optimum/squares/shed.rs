//! Lower bounds on the sum of squares within a budget.
//!
//! Load is fluid where it lands, but what leaves and what arrives is limited.
//! That the two are equal is relaxed by a multiplier, the water level (Lagrangian
//! relaxation; Fisher 1981): for any level the least of the relaxed sum is a
//! bound, so that nothing depends on how well the best level is found.

use super::objective::{Field, load_at, slope, term};
use super::water::Water;
use crate::optimum::Measure;
use crate::optimum::layout::Layout;

/// Evaluations for the best level: golden sections leave 1e-12 of the interval.
const SECTIONS: usize = 60;

/// Halvings for the level down to which hosts shed.
const BISECTIONS: usize = 60;

/// A bound on the sum of squares when moves cost at most `budget`, forced ones
/// included.
pub(super) fn bound(field: &Field, layout: &Layout, budget: f64) -> f64 {
    let rest = (budget - layout.forced_cost()).max(0.0);
    let standing = Standing::new(field, layout);
    match layout.measure {
        Measure::Moves => standing.with_moves(rest),
        Measure::Load => standing.with_load(rest),
    }
}

/// What hosts hold before anything moves that does not have to.
struct Standing<'a> {
    field: &'a Field<'a>,
    layout: &'a Layout<'a>,
    /// Load of each host.
    loads: Vec<f64>,
    /// What is left of it once the heaviest shards have left, from none on.
    kept: Vec<Vec<f64>>,
    /// All load, homeless load included.
    total: f64,
    /// Load that has to land.
    homeless: f64,
}

impl<'a> Standing<'a> {
    fn new(field: &'a Field<'a>, layout: &'a Layout<'a>) -> Self {
        let weight = |item: &u32| field.weights[*item as usize];
        let kept: Vec<Vec<f64>> = layout
            .lists
            .iter()
            .zip(&field.base)
            .map(|(list, &base)| {
                // Summed from the lightest on, so that nothing cancels.
                let mut kept = vec![base; list.len() + 1];
                for (at, item) in list.iter().enumerate().rev() {
                    kept[at] = kept[at + 1] + weight(item);
                }
                kept
            })
            .collect();
        let loads: Vec<f64> = kept.iter().map(|kept| kept[0]).collect();
        let homeless = layout.homeless.iter().map(weight).sum();
        let total = loads.iter().sum::<f64>() + homeless;
        Self { field, layout, loads, kept, total, homeless }
    }

    /// At most `moves` shards leave. As many, and the homeless ones, arrive. If
    /// k leave a host, it keeps at least what is left without its k heaviest;
    /// if p arrive, it gets at most the p heaviest of the others.
    ///
    /// With the level given, what the k-th leaving or arriving shard is worth
    /// falls with k, by convexity. So the least sum takes the `moves` best of
    /// all departures, and likewise of arrivals. A shard that is heavier than any
    /// host should be pays for that wherever it lands, see [`Self::departures`].
    /// O(SECTIONS * (n + giants * h)).
    fn with_moves(&self, moves: f64) -> f64 {
        // More than all shards cannot move.
        let moves = (moves as usize).min(self.field.weights.len());
        let arrivals = moves + self.layout.homeless.len();
        let at = |level: f64| self.relaxed(level, moves, arrivals);
        let slopes = |loads: &[f64], more: f64| -> Vec<f64> {
            loads.iter().zip(self.field.capacity()).map(|(x, &c)| slope(x + more, c)).collect()
        };
        let low = slopes(&self.field.base, 0.0).into_iter().fold(f64::INFINITY, f64::min);
        let high = slopes(&self.loads, self.homeless).into_iter().fold(low, f64::max);
        highest(low, high, at)
    }

    /// The least of the relaxed sum at a level.
    fn relaxed(&self, level: f64, moves: usize, arrivals: usize) -> f64 {
        let (field, layout) = (self.field, self.layout);
        let landing = self.landing_costs(level);
        let (mut leave, mut arrive) = (Vec::new(), Vec::new());
        let landed = layout.homeless.iter().filter_map(|&item| landing.get(item as usize));
        let (mut sum, mut size) = (landed.sum::<f64>(), (2.0 * level * self.total).abs());
        for (host, (&load, &c)) in self.loads.iter().zip(field.capacity()).enumerate() {
            let worth = |load: f64| worth(load, c, level);
            let best = load_at(level, c);
            let stays = worth(load);
            sum += stays;
            size += stays.abs();
            if load > best {
                self.departures(host, level, moves, &landing, &mut leave);
                continue;
            }
            let (mut load, mut before) = (load, stays);
            let others = (0..).zip(&field.weights);
            let others = others.filter(|(item, _)| layout.home[*item] != host as u32);
            for (_, weight) in others.take(arrivals) {
                load += weight;
                let after = worth(load.min(best));
                arrive.push(before - after);
                before = after;
                if load >= best {
                    break;
                }
            }
        }
        let least = sum - most(&mut leave, moves) - most(&mut arrive, arrivals);
        least + 2.0 * level * self.total - self.rounding(size)
    }

    /// What each giant, heavier than any host should be at this level, adds to
    /// the sum of the host it lands on: at least f(w), the least over hosts of
    /// what load w is worse than the best load. As f is convex and f(0) is 0,
    /// it comes on top of whatever else the host keeps or receives.
    fn landing_costs(&self, level: f64) -> Vec<f64> {
        let hosts = || self.field.capacity().iter().map(|&c| (c, load_at(level, c)));
        let highest = hosts().fold(0.0, |highest: f64, (_, best)| highest.max(best));
        let giants = self.field.weights.iter().take_while(|weight| **weight > highest);
        let least = |weight: &f64| {
            let worse =
                hosts().map(|(c, best)| worth(*weight, c, level) - worth(best.max(0.0), c, level));
            worse.fold(f64::INFINITY, f64::min).max(0.0)
        };
        giants.map(least).collect()
    }

    /// What departures from a host that is above the level are worth: for any k
    /// shards that leave it, the sum of the k best is at least what they are
    /// worth together.
    ///
    /// One such list are the steps by which the heaviest leave. Another one is
    /// that for the shards other than giants, with each giant's departure alone,
    /// less the cost of its landing: as the worth is concave in what leaves,
    /// parts are worth at least as much as the whole. The lower list counts.
    fn departures(
        &self,
        host: usize,
        level: f64,
        moves: usize,
        landing: &[f64],
        leave: &mut Vec<f64>,
    ) {
        let (kept, items) = (&self.kept[host], &self.layout.lists[host]);
        let (load, c) = (self.loads[host], self.field.capacity()[host]);
        let best = load_at(level, c);
        let falls = |loads: &mut dyn Iterator<Item = f64>| {
            let (mut falls, mut before) = (Vec::new(), worth(load, c, level));
            for load in loads.take(moves) {
                let after = worth(load.max(best), c, level);
                falls.push(before - after);
                before = after;
                if load <= best {
                    break;
                }
            }
            falls
        };
        let mut together = falls(&mut kept[1..].iter().copied());
        let giants = items.partition_point(|&item| (item as usize) < landing.len());
        if giants > 0 {
            let without = |&light: &f64| load - (kept[giants] - light);
            let mut apart = falls(&mut kept[giants + 1..].iter().map(without));
            apart.extend(items[..giants].iter().map(|&item| {
                let left = (load - self.field.weights[item as usize]).max(best);
                worth(load, c, level) - worth(left, c, level) - landing[item as usize]
            }));
            if most(&mut apart, moves) < most(&mut together, moves) {
                together = apart;
            }
        }
        leave.append(&mut together);
    }

    /// Load of at most `budget` leaves, in shards that fit into it. As much, and
    /// the homeless load, arrives: the hosts shed down to one level and fill up
    /// to another, or all to one if the budget allows it. O(BISECTIONS * h).
    fn with_load(&self, budget: f64) -> f64 {
        let (field, layout) = (self.field, self.layout);
        let capacity = field.capacity();
        // Lists are heaviest first.
        let fits = |item: &u32| layout.weight(*item) <= budget;
        let lists = layout.lists.iter().zip(&self.kept).zip(&field.base);
        let floors: Vec<f64> = lists
            .map(|((list, kept), base)| {
                let too_heavy = list.partition_point(|item| !fits(item));
                base + (kept[0] - kept[too_heavy])
            })
            .collect();
        let (limit, mut water) = (budget * field.scale, Water::default());
        let sheddable: f64 = self.loads.iter().zip(&floors).map(|(load, floor)| load - floor).sum();
        let (unlimited, level) = water.fill(capacity, &floors, self.homeless + sheddable);
        let shed_at = |level: f64| -> f64 {
            let hosts = self.loads.iter().zip(&floors).zip(capacity);
            hosts.map(|((load, floor), &c)| (load - floor.max(load_at(level, c))).max(0.0)).sum()
        };
        if shed_at(level) <= limit {
            return unlimited;
        }
        let (_, bottom) = water.fill(capacity, &self.loads, self.homeless + limit);
        let slopes = self.loads.iter().zip(capacity).map(|(&load, &c)| slope(load, c));
        let (mut top, mut none) = (level, slopes.fold(level, f64::max));
        for _ in 0..BISECTIONS {
            let middle = 0.5 * (top + none);
            if shed_at(middle) > limit {
                top = middle;
            } else {
                none = middle;
            }
        }
        // A price on what is shed, the distance of the two levels, in place of
        // its limit.
        let (top, bottom) = (none.max(bottom), bottom);
        let price = 2.0 * (top - bottom);
        let hosts = self.loads.iter().zip(&floors).zip(capacity);
        let least = hosts.map(|((&load, &floor), &c)| {
            let x = load_at(bottom, c).max(load.min(load_at(top, c).max(floor)));
            term(x, c) - 2.0 * bottom * x + price * (load - x).max(0.0)
        });
        let (sum, size) = least.fold((0.0, 0.0), |(sum, size), x: f64| (sum + x, size + x.abs()));
        let rest = 2.0 * bottom * self.total - price * limit;
        sum + rest - self.rounding(size + (2.0 * bottom * self.total).abs() + price * limit)
    }

    /// What a sum of numbers of this size together may be off by.
    fn rounding(&self, size: f64) -> f64 {
        (self.loads.len() + 16) as f64 * f64::EPSILON * size
    }
}

/// What a host adds to the relaxed sum.
fn worth(load: f64, capacity: f64, level: f64) -> f64 {
    term(load, capacity) - 2.0 * level * load
}

/// The sum of the `count` largest gains, of those above 0.
fn most(gains: &mut [f64], count: usize) -> f64 {
    if count == 0 {
        return 0.0;
    }
    if count < gains.len() {
        gains.select_nth_unstable_by(count - 1, |a, b| b.total_cmp(a));
    }
    gains.iter().take(count).map(|gain| gain.max(0.0)).sum()
}

/// The highest value of a concave function that golden sections find.
fn highest(mut low: f64, mut high: f64, value: impl Fn(f64) -> f64) -> f64 {
    const GOLDEN: f64 = 0.618_033_988_749_894_9;
    let inner = |low: f64, high: f64| high - GOLDEN * (high - low);
    let (mut a, mut b) = (inner(low, high), inner(high, low));
    let (mut at_a, mut at_b) = (value(a), value(b));
    let mut best = at_a.max(at_b);
    for _ in 0..SECTIONS {
        if at_a < at_b {
            low = a;
            (a, at_a) = (b, at_b);
            b = inner(high, low);
            at_b = value(b);
        } else {
            high = b;
            (b, at_b) = (a, at_a);
            a = inner(low, high);
            at_a = value(a);
        }
        best = best.max(at_a).max(at_b);
    }
    best
}
