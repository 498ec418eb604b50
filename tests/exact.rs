//! The exact solvers against enumeration, against each other, and on families
//! whose optimum is known.

#![allow(clippy::unwrap_used)] // A test fails by panicking.

mod common;

use common::instances::{Tiny, assert_sound, enumerate, fleet, zipf};
use evenkeel::model::HostId;
use evenkeel::optimum::{
    BoundName, Optimum, Problem, Settings, Solver, Stage, Status, TOLERANCE, solve,
};
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;

fn by(solver: Solver, problem: &Problem) -> Optimum {
    let answer = solve(problem, &Settings { solver, ..Settings::default() }).unwrap();
    assert_sound(problem, &answer);
    answer
}

/// What this build has of the integer programs.
fn programs() -> Vec<Solver> {
    let mut programs = vec![Solver::Ilp];
    programs.extend(cfg!(feature = "highs").then_some(Solver::Highs));
    programs
}

#[test]
fn branch_and_bound_agrees_with_enumeration() {
    let mut searched = 0;
    for seed in 0..4000 {
        let tiny = Tiny::random(seed);
        let problem = tiny.problem();
        let (answer, best) = (by(Solver::Bnb, &problem), enumerate(&problem));
        assert_eq!(answer.status, Status::Optimal, "seed {seed}");
        assert!(answer.max_utilisation >= best, "seed {seed}");
        assert!(answer.max_utilisation <= best * (1.0 + TOLERANCE), "seed {seed}");
        let fleet = fleet(&problem);
        assert!(fleet == 0.0 || answer.bound <= best / fleet, "bound, seed {seed}");
        searched += usize::from(answer.bound_name == BoundName::Bnb);
    }
    assert!(searched > 300, "only {searched} of 4000 needed the search");
}

#[test]
fn the_integer_programs_agree_with_enumeration_where_they_prove() {
    for solver in programs() {
        let (mut proved, mut decided) = (0, 0);
        for seed in 0..300 {
            let tiny = Tiny::random(seed);
            let problem = tiny.problem();
            let (answer, best) = (by(solver, &problem), enumerate(&problem));
            let fleet = fleet(&problem);
            assert!(fleet == 0.0 || answer.bound <= best / fleet, "bound, seed {seed}");
            if answer.status == Status::Optimal {
                proved += 1;
                assert!(answer.max_utilisation <= best * (1.0 + TOLERANCE), "seed {seed}");
            }
            decided += usize::from(answer.bound_name.as_str() == solver.as_str());
        }
        assert!(proved >= 295, "{solver:?} proved {proved} of 300");
        assert!(decided > 20, "{solver:?} decided {decided} of 300");
    }
}

#[test]
fn exact_solvers_agree_where_they_prove() {
    for seed in 0..6 {
        for (shards, hosts) in [(12, 3), (10, 4)] {
            let loads = zipf(shards, 0.6, seed);
            for capacities in [vec![1.0; hosts], (1..=hosts).map(|c| c as f64).collect()] {
                let problem = Problem::new(&loads, &capacities);
                let own = by(Solver::Bnb, &problem);
                assert_eq!(own.status, Status::Optimal);
                for solver in programs() {
                    let other = by(solver, &problem);
                    assert!(other.bound <= own.hot_ratio, "{solver:?}");
                    if other.status == Status::Optimal {
                        let difference = (other.hot_ratio - own.hot_ratio).abs();
                        assert!(difference <= TOLERANCE * own.hot_ratio, "{solver:?}");
                    }
                }
            }
        }
    }
}

/// The shape of `scenarios/small-exact.toml`: only a search proves it.
#[test]
fn small_instances_are_decided_by_a_search() {
    let loads: Vec<f64> = (1..=12).map(|rank| libm::pow(f64::from(rank), -0.6)).collect();
    let problem = Problem::new(&loads, &[1.0; 3]);
    for (solver, stage, name) in [
        (Solver::Auto, Stage::Bnb, BoundName::Bnb),
        (Solver::Bnb, Stage::Bnb, BoundName::Bnb),
        (Solver::Ilp, Stage::Ilp, BoundName::Ilp),
    ] {
        let answer = by(solver, &problem);
        assert_eq!((answer.solver, answer.bound_name), (stage, name));
        assert_eq!(answer.status, Status::Optimal);
        assert!(answer.nodes > 0 && answer.hot_ratio > 1.0);
    }
    assert_eq!(by(Solver::Heuristic, &problem).status, Status::Feasible);
}

