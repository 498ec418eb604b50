//! How the points of a sweep are chosen.

use serde::{Deserialize, Serialize};

use crate::model::SettingError;
use crate::scenario::kinds::kinds;

/// The most points that a sweep may have.
pub(super) const MOST_POINTS: u64 = 10_000_000;

/// Every combination of the axes' values.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GridSettings {}

/// Points of a Sobol sequence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SobolSettings {
    /// How many; powers of two fill the space evenly.
    pub points: u32,
}

/// Points that are drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RandomSettings {
    /// How many.
    pub points: u32,
    /// The seed of the draw; not that of the scenario.
    #[serde(default = "one")]
    pub seed: u64,
}

fn one() -> u64 {
    1
}

kinds! {
    /// The design of a sweep, by its kind.
    DesignSettings {
        /// Every combination.
        "grid" => Grid(GridSettings),
        /// One point in each stratum of each axis.
        "latin-hypercube" => LatinHypercube(RandomSettings),
        /// A sequence of low discrepancy.
        "sobol" => Sobol(SobolSettings),
        /// Independent points.
        "random" => Random(RandomSettings),
    }
}

fn check_points(points: u32) -> Result<(), SettingError> {
    if (1..=MOST_POINTS).contains(&u64::from(points)) {
        return Ok(());
    }
    Err(SettingError::new("points", format!("must be from 1 to {MOST_POINTS}, not {points}")))
}

impl GridSettings {
    fn check(&self) -> Result<(), SettingError> {
        Ok(())
    }
}

impl SobolSettings {
    fn check(&self) -> Result<(), SettingError> {
        check_points(self.points)
    }
}

impl RandomSettings {
    fn check(&self) -> Result<(), SettingError> {
        check_points(self.points)?;
        match i64::try_from(self.seed) {
            Ok(_) => Ok(()),
            Err(_) => Err(SettingError::new("seed", "is too large")),
        }
    }
}

impl DesignSettings {
    /// How many points are asked for; `None` for a grid, whose axes say it.
    pub fn points(&self) -> Option<u32> {
        match self {
            Self::Grid(_) => None,
            Self::Sobol(settings) => Some(settings.points),
            Self::LatinHypercube(settings) | Self::Random(settings) => Some(settings.points),
        }
    }
}
