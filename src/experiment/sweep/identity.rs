//! What a sweep is, to tell whether two pieces of work belong together.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use xxhash_rust::xxh64::xxh64;

use crate::model::{InputError, read_text};
use crate::scenario::Sweep;

/// The part K of N of a sweep's units: K, K + N, K + 2N, ..., counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct Partition {
    /// Which, from 1.
    pub part: u32,
    /// Of how many.
    pub of: u32,
}

impl Partition {
    /// Everything.
    pub const WHOLE: Self = Self { part: 1, of: 1 };

    /// Whether a unit is in it.
    pub fn holds(self, unit: u64) -> bool {
        unit % u64::from(self.of) == u64::from(self.part - 1)
    }
}

impl fmt::Display for Partition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.part, self.of)
    }
}

impl From<Partition> for String {
    fn from(partition: Partition) -> Self {
        partition.to_string()
    }
}

impl FromStr for Partition {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let numbers = text
            .split_once('/')
            .and_then(|(part, of)| Some(Self { part: part.parse().ok()?, of: of.parse().ok()? }));
        numbers
            .filter(|partition| (1..=partition.of).contains(&partition.part))
            .ok_or_else(|| "write K/N with K from 1 to N, as in 2/3".to_owned())
    }
}

impl TryFrom<String> for Partition {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}

/// A file that a sweep reads.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct InputFile {
    /// Its path as the scenario writes it.
    pub file: String,
    /// The hash of its text.
    pub xxh64: String,
}

/// What results depend on. Work is continued or joined only if all of it is the
/// same.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Identity {
    /// The version of the program.
    pub version: String,
    /// The hash of the sweep file.
    pub sweep_xxh64: String,
    /// The hash of the scenario's file.
    pub scenario_xxh64: String,
    /// All files that scenarios read.
    pub inputs: Vec<InputFile>,
}

/// A digest or hash as it is written: 16 hexadecimal digits.
pub fn hex(value: u64) -> String {
    format!("{value:016x}")
}

/// The hash of a file as it is written: xxh64 with seed 0.
pub fn hash(bytes: &[u8]) -> String {
    hex(xxh64(bytes, 0))
}

impl InputFile {
    /// A file by its path relative to a directory.
    ///
    /// # Errors
    ///
    /// When it cannot be read.
    pub fn read(directory: &Path, path: &Path) -> Result<Self, InputError> {
        let text = read_text(&directory.join(path))?;
        // A path of the machine must not make two runs differ.
        let file =
            if path.is_absolute() { Path::new(path.file_name().unwrap_or_default()) } else { path };
        Ok(Self { file: file.display().to_string(), xxh64: hash(text.as_bytes()) })
    }
}

impl Identity {
    /// That of a sweep whose points read these files.
    ///
    /// # Errors
    ///
    /// When a file cannot be read.
    pub fn of(sweep: &Sweep, files: &BTreeSet<PathBuf>) -> Result<Self, InputError> {
        Ok(Self {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            sweep_xxh64: hash(sweep.text.as_bytes()),
            scenario_xxh64: hash(sweep.scenario_text.as_bytes()),
            inputs: files
                .iter()
                .map(|path| InputFile::read(&sweep.base.directory, path))
                .collect::<Result<_, InputError>>()?,
        })
    }

    /// How another one differs, as the end of a sentence about its work: "is of
    /// version ..".
    pub fn difference(&self, other: &Self) -> Option<String> {
        if self.version != other.version {
            return Some(format!(
                "is of version {} of the program, not {}",
                other.version, self.version
            ));
        }
        if self.sweep_xxh64 != other.sweep_xxh64 {
            return Some(
                "is of another sweep file, or the sweep file has changed since".to_owned(),
            );
        }
        if self.scenario_xxh64 != other.scenario_xxh64 {
            return Some("is of another scenario, or the scenario has changed since".to_owned());
        }
        (self.inputs != other.inputs)
            .then(|| "has read other input files, or they have changed since".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn partitions_share_the_units_out() {
        assert_eq!("2/3".parse(), Ok(Partition { part: 2, of: 3 }));
        for text in ["0/3", "4/3", "1", "a/b", "1/0", "-1/2", ""] {
            assert!(text.parse::<Partition>().is_err(), "{text}");
        }
        let parts: Vec<Partition> = (1..=3).map(|part| Partition { part, of: 3 }).collect();
        for unit in 0..100 {
            assert_eq!(parts.iter().filter(|part| part.holds(unit)).count(), 1);
        }
        assert!((0..9).all(|unit| Partition::WHOLE.holds(unit)));
    }
}
