//! Scales and ticks. Plotters computes its ticks with the platform's `log10`
//! and `powf`, which differ between machines; these use products only, and `libm` for logarithmic scales.

use super::number;

/// How values spread along an axis.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Curve {
    Linear,
    /// Logarithm of 1 + the distance from the origin: the origin has a place, and
    /// values a thousandfold apart are both readable. From the origin 1 it is
    /// the usual logarithmic scale.
    Log,
}

impl Curve {
    /// The curve for lines at these distances from the origin, of which the
    /// axis must hold `largest`: a logarithm when that is more than twenty times
    /// the (lower) median of those above zero.
    pub(super) fn for_values(values: impl IntoIterator<Item = f64>, largest: f64) -> Self {
        let is_usable = |value: &f64| value.is_finite() && *value > 0.0;
        let mut positive: Vec<f64> = values.into_iter().filter(is_usable).collect();
        positive.sort_by(f64::total_cmp);
        match positive.get(positive.len().saturating_sub(1) / 2) {
            Some(&median) if largest > 20.0 * median => Curve::Log,
            _ => Curve::Linear,
        }
    }

    fn bend(self, distance: f64) -> f64 {
        match self {
            Curve::Linear => distance,
            Curve::Log => libm::log1p(distance.abs()).copysign(distance),
        }
    }
}

/// From values to pixels.
#[derive(Clone, Copy, Debug)]
pub(super) struct Scale {
    curve: Curve,
    /// Where the logarithm starts: a whole number.
    origin: f64,
    low: f64,
    high: f64,
    /// Pixels at `low` and `high`.
    from: f64,
    to: f64,
}

impl Scale {
    /// A scale of `low..high` (finite, `low < high`) onto pixels `from..to`.
    pub(super) fn new(curve: Curve, origin: f64, range: (f64, f64), pixels: (f64, f64)) -> Self {
        let ((low, high), (from, to)) = (range, pixels);
        Scale { curve, origin, low, high, from, to }
    }

    /// The pixel of a value; values outside the range go to its ends.
    pub(super) fn at(&self, value: f64) -> f64 {
        let bend = |v: f64| self.curve.bend(v - self.origin);
        let (low, high) = (bend(self.low), bend(self.high));
        let share = (bend(value.clamp(self.low, self.high)) - low) / (high - low);
        self.from + share * (self.to - self.from)
    }

    /// The ticks, no closer than `gap` pixels; `whole` allows integers only.
    pub(super) fn ticks(&self, gap: f64, whole: bool) -> Vec<Tick> {
        let room = (self.to - self.from).abs();
        match self.curve {
            Curve::Linear => {
                let most = (room / gap).floor().max(1.0);
                Step::decimal(self.high - self.low, most, whole).ticks(self.low, self.high)
            }
            Curve::Log => self.log_ticks(gap, whole),
        }
    }

    /// The origin, and above it of 1, 2, 5 x 10^k, of 10^k and of 10^2k those
    /// of which most have room.
    fn log_ticks(&self, gap: f64, whole: bool) -> Vec<Tick> {
        let mut ticks = [(&[5, 2, 1][..], 1), (&[1], 1), (&[1], 2)]
            .map(|(mantissas, decades)| self.log_ticks_of(mantissas, decades, gap, whole))
            .into_iter()
            .reduce(|most, ticks| if ticks.len() > most.len() { ticks } else { most })
            .unwrap_or_default();
        ticks.push(Tick::new(self.origin as i64, 0));
        ticks.reverse();
        ticks
    }

    /// From the top down, where ticks lie closer and closer, while there is room.
    fn log_ticks_of(&self, mantissas: &[i64], decades: i32, gap: f64, whole: bool) -> Vec<Tick> {
        let top = Step::exponent_below(self.high);
        let mut ticks = Vec::new();
        let mut above = f64::INFINITY;
        for exponent in (top - 12..=top).rev().filter(|exponent| exponent % decades == 0) {
            for &mantissa in mantissas {
                let tick = Tick::new(mantissa, exponent);
                let distance = (self.at(tick.value) - self.at(self.origin)).abs();
                if tick.value > self.high {
                    continue;
                }
                let has_room = distance >= gap && above - distance >= gap;
                if tick.value <= self.origin || (whole && exponent < 0) || !has_room {
                    return ticks;
                }
                above = distance;
                ticks.push(tick);
            }
        }
        ticks
    }
}

