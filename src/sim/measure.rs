//! What hosts measure of the loads they serve.

use super::Cluster;
use crate::model::{ShardId, SimDuration, SimTime};
use crate::workload::Noise;

/// Measures loads cell by cell; a cell is one heartbeat period, aligned at 0.
///
/// The measured load of a shard in a cell is its mean true load there, with
/// noise. A shard that is not served at a heartbeat is not reported; its next
/// report is the mean of all cells completed since its last one.
#[derive(Debug)]
pub(super) struct Meter {
    noise: Noise,
    period: SimDuration,
    /// Whether any load has changed in the current cell.
    changed: bool,
    /// For each shard, load times seconds from the start of the cell to the
    /// shard's last change in it, and that change.
    mass: Vec<f64>,
    last_change: Vec<SimTime>,
    /// Measured loads of completed cells that were not reported yet.
    waiting: Vec<Waiting>,
    measured: Vec<f64>,
    shards: Vec<ShardId>,
    loads: Vec<f64>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Waiting {
    cells: u32,
    sum: f64,
}

impl Meter {
    pub(super) fn new(noise: Noise, period: SimDuration, shards: usize) -> Self {
        Self {
            noise,
            period,
            changed: false,
            mass: vec![0.0; shards],
            last_change: vec![SimTime::ZERO; shards],
            waiting: vec![Waiting::default(); shards],
            measured: Vec::with_capacity(shards),
            shards: Vec::with_capacity(shards),
            loads: Vec::with_capacity(shards),
        }
    }

    /// Takes note that a shard carried `old` up to now. A change on the border
    /// of two cells comes before the report there.
    pub(super) fn load_changes(&mut self, now: SimTime, shard: ShardId, old: f64) {
        let index = shard.index();
        let into_cell = now.0 % self.period.0;
        let cell_start = match into_cell {
            0 => SimTime(now.0.saturating_sub(self.period.0)),
            _ => SimTime(now.0 - into_cell),
        };
        let since = self.last_change[index].max(cell_start);
        self.mass[index] += old * (now - since).as_secs_f64();
        self.last_change[index] = now;
        self.changed = true;
    }

    /// Measures the cell that ends now. Returns the shards reported and their
    /// loads.
    pub(super) fn measure(&mut self, now: SimTime, cluster: &Cluster) -> (&[ShardId], &[f64]) {
        let cell_start = SimTime(now.0 - self.period.0);
        self.measured.clear();
        self.measured.extend_from_slice(cluster.loads());
        if std::mem::take(&mut self.changed) {
            let seconds = self.period.as_secs_f64();
            for (index, mean) in self.measured.iter_mut().enumerate() {
                let last = self.last_change[index];
                if last > cell_start {
                    *mean = (self.mass[index] + *mean * (now - last).as_secs_f64()) / seconds;
                    self.mass[index] = 0.0;
                }
            }
        }
        self.noise.measure(cell_start.0 / self.period.0, &mut self.measured);

        self.shards.clear();
        self.loads.clear();
        for (index, &measured) in self.measured.iter().enumerate() {
            let shard = ShardId(index as u32);
            let waiting = &mut self.waiting[index];
            match (cluster.is_served(shard), waiting.cells) {
                (true, 0) => {
                    self.shards.push(shard);
                    self.loads.push(measured);
                }
                (true, cells) => {
                    self.shards.push(shard);
                    self.loads.push((waiting.sum + measured) / f64::from(cells + 1));
                    *waiting = Waiting::default();
                }
                (false, _) => {
                    waiting.cells += 1;
                    waiting.sum += measured;
                }
            }
        }
        (&self.shards, &self.loads)
    }
}
