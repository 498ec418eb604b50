//! Hash placements: the owner of a shard is a function of its name and of the
//! hosts there are, so that shards move only when membership changes.
//!
//! Each placement is a [`Placement`]; [`HashPolicy`] turns it into a
//! [`Policy`](crate::policy::Policy).

mod anchor;
mod bounded_ring;
mod buckets;
mod circle;
mod contract;
mod directory;
mod jump;
mod maglev;
mod mod_n;
mod policy;
mod redis;
mod rendezvous;
mod ring;
mod ringpop;
mod slot_map;
mod slots;
#[cfg(test)]
mod testing;

pub use anchor::{Anchor, AnchorSettings};
pub use bounded_ring::{BoundedRing, BoundedRingSettings};
pub use buckets::{Buckets, natural_order};
pub use contract::{Member, Placement, place_named};
pub use directory::{Directory, DirectoryBase, DirectorySettings};
pub use jump::{Jump, JumpSettings, jump_hash};
pub use maglev::{Maglev, MaglevSettings};
pub use mod_n::{ModN, ModNSettings};
pub use policy::HashPolicy;
pub use redis::{REDIS_SLOTS, Redis, RedisSettings, redis_slot};
pub use rendezvous::{Rendezvous, RendezvousSettings};
pub use ring::{Ring, RingIdentity, RingSettings, RingTokens};
pub use ringpop::{Ringpop, RingpopIdentity, RingpopSettings};
pub use slot_map::{SlotHost, SlotLayout, SlotMap, SlotRebalance, minimal_targets};
pub use slots::{Slots, SlotsSettings};
