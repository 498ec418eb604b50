//! Branch and bound over where the heaviest shards go.

use super::objective::Field;
use super::water::Water;
use crate::optimum::instance::Placement;
use crate::optimum::layout::Layout;

/// What was found.
pub(super) struct Found {
    /// A placement that is better than what was known.
    pub(super) placement: Option<Placement>,
    /// No placement has a lower sum.
    pub(super) bound: f64,
    pub(super) nodes: u64,
}

/// Places the `depth` heaviest shards in all ways that may be better than the
/// sum `known`, the rest being fluid; for ever greater depths, until every shard
/// has its place or `limit` nodes were made. The least sum of the last depth
/// that was searched whole is a bound.
///
/// Without a budget, of hosts that look alike at a node one is tried. A node
/// takes O(h log h).
pub(super) fn search(field: &Field, layout: &Layout, budget: f64, known: f64, limit: u64) -> Found {
    let count = field.weights.len();
    let mut rest: Vec<f64> = vec![0.0; count + 1];
    for (at, weight) in field.weights.iter().enumerate().rev() {
        rest[at] = rest[at + 1] + weight;
    }
    let mut tree = Tree {
        field,
        layout,
        budget,
        alike: layout.price.iter().all(|&price| price == 0.0),
        rest,
        depth: 0,
        floors: field.base.clone(),
        path: Vec::with_capacity(count),
        enough: field.better_than(known),
        best: None,
        lowest: f64::INFINITY,
        water: Water::default(),
        nodes: 0,
        limit,
    };
    let mut bound = f64::NEG_INFINITY;
    while tree.depth < count {
        tree.depth = (2 * tree.depth).clamp(1, count);
        tree.lowest = f64::INFINITY;
        tree.descend(layout.pinned_cost());
        if tree.nodes >= limit {
            break;
        }
        bound = tree.lowest;
        // Everything is ruled out already.
        if bound >= tree.enough {
            break;
        }
    }
    Found { placement: tree.best, bound, nodes: tree.nodes }
}

struct Tree<'a> {
    field: &'a Field<'a>,
    layout: &'a Layout<'a>,
    budget: f64,
    /// Whether nothing costs anything, so that hosts differ in what they hold.
    alike: bool,
    /// Sums of the weights from each on.
    rest: Vec<f64>,
    depth: usize,
    floors: Vec<f64>,
    path: Placement,
    /// What is above is not worth a look.
    enough: f64,
    best: Option<Placement>,
    /// The least sum of what was not looked into.
    lowest: f64,
    water: Water,
    nodes: u64,
    limit: u64,
}

impl Tree<'_> {
    fn descend(&mut self, cost: f64) {
        let item = self.path.len();
        let mut children: Vec<(f64, u32, f64)> = Vec::with_capacity(self.floors.len());
        for host in 0..self.floors.len() {
            if self.alike && self.looks_like_an_earlier_one(host) {
                continue;
            }
            let cost = cost + self.layout.cost_at(item as u32, host as u32);
            if cost > self.budget {
                continue;
            }
            let before = self.floors[host];
            self.floors[host] = before + self.field.weights[item];
            let (sum, _) =
                self.water.fill(self.field.capacity(), &self.floors, self.rest[item + 1]);
            self.floors[host] = before;
            self.nodes += 1;
            children.push((sum, host as u32, cost));
        }
        children.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        for (sum, host, cost) in children {
            if sum >= self.enough || self.nodes >= self.limit {
                self.lowest = self.lowest.min(sum);
                break;
            }
            self.path.push(host);
            if self.path.len() == self.field.weights.len() {
                self.keep();
            } else if self.path.len() == self.depth {
                self.lowest = self.lowest.min(sum);
            } else {
                let before = self.floors[host as usize];
                self.floors[host as usize] = before + self.field.weights[item];
                self.descend(cost);
                self.floors[host as usize] = before;
            }
            self.path.pop();
        }
    }

    fn looks_like_an_earlier_one(&self, host: usize) -> bool {
        let looks = |h: usize| (self.field.capacity()[h], self.floors[h]);
        (0..host).any(|earlier| looks(earlier) == looks(host))
    }

    /// Keeps a whole placement.
    fn keep(&mut self) {
        let sum = self.field.sum(&self.field.loads(&self.path));
        self.enough = self.enough.min(self.field.better_than(sum));
        self.lowest = self.lowest.min(sum);
        self.best = Some(self.path.clone());
    }
}
