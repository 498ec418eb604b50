//! Who works in a directory.

use std::fs::{File, OpenOptions, TryLockError};
use std::path::Path;

/// The file that is locked. It holds nothing and stays.
const LOCK: &str = ".lock";

/// A directory that no other sweep works in as long as this lives. The system
/// takes the lock back when the process ends, however it ends.
#[derive(Debug)]
pub struct Lock {
    _file: File,
}

/// Why a directory cannot be locked.
#[derive(Debug, thiserror::Error)]
pub enum LockError {
    /// Somebody else works there.
    #[error("is in use by another run; wait for it, or write to another directory with --out")]
    InUse,
    /// The file cannot be made or locked.
    #[error("cannot be locked: {0}")]
    File(#[from] std::io::Error),
}

impl Lock {
    /// Locks a directory that exists.
    ///
    /// # Errors
    ///
    /// When another process has locked it.
    pub fn take(directory: &Path) -> Result<Self, LockError> {
        let path = directory.join(LOCK);
        let file = OpenOptions::new().write(true).create(true).truncate(false).open(path)?;
        match file.try_lock() {
            Ok(()) => Ok(Self { _file: file }),
            Err(TryLockError::WouldBlock) => Err(LockError::InUse),
            Err(TryLockError::Error(error)) => Err(error.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let directory = tempfile::tempdir().unwrap();
        let lock = Lock::take(directory.path()).unwrap();
        assert!(matches!(Lock::take(directory.path()), Err(LockError::InUse)));
        drop(lock);
        assert!(Lock::take(directory.path()).is_ok());
        assert!(matches!(Lock::take(&directory.path().join("none")), Err(LockError::File(_))));
    }
}
