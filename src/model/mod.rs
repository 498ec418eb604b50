//! What all rooms share: ids, hosts, assignments, and simulated time.

mod assignment;
mod evenness;
mod host;
mod ids;
mod input;
mod measure;
mod setting;
mod snapshot;
mod time;

pub use assignment::Assignment;
pub use evenness::{square_ratio, square_ratio_of};
pub use host::{Host, HostStatus, MOST_HOSTS};
pub use ids::{HostId, ShardId};
pub use input::{CsvFile, CsvRow, InputError, csv_error, read_text};
pub(crate) use measure::plain;
pub use measure::{MEASURES, check_capacity, check_load, check_name, twelve_digits};
pub use setting::SettingError;
pub use snapshot::{HostSource, Snapshot, read_hosts};
pub use time::{ParseDurationError, SimDuration, SimTime};
