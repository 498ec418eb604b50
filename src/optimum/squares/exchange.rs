//! The exchange of shards between two hosts that lowers the sum most.

use super::improve::State;
use super::objective::slope;

/// One shard to the other host, and perhaps one back.
#[derive(Clone, Copy, Debug)]
pub(super) struct Exchange {
    pub(super) from: u32,
    pub(super) to: u32,
    pub(super) out: u32,
    pub(super) back: Option<u32>,
    /// By how much the sum falls.
    pub(super) gain: f64,
    /// What it adds to the cost of all moves; below 0 if it saves.
    pub(super) cost: f64,
}

/// What is known of a pair of hosts.
#[derive(Clone, Copy, Default)]
pub(super) struct Best {
    pub(super) exchange: Option<Exchange>,
    /// The least cost of the exchanges that were better but too dear, if any
    /// was: with that much to spend the best may be another.
    pub(super) refused: Option<f64>,
}

/// The best exchange between two hosts, of those that cost at most `spare`.
///
/// With d of load going from one host to the other, the sum changes by
/// (1/a^2 + 1/b^2) (d^2 - 2 d D), where a and b are the capacities and D is
/// what levels the two slopes. So the best d is the one nearest to D: two
/// ordered lists are walked along the staircase of pairs whose difference is
/// next to D, in time linear in their lengths. Items that are at home, which cost
/// something to move, are kept apart from the guests, which do not; what a guest
/// saves by going home counts, but is not looked for.
pub(super) fn best(state: &State, a: u32, b: u32, spare: f64) -> Best {
    let capacity = state.field.capacity();
    let [at_a, at_b] = [a, b].map(|h| slope(state.loads[h as usize], capacity[h as usize]));
    let (from, to) = if at_a >= at_b { (a, b) } else { (b, a) };
    let squares = [a, b].map(|h| 1.0 / (capacity[h as usize] * capacity[h as usize]));
    let curve = squares[0] + squares[1];
    let ideal = (at_a - at_b).abs() / curve;
    let mut found = Pair { state, from, to, curve, ideal, spare, best: Best::default() };

    let hosts = [&state.hosts[from as usize], &state.hosts[to as usize]];
    for outs in [&hosts[0].guests, &hosts[0].stay] {
        let at = outs.partition_point(|&item| found.weight(item) > ideal);
        for &out in &outs[at.saturating_sub(1)..(at + 1).min(outs.len())] {
            found.offer(out, None);
        }
        for backs in [&hosts[1].guests, &hosts[1].stay] {
            found.staircase(outs, backs);
        }
    }
    found.best
}

struct Pair<'a> {
    state: &'a State<'a>,
    from: u32,
    to: u32,
    curve: f64,
    ideal: f64,
    spare: f64,
    best: Best,
}

impl Pair<'_> {
    fn weight(&self, item: u32) -> f64 {
        self.state.field.weights[item as usize]
    }

    fn staircase(&mut self, outs: &[u32], backs: &[u32]) {
        let (mut i, mut j) = (0, 0);
        while let (Some(&out), Some(&back)) = (outs.get(i), backs.get(j)) {
            self.offer(out, Some(back));
            if self.weight(out) - self.weight(back) > self.ideal {
                i += 1;
            } else {
                j += 1;
            }
        }
    }

    fn offer(&mut self, out: u32, back: Option<u32>) {
        let shift = self.weight(out) - back.map_or(0.0, |item| self.weight(item));
        let gain = self.curve * shift * (2.0 * self.ideal - shift);
        // Most candidates end here.
        if gain <= self.best.exchange.map_or(self.state.least_gain, |best| best.gain) {
            return;
        }
        let layout = self.state.layout;
        let change = |item, from, to| layout.cost_at(item, to) - layout.cost_at(item, from);
        let cost = change(out, self.from, self.to)
            + back.map_or(0.0, |item| change(item, self.to, self.from));
        if cost > self.spare {
            let refused = self.best.refused.map_or(cost, |least| least.min(cost));
            self.best.refused = Some(refused);
            return;
        }
        self.best.exchange = Some(Exchange { from: self.from, to: self.to, out, back, gain, cost });
    }
}
