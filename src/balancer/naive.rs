//! The naive balancer: at most one move a pass, from the hottest host to the
//! coldest, on the last raw reports.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::start::{self, Start};
use super::{NoActiveHost, takes_part};
use crate::model::{Assignment, Host, HostId, SettingError, ShardId, SimDuration};
use crate::policy::{Move, MoveReason, PassOutcome, Policy, Reports, View};

/// Settings of the naive balancer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct NaiveSettings {
    /// Where the shards lie before the first pass.
    pub start: Start,
    /// The snapshot that `start = "file"` reads owners from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start_file: Option<PathBuf>,
    /// Simulated time between passes.
    pub pass_every: SimDuration,
    /// Nothing moves while the hottest host has less than this many times the
    /// load of the coldest.
    pub max_deviation: f64,
}

impl Default for NaiveSettings {
    fn default() -> Self {
        Self {
            start: Start::default(),
            start_file: None,
            pass_every: SimDuration::from_secs(1),
            max_deviation: 2.0,
        }
    }
}

impl NaiveSettings {
    /// Checks the ranges.
    ///
    /// # Errors
    ///
    /// The first setting that is out of range.
    pub fn check(&self) -> Result<(), SettingError> {
        start::check_start(self.start, self.start_file.as_deref())?;
        start::check_pass_every(self.pass_every)?;
        SettingError::require_at_least("max_deviation", self.max_deviation, 0.0)
    }

    /// The balancer with these settings, for a fleet of `shards` shards.
    pub fn build(&self, shards: usize) -> NaiveBalancer {
        NaiveBalancer { settings: self.clone(), reports: vec![f64::NAN; shards] }
    }
}

/// Plans one pass over the hosts that take part, given in declared order.
///
/// `reports` holds the last raw report of each shard in units a second, NaN
/// where there is none; a shard counts on its owner, whoever reported it.
/// Status, cooldown and smoothing play no part. The largest shard of the
/// hottest host moves to the coldest, unless the coldest has load and the ratio
/// of the two is below `max_deviation`, or the shard would only carry the heat
/// over. Shards that are `pinned` (by index; empty if none is) count as load
/// alone. Among equal hosts the first declared counts, among equal shards the
/// last in list order.
///
/// Takes time linear in shards and hosts.
///
/// # Errors
///
/// Why nothing moves, as an outcome that is not [`PassOutcome::Moved`].
pub fn plan(
    max_deviation: f64,
    hosts: &[HostId],
    assignment: &Assignment,
    reports: &[f64],
    pinned: &[bool],
) -> Result<Move, PassOutcome> {
    if hosts.len() < 2 || assignment.shard_count() == 0 {
        return Err(PassOutcome::NothingToDo);
    }
    let report =
        |shard: ShardId| Some(reports[shard.index()]).filter(|l| !l.is_nan()).unwrap_or(0.0);
    let sum = |host: HostId| {
        assignment.shards_of(host).iter().fold(0.0, |sum, &shard| sum + report(shard))
    };
    let (mut hottest, mut high) = (hosts[0], sum(hosts[0]));
    let (mut coldest, mut low) = (hottest, high);
    for &host in &hosts[1..] {
        let load = sum(host);
        if load > high {
            (hottest, high) = (host, load);
        }
        if load < low {
            (coldest, low) = (host, load);
        }
    }
    if low > 0.0 && high / low < max_deviation {
        return Err(PassOutcome::WithinDeviation);
    }
    let largest = assignment
        .shards_of(hottest)
        .iter()
        .filter(|shard| !pinned.get(shard.index()).copied().unwrap_or(false))
        .map(|&shard| (shard, report(shard)))
        .reduce(|best, next| if next.1 >= best.1 { next } else { best });
    match largest {
        Some((shard, load)) if low + load < high => {
            Ok(Move { shard, from: Some(hottest), to: coldest, reason: MoveReason::Rebalance })
        }
        _ => Err(PassOutcome::NoGain),
    }
}

/// Chooses a host for each of `orphans`, in order: the active one with the
/// least (number of shards, name). Takes logarithmic time for each.
///
/// # Errors
///
/// When there is something to place and no host is active.
pub fn place(
    orphans: &[ShardId],
    hosts: &[Host],
    assignment: &Assignment,
) -> Result<Vec<(ShardId, HostId)>, NoActiveHost> {
    let mut open: BinaryHeap<_> = (0..hosts.len() as u32)
        .map(HostId)
        .filter(|host| hosts[host.index()].status.may_receive())
        .map(|host| {
            let name = hosts[host.index()].name.as_str();
            Reverse((assignment.shards_of(host).len(), name, host))
        })
        .collect();
    orphans
        .iter()
        .map(|&shard| {
            let mut top = open.peek_mut().ok_or(NoActiveHost)?;
            top.0.0 += 1;
            Ok((shard, top.0.2))
        })
        .collect()
}

/// The reference's naive balancer.
#[derive(Clone, Debug)]
pub struct NaiveBalancer {
    settings: NaiveSettings,
    /// The last raw report of each shard, NaN where there is none.
    reports: Vec<f64>,
}

