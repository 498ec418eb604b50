//! The optimum beside general solvers: OR-tools' CP-SAT and HiGHS.
//!
//! Each case is solved by evenkeel first; then each peer has so many seconds to
//! certify the same gap (1e-6 at least, which is the peers' own precision). The
//! peers have one thread, and start from LPT or, with a budget, from the snapshot
//! as it is. `>` marks a peer that gave up; its gap then is in the last columns.
//!
//! ```sh
//! python -m venv peers && peers/bin/pip install -r benches/peers/ortools/requirements.txt
//! PEERS_PYTHON=peers/bin/python cargo bench --bench optimum --features highs
//! ```
//!
//! Without `PEERS_PYTHON`, or without the feature, that peer is left out.
//! `PEERS_SECONDS` is their limit (20), and a filter such as `-- 60x6` runs some
//! of the cases.

#![allow(missing_docs, clippy::disallowed_methods, clippy::unwrap_used)]

#[allow(dead_code, unreachable_pub)]
#[path = "../tests/common/instances.rs"]
mod instances;

use std::fmt::Write as _;
use std::io::Write as _;
use std::process::Command;
use std::time::Instant;

use evenkeel::hash::hash_name;
use evenkeel::model::HostId;
use evenkeel::optimum::{Budget, Problem, Settings, solve, solve_budgeted};
use evenkeel::placement::{Member, Placement, Ring, RingSettings};

/// A gap that the peers' tolerances let them certify.
const LEAST_GAP: f64 = 1e-6;

/// Runs of ours, of which the fastest counts: they take milliseconds.
const RUNS: usize = 3;

/// What may move, at most.
#[derive(Clone, Copy)]
enum Limit {
    Nothing,
    Moves(u64),
    /// As a share of the total load.
    Share(f64),
}

/// A question, with all that a solver needs to answer it.
struct Case {
    name: String,
    loads: Vec<f64>,
    start: Vec<Option<HostId>>,
    hosts: usize,
    budget: Option<Budget>,
}

/// What a solver found, as hot_ratios.
struct Found {
    value: f64,
    bound: f64,
    seconds: f64,
}

impl Found {
    fn gap(&self) -> f64 {
        (self.value - self.bound) / self.bound
    }
}

impl Case {
    /// Zipf loads on a ring of 64 points a host.
    fn new(shards: usize, hosts: usize, exponent: f64, seed: u64, limit: Limit) -> Self {
        let loads = instances::zipf(shards, exponent, seed);
        let names: Vec<String> = (0..hosts).map(|host| format!("host-{host}")).collect();
        let joining: Vec<Member<'_>> = (0..)
            .map(HostId)
            .zip(&names)
            .map(|(host, name)| Member { host, name, weight: 1.0 })
            .collect();
        let settings = RingSettings { virtual_nodes: 64, ..RingSettings::default() };
        let mut ring = Ring::new(&settings, seed);
        ring.change(&[], &joining);
        let owner = |shard| ring.owner(hash_name(&format!("shard-{shard}"), seed));
        let total: f64 = loads.iter().sum();
        let (budget, limit) = match limit {
            Limit::Nothing => (None, "free".to_owned()),
            Limit::Moves(moves) => (Some(Budget::Moves(moves)), format!("{moves} moves")),
            Limit::Share(share) => {
                (Some(Budget::Load(share * total)), format!("{}% of load", share * 100.0))
            }
        };
        let name = format!("{shards}x{hosts} {limit}, exponent {exponent}, seed {seed}");
        Self { name, start: (0..shards).map(owner).collect(), loads, hosts, budget }
    }

    fn ours(&self) -> Found {
        let capacities = vec![1.0; self.hosts];
        let problem = Problem::new(&self.loads, &capacities);
        let problem = Problem { start: self.budget.and(Some(&self.start)), ..problem };
        let settings = Settings::default();
        let runs = (0..RUNS).map(|_| {
            let began = Instant::now();
            let (value, bound) = match self.budget {
                None => solve(&problem, &settings).map(|a| (a.hot_ratio, a.bound)).unwrap(),
                Some(budget) => solve_budgeted(&problem, budget, &settings)
                    .map(|a| (a.optimum.hot_ratio, a.optimum.bound))
                    .unwrap(),
            };
            Found { value, bound, seconds: began.elapsed().as_secs_f64() }
        });
        runs.min_by(|a, b| a.seconds.total_cmp(&b.seconds)).unwrap()
    }

