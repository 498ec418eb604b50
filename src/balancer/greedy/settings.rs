//! What can be chosen about the greedy balancer.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::GreedyBalancer;
use crate::balancer::start::{self, Start};
use crate::model::{SettingError, SimDuration};

/// Which state of the reference's planner is followed, by the month it was
/// released.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Revision {
    /// The default. Never-measured shards count as an average shard, empty
    /// hosts take part, and shards below `min_move_load` stay.
    #[default]
    #[serde(rename = "2026-08")]
    R2026_08,
    /// The state before: no least load, never-measured shards count nothing,
    /// and a host without any recorded shard is unseen until the imbalance is
    /// severe.
    #[serde(rename = "2026-05")]
    R2026_05,
    /// `2026-08`, with one exchange of two shards when no single move helps.
    #[serde(rename = "swap")]
    Swap,
}

impl Revision {
    /// Every revision, the default first.
    pub const ALL: [Revision; 3] = [Self::R2026_08, Self::R2026_05, Self::Swap];

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::R2026_08 => "2026-08",
            Self::R2026_05 => "2026-05",
            Self::Swap => "swap",
        }
    }
}

/// Settings of the greedy balancer. Names and defaults are the reference's.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GreedySettings {
    /// Which state of the reference's planner is followed.
    pub revision: Revision,
    /// Where the shards lie before the first pass.
    pub start: Start,
    /// The snapshot that `start = "file"` reads owners from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_file: Option<PathBuf>,
    /// Simulated time between passes.
    pub pass_every: SimDuration,
    /// Time constant of the smoothing of reports; 0 takes each as it is.
    pub smoothing: SimDuration,
    /// A host above this share of the mean load gives shards away.
    pub upper_band: f64,
    /// A host below this share of the mean load may receive.
    pub lower_band: f64,
    /// When no host is below the lower band, any active host may receive if
    /// the hottest is at this share of the mean or above; 0 or less: never.
    pub severe_ratio: f64,
    /// Moves a pass, as a share of the shards, rounded up; 0 or less: none.
    pub move_budget: f64,
    /// How long a moved shard stays where it is; 0: it may move at once.
    pub cooldown: SimDuration,
    /// Shards with less load, in units a second, are not worth moving.
    /// Revision `2026-05` does not know it.
    pub min_move_load: f64,
}

impl Default for GreedySettings {
    fn default() -> Self {
        Self {
            revision: Revision::default(),
            start: Start::default(),
            start_file: None,
            pass_every: SimDuration::from_secs(1),
            smoothing: SimDuration::from_secs(60),
            upper_band: 1.15,
            lower_band: 0.90,
            severe_ratio: 1.3,
            move_budget: 0.01,
            cooldown: SimDuration::from_secs(60),
            min_move_load: 0.01,
        }
    }
}

impl GreedySettings {
    /// Checks the ranges. Bands may cross (`lower_band` above `upper_band`):
    /// the reference allows it, and a host in between then gives and does not
    /// receive.
    ///
    /// # Errors
    ///
    /// The first setting that is out of range.
    pub fn check(&self) -> Result<(), SettingError> {
        start::check_start(self.start, self.start_file.as_deref())?;
        start::check_pass_every(self.pass_every)?;
        SettingError::require_above("upper_band", self.upper_band, 0.0)?;
        SettingError::require_above("lower_band", self.lower_band, 0.0)?;
        SettingError::require_at_least("severe_ratio", self.severe_ratio, 0.0)?;
        SettingError::require_at_least("move_budget", self.move_budget, 0.0)?;
        SettingError::require_at_least("min_move_load", self.min_move_load, 0.0)
    }

    /// The balancer with these settings, for a fleet of `shards` shards.
    pub fn build(&self, shards: usize) -> GreedyBalancer {
        GreedyBalancer::new(self.clone(), shards)
    }

    /// The least load that the revision lets move, in units a second.
    pub fn least_load(&self) -> f64 {
        match self.revision {
            Revision::R2026_05 => f64::NEG_INFINITY,
            Revision::R2026_08 | Revision::Swap => self.min_move_load,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_are_written_as_they_are_read() {
        let text = toml::to_string(&GreedySettings::default()).unwrap();
        assert!(text.contains("revision = \"2026-08\""));
        assert!(text.contains("pass_every = \"1s\""));
        assert!(!text.contains("start_file"));
        assert_eq!(toml::from_str::<GreedySettings>(&text).unwrap(), GreedySettings::default());
        assert_eq!(toml::from_str::<GreedySettings>("").unwrap(), GreedySettings::default());
        assert!(toml::from_str::<GreedySettings>("upper = 2.0").is_err());
        for revision in Revision::ALL {
            let text = format!("revision = \"{}\"", revision.as_str());
            assert_eq!(toml::from_str::<GreedySettings>(&text).unwrap().revision, revision);
        }
    }

    #[test]
    fn each_setting_has_its_range() {
        let with = |change: fn(&mut GreedySettings)| {
            let mut settings = GreedySettings::default();
            change(&mut settings);
            settings.check().err().map(|error| error.key)
        };
        assert_eq!(with(|_| ()), None);
        assert_eq!(with(|s| (s.upper_band, s.lower_band) = (0.9, 1.1)), None);
        assert_eq!(with(|s| s.move_budget = 0.0), None);
        assert_eq!(with(|s| s.pass_every = SimDuration::ZERO), Some("pass_every"));
        assert_eq!(with(|s| s.upper_band = 0.0), Some("upper_band"));
        assert_eq!(with(|s| s.lower_band = f64::NAN), Some("lower_band"));
        assert_eq!(with(|s| s.severe_ratio = -1.0), Some("severe_ratio"));
        assert_eq!(with(|s| s.move_budget = f64::INFINITY), Some("move_budget"));
        assert_eq!(with(|s| s.min_move_load = -0.1), Some("min_move_load"));
        assert_eq!(with(|s| s.start = Start::File), Some("start_file"));
        assert_eq!(with(|s| s.start_file = Some("x.csv".into())), Some("start_file"));
    }
}
