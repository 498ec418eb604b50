//! Filling hosts one by one under a level.

use super::is_met;
use super::light::{LightSums, List, Mask};
use super::refuted::Refuted;
use crate::optimum::instance::{Instance, Placement};

/// A set of shards, by position in [`Instance::weights`].
pub(super) type Items = u128;

/// Light shards at most: their sums are listed, the heavy ones are searched.
const LIGHT_LIMIT: usize = 16;

/// Binary logarithm of the states that are remembered as refuted, at most; it
/// is half the number of shards where that is less.
const REFUTED_LIMIT: usize = 16;

/// How a run ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// All was searched: what is better than the best is not below the target.
    Complete,
    /// The nodes ran out.
    Limit,
}

/// No level of the tree has to be given up.
const NOWHERE: usize = usize::MAX;

/// The search under one level T, for placements at or below it. T falls with
/// every placement that is found.
pub(super) struct Filler<'a> {
    instance: &'a Instance,
    /// The loads above 0, descending.
    weights: &'a [f64],
    /// Position of the first light one.
    light_from: usize,
    light: LightSums,
    /// T: only placements at or below it are sought.
    target: f64,
    /// A bound: room below it is room in any placement.
    floor: f64,
    /// What sums over all hosts may be off by, as a load.
    allowance: f64,
    /// One entry for each host filled, and one for the host being filled.
    depths: Vec<Depth>,
    /// Hosts of each class that are filled.
    filled: Vec<usize>,
    /// The depth whose choice no longer fits below T.
    retreat: usize,
    refuted: Refuted,
    nodes: u64,
    node_limit: u64,
    best_level: f64,
    best: Option<Placement>,
}

/// A host to fill, and what there is to fill it and the ones after it with.
#[derive(Clone, Default)]
struct Depth {
    class: usize,
    /// Shards left.
    left: Items,
    /// Their total.
    weight: f64,
    /// Capacity and pinned load of the hosts left, this one included.
    capacity: f64,
    base: f64,
    /// The heavy shards left, heaviest first, and the sums of each with all
    /// after it, the light ones too.
    heavy: Vec<u8>,
    rest: Vec<f64>,
    /// The light shards left: the sums of all sets of them, and of all of them.
    light: List,
    light_weight: f64,
    /// The light shard that the host must hold, if no heavy one is left.
    forced: Mask,
    /// The load that the host must hold, and may hold.
    least: f64,
    most: f64,
    /// What it was filled with.
    chosen: Items,
    load: f64,
}

impl<'a> Filler<'a> {
    pub(super) fn new(instance: &'a Instance, items: usize, best_level: f64) -> Self {
        let weights = &instance.weights[..items];
        let light_from = items - (items / 2).min(LIGHT_LIMIT);
        let (light, list) = LightSums::new(&weights[light_from..], best_level);
        let weight = weights.iter().sum();
        let capacity = instance.capacity.iter().sum();
        let base: f64 = instance.base.iter().sum();
        let mut depths = vec![Depth::default(); instance.hosts.len()];
        depths[0] = Depth {
            left: Items::MAX >> (Items::BITS as usize - items),
            weight,
            capacity,
            base,
            light: list,
            ..Depth::default()
        };
        // Sums of all loads and of products with all capacities, with reserve.
        let terms = (4 * (instance.shards.len() + instance.hosts.len() + 16)) as f64;
        Self {
            instance,
            weights,
            light_from,
            light,
            target: 0.0,
            floor: 0.0,
            allowance: terms * f64::EPSILON * (weight + base + best_level * capacity),
            depths,
            filled: vec![0; instance.classes.len()],
            retreat: NOWHERE,
            refuted: Refuted::new(
                (items / 2).min(REFUTED_LIMIT) as u32,
                instance.classes.iter().map(|class| class.members.len()),
            ),
            nodes: 0,
            node_limit: 0,
            best_level,
            best: None,
        }
    }

    /// Searches all placements at or below `target`, which must be below the
    /// best level; `floor` must be a valid bound.
    pub(super) fn run(&mut self, target: f64, floor: f64, node_limit: u64) -> End {
        (self.target, self.floor, self.node_limit) = (target, floor, node_limit);
        self.retreat = NOWHERE;
        self.refuted.begin_round();
        self.fill(0);
        if self.nodes > self.node_limit { End::Limit } else { End::Complete }
    }

