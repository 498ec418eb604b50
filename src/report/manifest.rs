//! manifest.json: what a run was made of and what it made.

use serde_json::{Value, json};

use super::files::NamedBytes;
use super::redraw::Heading;
use crate::experiment::{InputFile, RunResult, hash, hex};
use crate::model::InputError;
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
        .map(|path| InputFile::read(&scenario.directory, &path))
        .collect::<Result<Vec<InputFile>, InputError>>()?;
    let outputs: Vec<Value> =
        outputs.iter().map(|(name, bytes)| json!({ "file": name, "xxh64": hash(bytes) })).collect();
    let digests: Vec<Value> = result
        .lanes
        .iter()
        .map(|lane| {
            let policy = &scenario.policies[lane.policy].name;
            json!({ "policy": policy, "seed": lane.seed, "digest": hex(lane.digest) })
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
        "scenario_xxh64": hash(text.as_bytes()),
        "seeds": scenario.seeds().collect::<Vec<u64>>(),
        "digests": digests,
        "inputs": inputs,
        "outputs": outputs,
    });
    Ok((MANIFEST.to_owned(), format!("{manifest:#}\n").into_bytes()))
}
