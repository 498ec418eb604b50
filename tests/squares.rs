//! The sum of squares, free and within a budget, against enumeration and known
//! answers.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

mod common;

use common::rebalances::{Tiny, zipf};
use evenkeel::model::{HostId, square_ratio};
use evenkeel::optimum::{
    BoundName, Budget, Optimum, OptimumError, Problem, Settings, Solver, Stage, Status, TOLERANCE,
    solve_squares,
};

fn free(problem: &Problem) -> Optimum {
    solve_squares(problem, None, &Settings::default()).unwrap().optimum
}

fn within(problem: &Problem, budget: Budget) -> Optimum {
    solve_squares(problem, Some(budget), &Settings::default()).unwrap().optimum
}

/// Budgets of both kinds for a snapshot, and none.
fn budgets(tiny: &Tiny) -> Vec<Option<Budget>> {
    let total: f64 = tiny.loads.iter().sum();
    let moves = [0, 1, 2, 3, 7].map(Budget::Moves);
    let loads = [0.0, 0.1, 0.3, 1.0].map(|share| Budget::Load(share * total));
    moves.into_iter().chain(loads).map(Some).chain([None]).collect()
}

#[test]
fn answers_agree_with_enumeration() {
    for seed in 0..3000 {
        let tiny = Tiny::random(seed);
        let all = tiny.enumerate();
        for budget in budgets(&tiny) {
            let allowed = all.iter().filter(|one| budget.is_none_or(|b| one.is_within(b)));
            let best = allowed.map(|one| one.square_ratio).fold(f64::INFINITY, f64::min);
            for solver in [Solver::Auto, Solver::Heuristic] {
                let settings = Settings { solver, step_limit: 500, ..Settings::default() };
                let answer = solve_squares(&tiny.problem(), budget, &settings);
                if best == f64::INFINITY {
                    assert!(matches!(answer, Err(OptimumError::Forced { .. })), "seed {seed}");
                    continue;
                }
                let answer = answer.unwrap();
                tiny.assert_sound(&answer);
                let context = format!("seed {seed}, {budget:?}, {best}: {answer:?}");
                match budget {
                    Some(Budget::Moves(most)) => {
                        assert!(answer.moves.len() as u64 <= most, "{context}");
                    }
                    Some(Budget::Load(most)) => {
                        assert!(answer.moved_load <= most * (1.0 + TOLERANCE), "{context}");
                    }
                    None => {}
                }
                let answer = answer.optimum;
                assert!(answer.value >= best * (1.0 - 1e-14), "{context}");
                assert!(answer.bound <= best * (1.0 + 1e-15), "{context}");
                for stage in &answer.stages {
                    assert!(stage.bound <= best * (1.0 + 1e-15), "{context}");
                }
                if solver == Solver::Auto {
                    assert_eq!(answer.status, Status::Optimal, "{context}");
                    assert!(answer.value <= best * (1.0 + TOLERANCE), "{context}");
                }
            }
        }
    }
}

#[test]
fn known_answers() {
    // 3 | 3 over hosts alike; 4 | 2 in the ratio of the capacities.
    for (capacities, hot_ratio) in [([1.0, 1.0], 1.0), ([2.0, 1.0], 1.0)] {
        let answer = free(&Problem::new(&[2.0, 1.0, 1.0, 2.0], &capacities));
        assert_eq!((answer.value, answer.bound, answer.hot_ratio), (1.0, 1.0, hot_ratio));
        assert_eq!(answer.status, Status::Optimal);
    }
    // 6 stays alone, and 3 goes to each of the others: 3 * (36 + 9 + 9) / 144.
    let answer = free(&Problem::new(&[6.0, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0], &[1.0; 3]));
    assert!((answer.value - 1.125).abs() < 1e-15);
    assert_eq!((answer.bound_name, answer.hot_ratio), (BoundName::Giants, 1.5));
    assert_eq!(answer.status, Status::Optimal);
    // The least sum of squares need not have the coolest hottest host, but here
    // no assignment has less than 2 + 1 | 2: 2 * (9 + 4) / 25.
    let answer = free(&Problem::new(&[2.0, 2.0, 1.0], &[1.0; 2]));
    assert!((answer.value - 1.04).abs() < 1e-15);
    assert_eq!((answer.status, answer.solver), (Status::Optimal, Stage::Bnb));
}

