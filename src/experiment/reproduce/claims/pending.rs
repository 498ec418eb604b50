//! Claims whose mechanism is not modelled yet, with what each of them takes.

use super::super::claim::Claim;
use super::super::claim::Source::{
    ConsistentHashing, HashSharding, HotShards, Resharding, ShardManager,
};

const MIGRATION: &str = "migration of a range in phases, with copies, double writes and fences";
const ROUTING: &str = "routing by cached maps that can be stale";
const CONTROL_PLANE: &str = "a control plane: leaders, leases and stored assignments";
const CACHE: &str = "a read-through cache";
const ELSEWHERE: &str =
    "nothing to compute: a statement about other software, to be looked up in its documents";

pub(super) const CLAIMS: &[Claim] = &[
    Claim::observation(
        "uber-views-conflict",
        ShardManager,
        "Hosts with differing views of membership give a shard two owners or none.",
        "conflicts",
    )
    .needs("membership that spreads by gossip"),
    Claim::observation(
        "uber-db-flag-shortens",
        ShardManager,
        "Configuration in a database shortens the time in which settings differ.",
        "shorter",
    )
    .needs("settings that reach hosts one after another"),
    Claim::observation(
        "uber-off-request-path",
        ShardManager,
        "Requests never pass through the manager: they go on while it is down.",
        "never",
    )
    .needs(ROUTING),
    Claim::observation(
        "uber-state-survives",
        ShardManager,
        "The assignment survives the failure of the controller.",
        "survives",
    )
    .needs(CONTROL_PLANE),
    Claim::observation(
        "uber-drain",
        ShardManager,
        "Draining a host empties it; draining a shard leaves it without an owner.",
        "empties",
    )
    .needs("shards that are drained"),
    Claim::observation(
        "ad-detect-5min",
        HotShards,
        "A hot shard is detected within five minutes from metrics of one minute.",
        "5 min",
    )
    .needs("a detector of hot shards"),
    Claim::observation(
        "ad-p99-10x",
        HotShards,
        "The 99th percentile stays under 100 ms in a spike of ten times the load, by queueing without dropping.",
        "100 ms",
    )
    .needs("queues and latency"),
    Claim::observation(
        "ad-ttl-10min",
        HotShards,
        "Maps cached for ten minutes go stale; two phases and a day of grace cover that.",
        "10 min",
    )
    .needs(ROUTING),
    Claim::observation(
        "ad-migrate-30min",
        HotShards,
        "An advertiser is migrated within 30 minutes without an outage.",
        "30 min",
    )
    .needs(MIGRATION),
    Claim::observation(
        "ad-hit-95",
        HotShards,
        "A cache that keeps entries for five minutes answers 95 % of the reads.",
        "95 %",
    )
    .needs(CACHE),
    Claim::observation(
        "ad-hit-with-invalidation",
        HotShards,
        "It still does when every write invalidates its entry and 30 % are writes.",
        "95 %",
    )
    .needs(CACHE),
    Claim::observation(
        "ad-top10k-effect",
        HotShards,
        "Caching only the 10,000 hottest keeps the 66.5 % that a cache takes off.",
        "66.5 %",
    )
    .needs(CACHE),
    Claim::observation(
        "ad-stampede-1000",
        HotShards,
        "When a popular entry expires, a thousand reads reach the database at once.",
        "1000",
    )
    .needs(CACHE),
    Claim::observation(
        "hs-builtin-hash",
        HashSharding,
        "The built-in hash of a language differs from one process to the next.",
        "differs",
    )
    .needs(ELSEWHERE),
    Claim::observation(
        "hs-index",
        HashSharding,
        "A global index turns a lookup by e-mail into two lookups of one shard each.",
        "two lookups",
    )
    .needs("a secondary index with a delay"),
    Claim::observation(
        "hs-stale-lost",
        HashSharding,
        "A write by a stale router to the old owner is lost unless owners refuse it.",
        "lost",
    )
    .needs(ROUTING),
    Claim::observation(
        "hs-slot-move-steps",
        HashSharding,
        "A slot moves by snapshot, stream, brief pause and a new version, without loss.",
        "a brief pause",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-sha-uniform",
        Resharding,
        "The first 32 bits of SHA-256 modulo 1024 are stable and uniform.",
        "uniform",
    )
    .needs("SHA-256, which no placement here uses"),
    Claim::observation(
        "rs-reversible",
        Resharding,
        "Every phase of a migration can be taken back.",
        "every phase",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-old-first",
        Resharding,
        "With the old side written first, a failed write to the new side harms nobody.",
        "no harm",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-fallback-gate",
        Resharding,
        "Once no read falls back to the old side, the new one is complete.",
        "zero",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-runtime-flag",
        Resharding,
        "The phase is a flag that changes at run time.",
        "at run time",
    )
    .needs("settings that reach hosts one after another"),
    Claim::observation(
        "rs-del-both",
        Resharding,
        "Deleting on both sides keeps deleted rows from coming back.",
        "never",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-guard",
        Resharding,
        "A copy that yields to newer rows never undoes an edit.",
        "never",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-dual-order",
        Resharding,
        "Idempotent writes to both sides keep them equal.",
        "equal",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-batch",
        Resharding,
        "A copy with a cursor loses one batch of 5000 rows to a crash.",
        "one batch",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-reads-first",
        Resharding,
        "Reads are switched first, then writes are frozen, drained and switched.",
        "reads first",
    )
    .needs(MIGRATION),
    Claim::observation(
        "rs-vitess",
        Resharding,
        "In Vitess, SwitchTraffic has replaced two older commands.",
        "replaced",
    )
    .needs(ELSEWHERE),
    Claim::observation(
        "rs-figma",
        Resharding,
        "Figma used views as logical shards on one physical host.",
        "views",
    )
    .needs(ELSEWHERE),
    Claim::observation(
        "ch-copy-once",
        ConsistentHashing,
        "A single copy loses the updates made meanwhile.",
        "lost",
    )
    .needs(MIGRATION),
    Claim::observation(
        "ch-fence",
        ConsistentHashing,
        "Refreshing routers does not keep old writers out; stale versions must be refused.",
        "does not",
    )
    .needs(ROUTING),
    Claim::observation(
        "ch-rollback",
        ConsistentHashing,
        "Once the new owner takes writes, pointing the routers back is not enough.",
        "not enough",
    )
    .needs(MIGRATION),
    Claim::observation(
        "ch-naive-dual",
        ConsistentHashing,
        "Naive double writes diverge when one side refuses.",
        "diverge",
    )
    .needs(MIGRATION),
    Claim::observation(
        "ch-failover",
        ConsistentHashing,
        "Taking a failed shard off the ring sends its users where their data is not; a replica should be promoted.",
        "missing data",
    )
    .needs("replicas and failover"),
    Claim::observation(
        "ch-serialize",
        ConsistentHashing,
        "Ownership must let one of two competing migrations wait.",
        "one waits",
    )
    .needs(MIGRATION),
    Claim::observation(
        "ch-dest-fail",
        ConsistentHashing,
        "A migration must recover when its destination fails halfway.",
        "recovers",
    )
    .needs(MIGRATION),
];
