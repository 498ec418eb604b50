//! The planner against a plain transcription of its specification, on random
//! fleets made to be hard; known answers; and what a plan must never do.

mod common;

use common::transcription::Transcription;
use common::world::{Step, World};
use evenkeel::balancer::greedy::{GreedySettings, Planner, Revision, Stamp, Standing};
use evenkeel::model::{SimDuration, SimTime};
use evenkeel::policy::PassOutcome;
use proptest::prelude::*;
use proptest::sample::select;

const NOW: SimTime = SimTime(1_000_000_000_000);

fn ago(seconds: u64) -> Stamp {
    Stamp::at(SimTime(NOW.0 - SimDuration::from_secs(seconds).0))
}

fn world(lists: &[&[f64]]) -> World {
    let mut world = World {
        standing: vec![Standing::Receives; lists.len()],
        lists: Vec::new(),
        loads: lists.concat(),
        stamps: vec![Stamp::NEVER; lists.concat().len()],
        now: NOW,
    };
    let mut next = 0;
    for list in lists {
        world.lists.push((next..next + list.len() as u32).collect());
        next += list.len() as u32;
    }
    world
}

fn unlimited(revision: Revision) -> GreedySettings {
    GreedySettings { revision, move_budget: 1.0, ..GreedySettings::default() }
}

fn planned(world: &World, settings: &GreedySettings) -> (Vec<Step>, PassOutcome) {
    world.plan(&mut Planner::new(), settings)
}

#[test]
fn the_worked_example_moves_the_60() {
    let mut example = world(&[&[100.0, 60.0], &[40.0]]);
    let (steps, outcome) = planned(&example, &GreedySettings::default());
    assert_eq!((steps.as_slice(), outcome), (&[(1, 0, 1)][..], PassOutcome::Moved));
    example.apply(&steps);
    assert_eq!(example.host_loads(), [100.0, 100.0]);
    let (steps, outcome) = planned(&example, &GreedySettings::default());
    assert_eq!((steps.len(), outcome), (0, PassOutcome::NoSource));
}

#[test]
fn of_equal_shards_the_first_in_the_list_after_the_hole_was_filled() {
    // Each hole is filled by the last shard, which is then the first.
    let (steps, _) = planned(&world(&[&[1.0; 6], &[]]), &unlimited(Revision::R2026_08));
    assert_eq!(steps, [(0, 0, 1), (5, 0, 1), (4, 0, 1)]);
}

#[test]
fn every_reason_to_move_nothing_is_told_apart() {
    let settings = GreedySettings::default();
    let hot = world(&[&[100.0, 60.0], &[40.0]]);
    let reason = |world: &World, settings: &GreedySettings| {
        let (steps, outcome) = planned(world, settings);
        assert_eq!(steps, []);
        outcome
    };
    let with = |change: fn(&mut World)| {
        let mut world = hot.clone();
        change(&mut world);
        world
    };
    assert_eq!(reason(&world(&[&[], &[]]), &settings), PassOutcome::NothingToDo);
    let idle = with(|w| w.standing = vec![Standing::Gives; 2]);
    assert_eq!(reason(&idle, &settings), PassOutcome::NothingToDo);
    let frozen = GreedySettings { move_budget: 0.0, ..settings.clone() };
    assert_eq!(reason(&hot, &frozen), PassOutcome::BudgetZero);
    assert_eq!(reason(&world(&[&[1.0], &[1.0]]), &settings), PassOutcome::NoSource);
    let narrow = GreedySettings { lower_band: 0.3, severe_ratio: 9.0, ..settings.clone() };
    assert_eq!(reason(&hot, &narrow), PassOutcome::NoDestination);
    assert_eq!(reason(&world(&[&[9.0], &[]]), &settings), PassOutcome::NoGain);
    let cooling = with(|w| w.stamps = vec![ago(59); 3]);
    assert_eq!(reason(&cooling, &settings), PassOutcome::CoolingDown);
    let small = GreedySettings { min_move_load: 1000.0, ..settings.clone() };
    assert_eq!(reason(&hot, &small), PassOutcome::BelowMinLoad);
    // Waiting alone would bring no move, so this is not cooling down.
    assert_eq!(reason(&cooling, &small), PassOutcome::BelowMinLoad);
    let unmeasured = world(&[&[f64::NAN, f64::NAN, f64::NAN], &[1.0]]);
    assert_eq!(reason(&unmeasured, &settings), PassOutcome::Unmeasured);
}

