//! A placement for a level: what has to leave, and where it goes.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::Measure;
use super::leaving::{self, LOOKS};
use crate::optimum::TOLERANCE;
use crate::optimum::instance::Placement;
use crate::optimum::layout::{Layout, NOWHERE};

/// Which of the hosts with room for a shard takes it.
#[derive(Clone, Copy)]
pub(in crate::optimum) enum Fill {
    /// The one that is coolest with it.
    Coolest,
    /// The one with the least room left: it keeps large gaps for others.
    Tightest,
}

/// Brings hosts to a level from the assignment as it stands: every host sheds
/// its excess at little cost, and what is in the air lands heaviest first on a
/// host with room. Without one, it lands where it costs least to make room, and
/// what has to go from there is in the air in turn.
///
/// A shard leaves home once at most, so it ends; the level may be missed, and
/// the cost may be anything. O(n log n + moves * hosts * log n).
pub(in crate::optimum) fn for_level(layout: &Layout, level: f64, fill: Fill) -> Placement {
    let hosts = layout.loads.len();
    // A host that is filled to its limit, and beyond by rounding, is at the level.
    let within = level * (1.0 - TOLERANCE / 4.0);
    let limits: Vec<f64> = (0..hosts).map(|host| layout.limit(host, within)).collect();
    let rooms = limits.iter().zip(&layout.loads).map(|(limit, load)| limit - load);
    let mut work = Work {
        layout,
        room: rooms.fold(0.0, f64::max),
        looks: LOOKS,
        limits,
        loads: layout.loads.clone(),
        lists: layout.lists.clone(),
        air: layout.homeless.iter().map(|&item| Reverse(item)).collect(),
        placement: layout.home.clone(),
    };
    for host in 0..hosts {
        work.shed(host);
    }
    while let Some(Reverse(item)) = work.air.pop() {
        let host = work.landing(item, fill);
        work.loads[host] += layout.weight(item);
        work.placement[item as usize] = host as u32;
        work.shed(host);
    }
    work.placement
}

struct Work<'a> {
    layout: &'a Layout<'a>,
    limits: Vec<f64>,
    loads: Vec<f64>,
    /// The most that a host has room for at first.
    room: f64,
    /// What the search for what leaves may still look at.
    looks: usize,
    /// What is still at home.
    lists: Vec<Vec<u32>>,
    air: BinaryHeap<Reverse<u32>>,
    placement: Placement,
}

impl Work<'_> {
    /// Lets a host shed down to its limit, as far as it can.
    fn shed(&mut self, host: usize) {
        let excess = self.loads[host] - self.limits[host];
        if excess <= 0.0 {
            return;
        }
        let layout = self.layout;
        let leaving = match layout.measure {
            Measure::Moves => leaving::fewest(layout, &self.lists[host], excess),
            Measure::Load => {
                leaving::lightest(layout, &self.lists[host], excess, self.room, &mut self.looks)
            }
        };
        for &item in &leaving {
            self.loads[host] -= layout.weight(item);
            self.placement[item as usize] = NOWHERE;
            self.air.push(Reverse(item));
        }
        let placement = &self.placement;
        self.lists[host].retain(|&item| placement[item as usize] != NOWHERE);
    }

    /// Where an item lands; of equal hosts the first.
    fn landing(&self, item: u32, fill: Fill) -> usize {
        let weight = self.layout.weight(item);
        let capacity = &self.layout.instance.capacity;
        let with_it = |host: usize| (self.loads[host] + weight) / capacity[host];
        let least = |hosts: &mut dyn Iterator<Item = usize>, key: &dyn Fn(usize) -> f64| {
            hosts.fold(None, |best: Option<(f64, usize)>, host| match best {
                Some((least, _)) if least <= key(host) => best,
                _ => Some((key(host), host)),
            })
        };
        let hosts = 0..self.loads.len();
        let mut fitting = hosts.clone().filter(|&h| self.loads[h] + weight <= self.limits[h]);
        let found = match fill {
            Fill::Coolest => least(&mut fitting, &with_it),
            Fill::Tightest => least(&mut fitting, &|h| self.limits[h] - self.loads[h] - weight),
        };
        let cost_of_room = |host: usize| {
            let excess = self.loads[host] + weight - self.limits[host];
            let mut shed = 0.0;
            let mut cost = 0.0;
            for &other in &self.lists[host] {
                if shed >= excess {
                    return cost;
                }
                shed += self.layout.weight(other);
                cost += self.layout.price[other as usize];
            }
            if shed >= excess { cost } else { f64::INFINITY }
        };
        let found = found
            .or_else(|| {
                least(&mut hosts.clone(), &cost_of_room).filter(|(cost, _)| *cost < f64::INFINITY)
            })
            .or_else(|| least(&mut hosts.clone(), &with_it));
        // Items exist only where an open host does.
        found.map_or(0, |(_, host)| host)
    }
}
