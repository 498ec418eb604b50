//! What local searches within a budget may use.

/// Shards of a pair of hosts whose examination counts as one step: a pair with
/// more of them takes several, so that a step costs about the same everywhere.
pub(super) const SHARDS_PER_STEP: usize = 32;

/// Shards that a kick moves, at most.
pub(super) const KICK: usize = 4;

/// The limits of a local search.
pub(super) struct Allowance {
    /// What the moves may cost.
    pub(super) cost: f64,
    /// The value at which to stop: a level, or a sum of squares.
    pub(super) target: f64,
    /// Pairs of hosts to examine, at most.
    pub(super) steps: u64,
}
