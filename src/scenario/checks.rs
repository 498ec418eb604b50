//! Checks: bounds on what a run measures, for `evenkeel check`.

use serde::{Deserialize, Serialize};

use super::NamedPolicy;
use super::check_words::{Metric, Seeds, Statistic};
use super::error::Fault;
use super::section::{Places, Section};
use crate::model::{SettingError, SimDuration, check_name};

/// The time that a check looks at. Without keys it is that after the warmup.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Window {
    /// Its beginning; by default the end of the warmup.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub from: Option<SimDuration>,
    /// Its end; by default that of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to: Option<SimDuration>,
    /// Its length, when it ends with the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub last: Option<SimDuration>,
}

/// The word in `of` that stands for the optimum.
pub const OPTIMUM: &str = "optimum";

/// The keys of a `[[check]]`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckSettings {
    /// What people call it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The policy that is checked, by name.
    pub policy: String,
    /// What is measured of it.
    pub metric: Metric,
    /// What becomes of the values over time; not for metrics with one value a
    /// seed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    /// The least that is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub min: Option<f64>,
    /// The most that is right.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub max: Option<f64>,
    /// How far from what `of` names is right, as a share of that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<f64>,
    /// Another policy, or `optimum`: bounds are multiples of its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// When.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub window: Option<Window>,
    /// Over which seeds.
    #[serde(default)]
    pub seeds: Seeds,
}

/// What a check compares with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reference {
    /// The same of another policy, by its index.
    Policy(usize),
    /// The optimum of the metric, at the same probes.
    Optimum(Metric),
}

/// The measured values that are right, ends included.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// The least; may be minus infinity.
    pub low: f64,
    /// The most; may be infinity.
    pub high: f64,
}

impl Bounds {
    /// Whether a value is right. NaN never is.
    pub fn hold(self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }
}

/// A check of a scenario, whose names are those of policies that there are.
#[derive(Clone, Debug, PartialEq)]
pub struct Check {
    /// Its keys.
    pub settings: CheckSettings,
    /// Index of the policy.
    pub policy: usize,
    /// What it compares with.
    pub of: Option<Reference>,
    /// The line of the scenario that it begins on; `None` for one that an
    /// argument made.
    pub line: Option<usize>,
}

impl CheckSettings {
    /// What is right for the value, or for its ratio to the reference.
    pub fn bounds(&self) -> Bounds {
        match self.within {
            Some(within) => Bounds { low: 1.0 - within, high: 1.0 + within },
            None => Bounds {
                low: self.min.unwrap_or(f64::NEG_INFINITY),
                high: self.max.unwrap_or(f64::INFINITY),
            },
        }
    }

    fn check(&self) -> Result<(), SettingError> {
        let fault = |key, message: String| Err(SettingError::new(key, message));
        if let Some(name) = &self.name {
            check_name(name).map_err(|rule| SettingError::new("name", rule))?;
        }
        for (key, bound) in [("min", self.min), ("max", self.max)] {
            if bound.is_some_and(|bound| !bound.is_finite()) {
                return fault(key, "must be a finite number".to_owned());
            }
        }
        if let (Some(min), Some(max)) = (self.min, self.max)
            && min > max
        {
            return fault("min", format!("of {min} is above `max` of {max}: nothing would pass"));
        }
        if let Some(within) = self.within {
            SettingError::require_at_least("within", within, 0.0)?;
            if self.min.is_some() || self.max.is_some() {
                return fault("within", "cannot stand beside `min` or `max`".to_owned());
            }
        }
        self.check_window()
    }

    fn check_window(&self) -> Result<(), SettingError> {
        let Some(Window { from, to, last }) = self.window else { return Ok(()) };
        let fault = |message: String| Err(SettingError::new("window", message));
        if last.is_some() && (from.is_some() || to.is_some()) {
            return fault("has either `last`, or `from` and `to`".to_owned());
        }
        if last == Some(SimDuration::ZERO) || to == Some(SimDuration::ZERO) {
            return fault("must be longer than 0s".to_owned());
        }
        match (from, to) {
            (Some(from), Some(to)) if from >= to => {
                fault(format!("from {from} to {to} is empty: `from` must be before `to`"))
            }
            _ => Ok(()),
        }
    }
}

