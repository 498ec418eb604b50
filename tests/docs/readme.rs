//! Commands, what they print, and links.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use assert_cmd::Command;

use crate::markdown::{anchor, blocks, links, section};
use crate::{document, root};

const DOCUMENTS: [&str; 6] = [
    "README.md",
    "CHANGELOG.md",
    "docs/methods.md",
    "docs/formats.md",
    "docs/determinism.md",
    "docs/ci.md",
];

/// The arguments of each command of ours in the shell blocks of a text, without
/// variables before it and what follows a pipe.
fn commands(text: &str) -> Vec<Vec<String>> {
    const STARTS: [&str; 3] = ["cargo run --release -- ", "cargo run -- ", "evenkeel "];
    let arguments = |line: &str| -> Option<Vec<String>> {
        let line = line.trim().split(" | ").next()?;
        let line = match line.split_once(' ') {
            Some((variable, rest)) if variable.contains('=') => rest,
            _ => line,
        };
        let arguments = STARTS.iter().find_map(|start| line.strip_prefix(start))?;
        Some(arguments.split_whitespace().map(str::to_owned).collect())
    };
    blocks(text, "sh").iter().flat_map(|block| block.lines()).filter_map(arguments).collect()
}

#[test]
fn every_command_is_understood() {
    let mut count = 0;
    for name in DOCUMENTS {
        for words in commands(&document(name)) {
            count += 1;
            let evenkeel = || {
                let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
                command.current_dir(root()).args(&words);
                command
            };
            evenkeel().arg("--help").assert().success();
            let is_file = |word: &&String| word.starts_with("scenarios/") && !word.contains('*');
            for file in words.iter().filter(is_file) {
                assert!(root().join(file).is_file(), "{name}: {file}");
            }
            match words[0].as_str() {
                "plan" | "optimum" | "fan-out" => evenkeel().assert().success(),
                "run" => evenkeel().arg("--print-scenario").assert().success(),
                _ => continue,
            };
        }
    }
    assert!(count > 10, "{count} commands");
}

#[test]
fn the_text_in_the_readme_is_what_is_printed() {
    let readme = document("README.md");
    let texts = blocks(&readme, "text");
    let output = |arguments: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
        let output = command.current_dir(root()).args(arguments).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    assert_eq!(texts[1], output(&["plan", "scenarios/data/worked-example-start.csv"]));
    let family = ["resize", "--from", "10", "--to", "11", "--keys", "200000", "--all"];
    assert_eq!(texts[2], output(&family));
    assert_eq!(texts[3], output(&["check", "scenarios/worked-example.toml"]));
    if cfg!(debug_assertions) {
        println!("skipped: quickstart takes long without optimisation");
        return;
    }
    let directory = tempfile::tempdir().unwrap();
    let out = directory.path().to_str().unwrap();
    let quickstart = "scenarios/quickstart.toml";
    let printed = output(&["run", quickstart, "--out", out, "--set", "report.plots=false"]);
    assert!(printed.starts_with(texts[0]), "README.md has another table than\n{printed}");
}

/// The workflow calls the program with arguments that it has.
#[test]
fn the_workflow_is_understood() {
    let workflow = document("docs/workflow.yml").replace("\\\n", " ");
    let calls: Vec<&str> =
        workflow.lines().filter_map(|line| line.split("evenkeel check ").nth(1)).collect();
    assert!(!calls.is_empty());
    for call in calls {
        let words = call.split_whitespace().map(|word| word.trim_matches('"'));
        let mut command = Command::new(env!("CARGO_BIN_EXE_evenkeel"));
        command.arg("check").args(words).arg("--help").assert().success();
    }
}

#[test]
fn links_lead_somewhere() {
    for name in DOCUMENTS {
        let text = document(name);
        let base = root().join(name).parent().map(Path::to_owned).unwrap_or_default();
        for link in links(&text) {
            // The references are made by running the scenarios.
            if link.starts_with("https://") || link.starts_with("results/") {
                continue;
            }
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { root().join(name) } else { base.join(file) };
            assert!(target.is_file(), "{name}: {link}");
            if !place.is_empty() {
                let target = std::fs::read_to_string(target).unwrap();
                let mut headings = target.lines().filter(|line| line.starts_with('#')).map(anchor);
                assert!(headings.any(|heading| heading == place), "{name}: {link}");
            }
        }
    }
    let readme = document("README.md");
    let listed: BTreeSet<PathBuf> =
        links(section(&readme, "### Scenarios")).map(|link| root().join(link)).collect();
    let shipped: BTreeSet<PathBuf> = std::fs::read_dir(root().join("scenarios"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "toml"))
        .collect();
    assert_eq!(listed, shipped, "the scenarios of README.md");
}
