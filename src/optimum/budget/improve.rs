//! Local search within a budget: moves, swaps, and moves taken back.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::optimum::allowance::{Allowance, KICK, SHARDS_PER_STEP};
use crate::optimum::instance::Placement;
use crate::optimum::layout::{Layout, NOWHERE};

/// Partners the hottest host is paired with, coolest first.
const PARTNERS: usize = 64;

/// Shards of the partner that are tried on either side of the weight that would
/// level the two: the nearest may cost more than the budget has left.
const NEIGHBOURS: usize = 2;

/// Moves that may be taken back to pay for another one: those whose shards heat
/// their old host least.
const TAKEN_BACK: usize = 12;

/// Relative improvement below which an exchange is not worth it.
const LEAST_GAIN: f64 = 1e-13;

/// Lowers the hottest host of a placement within the budget; when nothing
/// helps, takes a few moves back and tries again from there, until the target
/// or the steps are reached. Returns the best placement and the steps taken.
///
/// Which moves are taken back is drawn from a fixed stream, so that an instance
/// has one answer.
pub(super) fn improve(
    layout: &Layout,
    placement: Placement,
    allowance: &Allowance,
) -> (Placement, u64) {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let mut state = State::new(layout, placement);
    state.descend(allowance);
    let mut best = (state.hottest().0, state.placement.clone());
    while best.0 > allowance.target && state.steps < allowance.steps {
        let mut moved = state.moved();
        if moved.is_empty() {
            break;
        }
        let kicks = random.random_range(1..=KICK.min(moved.len()));
        for _ in 0..kicks {
            let item = moved.swap_remove(random.random_range(0..moved.len()));
            state.carry(item, layout.home[item as usize]);
        }
        // A kick that finds nothing to examine has to cost something too.
        state.steps += 1;
        state.descend(allowance);
        let level = state.hottest().0;
        if level <= best.0 {
            best = (level, state.placement.clone());
        } else {
            // Starting over takes a look at all of them.
            let steps = state.steps + steps_for(best.1.len()) / 4;
            state = State { steps, ..State::new(layout, best.1.clone()) };
        }
    }
    (best.1, state.steps)
}

struct State<'a> {
    layout: &'a Layout<'a>,
    placement: Placement,
    /// Items of each host, heaviest first.
    lists: Vec<Vec<u32>>,
    loads: Vec<f64>,
    cost: f64,
    steps: u64,
}

/// One shard to a cooler host, perhaps one back, perhaps another one home.
#[derive(Clone, Copy)]
struct Change {
    out: u32,
    to: u32,
    back: Option<u32>,
    home: Option<u32>,
}

impl<'a> State<'a> {
    fn new(layout: &'a Layout<'a>, placement: Placement) -> Self {
        let mut lists = vec![Vec::new(); layout.loads.len()];
        for (item, &host) in (0..).zip(&placement) {
            lists[host as usize].push(item);
        }
        let loads = layout.instance.loads(&placement);
        let cost = layout.cost(&placement);
        Self { layout, placement, lists, loads, cost, steps: 0 }
    }

    fn level(&self, host: u32) -> f64 {
        self.loads[host as usize] / self.layout.instance.capacity[host as usize]
    }

    fn level_with(&self, host: u32, load: f64) -> f64 {
        (self.loads[host as usize] + load) / self.layout.instance.capacity[host as usize]
    }

    /// The hottest host's level and position; of equal ones the first.
    fn hottest(&self) -> (f64, u32) {
        let mut hottest = (0.0, 0);
        for host in 0..self.loads.len() as u32 {
            let level = self.level(host);
            if level > hottest.0 {
                hottest = (level, host);
            }
        }
        hottest
    }

    /// Items that could go home, ascending.
    fn moved(&self) -> Vec<u32> {
        let items = (0..).zip(self.placement.iter().zip(&self.layout.home));
        items
            .filter(|(_, (host, home))| host != home && **home != NOWHERE)
            .map(|(item, _)| item)
            .collect()
    }

    fn descend(&mut self, allowance: &Allowance) {
        while self.steps < allowance.steps {
            let (level, hot) = self.hottest();
            if level <= allowance.target {
                break;
            }
            let Some(change) = self.best_change(hot, level, allowance.cost) else { break };
            if let Some(item) = change.home {
                self.carry(item, self.layout.home[item as usize]);
            }
            if let Some(item) = change.back {
                self.carry(item, hot);
            }
            self.carry(change.out, change.to);
        }
    }

