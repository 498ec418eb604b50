//! The program as a user starts it, in a directory of its own.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use assert_cmd::Command;
use tempfile::TempDir;

/// A small scenario that runs in milliseconds.
pub const SCENARIO: &str = r#"schema = 1
name = "small"
duration = "60s"
sample_every = "10s"

[workload]
kind = "zipf"
shards = 20
exponent = 0.9

[cluster]
hosts = 3

[[policy]]
kind = "greedy"

[optimum]
every = "30s"

[report]
plots = false
"#;

/// The worked example: the 60 moves, and both hosts carry 100.
pub const SNAPSHOT: &str = "shard,load,host\na,100,h1\nb,60,h1\nc,40,h2\n";

/// A directory to run the program in, so that messages hold relative paths.
pub struct Desk {
    directory: TempDir,
}

/// What a run of the program leaves.
#[derive(Clone, Debug)]
pub struct Outcome {
    pub code: Option<i32>,
    pub out: String,
    pub err: String,
}

impl Desk {
    pub fn new() -> Self {
        Self { directory: tempfile::tempdir().expect("a temporary directory can be made") }
    }

    /// A desk with one file on it.
    pub fn with(name: &str, content: impl AsRef<[u8]>) -> Self {
        let desk = Self::new();
        desk.write(name, content);
        desk
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file, and the directories that it lies in.
    pub fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        let parent = path.parent().expect("a file lies in a directory");
        std::fs::create_dir_all(parent).expect("the directory can be made");
        std::fs::write(path, content).expect("the file can be written");
    }

    pub fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).expect("the file is there")
    }

    /// A command that has not run yet.
    pub fn command(&self) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
        command
            .env_remove("COLUMNS")
            .current_dir(self.directory.path())
            .timeout(std::time::Duration::from_secs(60));
        command
    }

    /// Runs the program. Nothing that it does may end in a panic.
    pub fn run(&self, arguments: &[&str]) -> Outcome {
        let output = self.command().args(arguments).output().expect("the program starts");
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("output is UTF-8");
        let outcome = Outcome {
            code: output.status.code(),
            out: text(output.stdout),
            err: text(output.stderr),
        };
        assert!(!outcome.err.contains("panicked"), "{}", outcome.err);
        outcome
    }

    /// Runs the program to success, and returns its standard output.
    pub fn succeed(&self, arguments: &[&str]) -> String {
        let Outcome { code, out, err } = self.run(arguments);
        assert_eq!(code, Some(0), "{arguments:?}: {err}");
        out
    }

    /// Runs the program to exit code 2, with nothing printed and nothing
    /// written, and returns its message.
    pub fn refuse(&self, arguments: &[&str]) -> String {
        let before = files(self.directory.path());
        let Outcome { code, out, err } = self.run(arguments);
        assert_eq!((code, out.as_str()), (Some(2), ""), "{arguments:?}: {err}");
        assert!(files(self.directory.path()) == before, "{arguments:?} changed files");
        err
    }

    /// Every file below a directory, by its relative path, with its bytes.
    pub fn files(&self, directory: &str) -> Vec<(String, Vec<u8>)> {
        files(&self.path(directory))
    }
}

/// Every file below a directory in order of path; directories end with `/`.
fn files(directory: &Path) -> Vec<(String, Vec<u8>)> {
    let mut found = Vec::new();
    let mut next = vec![directory.to_owned()];
    while let Some(current) = next.pop() {
        for entry in std::fs::read_dir(&current).into_iter().flatten().flatten() {
            let path = entry.path();
            let name = path.strip_prefix(directory).unwrap_or(&path).display().to_string();
            if path.is_dir() {
                found.push((name + "/", Vec::new()));
                next.push(path);
            } else {
                found.push((name, std::fs::read(&path).unwrap_or_default()));
            }
        }
    }
    found.sort();
    found
}

/// [`SCENARIO`] with a part of it replaced.
pub fn scenario(part: &str, by: &str) -> String {
    assert!(SCENARIO.contains(part), "the scenario has no {part:?}");
    SCENARIO.replacen(part, by, 1)
}

/// The message about a scenario that cannot be used.
pub fn fault_of(text: impl AsRef<[u8]>) -> String {
    Desk::with("small.toml", text).refuse(&["run", "small.toml", "--out", "out"])
}

/// The message about [`SCENARIO`] with a part of it replaced.
pub fn fault(part: &str, by: &str) -> String {
    fault_of(scenario(part, by))
}

/// The message about [`SCENARIO`] with lines at its end.
pub fn fault_with(lines: &str) -> String {
    fault_of(format!("{SCENARIO}\n{lines}"))
}

/// A standard output that nobody reads.
pub fn closed_pipe() -> Stdio {
    let (reader, writer) = std::io::pipe().expect("a pipe can be made");
    drop(reader);
    writer.into()
}