impl Policy for NaiveBalancer {
    fn membership(&mut self, view: &View<'_>, moves: &mut Vec<Move>) {
        // With no active host the orphans stay where they are, until one
        // joins: membership is then asked again.
        let placed = place(&view.orphans(), view.hosts, view.assignment).unwrap_or_default();
        moves.extend(placed.into_iter().map(|(shard, to)| Move {
            shard,
            from: view.assignment.owner(shard),
            to,
            reason: MoveReason::Placement,
        }));
    }

    fn pass_every(&self) -> Option<SimDuration> {
        Some(self.settings.pass_every)
    }

    fn move_budget(&self) -> Option<u64> {
        Some(1)
    }

    fn wants_reports(&self) -> bool {
        true
    }

    fn report(&mut self, _view: &View<'_>, reports: &Reports<'_>) {
        for (&shard, &load) in reports.shards.iter().zip(reports.loads) {
            if load.is_finite() {
                self.reports[shard.index()] = load;
            }
        }
    }

    fn pass(&mut self, view: &View<'_>, moves: &mut Vec<Move>) -> PassOutcome {
        if !view.hosts.iter().any(|host| host.status.may_receive()) {
            return PassOutcome::NothingToDo;
        }
        let hosts: Vec<HostId> = (0..view.hosts.len() as u32)
            .map(HostId)
            .filter(|&host| takes_part(host, view.hosts, view.assignment))
            .collect();
        match plan(self.settings.max_deviation, &hosts, view.assignment, &self.reports, view.pinned)
        {
            Ok(step) => {
                moves.push(step);
                PassOutcome::Moved
            }
            Err(reason) => reason,
        }
    }

    fn believed_loads(&self) -> Option<&[f64]> {
        Some(&self.reports)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One pass over hosts with shards of these loads; the moved load and
    /// where to.
    fn planned(max_deviation: f64, lists: &[&[f64]]) -> Result<(f64, u32), PassOutcome> {
        let reports = lists.concat();
        let owners: Vec<_> = (0_u32..)
            .zip(lists)
            .flat_map(|(host, list)| list.iter().map(move |_| Some(HostId(host))))
            .collect();
        let assignment = Assignment::from_owners(&owners, lists.len());
        let hosts: Vec<HostId> = (0..lists.len() as u32).map(HostId).collect();
        plan(max_deviation, &hosts, &assignment, &reports, &[])
            .map(|step| (reports[step.shard.index()], step.to.0))
    }

    #[test]
    fn only_the_largest_shard_of_the_hottest_host_is_considered() {
        assert_eq!(planned(2.0, &[&[6.0, 2.0], &[1.0]]), Ok((6.0, 1)));
        // 7 + 3 would be as hot as before; the 2 is not looked at.
        assert_eq!(planned(2.0, &[&[7.0, 2.0, 1.0], &[3.0]]), Err(PassOutcome::NoGain));
        assert_eq!(planned(2.0, &[&[6.0, 2.0]]), Err(PassOutcome::NothingToDo));
    }

    #[test]
    fn the_ratio_is_compared_strictly_and_not_with_an_idle_host() {
        assert_eq!(planned(2.0, &[&[2.0, 2.0], &[2.0]]), Err(PassOutcome::NoGain));
        assert_eq!(planned(2.0, &[&[1.0, 3.0], &[2.1]]), Err(PassOutcome::WithinDeviation));
        assert_eq!(planned(2.0, &[&[1.0, 3.0], &[2.0, f64::NAN]]), Err(PassOutcome::NoGain));
        assert_eq!(planned(2.0, &[&[1.5, 2.5], &[1.0, 0.25]]), Ok((2.5, 1)));
        assert_eq!(planned(9.0, &[&[1.0, 3.0], &[]]), Ok((3.0, 1)));
        assert_eq!(planned(9.0, &[&[], &[]]), Err(PassOutcome::NothingToDo));
    }

    #[test]
    fn of_equal_hosts_the_first_and_of_equal_shards_the_last() {
        let reports = [4.0, 4.0, 4.0, 4.0];
        let owners = [0, 0, 1, 1].map(|host| Some(HostId(host)));
        let assignment = Assignment::from_owners(&owners, 4);
        let hosts = [0, 1, 2, 3].map(HostId);
        let step = plan(2.0, &hosts, &assignment, &reports, &[]).unwrap();
        assert_eq!((step.shard, step.from, step.to), (ShardId(1), Some(HostId(0)), HostId(2)));
    }

    #[test]
    fn placement_counts_shards() {
        let hosts = ["c", "a", "b"].map(|name| Host::new(name, 1.0));
        let assignment = Assignment::from_owners(&[Some(HostId(1)), None, None, None], 3);
        let placed = place(&[1, 2, 3].map(ShardId), &hosts, &assignment).unwrap();
        let to: Vec<u32> = placed.iter().map(|(_, host)| host.0).collect();
        assert_eq!(to, [2, 0, 1]);
    }
}
