//! The optimum within a budget, and the cheapest way to a target, against
//! enumeration and known answers.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

use evenkeel::model::HostId;
use evenkeel::optimum::{
    Budget, Measure, Optimum, OptimumError, Problem, Rebalance, Settings, Status, TOLERANCE,
    fewest, solve, solve_budgeted,
};
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// A snapshot in which shards may be pinned or unplaced, and hosts closed or
/// gone.
struct Tiny {
    loads: Vec<f64>,
    capacities: Vec<f64>,
    pinned: Vec<Option<HostId>>,
    closed: Vec<bool>,
    start: Vec<Option<HostId>>,
}

impl Tiny {
    fn random(seed: u64) -> Self {
        let mut random = ChaCha8Rng::seed_from_u64(seed);
        let hosts = random.random_range(1..=4usize);
        let shards = random.random_range(0..=if hosts == 4 { 6 } else { 7 });
        let shape = random.random_range(0..6);
        let loads: Vec<f64> = (0..shards)
            .map(|_| match shape {
                0 => random.random::<f64>(),
                1 => f64::from(random.random_range(0..20u32)),
                2 => libm::pow(f64::from(random.random_range(1..50u32)), -0.7),
                3 => libm::pow(10.0, 12.0 * random.random::<f64>()),
                4 => f64::from(random.random_range(1..4u32)),
                _ => 5.0,
            })
            .collect();
        let unequal = random.random_range(0..2) == 1;
        let capacities = (0..hosts)
            .map(|_| if unequal { f64::from(random.random_range(1..5u32)) } else { 3.0 })
            .collect();
        let open = random.random_range(0..hosts);
        let closes = random.random_range(0..3) == 0;
        let closed: Vec<bool> = (0..hosts)
            .map(|host| closes && host != open && random.random_range(0..3) == 0)
            .collect();
        let unplaced = random.random_range(0..4) == 0;
        let goes = random.random_range(0..6) == 0;
        // Most shards on few hosts, so that there is something to do.
        let crowd = random.random_range(1..=hosts);
        let start: Vec<Option<HostId>> = (0..shards)
            .map(|_| {
                if unplaced && random.random_range(0..3) == 0 {
                    None
                } else if goes && random.random_range(0..4) == 0 {
                    Some(HostId(hosts as u32 + 2))
                } else {
                    Some(HostId(random.random_range(0..crowd) as u32))
                }
            })
            .collect();
        let pins = random.random_range(0..3) == 0;
        let pinned = start
            .iter()
            .map(|owner| {
                let pin = pins && random.random_range(0..4) == 0;
                owner.filter(|host| pin && host.index() < hosts)
            })
            .collect();
        Self { loads, capacities, pinned, closed, start }
    }

    fn problem(&self) -> Problem<'_> {
        Problem {
            pinned: Some(&self.pinned),
            closed: Some(&self.closed),
            start: Some(&self.start),
            ..Problem::new(&self.loads, &self.capacities)
        }
    }

    /// Every assignment's hottest utilisation, moves and moved load.
    fn enumerate(&self) -> Vec<(f64, u64, f64)> {
        let hosts = self.capacities.len();
        let choices: Vec<Vec<HostId>> = self
            .pinned
            .iter()
            .map(|pinned| match pinned {
                Some(pin) => vec![*pin],
                None => (0..hosts).filter(|&h| !self.closed[h]).map(|h| HostId(h as u32)).collect(),
            })
            .collect();
        let mut digits = vec![0; choices.len()];
        let mut all = Vec::new();
        loop {
            let mut loads = vec![0.0; hosts];
            let (mut moves, mut moved) = (0, 0.0);
            for (shard, &digit) in digits.iter().enumerate() {
                let host = choices[shard][digit];
                loads[host.index()] += self.loads[shard];
                if self.start[shard].is_some_and(|owner| owner != host) {
                    moves += 1;
                    moved += self.loads[shard];
                }
            }
            let hottest = loads.iter().zip(&self.capacities).map(|(l, c)| l / c);
            all.push((hottest.fold(0.0, f64::max), moves, moved));
            let Some(next) = (0..digits.len()).find(|&at| digits[at] + 1 < choices[at].len())
            else {
                return all;
            };
            digits[..next].fill(0);
            digits[next] += 1;
        }
    }

    fn fleet(&self) -> f64 {
        self.loads.iter().sum::<f64>() / self.capacities.iter().sum::<f64>()
    }

    /// What must hold of any answer, recomputed from its assignment.
    fn assert_sound(&self, assignment: &[HostId], moves: usize, moved_load: f64, hottest: f64) {
        let mut loads = vec![0.0; self.capacities.len()];
        let (mut count, mut moved) = (0, 0.0);
        for (shard, &host) in assignment.iter().enumerate() {
            match self.pinned[shard] {
                Some(pin) => assert_eq!(host, pin),
                None => assert!(!self.closed[host.index()]),
            }
            loads[host.index()] += self.loads[shard];
            if self.start[shard].is_some_and(|owner| owner != host) {
                count += 1;
                moved += self.loads[shard];
            }
        }
        let utilisations = loads.iter().zip(&self.capacities).map(|(l, c)| l / c);
        assert_eq!(hottest, utilisations.fold(0.0, f64::max));
        assert_eq!(moves, count);
        assert_eq!(moved_load, moved);
    }
}

