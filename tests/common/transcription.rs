//! The specification of the reference's planner, written down as plainly as
//! it reads: maps and lists, every shard looked at for every move.
//!
//! It is the oracle of the differential test and the yardstick of the bench.

use std::collections::{HashMap, HashSet};

use evenkeel::balancer::greedy::{GreedySettings, Revision, Stamp, Standing};
use evenkeel::model::SimTime;

use super::world::{Step, World};

/// What is known of a shard that has a record.
#[derive(Clone, Copy, Debug)]
struct Record {
    load: Option<f64>,
    stamp: Stamp,
}

/// The state of the reference: ordered lists, and statistics by shard.
#[derive(Clone, Debug)]
pub struct Transcription {
    standing: Vec<Standing>,
    lists: Vec<Vec<u32>>,
    records: HashMap<u32, Record>,
    now: SimTime,
}

impl Transcription {
    pub fn new(world: &World) -> Self {
        let records = world
            .loads
            .iter()
            .zip(&world.stamps)
            .enumerate()
            .filter(|(_, (load, stamp))| !load.is_nan() || **stamp != Stamp::NO_RECORD)
            .map(|(shard, (load, stamp))| {
                let load = Some(*load).filter(|load| !load.is_nan());
                (shard as u32, Record { load, stamp: *stamp })
            })
            .collect();
        Self {
            standing: world.standing.clone(),
            lists: world.lists.clone(),
            records,
            now: world.now,
        }
    }

    fn load(&self, shard: u32) -> Option<f64> {
        self.records.get(&shard).and_then(|record| record.load)
    }

    /// Loads of the hosts that the planner sees.
    fn host_loads(&self, revision: Revision) -> HashMap<u32, f64> {
        let old = revision == Revision::R2026_05;
        let measured: Vec<f64> =
            self.lists.iter().flatten().filter_map(|&shard| self.load(shard)).collect();
        let average = if old || measured.is_empty() {
            0.0
        } else {
            measured.iter().fold(0.0, |sum, load| sum + load) / measured.len() as f64
        };
        let mut loads = HashMap::new();
        for (host, list) in self.lists.iter().enumerate() {
            let seen = !old || list.iter().any(|shard| self.records.contains_key(shard));
            if seen && self.standing[host] != Standing::Absent {
                let load = list.iter().fold(0.0, |sum, &s| sum + self.load(s).unwrap_or(average));
                loads.insert(host as u32, load);
            }
        }
        loads
    }

    fn eligible(&self, shard: u32, settings: &GreedySettings, moved: &HashSet<u32>) -> bool {
        let floor = match settings.revision {
            Revision::R2026_05 => f64::NEG_INFINITY,
            _ => settings.min_move_load,
        };
        !moved.contains(&shard)
            && self.load(shard).is_some_and(|load| load >= floor)
            && !self.records[&shard].stamp.cools_at(self.now, settings.cooldown)
    }

    fn active(&self, host: u32) -> bool {
        self.standing[host as usize] == Standing::Receives
    }

