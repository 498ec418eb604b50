//! One axis of a sweep: the values that it goes through.

use serde::Deserialize;

use super::number::Unit;
use crate::scenario::error::{Change, Origin, Place};

/// An axis: a name and the values that it goes through.
#[derive(Clone, Debug, PartialEq)]
pub struct Axis {
    /// Its name, a column of the tables.
    pub name: String,
    /// Its values.
    pub levels: Levels,
}

/// The values of an axis.
#[derive(Clone, Debug, PartialEq)]
pub enum Levels {
    /// So many, in order.
    List(Vec<Level>),
    /// All numbers of a range.
    Range(Range),
}

/// One value of an axis.
#[derive(Clone, Debug, PartialEq)]
pub struct Level {
    /// What tables show.
    pub label: String,
    /// Its number, or seconds for a duration; `None` for a word.
    pub number: Option<f64>,
    pub(super) changes: Vec<Change>,
}

/// How the numbers of a range are spread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Curve {
    /// Equal distances.
    #[default]
    Linear,
    /// Equal ratios.
    Log,
}

/// A range of numbers for one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Range {
    pub(super) from: f64,
    pub(super) to: f64,
    pub(super) curve: Curve,
    pub(super) unit: Unit,
    /// The fields that take its numbers.
    pub(super) fields: Vec<Field>,
    /// Where it stands.
    pub(super) place: Place,
}

/// A field that takes the values of an axis.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Field {
    pub(super) path: String,
    /// Where the path stands.
    pub(super) place: Place,
}

impl Field {
    /// The change of this field to a value, given as TOML.
    pub(super) fn set_to(&self, text: &str, value: &Place) -> Change {
        let (path, value) = (self.place.clone(), value.clone());
        let origin = Origin { path, value, path_length: self.path.len() };
        Change { text: format!("{}={text}", self.path), origin: Some(origin) }
    }
}

impl Range {
    /// The number at a share of the range from 0 to 1.
    pub(super) fn at(&self, share: f64) -> f64 {
        let (from, to) = (self.from, self.to);
        match self.curve {
            _ if share == 0.0 => from,
            _ if share == 1.0 => to,
            Curve::Linear => from + (to - from) * share,
            Curve::Log => from * libm::exp(libm::log(to / from) * share),
        }
    }

    /// The number that a uniform draw falls on; each whole number has a part of
    /// the range.
    fn drawn(&self, uniform: f64) -> f64 {
        if self.unit != Unit::Whole {
            return self.unit.rounded(self.at(uniform));
        }
        let (low, high) = (self.from.min(self.to), self.from.max(self.to));
        let parts = Range { from: low, to: high + 1.0, ..self.clone() };
        parts.at(uniform).floor().clamp(low, high)
    }

    pub(super) fn level(&self, value: f64) -> Level {
        let text = self.unit.text(value);
        let toml = match self.unit {
            Unit::Seconds => format!("\"{text}\""),
            Unit::Whole | Unit::Real => text.clone(),
        };
        let changes = self.fields.iter().map(|field| field.set_to(&toml, &self.place)).collect();
        Level { label: text, number: Some(value), changes }
    }
}

impl Axis {
    /// The coordinate of this axis for a uniform number in (0, 1): the position
    /// in a list, or the number of a range.
    pub fn coordinate(&self, uniform: f64) -> f64 {
        match &self.levels {
            Levels::List(levels) => {
                let count = levels.len() as f64;
                (uniform * count).floor().min(count - 1.0)
            }
            Levels::Range(range) => range.drawn(uniform),
        }
    }

    /// How many values there are; `None` for a range.
    pub fn count(&self) -> Option<usize> {
        match &self.levels {
            Levels::List(levels) => Some(levels.len()),
            Levels::Range(_) => None,
        }
    }

    /// The value at a coordinate.
    pub fn level(&self, coordinate: f64) -> Level {
        match &self.levels {
            Levels::List(levels) => levels[coordinate as usize].clone(),
            Levels::Range(range) => range.level(coordinate),
        }
    }

    /// The number at a coordinate, for axes of numbers.
    pub(super) fn number(&self, coordinate: f64) -> f64 {
        match &self.levels {
            Levels::List(levels) => levels[coordinate as usize].number.unwrap_or(f64::NAN),
            Levels::Range(_) => coordinate,
        }
    }

    /// The word at a coordinate of a list.
    pub(super) fn label(&self, coordinate: f64) -> &str {
        match &self.levels {
            Levels::List(levels) => &levels[coordinate as usize].label,
            Levels::Range(_) => "",
        }
    }

    /// Whether all values are numbers or durations.
    pub fn is_numeric(&self) -> bool {
        match &self.levels {
            Levels::List(levels) => levels.iter().all(|level| level.number.is_some()),
            Levels::Range(_) => true,
        }
    }
}
