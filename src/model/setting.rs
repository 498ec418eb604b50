//! How a room says that one of its settings is out of range.

/// A setting that has the right type but not a usable value. Each room checks
/// its own settings and returns this; whoever read them adds the place.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{key}` {message}")]
pub struct SettingError {
    /// The key as written in a scenario.
    pub key: &'static str,
    /// What is wrong and what to do, continuing a sentence that begins with
    /// the key: "must be above 0, not -1".
    pub message: String,
}

impl SettingError {
    /// An error about one key.
    pub fn new(key: &'static str, message: impl Into<String>) -> Self {
        Self { key, message: message.into() }
    }

    /// Requires a finite number of at least `least`.
    pub fn require_at_least(key: &'static str, value: f64, least: f64) -> Result<(), Self> {
        if value.is_finite() && value >= least {
            return Ok(());
        }
        Err(Self::new(key, format!("must be a finite number of at least {least}, not {value}")))
    }

    /// Requires a finite number above `bound`.
    pub fn require_above(key: &'static str, value: f64, bound: f64) -> Result<(), Self> {
        if value.is_finite() && value > bound {
            return Ok(());
        }
        Err(Self::new(key, format!("must be a finite number above {bound}, not {value}")))
    }
}