#[test]
fn middle_instances_are_proved() {
    for seed in 0..3 {
        for (shards, hosts, exponent) in [(20, 4, 0.3), (20, 4, 0.6), (20, 4, 0.8)] {
            let loads = zipf(shards, exponent, seed);
            for capacities in [vec![1.0; hosts], (0..hosts).map(|h| 1.0 + h as f64).collect()] {
                let answer = by(Solver::Auto, &Problem::new(&loads, &capacities));
                assert_eq!(answer.status, Status::Optimal, "{shards} x {hosts}, {exponent}");
            }
        }
    }
}

/// Graham 1969: LPT ends at 4/3 - 1/(3H) of the optimum, which is 3H, for two
/// shards each of 2H - 1, ..., H + 1 and three of H.
#[test]
fn the_worst_case_of_lpt_is_solved() {
    for hosts in 2..=12_u32 {
        let pairs = (hosts + 1..2 * hosts).rev().flat_map(|load| [load, load]);
        let loads: Vec<f64> = pairs.chain([hosts; 3]).map(f64::from).collect();
        let answer = by(Solver::Bnb, &Problem::new(&loads, &vec![1.0; hosts as usize]));
        assert_eq!(answer.max_utilisation, f64::from(3 * hosts));
        assert_eq!(answer.gap, 0.0);
    }
}

/// Graham 1966: a list in the worst order ends at 2 - 1/H of the optimum, which is
/// H, for H(H - 1) shards of 1 before one of H.
#[test]
fn the_worst_case_of_list_scheduling_is_solved() {
    for hosts in 2..=11_u32 {
        let small = (hosts * (hosts - 1)) as usize;
        let loads = [vec![1.0; small], vec![f64::from(hosts)]].concat();
        let answer = by(Solver::Bnb, &Problem::new(&loads, &vec![1.0; hosts as usize]));
        assert_eq!((answer.max_utilisation, answer.gap), (f64::from(hosts), 0.0));
    }
}

/// The example of Korf 1998 for number partitioning: greedy (LPT) ends at 17 and
/// 13, differencing (Karmarkar and Karp 1982) at 16 and 14, the best is 15 each.
#[test]
fn the_example_of_number_partitioning_is_solved() {
    let answer = by(Solver::Auto, &Problem::new(&[8.0, 7.0, 6.0, 5.0, 4.0], &[1.0; 2]));
    assert_eq!((answer.max_utilisation, answer.gap), (15.0, 0.0));
}

/// The uniform classes of França et al. 1994, of which the small ones can be
/// enumerated: loads from 1 to 100, 20 to 100 and 50 to 100.
#[test]
fn the_uniform_classes_agree_with_enumeration() {
    let mut random = ChaCha8Rng::seed_from_u64(4);
    for least in [1, 20, 50] {
        for (shards, hosts) in [(10, 3), (12, 2), (8, 4)] {
            let loads: Vec<f64> =
                (0..shards).map(|_| f64::from(random.random_range(least..=100_u32))).collect();
            let capacities = vec![1.0; hosts];
            let problem = Problem::new(&loads, &capacities);
            let answer = by(Solver::Auto, &problem);
            assert_eq!((answer.max_utilisation, answer.gap), (enumerate(&problem), 0.0));
        }
    }
}

