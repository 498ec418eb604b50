//! Arguments that `plan` and `optimum` share: a snapshot and its hosts.

use std::path::PathBuf;

use clap::Args;
use evenkeel::model::{HostSource, Snapshot};

use super::failure::Failure;

/// A snapshot and its hosts.
#[derive(Debug, Args)]
pub(super) struct SnapshotArguments {
    /// The snapshot, a CSV file with the columns shard,load and perhaps host.
    snapshot: PathBuf,
    /// The hosts: a CSV file with a column host, or how many there are in all.
    #[arg(long, value_name = "FILE|N")]
    hosts: Option<String>,
}

impl SnapshotArguments {
    pub(super) fn read(&self) -> Result<Snapshot, Failure> {
        let source = match &self.hosts {
            None => HostSource::Snapshot,
            Some(text) => match text.parse::<i64>() {
                Ok(count @ 1..=1_000_000) => HostSource::Count(count as usize),
                Ok(count) => {
                    let message =
                        format!("--hosts {count}: the number of hosts must be from 1 to 1000000");
                    return Err(Failure::Input(message));
                }
                Err(_) => HostSource::File(text.as_ref()),
            },
        };
        let snapshot = Snapshot::read(&self.snapshot, source)?;
        if !snapshot.hosts.iter().any(|host| host.status.may_receive()) {
            let message = "no host is active; at least one must be able to receive shards";
            return Err(Failure::Input(message.to_owned()));
        }
        Ok(snapshot)
    }
}
