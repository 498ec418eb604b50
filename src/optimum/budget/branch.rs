//! Branch and bound over sets of moves.

use super::shed::{Standing, cost_of_shedding, least_cost};
use crate::optimum::TOLERANCE;
use crate::optimum::instance::Placement;
use crate::optimum::layout::{Layout, NOWHERE};

/// With no more than this in the air (a host above the level counts for one),
/// looking on is cheaper than the full bound.
const UNBOUNDED_AIR: usize = 1;

/// Moves and placements that one branch may hold: beyond, the search gives up
/// before the stack does.
const MOST_DEPTH: usize = 2_000;

/// What a solution is wanted to improve.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Goal {
    /// A lower level, within the cost.
    Level,
    /// A lower cost, within the level.
    Cost,
}

/// What a solution must not exceed.
#[derive(Clone, Copy)]
pub(super) struct Limits {
    pub(super) level: f64,
    pub(super) cost: f64,
    pub(super) nodes: u64,
}

/// What the search found out.
pub(super) struct Searched {
    /// The best placement within the limits, if any was found.
    pub(super) placement: Option<Placement>,
    /// Whether there is none better: every branch was looked at. Then nothing
    /// is below `limits` (as they stand at the end).
    pub(super) exhausted: bool,
    /// The limits after the last solution: what was ruled out if exhausted.
    pub(super) limits: Limits,
    pub(super) nodes: u64,
}

/// Looks for a placement within the limits, and then for ever better ones.
///
/// A node is a [`Standing`]. If a host is above the level, one of its undecided
/// shards has to leave: branch on the heaviest that does; those before it stay,
/// and so do those of equal weight that come after a skipped one. If no host is
/// above it and shards are in the air, the heaviest lands: branch on its host,
/// which may be above the level then, and sheds in turn. If none is in the air
/// it is a solution.
///
/// Every solution has a subset of its moves that is found: follow it, and at
/// each node above the level some shard that it moves has not left yet. So what
/// is not found does not exist, and hosts shed nothing without need.
///
/// A node is cut off when the cost so far and [`least_cost`] from there exceed
/// the limit.
pub(super) fn search(
    layout: &Layout,
    thresholds: &[f64],
    goal: Goal,
    limits: Limits,
    enough: f64,
) -> Searched {
    let spent = layout.forced_cost();
    let mut branch = Branch {
        layout,
        thresholds,
        goal,
        limits,
        enough,
        standing: Standing::new(layout),
        placement: layout.home.clone(),
        best: None,
        nodes: 0,
        depth: 0,
        stopped: false,
    };
    branch.node(spent, None);
    Searched {
        placement: branch.best,
        exhausted: !branch.stopped,
        limits: branch.limits,
        nodes: branch.nodes,
    }
}

struct Branch<'a> {
    layout: &'a Layout<'a>,
    thresholds: &'a [f64],
    goal: Goal,
    limits: Limits,
    /// Level or cost that need not be improved on.
    enough: f64,
    standing: Standing,
    placement: Placement,
    best: Option<Placement>,
    nodes: u64,
    depth: usize,
    stopped: bool,
}