/// Reads every `[[check]]`; a window begins after the warmup if it does not say.
pub(super) fn read(
    sections: Vec<Section<'_>>,
    policies: &[NamedPolicy],
    warmup: SimDuration,
) -> Result<Vec<Check>, Box<Fault>> {
    sections
        .into_iter()
        .map(|section| {
            let (settings, places) = section.read(&[], CheckSettings::check)?;
            check_metric(&settings, &places)?;
            if let Some(Window { from: None, to: Some(to), .. }) = settings.window
                && to <= warmup
            {
                let message = format!("the window to {to} ends before the warmup of {warmup} does");
                return Err(places.fault_with_help("window", &message, "write `from` too"));
            }
            let names: Vec<&str> = policies.iter().map(|policy| policy.name.as_str()).collect();
            let index = |name: &str| names.iter().position(|known| *known == name);
            let policy = index(&settings.policy)
                .ok_or_else(|| places.unknown("policy", "policy", &settings.policy, &names))?;
            let of = match settings.of.as_deref() {
                None => None,
                Some(name) => Some(reference(name, &settings, &names, &places)?),
            };
            Ok(Check { policy, of, line: places.line(), settings })
        })
        .collect()
}

/// Whether statistic, window and bounds go with the metric.
fn check_metric(settings: &CheckSettings, places: &Places<'_>) -> Result<(), Box<Fault>> {
    let CheckSettings { metric, statistic, window, min, max, within, of, .. } = settings;
    if metric.rows().is_none() {
        let message = format!("`{metric}` is one value a seed, of all the time after the warmup");
        let help = "leave it out, or take a metric of timeseries.csv or optimum.csv";
        let extra = statistic.map(|_| "statistic").or(window.map(|_| "window"));
        if let Some(key) = extra {
            return Err(places.fault_with_help(key, &message, help));
        }
    }
    if statistic.is_none() && (!metric.is_summary() || window.is_some()) {
        let help = "say what becomes of the values over time: statistic = \"mean\", \"max\", ...";
        return Err(places.fault_with_help("metric", "missing key `statistic`", help));
    }
    if min.is_none() && max.is_none() && within.is_none() {
        let help = "write `max`, `min`, or `within` and `of`";
        return Err(places.fault_with_help("", "the check has no bound", help));
    }
    if within.is_some() && of.is_none() {
        let help = "name another policy, or \"optimum\", in `of`";
        return Err(places.fault_with_help("within", "`within` of what?", help));
    }
    Ok(())
}

fn reference(
    name: &str,
    settings: &CheckSettings,
    names: &[&str],
    places: &Places<'_>,
) -> Result<Reference, Box<Fault>> {
    if name == settings.policy {
        return Err(places.fault("of", "a policy compared with itself always passes"));
    }
    let policy = names.iter().position(|known| *known == name);
    match (name, policy) {
        (OPTIMUM, Some(_)) => {
            let help = "give that policy another name";
            Err(places.fault_with_help("of", "`optimum` is both a policy and the optimum", help))
        }
        (OPTIMUM, None) => match settings.metric.optimum() {
            Some(optimum) => Ok(Reference::Optimum(optimum)),
            None => {
                let message = format!("`{}` has no optimum", settings.metric);
                let help = "only `hot_ratio` and `square_ratio` have one";
                Err(places.fault_with_help("of", &message, help))
            }
        },
        (_, Some(policy)) => Ok(Reference::Policy(policy)),
        (_, None) => {
            let known: Vec<&str> = names.iter().copied().chain([OPTIMUM]).collect();
            Err(places.unknown("of", "policy", name, &known))
        }
    }
}