#[test]
fn a_budget_limits_what_can_be_reached() {
    // 100, 60 and 40 on one of two hosts.
    let start = [Some(HostId(0)); 3];
    let problem = Problem { start: Some(&start), ..Problem::new(&[100.0, 60.0, 40.0], &[1.0; 2]) };
    let value = |budget| within(&problem, budget).value;
    assert_eq!(value(Budget::Moves(0)), 2.0);
    assert_eq!(value(Budget::Moves(1)), 1.0);
    assert_eq!(value(Budget::Load(39.0)), 2.0);
    // 160 | 40 and 140 | 60.
    assert!((value(Budget::Load(40.0)) - 1.36).abs() < 1e-15);
    assert!((value(Budget::Load(99.0)) - 1.16).abs() < 1e-15);
    assert_eq!(value(Budget::Load(100.0)), 1.0);
    assert_eq!(free(&problem).value, 1.0);
}

#[test]
fn degenerate_instances() {
    for loads in [&[][..], &[0.0, 0.0]] {
        let answer = free(&Problem::new(loads, &[1.0, 2.0]));
        assert_eq!((answer.value, answer.bound, answer.status), (1.0, 1.0, Status::Optimal));
    }
    // One shard, more hosts than shards: 1 + (3^2 + 3 * 1) / 4.
    let answer = free(&Problem::new(&[7.0], &[1.0; 4]));
    assert_eq!((answer.value, answer.status), (4.0, Status::Optimal));
    // Equal loads, 3 | 2 | 2: 3 * 17 / 49.
    let answer = free(&Problem::new(&[5.0; 7], &[1.0; 3]));
    assert!((answer.value - 51.0 / 49.0).abs() < 1e-15);
    assert_eq!(answer.status, Status::Optimal);
    // Loads that differ by 1e12.
    let answer = free(&Problem::new(&[1e12, 1.0, 1.0], &[1.0; 2]));
    assert_eq!((answer.assignment[1], answer.assignment[2]), (HostId(1), HostId(1)));
    assert_eq!(answer.status, Status::Optimal);
    let refused = solve_squares(
        &Problem::new(&[1.0], &[1.0]),
        Some(Budget::Load(-1.0)),
        &Settings::default(),
    );
    assert_eq!(refused, Err(OptimumError::Budget { value: -1.0 }));
}

#[test]
fn values_fall_with_the_budget_and_meet_the_free_optimum() {
    for seed in 0..4 {
        let (loads, start) = zipf(10, 3, 0.8, seed);
        let capacities = [1.0; 3];
        let problem = Problem { start: Some(&start), ..Problem::new(&loads, &capacities) };
        let best = free(&problem);
        let mut last = f64::INFINITY;
        for moves in 0..=10 {
            let answer = within(&problem, Budget::Moves(moves));
            assert_eq!(answer.status, Status::Optimal);
            assert!(answer.value <= last * (1.0 + TOLERANCE), "seed {seed}, {moves} moves");
            assert_eq!(answer, within(&problem, Budget::Moves(moves)));
            last = answer.value;
        }
        assert!((last - best.value).abs() <= 2.0 * TOLERANCE * last);
    }
}

/// Where thousands of shards may move, local search alone does not get far.
#[test]
fn large_budgets_are_used() {
    let (loads, start) = zipf(5_000, 24, 0.3, 5);
    let capacities: Vec<f64> = (0..24).map(|h| f64::from(1 + h % 3)).collect();
    let problem = Problem { start: Some(&start), ..Problem::new(&loads, &capacities) };
    let answer = within(&problem, Budget::Moves(2_500));
    assert!(answer.gap <= 0.01, "{answer:?}");
}

#[test]
fn large_instances_come_near_the_bound() {
    for exponent in [0.6, 0.8, 1.0, 1.2] {
        let (loads, start) = zipf(500, 16, exponent, 3);
        for unequal in [false, true] {
            let capacities: Vec<f64> =
                (0..16).map(|h| if unequal { f64::from(1 + h % 3) } else { 1.0 }).collect();
            let problem = Problem { start: Some(&start), ..Problem::new(&loads, &capacities) };
            let answer = free(&problem);
            let most = if unequal { 0.03 } else { 1e-6 };
            assert!(answer.gap <= most, "{exponent}, {unequal}: {answer:?}");
            let mut sums = [0.0; 16];
            for (load, host) in loads.iter().zip(&answer.assignment) {
                sums[host.index()] += load;
            }
            assert_eq!(answer.value, square_ratio(&sums, &capacities));
        }
    }
}
