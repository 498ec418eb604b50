//! A first placement: longest processing time first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::instance::{Instance, Placement};

/// LPT (Graham 1969): the heaviest shard first, each to the host that is least
/// utilised once it has it; of equal ones to the first.
///
/// With equal capacities the hottest host is at most 4/3 - 1/(3H) of the
/// optimum. O(n (log H + classes)): hosts of one class differ in load alone,
/// so that the coolest of each class is the only candidate.
pub(super) fn lpt(instance: &Instance) -> Placement {
    let mut placement = Placement::with_capacity(instance.weights.len());
    fill(instance, &mut placement);
    placement
}

/// Completes a placement of the heaviest shards in the same way.
pub(super) fn fill(instance: &Instance, placement: &mut Placement) {
    let mut hosts = Coolest::new(instance, instance.loads(placement));
    let rest = &instance.weights[placement.len()..];
    placement.extend(rest.iter().map(|&weight| hosts.take(weight)));
}

/// Hosts of one capacity by load, coolest first, then by position. Loads are
/// not negative, so that their bits order like them.
type Heap = BinaryHeap<Reverse<(u64, u32)>>;

/// The coolest hosts of each capacity.
struct Coolest {
    heaps: Vec<(f64, Heap)>,
}

impl Coolest {
    fn new(instance: &Instance, loads: Vec<f64>) -> Self {
        let mut heaps: Vec<(f64, Heap)> = Vec::new();
        for class in &instance.classes {
            // Classes of one capacity follow each other; their pinned loads
            // are in `loads`.
            if heaps.last().is_none_or(|(capacity, _)| *capacity != class.capacity) {
                heaps.push((class.capacity, Heap::new()));
            }
            let Some((_, heap)) = heaps.last_mut() else { continue };
            heap.extend(class.members.iter().map(|&h| Reverse((loads[h as usize].to_bits(), h))));
        }
        Self { heaps }
    }

    /// The host that takes a shard of this weight.
    fn take(&mut self, weight: f64) -> u32 {
        let mut best = (f64::INFINITY, u32::MAX, 0);
        for (index, (capacity, heap)) in self.heaps.iter().enumerate() {
            let Some(&Reverse((bits, h))) = heap.peek() else { continue };
            let level = (f64::from_bits(bits) + weight) / capacity;
            if level < best.0 || (level == best.0 && h < best.1) {
                best = (level, h, index);
            }
        }
        let (_, host, index) = best;
        if let Some(mut top) = self.heaps.get_mut(index).and_then(|(_, heap)| heap.peek_mut()) {
            let load = f64::from_bits(top.0.0) + weight;
            *top = Reverse((load.to_bits(), host));
        }
        host
    }
}
