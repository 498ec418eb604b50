//! How good could any placement have been?
//!
//! [`solve`] minimises, over all assignments of a snapshot's shards to its
//! hosts, the utilisation of the hottest host, max over h of load_h / c_h:
//! makespan minimisation on uniform machines, Q||Cmax, or P||Cmax when the
//! capacities are equal (the notation of Graham et al. 1979). That is NP-hard,
//! so every answer carries a certified lower bound beside its value.
//!
//! Stages follow each other and stop as soon as the value meets the bound:
//! bounds in closed form, the start assignment as it is, LPT, local search by
//! moves, swaps and re-splits of two hosts, for up to 128 shards a branch and
//! bound, and the same for groups of hosts where that has not finished. An
//! integer linear program can take its place.
//!
//! [`solve_budgeted`] minimises the same with few moves from where the shards are,
//! and [`fewest`] asks for the fewest moves that reach a given hot_ratio.
//! [`solve_squares`] minimises the sum of squares around the mean instead, freely
//! or within a budget.
//!
//! Limits are counts, so that an instance has one answer on every machine.

mod allowance;
mod answer;
mod bnb;
mod bounds;
mod budget;
mod construct;
mod driver;
mod exchange;
mod ilp;
mod improve;
mod instance;
mod layout;
mod metric;
mod problem;
mod regroup;
mod report;
mod resplit;
mod squares;

pub use answer::{BoundName, Move, Optimum, Rebalance, Stage, StageReport, Status, TOLERANCE};
pub use budget::{Budget, Measure, fewest, solve_budgeted};
pub use driver::solve;
pub use metric::Metric;
pub use problem::{OptimumError, Problem, Settings, Solver};
pub use squares::solve_squares;
