//! How a room says that one of its settings is out of range.

use super::measure::{self, plain};

/// A setting that has the right type but not a usable value. Each room checks
/// its own settings and returns this; whoever read them adds the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` {message}")]
pub struct SettingError {
    /// The key as written in a scenario.
    pub key: &'static str,
    /// Which item is at fault, counted from 0, where the value is a list.
    pub item: Option<usize>,
    /// What is wrong and what to do, continuing a sentence that begins with
    /// the key: "must be above 0, not -1".
    pub message: String,
}

impl SettingError {
    /// An error about one key.
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, item: None, message: message.into() }
    }

    /// An error about one item of a list.
    pub fn item(key: &'static str, item: usize, message: impl Into<String>) -> Self {
        Self { item: Some(item), ..Self::new(key, message) }
    }

    /// Requires a finite number of at least `least`.
    pub fn require_at_least(key: &'static str, value: f64, least: f64) -> Result<(), Self> {
        if value.is_finite() && value >= least {
            return Ok(());
        }
        Err(Self::new(
            key,
            format!("must be a finite number of at least {}, not {}", plain(least), plain(value)),
        ))
    }

    /// Requires a finite number of at most `most`.
    pub fn require_at_most(key: &'static str, value: f64, most: f64) -> Result<(), Self> {
        if value.is_finite() && value <= most {
            return Ok(());
        }
        Err(Self::new(
            key,
            format!("must be a finite number of at most {}, not {}", plain(most), plain(value)),
        ))
    }

    /// Requires a finite number above `bound`.
    pub fn require_above(key: &'static str, value: f64, bound: f64) -> Result<(), Self> {
        if value.is_finite() && value > bound {
            return Ok(());
        }
        Err(Self::new(
            key,
            format!("must be a finite number above {}, not {}", plain(bound), plain(value)),
        ))
    }

    /// Requires a load: 0, or within the range that is computed with.
    pub fn require_load(key: &'static str, value: f64) -> Result<(), Self> {
        measure::check_load(value).map_err(|rule| Self::new(key, rule))
    }

    /// Requires a capacity: above 0, within the range that is computed with.
    pub fn require_capacity(key: &'static str, value: f64) -> Result<(), Self> {
        measure::check_capacity(value).map_err(|rule| Self::new(key, rule))
    }
}
