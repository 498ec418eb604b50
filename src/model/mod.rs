//! What all rooms share: ids, hosts, assignments, and simulated time.

mod assignment;
mod host;
mod ids;
mod setting;
mod time;

pub use assignment::Assignment;
pub use host::{Host, HostStatus};
pub use ids::{HostId, ShardId};
pub use setting::SettingError;
pub use time::{ParseDurationError, SimDuration, SimTime};
