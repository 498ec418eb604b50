//! Instances of the optimum, and what must hold of their answers.

use evenkeel::model::HostId;
use evenkeel::optimum::{Optimum, Problem, Status, TOLERANCE};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What must hold of any answer, recomputed from its assignment.
pub fn assert_sound(problem: &Problem, answer: &Optimum) {
    assert_eq!(answer.assignment.len(), problem.loads.len());
    let hottest = hottest(problem, &answer.assignment);
    assert_eq!(answer.max_utilisation, hottest);
    assert!(answer.bound <= answer.hot_ratio);
    assert!(answer.gap >= 0.0);
    assert_eq!(answer.gap, (answer.hot_ratio - answer.bound) / answer.bound);
    assert_eq!(answer.status == Status::Optimal, answer.gap <= TOLERANCE);
    for (shard, &host) in answer.assignment.iter().enumerate() {
        match problem.pinned.and_then(|pinned| pinned[shard]) {
            Some(pin) => assert_eq!(host, pin),
            None => assert!(!problem.closed.is_some_and(|closed| closed[host.index()])),
        }
    }
}

pub fn hottest(problem: &Problem, assignment: &[HostId]) -> f64 {
    let mut loads = vec![0.0; problem.capacities.len()];
    for (load, host) in problem.loads.iter().zip(assignment) {
        loads[host.index()] += load;
    }
    loads.iter().zip(problem.capacities).map(|(load, capacity)| load / capacity).fold(0.0, f64::max)
}

pub fn fleet(problem: &Problem) -> f64 {
    problem.loads.iter().sum::<f64>() / problem.capacities.iter().sum::<f64>()
}

/// The least hottest utilisation of all assignments, by trying them all.
pub fn enumerate(problem: &Problem) -> f64 {
    let hosts = problem.capacities.len();
    let choices: Vec<Vec<HostId>> = (0..problem.loads.len())
        .map(|shard| match problem.pinned.and_then(|pinned| pinned[shard]) {
            Some(pin) => vec![pin],
            None => (0..hosts as u32)
                .map(HostId)
                .filter(|host| !problem.closed.is_some_and(|closed| closed[host.index()]))
                .collect(),
        })
        .collect();
    let mut digits = vec![0; choices.len()];
    let mut best = f64::INFINITY;
    loop {
        let assignment: Vec<HostId> = digits.iter().zip(&choices).map(|(&d, c)| c[d]).collect();
        best = best.min(hottest(problem, &assignment));
        let Some(next) = (0..digits.len()).find(|&at| digits[at] + 1 < choices[at].len()) else {
            return best;
        };
        digits[..next].fill(0);
        digits[next] += 1;
    }
}

/// A tiny random instance: loads of several shapes, capacities equal or not,
/// pins and closed hosts now and then.
pub struct Tiny {
    pub loads: Vec<f64>,
    pub capacities: Vec<f64>,
    pub pinned: Option<Vec<Option<HostId>>>,
    pub closed: Option<Vec<bool>>,
    pub start: Option<Vec<Option<HostId>>>,
}

impl Tiny {
    pub fn random(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let hosts = random.random_range(1..=4);
        let shards = random.random_range(0..=if hosts == 4 { 6 } else { 8 });
        let shape = random.random_range(0..5);
        let loads = (0..shards)
            .map(|_| match shape {
                0 => random.random::<f64>(),
                1 => f64::from(random.random_range(0..20u32)),
                2 => libm::pow(f64::from(random.random_range(1..50u32)), -0.7),
                3 => libm::pow(10.0, 12.0 * random.random::<f64>()),
                _ => 5.0,
            })
            .collect();
        let unequal = random.random_range(0..2) == 1;
        let capacities = (0..hosts)
            .map(|_| if unequal { f64::from(random.random_range(1..5u32)) } else { 3.0 })
            .collect();
        let mut some_host = |often: u32| {
            let host = HostId(random.random_range(0..hosts as u32));
            (random.random_range(0..often) == 0).then_some(host)
        };
        let pinned = (seed.is_multiple_of(3)).then(|| (0..shards).map(|_| some_host(3)).collect());
        let start = (seed.is_multiple_of(5)).then(|| (0..shards).map(|_| some_host(1)).collect());
        let closed = (seed.is_multiple_of(4) && hosts > 1).then(|| {
            let shut = some_host(1);
            (0..hosts).map(|host| shut == Some(HostId(host as u32))).collect()
        });
        Self { loads, capacities, pinned, closed, start }
    }

    pub fn problem(&self) -> Problem<'_> {
        Problem {
            loads: &self.loads,
            capacities: &self.capacities,
            pinned: self.pinned.as_deref(),
            closed: self.closed.as_deref(),
            start: self.start.as_deref(),
        }
    }
}

/// Zipf loads, each up to a tenth off.
pub fn zipf(shards: usize, exponent: f64, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (1..=shards)
        .map(|rank| libm::pow(rank as f64, -exponent) * (0.9 + 0.2 * random.random::<f64>()))
        .collect()
}
