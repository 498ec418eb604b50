//! Lower bounds on the sum of squares, in closed form.

use super::objective::{Field, load_at};
use super::water::Water;
use crate::optimum::BoundName;
use crate::optimum::instance::Class;

/// The strongest bound without a budget, as a sum over open hosts.
pub(super) fn free(field: &Field) -> (f64, BoundName) {
    let mut water = Water::default();
    let all: f64 = field.weights.iter().sum();
    let (sum, level) = water.fill(field.capacity(), &field.base, all);
    let with_giants = giants(field, &mut water, level);
    if with_giants > sum {
        (with_giants, BoundName::Giants)
    } else {
        (sum, BoundName::WaterFilling)
    }
}

/// Giants are not divided.
///
/// Where hosts are alike: the H heaviest shards are on a host each, and only
/// the rest is fluid. If two of them shared a host, some host had none of them;
/// bringing it up to the lighter one's weight from the shared host's load leaves
/// both between what they were, so that the sum falls (majorisation: Marshall,
/// Olkin and Arnold 2011, chapter 3), and repeating it separates them all.
///
/// Where they are not: the heaviest shard is whole, on the host that suits it
/// best.
fn giants(field: &Field, water: &mut Water, level: f64) -> f64 {
    let (capacity, classes) = (field.capacity(), &field.instance.classes);
    let Some(&heaviest) = field.weights.first() else { return 0.0 };
    let mut floors = field.base.clone();
    if classes.len() == 1 {
        let (whole, fluid) = field.weights.split_at(floors.len().min(field.weights.len()));
        for (floor, weight) in floors.iter_mut().zip(whole) {
            *floor += weight;
        }
        return water.fill(capacity, &floors, fluid.iter().sum()).0;
    }
    // Most often it fits under the water somewhere, which settles it.
    let fits =
        |class: &&Class| class.base * field.scale + heaviest <= load_at(level, class.capacity);
    if classes.iter().any(|class| fits(&class)) {
        return 0.0;
    }
    let rest = field.weights[1..].iter().sum();
    let hosts = classes.iter().filter_map(|class| class.members.first());
    hosts.fold(f64::INFINITY, |least, &host| {
        let host = host as usize;
        floors[host] = field.base[host] + heaviest;
        let sum = water.fill(capacity, &floors, rest).0;
        floors[host] = field.base[host];
        least.min(sum)
    })
}
