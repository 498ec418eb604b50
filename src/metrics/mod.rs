//! One definition of each quantity that is reported.

mod balance;
mod distance;
mod front;
pub mod imbalance;
mod movement;
mod spread;
mod student;
mod time_weighted;

pub use balance::{Balance, Demand, excess};
pub use distance::{moves_between, nearest};
pub use front::{Front, front};
pub use movement::Movement;
pub use spread::{CONFIDENCE, Precision, Spread, Statistics, mean_and_deviation, values_needed};
pub use student::t_within;
pub use time_weighted::TimeWeighted;