    /// CP-SAT, in a process of its own that times itself.
    fn cpsat(&self, gap: f64, seconds: f64) -> Option<Found> {
        let python = std::env::var("PEERS_PYTHON").ok()?;
        let mut file = tempfile::NamedTempFile::new().unwrap();
        let mut text = String::from("shard,load,host\n");
        for (shard, (load, host)) in self.loads.iter().zip(&self.start).enumerate() {
            writeln!(text, "{shard},{load},{}", host.unwrap().0).unwrap();
        }
        file.write_all(text.as_bytes()).unwrap();
        let mut command = Command::new(python);
        command
            .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/peers/ortools/cpsat.py"))
            .arg(file.path())
            .args(["--hosts", &self.hosts.to_string(), "--gap", &gap.to_string()])
            .args(["--seconds", &seconds.to_string()]);
        match self.budget {
            None => {}
            Some(Budget::Moves(moves)) => {
                command.args(["--max-moves", &moves.to_string()]);
            }
            Some(Budget::Load(load)) => {
                command.args(["--max-moved-load", &load.to_string()]);
            }
        }
        let output = command.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let answer: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
        let number = |key: &str| answer[key].as_f64().unwrap_or(f64::NAN);
        Some(Found { value: number("value"), bound: number("bound"), seconds: number("seconds") })
    }

    #[cfg(not(feature = "highs"))]
    fn highs(&self, _: f64, _: f64) -> Option<Found> {
        None
    }

    /// HiGHS, on the textbook model: a variable for each shard and host.
    #[cfg(feature = "highs")]
    fn highs(&self, gap: f64, seconds: f64) -> Option<Found> {
        use good_lp::{Expression, ProblemVariables, SolverModel, variable};

        let mean = self.loads.iter().sum::<f64>() / self.hosts as f64;
        let largest = self.loads.iter().copied().fold(0.0, f64::max) / mean;
        let began = Instant::now();
        let mut variables = ProblemVariables::new();
        let level = variables.add(variable().min(largest.max(1.0)));
        let mut held = vec![Expression::from(0.0); self.hosts];
        let mut cost = Expression::from(0.0);
        let mut rows = Vec::new();
        let mut hint = vec![0.0];
        let start = if self.budget.is_some() { self.start.clone() } else { self.lpt() };
        let mut started = vec![0.0; self.hosts];
        for (shard, &load) in self.loads.iter().enumerate() {
            let mut sum = Expression::from(0.0);
            for (host, held) in held.iter_mut().enumerate() {
                let x = variables.add(variable().binary());
                sum += x;
                held.add_mul(load / mean, x);
                let here = start[shard] == Some(HostId(host as u32));
                hint.push(f64::from(u8::from(here)));
                if here {
                    started[host] += load / mean;
                }
                if self.start[shard] != Some(HostId(host as u32)) {
                    let price =
                        if let Some(Budget::Load(_)) = self.budget { load / mean } else { 1.0 };
                    cost.add_mul(price, x);
                }
            }
            rows.push(sum.eq(1.0));
        }
        hint[0] = started.iter().copied().fold(0.0, f64::max);
        match self.budget {
            None => {}
            Some(Budget::Moves(moves)) => rows.push(cost.leq(moves as f64)),
            Some(Budget::Load(load)) => rows.push(cost.leq(load / mean)),
        }
        rows.extend(held.into_iter().map(|held| held.leq(level)));
        let mut model = variables.minimise(level).using(good_lp::highs);
        for row in rows {
            model.add_constraint(row);
        }
        let mut model = model.try_into_inner().unwrap();
        model.try_set_option("mip_rel_gap", gap).unwrap();
        model.try_set_option("mip_abs_gap", 0.0).unwrap();
        model.try_set_option("time_limit", seconds).unwrap();
        model.try_set_option("threads", 1).unwrap();
        model.try_set_option("parallel", "off").unwrap();
        model.try_set_solution(Some(&hint), None, None, None).unwrap();
        let solved = model.try_solve().ok()?;
        let bound = solved.double_info_value(c"mip_dual_bound").ok()?;
        let seconds = began.elapsed().as_secs_f64();
        Some(Found { value: solved.get_solution().columns()[0], bound, seconds })
    }

