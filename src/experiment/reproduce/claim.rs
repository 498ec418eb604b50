//! What a claim is: a published figure, and how it is put to the test.

use super::Lab;
use crate::optimum::OptimumError;
use crate::sim::SimError;

/// The documents that the claims are from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Source {
    /// Document 000: the introduction of Cadence's Shard Manager.
    ShardManager,
    /// Document 001: hot shards in the database of an advertising platform.
    HotShards,
    /// Document 002: a lesson on hash sharding.
    HashSharding,
    /// Document 003: a lesson on resharding without an outage.
    Resharding,
    /// Document 004: consistent hashing for users of a sharded database.
    ConsistentHashing,
}

impl Source {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [
        Self::ShardManager,
        Self::HotShards,
        Self::HashSharding,
        Self::Resharding,
        Self::ConsistentHashing,
    ];

    /// The short id used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ShardManager => "000",
            Self::HotShards => "001",
            Self::HashSharding => "002",
            Self::Resharding => "003",
            Self::ConsistentHashing => "004",
        }
    }

    /// What the document is about.
    pub fn subject(self) -> &'static str {
        match self {
            Self::ShardManager => "Shard Manager of Cadence",
            Self::HotShards => "hot shards in advertising",
            Self::HashSharding => "hash sharding",
            Self::Resharding => "resharding",
            Self::ConsistentHashing => "consistent hashing",
        }
    }
}

/// How it stands with a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Verdict {
    /// Every measured figure is within its tolerance.
    Reproduced,
    /// Not within the tolerance, but within the spread over seeds.
    WithinNoise,
    /// An experiment gives something else.
    NotReproduced,
    /// The document's own numbers, or the rules that it states or names, give
    /// something else: the measured figure is the right one.
    Inconsistent,
    /// Nothing here can tell yet.
    NotModelledYet,
}

impl Verdict {
    /// All of them, in order.
    pub const ALL: [Self; 5] = [
        Self::Reproduced,
        Self::WithinNoise,
        Self::NotReproduced,
        Self::Inconsistent,
        Self::NotModelledYet,
    ];

    /// The words used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reproduced => "reproduced",
            Self::WithinNoise => "within noise",
            Self::NotReproduced => "not reproduced",
            Self::Inconsistent => "published figure inconsistent",
            Self::NotModelledYet => "not modelled yet",
        }
    }
}

/// What a published figure stands on, and so what it means if it does not hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// It follows from other numbers of the same document.
    Arithmetic,
    /// It follows from a rule that the document states, lists as a program, or
    /// names the specification of; no system that keeps the rule can differ.
    Rule,
    /// It was observed, or is said of how systems behave.
    Observation,
}

impl Basis {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Arithmetic => "arithmetic",
            Self::Rule => "rule",
            Self::Observation => "observation",
        }
    }
}

/// What a measured figure must be for the claim to hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Expected {
    /// The published figure, give or take `within`. Where it was read off one
    /// sample of something random, so many standard deviations of the measured
    /// values are noise.
    Near {
        /// The published figure.
        published: f64,
        /// The tolerance of the mean.
        within: f64,
        /// Standard deviations over seeds that count as noise; 0 for none.
        deviations: f64,
    },
    /// Anything: measured to be shown beside the others.
    Shown,
    /// From `low` to `high`; either may be infinite.
    Between {
        /// The least value.
        low: f64,
        /// The largest value.
        high: f64,
    },
}

/// One figure of a claim.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// What is measured, in a few words.
    pub name: &'static str,
    /// Its unit, in words; figures of one unit share an axis.
    pub unit: &'static str,
    /// What it must be.
    pub expected: Expected,
    /// Why the tolerance is what it is.
    pub reason: &'static str,
}

impl Figure {
    /// A figure that must be near a published one.
    pub(super) const fn near(
        name: &'static str,
        unit: &'static str,
        published: f64,
        within: f64,
        reason: &'static str,
    ) -> Self {
        let expected = Expected::Near { published, within, deviations: 0.0 };
        Self { name, unit, expected, reason }
    }

    /// A published figure that was one sample of something random: it must be
    /// near the mean, or within so many standard deviations of one sample.
    pub(super) const fn sampled(
        name: &'static str,
        unit: &'static str,
        published: f64,
        within: f64,
        deviations: f64,
        reason: &'static str,
    ) -> Self {
        let expected = Expected::Near { published, within, deviations };
        Self { name, unit, expected, reason }
    }

    /// A figure that must lie in a range.
    pub(super) const fn between(
        name: &'static str,
        unit: &'static str,
        low: f64,
        high: f64,
        reason: &'static str,
    ) -> Self {
        Self { name, unit, expected: Expected::Between { low, high }, reason }
    }