#[test]
fn budgets_agree_with_enumeration() {
    let mut optimal = 0;
    let mut asked = 0;
    for seed in 0..3000 {
        let tiny = Tiny::random(seed);
        let all = tiny.enumerate();
        let total: f64 = tiny.loads.iter().sum();
        let mut budgets: Vec<Budget> = [0, 1, 2, 3, 7].map(Budget::Moves).to_vec();
        budgets.extend([0.0, 0.1, 0.3, 1.0].map(|share| Budget::Load(share * total)));
        let mut last = f64::INFINITY;
        for budget in budgets {
            let allowed = |&&(_, moves, moved): &&(f64, u64, f64)| match budget {
                Budget::Moves(most) => moves <= most,
                Budget::Load(most) => moved <= most * (1.0 + TOLERANCE),
            };
            let best = all.iter().filter(allowed).map(|one| one.0).fold(f64::INFINITY, f64::min);
            let answer = solve_budgeted(&tiny.problem(), budget, &Settings::default());
            if best == f64::INFINITY {
                let needed = match budget {
                    Budget::Moves(_) => {
                        all.iter().map(|one| one.1 as f64).fold(f64::INFINITY, f64::min)
                    }
                    Budget::Load(_) => all.iter().map(|one| one.2).fold(f64::INFINITY, f64::min),
                };
                let Err(OptimumError::Forced { needed: said, .. }) = answer else {
                    panic!("seed {seed}, {budget:?}: {answer:?}");
                };
                assert!((said - needed).abs() <= 1e-12 * needed, "seed {seed}");
                continue;
            }
            let Rebalance { optimum: answer, moves, moved_load } = answer.unwrap();
            tiny.assert_sound(&answer.assignment, moves.len(), moved_load, answer.max_utilisation);
            asked += 1;
            let context = format!("seed {seed}, {budget:?}, best {best}: {answer:?}");
            match budget {
                Budget::Moves(most) => assert!(moves.len() as u64 <= most, "{context}"),
                Budget::Load(most) => {
                    assert!(moved_load <= most * (1.0 + TOLERANCE), "{context}");
                }
            }
            if total > 0.0 {
                assert!(answer.bound <= best / tiny.fleet() * (1.0 + 1e-15), "{context}");
            }
            assert!(answer.max_utilisation >= best * (1.0 - 1e-14), "{context}");
            if answer.status == Status::Optimal {
                optimal += 1;
                assert!(answer.max_utilisation <= best * (1.0 + TOLERANCE), "{context}");
            }
            if matches!(budget, Budget::Moves(_)) {
                assert!(best <= last);
                last = best;
            }
        }
    }
    assert_eq!(optimal, asked, "tiny instances are all proved");
}

