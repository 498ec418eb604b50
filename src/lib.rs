//! Evenkeel: a deterministic discrete-event simulator and research bench for
//! shard placement.
//!
//! A service has shards, each with a load that changes over time, and hosts
//! that own them. Who should own what? This crate runs hash placements and
//! load-aware balancers on the same loads, measures how hot the hottest host
//! gets and what was moved for it, and computes how good any placement could
//! have been.
//!
//! # A scenario from a text
//!
//! ```
//! use std::path::Path;
//!
//! use evenkeel::experiment::{RunOptions, run};
//! use evenkeel::report::comparison;
//! use evenkeel::scenario::Scenario;
//!
//! let text = r#"
//!     schema = 1
//!     name = "example"
//!     duration = "2m"
//!
//!     [workload]
//!     kind = "zipf"
//!     shards = 60
//!     exponent = 0.7
//!
//!     [cluster]
//!     hosts = 4
//!
//!     [[policy]]
//!     kind = "ring"
//!
//!     [[policy]]
//!     kind = "greedy"
//! "#;
//! // Paths in a scenario are relative to a directory; messages name a file.
//! let scenario = Scenario::parse(text, "example.toml", Path::new("."), &[])?;
//! let result = run(&scenario, RunOptions::default())?;
//!
//! let [ring, greedy] = [0, 1].map(|policy| &result.lanes[policy].summary);
//! assert_eq!(ring.moves, 0);
//! assert!(greedy.moves > 0);
//! assert!(greedy.hot_ratio_final < ring.hot_ratio_final);
//! print!("{}", comparison(&scenario, &result));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Everything in [`experiment::RunResult`] is what the files of a run are made
//! of; [`report::tables`] makes them. [`experiment::plan`] and
//! [`experiment::snapshot_optimum`] do the same for a
//! [`Snapshot`](model::Snapshot) of a real cluster, and [`experiment::sweep`] runs
//! a scenario at many points of its settings.
//!
//! # One room at a time
//!
//! Below the scenarios, each room can be used on its own:
//! [`sim::Simulation`] drives one policy event by event, under an
//! [`Observer`](sim::Observer); [`sim::EventQueue`] is its queue;
//! [`optimum::solve`] takes loads and capacities;
//! [`balancer::greedy::Planner`] plans one pass. A new policy implements
//! [`policy::Policy`], or [`placement::Placement`] if it only hashes.
//!
//! # The map of the rooms
//!
//! Data flows one way, and a room imports only from rooms to its left or
//! below:
//!
//! ```text
//! scenario  ->  workload  ->  sim  ->  metrics  ->  experiment  ->  report
//!                              |
//!                     placement or balancer
//! ```
//!
//! | room | what it is about |
//! | --- | --- |
//! | [`model`] | hosts, shards, assignments, snapshots, simulated time |
//! | [`random`] | seeded streams, the only source of randomness |
//! | [`hash`] | hash functions of names and keys |
//! | [`policy`] | the one interface of placements and balancers |
//! | [`workload`] | loads over time, and the noise of measuring them |
//! | [`placement`] | hash placements: mod-n, rings, jump, tables, slot maps |
//! | [`balancer`] | load-aware balancers: greedy, naive |
//! | [`metrics`] | one definition of each quantity that is reported |
//! | [`optimum`] | how good any placement could be |
//! | [`sim`] | clock, event queue, engine |
//! | [`scenario`] | TOML files, checked and put together |
//! | [`experiment`] | policies under seeds, sweeps, checks, plans on snapshots |
//! | [`report`] | tables, plots, manifest |
//!
//! The same inputs give the same bytes everywhere: see
//! `docs/determinism.md`. `docs/methods.md` has every formula with its source,
//! `docs/formats.md` every file.

pub mod balancer;
pub mod experiment;
pub mod hash;
pub mod metrics;
pub mod model;
pub mod optimum;
pub mod placement;
pub mod policy;
pub mod random;
pub mod report;
pub mod scenario;
pub mod sim;
pub mod workload;
