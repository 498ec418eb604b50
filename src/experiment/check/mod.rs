//! Checks of a scenario, held against what its run measured. docs/methods.md
//! has the rules. A check without anything to look at fails: none passes
//! because there was nothing to see.

mod baseline;
mod formula;
mod series;
#[cfg(test)]
mod tests;

use crate::metrics::Statistics;
use crate::model::{SimDuration, SimTime};
use crate::scenario::{Bounds, Check, Metric, Reference, Rows, Scenario, Seeds};

use super::lane::Lane;
use super::run::RunResult;
pub use baseline::{
    Comparison, Difference, EXACT, Summaries, SummaryRow, Tolerances, Trend, compare,
};
pub use series::Step;
use series::{View, of_summary, points};

/// Why a check fails without a value beyond its bounds.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
pub enum Problem {
    /// Nothing was measured.
    #[error("no value was taken in the window")]
    NoSamples,
    /// There are no probes.
    #[error("the optimum was not computed: [optimum] has enabled = false")]
    NoOptimum,
    /// A value is missing, NaN or infinite.
    #[error("the value{} is not a number", at(.time))]
    NotANumber {
        /// From when on, for a metric over time.
        time: Option<SimTime>,
    },
    /// The reference is 0, or not a number.
    #[error("there is no ratio: what it is compared with is {reference}")]
    NoRatio {
        /// Its value.
        reference: f64,
    },
    /// The window is not within the run.
    #[error("the run of {duration} is shorter than the window")]
    ShortHistory {
        /// Length of the run.
        duration: SimDuration,
    },
    /// An interval of a single value.
    #[error("an interval needs at least 2 seeds, and there is {count}")]
    TooFewSeeds {
        /// How many there are.
        count: usize,
    },
}

fn at(time: &Option<SimTime>) -> String {
    time.map(|time| format!(" at {}", time - SimTime::ZERO)).unwrap_or_default()
}

impl Problem {
    /// The word for it in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NoSamples | Self::NoOptimum => "no-samples",
            Self::NotANumber { .. } => "not-a-number",
            Self::NoRatio { .. } => "no-ratio",
            Self::ShortHistory { .. } => "short-history",
            Self::TooFewSeeds { .. } => "too-few-seeds",
        }
    }
}

/// How a check ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Verdict {
    /// It holds.
    Passed,
    /// What was measured is beyond the bounds.
    OutOfBounds,
    /// Nothing could be held against the bounds; with the seed, if it is about
    /// one.
    Failed(Problem, Option<u64>),
}

impl Verdict {
    /// The word for it in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Passed => "passed",
            Self::OutOfBounds => "out-of-bounds",
            Self::Failed(problem, _) => problem.as_str(),
        }
    }
}

/// What is held against the bounds, over the seeds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Measured {
    /// Of each seed: the smallest and the largest.
    Each {
        /// The smallest.
        low: f64,
        /// The largest.
        high: f64,
    },
    /// Their mean.
    Mean(f64),
    /// Their mean with its 95 % interval.
    Interval {
        /// The mean.
        mean: f64,
        /// Lower end.
        low: f64,
        /// Upper end.
        high: f64,
    },
}

/// A seed whose own value is beyond the bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Offender {
    /// The seed.
    pub seed: u64,
    /// Its value, in units of the metric.
    pub value: f64,
    /// What that was compared with.
    pub reference: Option<f64>,
    /// When the metric was beyond the bounds, with its values: at most
    /// [`Self::SHOWN`], in order. Empty for metrics without times.
    pub times: Vec<Step>,
    /// How many more there were.
    pub more: usize,
}

impl Offender {
    /// How many times are kept of each.
    pub const SHOWN: usize = 5;
}

/// A check that was carried out.
#[derive(Clone, Debug, PartialEq)]
pub struct Checked {
    /// The check.
    pub check: Check,
    /// What it says.
    pub formula: String,
    /// What was measured: the value, or its ratio to the reference. `None`
    /// where there is no number.
    pub measured: Option<Measured>,
    /// How it ended.
    pub verdict: Verdict,
    /// The seeds that are beyond the bounds, if it failed.
    pub offenders: Vec<Offender>,
}

impl Checked {
    /// Whether it holds.
    pub fn passed(&self) -> bool {
        self.verdict == Verdict::Passed
    }
}

/// Carries out every check of a scenario. O(checks × samples).
pub fn check(scenario: &Scenario, result: &RunResult) -> Vec<Checked> {
    let one = |check: &Check| {
        let formula = formula::formula(check, scenario);
        let check = check.clone();
        match measure(&check, scenario, result) {
            Err((problem, seed)) => Checked {
                check,
                formula,
                measured: None,
                verdict: Verdict::Failed(problem, seed),
                offenders: Vec::new(),
            },
            Ok(seeds) => judge(check, formula, &seeds),
        }
    };
    scenario.checks.iter().map(one).collect()
}

/// The value of one seed.
struct OfSeed {
    seed: u64,
    value: f64,
    reference: Option<f64>,
    /// What the statistic looked at.
    steps: Vec<Step>,
}

