//! Tails of queries that ask many shards, as a table, JSON and CSV.

use serde::Serialize;
use serde_json::{Value, json};

use super::tables::Table;
use super::terminal::Grid;
use crate::experiment::{FanOut, Latency};

/// A query to so many shards. Latencies are in the unit of the distribution.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct FanOutRow {
    /// How many shards are asked.
    pub shards: u32,
    /// The probability that a query is slower than what counts as slow.
    pub slow_share: f64,
    /// The same, of the simulated queries.
    pub slow_share_simulated: f64,
    /// The median latency of a query.
    pub p50: f64,
    /// The latency that one query in a hundred exceeds.
    pub p99: f64,
    /// The same, of the simulated queries.
    pub p99_simulated: f64,
}

impl FanOutRow {
    /// Computes and simulates a query.
    pub fn of(query: &FanOut, latency: &Latency, slow: f64, queries: usize, seed: u64) -> Self {
        let drawn = query.simulate(queries, seed);
        let slower = drawn.partition_point(|p| *p < slow);
        let hundredth = drawn.get(drawn.len() / 100).copied().unwrap_or(f64::NAN);
        Self {
            shards: query.shards,
            slow_share: query.tail(slow),
            slow_share_simulated: slower as f64 / queries as f64,
            p50: query.exceeded_with(latency, 0.5),
            p99: query.exceeded_with(latency, 0.01),
            p99_simulated: latency.exceeded_with(hundredth),
        }
    }
}

/// An array with one object a row.
pub fn fan_out_json(rows: &[FanOutRow]) -> Value {
    json!(rows)
}

/// One line a row.
pub fn fan_out_csv(rows: &[FanOutRow]) -> Vec<u8> {
    let mut table = Table::new(&[
        "shards",
        "slow_share",
        "slow_share_simulated",
        "p50",
        "p99",
        "p99_simulated",
    ]);
    for row in rows {
        table.row(&[
            &row.shards,
            &row.slow_share,
            &row.slow_share_simulated,
            &row.p50,
            &row.p99,
            &row.p99_simulated,
        ]);
    }
    table.bytes()
}

/// The rows for people.
pub fn fan_out_table(rows: &[FanOutRow], slow: f64, common: f64) -> String {
    let mut grid = Grid::new(["shards asked", "slow %", "simulated", "p50", "p99", "simulated"]);
    for row in rows {
        grid.row(vec![
            row.shards.to_string(),
            format!("{:.3}", row.slow_share * 100.0),
            format!("{:.3}", row.slow_share_simulated * 100.0),
            format!("{:.3}", row.p50),
            format!("{:.3}", row.p99),
            format!("{:.3}", row.p99_simulated),
        ]);
    }
    format!(
        "A shard is slow with probability {slow}, of which a share of {common} is common to all.\n\n{}",
        grid.render()
    )
}