impl Branch<'_> {
    /// `landed`: the item that landed just before, and where.
    fn node(&mut self, spent: f64, landed: Option<(u32, usize)>) {
        self.nodes += 1;
        if self.nodes > self.limits.nodes || self.depth > MOST_DEPTH {
            self.stopped = true;
            return;
        }
        self.depth += 1;
        self.expand(spent, landed);
        self.depth -= 1;
    }

    fn expand(&mut self, spent: f64, landed: Option<(u32, usize)>) {
        let Some((need, hot)) = self.need() else { return };
        let spare = self.limits.cost - spent - need;
        if spare < 0.0 || self.stopped {
            return;
        }
        if self.standing.air.first().is_some_and(|&heaviest| !self.can_land(heaviest, spare)) {
            return;
        }
        if self.standing.air.len() + usize::from(hot.is_some()) > UNBOUNDED_AIR {
            let rest = self.limits.cost - spent;
            let level = self.limits.level;
            if least_cost(self.layout, &self.standing, self.thresholds, level, rest) > rest {
                return;
            }
        }
        match (hot, self.standing.air.first()) {
            (Some(host), _) => self.shed(host, spent),
            (None, Some(&item)) => self.land(item, spent, landed),
            (None, None) => self.solution(spent),
        }
    }

    fn limit(&self, host: usize) -> f64 {
        self.layout.limit(host, self.limits.level)
    }

    fn cost_of_excess(&self, host: usize, excess: f64) -> f64 {
        cost_of_shedding(self.layout, host, self.standing.decided[host], excess)
    }

    /// What shedding costs at least, and the host to shed next: the one with
    /// the fewest shards to choose from. `None` if a host cannot.
    fn need(&self) -> Option<(f64, Option<usize>)> {
        let mut need = 0.0;
        let mut hot = None;
        for host in 0..self.standing.loads.len() {
            let excess = self.standing.loads[host] - self.limit(host);
            if excess > 0.0 {
                let cost = self.cost_of_excess(host, excess);
                if cost == f64::INFINITY {
                    return None;
                }
                need += cost;
                let choices = self.layout.lists[host].len() - self.standing.decided[host];
                if hot.is_none_or(|(fewest, _)| choices < fewest) {
                    hot = Some((choices, host));
                }
            }
        }
        Some((need, hot.map(|(_, host)| host)))
    }

    /// Whether some host can take an item for at most `spare` more.
    fn can_land(&self, item: u32, spare: f64) -> bool {
        let weight = self.layout.weight(item);
        let home = self.layout.home[item as usize] as usize;
        (0..self.standing.loads.len()).filter(|&host| host != home).any(|host| {
            let excess = self.standing.loads[host] - self.limit(host);
            excess + weight <= 0.0
                || self.cost_of_excess(host, excess + weight) - self.cost_of_excess(host, excess)
                    <= spare
        })
    }

    fn shed(&mut self, host: usize, spent: f64) {
        let layout = self.layout;
        let list = &layout.lists[host];
        let (load, decided) = (self.standing.loads[host], self.standing.decided[host]);
        let mut last = f64::INFINITY;
        for (at, &item) in list.iter().enumerate().skip(decided) {
            let weight = layout.weight(item);
            if weight == last {
                continue;
            }
            last = weight;
            let excess = load - self.limit(host);
            let price = layout.price[item as usize];
            let cheapest = cost_of_shedding(layout, host, at, excess);
            if weight == 0.0 || spent + cheapest > self.limits.cost {
                break;
            }
            if spent + price > self.limits.cost {
                continue; // By load, a lighter one may do.
            }
            let air = &mut self.standing.air;
            let position = air.partition_point(|&other| other < item);
            air.insert(position, item);
            self.standing.loads[host] = load - weight;
            self.standing.decided[host] = at + 1;
            self.placement[item as usize] = NOWHERE;
            self.node(spent + price, None);
            self.placement[item as usize] = host as u32;
            self.standing.air.remove(position);
            if self.stopped {
                break;
            }
        }
        self.standing.loads[host] = load;
        self.standing.decided[host] = decided;
    }

    fn land(&mut self, item: u32, spent: f64, landed: Option<(u32, usize)>) {
        let layout = self.layout;
        let weight = layout.weight(item);
        let home = layout.home[item as usize] as usize;
        // Equal items that land in a row do so in the order of hosts: to
        // exchange them is the same, or sends one home, which costs less.
        let first = match landed {
            Some((before, host)) if layout.weight(before) == weight => host,
            _ => 0,
        };
        let level =
            |host: usize| (self.standing.loads[host] + weight) / layout.instance.capacity[host];
        let mut hosts: Vec<(f64, usize)> = (first..self.standing.loads.len())
            .filter(|&host| host != home)
            .map(|host| (level(host), host))
            .collect();
        hosts.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.standing.air.remove(0);
        let mut empty: Vec<(f64, f64)> = Vec::new();
        for (_, host) in hosts {
            let load = self.standing.loads[host];
            // Hosts that are nobody's home and alike in load and capacity are
            // the same to it.
            if layout.lists[host].is_empty() {
                let look = (load, layout.instance.capacity[host]);
                if empty.contains(&look) {
                    continue;
                }
                empty.push(look);
            }
            self.standing.loads[host] = load + weight;
            self.placement[item as usize] = host as u32;
            self.node(spent, Some((item, host)));
            self.standing.loads[host] = load;
            if self.stopped {
                break;
            }
        }
        self.placement[item as usize] = NOWHERE;
        self.standing.air.insert(0, item);
    }

    fn solution(&mut self, spent: f64) {
        let level = self.layout.instance.level(&self.placement);
        let cost = self.layout.cost(&self.placement);
        match self.goal {
            Goal::Level => {
                // Within the reserve for rounding, yet no better.
                if level > self.limits.level {
                    return;
                }
                self.limits.level = level * (1.0 - TOLERANCE / 2.0);
                self.stopped |= level <= self.enough;
            }
            Goal::Cost => {
                self.limits.cost = self.layout.measure.below(cost);
                self.stopped |= cost <= self.enough;
            }
        }
        self.best = Some(self.placement.clone());
        // To a lower level, this may be the beginning of another solution.
        if self.goal == Goal::Level && !self.stopped {
            self.node(spent, None);
        }
    }
}
