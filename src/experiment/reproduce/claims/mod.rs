//! The registry of claims, by what they are about.

mod balancer;
mod controls;
mod cost;
mod fleet;
mod hashing;
mod keys;
mod moving;
mod one_move;
mod pending;
mod remap;
mod rings;
mod salts;
pub(super) mod shared;
mod skew;
mod slots;
pub(super) mod snapshots;
mod volume;

use super::claim::Claim;

/// Every claim, by document: those that are tested, then those that wait.
pub(super) fn all() -> Vec<&'static Claim> {
    let mut claims: Vec<&'static Claim> = [
        snapshots::CLAIMS,
        fleet::CLAIMS,
        balancer::CLAIMS,
        controls::CLAIMS,
        volume::CLAIMS,
        skew::CLAIMS,
        remap::CLAIMS,
        cost::CLAIMS,
        hashing::CLAIMS,
        keys::CLAIMS,
        salts::CLAIMS,
        rings::CLAIMS,
        slots::CLAIMS,
        pending::CLAIMS,
    ]
    .into_iter()
    .flatten()
    .collect();
    // The sort is stable.
    claims.sort_by_key(|claim| claim.source);
    claims
}
