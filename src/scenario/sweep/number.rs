//! Numbers and durations as values of an axis.

use toml::de::DeValue;

use crate::model::{SimDuration, plain, twelve_digits};

/// What a number stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Unit {
    /// A TOML integer.
    Whole,
    /// A TOML float.
    Real,
    /// A duration, counted in seconds.
    Seconds,
}

/// A number with its unit.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Number {
    pub(super) value: f64,
    pub(super) unit: Unit,
}

impl Number {
    /// The number that a TOML value is, if it is one.
    pub(super) fn of(value: &DeValue<'_>) -> Option<Self> {
        let number = |value, unit| Some(Self { value, unit });
        match value {
            DeValue::Integer(text) => {
                let value = i64::from_str_radix(text.as_str(), text.radix()).ok()?;
                number(value as f64, Unit::Whole)
            }
            DeValue::Float(text) => number(text.as_str().parse().ok()?, Unit::Real),
            DeValue::String(text) => {
                let duration: SimDuration = text.parse().ok()?;
                number(duration.as_secs_f64(), Unit::Seconds)
            }
            _ => None,
        }
    }
}

impl Unit {
    /// The unit of a range between the two; `None` if they do not mix.
    pub(super) fn with(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Whole, Self::Real) | (Self::Real, Self::Whole) => Some(Self::Real),
            (a, b) => (a == b).then_some(a),
        }
    }

    /// The nearest number that has a short text.
    pub(super) fn rounded(self, value: f64) -> f64 {
        match self {
            Self::Whole => value.round(),
            Self::Real | Self::Seconds => twelve_digits(value),
        }
    }

    /// A number as tables and scenarios write it.
    pub(super) fn text(self, value: f64) -> String {
        match self {
            Self::Whole | Self::Real => plain(value),
            Self::Seconds => SimDuration::from_secs_f64(value).unwrap_or_default().to_string(),
        }
    }
}
