//! Settings without a scenario: defaults, changed by `PATH=VALUE` arguments.

use serde::Deserialize;
use toml::de::DeTable;

use super::error::{Change, Fault, ScenarioError, Source};
use super::kinds::Kinds;
use super::overrides;
use super::policies::PolicySettings;
use super::section::Section;
use super::settings::read_solver;
use crate::optimum;

/// The settings of a policy and of the solver. A path without dots is one of
/// the policy's.
///
/// # Errors
///
/// When an argument names nothing that can be set, or has no usable value.
pub fn policy_settings(
    kind: &str,
    sets: &[String],
) -> Result<(PolicySettings, optimum::Settings), ScenarioError> {
    let sets = with_prefix(sets, &format!("policy.{kind}"));
    let source = Source::new("defaults", &format!("[[policy]]\nkind = \"{kind}\"\n"), &sets);
    let mut root = open(&source)?;
    let mut policies = root.take_sections("policy", "[[policy]]")?;
    let solver = solver_alone(root, &["policy", "optimum"])?;
    let section = policies.pop().ok_or_else(|| source.fault(0..0, "there is no policy"))?;
    for key in ["start", "start_file"] {
        if section.has(key) {
            let message =
                format!("`{key}` has no use here: shards start where the snapshot has them");
            let help = "use --start for a snapshot that places none";
            return Err(section.places.fault_with_help(key, &message, help).into());
        }
    }
    Ok((PolicySettings::read(section, &[])?, solver))
}

/// The settings of the solver. A path without dots is one of them.
///
/// # Errors
///
/// When an argument names nothing that can be set, or has no usable value.
pub fn solver_settings(sets: &[String]) -> Result<optimum::Settings, ScenarioError> {
    let sets = with_prefix(sets, "optimum.solver");
    Ok(solver_alone(open(&Source::new("defaults", "", &sets))?, &["optimum"])?)
}

/// The kinds of policies, in the order of the documentation.
pub fn policy_kinds() -> &'static [&'static str] {
    <PolicySettings as Kinds>::KINDS
}

/// The kinds of hash placements, in the order of the documentation.
pub fn placement_kinds() -> Vec<&'static str> {
    let is_placement = |kind: &&&str| {
        let settings = policy_settings(kind, &[]);
        settings.is_ok_and(|(settings, _)| settings.placement(0).is_some())
    };
    policy_kinds().iter().filter(is_placement).copied().collect()
}

fn with_prefix(sets: &[String], prefix: &str) -> Vec<Change> {
    let complete = |set: &String| match set.split_once('=') {
        Some((path, _)) if !path.contains('.') => Change::from(&format!("{prefix}.{set}")),
        _ => Change::from(set),
    };
    sets.iter().map(complete).collect()
}

fn open(source: &Source) -> Result<Section<'_>, Box<Fault>> {
    let parsed =
        DeTable::parse(source.file()).map_err(|error| source.fault(0..0, error.message()))?;
    let mut table = parsed.into_inner();
    overrides::apply(source, &mut table)?;
    Ok(Section::new(source, table, 0..0))
}

fn solver_alone(mut root: Section<'_>, also: &[&str]) -> Result<optimum::Settings, Box<Fault>> {
    let mut section = root.take_section("optimum")?;
    let solver = read_solver(&mut section)?;
    section.read(&["solver"], |_: &NothingElse| Ok(()))?;
    root.read(also, |_: &NothingElse| Ok(()))?;
    Ok(solver)
}

/// A table without keys.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NothingElse {}
