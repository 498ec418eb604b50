//! Experiments: lanes of a scenario, run in parallel and put together.
//!
//! A lane is one policy under one seed. Lanes share nothing but the loads, the
//! events and the noise of their seed, and the optimum they are compared with.

mod best;
mod budgeted;
mod check;
mod fan_out;
mod lane;
mod optimum;
mod plan;
mod recorder;
pub mod reproduce;
mod resize;
mod run;
mod stand;
mod start;
pub mod sweep;

pub use best::{Question, SnapshotOptimum, snapshot_optimum};
pub use check::{
    Checked, Comparison, Difference, EXACT, Measured, Offender, Problem, Step, Summaries,
    SummaryRow, Tolerances, Trend, Verdict, check, compare,
};
pub use fan_out::{FanOut, Latency};
pub use lane::{BudgetedRow, HostRow, Lane, MoveRow, ProbeRow, SampleRow, Summary};
pub use plan::{Plan, PlanRequest, PlannedMove, plan};
pub use resize::{
    Resize, ResizeChange, ResizeKeys, ResizeRequest, ResizeRow, ResizeSample, resize,
};
pub use run::{RunError, RunOptions, RunResult, run};
pub use stand::Stand;
pub use sweep::{InputFile, hash, hex};
