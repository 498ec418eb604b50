//! The one interface that placements and balancers implement and the engine
//! calls.
//!
//! A policy decides who owns which shard. It hears of membership, of load
//! reports and of passes, and answers with moves. A hash placement answers to
//! membership alone; a balancer also observes load and plans moves at passes.

use std::fmt;

use crate::model::{Assignment, Host, HostId, ShardId, SimDuration, SimTime};

/// What a policy may look at when it decides. The true loads are not in it:
/// a balancer knows load from reports alone.
#[derive(Clone, Copy, Debug)]
pub struct View<'a> {
    /// The instant of the decision.
    pub now: SimTime,
    /// Every host there has ever been, in order of joining.
    pub hosts: &'a [Host],
    /// Names of the shards.
    pub shards: &'a [String],
    /// Who owns what. Shards of a host that has gone are still in its list,
    /// until the policy has moved them.
    pub assignment: &'a Assignment,
    /// Shards that must stay where they are, by index; empty if none must.
    pub pinned: &'a [bool],
}

impl View<'_> {
    /// Whether a shard must stay where it is.
    pub fn is_pinned(&self, shard: ShardId) -> bool {
        self.pinned.get(shard.index()).copied().unwrap_or(false)
    }

    /// Shards that need a new owner, in declaration order: owned by nobody,
    /// or by a host that is not live and not pinned to it.
    pub fn orphans(&self) -> Vec<ShardId> {
        (0..self.assignment.shard_count() as u32)
            .map(ShardId)
            .filter(|&shard| match self.assignment.owner(shard) {
                None => true,
                Some(host) => !self.hosts[host.index()].status.is_live() && !self.is_pinned(shard),
            })
            .collect()
    }
}

/// Loads as measured by the hosts that serve the shards, one entry for each
/// shard reported, in declaration order of the shards.
#[derive(Clone, Copy, Debug)]
pub struct Reports<'a> {
    /// The shards reported.
    pub shards: &'a [ShardId],
    /// The measured load of each, in units a second.
    pub loads: &'a [f64],
}

/// Why a shard moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveReason {
    /// It had no owner, or its owner left.
    Placement,
    /// The placement function gives another host since membership changed.
    Membership,
    /// A balancer's move from a hot host to a cooler one.
    Rebalance,
    /// One half of an exchange of two shards.
    Swap,
}

impl MoveReason {
    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Placement => "placement",
            Self::Membership => "membership",
            Self::Rebalance => "rebalance",
            Self::Swap => "swap",
        }
    }
}

/// One change of owner. Moves of one answer are applied in order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Move {
    /// The shard that moves.
    pub shard: ShardId,
    /// Its owner before; `None` if it had none.
    pub from: Option<HostId>,
    /// Its owner afterwards.
    pub to: HostId,
    /// Why.
    pub reason: MoveReason,
}

/// What became of a pass: that it moved something, or why it did not.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum PassOutcome {
    /// At least one move was planned.
    Moved,
    /// There are no shards, or no host that may receive.
    NothingToDo,
    /// The move budget is zero.
    BudgetZero,
    /// No host is hotter than the upper threshold.
    NoSource,
    /// No host may receive: none is below the lower threshold, and the
    /// imbalance is not severe.
    NoDestination,
    /// A move (or an exchange) would gain, but its shard moved a moment ago
    /// and cools down; waiting brings it.
    CoolingDown,
    /// A move would gain, but each that would is of a shard below the least
    /// load worth moving; waiting alone brings nothing.
    BelowMinLoad,
    /// A move would gain, but each that would is of a shard that is pinned.
    Pinned,
    /// The hot hosts hold nothing but shards whose load was never measured.
    Unmeasured,
    /// No move lowers the imbalance.
    NoGain,
    /// The loads of the hottest and the coldest host are near enough.
    WithinDeviation,
}

impl PassOutcome {
    /// Every outcome, in the order of the documentation.
    pub const ALL: [PassOutcome; 11] = [
        Self::Moved,
        Self::NothingToDo,
        Self::BudgetZero,
        Self::NoSource,
        Self::NoDestination,
        Self::CoolingDown,
        Self::BelowMinLoad,
        Self::Pinned,
        Self::Unmeasured,
        Self::NoGain,
        Self::WithinDeviation,
    ];

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Moved => "moved",
            Self::NothingToDo => "nothing-to-do",
            Self::BudgetZero => "budget-zero",
            Self::NoSource => "no-source",
            Self::NoDestination => "no-destination",
            Self::CoolingDown => "cooling-down",
            Self::BelowMinLoad => "below-min-load",
            Self::Pinned => "pinned",
            Self::Unmeasured => "unmeasured",
            Self::NoGain => "no-gain",
            Self::WithinDeviation => "within-deviation",
        }
    }

    /// The outcome in a few words, for people.
    pub fn describe(self) -> &'static str {
        match self {
            Self::Moved => "shards were moved",
            Self::NothingToDo => "there is nothing to balance, or no host that may receive",
            Self::BudgetZero => "the move budget is zero",
            Self::NoSource => "no host is above the upper threshold",
            Self::NoDestination => {
                "no host is below the lower threshold, and the imbalance is not severe"
            }
            Self::CoolingDown => {
                "every shard that would help moved a moment ago and is cooling down"
            }
            Self::BelowMinLoad => {
                "every shard that would help is below the least load worth moving"
            }
            Self::Pinned => "every shard that would help is pinned",
            Self::Unmeasured => "the hot hosts hold only shards whose load was never measured",
            Self::NoGain => "no move would lower the imbalance",
            Self::WithinDeviation => {
                "the hottest and the coldest host are within the allowed deviation"
            }
        }
    }
}

impl fmt::Display for PassOutcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A rule of ownership.
pub trait Policy: Send {
    /// Answers to membership: called once at the start, and after each host
    /// that joins or leaves. Afterwards no shard may be without a live owner,
    /// provided that a host may receive.
    fn membership(&mut self, view: &View<'_>, moves: &mut Vec<Move>);

    /// Simulated time between passes; `None` for policies without passes.
    fn pass_every(&self) -> Option<SimDuration> {
        None
    }

    /// Moves that one pass may make at most; `None` for policies without passes
    /// or without such a limit.
    fn move_budget(&self) -> Option<u64> {
        None
    }

    /// Whether the policy listens to load reports.
    fn wants_reports(&self) -> bool {
        false
    }

    /// Takes in the reports of one heartbeat.
    fn report(&mut self, _view: &View<'_>, _reports: &Reports<'_>) {}

    /// Plans the moves of one pass. `moves` is empty when called, and is
    /// empty afterwards unless the outcome is [`PassOutcome::Moved`].
    fn pass(&mut self, _view: &View<'_>, _moves: &mut Vec<Move>) -> PassOutcome {
        PassOutcome::NothingToDo
    }

    /// The load the policy believes each shard to have, by shard index; NaN
    /// where it has none. `None` if the policy has no beliefs at all.
    fn believed_loads(&self) -> Option<&[f64]> {
        None
    }
}
