//! One definition of each quantity that is reported.

mod balance;
mod distance;
pub mod imbalance;
mod movement;
mod time_weighted;

pub use balance::{Balance, Demand};
pub use distance::moves_between;
pub use movement::Movement;
pub use time_weighted::TimeWeighted;