/// Hosts cut into whole parts: the optimum is what was cut. Triplets are the
/// class of Falkenauer 1996 for bin packing: every host holds exactly three,
/// each above a quarter and below a half of it.
#[test]
fn perfect_packings_are_found() {
    let mut random = ChaCha8Rng::seed_from_u64(1);
    for hosts in [3, 5, 8, 10] {
        for _ in 0..5 {
            let mut loads = Vec::new();
            for _ in 0..hosts {
                let first = random.random_range(380..=490);
                let second = random.random_range((1000 - first) / 2..=(749 - first).min(499));
                loads.extend([first, second, 1000 - first - second].map(f64::from));
            }
            loads.shuffle(&mut random);
            let answer = by(Solver::Bnb, &Problem::new(&loads, &vec![1.0; hosts]));
            assert_eq!((answer.max_utilisation, answer.gap), (1000.0, 0.0), "{hosts} hosts");
        }
    }
}

/// Whole numbers need no allowance for rounding: the bound is the value.
#[test]
fn whole_numbers_are_proved_without_a_gap() {
    let mut random = ChaCha8Rng::seed_from_u64(2);
    for _ in 0..50 {
        let loads: Vec<f64> =
            (0..18).map(|_| f64::from(random.random_range(20..100_u32))).collect();
        let answer = by(Solver::Bnb, &Problem::new(&loads, &[1.0; 6]));
        assert_eq!((answer.status, answer.gap), (Status::Optimal, 0.0));
    }
}

#[test]
fn equal_shards_are_not_told_apart() {
    // 7 + 7 + 7 + 7 + 4 is best for two hosts; the third gets the rest.
    let loads = [vec![7.0; 14], vec![4.0; 14], vec![3.0; 4]].concat();
    let answer = by(Solver::Bnb, &Problem::new(&loads, &[1.0; 5]));
    assert_eq!(answer.status, Status::Optimal);
    let equal = vec![0.3; 100];
    let answer = by(Solver::Bnb, &Problem::new(&equal, &[3.0, 2.0, 2.0, 1.5]));
    assert_eq!(answer.status, Status::Optimal);
}

/// Loads that differ by a trillion, zeros among them, through every solver:
/// they must end, and their answers must hold.
#[test]
fn huge_spreads_end_with_sound_answers() {
    let loads = [1e12, 9e11, 7e11, 1.0, 0.5, 3e5, 2e6, 0.0, 1e-3, 6e11, 5e11, 4e11];
    for hosts in 2..=6 {
        for capacity in [1e-9, 1.0, 1e15] {
            let mut capacities = vec![capacity; hosts];
            for second in [capacity, capacity * 1e6, capacity / 3.0] {
                capacities[1] = second;
                let problem = Problem::new(&loads, &capacities);
                let own = by(Solver::Bnb, &problem);
                assert_eq!(own.status, Status::Optimal);
                for solver in programs() {
                    let settings = Settings { solver, node_limit: 200, ..Settings::default() };
                    let answer = solve(&problem, &settings).unwrap();
                    assert_sound(&problem, &answer);
                    assert!(answer.bound <= own.hot_ratio * (1.0 + TOLERANCE));
                    assert!(answer.hot_ratio >= own.bound * (1.0 - TOLERANCE));
                }
            }
        }
    }
}

#[test]
fn the_order_of_shards_and_hosts_does_not_change_the_value() {
    let mut random = ChaCha8Rng::seed_from_u64(3);
    for seed in 0..20 {
        let mut loads = zipf(18, 0.4, seed);
        let mut capacities = vec![1.0, 1.0, 1.5, 2.0];
        let answer = by(Solver::Bnb, &Problem::new(&loads, &capacities));
        assert_eq!(answer, by(Solver::Bnb, &Problem::new(&loads, &capacities)));
        loads.shuffle(&mut random);
        capacities.shuffle(&mut random);
        let other = by(Solver::Bnb, &Problem::new(&loads, &capacities));
        assert_eq!((answer.status, other.status), (Status::Optimal, Status::Optimal));
        let difference = (answer.hot_ratio - other.hot_ratio).abs();
        assert!(difference <= TOLERANCE * answer.hot_ratio);
    }
}

