//! Local search by moves and swaps, steepest first, with kicks.

use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::exchange::{self, Best, Exchange};
use super::objective::{Field, slope};
use crate::optimum::allowance::{Allowance, KICK, SHARDS_PER_STEP};
use crate::optimum::instance::Placement;
use crate::optimum::layout::{Layout, NOWHERE};

/// Hosts whose pairs are searched: of more, those that are hottest and coolest
/// at first. A table of all pairs is kept.
const MOST_HOSTS: usize = 512;

/// Pairs that are looked up in the table at the cost of one step.
const LOOKUPS_PER_STEP: usize = 64;

/// What an exchange must lower the square_ratio by; it keeps rounding from
/// feeding the search for ever.
const LEAST_GAIN: f64 = 1e-14;

/// Lowers the sum of squares of a placement within the budget; when nothing
/// helps, moves a few guests elsewhere (home, if they have one) and tries again
/// from there, until the target or the steps are reached. Returns the best
/// placement and the steps taken.
///
/// Kicks are drawn from a fixed stream, so that an instance has one answer.
pub(super) fn improve(
    field: &Field,
    layout: &Layout,
    placement: &[u32],
    allowance: &Allowance,
) -> (Placement, u64) {
    let mut random = ChaCha8Rng::seed_from_u64(0);
    let mut state = State::new(field, layout, placement, allowance.cost);
    state.descend(allowance);
    let mut best = field.sum(&state.loads);
    while best > allowance.target && state.steps < allowance.steps {
        state.log.clear();
        state.kick(&mut random);
        state.descend(allowance);
        let sum = field.sum(&state.loads);
        if sum <= best && state.cost <= allowance.cost {
            best = sum;
        } else {
            state.take_back();
        }
    }
    (state.placement, state.steps)
}

/// What a host holds, heaviest first.
#[derive(Default)]
pub(super) struct Held {
    /// Items at home, which it costs something to move.
    pub(super) stay: Vec<u32>,
    /// The others.
    pub(super) guests: Vec<u32>,
}

/// A placement under change.
pub(super) struct State<'a> {
    pub(super) field: &'a Field<'a>,
    pub(super) layout: &'a Layout<'a>,
    pub(super) hosts: Vec<Held>,
    pub(super) loads: Vec<f64>,
    pub(super) least_gain: f64,
    placement: Placement,
    cost: f64,
    budget: f64,
    steps: u64,
    /// Hosts whose pairs are searched.
    active: Vec<u32>,
    /// The best exchange of each pair of active hosts.
    pairs: Vec<Best>,
    /// Whether a host has changed since its pairs were searched.
    changed: Vec<bool>,
    /// Items that were moved since the last kick, and from where.
    log: Vec<(u32, u32)>,
}

impl<'a> State<'a> {
    fn new(field: &'a Field, layout: &'a Layout, placement: &[u32], budget: f64) -> Self {
        let count = field.base.len();
        let loads = field.loads(placement);
        let mut active: Vec<u32> = (0..count as u32).collect();
        if count > MOST_HOSTS {
            let level = |h: u32| slope(loads[h as usize], field.capacity()[h as usize]);
            active.sort_by(|&a, &b| level(a).total_cmp(&level(b)).then(a.cmp(&b)));
            active.drain(MOST_HOSTS / 2..count - MOST_HOSTS / 2);
            active.sort_unstable();
        }
        let mut state = Self {
            field,
            layout,
            hosts: (0..count).map(|_| Held::default()).collect(),
            loads,
            least_gain: LEAST_GAIN * field.hosts(),
            placement: placement.to_vec(),
            cost: layout.cost(placement),
            budget,
            steps: 0,
            pairs: vec![Best::default(); active.len() * active.len()],
            active,
            changed: vec![true; count],
            log: Vec::new(),
        };
        for (item, &host) in (0..).zip(placement) {
            state.list(item, host).push(item);
        }
        state
    }

