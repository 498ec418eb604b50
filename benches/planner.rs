//! The greedy planner on fleets of a thousand to a million shards, beside a
//! plain map-based transcription of its specification.
//!
//! What is timed for ours: one call of `Planner::plan`, from a load for each
//! shard (`Vec<f64>` by shard index) and the hosts' lists of shard indices.
//! Nothing is summed, sorted, grouped or indexed beforehand; only memory is
//! used again. For the transcription: its pass over lists and a hash map of
//! records, both built beforehand.
//!
//! Worlds are the reference's own where the folder of its vectors is found
//! (see `tests/parity.rs`), and generated to the same shape where it is not.
//! "no move" is the state after passes that lie further apart than the
//! cooldown, until one plans nothing.

#![allow(missing_docs)]
// A bench measures wall time; nothing here reaches a result.
#![allow(clippy::disallowed_methods)]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::time::{Duration, Instant};

use common::transcription::Transcription;
use common::vectors;
use common::world::{World, step};
use criterion::Criterion;
use evenkeel::balancer::greedy::{GreedySettings, Planner, Stamp, Standing};
use evenkeel::model::{HostId, SimDuration, SimTime};
use evenkeel::policy::PassOutcome;

/// Shards, hosts, and what the reference program (Go) takes for a first pass
/// and for a pass with no move, in microseconds: measured on the machine that
/// computed the vectors, as stated with them.
const FLEETS: [(usize, usize, Option<[f64; 2]>); 4] = [
    (1_000, 20, Some([69.0, 46.0])),
    (10_000, 100, Some([1_610.0, 630.0])),
    (100_000, 500, Some([55_300.0, 13_000.0])),
    (1_000_000, 10_000, None),
];

/// More shards than this would keep the transcription busy for minutes.
const TRANSCRIBED: usize = 100_000;

struct Row {
    name: String,
    ours: f64,
    transcribed: Option<f64>,
    go: Option<f64>,
}

fn main() {
    let mut criterion = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(300))
        .measurement_time(Duration::from_secs(2))
        .configure_from_args();
    let settings = GreedySettings::default();
    let mut rows = Vec::new();
    for (shards, hosts, go) in FLEETS {
        let first = given(shards, hosts).unwrap_or_else(|| generated(shards, hosts));
        let quiet = quiescent(first.clone(), &settings);
        for (state, world, which) in [("first pass", first, 0), ("no move", quiet, 1)] {
            let name = format!("{state}/{shards} shards on {hosts} hosts");
            let go = go.map(|times| times[which]);
            rows.push(measure(&mut criterion, name, &world, &settings, go));
        }
    }
    criterion.final_summary();
    // A filter on the command line leaves rows out.
    rows.retain(|row: &Row| row.ours.is_finite());
    print(&rows);
}

fn measure(
    criterion: &mut Criterion,
    name: String,
    world: &World,
    settings: &GreedySettings,
    go: Option<f64>,
) -> Row {
    let assignment = world.assignment();
    let fleet = world.fleet(&assignment);
    let mut planner = Planner::new();
    let mut moves = Vec::new();
    planner.plan(settings, &fleet, &mut moves);
    let planned: Vec<_> = moves.iter().map(step).collect();
    let batch = (100_000 / world.loads.len() as u64).max(1);
    let mut fastest = f64::INFINITY;
    criterion.bench_function(&format!("ours/{name}"), |bencher| {
        bencher.iter_custom(|rounds| {
            in_batches(rounds, batch, &mut fastest, |rounds| {
                let start = Instant::now();
                for _ in 0..rounds {
                    black_box(planner.plan(settings, black_box(&fleet), &mut moves));
                }
                start.elapsed()
            })
        });
    });
    let ours = fastest;
    let mut fastest = f64::INFINITY;
    if world.loads.len() <= TRANSCRIBED {
        let prepared = Transcription::new(world);
        let expected = prepared.clone().rebalance(settings);
        assert!(planned == expected, "both plan the same moves");
        criterion.bench_function(&format!("transcription/{name}"), |bencher| {
            bencher.iter_custom(|rounds| {
                in_batches(rounds, 1, &mut fastest, |_| {
                    let mut copy = prepared.clone();
                    let start = Instant::now();
                    black_box(copy.rebalance(settings));
                    start.elapsed()
                })
            });
        });
    }
    Row { name, ours, transcribed: Some(fastest).filter(|time| time.is_finite()), go }
}

