//! The load-aware balancer: smoothed beliefs, a budget of moves a pass, and
//! always the move that lowers the sum of squared host loads most.
//!
//! - [`GreedySettings`] and [`Revision`]: what can be chosen;
//! - [`GreedyBalancer`]: the policy; it owns the beliefs;
//! - [`Planner`]: plans one pass from beliefs, a pure function;
//! - [`place`]: puts shards that have no owner where the load is least.

mod beliefs;
mod placement;
mod planner;
mod policy;
mod settings;

pub use beliefs::Stamp;
pub use placement::place;
pub use planner::{Fleet, Planner, Standing, gain};
pub use policy::GreedyBalancer;
pub use settings::{GreedySettings, Revision};
