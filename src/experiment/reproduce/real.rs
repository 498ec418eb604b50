//! The published figures of document 000 on real snapshots, where they are at
//! hand: load of the task lists of one Cadence cluster.

use std::path::{Path, PathBuf};

use super::Lab;
use super::claim::Source::ShardManager;
use super::claim::{Claim, ExperimentError, Figure, Values, Verdict};
use super::claims::snapshots::{Batch, Best, settled};
use super::tools::on_ring;
use super::{InputError, ReproduceError};
use crate::model::{HostSource, Snapshot};

/// Hosts that a snapshot may name; they are not used.
const MOST_NAMED: usize = 1000;

/// Reads every `snapshot-*.csv` of a directory, in order of their names.
pub(super) fn read(directory: &Path) -> Result<Vec<Snapshot>, ReproduceError> {
    let fault = |error: std::io::Error| InputError::file(directory, error.to_string());
    let mut paths: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(fault)? {
        let path = entry.map_err(fault)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if name.starts_with("snapshot-") && name.ends_with(".csv") {
            paths.push(path);
        }
    }
    if paths.is_empty() {
        return Err(ReproduceError::NoSnapshots(directory.to_owned()));
    }
    paths.sort();
    let read = |path: &PathBuf| Ok(Snapshot::read(path, HostSource::Count(MOST_NAMED))?);
    paths.iter().map(read).collect()
}

/// All snapshots on so many hosts, placed by rings under several seeds: hot_ratio
/// of the ring and at rest, by how much it falls, and how many are within 5 % and
/// 1 % of the optimum, by the sum of squares and by the hottest host.
fn on_hosts(lab: &Lab, hosts: u32) -> Result<Vec<Values>, ExperimentError> {
    let snapshots = lab.snapshots();
    // The optimum knows no ring: once for each snapshot.
    let best = lab.over(1..=snapshots.len() as u64, |number| {
        Best::of(&snapshots[number as usize - 1].loads, hosts as usize)
    });
    let best: Vec<Best> = best.into_iter().collect::<Result<_, _>>()?;
    let batches: Vec<Batch> = lab.over(lab.seeds(30, 6), |seed| {
        let placed = snapshots.iter().zip(&best).map(|(real, best)| {
            settled(&on_ring(seed, hosts, real.shards.clone(), real.loads.clone()), *best)
        });
        Batch::new(placed.collect())
    });
    let column = |value: &dyn Fn(&Batch) -> f64| batches.iter().map(value).collect();
    Ok(vec![
        column(&|batch| batch.mean(|one| one.before)),
        column(&|batch| batch.mean(|one| one.after)),
        column(&Batch::cooled),
        column(&|batch| batch.within(0.05, |one| one.excess_of_squares)),
        column(&|batch| batch.within(0.01, |one| one.excess_of_squares)),
        column(&|batch| batch.within(0.05, |one| one.excess)),
        column(&|batch| batch.within(0.01, |one| one.excess)),
    ])
}

const METHOD: &str = "The snapshots given by --data on that many hosts, placed by a ring of 100 points a host; the greedy balancer with default settings until it rests.";
const TEXT: &str = "On real task lists too, a ring's 2.3 falls to 1.4, 38 % lower, and nearly all snapshots come near the optimum.";
const PUBLISHED: &str = "2.3 to 1.4; 38 %; 23 and 14 of 24";

const FIGURES: &[Figure] = &[
    Figure::near("ring", "hottest / mean", 2.3, 0.25, "about, as for the drawn loads"),
    Figure::near("greedy", "hottest / mean", 1.4, 0.1, "about, as for the drawn loads"),
    Figure::near("drop of the hottest host", "share of load", 0.38, 0.075, "30 to 45 %"),
    Figure::near("within 5 %, sum of squares", "of 24 snapshots", 23.0, 1.0, "one snapshot"),
    Figure::near(
        "within 1 %, sum of squares",
        "of 24 snapshots",
        14.0,
        3.0,
        "the deviation of 24 drawn snapshots",
    ),
    Figure::shown("within 5 %, hottest host", "of 24 snapshots"),
    Figure::shown("within 1 %, hottest host", "of 24 snapshots"),
];

const fn claim(id: &'static str) -> Claim {
    Claim::observation(id, ShardManager, TEXT, PUBLISHED)
}

/// Claims that are tested only with data.
pub(super) const CLAIMS: &[Claim] = &[
    claim("real-4-hosts").run(Verdict::NotReproduced, METHOD, FIGURES, |lab| on_hosts(lab, 4)),
    claim("real-6-hosts").run(Verdict::Reproduced, METHOD, FIGURES, |lab| on_hosts(lab, 6)),
    claim("real-16-hosts").run(Verdict::NotReproduced, METHOD, FIGURES, |lab| on_hosts(lab, 16)),
];
