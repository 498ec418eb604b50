//! The optimum within a budget, and the cheapest way to a target, against
//! enumeration and known answers.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

mod common;

use common::rebalances::{Placed, Tiny, zipf};
use evenkeel::model::HostId;
use evenkeel::optimum::{
    Budget, Measure, Optimum, OptimumError, Problem, Rebalance, Settings, Solver, Status,
    TOLERANCE, fewest, solve, solve_budgeted,
};

/// What this build has of the integer programs.
fn programs() -> Vec<Solver> {
    let mut programs = vec![Solver::Ilp];
    programs.extend(cfg!(feature = "highs").then_some(Solver::Highs));
    programs
}

/// What is asked of every tiny snapshot.
fn budgets(tiny: &Tiny) -> Vec<Budget> {
    let total: f64 = tiny.loads.iter().sum();
    let mut budgets: Vec<Budget> = [0, 1, 2, 3, 7].map(Budget::Moves).to_vec();
    budgets.extend([0.0, 0.1, 0.3, 1.0].map(|share| Budget::Load(share * total)));
    budgets
}

/// An answer that holds against all assignments, and the best value; `None`
/// when the budget is rightly refused.
fn checked(
    tiny: &Tiny,
    all: &[Placed],
    budget: Budget,
    settings: &Settings,
) -> Option<(Optimum, f64)> {
    let allowed = all.iter().filter(|one| one.is_within(budget));
    let best = allowed.map(|one| one.hottest).fold(f64::INFINITY, f64::min);
    let answer = solve_budgeted(&tiny.problem(), budget, settings);
    let context = format!("{budget:?}, {settings:?}, best {best}: {answer:?}");
    if best == f64::INFINITY {
        let cost = |one: &Placed| match budget {
            Budget::Moves(_) => one.moves as f64,
            Budget::Load(_) => one.moved_load,
        };
        let needed = all.iter().map(cost).fold(f64::INFINITY, f64::min);
        let Err(OptimumError::Forced { needed: said, .. }) = answer else { panic!("{context}") };
        assert!((said - needed).abs() <= 1e-12 * needed, "{context}");
        return None;
    }
    let answer = answer.unwrap();
    tiny.assert_sound(&answer);
    let Rebalance { optimum: answer, moves, moved_load } = answer;
    match budget {
        Budget::Moves(most) => assert!(moves.len() as u64 <= most, "{context}"),
        Budget::Load(most) => assert!(moved_load <= most * (1.0 + TOLERANCE), "{context}"),
    }
    if tiny.loads.iter().any(|&load| load > 0.0) {
        assert!(answer.bound <= best / tiny.fleet() * (1.0 + 1e-15), "{context}");
    }
    assert!(answer.max_utilisation >= best * (1.0 - 1e-14), "{context}");
    if answer.status == Status::Optimal {
        assert!(answer.max_utilisation <= best * (1.0 + TOLERANCE), "{context}");
    }
    Some((answer, best))
}

#[test]
fn budgets_agree_with_enumeration() {
    for seed in 0..3000 {
        let tiny = Tiny::random(seed);
        let all = tiny.enumerate();
        let mut last = f64::INFINITY;
        for budget in budgets(&tiny) {
            let Some((answer, best)) = checked(&tiny, &all, budget, &Settings::default()) else {
                continue;
            };
            assert_eq!(answer.status, Status::Optimal, "tiny instances are all proved");
            if matches!(budget, Budget::Moves(_)) {
                assert!(best <= last);
                last = best;
            }
        }
    }
}

#[test]
fn the_integer_programs_agree_with_enumeration() {
    for solver in programs() {
        let (mut asked, mut proved, mut decided) = (0, 0, 0);
        for seed in 0..3000 {
            let tiny = Tiny::random(seed);
            let all = tiny.enumerate();
            for budget in budgets(&tiny) {
                let settings = Settings { solver, ..Settings::default() };
                let Some((answer, _)) = checked(&tiny, &all, budget, &settings) else { continue };
                asked += 1;
                proved += u32::from(answer.status == Status::Optimal);
                decided += u32::from(answer.bound_name.as_str() == solver.as_str());
            }
        }
        assert!(proved * 100 >= asked * 99, "{solver:?} proved {proved} of {asked}");
        assert!(decided > 300, "{solver:?} decided {decided} of {asked}");
    }
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
        let least = all.iter().map(|one| one.hottest).fold(f64::INFINITY, f64::min) / fleet;
        for target in [least, least * 1.001, least * 1.2, least * 1.7, least * 0.99] {
            for measure in [Measure::Moves, Measure::Load] {
                let reaches = |one: &&Placed| one.hottest / fleet <= target * (1.0 + TOLERANCE);
                let cost = |one: &Placed| match measure {
                    Measure::Moves => one.moves as f64,
                    Measure::Load => one.moved_load,
                };
                let best = all.iter().filter(reaches).map(cost).fold(f64::INFINITY, f64::min);
                let answer = fewest(&tiny.problem(), target, measure, &Settings::default());
                let context = format!("seed {seed}, {target}, {measure:?}, {best}: {answer:?}");
                if best == f64::INFINITY {
                    assert!(matches!(answer, Err(OptimumError::BelowBound { .. })), "{context}");
                    refused += 1;
                    continue;
                }
                let Ok(answer) = answer else { panic!("{context}") };
                tiny.assert_sound(&answer);
                let answer = answer.optimum;
                asked += 1;
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