    pub(super) fn best_level(&self) -> f64 {
        self.best_level
    }

    pub(super) fn nodes(&self) -> u64 {
        self.nodes
    }

    pub(super) fn into_best(self) -> Option<Placement> {
        self.best
    }

    /// The highest level that is an improvement on another, such that rounding
    /// cannot make it one.
    pub(super) fn just_below(&self, level: f64) -> f64 {
        match self.instance.rounding {
            0.0 => level.next_down(),
            rounding => level * (1.0 - 2.0 * rounding),
        }
    }

    /// The load that a host of a class may hold besides its pinned load.
    fn most(&self, class: usize) -> f64 {
        let class = &self.instance.classes[class];
        self.target * (1.0 + 2.0 * self.instance.rounding) * class.capacity - class.base
    }

    /// What the hosts from this depth on may waste in all.
    fn slack(&self, depth: usize) -> f64 {
        let at = &self.depths[depth];
        self.target * at.capacity - at.base - at.weight + self.allowance
    }

    /// Tries all ways to fill the hosts from this depth on.
    fn fill(&mut self, depth: usize) {
        if self.depths[depth].left == 0 {
            return self.found(depth);
        }
        let slack = self.slack(depth);
        if slack < 0.0 {
            return;
        }
        if depth + 1 == self.instance.hosts.len() {
            // The slack says that the last host can take what is left.
            let class = self.unfilled().next().unwrap_or(0);
            let at = &mut self.depths[depth];
            (at.class, at.chosen) = (class, at.left);
            return self.found(depth + 1);
        }
        let left = self.depths[depth].left;
        if self.refuted.contains(left, &self.filled) {
            return;
        }
        let first = left.trailing_zeros() as usize;
        self.list_heavy(depth, first);
        let (chosen, sum) = match first.checked_sub(self.light_from) {
            None => (1 << first, self.weights[first]),
            Some(_) => (0, 0.0),
        };
        self.depths[depth].forced = first.checked_sub(self.light_from).map_or(0, |i| 1 << i);
        for class in 0..self.filled.len() {
            let members = self.instance.classes[class].members.len();
            let most = self.most(class);
            if self.filled[class] == members || self.weights[first] > most {
                continue;
            }
            let at = &mut self.depths[depth];
            (at.class, at.most, at.least) = (class, most, most - slack);
            self.filled[class] += 1;
            self.choose(depth, 0, sum, chosen);
            self.filled[class] -= 1;
            if self.gives_up(depth) {
                return;
            }
        }
        self.refuted.insert(left, &self.filled);
    }

    fn unfilled(&self) -> impl Iterator<Item = usize> {
        let classes = self.instance.classes.iter().zip(&self.filled).enumerate();
        classes.filter(|(_, (class, filled))| **filled < class.members.len()).map(|(at, _)| at)
    }

    /// Lists the heavy shards left at a depth, the first apart.
    fn list_heavy(&mut self, depth: usize, first: usize) {
        let at = &mut self.depths[depth];
        at.heavy.clear();
        at.rest.clear();
        let mut rest = at.weight - if first < self.light_from { self.weights[first] } else { 0.0 };
        let mut left = at.left & !(1 << first) & !(Items::MAX << self.light_from);
        while left != 0 {
            let item = left.trailing_zeros();
            at.heavy.push(item as u8);
            at.rest.push(rest);
            rest -= self.weights[item as usize];
            left &= left - 1;
        }
        // What rounding leaves of the subtractions is within the allowance.
        at.light_weight = rest;
    }

    /// Whether the search must leave a depth.
    fn gives_up(&self, depth: usize) -> bool {
        self.retreat < depth || self.nodes > self.node_limit
    }

    /// Tries all sets that add to `chosen` some of the heavy shards from
    /// `from` on, and light ones.
    fn choose(&mut self, depth: usize, from: usize, sum: f64, chosen: Items) {
        self.nodes += 1;
        self.complete(depth, sum, chosen);
        let mut skipped = f64::NAN;
        for i in from..self.depths[depth].heavy.len() {
            if self.gives_up(depth) {
                return;
            }
            let at = &self.depths[depth];
            if sum + at.rest[i] + self.allowance < at.least {
                return;
            }
            let item = at.heavy[i];
            let weight = self.weights[item as usize];
            // Of equal shards the first are taken.
            if weight == skipped {
                continue;
            }
            skipped = weight;
            if sum + weight <= at.most {
                self.choose(depth, i + 1, sum + weight, chosen | 1 << item);
            }
        }
    }