#[test]
fn fewest_agrees_with_enumeration() {
    let (mut optimal, mut asked, mut refused) = (0, 0, 0);
    for seed in 0..3000 {
        let tiny = Tiny::random(seed);
        let all = tiny.enumerate();
        let fleet = tiny.fleet();
        if fleet == 0.0 || tiny.loads.is_empty() {
            continue;
        }
        let least = all.iter().map(|one| one.0).fold(f64::INFINITY, f64::min) / fleet;
        for target in [least, least * 1.001, least * 1.2, least * 1.7, least * 0.99] {
            for measure in [Measure::Moves, Measure::Load] {
                let reaches = |one: &&(f64, u64, f64)| one.0 / fleet <= target * (1.0 + TOLERANCE);
                let cost = |one: &(f64, u64, f64)| match measure {
                    Measure::Moves => one.1 as f64,
                    Measure::Load => one.2,
                };
                let best = all.iter().filter(reaches).map(cost).fold(f64::INFINITY, f64::min);
                let answer = fewest(&tiny.problem(), target, measure, &Settings::default());
                let context = format!("seed {seed}, {target}, {measure:?}, {best}: {answer:?}");
                if best == f64::INFINITY {
                    assert!(matches!(answer, Err(OptimumError::BelowBound { .. })), "{context}");
                    refused += 1;
                    continue;
                }
                let Ok(Rebalance { optimum: answer, moves, moved_load }) = answer else {
                    panic!("{context}")
                };
                asked += 1;
                tiny.assert_sound(
                    &answer.assignment,
                    moves.len(),
                    moved_load,
                    answer.max_utilisation,
                );
                assert!(answer.hot_ratio <= target * (1.0 + 2.0 * TOLERANCE), "{context}");
                assert!(answer.bound <= best * (1.0 + 1e-14), "{context}");
                assert!(answer.value >= best * (1.0 - 1e-14), "{context}");
                if answer.status == Status::Optimal {
                    optimal += 1;
                    assert!(answer.value <= best * (1.0 + TOLERANCE), "{context}");
                }
            }
        }
    }
    assert_eq!(optimal, asked, "tiny instances are all proved");
    assert!(refused > 1000);
}

/// Zipf loads with some jitter, shards dealt at random.
fn zipf(shards: usize, hosts: usize, exponent: f64, seed: u64) -> (Vec<f64>, Vec<Option<HostId>>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let load = |rank: usize, jitter: f64| {
        libm::pow(rank as f64 + 1.0, -exponent) * (0.9 + 0.2 * jitter) * 1000.0
    };
    let loads = (0..shards).map(|rank| load(rank, random.random())).collect();
    let mut random = ChaCha8Rng::seed_from_u64(seed + 1000);
    let start = (0..shards).map(|_| Some(HostId(random.random_range(0..hosts as u32)))).collect();
    (loads, start)
}

#[test]
fn values_fall_with_the_budget_and_meet_the_free_optimum() {
    for seed in 0..4 {
        let (loads, start) = zipf(14, 3, 0.8, seed);
        let capacities = [1.0; 3];
        let problem = Problem { start: Some(&start), ..Problem::new(&loads, &capacities) };
        let free = solve(&Problem { start: None, ..problem }, &Settings::default()).unwrap();
        let mut last = f64::INFINITY;
        for moves in [0, 1, 2, 3, 4, 6, 9, 14] {
            let answer =
                solve_budgeted(&problem, Budget::Moves(moves), &Settings::default()).unwrap();
            assert!(
                answer.optimum.hot_ratio <= last * (1.0 + TOLERANCE),
                "seed {seed}, {moves} moves"
            );
            assert!(answer.optimum.hot_ratio >= free.bound * (1.0 - TOLERANCE));
            let again =
                solve_budgeted(&problem, Budget::Moves(moves), &Settings::default()).unwrap();
            assert_eq!(answer, again);
            last = answer.optimum.hot_ratio;
        }
        assert!(last <= free.hot_ratio * (1.0 + TOLERANCE));
    }
}

#[test]
fn small_budgets_are_proved_at_any_size() {
    for (shards, hosts, moves) in [(20, 4, 1), (20, 4, 4), (60, 6, 1), (60, 6, 3), (500, 16, 5)] {
        for exponent in [0.6, 0.8, 1.0, 1.2] {
            let (loads, start) = zipf(shards, hosts, exponent, 11);
            let capacities = vec![1.0; hosts];
            let problem = Problem { start: Some(&start), ..Problem::new(&loads, &capacities) };
            let answer =
                solve_budgeted(&problem, Budget::Moves(moves), &Settings::default()).unwrap();
            assert_eq!(
                answer.optimum.status,
                Status::Optimal,
                "{shards} x {hosts}, {moves}, {exponent}"
            );
        }
    }
}

