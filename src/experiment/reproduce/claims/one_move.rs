//! An ablation of the greedy balancer: one move a pass from the hottest host to
//! the coldest, by different rules of which shard.

use super::super::tools::{assignment_of, loads_of, mean, stream};
use crate::balancer::greedy::gain;
use crate::metrics::imbalance::max_over_mean;
use crate::model::{HostId, ShardId, Snapshot};

/// Which shard of the hottest host moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Choice {
    /// The one with the largest load.
    Largest,
    /// The one whose move gains most, if any gains.
    Best,
    /// Any.
    Random,
}

/// What came of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ablated {
    /// Mean of hot_ratio in the last passes.
    pub(super) hot_ratio: f64,
    /// Moves in all passes.
    pub(super) moves: f64,
}

/// Passes, and how many of the last are averaged.
const PASSES: usize = 300;
const LAST: usize = 60;

/// Runs passes on a snapshot while the hottest host is above `upper` times the
/// mean.
pub(super) fn one_move_a_pass(
    snapshot: &Snapshot,
    choice: Choice,
    upper: f64,
    seed: u64,
) -> Ablated {
    let mut assignment = assignment_of(snapshot);
    let mut on_hosts = loads_of(snapshot, &assignment);
    let mut random = stream(seed, 2);
    let (mut moves, mut ratios) = (0.0, Vec::with_capacity(PASSES));
    let load = |shard: &ShardId| snapshot.loads[shard.index()];
    for _ in 0..PASSES {
        if max_over_mean(&on_hosts) > upper {
            let by_load = |a: &usize, b: &usize| on_hosts[*a].total_cmp(&on_hosts[*b]);
            let hosts = || 0..on_hosts.len();
            // Of equals the first, whichever end.
            let hottest = hosts().rev().max_by(by_load).unwrap_or(0);
            let coldest = hosts().min_by(by_load).unwrap_or(0);
            let shards = assignment.shards_of(HostId(hottest as u32));
            let worth = |shard: &ShardId| gain(on_hosts[hottest], on_hosts[coldest], load(shard));
            let chosen = match choice {
                Choice::Largest => shards.iter().max_by(|a, b| load(a).total_cmp(&load(b))),
                Choice::Best => shards
                    .iter()
                    .max_by(|a, b| worth(a).total_cmp(&worth(b)))
                    .filter(|shard| worth(shard) > 0.0),
                Choice::Random => {
                    shards.get((random.next_u64() % shards.len().max(1) as u64) as usize)
                }
            };
            if let Some(&shard) = chosen {
                assignment.assign(shard, HostId(coldest as u32));
                on_hosts = loads_of(snapshot, &assignment);
                moves += 1.0;
            }
        }
        ratios.push(max_over_mean(&on_hosts));
    }
    Ablated { hot_ratio: mean(ratios[PASSES - LAST..].iter().copied()), moves }
}
