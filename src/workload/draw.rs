//! A number that may be drawn once for each seed.

use std::fmt;

use serde::de::{self, MapAccess};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::SettingError;
use crate::random::{Purpose, Stream};

/// A fixed number, or one drawn uniformly between two bounds for each seed:
/// `0.98`, or `{ low = 0.75, high = 0.9 }`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Draw {
    /// The same number under every seed.
    Fixed(f64),
    /// Uniform between the bounds.
    Uniform {
        /// The least value.
        low: f64,
        /// The largest value.
        high: f64,
    },
}

impl Draw {
    /// The value under a seed. `setting` tells draws of one seed apart.
    pub fn value(self, seed: u64, setting: u64) -> f64 {
        match self {
            Self::Fixed(value) => value,
            Self::Uniform { low, high } => {
                let u = Stream::new(seed, Purpose::Settings, setting).next_uniform();
                low + (high - low) * u
            }
        }
    }

    /// Requires every possible value to be finite and at least `least`.
    pub fn require_at_least(self, key: &'static str, least: f64) -> Result<(), SettingError> {
        match self {
            Self::Fixed(value) => SettingError::require_at_least(key, value, least),
            Self::Uniform { low, high } => {
                SettingError::require_at_least(key, low, least)?;
                SettingError::require_at_least(key, high, least)?;
                if low > high {
                    let message = format!("has its low {low} above its high {high}");
                    return Err(SettingError::new(key, message));
                }
                Ok(())
            }
        }
    }
}

impl Serialize for Draw {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        #[derive(Serialize)]
        struct Bounds {
            low: f64,
            high: f64,
        }
        match *self {
            Self::Fixed(value) => serializer.serialize_f64(value),
            Self::Uniform { low, high } => Bounds { low, high }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Draw {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Bounds {
            low: f64,
            high: f64,
        }
        struct Visitor;
        impl<'de> de::Visitor<'de> for Visitor {
            type Value = Draw;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number, or { low = .., high = .. }")
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Draw, E> {
                Ok(Draw::Fixed(value))
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Draw, E> {
                Ok(Draw::Fixed(value as f64))
            }

            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Draw, A::Error> {
                let bounds = Bounds::deserialize(de::value::MapAccessDeserializer::new(map))?;
                Ok(Draw::Uniform { low: bounds.low, high: bounds.high })
            }
        }
        deserializer.deserialize_any(Visitor)
    }
}
