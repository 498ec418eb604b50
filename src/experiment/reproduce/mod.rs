//! Published results, reproduced: a registry of claims, each with an experiment
//! that measures its figures, a tolerance, and a verdict.
//!
//! A claim ([`Claim`]) says where it is from, what was published, what is done
//! about it and what must come out. Its experiment measures every figure with
//! what the other rooms offer: placements, balancers, the optimum, whole
//! simulations; no measured value is written down. The verdict follows from the
//! measured values and the tolerance ([`Outcome`]), and is compared with the one
//! on record, so that a change of the library that moves a result is seen.

mod claim;
mod claims;
mod judge;
mod lab;
mod real;
mod tools;

use std::path::{Path, PathBuf};

pub use claim::{
    Basis, Claim, Expected, ExperimentError, Figure, Measure, Source, Test, Values, Verdict,
};
pub use judge::{Finding, Outcome};
pub use lab::Lab;

use crate::model::InputError;
use crate::scenario::nearest;

/// Every claim of the registry, by document.
pub fn claims() -> Vec<&'static Claim> {
    claims::all()
}

/// What is reproduced, and how.
#[derive(Clone, Copy, Default)]
pub struct ReproduceOptions<'a> {
    /// Ids of the claims to test; all, if there is none.
    pub only: &'a [String],
    /// Fewer seeds.
    pub quick: bool,
    /// A directory with real snapshots, `snapshot-*.csv`.
    pub data: Option<&'a Path>,
    /// Threads to use; by default as many as there are cores.
    pub threads: Option<usize>,
    /// Called with (finished, all) as claims are judged.
    pub progress: Option<&'a (dyn Fn(usize, usize) + Sync)>,
}

/// Why claims could not be tested.
#[derive(Debug, thiserror::Error)]
pub enum ReproduceError {
    /// No claim has this id.
    #[error("there is no claim `{id}`{}; --list shows all", did_you_mean(.nearest))]
    UnknownClaim {
        /// The id.
        id: String,
        /// The id that is most like it.
        nearest: Option<String>,
    },
    /// A real snapshot cannot be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The directory of real snapshots holds none.
    #[error("{}: holds no snapshot-*.csv", .0.display())]
    NoSnapshots(PathBuf),
    /// An experiment failed: a fault of the program.
    #[error("claim `{id}`: {error}")]
    Experiment {
        /// The claim.
        id: &'static str,
        /// Why.
        error: ExperimentError,
    },
    /// The threads cannot be started.
    #[error("cannot start the threads: {0}")]
    Threads(#[from] rayon::ThreadPoolBuildError),
}

fn did_you_mean(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|id| format!("; did you mean `{id}`?")).unwrap_or_default()
}

/// Tests the claims of the registry, in its order; with real snapshots, those about
/// them at the end.
///
/// # Errors
///
/// When an id is unknown, data cannot be read, or an experiment fails.
pub fn reproduce(options: &ReproduceOptions<'_>) -> Result<Vec<Outcome>, ReproduceError> {
    let mut known = claims();
    if options.data.is_some() {
        known.extend(real::CLAIMS);
    }
    reproduce_claims(&known, options)
}

/// Tests these claims, as [`reproduce`] does those of the registry.
///
/// # Errors
///
/// As there.
pub fn reproduce_claims(
    known: &[&'static Claim],
    options: &ReproduceOptions<'_>,
) -> Result<Vec<Outcome>, ReproduceError> {
    let snapshots = match options.data {
        Some(directory) => real::read(directory)?,
        None => Vec::new(),
    };
    let chosen = select(known, options.only)?;
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads.unwrap_or(0)).build()?;
    pool.install(|| {
        let lab = Lab::new(options.quick, snapshots);
        let mut outcomes = Vec::with_capacity(chosen.len());
        for claim in &chosen {
            let fault = |error| ReproduceError::Experiment { id: claim.id, error };
            outcomes.push(test(claim, &lab).map_err(fault)?);
            if let Some(progress) = options.progress {
                progress(outcomes.len(), chosen.len());
            }
        }
        Ok(outcomes)
    })
}

/// Measures and judges one claim.
fn test(claim: &'static Claim, lab: &Lab) -> Result<Outcome, ExperimentError> {
    match claim.test {
        Test::NotModelledYet { .. } => Outcome::of(claim, Vec::new()),
        Test::Run { measure, .. } => Outcome::of(claim, measure(lab)?),
    }
}

/// The claims with these ids, in the order of the registry.
fn select(
    known: &[&'static Claim],
    only: &[String],
) -> Result<Vec<&'static Claim>, ReproduceError> {
    if let Some(id) = only.iter().find(|id| known.iter().all(|claim| claim.id != id.as_str())) {
        let ids: Vec<&str> = known.iter().map(|claim| claim.id).collect();
        let nearest = nearest(id, &ids).map(str::to_owned);
        return Err(ReproduceError::UnknownClaim { id: id.clone(), nearest });
    }
    let is_chosen =
        |claim: &&&'static Claim| only.is_empty() || only.iter().any(|id| id.as_str() == claim.id);
    Ok(known.iter().filter(is_chosen).copied().collect())
}