    /// One pass; the lists are as it leaves them.
    pub fn rebalance(&mut self, settings: &GreedySettings) -> Vec<Step> {
        let mut steps = Vec::new();
        let shards: usize = self.lists.iter().map(Vec::len).sum();
        if settings.move_budget <= 0.0 || shards == 0 {
            return steps;
        }
        let mut budget = (settings.move_budget * shards as f64).ceil() as usize;
        let mut loads = self.host_loads(settings.revision);
        let hosts: Vec<u32> = (0..self.lists.len() as u32).collect();
        let total = hosts.iter().filter_map(|host| loads.get(host)).fold(0.0, |sum, l| sum + l);
        let mean = if loads.is_empty() { 0.0 } else { total / loads.len() as f64 };
        let (upper, lower) = (mean * settings.upper_band, mean * settings.lower_band);
        let mut moved = HashSet::new();
        while budget > 0 {
            let seen: Vec<u32> = hosts.iter().copied().filter(|h| loads.contains_key(h)).collect();
            let mut sources: Vec<u32> = seen.iter().copied().filter(|h| loads[h] > upper).collect();
            if sources.is_empty() {
                break;
            }
            let mut candidates: Vec<u32> = seen
                .iter()
                .copied()
                .filter(|h| self.active(*h) && loads[h] <= upper && loads[h] < lower)
                .collect();
            let below = !candidates.is_empty();
            if !below {
                let hottest = seen.iter().map(|h| loads[h]).fold(f64::NEG_INFINITY, f64::max);
                if settings.severe_ratio > 0.0
                    && mean > 0.0
                    && hottest / mean >= settings.severe_ratio
                {
                    candidates = hosts.iter().copied().filter(|h| self.active(*h)).collect();
                }
            }
            let load_of = |host: u32| loads.get(&host).copied().unwrap_or(0.0);
            // Stable: of equal ones the first declared.
            let Some(to) =
                candidates.into_iter().min_by(|a, b| load_of(*a).total_cmp(&load_of(*b)))
            else {
                break;
            };
            sources.sort_by(|a, b| loads[b].total_cmp(&loads[a]));
            sources.retain(|&source| source != to);
            let found = sources.iter().find_map(|&from| {
                let mut best = (0.0, None);
                for (position, &shard) in self.lists[from as usize].iter().enumerate() {
                    if self.eligible(shard, settings, &moved) {
                        let gain = gain(loads[&from], load_of(to), self.records[&shard].load?);
                        if gain > best.0 {
                            best = (gain, Some(position));
                        }
                    }
                }
                best.1.map(|position| (from, position))
            });
            let Some((from, position)) = found else {
                if settings.revision == Revision::Swap && budget >= 2 && below {
                    steps.extend(
                        self.exchange(&sources, to, &loads, settings, &moved, lower, upper),
                    );
                }
                break;
            };
            let shard = self.lists[from as usize].swap_remove(position);
            self.lists[to as usize].push(shard);
            let load = self.records[&shard].load.expect("eligible shards are measured");
            *loads.entry(from).or_insert(0.0) -= load;
            *loads.entry(to).or_insert(0.0) += load;
            moved.insert(shard);
            steps.push((shard, from, to));
            budget -= 1;
        }
        steps
    }

    #[allow(clippy::too_many_arguments)]
    fn exchange(
        &mut self,
        sources: &[u32],
        to: u32,
        loads: &HashMap<u32, f64>,
        settings: &GreedySettings,
        moved: &HashSet<u32>,
        lower: f64,
        upper: f64,
    ) -> Vec<Step> {
        let movable = |host: u32| -> Vec<(u32, f64)> {
            let list = self.lists[host as usize].iter().copied();
            list.filter(|&shard| self.eligible(shard, settings, moved))
                .map(|shard| (shard, self.load(shard).expect("eligible shards are measured")))
                .collect()
        };
        let Some(&from) = sources.iter().find(|&&h| self.active(h) && !movable(h).is_empty())
        else {
            return Vec::new();
        };
        let (s, d) = (loads[&from], loads[&to]);
        let inside = |load: f64| load >= lower && load <= upper;
        let mut best = (0.0, None);
        for &(a, a_load) in &movable(from) {
            for &(b, b_load) in &movable(to) {
                let load = a_load - b_load;
                let gain = gain(s, d, load);
                if a_load > b_load && inside(s - load) && inside(d + load) && gain > best.0 {
                    best = (gain, Some((a, b)));
                }
            }
        }
        let Some((a, b)) = best.1 else { return Vec::new() };
        for (shard, from, to) in [(a, from, to), (b, to, from)] {
            self.lists[from as usize].retain(|&other| other != shard);
            self.lists[to as usize].push(shard);
        }
        vec![(a, from, to), (b, to, from)]
    }
}

fn gain(s: f64, d: f64, l: f64) -> f64 {
    (s * s + d * d) - ((s - l) * (s - l) + (d + l) * (d + l))
}
