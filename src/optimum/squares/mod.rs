//! How low could the sum of squares be?
//!
//! [`solve_squares`] minimises the sum over hosts of (u_h / U - 1)^2, what a
//! greedy balancer lowers, where u_h is the utilisation of host h and U that of
//! the fleet. Values and bounds are
//! [`square_ratio`](crate::model::square_ratio)s.
//!
//! | module | what it is about |
//! | --- | --- |
//! | `objective` | the sum, its terms and its units |
//! | `water` | the least sum when load is fluid |
//! | `bounds` | bounds without a budget |
//! | `shed` | bounds within a budget |
//! | `exchange` | the best exchange between two hosts |
//! | `improve` | local search |
//! | `branch` | branch and bound |
//! | `driver` | stage by stage |

mod bounds;
mod branch;
mod driver;
mod exchange;
mod improve;
mod objective;
mod shed;
mod water;

pub use driver::solve_squares;
