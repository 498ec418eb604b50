//! What the balancer believes: a smoothed load and a time of last move for
//! each shard, from reports alone.

use crate::balancer::Smoothing;
use crate::model::{Assignment, HostId, ShardId, SimDuration, SimTime};
use crate::policy::Reports;

/// When a shard was last moved or placed by the balancer, in eight bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp(u64);

impl Stamp {
    /// The balancer holds no record of the shard at all: it was never
    /// measured (its load is NaN), nor placed or moved. Only revision
    /// `2026-05` treats this differently from [`Stamp::NEVER`].
    pub const NO_RECORD: Stamp = Stamp(u64::MAX);
    /// There is a record, but no move in it.
    pub const NEVER: Stamp = Stamp(u64::MAX - 1);
    /// The shard must stay where it is: as if it never stopped cooling down.
    pub const PINNED: Stamp = Stamp(u64::MAX - 2);

    /// Moved at an instant (the last three nanoseconds of time are one with
    /// the one before them).
    pub fn at(time: SimTime) -> Self {
        Stamp(time.0.min(u64::MAX - 3))
    }

    /// Whether a shard stamped so may not move yet: it moved less than
    /// `cooldown` ago. Exactly `cooldown` ago is long enough; a move in the
    /// future, which a skewed clock can report, is not. No `cooldown`, no
    /// waiting.
    #[inline]
    pub fn cools_at(self, now: SimTime, cooldown: SimDuration) -> bool {
        self == Self::PINNED
            || self.0 < Self::PINNED.0
                && cooldown > SimDuration::ZERO
                && (self.0 > now.0 || now.0 - self.0 < cooldown.0)
    }
}

/// The plain average over the measured shards of `hosts`, summed in host and
/// list order; 0 if none is measured.
pub(super) fn average_measured(
    hosts: impl Iterator<Item = HostId>,
    assignment: &Assignment,
    loads: &[f64],
) -> f64 {
    let (sum, count) = hosts
        .flat_map(|host| assignment.shards_of(host))
        .map(|shard| loads[shard.index()])
        .filter(|load| !load.is_nan())
        .fold((0.0, 0_u64), |(sum, count), load| (sum + load, count + 1));
    if count == 0 { 0.0 } else { sum / count as f64 }
}

/// Smoothed loads and stamps, by shard.
#[derive(Clone, Debug)]
pub(super) struct Beliefs {
    smoothing: Smoothing,
    loads: Vec<f64>,
    reported: Vec<SimTime>,
    stamps: Vec<Stamp>,
}

impl Beliefs {
    /// Nothing is known of any of `shards` shards.
    pub(super) fn new(shards: usize, smoothing: SimDuration) -> Self {
        Self {
            smoothing: Smoothing::new(smoothing),
            loads: vec![f64::NAN; shards],
            reported: vec![SimTime::ZERO; shards],
            stamps: vec![Stamp::NO_RECORD; shards],
        }
    }

    /// Smoothed loads in units a second, NaN where never measured.
    pub(super) fn loads(&self) -> &[f64] {
        &self.loads
    }

    /// Times of the last moves.
    pub(super) fn stamps(&self) -> &[Stamp] {
        &self.stamps
    }

    /// Takes in reports. One that is not finite is an error to the
    /// reference, which then keeps what it had; so does this.
    pub(super) fn take(&mut self, now: SimTime, reports: &Reports<'_>) {
        for (&shard, &load) in reports.shards.iter().zip(reports.loads) {
            if !load.is_finite() {
                continue;
            }
            let shard = shard.index();
            let belief = &mut self.loads[shard];
            if belief.is_nan() {
                *belief = load;
            } else {
                let interval = now.since(self.reported[shard]);
                let Ok(smoothed) = self.smoothing.next(*belief, load, interval) else { continue };
                *belief = smoothed;
            }
            self.reported[shard] = now;
        }
    }

    /// Notes which shards must stay where they are.
    pub(super) fn pin(&mut self, pinned: &[bool]) {
        for (stamp, _) in self.stamps.iter_mut().zip(pinned).filter(|(_, pinned)| **pinned) {
            *stamp = Stamp::PINNED;
        }
    }

    /// Notes that a shard was moved or placed.
    pub(super) fn stamp(&mut self, shard: ShardId, now: SimTime) {
        self.stamps[shard.index()] = Stamp::at(now);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cooling_ends_exactly_when_the_cooldown_is_over() {
        let minute = SimDuration::from_secs(60);
        let stamp = Stamp::at(SimTime(0));
        assert!(stamp.cools_at(SimTime(minute.0 - 1), minute));
        assert!(!stamp.cools_at(SimTime(minute.0), minute));
        assert!(!stamp.cools_at(SimTime(0), SimDuration::ZERO));
        assert!(Stamp::at(SimTime(5)).cools_at(SimTime(4), minute));
        assert!(!Stamp::at(SimTime(5)).cools_at(SimTime(4), SimDuration::ZERO));
        assert!(!Stamp::NEVER.cools_at(SimTime(0), minute));
        assert!(!Stamp::NO_RECORD.cools_at(SimTime(0), minute));
    }

    #[test]
    fn a_bad_report_leaves_the_belief_alone() {
        let mut beliefs = Beliefs::new(2, SimDuration::from_secs(60));
        let shards = [ShardId(0), ShardId(1)];
        beliefs.take(SimTime(0), &Reports { shards: &shards, loads: &[4.0, f64::NAN] });
        assert_eq!(beliefs.loads()[0], 4.0);
        assert!(beliefs.loads()[1].is_nan());
        let later = SimTime(SimDuration::from_secs(5).0);
        beliefs.take(later, &Reports { shards: &shards, loads: &[f64::INFINITY, 2.0] });
        assert_eq!(beliefs.loads(), [4.0, 2.0]);
    }
}
