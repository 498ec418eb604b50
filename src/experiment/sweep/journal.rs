//! The journal of a sweep: the units that are finished, on disk at once.
//!
//! A header and then one record for each unit. Each is framed by its length and
//! its hash, so that a process that is killed while it writes leaves all whole
//! records before the torn one, which is cut off.
//!
//! ```text
//! frame  = length of the payload (u32), its xxh64 (u64), the payload
//! header = JSON: what the work belongs to
//! record = unit (u64), then for each policy the columns of its summary
//!          (f64 each) and its digest (u64)
//! ```
//!
//! All numbers are little-endian.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tempfile::NamedTempFile;
use xxhash_rust::xxh64::xxh64;

use super::identity::{Identity, Partition};
use super::unit::{LaneRow, Unit};
use crate::experiment::Summary;

/// What the units of a journal belong to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Header {
    /// The version of this format.
    pub journal: u32,
    /// What the results depend on.
    pub identity: Identity,
    /// The part of the units.
    pub partition: Partition,
}

impl Header {
    /// The header of a journal of this program.
    pub fn new(identity: Identity, partition: Partition) -> Self {
        Self { journal: 1, identity, partition }
    }
}

/// A journal that is open at its end.
#[derive(Debug)]
pub struct Journal {
    file: File,
}

/// A journal that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {why}", path.display())]
pub struct JournalError {
    /// Its file.
    pub path: PathBuf,
    /// Why not.
    pub why: String,
}

/// Bytes before a payload.
const FRAME: usize = 12;

impl Journal {
    /// Begins a journal; none may be there.
    ///
    /// # Errors
    ///
    /// When the file cannot be written.
    pub fn create(path: &Path, header: &Header) -> Result<Self, JournalError> {
        let fault = |why: std::io::Error| JournalError { path: path.into(), why: why.to_string() };
        let header = serde_json::to_vec(header).map_err(|error| fault(error.into()))?;
        // Renamed when it is whole, so that no journal is without its header.
        let mut file =
            NamedTempFile::new_in(path.parent().unwrap_or(Path::new(""))).map_err(fault)?;
        file.write_all(&frame(&header)).map_err(fault)?;
        let file = file.persist_noclobber(path).map_err(|error| fault(error.error))?;
        Ok(Self { file })
    }

    /// The header of a journal, which is left as it is; `None` if there is none.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no journal.
    pub fn header(path: &Path) -> Result<Option<Header>, JournalError> {
        let fault = |why: String| JournalError { path: path.into(), why };
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(fault(error.to_string())),
        };
        let payload = Frames { bytes: &bytes, at: 0 }.next();
        let header = payload.and_then(|payload| serde_json::from_slice(payload).ok());
        header.map(Some).ok_or_else(|| fault("is not the journal of a sweep".to_owned()))
    }

    /// Opens a journal at the end of its last whole record, and reads what it
    /// holds. Every unit is there once; `None` if there is no journal.
    ///
    /// # Errors
    ///
    /// When the file cannot be read or is no journal.
    pub fn open(path: &Path) -> Result<Option<(Self, Header, Vec<Unit>)>, JournalError> {
        let Some(header) = Self::header(path)? else { return Ok(None) };
        let fault = |why: std::io::Error| JournalError { path: path.into(), why: why.to_string() };
        let mut file = OpenOptions::new().write(true).open(path).map_err(fault)?;
        let bytes = std::fs::read(path).map_err(fault)?;
        let mut frames = Frames { bytes: &bytes, at: 0 };
        frames.next();
        let mut units = BTreeMap::new();
        let mut whole = frames.at;
        while let Some(unit) = frames.next().and_then(Unit::decode) {
            units.insert(unit.index, unit);
            whole = frames.at;
        }
        file.set_len(whole as u64).map_err(fault)?;
        file.seek(SeekFrom::End(0)).map_err(fault)?;
        Ok(Some((Self { file }, header, units.into_values().collect())))
    }

    /// Adds a unit, in one write.
    ///
    /// # Errors
    ///
    /// When the disk does not take it.
    pub fn append(&mut self, unit: &Unit) -> std::io::Result<()> {
        self.file.write_all(&frame(&unit.encode()))
    }
}

fn frame(payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(FRAME + payload.len());
    // Headers and records are far below four gigabytes.
    bytes.extend_from_slice(&(payload.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&xxh64(payload, 0).to_le_bytes());
    bytes.extend_from_slice(payload);
    bytes
}

/// The whole frames from a place on.
struct Frames<'b> {
    bytes: &'b [u8],
    at: usize,
}