/// A labelled place on an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Tick {
    pub(super) value: f64,
    pub(super) label: String,
}

impl Tick {
    /// The tick at `mantissa` x 10^`exponent`.
    fn new(mantissa: i64, exponent: i32) -> Self {
        Tick {
            value: scaled(mantissa as f64, exponent),
            label: number::decimal(mantissa, exponent),
        }
    }
}

/// The distance between ticks: `mantissa` x 10^`exponent`, exactly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    pub(super) mantissa: i64,
    pub(super) exponent: i32,
}

impl Step {
    /// The smallest of 1, 2, 2.5, 5 x 10^k that cuts `span` (above 0) into at
    /// most `most` pieces.
    pub(super) fn decimal(span: f64, most: f64, whole: bool) -> Step {
        let exponent = Step::exponent_below(span / most);
        let steps = [(1, 0), (2, 0), (25, -1), (5, 0), (1, 1), (2, 1)];
        steps
            .map(|(mantissa, shift)| Step { mantissa, exponent: exponent + shift })
            .into_iter()
            .find(|step| span / step.size() <= most && (!whole || step.exponent >= 0))
            .unwrap_or(Step { mantissa: 1, exponent: if whole { 0 } else { exponent + 1 } })
    }

    /// The largest k with 10^k <= value, for a finite value above 0.
    pub(super) fn exponent_below(value: f64) -> i32 {
        let mut exponent = 0;
        while exponent > -308 && scaled(1.0, exponent) > value {
            exponent -= 1;
        }
        while exponent < 308 && scaled(1.0, exponent + 1) <= value {
            exponent += 1;
        }
        exponent
    }

    pub(super) fn size(self) -> f64 {
        scaled(self.mantissa as f64, self.exponent)
    }

    /// The multiples of the step within `low..=high`.
    pub(super) fn ticks(self, low: f64, high: f64) -> Vec<Tick> {
        // A little slack, so that rounding never drops a tick at the very end.
        let slack = 1e-9;
        let first = (low / self.size() - slack).ceil();
        let last = (high / self.size() + slack).floor();
        // Labels are exact while the multiples are whole numbers in f64.
        if !(first.abs() < 1e12 && last.abs() < 1e12) {
            return Vec::new();
        }
        (first as i64..=last as i64)
            .take(100)
            .map(|n| Tick::new(n * self.mantissa, self.exponent))
            .collect()
    }
}

/// `mantissa` x 10^`exponent` by products and quotients alone.
fn scaled(mantissa: f64, exponent: i32) -> f64 {
    let power = (0..exponent.unsigned_abs()).fold(1.0, |power, _| power * 10.0);
    if exponent < 0 { mantissa / power } else { mantissa * power }
}

/// The unit of a time axis and its ticks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct TimeUnit {
    pub(super) name: &'static str,
    seconds: f64,
    /// Steps that read well in this unit; empty for decimal ones.
    steps: &'static [i64],
}

const TIME_UNITS: [TimeUnit; 4] = [
    TimeUnit { name: "days", seconds: 86_400.0, steps: &[] },
    TimeUnit { name: "h", seconds: 3_600.0, steps: &[1, 2, 3, 4, 6, 12, 24] },
    TimeUnit { name: "min", seconds: 60.0, steps: &[1, 2, 5, 10, 15, 20, 30, 60] },
    TimeUnit { name: "s", seconds: 1.0, steps: &[] },
];

impl TimeUnit {
    /// The largest unit of which the span holds at least three.
    pub(super) fn for_span(seconds: f64) -> Self {
        let [.., second] = TIME_UNITS;
        TIME_UNITS.into_iter().find(|unit| seconds >= 3.0 * unit.seconds).unwrap_or(second)
    }

    /// A round length of at least `seconds`: how many of this unit.
    fn round_length(self, seconds: f64) -> Step {
        let units = seconds / self.seconds;
        self.steps
            .iter()
            .map(|&mantissa| Step { mantissa, exponent: 0 })
            .find(|step| step.size() >= units)
            .unwrap_or_else(|| Step::decimal(units, 1.0, false))
    }

    /// Ticks over `low..=high` seconds, at most `most` pieces; values in seconds.
    pub(super) fn ticks(self, low: f64, high: f64, most: f64) -> Vec<Tick> {
        let step = self.round_length((high - low) / most);
        let mut ticks = step.ticks(low / self.seconds, high / self.seconds);
        for tick in &mut ticks {
            tick.value *= self.seconds;
        }
        ticks
    }
}

