//! What a placement is judged by.

use serde::{Deserialize, Serialize};

/// What is minimised.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Metric {
    /// The hottest host's utilisation, as a `hot_ratio`.
    #[default]
    Max,
    /// The sum of squared utilisations around the fleet's, as a `square_ratio`
    /// ([`square_ratio`](crate::model::square_ratio)).
    Squares,
}

impl Metric {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Max, Self::Squares];

    /// The word used in files and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Max => "max",
            Self::Squares => "squares",
        }
    }
}