    /// A figure that decides nothing, and is shown beside the others.
    pub(super) const fn shown(name: &'static str, unit: &'static str) -> Self {
        Self { name, unit, expected: Expected::Shown, reason: "" }
    }

    /// A figure that must not be less.
    pub(super) const fn at_least(
        name: &'static str,
        unit: &'static str,
        low: f64,
        reason: &'static str,
    ) -> Self {
        Self::between(name, unit, low, f64::INFINITY, reason)
    }

    /// A figure that must not be more.
    pub(super) const fn at_most(
        name: &'static str,
        unit: &'static str,
        high: f64,
        reason: &'static str,
    ) -> Self {
        Self::between(name, unit, f64::NEG_INFINITY, high, reason)
    }
}

/// The values of one figure: one for each seed, or one alone where nothing is
/// random.
pub type Values = Vec<f64>;

/// Measures a claim: the values of each of its figures, in order.
pub type Measure = fn(&Lab) -> Result<Vec<Values>, ExperimentError>;

/// Why an experiment could not be finished: a fault of the program.
#[derive(Debug, thiserror::Error)]
pub enum ExperimentError {
    /// The optimum cannot be computed.
    #[error("the optimum cannot be computed: {0}")]
    Optimum(#[from] OptimumError),
    /// The simulation cannot go on.
    #[error(transparent)]
    Simulation(#[from] SimError),
    /// An experiment and its figures do not fit.
    #[error("{measured} figures were measured, {expected} are expected")]
    Figures {
        /// How many were measured.
        measured: usize,
        /// How many the claim has.
        expected: usize,
    },
}

/// How a claim is tested, if it is.
#[derive(Clone, Copy, Debug)]
pub enum Test {
    /// By an experiment.
    Run {
        /// What is done, in words.
        method: &'static str,
        /// What comes out, and what it must be.
        figures: &'static [Figure],
        /// Does it.
        measure: Measure,
    },
    /// Not at all so far.
    NotModelledYet {
        /// What it takes.
        needs: &'static str,
    },
}

/// A published claim.
#[derive(Clone, Copy, Debug)]
pub struct Claim {
    /// Its id, unique.
    pub id: &'static str,
    /// Where it is from.
    pub source: Source,
    /// What is claimed, in our words.
    pub text: &'static str,
    /// The figure as it was published.
    pub published: &'static str,
    /// What it stands on.
    pub basis: Basis,
    /// How it is tested.
    pub test: Test,
    /// The verdict on record; the computed one must be the same.
    pub recorded: Verdict,
    /// What a reader should know: why a figure is not right, what decides it.
    pub note: &'static str,
    /// Whether it is one of the headline claims, which get a plot.
    pub headline: bool,
}

impl Claim {
    /// A claim that follows, or does not, from its document's own numbers.
    pub(super) const fn arithmetic(
        id: &'static str,
        source: Source,
        text: &'static str,
        published: &'static str,
    ) -> Self {
        Self::new(id, source, Basis::Arithmetic, text, published)
    }

    /// A claim that follows, or does not, from a rule that its document states
    /// or names.
    pub(super) const fn rule(
        id: &'static str,
        source: Source,
        text: &'static str,
        published: &'static str,
    ) -> Self {
        Self::new(id, source, Basis::Rule, text, published)
    }

    /// A claim of something observed, or of how systems behave.
    pub(super) const fn observation(
        id: &'static str,
        source: Source,
        text: &'static str,
        published: &'static str,
    ) -> Self {
        Self::new(id, source, Basis::Observation, text, published)
    }

    const fn new(
        id: &'static str,
        source: Source,
        basis: Basis,
        text: &'static str,
        published: &'static str,
    ) -> Self {
        let test = Test::NotModelledYet { needs: "" };
        let recorded = Verdict::NotModelledYet;
        Self { id, source, text, published, basis, test, recorded, note: "", headline: false }
    }

    /// Tests it by an experiment, with this verdict on record.
    pub(super) const fn run(
        self,
        recorded: Verdict,
        method: &'static str,
        figures: &'static [Figure],
        measure: Measure,
    ) -> Self {
        Self { test: Test::Run { method, figures, measure }, recorded, ..self }
    }

    /// Says what it takes to test it.
    pub(super) const fn needs(self, needs: &'static str) -> Self {
        Self { test: Test::NotModelledYet { needs }, ..self }
    }

    /// Adds what a reader should know.
    pub(super) const fn note(self, note: &'static str) -> Self {
        Self { note, ..self }
    }

    /// Makes it one of the headline claims.
    pub(super) const fn headline(self) -> Self {
        Self { headline: true, ..self }
    }
}
