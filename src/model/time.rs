//! Simulated time: whole nanoseconds in a `u64` (584 years), so that adding
//! and comparing are exact.

use std::fmt;
use std::ops::{Add, Sub};
use std::str::FromStr;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

const NANOS_PER_SECOND: u64 = 1_000_000_000;

/// Units of a duration, the largest first.
const UNITS: [(&str, u64); 7] = [
    ("d", 86_400 * NANOS_PER_SECOND),
    ("h", 3_600 * NANOS_PER_SECOND),
    ("m", 60 * NANOS_PER_SECOND),
    ("s", NANOS_PER_SECOND),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
];

/// An instant: nanoseconds since the start of the run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimTime(pub u64);

/// A length of simulated time in nanoseconds.
///
/// Written as a number with a unit: `250ms`, `60s`, `1.5h`, `1h 30m`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SimDuration(pub u64);

impl SimTime {
    /// The start of the run.
    pub const ZERO: SimTime = SimTime(0);

    /// Seconds since the start, rounded to the nearest `f64`.
    pub fn as_secs_f64(self) -> f64 {
        SimDuration(self.0).as_secs_f64()
    }

    /// Time since an earlier instant; zero if `earlier` is not earlier.
    pub fn since(self, earlier: SimTime) -> SimDuration {
        SimDuration(self.0.saturating_sub(earlier.0))
    }
}

impl SimDuration {
    /// No time.
    pub const ZERO: SimDuration = SimDuration(0);

    /// A number of whole seconds.
    pub const fn from_secs(seconds: u64) -> Self {
        SimDuration(seconds * NANOS_PER_SECOND)
    }

    /// A number of seconds, to the nearest nanosecond; `None` when it is
    /// negative, not finite, or longer than 584 years.
    pub fn from_secs_f64(seconds: f64) -> Option<Self> {
        let nanos = seconds * NANOS_PER_SECOND as f64;
        (nanos >= 0.0 && nanos < u64::MAX as f64).then(|| SimDuration(nanos.round() as u64))
    }

    /// Seconds, rounded to the nearest `f64`.
    pub fn as_secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SECOND as f64
    }
}

impl Add<SimDuration> for SimTime {
    type Output = SimTime;

    /// Saturates at the end of time.
    fn add(self, by: SimDuration) -> SimTime {
        SimTime(self.0.saturating_add(by.0))
    }
}

impl Sub for SimTime {
    type Output = SimDuration;

    fn sub(self, earlier: SimTime) -> SimDuration {
        self.since(earlier)
    }
}

/// Why a text is not a duration.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseDurationError {
    /// A number stands without a unit.
    #[error("duration `{0}` has no unit; write for example \"60s\", \"250ms\" or \"1h\"")]
    NoUnit(String),
    /// A unit that is not known.
    #[error("unknown unit `{unit}` in duration `{text}`; units are d, h, m, s, ms, us, ns")]
    UnknownUnit {
        /// The whole text.
        text: String,
        /// The part that should be a unit.
        unit: String,
    },
    /// Not a number with a unit at all.
    #[error("`{0}` is not a duration; write a number and a unit, for example \"60s\"")]
    Malformed(String),
    /// Longer than a `u64` of nanoseconds, or finer than one nanosecond.
    #[error("duration `{0}` cannot be held in whole nanoseconds of 64 bits")]
    OutOfRange(String),
}

impl FromStr for SimDuration {
    type Err = ParseDurationError;

