//! What the greedy balancer's controls do when loads change: smoothing, bands,
//! budget, cooldown.

use super::super::Lab;
use super::super::claim::Source::ShardManager;
use super::super::claim::{Claim, ExperimentError, Figure, Values, Verdict};
use super::super::tools::{columns, share_of, zipf_on_ring};
use super::moving::{Run, Script, Watched, at, watch};
use crate::balancer::greedy::GreedySettings;
use crate::model::{SimDuration, Snapshot};
use crate::workload::Draw;

/// The cluster of these experiments. The largest shard has two thirds of the
/// load of an average host.
fn cluster(seed: u64) -> Snapshot {
    cluster_of(seed, 0.75)
}

fn cluster_of(seed: u64, exponent: f64) -> Snapshot {
    zipf_on_ring(seed, 10, 500, Draw::Fixed(exponent))
}

/// The host whose largest shard is the smallest of all hosts': it can be relieved
/// also when all its shards grow.
fn host_without_giants(cluster: &Snapshot) -> usize {
    let mut largest = vec![0.0_f64; cluster.hosts.len()];
    for (owner, load) in cluster.owners.iter().zip(&cluster.loads) {
        if let Some(host) = owner {
            largest[host.index()] = largest[host.index()].max(*load);
        }
    }
    (0..largest.len()).min_by(|a, b| largest[*a].total_cmp(&largest[*b])).unwrap_or(0)
}

fn with(change: impl FnOnce(&mut GreedySettings)) -> GreedySettings {
    let mut settings = GreedySettings::default();
    change(&mut settings);
    settings
}

/// The step: at 300 s the shards of one host, that without large ones, carry three times their load, and
/// every report is noisy.
const STEP: Run = Run { seconds: 1800, from: 300, noise: 0.5 };
/// Time constants of the smoothing, in seconds.
const SMOOTHING: [u64; 5] = [0, 15, 60, 300, 900];

/// What each time constant makes of the step.
fn smoothed<const N: usize>(
    seed: u64,
    exponent: f64,
    constants: [u64; N],
) -> Result<[Watched; N], ExperimentError> {
    let cluster = cluster_of(seed, exponent);
    let script = Script::step(&cluster, host_without_giants(&cluster), 3.0, at(STEP.from));
    let mut watched = [Watched::default(); N];
    for (seconds, watched) in constants.into_iter().zip(&mut watched) {
        let settings = with(|greedy| greedy.smoothing = SimDuration::from_secs(seconds));
        *watched = watch(&cluster, script.clone(), &settings, seed, STEP)?;
    }
    Ok(watched)
}

fn smoothing_tradeoff(lab: &Lab) -> Result<Vec<Values>, ExperimentError> {
    let rows: Vec<_> = lab
        .over(lab.seeds(20, 4), |seed| {
            Ok((smoothed(seed, 0.75, SMOOTHING)?, smoothed(seed, 0.6, [0, 15])?))
        })
        .into_iter()
        .collect::<Result<_, ExperimentError>>()?;
    let rows = rows.iter().map(|(runs, even)| {
        let overload = runs.map(|run| run.overload);
        let moves = runs.map(|run| run.moves);
        let ends = overload[0].min(overload[4]);
        let inner = overload[1].min(overload[2]);
        let falls = moves.windows(2).all(|pair| pair[1] <= pair[0]);
        [
            share_of(inner < ends),
            share_of(falls),
            moves[0] / moves[2],
            overload[4] / overload[2],
            overload[0],
            overload[1],
            overload[2],
            overload[3],
            overload[4],
            moves[0],
            moves[1],
            moves[2],
            moves[3],
            moves[4],
            even[0].overload,
            even[1].overload,
        ]
    });
    Ok(columns(&rows.collect::<Vec<_>>()))
}

/// An hour in which every 20 s another shard carries six times its load for 10 s.
const SPIKES: Run = Run { seconds: 3600, from: 300, noise: 0.0 };