/// Runs rounds in batches and keeps the microseconds a round of the fastest:
/// the one that other work on the machine has disturbed least.
fn in_batches(
    rounds: u64,
    batch: u64,
    fastest: &mut f64,
    mut run: impl FnMut(u64) -> Duration,
) -> Duration {
    let (mut total, mut left) = (Duration::ZERO, rounds);
    while left > 0 {
        let now = left.min(batch);
        let time = run(now);
        *fastest = fastest.min(time.as_secs_f64() * 1e6 / now as f64);
        total += time;
        left -= now;
    }
    total
}

fn print(rows: &[Row]) {
    println!("\nFastest batches, the least disturbed ones; Go as stated with the issue:");
    println!(
        "\n{:46} {:>12} {:>14} {:>7} {:>12} {:>7}",
        "", "ours", "transcription", "times", "Go, stated", "times"
    );
    for Row { name, ours, transcribed, go } in rows {
        let beside = |other: Option<f64>, width: usize| match other {
            Some(other) => format!("{:>width$} {:>6.0}x", format!("{other:.0} us"), other / ours),
            None => format!("{:>width$} {:>7}", "", ""),
        };
        let ours = format!("{ours:.2} us");
        println!("{name:46} {ours:>12} {} {}", beside(*transcribed, 14), beside(*go, 12));
    }
}

/// A world of the reference, if there is one of this size.
fn given(shards: usize, hosts: usize) -> Option<World> {
    let files = ["bench_worlds.jsonl", "bench_world_100000_500.jsonl"];
    let cases = files.iter().filter_map(|file| vectors::read(file).ok()).flatten();
    cases
        .map(|case| case.fleet())
        .find(|fleet| fleet.shards.len() == shards && fleet.hosts.len() == hosts)
        .map(|fleet| numbered_by_name(fleet.shards, fleet.world))
}

/// Numbers shards by the number in their name, as a scenario would declare
/// them, instead of by host, which would lay the loads out in list order.
fn numbered_by_name(names: Vec<String>, mut world: World) -> World {
    let numbers: Vec<u32> =
        names.iter().map(|name| name[1..].parse().expect("names are s0, s1, ...")).collect();
    let mut loads = vec![f64::NAN; world.loads.len()];
    for (&number, &load) in numbers.iter().zip(&world.loads) {
        loads[number as usize] = load;
    }
    world.loads = loads;
    for shard in world.lists.iter_mut().flatten() {
        *shard = numbers[*shard as usize];
    }
    world
}

/// Loads by a Zipf law with exponent 1.1, shuffled over the shards, and hosts
/// by hash: the shape of the reference's worlds.
fn generated(shards: usize, hosts: usize) -> World {
    let mix = |number: u64| {
        // SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number
        // generators, 2014).
        let z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    };
    let mut ranks: Vec<u64> = (0..shards as u64).collect();
    ranks.sort_by_key(|&shard| mix(shard));
    let mut loads = vec![0.0; shards];
    for (rank, &shard) in ranks.iter().enumerate() {
        loads[shard as usize] = libm::pow((rank + 1) as f64, -1.1);
    }
    let scale = 100.0 * hosts as f64 / loads.iter().sum::<f64>();
    loads.iter_mut().for_each(|load| *load *= scale);
    let mut lists = vec![Vec::new(); hosts];
    for shard in 0..shards as u32 {
        lists[(mix(u64::from(shard) << 32) % hosts as u64) as usize].push(shard);
    }
    World {
        standing: vec![Standing::Receives; hosts],
        lists,
        loads,
        stamps: vec![Stamp::NEVER; shards],
        now: SimTime(1 << 60),
    }
}

/// The state in which a pass plans nothing, with no shard cooling down.
fn quiescent(mut world: World, settings: &GreedySettings) -> World {
    let mut planner = Planner::new();
    let mut assignment = world.assignment();
    let mut moves = Vec::new();
    loop {
        world.now = world.now + settings.cooldown + SimDuration::from_secs(1);
        let outcome = planner.plan(settings, &world.fleet(&assignment), &mut moves);
        if outcome != PassOutcome::Moved {
            break;
        }
        for planned in &moves {
            assignment.assign(planned.shard, planned.to);
            world.stamps[planned.shard.index()] = Stamp::at(world.now);
        }
    }
    for (host, list) in world.lists.iter_mut().enumerate() {
        list.clear();
        list.extend(assignment.shards_of(HostId(host as u32)).iter().map(|shard| shard.0));
    }
    world
}