    fn from_str(text: &str) -> Result<Self, ParseDurationError> {
        let malformed = || ParseDurationError::Malformed(text.to_owned());
        let out_of_range = || ParseDurationError::OutOfRange(text.to_owned());
        let mut rest = text.trim();
        if rest.is_empty() {
            return Err(malformed());
        }
        let mut total: u64 = 0;
        while !rest.is_empty() {
            let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
            let (number, tail) = rest.split_at(digits);
            let letters = tail.find(|c: char| !c.is_alphabetic() && c != 'µ').unwrap_or(tail.len());
            let (unit, tail) = tail.split_at(letters);
            if number.is_empty() {
                return Err(malformed());
            }
            if unit.is_empty() {
                return Err(ParseDurationError::NoUnit(text.to_owned()));
            }
            let scale =
                UNITS.iter().find(|(name, _)| *name == unit).map(|(_, scale)| *scale).ok_or_else(
                    || ParseDurationError::UnknownUnit {
                        text: text.to_owned(),
                        unit: unit.to_owned(),
                    },
                )?;
            let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
            if (whole.is_empty() && fraction.is_empty()) || fraction.contains('.') {
                return Err(malformed());
            }
            let whole: u64 = match whole {
                "" => 0,
                digits => digits.parse().map_err(|_| out_of_range())?,
            };
            let mut nanos = whole.checked_mul(scale).ok_or_else(out_of_range)?;
            let mut place = scale;
            for digit in fraction.bytes().map(|b| u64::from(b - b'0')) {
                if digit != 0 && !place.is_multiple_of(10) {
                    return Err(out_of_range());
                }
                place /= 10;
                nanos = nanos.checked_add(digit * place).ok_or_else(out_of_range)?;
            }
            total = total.checked_add(nanos).ok_or_else(out_of_range)?;
            rest = tail.trim_start();
        }
        Ok(SimDuration(total))
    }
}

impl fmt::Display for SimDuration {
    /// The largest unit that gives a whole number: `90s`, `1h`, `250ms`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match UNITS.iter().find(|(_, scale)| self.0 != 0 && self.0.is_multiple_of(*scale)) {
            Some((unit, scale)) => write!(f, "{}{unit}", self.0 / scale),
            None => f.write_str("0s"),
        }
    }
}

impl Serialize for SimDuration {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for SimDuration {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Visitor;
        impl serde::de::Visitor<'_> for Visitor {
            type Value = SimDuration;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a duration: a string with a unit such as \"60s\"")
            }

            fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<SimDuration, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_i64<E: serde::de::Error>(self, number: i64) -> Result<SimDuration, E> {
                Err(E::custom(ParseDurationError::NoUnit(number.to_string())))
            }

            fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<SimDuration, E> {
                Err(E::custom(ParseDurationError::NoUnit(number.to_string())))
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_read_exactly() {
        let read = |text: &str| text.parse::<SimDuration>().map(|d| d.0);
        assert_eq!(read("250ms"), Ok(250_000_000));
        assert_eq!(read("60s"), Ok(60_000_000_000));
        assert_eq!(read("1.5h"), Ok(5_400_000_000_000));
        assert_eq!(read("1h 30m"), Ok(5_400_000_000_000));
        assert_eq!(read("0.1s"), Ok(100_000_000));
        assert_eq!(read("14d"), Ok(14 * 86_400_000_000_000));
        assert_eq!(read("0s"), Ok(0));
        assert!(matches!(read("60"), Err(ParseDurationError::NoUnit(_))));
        assert!(matches!(read("60 parsecs"), Err(ParseDurationError::NoUnit(_))));
        assert!(matches!(read("60parsecs"), Err(ParseDurationError::UnknownUnit { .. })));
        assert!(matches!(read("-1s"), Err(ParseDurationError::Malformed(_))));
        assert!(matches!(read(""), Err(ParseDurationError::Malformed(_))));
        assert!(read(".").is_err());
        assert!(matches!(read("0.5ns"), Err(ParseDurationError::OutOfRange(_))));
        assert!(matches!(read("999999999d"), Err(ParseDurationError::OutOfRange(_))));
    }

    #[test]
    fn a_duration_prints_as_it_is_read() {
        for text in ["250ms", "90s", "1h", "14d", "1us", "7ns", "0s"] {
            let duration: SimDuration = text.parse().unwrap();
            let again: SimDuration = duration.to_string().parse().unwrap();
            assert_eq!(duration, again);
        }
        assert_eq!(SimDuration(90_000_000_000).to_string(), "90s");
        assert_eq!(SimDuration(3_600_000_000_000).to_string(), "1h");
    }
}
