//! What leaves a host that has to shed some load.

use crate::optimum::layout::Layout;

/// Items that are looked at for all hosts together, at most.
pub(super) const LOOKS: usize = 1 << 18;

/// An excess that is met this closely, relatively, is met.
const CLOSE: f64 = 1e-8;

/// Items up to this share of the largest room are light: they land anywhere.
const LIGHT: f64 = 0.125;

/// As few items as possible that weigh `excess`: the heaviest, the last of them
/// replaced by the lightest that will do. All, when that is not enough.
pub(super) fn fewest(layout: &Layout, list: &[u32], mut excess: f64) -> Vec<u32> {
    let mut leaving = Vec::new();
    for (at, &item) in list.iter().enumerate() {
        if layout.weight(item) >= excess {
            let rest = &list[at..];
            let enough = rest.partition_point(|&item| layout.weight(item) >= excess);
            leaving.push(rest[enough - 1]);
            break;
        }
        leaving.push(item);
        excess -= layout.weight(item);
    }
    leaving
}

/// Items that weigh `excess` and as little more as is found. All, when that is
/// not enough.
///
/// Light items find room most easily, so the search begins with as few of the
/// lightest as weigh twice the excess, and with all far lighter than `room`.
/// Of these every item that fits into what is left is taken, the heaviest first;
/// before each, the one, two or three items are looked for that end it most
/// closely. Then the same from the next lighter item on, and then from the
/// heavier ones, while there are looks left. Among n items there are about
/// n^2 / 2 pairs, so that the nearest exceeds by little. Takes from `looks` what
/// it looked at, no more than a host's share. O(n^2 + looks).
pub(super) fn lightest(
    layout: &Layout,
    list: &[u32],
    excess: f64,
    room: f64,
    looks: &mut usize,
) -> Vec<u32> {
    let share = (LOOKS / (2 * layout.loads.len()).max(1)).min(*looks);
    let used = list.partition_point(|&item| layout.weight(item) > 0.0);
    let mut search = Lightest {
        weights: list[..used].iter().map(|&item| layout.weight(item)).collect(),
        over: f64::INFINITY,
        chosen: (0..used).collect(),
        looks: share,
    };
    let mut begin = used;
    let mut sum = 0.0;
    while begin > 0 && (sum < 2.0 * excess || search.weights[begin - 1] < LIGHT * room) {
        begin -= 1;
        sum += search.weights[begin];
    }
    for first in (begin..used).chain((0..begin).rev()) {
        search.from(first, excess);
        if search.over <= CLOSE * excess || (search.looks == 0 && search.over < f64::INFINITY) {
            break;
        }
    }
    *looks -= share - search.looks;
    search.chosen.into_iter().map(|at| list[at]).collect()
}

struct Lightest {
    /// Heaviest first.
    weights: Vec<f64>,
    /// By how much the best choice exceeds what is to leave.
    over: f64,
    /// The best choice, as positions.
    chosen: Vec<usize>,
    looks: usize,
}

impl Lightest {
    /// Fills from a position on.
    fn from(&mut self, first: usize, excess: f64) {
        let mut free: Vec<usize> = (first..self.weights.len()).collect();
        let mut taken = Vec::new();
        let mut rest = excess;
        let mut at = 0;
        loop {
            self.end(&taken, &free, rest);
            if self.over <= CLOSE * excess {
                return;
            }
            // The heaviest that fits; heavier ones will not fit later either.
            at += free[at..].partition_point(|&item| self.weights[item] > rest);
            if at == free.len() {
                return;
            }
            let item = free.remove(at);
            taken.push(item);
            rest -= self.weights[item];
        }
    }

    /// Looks for one, two or three items beside those taken that end the rest
    /// most closely.
    fn end(&mut self, taken: &[usize], free: &[usize], rest: f64) {
        let enough = free.partition_point(|&at| self.weights[at] >= rest);
        if let Some(&one) = free[..enough].last() {
            let over = self.weights[one] - rest;
            self.offer(over, taken, &[one]);
        }
        self.pair(taken, &[], free, rest);
        for (at, &third) in free.iter().enumerate() {
            let rest = rest - self.weights[third];
            if self.looks == 0 || self.heaviest_two(&free[at + 1..]) < rest {
                break;
            }
            if rest > 0.0 {
                self.pair(taken, &[third], &free[at + 1..], rest);
            }
        }
    }

    fn heaviest_two(&self, free: &[usize]) -> f64 {
        match free {
            [one, two, ..] => self.weights[*one] + self.weights[*two],
            _ => 0.0,
        }
    }

    /// The pair that ends the rest most closely, by two pointers.
    fn pair(&mut self, taken: &[usize], third: &[usize], free: &[usize], rest: f64) {
        if self.looks == 0 || self.heaviest_two(free) < rest {
            return;
        }
        self.looks = self.looks.saturating_sub(free.len());
        let (mut heavy, mut light) = (0, free.len());
        let mut best = (self.over, None);
        while heavy + 1 < light {
            let over = self.weights[free[heavy]] + self.weights[free[light - 1]] - rest;
            if over < 0.0 {
                light -= 1;
                continue;
            }
            if over < best.0 {
                best = (over, Some([free[heavy], free[light - 1]]));
            }
            heavy += 1;
        }
        if let (over, Some(pair)) = best {
            self.offer(over, taken, &[third, &pair].concat());
        }
    }

    fn offer(&mut self, over: f64, taken: &[usize], more: &[usize]) {
        if over < self.over {
            self.over = over;
            self.chosen = [taken, more].concat();
        }
    }
}
