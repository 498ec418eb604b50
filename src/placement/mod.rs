//! Hash placements: the owner of a shard is a function of its name and of the
//! hosts there are, so that shards move only when membership changes.
//!
//! Each placement is a [`Placement`]; [`HashPolicy`] turns it into a
//! [`Policy`](crate::policy::Policy).

mod buckets;
mod jump;
mod mod_n;
mod policy;
mod ring;

pub use buckets::Buckets;
pub use jump::{Jump, JumpSettings, jump_hash};
pub use mod_n::{ModN, ModNSettings};
pub use policy::{HashPolicy, Placement};
pub use ring::{Ring, RingSettings};

/// The hash of a name: xxh64 (Collet, xxHash specification) of its UTF-8
/// bytes. `seed` is 0 unless a scenario asks for hashes that vary by seed.
pub fn hash_name(name: &str, seed: u64) -> u64 {
    xxhash_rust::xxh64::xxh64(name.as_bytes(), seed)
}
