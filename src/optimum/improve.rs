//! Local search: exchanges between the hottest host and a cooler partner.

use super::exchange::{self, Pair};
use super::instance::{Instance, Placement};
use super::resplit::Resplitter;

/// Partners the hottest host tries to exchange one shard with, coolest first.
const EXCHANGE_PARTNERS: usize = 16;

/// Partners it tries to re-split with, coolest first.
const RESPLIT_PARTNERS: usize = 8;

/// Items of the two that are dealt anew at once: few first, which takes about
/// a microsecond, then more when that is not enough.
const DEALS: [usize; 2] = [14, 24];

/// Relative improvement of the pair below which an exchange is not worth it;
/// it also keeps rounding from feeding the search for ever.
const LEAST_GAIN: f64 = 1e-13;

/// What the search did.
pub(super) struct Improved {
    pub(super) placement: Placement,
    /// Pairs of hosts examined.
    pub(super) steps: u64,
}

/// Lowers the hottest host until it meets `target`, no exchange helps, or
/// `step_limit` pairs were examined.
///
/// Each round takes the hottest host and looks for a partner that, after the
/// best move or swap between the two, leaves both at less than half the excess
/// over the target; else it takes the best one found. When no swap helps, the
/// two hosts' lightest shards are dealt anew ([`Resplitter`]). Every accepted
/// exchange lowers the levels in lexicographic order, so the search ends.
/// A round costs O(H + partners * shards of the two).
pub(super) fn improve(
    instance: &Instance,
    placement: &[u32],
    target: f64,
    step_limit: u64,
) -> Improved {
    let mut state = State::new(instance, placement);
    let mut resplitter = Resplitter::default();
    let mut steps = 0;
    while let Some(hottest) = state.hottest() {
        if state.level(hottest) <= target || steps >= step_limit {
            break;
        }
        let exchanged = state.exchange_with_some_partner(hottest, target, &mut steps);
        if !exchanged
            && !state.resplit_with_some_partner(hottest, target, &mut resplitter, &mut steps)
        {
            break;
        }
    }
    Improved { placement: state.into_placement(placement.len()), steps }
}

struct State<'a> {
    instance: &'a Instance,
    /// Items of each host, ascending: heaviest first.
    lists: Vec<Vec<u32>>,
    loads: Vec<f64>,
    /// Hosts by level, coolest first, then by position.
    order: Vec<u32>,
}

impl<'a> State<'a> {
    fn new(instance: &'a Instance, placement: &[u32]) -> Self {
        let mut lists = vec![Vec::new(); instance.hosts.len()];
        for (item, &h) in placement.iter().enumerate() {
            lists[h as usize].push(item as u32);
        }
        let mut state = Self {
            instance,
            lists,
            loads: instance.loads(placement),
            order: (0..instance.hosts.len() as u32).collect(),
        };
        let mut order = std::mem::take(&mut state.order);
        order.sort_by(|&a, &b| state.level(a).total_cmp(&state.level(b)).then(a.cmp(&b)));
        state.order = order;
        state
    }

    fn level(&self, host: u32) -> f64 {
        self.loads[host as usize] / self.instance.capacity[host as usize]
    }

    fn hottest(&self) -> Option<u32> {
        self.order.last().copied()
    }

    fn pair(&self, hot: u32, cool: u32) -> Pair<'_> {
        let (hot, cool) = (hot as usize, cool as usize);
        Pair {
            weights: &self.instance.weights,
            hot: &self.lists[hot],
            cool: &self.lists[cool],
            loads: (self.loads[hot], self.loads[cool]),
            capacities: (self.instance.capacity[hot], self.instance.capacity[cool]),
        }
    }

    fn exchange_with_some_partner(&mut self, hot: u32, target: f64, steps: &mut u64) -> bool {
        let level = self.level(hot);
        let enough = target + 0.5 * (level - target);
        let mut best = None;
        let mut best_level = level * (1.0 - LEAST_GAIN);
        for &cool in self.order.iter().filter(|&&h| h != hot).take(EXCHANGE_PARTNERS) {
            *steps += 1;
            let Some(found) = exchange::best(&self.pair(hot, cool)) else { continue };
            if found.level < best_level {
                best_level = found.level;
                best = Some((cool, found));
            }
            if best_level <= enough {
                break;
            }
        }
        let Some((cool, found)) = best else { return false };
        self.carry(hot, cool, found.from_hot);
        if let Some(item) = found.from_cool {
            self.carry(cool, hot, item);
        }
        self.settle(hot, cool);
        true
    }

    fn resplit_with_some_partner(
        &mut self,
        hot: u32,
        target: f64,
        resplitter: &mut Resplitter,
        steps: &mut u64,
    ) -> bool {
        let level = self.level(hot);
        let enough = target + 0.5 * (level - target);
        let mut best_level = level * (1.0 - LEAST_GAIN);
        let mut best = None;
        let partners = || self.order.iter().filter(|&&h| h != hot).take(RESPLIT_PARTNERS);
        for (deal, &cool) in DEALS.iter().flat_map(|&deal| partners().map(move |h| (deal, h))) {
            *steps += 1;
            let found = resplitter.best(&self.pair(hot, cool), deal, best_level);
            let Some(found) = found else { continue };
            best_level = found.level;
            best = Some((cool, found));
            if best_level <= enough {
                break;
            }
        }
        let Some((cool, found)) = best else { return false };
        for item in found.to_cool {
            self.carry(hot, cool, item);
        }
        for item in found.to_hot {
            self.carry(cool, hot, item);
        }
        self.settle(hot, cool);
        true
    }

    /// Moves an item from one list to another; [`State::settle`] must follow.
    fn carry(&mut self, from: u32, to: u32, item: u32) {
        let list = &mut self.lists[from as usize];
        if let Ok(at) = list.binary_search(&item) {
            list.remove(at);
        }
        let list = &mut self.lists[to as usize];
        let at = list.partition_point(|&other| other < item);
        list.insert(at, item);
    }

    /// Brings loads and order up to date after exchanges between two hosts.
    /// Loads are summed anew, so that rounding does not pile up.
    fn settle(&mut self, a: u32, b: u32) {
        for host in [a, b] {
            let sum =
                |items: &[u32]| items.iter().map(|&i| self.instance.weights[i as usize]).sum();
            let weight: f64 = sum(&self.lists[host as usize]);
            self.loads[host as usize] = self.instance.base[host as usize] + weight;
        }
        self.order.retain(|&h| h != a && h != b);
        for host in [a, b] {
            let key = (self.level(host), host);
            let before = |&h: &u32| self.level(h).total_cmp(&key.0).then(h.cmp(&key.1)).is_lt();
            let at = self.order.partition_point(before);
            self.order.insert(at, host);
        }
    }

    fn into_placement(self, items: usize) -> Placement {
        let mut placement = vec![0; items];
        for (host, list) in self.lists.iter().enumerate() {
            for &item in list {
                placement[item as usize] = host as u32;
            }
        }
        placement
    }
}
