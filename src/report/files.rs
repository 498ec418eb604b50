//! Writing a set of files so that a crash leaves the old or the new ones.

use std::io::Write;
use std::path::{Path, PathBuf};

use tempfile::NamedTempFile;

/// A file that could not be written.
#[derive(Debug, thiserror::Error)]
#[error("{}: cannot be written: {error}; files that were there are as they were", path.display())]
pub struct WriteError {
    /// The file or directory.
    pub path: PathBuf,
    /// Why.
    pub error: std::io::Error,
}

/// A file by its name in a directory, which may hold `/`.
pub type NamedBytes = (String, Vec<u8>);

/// Checks, before the work is done, that a directory is there or can be made:
/// that no file stands in its path. Changes nothing.
///
/// # Errors
///
/// When something that is no directory stands in the way.
pub fn check_directory(directory: &Path) -> Result<(), WriteError> {
    let nearest = directory.ancestors().find(|path| path.symlink_metadata().is_ok());
    match nearest {
        Some(path) if !path.is_dir() => Err(WriteError {
            path: directory.to_owned(),
            error: std::io::Error::other(format!("{} is not a directory", path.display())),
        }),
        _ => Ok(()),
    }
}

/// Writes files into a directory, making it if need be. All are first written
/// beside their places, so that a full disk changes nothing, and then renamed
/// one after the other. The file named `last` is removed before and written
/// last: where it stands, all the others are of one run.
///
/// # Errors
///
/// When the directory cannot be made or a file cannot be written.
pub fn write_files(
    directory: &Path,
    files: &[NamedBytes],
    last: Option<&NamedBytes>,
) -> Result<(), WriteError> {
    let fault = |path: &Path| {
        let path = path.to_owned();
        move |error| WriteError { path, error }
    };
    let mut staged = Vec::new();
    for (name, bytes) in files.iter().chain(last) {
        let path = directory.join(name);
        let parent = path.parent().unwrap_or(directory);
        std::fs::create_dir_all(parent).map_err(fault(parent))?;
        if path.is_dir() {
            let error = std::io::Error::other("there is a directory of that name");
            return Err(WriteError { path, error });
        }
        let mut file = temporary_in(parent).map_err(fault(&path))?;
        file.write_all(bytes).and_then(|()| file.as_file().sync_data()).map_err(fault(&path))?;
        staged.push((file, path));
    }
    if let Some((name, _)) = last {
        let path = directory.join(name);
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(fault(&path)(error));
            }
            _ => {}
        }
    }
    for (file, path) in staged {
        file.persist(&path).map_err(|error| fault(&path)(error.error))?;
    }
    Ok(())
}

/// A temporary file that gets the usual permissions of a new file.
fn temporary_in(directory: &Path) -> std::io::Result<NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".evenkeel-");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    builder.tempfile_in(directory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: &str) -> NamedBytes {
        (name.to_owned(), text.as_bytes().to_vec())
    }

    #[test]
    fn files_are_replaced_whole_and_nothing_else_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path().join("a/b");
        write_files(
            &out,
            &[file("x.csv", "1"), file("plots/y.svg", "2")],
            Some(&file("m.json", "3")),
        )
        .unwrap();
        write_files(&out, &[file("x.csv", "4")], Some(&file("m.json", "5"))).unwrap();
        let read = |name: &str| std::fs::read_to_string(out.join(name)).unwrap();
        assert_eq!(
            (read("x.csv"), read("plots/y.svg"), read("m.json")),
            ("4".into(), "2".into(), "5".into())
        );
        assert_eq!(std::fs::read_dir(&out).unwrap().count(), 3);
    }

    #[test]
    fn a_failure_leaves_the_old_files() {
        let directory = tempfile::tempdir().unwrap();
        let out = directory.path();
        write_files(out, &[file("x.csv", "1")], Some(&file("m.json", "2"))).unwrap();
        std::fs::create_dir(out.join("z.csv")).unwrap();
        let error = write_files(
            out,
            &[file("x.csv", "new"), file("z.csv", "3")],
            Some(&file("m.json", "new")),
        );
        assert!(error.unwrap_err().to_string().contains("z.csv"));
        assert_eq!(std::fs::read_to_string(out.join("x.csv")).unwrap(), "1");
        assert_eq!(std::fs::read_to_string(out.join("m.json")).unwrap(), "2");
        assert_eq!(std::fs::read_dir(out).unwrap().count(), 3);
    }
}