    /// The list that an item is in when it is on a host.
    fn list(&mut self, item: u32, host: u32) -> &mut Vec<u32> {
        let held = &mut self.hosts[host as usize];
        if self.layout.home[item as usize] == host { &mut held.stay } else { &mut held.guests }
    }

    fn descend(&mut self, allowance: &Allowance) {
        while self.steps < allowance.steps && self.field.sum(&self.loads) > allowance.target {
            let Some(Exchange { from, to, out, back, .. }) = self.steepest() else { break };
            self.carry(out, to);
            if let Some(item) = back {
                self.carry(item, from);
            }
        }
    }

    /// The best exchange of all pairs that the budget allows, after bringing
    /// the table up to date.
    fn steepest(&mut self) -> Option<Exchange> {
        let spare = self.budget - self.cost;
        let count = self.active.len();
        self.steps += (count * count / LOOKUPS_PER_STEP) as u64;
        let mut steepest: Option<Exchange> = None;
        for i in 0..count {
            for j in i + 1..count {
                let (a, b) = (self.active[i], self.active[j]);
                let at = i * count + j;
                let known = &self.pairs[at];
                let is_stale = self.changed[a as usize]
                    || self.changed[b as usize]
                    || known.exchange.is_some_and(|exchange| exchange.cost > spare)
                    || known.refused.is_some_and(|cost| cost <= spare);
                if is_stale {
                    let shards = [a, b].map(|h| {
                        let held = &self.hosts[h as usize];
                        held.stay.len() + held.guests.len()
                    });
                    self.steps += 1 + ((shards[0] + shards[1]) / SHARDS_PER_STEP) as u64;
                    self.pairs[at] = exchange::best(self, a, b, spare);
                }
                if let Some(found) = self.pairs[at].exchange
                    && steepest.is_none_or(|best| found.gain > best.gain)
                {
                    steepest = Some(found);
                }
            }
        }
        for &host in &self.active {
            self.changed[host as usize] = false;
        }
        steepest
    }

    /// Moves up to [`KICK`] guests: home, or anywhere if they have none.
    fn kick(&mut self, random: &mut ChaCha8Rng) {
        // A kick that finds nothing to examine has to cost something too.
        self.steps += 1 + (self.placement.len() / LOOKUPS_PER_STEP) as u64;
        let guests: Vec<u32> = self
            .active
            .iter()
            .flat_map(|&host| &self.hosts[host as usize].guests)
            .copied()
            .collect();
        if guests.is_empty() {
            return;
        }
        for _ in 0..random.random_range(1..=KICK) {
            let item = guests[random.random_range(0..guests.len())];
            let home = self.layout.home[item as usize];
            let to = match home {
                NOWHERE => self.active[random.random_range(0..self.active.len())],
                _ => home,
            };
            self.carry(item, to);
        }
    }

    /// Undoes what was done since the last kick.
    fn take_back(&mut self) {
        while let Some((item, from)) = self.log.pop() {
            self.carry(item, from);
            self.log.pop();
        }
    }

    /// Moves an item and brings loads and cost up to date. Loads are summed
    /// anew, so that rounding does not pile up.
    fn carry(&mut self, item: u32, to: u32) {
        let from = self.placement[item as usize];
        if from == to {
            return;
        }
        self.log.push((item, from));
        self.cost += self.layout.cost_at(item, to) - self.layout.cost_at(item, from);
        self.placement[item as usize] = to;
        let list = self.list(item, from);
        if let Ok(at) = list.binary_search(&item) {
            list.remove(at);
        }
        let list = self.list(item, to);
        let at = list.partition_point(|&other| other < item);
        list.insert(at, item);
        for host in [from as usize, to as usize] {
            let held = &self.hosts[host];
            let weights =
                held.guests.iter().chain(&held.stay).map(|&i| self.field.weights[i as usize]);
            self.loads[host] = self.field.base[host] + weights.sum::<f64>();
            self.changed[host] = true;
        }
    }
}
