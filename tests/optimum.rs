//! The optimum against enumeration, known answers and degenerate inputs.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

use evenkeel::model::HostId;
use evenkeel::optimum::{
    BoundName, Optimum, OptimumError, Problem, Settings, Solver, Stage, Status, TOLERANCE, solve,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn optimum(problem: &Problem) -> Optimum {
    let answer = solve(problem, &Settings::default()).unwrap();
    assert_sound(problem, &answer);
    answer
}

/// Equal capacities of 1.
fn even(loads: &[f64], hosts: usize) -> Optimum {
    optimum(&Problem::new(loads, &vec![1.0; hosts]))
}

/// What must hold of any answer, recomputed from its assignment.
fn assert_sound(problem: &Problem, answer: &Optimum) {
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

fn hottest(problem: &Problem, assignment: &[HostId]) -> f64 {
    let mut loads = vec![0.0; problem.capacities.len()];
    for (load, host) in problem.loads.iter().zip(assignment) {
        loads[host.index()] += load;
    }
    loads.iter().zip(problem.capacities).map(|(load, capacity)| load / capacity).fold(0.0, f64::max)
}

fn fleet(problem: &Problem) -> f64 {
    problem.loads.iter().sum::<f64>() / problem.capacities.iter().sum::<f64>()
}

/// The least hottest utilisation of all assignments, by trying them all.
fn enumerate(problem: &Problem) -> f64 {
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
struct Tiny {
    loads: Vec<f64>,
    capacities: Vec<f64>,
    pinned: Option<Vec<Option<HostId>>>,
    closed: Option<Vec<bool>>,
    start: Option<Vec<Option<HostId>>>,
}

impl Tiny {
    fn random(seed: u64) -> Self {
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

    fn problem(&self) -> Problem<'_> {
        Problem {
            loads: &self.loads,
            capacities: &self.capacities,
            pinned: self.pinned.as_deref(),
            closed: self.closed.as_deref(),
            start: self.start.as_deref(),
        }
    }
}

#[test]
fn tiny_instances_agree_with_enumeration() {
    let (mut optimal, mut by_program) = (0, 0);
    for seed in 0..600 {
        let tiny = Tiny::random(seed);
        let problem = tiny.problem();
        let answer = optimum(&problem);
        let best = enumerate(&problem);
        let fleet = fleet(&problem);
        if fleet > 0.0 {
            assert!(answer.bound <= best / fleet, "bound above the optimum, seed {seed}");
        }
        assert!(answer.max_utilisation >= best, "seed {seed}");
        if answer.status == Status::Optimal {
            optimal += 1;
            assert!(answer.max_utilisation <= best * (1.0 + TOLERANCE), "seed {seed}");
        }
        by_program += usize::from(answer.solver == Stage::Ilp);

        let heuristic = Settings { solver: Solver::Heuristic, ..Settings::default() };
        let heuristic = solve(&problem, &heuristic).unwrap();
        assert_sound(&problem, &heuristic);
        assert!(fleet == 0.0 || heuristic.bound <= best / fleet, "seed {seed}");
    }
    println!("600 instances, {optimal} proved optimal, {by_program} by the integer program");
    assert!(optimal >= 590, "only {optimal} of 600 proved");
    assert!(by_program > 20, "the integer program decided only {by_program}");
}

#[test]
fn known_answers_of_public_reports() {
    // redis issue 4941: 16384 equal shards; 201 hosts, then 200.
    let slots = vec![1.0; 16384];
    assert_eq!(even(&slots, 201).max_utilisation, 82.0);
    assert_eq!(even(&slots, 201).gap, 0.0);
    assert_eq!(even(&slots, 200).max_utilisation, 82.0);
    // milvus issue 44840: one shard, two hosts.
    let single = even(&[1.0], 2);
    assert_eq!((single.max_utilisation, single.hot_ratio), (1.0, 2.0));
    // pulsar pull request 17456: 80 shards of 10, 160 of 5, on 11 hosts.
    assert_eq!(even(&vec![10.0; 80], 11).max_utilisation, 80.0);
    assert_eq!(even(&vec![5.0; 160], 11).max_utilisation, 75.0);
    // redpanda issue 2092: 60 equal shards on the two hosts that are up.
    assert_eq!(even(&vec![1.0; 60], 2).max_utilisation, 30.0);
    // descheduler issue 1695: a shard of 75 on hosts of 100.
    let big = [75.0, 12.0, 8.0, 5.0];
    let answer = optimum(&Problem::new(&big, &[100.0; 3]));
    assert_eq!((answer.max_utilisation, answer.bound_name), (0.75, BoundName::Largest));
    // azure-sdk-for-go issue 22487: 100 equal shards on 80 hosts.
    assert_eq!(even(&vec![1.0; 100], 80).max_utilisation, 2.0);
    // newrelic issue 99: five busy shards and five idle ones on two hosts.
    let half_idle = [1.0, 1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0];
    assert_eq!(even(&half_idle, 2).max_utilisation, 3.0);
}

#[test]
fn known_answers_of_scheduling_theory() {
    // Graham 1969: LPT ends at 4/3 - 1/(3H) of the optimum, here 11 and 9.
    let graham = even(&[5.0, 5.0, 4.0, 4.0, 3.0, 3.0, 3.0], 3);
    assert_eq!((graham.max_utilisation, graham.status), (9.0, Status::Optimal));
    // Two shards of three have to share a host: w_H + w_(H+1) = 7 + 6.
    let pair = even(&[8.0, 7.0, 6.0], 2);
    assert_eq!((pair.max_utilisation, pair.bound_name), (13.0, BoundName::Pigeonhole));
    // A host of capacity 2 takes two of three equal shards.
    let uneven = optimum(&Problem::new(&[3.0; 3], &[2.0, 1.0]));
    assert_eq!((uneven.max_utilisation, uneven.hot_ratio), (3.0, 1.0));
}

/// The shape of `scenarios/small-exact.toml`: only a search proves it.
#[test]
fn the_integer_program_decides_small_instances() {
    let loads: Vec<f64> = (1..=12).map(|rank| libm::pow(f64::from(rank), -0.6)).collect();
    let answer = even(&loads, 3);
    assert_eq!(answer.solver, Stage::Ilp);
    assert_eq!(answer.bound_name, BoundName::Ilp);
    assert_eq!(answer.status, Status::Optimal);
    assert!(answer.nodes > 0 && answer.hot_ratio > 1.0);
}

#[test]
fn a_start_that_is_optimal_is_kept() {
    let start = [Some(HostId(1)), Some(HostId(0)), Some(HostId(0))];
    let loads = [2.0, 1.0, 1.0];
    let problem = Problem { start: Some(&start), ..Problem::new(&loads, &[1.0; 2]) };
    let answer = optimum(&problem);
    assert_eq!(answer.assignment, [HostId(1), HostId(0), HostId(0)]);
    assert_eq!(answer.solver, Stage::Start);
}

#[test]
fn closed_hosts_keep_what_is_pinned_to_them_and_receive_nothing() {
    let pinned = [Some(HostId(0)), None, None, None];
    let loads = [9.0, 4.0, 3.0, 1.0];
    let problem = Problem {
        pinned: Some(&pinned),
        closed: Some(&[true, false, false]),
        ..Problem::new(&loads, &[1.0; 3])
    };
    let answer = optimum(&problem);
    assert_eq!((answer.max_utilisation, answer.bound_name), (9.0, BoundName::Pinned));
    let open = Problem { pinned: None, ..problem };
    assert_eq!(optimum(&open).max_utilisation, 9.0);
    let all = Problem { closed: Some(&[true; 3]), ..problem };
    assert_eq!(solve(&all, &Settings::default()), Err(OptimumError::NoOpenHost));
}

#[test]
fn degenerate_instances_have_right_answers() {
    let idle = even(&[0.0; 5], 3);
    assert_eq!((idle.hot_ratio, idle.bound, idle.gap), (1.0, 1.0, 0.0));
    assert_eq!((idle.status, idle.solver), (Status::Optimal, Stage::Bound));
    let nothing = even(&[], 3);
    assert_eq!((nothing.hot_ratio, nothing.status), (1.0, Status::Optimal));
    let one_host = even(&[1.0, 2.0, 3.0], 1);
    assert_eq!((one_host.hot_ratio, one_host.solver), (1.0, Stage::Bound));
    let roomy = even(&[1.0, 2.0, 3.0], 6);
    assert_eq!((roomy.hot_ratio, roomy.status), (3.0, Status::Optimal));
    for hosts in 1..=6 {
        let equal = even(&[0.1; 13], hosts);
        assert_eq!(equal.status, Status::Optimal, "13 equal shards on {hosts} hosts");
    }
}

/// Loads that differ by a trillion, zeros among them, all through the integer
/// program: it must end, and its answers must hold.
#[test]
fn huge_spreads_end_with_sound_answers() {
    let settings = Settings { solver: Solver::Ilp, node_limit: 200, ..Settings::default() };
    let loads = [1e12, 9e11, 7e11, 1.0, 0.5, 3e5, 2e6, 0.0, 1e-3, 6e11, 5e11, 4e11];
    for hosts in 2..=6 {
        for capacity in [1e-9, 1.0, 1e15] {
            let mut capacities = vec![capacity; hosts];
            for second in [capacity, capacity * 1e6, capacity / 3.0] {
                capacities[1] = second;
                let problem = Problem::new(&loads, &capacities);
                assert_sound(&problem, &solve(&problem, &settings).unwrap());
            }
        }
    }
}

#[test]
fn nonsense_is_refused() {
    let refusal = |problem: &Problem| solve(problem, &Settings::default()).unwrap_err();
    assert_eq!(refusal(&Problem::new(&[1.0], &[])), OptimumError::NoHosts);
    for bad in [0.0, -1.0, f64::INFINITY, f64::NAN] {
        let capacities = [1.0, bad];
        let error = refusal(&Problem::new(&[1.0], &capacities));
        assert!(matches!(error, OptimumError::Capacity { host: 1, .. }));
    }
    for bad in [-1.0, f64::INFINITY, f64::NAN] {
        let loads = [bad];
        let error = refusal(&Problem::new(&loads, &[1.0]));
        assert!(matches!(error, OptimumError::Load { shard: 0, .. }));
    }
    let pinned = [Some(HostId(2))];
    let problem = Problem { pinned: Some(&pinned), ..Problem::new(&[1.0], &[1.0; 2]) };
    assert_eq!(refusal(&problem), OptimumError::Pin { shard: 0, host: 2 });
    let problem = Problem { start: Some(&[]), ..Problem::new(&[1.0], &[1.0; 2]) };
    let length = OptimumError::Length { what: "start", found: 0, expected: 1 };
    assert_eq!(refusal(&problem), length);
    assert_eq!(refusal(&Problem::new(&[1e308; 3], &[1.0])), OptimumError::Range);
    assert_eq!(refusal(&Problem::new(&[1e-310], &[1.0])), OptimumError::Range);
    assert_eq!(
        Settings { node_limit: 0, ..Settings::default() }.check().unwrap_err().key,
        "node_limit"
    );
    let impatient = Settings { target_gap: 1e-10, ..Settings::default() };
    assert_eq!(impatient.check().unwrap_err().key, "target_gap");
    assert!(Settings::default().check().is_ok());
}

fn zipf(shards: usize, exponent: f64, seed: u64) -> Vec<f64> {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    (1..=shards)
        .map(|rank| libm::pow(rank as f64, -exponent) * (0.9 + 0.2 * random.random::<f64>()))
        .collect()
}

#[test]
fn an_instance_has_one_answer_and_the_order_of_shards_does_not_change_its_value() {
    for seed in 0..4 {
        for (shards, hosts, exponent) in [(12, 3, 0.6), (60, 6, 0.6), (500, 16, 0.5)] {
            let loads = zipf(shards, exponent, seed);
            let answer = even(&loads, hosts);
            assert_eq!(answer, even(&loads, hosts));
            let reversed: Vec<f64> = loads.iter().rev().copied().collect();
            let other = even(&reversed, hosts);
            let difference = (answer.hot_ratio - other.hot_ratio).abs();
            assert!(difference <= TOLERANCE * answer.hot_ratio);
            assert_eq!(answer.status, other.status);
        }
    }
}

#[test]
fn the_search_ends_at_the_target_gap() {
    let loads = zipf(500, 0.6, 7);
    let problem = Problem::new(&loads, &[1.0; 16]);
    let loose = Settings { target_gap: 1e-4, ..Settings::default() };
    let (loose, tight) = (solve(&problem, &loose).unwrap(), optimum(&problem));
    assert!(loose.gap <= 1e-4 && loose.status == Status::Feasible);
    assert!(loose.steps < tight.steps && tight.gap < loose.gap);
}

#[test]
fn large_instances_are_certified_to_a_millionth() {
    for (shards, hosts, exponent) in [(500, 10, 0.98), (500, 16, 0.6), (10_000, 32, 0.6)] {
        for capacities in [vec![1.0; hosts], (0..hosts).map(|h| 1.0 + (h % 3) as f64).collect()] {
            let loads = zipf(shards, exponent, 7);
            let answer = optimum(&Problem::new(&loads, &capacities));
            assert!(answer.gap < 1e-6, "{shards} x {hosts}: gap {}", answer.gap);
        }
    }
}
