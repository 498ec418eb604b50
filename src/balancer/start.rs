//! Where a balancer's shards lie before its first pass.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::model::{SettingError, SimDuration};

/// The start placement of a balancer. These are the words alone; whoever
/// composes a policy carries them out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Start {
    /// Consistent hashing with virtual nodes.
    #[default]
    Ring,
    /// Hash modulo the number of hosts.
    ModN,
    /// Jump consistent hash.
    Jump,
    /// The balancer's own placement, with no load known.
    Greedy,
    /// The owners named by a snapshot file.
    File,
}

impl Start {
    /// Every start, in the order of the documentation.
    pub const ALL: [Start; 5] = [Self::Ring, Self::ModN, Self::Jump, Self::Greedy, Self::File];

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ring => "ring",
            Self::ModN => "mod-n",
            Self::Jump => "jump",
            Self::Greedy => "greedy",
            Self::File => "file",
        }
    }
}

/// Checks that a start file is named if, and only if, one is read.
///
/// # Errors
///
/// When `start_file` is missing or of no use.
pub(super) fn check_start(start: Start, file: Option<&Path>) -> Result<(), SettingError> {
    match (start, file) {
        (Start::File, None) => Err(SettingError::new(
            "start_file",
            "is missing: `start = \"file\"` needs the snapshot to read owners from",
        )),
        (Start::File, Some(_)) | (_, None) => Ok(()),
        (start, Some(_)) => Err(SettingError::new(
            "start_file",
            format!(
                "has no use with `start = \"{}\"`: remove it, or set `start = \"file\"`",
                start.as_str()
            ),
        )),
    }
}

/// Checks that passes do not follow each other at once.
///
/// # Errors
///
/// When the period is zero.
pub(super) fn check_pass_every(period: SimDuration) -> Result<(), SettingError> {
    if period == SimDuration::ZERO {
        return Err(SettingError::new("pass_every", "must be above 0s"));
    }
    Ok(())
}
