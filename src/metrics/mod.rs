//! One definition of each quantity that is reported.

mod balance;
mod distance;
pub mod imbalance;
mod movement;
mod spread;
mod time_weighted;

pub use balance::{Balance, Demand, excess};
pub use distance::{moves_between, nearest};
pub use movement::Movement;
pub use spread::mean_and_deviation;
pub use time_weighted::TimeWeighted;
