//! The optimum without a budget, as a start for those with one.

use crate::optimum::instance::Placement;
use crate::optimum::layout::{Layout, NOWHERE};
use crate::optimum::{Optimum, Problem, Settings, Solver, solve};

/// The optimum without a budget, by our own search if a program is asked for:
/// that is for the question with the budget.
pub(super) fn optimum(problem: &Problem, settings: &Settings) -> Option<Optimum> {
    let solver = match settings.solver {
        Solver::Ilp | Solver::Highs => Solver::Auto,
        solver => solver,
    };
    solve(&Problem { start: None, ..*problem }, &Settings { solver, ..*settings }).ok()
}

/// Renames hosts that look alike (equal capacity and pinned load) so that as
/// much as possible is at home: the pair that shares the most price first, then
/// by position. O(n + h^2 log h) for h hosts of a class that share something.
pub(in crate::optimum) fn relabel(layout: &Layout, placement: &mut [u32]) {
    let class_of = &layout.instance.class_of;
    let hosts = class_of.len();
    let mut entries: Vec<(u32, u32, f64)> = placement
        .iter()
        .enumerate()
        .filter(|&(item, &host)| {
            let home = layout.home[item];
            home != NOWHERE && class_of[home as usize] == class_of[host as usize]
        })
        .map(|(item, &host)| (host, layout.home[item], layout.price[item]))
        .collect();
    entries.sort_by_key(|&(host, home, _)| (host, home));
    let mut shared: Vec<(u32, u32, f64)> = Vec::new();
    for (host, home, price) in entries {
        match shared.last_mut() {
            Some(last) if (last.0, last.1) == (host, home) => last.2 += price,
            _ => shared.push((host, home, price)),
        }
    }
    shared.sort_by(|a, b| b.2.total_cmp(&a.2).then((a.0, a.1).cmp(&(b.0, b.1))));

    let mut name = vec![NOWHERE; hosts];
    let mut taken = vec![false; hosts];
    for (host, home, _) in shared {
        if name[host as usize] == NOWHERE && !taken[home as usize] {
            name[host as usize] = home;
            taken[home as usize] = true;
        }
    }
    for class in &layout.instance.classes {
        let mut rest = class.members.iter().filter(|&&host| !taken[host as usize]);
        for &host in &class.members {
            if name[host as usize] == NOWHERE {
                // As many names as hosts: there is one left for each.
                name[host as usize] = rest.next().copied().unwrap_or(host);
            }
        }
    }
    for host in placement {
        *host = name[*host as usize];
    }
}

/// Takes moves back, those of the lightest shards first, until the rest is
/// within a budget.
pub(in crate::optimum) fn truncate(layout: &Layout, placement: &mut Placement, budget: f64) {
    let mut cost = layout.cost(placement);
    for item in (0..placement.len()).rev() {
        if cost <= budget {
            break;
        }
        let home = layout.home[item];
        if home != NOWHERE && placement[item] != home {
            cost -= layout.price[item];
            placement[item] = home;
        }
    }
}

/// Takes moves back that a level does not need, those of the heaviest shards
/// first: by load they cost most, and by moves the order matters little.
pub(super) fn take_back(layout: &Layout, placement: &mut Placement, level: f64) {
    let mut loads = layout.instance.loads(placement);
    loop {
        let mut changed = false;
        for (item, at) in placement.iter_mut().enumerate() {
            let (home, host) = (layout.home[item], *at);
            if home == NOWHERE || home == host {
                continue;
            }
            let (weight, home_at) = (layout.instance.weights[item], home as usize);
            if loads[home_at] + weight <= layout.instance.capacity[home_at] * level {
                loads[home_at] += weight;
                loads[host as usize] -= weight;
                *at = home;
                changed = true;
            }
        }
        // What went home made room where it was.
        if !changed {
            break;
        }
    }
}