fn spiked(seed: u64, settings: &GreedySettings) -> Result<f64, ExperimentError> {
    let cluster = cluster(seed);
    let script = Script::spikes(&cluster, seed, (20, 10), 6.0, SPIKES.seconds);
    Ok(watch(&cluster, script, settings, seed, SPIKES)?.moves)
}

fn speed_against_moves(lab: &Lab) -> Result<Vec<Values>, ExperimentError> {
    let bands = |upper, lower| {
        with(|greedy| {
            greedy.upper_band = upper;
            greedy.lower_band = lower;
        })
    };
    let unsmoothed = |seconds| {
        with(|greedy| {
            greedy.smoothing = SimDuration::ZERO;
            greedy.cooldown = SimDuration::from_secs(seconds);
        })
    };
    let settings = [
        bands(1.02, 0.99),
        bands(1.05, 0.95),
        bands(1.15, 0.90),
        bands(1.3, 0.8),
        with(|greedy| greedy.move_budget = 0.002),
        with(|greedy| greedy.move_budget = 0.2),
        with(|greedy| greedy.cooldown = SimDuration::ZERO),
        with(|greedy| greedy.cooldown = SimDuration::from_secs(300)),
        unsmoothed(0),
        unsmoothed(300),
    ];
    let rows: Vec<[f64; 12]> = lab
        .over(lab.seeds(8, 2), |seed| {
            let mut moves = [0.0; 10];
            for (settings, moves) in settings.iter().zip(&mut moves) {
                *moves = spiked(seed, settings)?;
            }
            let [a, b, c, d, few, many, hot, cool, bare, held] = moves;
            let falls = a >= b && b >= c && c >= d;
            let of_default = [few, many, hot, cool].map(|moves| (moves / c - 1.0).abs());
            let changes = of_default.into_iter().fold(0.0, f64::max);
            Ok([share_of(falls), changes, a, b, c, d, few, many, hot, cool, bare, held])
        })
        .into_iter()
        .collect::<Result<_, ExperimentError>>()?;
    Ok(columns(&rows))
}

/// Half an hour, of which the second half is watched.
const QUIET: Run = Run { seconds: 1800, from: 900, noise: 0.0 };

fn reports(lab: &Lab) -> Result<Vec<Values>, ExperimentError> {
    let rows: Vec<[f64; 6]> = lab
        .over(lab.seeds(20, 4), |seed| {
            let cluster = cluster(seed);
            let settings = GreedySettings::default();
            let run =
                |script, noise| watch(&cluster, script, &settings, seed, Run { noise, ..QUIET });
            let quiet = run(Script::still(&cluster), 0.0)?.hot_ratio;
            let noisy = run(Script::still(&cluster), 0.5)?.hot_ratio;
            let drift = |kept| Script::drift(&cluster, seed, (0.4, kept), 30, QUIET.seconds);
            let [drifting, slowly] = [run(drift(0.8), 0.0)?, run(drift(0.9), 0.0)?];
            let (drifting, slowly) = (drifting.hot_ratio, slowly.hot_ratio);
            Ok([noisy - quiet, drifting - quiet, slowly - quiet, quiet, noisy, drifting])
        })
        .into_iter()
        .collect::<Result<_, ExperimentError>>()?;
    Ok(columns(&rows))
}