impl OfSeed {
    /// What is held against the bounds.
    fn quantity(&self) -> f64 {
        self.reference.map_or(self.value, |reference| self.value / reference)
    }

    fn offender(&self, bounds: Bounds) -> Offender {
        let unit = self.reference.unwrap_or(1.0);
        let mut beyond = self.steps.iter().filter(|step| !bounds.hold(step.value / unit));
        let times: Vec<Step> = beyond.by_ref().take(Offender::SHOWN).copied().collect();
        let more = beyond.count();
        Offender { seed: self.seed, value: self.value, reference: self.reference, times, more }
    }
}

/// The values of every seed.
fn measure(
    check: &Check,
    scenario: &Scenario,
    result: &RunResult,
) -> Result<Vec<OfSeed>, (Problem, Option<u64>)> {
    let lanes = |policy: usize| result.lanes.iter().filter(move |lane| lane.policy == policy);
    let (from, to) = formula::window(check, scenario);
    let duration = scenario.duration();
    let last = check.settings.window.and_then(|window| window.last);
    if to > SimTime::ZERO + duration || from >= to || last.is_some_and(|last| last > duration) {
        return Err((Problem::ShortHistory { duration }, None));
    }
    let one = |lane: &Lane| {
        let (value, steps) = of_lane(check, check.settings.metric, scenario, lane)?;
        let reference = match check.of {
            None => None,
            Some(Reference::Optimum(optimum)) => Some(of_lane(check, optimum, scenario, lane)?.0),
            Some(Reference::Policy(policy)) => {
                let other = lanes(policy).find(|other| other.seed == lane.seed);
                let other = other.ok_or(Problem::NoSamples)?;
                Some(of_lane(check, check.settings.metric, scenario, other)?.0)
            }
        };
        let measured = OfSeed { seed: lane.seed, value, reference, steps };
        match reference {
            Some(reference) if !measured.quantity().is_finite() => {
                Err(Problem::NoRatio { reference })
            }
            _ => Ok(measured),
        }
    };
    let seeds: Vec<OfSeed> = lanes(check.policy)
        .map(|lane| one(lane).map_err(|problem| (problem, Some(lane.seed))))
        .collect::<Result<_, _>>()?;
    match (seeds.len(), check.settings.seeds) {
        (0, _) => Err((Problem::NoSamples, None)),
        (count @ 1, Seeds::Interval) => Err((Problem::TooFewSeeds { count }, None)),
        _ => Ok(seeds),
    }
}

/// The value of a lane, a finite number, and what it was made from.
fn of_lane(
    check: &Check,
    metric: Metric,
    scenario: &Scenario,
    lane: &Lane,
) -> Result<(f64, Vec<Step>), Problem> {
    let (value, steps) = match check.settings.statistic.zip(metric.rows()) {
        None => (of_summary(metric, &lane.summary), Vec::new()),
        Some((statistic, own)) => {
            // A metric and the optimum are compared where both are known.
            let rows = match check.of {
                Some(Reference::Optimum(optimum)) => optimum.rows().unwrap_or(own),
                _ => own,
            };
            if rows != Rows::Samples && !scenario.optimum.enabled {
                return Err(Problem::NoOptimum);
            }
            let (from, to) = formula::window(check, scenario);
            let view = View::new(&points(metric, rows, lane), from, to)?;
            (view.statistic(statistic), view.values(statistic))
        }
    };
    if value.is_finite() { Ok((value, steps)) } else { Err(Problem::NotANumber { time: None }) }
}

/// Holds the values of the seeds, of which there is at least one, against the
/// bounds.
fn judge(check: Check, formula: String, seeds: &[OfSeed]) -> Checked {
    let bounds = check.settings.bounds();
    let quantities: Vec<f64> = seeds.iter().map(OfSeed::quantity).collect();
    let spread = Statistics::default().of(quantities);
    let measured = spread.and_then(|spread| match check.settings.seeds {
        Seeds::Each => Some(Measured::Each { low: spread.min, high: spread.max }),
        Seeds::Mean => Some(Measured::Mean(spread.mean)),
        Seeds::Interval => spread.precision.map(|precision| Measured::Interval {
            mean: spread.mean,
            low: precision.low,
            high: precision.high,
        }),
    });
    let holds = measured.is_some_and(|measured| match measured {
        Measured::Mean(mean) => bounds.hold(mean),
        Measured::Each { low, high } | Measured::Interval { low, high, .. } => {
            bounds.hold(low) && bounds.hold(high)
        }
    });
    let offenders = match holds {
        true => Vec::new(),
        false => {
            let beyond = |seed: &&OfSeed| !bounds.hold(seed.quantity());
            seeds.iter().filter(beyond).map(|seed| seed.offender(bounds)).collect()
        }
    };
    let verdict = if holds { Verdict::Passed } else { Verdict::OutOfBounds };
    Checked { check, formula, measured, verdict, offenders }
}
