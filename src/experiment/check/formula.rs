//! A check as a formula.

use crate::model::{SimDuration, SimTime, plain};
use crate::scenario::{Check, Reference, Scenario, Seeds};

/// The window of a check with the defaults filled in: after the warmup, up to
/// the end of the run. Its ends may lie beyond the run.
pub(super) fn window(check: &Check, scenario: &Scenario) -> (SimTime, SimTime) {
    let (warmup, duration) = (scenario.run.warmup, scenario.duration());
    let window = check.settings.window.unwrap_or_default();
    let from = match window.last {
        Some(last) => SimDuration(duration.0.saturating_sub(last.0)),
        None => window.from.unwrap_or(warmup),
    };
    let to = window.to.unwrap_or(duration);
    (SimTime::ZERO + from, SimTime::ZERO + to)
}

/// What a check says, as in `max(hot_ratio[greedy], 2m..10m) <= 1.5 for each of
/// 10 seeds`.
pub(super) fn formula(check: &Check, scenario: &Scenario) -> String {
    let settings = &check.settings;
    let of_policy = |index: usize| {
        let name = &scenario.policies[index].name;
        term(check, scenario, &format!("{}[{name}]", settings.metric))
    };
    let value = of_policy(check.policy);
    let reference = check.of.map(|of| match of {
        Reference::Policy(index) => of_policy(index),
        Reference::Optimum(optimum) => term(check, scenario, optimum.as_str()),
    });
    let bound = |bound: f64| match &reference {
        Some(reference) if bound == 1.0 => reference.clone(),
        Some(reference) => format!("{} * {reference}", plain(bound)),
        None => plain(bound),
    };
    let inequality = match (settings.within, settings.min, settings.max) {
        (Some(within), ..) => {
            let reference = reference.as_deref().unwrap_or_default();
            format!("|{value} / {reference} - 1| <= {}", plain(within))
        }
        (None, Some(min), Some(max)) if min == max => format!("{value} = {}", bound(min)),
        (None, Some(min), Some(max)) => format!("{} <= {value} <= {}", bound(min), bound(max)),
        (None, Some(min), None) => format!("{value} >= {}", bound(min)),
        (None, None, Some(max)) => format!("{value} <= {}", bound(max)),
        (None, None, None) => value,
    };
    format!("{inequality} {}", over(settings.seeds, scenario))
}

/// `statistic(what, from..to)`, `statistic(what, last so long)`, or what it is
/// alone.
fn term(check: &Check, scenario: &Scenario, what: &str) -> String {
    let Some(statistic) = check.settings.statistic else { return what.to_owned() };
    if let Some(last) = check.settings.window.and_then(|window| window.last) {
        return format!("{statistic}({what}, last {last})");
    }
    let (from, to) = window(check, scenario);
    format!("{statistic}({what}, {}..{})", from - SimTime::ZERO, to - SimTime::ZERO)
}

fn over(seeds: Seeds, scenario: &Scenario) -> String {
    let count = match scenario.run.replications {
        1 => "1 seed".to_owned(),
        count => format!("{count} seeds"),
    };
    match seeds {
        Seeds::Each if scenario.run.replications == 1 => format!("for {count}"),
        Seeds::Each => format!("for each of {count}"),
        Seeds::Mean => format!("for the mean of {count}"),
        Seeds::Interval => format!("for the 95 % interval of the mean of {count}"),
    }
}