pub(super) const CLAIMS: &[Claim] = &[
    Claim::observation(
        "uber-smoothing-tradeoff",
        ShardManager,
        "To react to every short spike moves shards again and again; to react too slowly prolongs overload.",
        "a trade-off",
    )
    .run(
        Verdict::Reproduced,
        "10 hosts, 500 shards of exponent 0.75; at 300 s of 1800 the shards of one host, that without large ones, carry three times their load; reports have a lognormal noise of 0.5. Overload is hot_ratio above 1.3, summed over seconds from the step on.",
        &[
            Figure::at_least("least overload at 15 or 60 s", "share of seeds", 0.9, "neither end is best: the effect is U-shaped"),
            Figure::at_least("moves fall with every step of smoothing", "share of seeds", 0.75, "counts of a few moves may tie or cross"),
            Figure::at_least("moves at 0 s over 60 s", "times", 5.0, "again and again"),
            Figure::at_least("overload at 900 s over 60 s", "times", 2.0, "prolonged"),
            Figure::shown("smoothing 0 s", "overload, ratio x s"),
            Figure::shown("smoothing 15 s", "overload, ratio x s"),
            Figure::shown("smoothing 60 s", "overload, ratio x s"),
            Figure::shown("smoothing 300 s", "overload, ratio x s"),
            Figure::shown("smoothing 900 s", "overload, ratio x s"),
            Figure::shown("smoothing 0 s", "moves"),
            Figure::shown("smoothing 15 s", "moves"),
            Figure::shown("smoothing 60 s", "moves"),
            Figure::shown("smoothing 300 s", "moves"),
            Figure::shown("smoothing 900 s", "moves"),
            Figure::shown("exponent 0.6: smoothing 0 s", "overload, ratio x s"),
            Figure::shown("exponent 0.6: smoothing 15 s", "overload, ratio x s"),
        ],
        smoothing_tradeoff,
    )
    .note("Where no shard matters alone (exponent 0.6), noise averages out within a host: without smoothing the needless moves remain, but overload is less than with smoothing.")
    .headline(),
    Claim::observation(
        "uber-speed-vs-moves",
        ShardManager,
        "The controls trade speed of convergence for fewer moves.",
        "fewer moves",
    )
    .run(
        Verdict::Reproduced,
        "10 hosts, 500 shards of exponent 0.75; for an hour, every 20 s another shard carries six times its load for 10 s; bands, budget and cooldown one at a time.",
        &[
            Figure::at_least("moves fall as the bands widen", "share of seeds", 0.75, "counts of a few moves may tie or cross"),
            Figure::shown("largest change by budget or cooldown", "share of moves"),
            Figure::shown("bands 1.02 and 0.99", "moves"),
            Figure::shown("bands 1.05 and 0.95", "moves"),
            Figure::shown("bands 1.15 and 0.90", "moves"),
            Figure::shown("bands 1.30 and 0.80", "moves"),
            Figure::shown("budget 0.2 %", "moves"),
            Figure::shown("budget 20 %", "moves"),
            Figure::shown("cooldown 0 s", "moves"),
            Figure::shown("cooldown 300 s", "moves"),
            Figure::shown("no smoothing, cooldown 0 s", "moves"),
            Figure::shown("no smoothing, cooldown 300 s", "moves"),
        ],
        speed_against_moves,
    )
    .note("The bands do. With the default smoothing, budget and cooldown hardly change anything: smoothing has taken the spikes away before they matter."),
    Claim::observation(
        "uber-load-report-quality",
        ShardManager,
        "The controls work as well as the reported load reflects actual work.",
        "depends on reports",
    )
    .run(
        Verdict::Reproduced,
        "10 hosts, 500 shards of exponent 0.75; mean hot_ratio in the second half of half an hour: reports as they are, with lognormal noise of 0.5, and loads that drift by 0.4 within two minutes, ahead of the smoothed reports, or half as fast.",
        &[
            Figure::between("white noise", "added to hot_ratio", -0.05, 0.05, "smoothing over 60 s takes it away"),
            Figure::at_least("drift", "added to hot_ratio", 0.02, "reports that lag behind cost balance"),
            Figure::shown("drift half as fast", "added to hot_ratio"),
            Figure::shown("true reports", "hot_ratio"),
            Figure::shown("white noise", "hot_ratio"),
            Figure::shown("drift", "hot_ratio"),
        ],
        reports,
    ),
];