#[test]
fn a_limit_ends_the_search_with_a_valid_bound() {
    let loads = zipf(48, 0.3, 1);
    let problem = Problem::new(&loads, &[1.0; 16]);
    let answers = [1, 1000, 30_000, 300_000].map(|branch_limit| {
        let settings = Settings { solver: Solver::Bnb, branch_limit, ..Settings::default() };
        let answer = solve(&problem, &settings).unwrap();
        assert_sound(&problem, &answer);
        // An eighth more for groups of hosts, and each search may be one over.
        assert!(answer.nodes <= branch_limit + branch_limit / 8 + 2);
        answer
    });
    for (one, other) in answers.iter().flat_map(|one| answers.iter().map(move |other| (one, other)))
    {
        assert!(one.bound <= other.hot_ratio);
    }
    assert!(answers[3].gap < answers[0].gap);
}

/// Where exchanges between two hosts end early, groups of hosts go on.
#[test]
fn groups_of_hosts_improve_on_local_search() {
    let loads = zipf(128, 0.3, 1);
    let answer = by(Solver::Heuristic, &Problem::new(&loads, &[1.0; 32]));
    let value = |stage| answer.stages.iter().find(|report| report.stage == stage).unwrap().value;
    assert!(value(Stage::Regroup).unwrap() < value(Stage::LocalSearch).unwrap());
    assert_eq!(answer.solver, Stage::Regroup);
}

/// A shard beside which nothing fits leaves the others to the other hosts.
#[test]
fn giants_leave_no_room() {
    let loads = [10.0, 6.0, 5.0, 4.0, 3.0, 2.0, 2.0];
    let answer = by(Solver::Heuristic, &Problem::new(&loads, &[1.0; 3]));
    assert_eq!((answer.max_utilisation, answer.bound_name), (11.0, BoundName::Giants));
    assert_eq!(answer.gap, 0.0);
}

#[test]
fn stages_tell_what_each_contributed() {
    let loads = zipf(20, 0.6, 1);
    let answer = by(Solver::Auto, &Problem::new(&loads, &[1.0; 4]));
    let stages: Vec<Stage> = answer.stages.iter().map(|report| report.stage).collect();
    assert_eq!(stages, [Stage::Bound, Stage::Lpt, Stage::LocalSearch, Stage::Bnb]);
    assert_eq!(answer.stages[0].value, None);
    for pair in answer.stages.windows(2) {
        assert!(pair[1].value.unwrap() <= pair[0].value.unwrap_or(f64::INFINITY));
        assert!(pair[1].bound >= pair[0].bound);
    }
    let last = answer.stages.last().unwrap();
    assert_eq!((last.work, last.bound), (answer.nodes, answer.bound));
    assert!((last.value.unwrap() - answer.hot_ratio).abs() < 1e-12);
}

/// Shards beyond what the search can tell apart are left to other stages.
#[test]
fn large_instances_do_without_the_search() {
    let loads = zipf(200, 0.3, 1);
    let answer = by(Solver::Bnb, &Problem::new(&loads, &[1.0; 70]));
    assert!(answer.stages.iter().all(|report| report.stage != Stage::Bnb));
}

#[test]
fn a_start_and_pins_are_respected_by_the_search() {
    let loads = zipf(16, 0.5, 4);
    let mut pinned = vec![None; 16];
    (pinned[0], pinned[7]) = (Some(HostId(2)), Some(HostId(0)));
    let problem = Problem {
        pinned: Some(&pinned),
        closed: Some(&[true, false, false, false]),
        ..Problem::new(&loads, &[1.0, 1.0, 1.0, 2.0])
    };
    let answer = by(Solver::Bnb, &problem);
    assert_eq!(answer.status, Status::Optimal);
}

#[cfg(not(feature = "highs"))]
#[test]
fn a_solver_that_was_not_built_is_named() {
    let settings = Settings { solver: Solver::Highs, ..Settings::default() };
    let error = solve(&Problem::new(&[1.0], &[1.0]), &settings).unwrap_err();
    assert_eq!(error, evenkeel::optimum::OptimumError::NotBuilt);
    assert!(error.to_string().contains("--features highs"));
    assert_eq!(settings.check().unwrap_err().key, "solver");
}