/// Equal shards on hosts of equal capacity, as counts on each host.
fn slots(counts: &[usize], closed: &[usize], best: usize) -> Optimum {
    let start: Vec<Option<HostId>> = (0..)
        .zip(counts)
        .flat_map(|(host, &count)| std::iter::repeat_n(Some(HostId(host)), count))
        .collect();
    let loads = vec![1.0; start.len()];
    let capacities = vec![1.0; counts.len()];
    let closed: Vec<bool> = (0..counts.len()).map(|host| closed.contains(&host)).collect();
    let problem =
        Problem { start: Some(&start), closed: Some(&closed), ..Problem::new(&loads, &capacities) };
    let target = best as f64 * counts.len() as f64 / loads.len() as f64;
    let answer = fewest(&problem, target, Measure::Moves, &Settings::default()).unwrap().optimum;
    assert_eq!(answer.status, Status::Optimal);
    assert_eq!(answer.max_utilisation, best as f64);
    answer
}

/// From public reports about rebalancing, as counts: redis/redis issue 4941,
/// akka/akka-core issue 23830, hazelcast/hazelcast issue 8213.
#[test]
fn equal_shards_are_exact_at_any_size() {
    let mut counts = vec![0; 201];
    counts[0] = 16_384;
    assert_eq!(slots(&counts, &[], 82).value, 16_302.0);
    let mut counts = vec![81; 201];
    counts[0] = 184;
    assert_eq!(slots(&counts, &[], 82).value, 102.0);
    assert_eq!(slots(&counts, &[1], 82).value, 183.0);
    assert_eq!(slots(&[20, 10], &[], 15).value, 5.0);
    assert_eq!(slots(&[8945, 1096, 1025, 934], &[], 3000).value, 5945.0);
    assert_eq!(slots(&[3000, 3000, 3000, 3000, 0], &[], 2400).value, 2400.0);
    assert_eq!(slots(&[16; 10], &[], 16).value, 0.0);
    let mut counts = [16; 11];
    counts[10] = 0;
    assert_eq!(slots(&counts, &[], 15).value, 10.0);
    assert_eq!(slots(&[36, 24, 0], &[2], 30).value, 6.0);
    assert_eq!(slots(&[5, 1], &[], 3).value, 2.0);
}

#[test]
fn a_target_below_the_bound_is_refused_with_the_bound() {
    let start = vec![Some(HostId(0)); 3];
    let problem = Problem { start: Some(&start), ..Problem::new(&[2.0, 1.0, 1.0], &[1.0, 1.0]) };
    let refused = fewest(&problem, 0.9, Measure::Moves, &Settings::default());
    assert_eq!(refused, Err(OptimumError::BelowBound { target: 0.9, bound: 1.0 }));
    let met = fewest(&problem, 1.0, Measure::Moves, &Settings::default()).unwrap().optimum;
    assert_eq!((met.value, met.bound), (1.0, 1.0));
}

#[test]
fn shards_that_have_to_leave_come_out_of_the_budget() {
    let start = [Some(HostId(0)), Some(HostId(0)), Some(HostId(1)), None, Some(HostId(9))];
    let closed = [true, false, false];
    let problem = Problem {
        start: Some(&start),
        closed: Some(&closed),
        ..Problem::new(&[1.0; 5], &[1.0; 3])
    };
    let refused = solve_budgeted(&problem, Budget::Moves(2), &Settings::default());
    assert_eq!(refused, Err(OptimumError::Forced { needed: 3.0, budget: 2.0 }));
    let answer = solve_budgeted(&problem, Budget::Moves(3), &Settings::default()).unwrap();
    assert_eq!((answer.moves.len(), answer.optimum.max_utilisation), (3, 3.0));
    assert_eq!(answer.optimum.status, Status::Optimal);
    let refused = solve_budgeted(&problem, Budget::Load(f64::NAN), &Settings::default());
    assert!(matches!(refused, Err(OptimumError::Budget { .. })));
}

#[test]
fn nothing_to_do_is_optimal() {
    let start = vec![Some(HostId(0)); 3];
    for loads in [[0.0; 3], [1.0, 2.0, 3.0]] {
        let problem = Problem { start: Some(&start), ..Problem::new(&loads, &[1.0, 1.0]) };
        let answer = solve_budgeted(&problem, Budget::Moves(0), &Settings::default()).unwrap();
        assert_eq!((answer.optimum.status, answer.moves.len()), (Status::Optimal, 0));
    }
}
