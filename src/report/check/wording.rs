//! Words for checks that several reports use.

use crate::experiment::{Checked, Difference, EXACT, Measured, Offender, Step, Verdict};
use crate::model::{SimTime, plain};
use crate::scenario::Bounds;

/// A number for people: six significant digits.
fn short(value: f64) -> String {
    // What is written by `{:e}` is a number.
    let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
    plain(rounded)
}

/// A number beside its bounds: with all its digits where fewer would put it on
/// the other side.
fn beside(bounds: Bounds, value: f64) -> String {
    let text = short(value);
    match text.parse().is_ok_and(|rounded| bounds.hold(rounded) == bounds.hold(value)) {
        true => text,
        false => plain(value),
    }
}

/// What people call a check: its name or its formula.
pub(super) fn title(checked: &Checked) -> &str {
    checked.check.settings.name.as_deref().unwrap_or(&checked.formula)
}

/// What was measured, or why nothing was.
pub(super) fn measured(checked: &Checked) -> String {
    let bounds = checked.check.settings.bounds();
    let shown = |value| beside(bounds, value);
    let range = |low, high| match (shown(low), shown(high)) {
        (low, high) if low == high => low,
        (low, high) => format!("{low} to {high}"),
    };
    let what = if checked.check.of.is_some() { "ratio " } else { "" };
    match (checked.measured, checked.verdict) {
        (_, Verdict::Failed(problem, Some(seed))) => {
            format!("not measured: {problem} (seed {seed})")
        }
        (_, Verdict::Failed(problem, None)) => format!("not measured: {problem}"),
        (None, _) => "not measured".to_owned(),
        (Some(Measured::Each { low, high }), _) => format!("measured {what}{}", range(low, high)),
        (Some(Measured::Mean(mean)), _) => format!("measured mean {what}{}", shown(mean)),
        (Some(Measured::Interval { mean, low, high }), _) => {
            format!("measured mean {what}{}, interval {}", short(mean), range(low, high))
        }
    }
}

/// The seeds that are beyond the bounds, a line each.
pub(super) fn offenders(checked: &Checked) -> Vec<String> {
    let bounds = checked.check.settings.bounds();
    checked.offenders.iter().map(|offender| seed(bounds, offender)).collect()
}

fn seed(bounds: Bounds, offender: &Offender) -> String {
    let Offender { seed, value, reference, times, more } = offender;
    let mut text = match reference {
        None => format!("seed {seed}: {}", beside(bounds, *value)),
        Some(reference) => {
            let ratio = beside(bounds, value / reference);
            format!("seed {seed}: {} / {} = {ratio}", short(*value), short(*reference))
        }
    };
    let unit = reference.unwrap_or(1.0);
    let scaled = Bounds { low: bounds.low * unit, high: bounds.high * unit };
    let during = |step: &Step| {
        let [since, until] = [step.since, step.until].map(|time| time - SimTime::ZERO);
        let value = beside(scaled, step.value);
        match since == until {
            true => format!("{value} at {since}"),
            false => format!("{value} in {since}..{until}"),
        }
    };
    let mut times: Vec<String> = times.iter().map(during).collect();
    if *more > 0 {
        times.push(format!("and {more} times more"));
    }
    if !times.is_empty() {
        text.push_str(&format!(" ({})", times.join(", ")));
    }
    text
}

/// The message of a check that failed: formula, value, seeds.
pub(super) fn message(checked: &Checked) -> String {
    let mut lines = vec![checked.formula.clone(), measured(checked)];
    lines.extend(offenders(checked));
    lines.join("\n")
}

/// The cells of a difference: before, after, change, seeds.
pub(super) fn cells(difference: &Difference) -> [String; 4] {
    let Difference { before, after, share, seeds, worse, better, .. } = difference;
    let change = match share {
        _ if difference.change.abs() <= EXACT => "0 %".to_owned(),
        share if share.is_finite() => format!("{:+.2} %", share * 100.0),
        _ => format!("{:+}", difference.change),
    };
    let of_seeds = format!("{worse} worse, {better} better of {seeds}");
    [short(*before), short(*after), change, of_seeds]
}

/// A difference in a line.
pub(super) fn line(difference: &Difference) -> String {
    let [before, after, change, seeds] = cells(difference);
    let Difference { metric, trend, .. } = difference;
    format!("{metric} {}: {before} to {after} ({change}; seeds: {seeds})", trend.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_never_hides_on_which_side_a_value_is() {
        let at_most = |high| Bounds { low: f64::NEG_INFINITY, high };
        assert_eq!(beside(at_most(1.5), 1.234_567_89), "1.23457");
        assert_eq!(beside(at_most(1.5), 1.500_000_001), "1.500000001");
        assert_eq!(beside(at_most(1.234_566), 1.234_565_9), "1.2345659");
        assert_eq!(short(-0.0), "0");
        assert_eq!(short(123_456_789.0), "123457000");
    }
}
