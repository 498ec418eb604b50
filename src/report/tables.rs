//! The CSV files of a run. docs/formats.md describes every column.

use crate::experiment::{Lane, RunResult, Summary, hex};
use crate::policy::PassOutcome;
use crate::scenario::Scenario;
use crate::sim::Action;

use super::files::NamedBytes;

/// Names of the files that [`tables`] makes and plots are drawn from.
pub mod names {
    /// One row for each policy and seed.
    pub const SUMMARY: &str = "summary.csv";
    /// One row for each sample.
    pub const TIMESERIES: &str = "timeseries.csv";
    /// One row for each move.
    pub const MOVES: &str = "moves.csv";
    /// Hosts at the start and the end.
    pub const HOSTS: &str = "hosts.csv";
    /// How passes ended.
    pub const PASSES: &str = "passes.csv";
    /// One row for each probe.
    pub const OPTIMUM: &str = "optimum.csv";
    /// The event log.
    pub const EVENTS: &str = "events.csv";
}

/// A table in the making. Numbers are written as `Display` writes them, which
/// is the shortest text that reads back as the same number.
pub(super) struct Table {
    writer: csv::Writer<Vec<u8>>,
}

/// A cell of a table.
pub(super) trait Cell {
    fn text(&self) -> String;
}

macro_rules! cells_by_display {
    ($($type:ty),+) => { $( impl Cell for $type {
        fn text(&self) -> String {
            self.to_string()
        }
    } )+ };
}
cells_by_display!(u32, u64, usize, &str, String);

impl Cell for f64 {
    fn text(&self) -> String {
        // Adding 0 turns -0, which an empty sum is, into 0.
        if self.is_finite() { (self + 0.0).to_string() } else { String::new() }
    }
}

impl<T: Cell> Cell for Option<T> {
    fn text(&self) -> String {
        self.as_ref().map(T::text).unwrap_or_default()
    }
}

impl Table {
    pub(super) fn new(header: &[&str]) -> Self {
        let mut table = Self { writer: csv::Writer::from_writer(Vec::new()) };
        table.write(header.iter());
        table
    }

    pub(super) fn write(&mut self, cells: impl IntoIterator<Item = impl AsRef<[u8]>>) {
        // Writing to memory does not fail, and every row of a table is made
        // from a list as long as its header.
        let written = self.writer.write_record(cells);
        debug_assert!(written.is_ok());
    }

    pub(super) fn row(&mut self, cells: &[&dyn Cell]) {
        self.write(cells.iter().map(|cell| cell.text()));
    }

    pub(super) fn bytes(self) -> Vec<u8> {
        // As above: memory does not fail.
        self.writer.into_inner().unwrap_or_default()
    }
}

/// Every table of a run; `events.csv` only if the log was kept.
pub fn tables(scenario: &Scenario, result: &RunResult, with_events: bool) -> Vec<NamedBytes> {
    let context = Context { scenario, lanes: &result.lanes };
    let mut files = vec![
        (names::SUMMARY, context.summary()),
        (names::TIMESERIES, context.timeseries()),
        (names::MOVES, context.moves()),
        (names::HOSTS, context.hosts()),
        (names::PASSES, context.passes()),
    ];
    if scenario.optimum.enabled {
        files.push((names::OPTIMUM, context.optimum()));
    }
    if with_events {
        files.push((names::EVENTS, context.events()));
    }
    files.into_iter().map(|(name, table)| (name.to_owned(), table.bytes())).collect()
}

/// The columns of `summary.csv`, which `sweep.csv` has too.
pub(super) fn summary_columns() -> Vec<&'static str> {
    let mut columns = vec!["scenario", "policy", "seed"];
    let (before, after) = Summary::METRICS.split_at(Summary::BEFORE_DIGEST);
    columns.extend(before);
    columns.push("digest");
    columns.extend(after);
    columns
}

/// A row of them.
pub(super) struct SummaryRow<'a> {
    pub(super) scenario: &'a str,
    pub(super) policy: &'a str,
    pub(super) seed: u64,
    pub(super) values: [f64; Summary::METRICS.len()],
    pub(super) digest: u64,
}

impl SummaryRow<'_> {
    pub(super) fn cells(&self) -> Vec<String> {
        let mut cells =
            vec![self.scenario.to_owned(), self.policy.to_owned(), self.seed.to_string()];
        let (before, after) = self.values.split_at(Summary::BEFORE_DIGEST);
        cells.extend(before.iter().map(Cell::text));
        cells.push(hex(self.digest));
        cells.extend(after.iter().map(Cell::text));
        cells
    }
}

/// `summary.csv` alone.
pub fn summary_csv(scenario: &Scenario, result: &RunResult) -> Vec<u8> {
    Context { scenario, lanes: &result.lanes }.summary().bytes()
}

struct Context<'a> {
    scenario: &'a Scenario,
    lanes: &'a [Lane],
}