    /// The change after which the hottest of the hosts it touches is coolest,
    /// if that is cooler than the hottest now.
    fn best_change(&mut self, hot: u32, level: f64, budget: f64) -> Option<Change> {
        let layout = self.layout;
        let mut partners: Vec<(f64, u32)> = (0..self.loads.len() as u32)
            .filter(|&host| host != hot)
            .map(|host| (self.level(host), host))
            .collect();
        partners.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        partners.truncate(PARTNERS);
        let takable = self.takable(level);

        let mut best = (level * (1.0 - LEAST_GAIN), None);
        for &(_, to) in &partners {
            self.steps += steps_for(self.lists[hot as usize].len());
            let capacities = [hot, to].map(|host| layout.instance.capacity[host as usize]);
            let loads = [hot, to].map(|host| self.loads[host as usize]);
            let ideal = (loads[0] * capacities[1] - loads[1] * capacities[0])
                / (capacities[0] + capacities[1]);
            let cool = &self.lists[to as usize];
            for &out in &self.lists[hot as usize] {
                let weight = layout.weight(out);
                let cost = self.cost + layout.cost_at(out, to) - layout.cost_at(out, hot);
                let mut offer = |back: Option<u32>| {
                    let shift = weight - back.map_or(0.0, |item| layout.weight(item));
                    let after = ((loads[0] - shift) / capacities[0])
                        .max((loads[1] + shift) / capacities[1]);
                    // Most candidates end here.
                    if after >= best.0 {
                        return;
                    }
                    let cost = cost
                        + back.map_or(0.0, |item| {
                            layout.cost_at(item, hot) - layout.cost_at(item, to)
                        });
                    let change = Change { out, to, back, home: None };
                    if cost <= budget {
                        best = (after, Some(change));
                        return;
                    }
                    let pays = takable.iter().find(|taken| {
                        cost - taken.saved <= budget
                            && ![hot, to].contains(&taken.host)
                            && taken.item != out
                            && Some(taken.item) != back
                    });
                    if let Some(taken) = pays.filter(|taken| taken.level < best.0) {
                        let change = Change { home: Some(taken.item), ..change };
                        best = (after.max(taken.level), Some(change));
                    }
                };
                offer(None);
                if weight > ideal {
                    let wanted = weight - ideal;
                    let at = cool.partition_point(|&item| layout.weight(item) > wanted);
                    let near = at.saturating_sub(NEIGHBOURS)..(at + NEIGHBOURS).min(cool.len());
                    for &item in &cool[near] {
                        offer(Some(item));
                    }
                }
            }
        }
        best.1
    }

    /// Moves that could be taken back below a level, the coolest first.
    fn takable(&self, level: f64) -> Vec<Takable> {
        let mut takable: Vec<Takable> = self
            .moved()
            .into_iter()
            .map(|item| {
                let host = self.layout.home[item as usize];
                let level = self.level_with(host, self.layout.weight(item));
                Takable { item, host, level, saved: self.layout.price[item as usize] }
            })
            .filter(|taken| taken.level < level)
            .collect();
        takable.sort_by(|a, b| a.level.total_cmp(&b.level).then(a.item.cmp(&b.item)));
        takable.truncate(TAKEN_BACK);
        takable
    }

    /// Moves an item and brings loads and cost up to date. Loads are summed
    /// anew, so that rounding does not pile up.
    fn carry(&mut self, item: u32, to: u32) {
        let from = self.placement[item as usize];
        self.cost += self.layout.cost_at(item, to) - self.layout.cost_at(item, from);
        self.placement[item as usize] = to;
        let list = &mut self.lists[from as usize];
        if let Ok(at) = list.binary_search(&item) {
            list.remove(at);
        }
        let list = &mut self.lists[to as usize];
        let at = list.partition_point(|&other| other < item);
        list.insert(at, item);
        for host in [from as usize, to as usize] {
            let weights = self.lists[host].iter().map(|&item| self.layout.weight(item));
            self.loads[host] = self.layout.instance.base[host] + weights.sum::<f64>();
        }
    }
}

fn steps_for(shards: usize) -> u64 {
    1 + (shards / SHARDS_PER_STEP) as u64
}

struct Takable {
    item: u32,
    /// Its home.
    host: u32,
    /// The home's level with it.
    level: f64,
    saved: f64,
}