    /// Tries all sets that add light shards to `chosen`.
    fn complete(&mut self, depth: usize, sum: f64, chosen: Items) {
        let at = &self.depths[depth];
        if sum + at.light_weight + self.allowance < at.least {
            return;
        }
        let left = (at.left >> self.light_from) as Mask;
        let forced = at.forced;
        for position in self.light.reaching(at.light, at.least - sum) {
            let (light_sum, mask) = self.light.at(position);
            let load = sum + light_sum;
            let at = &self.depths[depth];
            if load > at.most || self.gives_up(depth) {
                return;
            }
            if mask & forced != forced || !self.light.is_canonical(mask, left) || load < at.least {
                continue;
            }
            self.nodes += 1;
            let chosen = chosen | Items::from(mask) << self.light_from;
            if self.is_dominated(depth, chosen, load) {
                continue;
            }
            self.descend(depth, chosen, load);
            if self.retreat == depth {
                self.retreat = NOWHERE;
            }
        }
    }

    /// Whether a host's set could be improved for nothing: a heavier shard in
    /// place of one of its own, or one more, and it is still below the floor.
    /// In any placement with this set that exchange does no harm: the host
    /// stays below the floor, and some other becomes cooler.
    fn is_dominated(&self, depth: usize, chosen: Items, load: f64) -> bool {
        let at = &self.depths[depth];
        let class = &self.instance.classes[at.class];
        let room = self.floor * class.capacity - class.base - load - self.allowance;
        if room <= 0.0 {
            return false;
        }
        let mut heavier = f64::INFINITY;
        let mut left = at.left;
        while left != 0 {
            let item = left.trailing_zeros();
            let weight = self.weights[item as usize];
            if chosen >> item & 1 == 0 {
                if weight <= room {
                    return true;
                }
                heavier = weight;
            } else if heavier - weight <= room && heavier > weight {
                return true;
            }
            left &= left - 1;
        }
        false
    }

    /// Fills the host of a depth and goes on to the next.
    fn descend(&mut self, depth: usize, chosen: Items, load: f64) {
        let at = &mut self.depths[depth];
        (at.chosen, at.load) = (chosen, load);
        let class = &self.instance.classes[at.class];
        let (left, weight) = (at.left & !chosen, at.weight - load);
        let (capacity, base) = (at.capacity - class.capacity, at.base - class.base);
        let (list, used) = (at.light, (chosen >> self.light_from) as Mask);
        let height = self.light.height();
        let list = if used == 0 {
            list
        } else {
            let most = self.unfilled().map(|class| self.most(class)).fold(0.0, f64::max);
            self.light.push_without(list, used, most)
        };
        let next = &mut self.depths[depth + 1];
        (next.left, next.weight, next.capacity, next.base) = (left, weight, capacity, base);
        next.light = list;
        self.fill(depth + 1);
        self.light.truncate(height);
    }

    /// Takes down the placement of the hosts filled so far, which is complete,
    /// and lowers T below it.
    fn found(&mut self, depth: usize) {
        let mut placement = vec![0; self.instance.weights.len()];
        let mut taken = vec![0; self.instance.classes.len()];
        for at in &self.depths[..depth] {
            let host = self.instance.classes[at.class].members[taken[at.class]];
            taken[at.class] += 1;
            let mut chosen = at.chosen;
            while chosen != 0 {
                placement[chosen.trailing_zeros() as usize] = host;
                chosen &= chosen - 1;
            }
        }
        let level = self.instance.level(&placement);
        if level >= self.best_level {
            return;
        }
        self.best_level = level;
        self.best = Some(placement);
        // At the floor there is nothing left to find, and nothing fits below 0.
        self.target =
            if is_met(level, self.floor) { 0.0 } else { self.target.min(self.just_below(level)) };
        for filled in (0..depth.min(self.depths.len() - 1)).rev() {
            let (class, slack) = (self.depths[filled].class, self.slack(filled));
            let most = self.most(class);
            let at = &mut self.depths[filled];
            (at.most, at.least) = (most, most - slack);
            if at.load > at.most || at.load < at.least {
                self.retreat = filled;
            }
        }
    }
}
