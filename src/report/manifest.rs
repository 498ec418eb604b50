//! manifest.json: what a run was made of and what it made.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use xxhash_rust::xxh64::xxh64;

use super::files::NamedBytes;
use super::redraw::Heading;
use super::tables::digest;
use crate::experiment::RunResult;
use crate::model::{InputError, read_text};
use crate::scenario::Scenario;

/// Name of the manifest.
pub const MANIFEST: &str = "manifest.json";

/// The manifest of a run. It holds nothing that differs between two runs of
/// the same version, scenario and seed: no times, no paths of the machine.
///
/// # Errors
///
/// When an input file cannot be read a second time.
pub fn manifest(
    scenario: &Scenario,
    result: &RunResult,
    outputs: &[NamedBytes],
) -> Result<NamedBytes, InputError> {
    let text = scenario.to_toml();
    let inputs = scenario
        .input_files()
        .into_iter()
        .map(|path: PathBuf| {
            let content = read_text(&scenario.directory.join(&path))?;
            // A path of the machine must not make two runs differ.
            let file = if path.is_absolute() { Path::new(path.file_name().unwrap_or_default()) } else { &path };
            Ok(json!({ "file": file.display().to_string(), "xxh64": digest(xxh64(content.as_bytes(), 0)) }))
        })
        .collect::<Result<Vec<Value>, InputError>>()?;
    let outputs: Vec<Value> = outputs
        .iter()
        .map(|(name, bytes)| json!({ "file": name, "xxh64": digest(xxh64(bytes, 0)) }))
        .collect();
    let digests: Vec<Value> = result
        .lanes
        .iter()
        .map(|lane| {
            let policy = &scenario.policies[lane.policy].name;
            json!({ "policy": policy, "seed": lane.seed, "digest": digest(lane.digest) })
        })
        .collect();
    let heading = Heading::of(scenario);
    let manifest = json!({
        "program": "evenkeel",
        "version": env!("CARGO_PKG_VERSION"),
        "features": [],
        "scenario": scenario.run.name,
        "title": heading.title,
        "size": heading.size,
        "bands": heading.bands,
        "scenario_text": text,
        "scenario_xxh64": digest(xxh64(text.as_bytes(), 0)),
        "seeds": scenario.seeds().collect::<Vec<u64>>(),
        "digests": digests,
        "inputs": inputs,
        "outputs": outputs,
    });
    Ok((MANIFEST.to_owned(), format!("{manifest:#}\n").into_bytes()))
}