/// A round length of time of at least `seconds` (above 0): its seconds, and its
/// text as in `15 min`.
pub(super) fn round_duration(seconds: f64) -> (f64, String) {
    let [.., second] = TIME_UNITS;
    let unit = TIME_UNITS.into_iter().find(|unit| seconds >= unit.seconds).unwrap_or(second);
    let step = unit.round_length(seconds);
    let text = format!("{} {}", number::decimal(step.mantissa, step.exponent), unit.name);
    (step.size() * unit.seconds, text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(ticks: &[Tick]) -> Vec<&str> {
        ticks.iter().map(|tick| tick.label.as_str()).collect()
    }

    fn linear(low: f64, high: f64, whole: bool) -> Vec<Tick> {
        Scale::new(Curve::Linear, 0.0, (low, high), (300.0, 0.0)).ticks(50.0, whole)
    }

    #[test]
    fn linear_ticks_are_round() {
        assert_eq!(labels(&linear(1.0, 2.4, false)), ["1", "1.25", "1.5", "1.75", "2", "2.25"]);
        assert_eq!(labels(&linear(0.0, 460.0, true)), ["0", "100", "200", "300", "400"]);
        assert_eq!(labels(&linear(0.0, 2.0, true)), ["0", "1", "2"]);
        assert_eq!(
            labels(&linear(0.0, 0.003, false)),
            ["0", "0.0005", "0.001", "0.0015", "0.002", "0.0025", "0.003"]
        );
        assert_eq!(labels(&linear(-1.0, 1.0, false)), ["−1", "−0.5", "0", "0.5", "1"]);
        assert_eq!(labels(&linear(0.0, 3e15, false))[1], "5e14");
    }

    #[test]
    fn whole_steps_never_fall_below_one() {
        for high in [0.5, 1.0, 3.0, 7.0, 12.0, 26.0] {
            assert!(linear(0.0, high, true).iter().all(|tick| tick.value.fract() == 0.0));
        }
    }

    #[test]
    fn logarithms_show_small_and_large() {
        let scale = Scale::new(Curve::Log, 0.0, (0.0, 999.0), (0.0, 300.0));
        assert_eq!(scale.at(0.0), 0.0);
        assert!((scale.at(9.0) - 100.0).abs() < 1e-9);
        assert_eq!(labels(&scale.ticks(40.0, true)), ["0", "10", "100"]);
        assert_eq!(labels(&scale.ticks(20.0, true))[..5], ["0", "2", "5", "10", "20"]);
        let above_one = Scale::new(Curve::Log, 1.0, (1.0, 100.0), (0.0, 300.0));
        assert!((above_one.at(10.0) - 150.0).abs() < 1e-9);
        assert_eq!(labels(&above_one.ticks(40.0, false)), ["1", "2", "5", "10", "20", "50", "100"]);
    }

    #[test]
    fn curve_is_a_logarithm_only_when_needed() {
        assert_eq!(Curve::for_values([460.0, 40.0, 0.0], 460.0), Curve::Linear);
        assert_eq!(Curve::for_values([5000.0, 40.0, 30.0], 5000.0), Curve::Log);
        assert_eq!(Curve::for_values([], 0.0), Curve::Linear);
        assert_eq!(Curve::for_values([f64::NAN, 1.0, f64::INFINITY], 2.0), Curve::Linear);
    }

    #[test]
    fn time_units_follow_the_length() {
        assert_eq!(TimeUnit::for_span(90.0).name, "s");
        assert_eq!(TimeUnit::for_span(600.0).name, "min");
        assert_eq!(TimeUnit::for_span(86_400.0).name, "h");
        assert_eq!(TimeUnit::for_span(14.0 * 86_400.0).name, "days");
        let day = TimeUnit::for_span(86_400.0).ticks(0.0, 86_400.0, 8.0);
        assert_eq!(labels(&day), ["0", "3", "6", "9", "12", "15", "18", "21", "24"]);
        assert_eq!(round_duration(3_400.0), (3_600.0, "60 min".to_owned()));
        assert_eq!(round_duration(7_300.0), (10_800.0, "3 h".to_owned()));
        assert_eq!(round_duration(0.3), (0.5, "0.5 s".to_owned()));
        let short = TimeUnit::for_span(0.004).ticks(0.0, 0.004, 8.0);
        assert_eq!(labels(&short).last(), Some(&"0.004"));
    }
}