#[test]
fn an_exchange_helps_where_no_move_does_and_waits_for_the_cooldown() {
    let settings =
        GreedySettings { upper_band: 1.04, lower_band: 0.95, ..unlimited(Revision::Swap) };
    let mut pair = world(&[&[30.0, 26.0], &[25.0, 19.0]]);
    let (steps, _) = planned(&pair, &unlimited(Revision::R2026_08));
    assert_eq!(steps, []);
    let (steps, outcome) = planned(&pair, &settings);
    assert_eq!((steps, outcome), (vec![(0, 0, 1), (2, 1, 0)], PassOutcome::Moved));
    pair.stamps = vec![ago(1); 4];
    assert_eq!(planned(&pair, &settings), (vec![], PassOutcome::CoolingDown));
    pair.stamps = vec![Stamp::NEVER; 4];
    let one_move = GreedySettings { move_budget: 0.25, ..settings };
    assert_eq!(planned(&pair, &one_move), (vec![], PassOutcome::NoGain));
}

#[test]
fn a_host_that_takes_no_part_does_not_lower_the_mean() {
    let mut three = world(&[&[1.0; 4], &[1.0; 5], &[]]);
    three.standing[2] = Standing::Absent;
    assert_eq!(planned(&three, &GreedySettings::default()).1, PassOutcome::NoSource);
    // With it the mean is 3: both others are above the band, and severely so.
    three.standing[2] = Standing::Gives;
    assert_eq!(planned(&three, &GreedySettings::default()).1, PassOutcome::NoGain);
}

/// Loads of one kind; each kind is hard in its own way.
fn loads(count: usize) -> impl Strategy<Value = Vec<f64>> {
    let ordinary = (0.0..100.0_f64).boxed();
    let few = select(vec![1.0, 2.0, 3.0, 5.0]).boxed();
    let equal = Just(1.0).boxed();
    let heavy = (0.001..1.0_f64).prop_map(|u| 0.1 / u).boxed();
    // Decimal fractions whose sums and differences round.
    let tenths = (0..40_u32).prop_map(|n| f64::from(n) * 0.1).boxed();
    // A few units in the last place around one value.
    let close = (0..9_u64).prop_map(|n| f64::from_bits(1.5_f64.to_bits() + n)).boxed();
    let spread = (-30..30_i32, 1.0..2.0_f64).prop_map(|(e, m)| m * exp10(e)).boxed();
    let tiny = (0..2000_u64).prop_map(f64::from_bits).boxed();
    let huge = (1.0..2.0_f64, 140..308_i32).prop_map(|(m, e)| m * exp10(e) / 2.0).boxed();
    let negative = (-3.0..9.0_f64).boxed();
    select(vec![ordinary, few, equal, heavy, tenths, close, spread, tiny, huge, negative])
        .prop_flat_map(move |kind| {
            let unmeasured = select(vec![0.0, 0.0, 0.3, 1.0]);
            (prop::collection::vec((kind, 0.0..1.0_f64), count), unmeasured)
        })
        .prop_map(|(loads, share)| {
            let mark = |(load, u)| if u < share { f64::NAN } else { load };
            loads.into_iter().map(mark).collect()
        })
}

fn exp10(exponent: i32) -> f64 {
    format!("1e{exponent}").parse().expect("a float")
}

fn stamp() -> impl Strategy<Value = Stamp> {
    prop_oneof![
        4 => Just(Stamp::NEVER),
        1 => Just(Stamp::NO_RECORD),
        1 => select(vec![0, 1, 59, 60, 61, 900]).prop_map(ago),
        1 => Just(Stamp::at(SimTime(NOW.0 + 5))),
    ]
}

fn fleets(
    hosts: std::ops::Range<usize>,
    shards: std::ops::Range<usize>,
) -> impl Strategy<Value = World> {
    let standing = prop_oneof![
        6 => Just(Standing::Receives),
        1 => Just(Standing::Gives),
        1 => Just(Standing::Absent),
    ];
    (prop::collection::vec(standing, hosts), shards)
        .prop_flat_map(|(standing, shards)| {
            let hosts = standing.len();
            let skewed = (0..hosts, 0..hosts).prop_map(|(a, b)| a.min(b));
            (
                Just(standing),
                prop::collection::vec(skewed, shards),
                loads(shards),
                prop_oneof![
                    Just(vec![Stamp::NEVER; shards]),
                    prop::collection::vec(stamp(), shards)
                ],
                Just((0..shards as u32).collect::<Vec<_>>()).prop_shuffle(),
            )
        })
        .prop_map(|(mut standing, owners, loads, stamps, order)| {
            let mut lists = vec![Vec::new(); standing.len()];
            for shard in order {
                lists[owners[shard as usize]].push(shard);
            }
            for (standing, list) in standing.iter_mut().zip(&lists) {
                if *standing == Standing::Absent && !list.is_empty() {
                    *standing = Standing::Gives;
                }
            }
            World { standing, lists, loads, stamps, now: NOW }
        })
}

