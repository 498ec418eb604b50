//! Arguments that `plan` and `optimum` share: a snapshot and its hosts.

use std::path::{Path, PathBuf};

use clap::Args;
use evenkeel::model::{HostSource, MOST_HOSTS, Snapshot};

use super::failure::Failure;

/// A snapshot and its hosts.
#[derive(Debug, Args)]
pub(super) struct SnapshotArguments {
    /// The snapshot, a CSV file with the columns shard,load and perhaps host.
    snapshot: PathBuf,
    /// The hosts: a CSV file with a column host, or how many there are in all.
    #[arg(long, value_name = "FILE|N", allow_negative_numbers = true)]
    hosts: Option<String>,
}

impl SnapshotArguments {
    pub(super) fn read(&self) -> Result<Snapshot, Failure> {
        let is_number = |text: &str| text.parse::<f64>().is_ok() && !Path::new(text).exists();
        let source = match &self.hosts {
            None => HostSource::Snapshot,
            Some(text) if !text.is_empty() && is_number(text) => match text.parse() {
                Ok(count @ 1..=MOST_HOSTS) => HostSource::Count(count),
                _ => {
                    let message = format!(
                        "--hosts {text}: the number of hosts must be a whole number from 1 to {MOST_HOSTS}"
                    );
                    return Err(Failure::Input(message));
                }
            },
            Some(text) => HostSource::File(text.as_ref()),
        };
        let snapshot = Snapshot::read(&self.snapshot, source)?;
        if !snapshot.hosts.iter().any(|host| host.status.may_receive()) {
            let message = "no host is active; at least one must be able to receive shards";
            return Err(Failure::Input(message.to_owned()));
        }
        Ok(snapshot)
    }
}