    #[cfg(feature = "highs")]
    fn lpt(&self) -> Vec<Option<HostId>> {
        let mut order: Vec<usize> = (0..self.loads.len()).collect();
        order.sort_by(|&a, &b| self.loads[b].total_cmp(&self.loads[a]));
        let mut held = vec![0.0_f64; self.hosts];
        let mut owners = vec![None; self.loads.len()];
        for shard in order {
            let host = (0..self.hosts).min_by(|&a, &b| held[a].total_cmp(&held[b])).unwrap();
            held[host] += self.loads[shard];
            owners[shard] = Some(HostId(host as u32));
        }
        owners
    }
}

fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for exponent in [0.4, 0.6, 0.8, 1.0, 1.2] {
        cases.push(Case::new(500, 16, exponent, 1, Limit::Nothing));
    }
    for (shards, hosts, limits) in [
        (20, 4, [Limit::Moves(1), Limit::Moves(4), Limit::Share(0.1)]),
        (60, 6, [Limit::Moves(1), Limit::Moves(3), Limit::Share(0.05)]),
        (500, 16, [Limit::Moves(5), Limit::Moves(25), Limit::Share(0.03)]),
    ] {
        for limit in limits {
            for exponent in [0.6, 0.8, 1.0] {
                cases.push(Case::new(shards, hosts, exponent, 1, limit));
            }
        }
    }
    cases
}

/// A peer's cells: its time over ours, and its gap.
fn cells(ours: &Found, peer: Option<&Found>, target: f64) -> String {
    let Some(peer) = peer else { return format!("{:>9} {:>8}", "", "") };
    // A reserve for what the peers round.
    let gave_up = peer.gap().is_nan() || peer.gap() > target * 1.01 + 1e-9;
    let ratio = peer.seconds / ours.seconds;
    let mark = if gave_up { ">" } else { "" };
    format!(
        "{:>9} {:>8.1e}",
        format!("{mark}{ratio:.1}"),
        if peer.gap() < 0.0 { 0.0 } else { peer.gap() }
    )
}

fn main() {
    let seconds = std::env::var("PEERS_SECONDS").map_or(20.0, |text| text.parse().unwrap());
    let filter = std::env::args().skip(1).find(|argument| !argument.starts_with('-'));
    println!("times of peers as multiples of ours, to the gap that ours certifies");
    println!(
        "{:48} {:>9} {:>9} {:>8} | {:>9} {:>8} | {:>9} {:>8}",
        "", "value", "ours, ms", "gap", "CP-SAT", "gap", "HiGHS", "gap"
    );
    for case in cases() {
        if filter.as_ref().is_some_and(|filter| !case.name.contains(filter.as_str())) {
            continue;
        }
        let ours = case.ours();
        let target = ours.gap().max(LEAST_GAP);
        let (cpsat, highs) = (case.cpsat(target, seconds), case.highs(target, seconds));
        for peer in [&cpsat, &highs].into_iter().flatten() {
            // What one has found, another must not rule out.
            let rules_out = |one: &Found, other: &Found| one.bound > other.value * (1.0 + 1e-5);
            assert!(!rules_out(&ours, peer) && !rules_out(peer, &ours), "{}", case.name);
        }
        println!(
            "{:48} {:>9.6} {:>9.3} {:>8.1e} | {} | {}",
            case.name,
            ours.value,
            ours.seconds * 1e3,
            ours.gap(),
            cells(&ours, cpsat.as_ref(), target),
            cells(&ours, highs.as_ref(), target),
        );
    }
}
