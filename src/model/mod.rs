//! What all rooms share: ids, hosts, assignments, and simulated time.

mod assignment;
mod host;
mod ids;
mod input;
mod setting;
mod snapshot;
mod time;

pub use assignment::Assignment;
pub use host::{Host, HostStatus};
pub use ids::{HostId, ShardId};
pub use input::{CsvFile, CsvRow, InputError, read_text};
pub use setting::SettingError;
pub use snapshot::{HostSource, Snapshot, read_hosts};
pub use time::{ParseDurationError, SimDuration, SimTime};