impl Context<'_> {
    fn policy(&self, lane: &Lane) -> &str {
        &self.scenario.policies[lane.policy].name
    }

    fn summary(&self) -> Table {
        let mut table = Table::new(&summary_columns());
        for lane in self.lanes {
            let policy = self.policy(lane);
            let values = lane.summary.values();
            let row = SummaryRow {
                scenario: &self.scenario.run.name,
                policy,
                seed: lane.seed,
                values,
                digest: lane.digest,
            };
            table.write(row.cells());
        }
        table
    }

    fn timeseries(&self) -> Table {
        let mut table = Table::new(&[
            "policy",
            "seed",
            "time_s",
            "hot_ratio",
            "cv",
            "min_ratio",
            "floor",
            "believed_hot_ratio",
            "moves",
            "moved_load",
            "hosts",
            "square_ratio",
        ]);
        for lane in self.lanes {
            for sample in &lane.samples {
                let balance = &sample.balance;
                table.row(&[
                    &self.policy(lane),
                    &lane.seed,
                    &sample.time.as_secs_f64(),
                    &balance.hot_ratio,
                    &balance.cv,
                    &balance.min_ratio,
                    &balance.floor,
                    &sample.believed_hot_ratio,
                    &sample.moves,
                    &sample.moved_load,
                    &balance.hosts,
                    &balance.square_ratio,
                ]);
            }
        }
        table
    }

    fn moves(&self) -> Table {
        let mut table =
            Table::new(&["policy", "seed", "time_s", "shard", "from", "to", "load", "reason"]);
        let shards = self.scenario.workload.shards();
        for lane in self.lanes {
            for row in &lane.moves {
                table.row(&[
                    &self.policy(lane),
                    &lane.seed,
                    &row.time.as_secs_f64(),
                    &shards[row.shard.index()].as_str(),
                    &lane.host_names[row.from.index()].as_str(),
                    &lane.host_names[row.to.index()].as_str(),
                    &row.load,
                    &row.reason.as_str(),
                ]);
            }
        }
        table
    }

    fn hosts(&self) -> Table {
        let mut table = Table::new(&[
            "policy",
            "seed",
            "time_s",
            "host",
            "capacity",
            "load",
            "utilisation",
            "shards",
            "status",
            "moved_in",
            "moved_out",
            "arrived_load",
        ]);
        for lane in self.lanes {
            for row in &lane.hosts {
                table.row(&[
                    &self.policy(lane),
                    &lane.seed,
                    &row.time.as_secs_f64(),
                    &row.host.as_str(),
                    &row.capacity,
                    &row.load,
                    &(row.load / row.capacity),
                    &row.shards,
                    &row.status.as_str(),
                    &row.moved_in,
                    &row.moved_out,
                    &row.arrived_load,
                ]);
            }
        }
        table
    }

    fn passes(&self) -> Table {
        let mut table = Table::new(&["policy", "seed", "reason", "count"]);
        for lane in self.lanes {
            for outcome in PassOutcome::ALL {
                if let Some(count) = lane.passes.get(&outcome) {
                    table.row(&[&self.policy(lane), &lane.seed, &outcome.as_str(), count]);
                }
            }
        }
        table
    }

    fn optimum(&self) -> Table {
        let mut table = Table::new(&[
            "policy",
            "seed",
            "time_s",
            "hot_ratio",
            "optimum",
            "bound",
            "gap",
            "excess",
            "status",
            "solver",
            "moves_to_optimum",
            "metric",
            "value",
            "budget",
            "budgeted_optimum",
            "budgeted_bound",
            "budgeted_gap",
            "budgeted_excess",
            "budgeted_status",
            "budgeted_solver",
        ]);
        for lane in self.lanes {
            for row in &lane.probes {
                table.row(&[
                    &self.policy(lane),
                    &lane.seed,
                    &row.time.as_secs_f64(),
                    &row.hot_ratio,
                    &row.optimum,
                    &row.bound,
                    &row.gap(),
                    &row.excess(),
                    &row.status.as_str(),
                    &row.solver.as_str(),
                    &row.moves_to_optimum,
                    &row.metric.as_str(),
                    &row.value,
                    &row.budgeted.map(|budgeted| budgeted.budget),
                    &row.budgeted.map(|budgeted| budgeted.optimum),
                    &row.budgeted.map(|budgeted| budgeted.bound),
                    &row.budgeted.map(|budgeted| budgeted.gap()),
                    &row.budgeted_excess(),
                    &row.budgeted.map(|budgeted| budgeted.status.as_str()),
                    &row.budgeted.map(|budgeted| budgeted.solver.as_str()),
                ]);
            }
        }
        table
    }

    fn events(&self) -> Table {
        let mut table = Table::new(&[
            "policy", "seed", "time_ns", "class", "action", "shard", "from", "to", "value",
            "digest",
        ]);
        let shards = self.scenario.workload.shards();
        for lane in self.lanes {
            let host = |host: crate::model::HostId| lane.host_names[host.index()].clone();
            for record in &lane.events {
                let (mut shard, mut from, mut to, mut value) = (None, None, None, None);
                let action = match record.action {
                    Action::Load { shard: which, load } => {
                        (shard, value) = (Some(which), Some(load));
                        "load"
                    }
                    Action::Join(which) => {
                        to = Some(host(which));
                        "join"
                    }
                    Action::Leave(which) => {
                        from = Some(host(which));
                        "leave"
                    }
                    Action::Report { shards } => {
                        value = Some(shards as f64);
                        "report"
                    }
                    Action::Move(planned) => {
                        (shard, from, to) =
                            (Some(planned.shard), planned.from.map(host), Some(host(planned.to)));
                        "move"
                    }
                    Action::Served(which) => {
                        shard = Some(which);
                        "served"
                    }
                };
                table.row(&[
                    &self.policy(lane),
                    &lane.seed,
                    &record.time.0,
                    &record.class.as_str(),
                    &action,
                    &shard.map(|shard| shards[shard.index()].clone()),
                    &from,
                    &to,
                    &value,
                    &hex(record.digest),
                ]);
            }
        }
        table
    }
}