impl<'b> Iterator for Frames<'b> {
    type Item = &'b [u8];

    fn next(&mut self) -> Option<&'b [u8]> {
        let (length, rest) = self.bytes.get(self.at..)?.split_first_chunk::<4>()?;
        let (hash, rest) = rest.split_first_chunk::<8>()?;
        let payload = rest.get(..u32::from_le_bytes(*length) as usize)?;
        if xxh64(payload, 0) != u64::from_le_bytes(*hash) {
            return None;
        }
        self.at += FRAME + payload.len();
        Some(payload)
    }
}

impl Unit {
    fn encode(&self) -> Vec<u8> {
        let mut bytes = self.index.to_le_bytes().to_vec();
        for lane in &self.lanes {
            lane.values.iter().for_each(|value| bytes.extend_from_slice(&value.to_le_bytes()));
            bytes.extend_from_slice(&lane.digest.to_le_bytes());
        }
        bytes
    }

    fn decode(payload: &[u8]) -> Option<Self> {
        const LANE: usize = 8 * (Summary::METRICS.len() + 1);
        let (index, rest) = payload.split_first_chunk::<8>()?;
        let lanes = rest.chunks_exact(LANE);
        if !lanes.remainder().is_empty() {
            return None;
        }
        let lanes = lanes.map(|bytes| {
            let (words, _) = bytes.as_chunks::<8>();
            let mut values = [0.0; Summary::METRICS.len()];
            for (value, word) in values.iter_mut().zip(words) {
                *value = f64::from_le_bytes(*word);
            }
            LaneRow { values, digest: u64::from_le_bytes(words[values.len()]) }
        });
        Some(Self { index: u64::from_le_bytes(*index), lanes: lanes.collect() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn header() -> Header {
        let identity = Identity {
            version: "1".into(),
            sweep_xxh64: "a".into(),
            scenario_xxh64: "b".into(),
            inputs: vec![],
        };
        Header::new(identity, Partition::WHOLE)
    }

    fn unit(index: u64) -> Unit {
        let mut values = [1.0 / (index as f64 + 3.0); Summary::METRICS.len()];
        values[6] = f64::NAN;
        Unit { index, lanes: vec![LaneRow { values, digest: index ^ 0xabcd }; 3] }
    }

    fn bits(units: &[Unit]) -> Vec<Vec<u8>> {
        units.iter().map(Unit::encode).collect()
    }

    /// However much of a journal is on disk, its whole records are read, and work
    /// goes on behind them.
    #[test]
    fn a_torn_tail_is_cut_off() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        let mut journal = Journal::create(&path, &header()).unwrap();
        let empty = std::fs::metadata(&path).unwrap().len() as usize;
        let units: Vec<Unit> = [4, 0, 2].map(unit).into();
        units.iter().for_each(|unit| journal.append(unit).unwrap());
        assert!(Journal::create(&path, &header()).is_err());
        let whole = std::fs::read(&path).unwrap();
        let record = (whole.len() - empty) / 3;
        for length in empty..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let (mut journal, read, found) = Journal::open(&path).unwrap().unwrap();
            assert_eq!(read, header());
            let kept = (length - empty) / record;
            let mut expected = units[..kept].to_vec();
            expected.sort_by_key(|unit| unit.index);
            assert_eq!(bits(&found), bits(&expected), "{length} bytes");
            journal.append(&unit(9)).unwrap();
            let (_, _, found) = Journal::open(&path).unwrap().unwrap();
            assert_eq!((found.len(), found[kept].index), (kept + 1, 9));
        }
    }

    #[test]
    fn damaged_records_are_not_read() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("journal");
        assert!(Journal::open(&path).unwrap().is_none());
        let mut journal = Journal::create(&path, &header()).unwrap();
        let empty = std::fs::metadata(&path).unwrap().len() as usize;
        (0..3).for_each(|index| journal.append(&unit(index)).unwrap());
        let whole = std::fs::read(&path).unwrap();
        for at in (empty..whole.len()).step_by(7) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, &damaged).unwrap();
            let (_, _, found) = Journal::open(&path).unwrap().unwrap();
            let before = (at - empty) / ((whole.len() - empty) / 3);
            assert_eq!(bits(&found), bits(&(0..before as u64).map(unit).collect::<Vec<_>>()));
        }
        for text in [&b""[..], b"something else", &whole[..empty - 1]] {
            std::fs::write(&path, text).unwrap();
            let error = Journal::open(&path).unwrap_err().to_string();
            assert!(error.contains("is not the journal of a sweep"), "{error}");
        }
    }
}
