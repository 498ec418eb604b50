//! Start placements: where the shards lie before anything happens.

use crate::balancer::Start;
use crate::model::{Assignment, Host, HostId, SimTime};
use crate::policy::View;
use crate::scenario::start_policy;

/// The assignment that a start placement gives to shards on hosts; `owners`
/// are those that a file names. `None` leaves the placement to the policy.
pub(super) fn start_assignment(
    start: Start,
    hosts: &[Host],
    shards: &[String],
    owners: Option<&[Option<HostId>]>,
    hash_seed: u64,
) -> Option<Assignment> {
    if start == Start::File {
        return Some(Assignment::from_owners(owners?, hosts.len()));
    }
    let mut placement = start_policy(start, shards.len(), hash_seed)?;
    let mut assignment = Assignment::empty(shards.len(), hosts.len());
    let mut moves = Vec::new();
    placement.membership(
        &View { now: SimTime::ZERO, hosts, shards, assignment: &assignment, pinned: &[] },
        &mut moves,
    );
    for planned in moves {
        assignment.assign(planned.shard, planned.to);
    }
    Some(assignment)
}