fn settings() -> impl Strategy<Value = GreedySettings> {
    (
        select(Revision::ALL.to_vec()),
        select(vec![(1.15, 0.9), (1.01, 0.99), (1.0, 1.0), (0.9, 1.1), (1.5, 0.5), (1.15, 0.3)]),
        select(vec![1.3, 1.0, 0.0, 3.0]),
        select(vec![0.01, 0.1, 0.5, 1.0, 3.0]),
        select(vec![60, 0]),
        select(vec![0.01, 0.0, 1.0]),
    )
        .prop_map(
            |(revision, (upper_band, lower_band), severe_ratio, budget, cooldown, least)| {
                GreedySettings {
                    revision,
                    upper_band,
                    lower_band,
                    severe_ratio,
                    move_budget: budget,
                    cooldown: SimDuration::from_secs(cooldown),
                    min_move_load: least,
                    ..GreedySettings::default()
                }
            },
        )
}

/// Plans three passes both ways with one planner, so that its memory is used
/// again, and compares the moves and what the outcome says of them.
fn compare(mut world: World, settings: &GreedySettings) -> Result<(), TestCaseError> {
    let mut planner = Planner::new();
    for _ in 0..3 {
        let (steps, outcome) = world.plan(&mut planner, settings);
        let plain = Transcription::new(&world).rebalance(settings);
        prop_assert_eq!(&steps, &plain);
        prop_assert_eq!(steps.is_empty(), outcome != PassOutcome::Moved);
        let waited = World { now: SimTime(NOW.0 + SimDuration::from_secs(100).0), ..world.clone() };
        let after = world.plan(
            &mut planner,
            &GreedySettings { cooldown: SimDuration::ZERO, ..settings.clone() },
        );
        if outcome == PassOutcome::CoolingDown {
            prop_assert_eq!(after.1, PassOutcome::Moved);
            prop_assert_eq!(waited.plan(&mut planner, settings).1, PassOutcome::Moved);
        } else if outcome != PassOutcome::Moved {
            prop_assert_eq!(after.1, outcome);
        }
        world.apply(&steps);
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, ..ProptestConfig::default() })]

    #[test]
    fn small_fleets_are_planned_as_specified(world in fleets(1..8, 0..40), settings in settings()) {
        compare(world, &settings)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 300, ..ProptestConfig::default() })]

    /// Lists long enough for the ordered search.
    #[test]
    fn long_lists_are_planned_as_specified(world in fleets(2..5, 1500..3000), settings in settings()) {
        compare(world, &settings)?;
    }

    #[test]
    fn medium_fleets_are_planned_as_specified(world in fleets(10..60, 100..800), settings in settings()) {
        compare(world, &settings)?;
    }

    /// A step is one move, or both halves of an exchange.
    #[test]
    fn no_step_raises_the_sum_of_squares(world in fleets(1..20, 0..200), settings in settings()) {
        prop_assume!(world.loads.iter().all(|load| (0.0..1e100).contains(load)));
        let (steps, _) = world.plan(&mut Planner::new(), &settings);
        let halves = match steps.as_slice() {
            [.., a, b] if settings.revision == Revision::Swap && (a.1, a.2) == (b.2, b.1) => 2,
            _ => 0,
        };
        let (single, exchange) = steps.split_at(steps.len() - halves);
        let squares = |world: &World| -> f64 { world.host_loads().iter().map(|l| l * l).sum() };
        let mut now = world.clone();
        for step in single.chunks(1).chain([exchange]) {
            let before = squares(&now);
            now.apply(step);
            prop_assert!(squares(&now) <= before * (1.0 + 1e-12));
        }
        let mut owned: Vec<u32> = now.lists.concat();
        owned.sort_unstable();
        prop_assert!(owned.iter().copied().eq(0..world.loads.len() as u32));
    }
}
