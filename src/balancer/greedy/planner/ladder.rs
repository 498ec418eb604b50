//! The loads of one long list in order of size, for a search that does not
//! scan them.

use std::collections::BTreeSet;
use std::ops::Bound::{Excluded, Included, Unbounded};

use super::gain::{self, gain};

/// A load as its bits, which order non-negative floats, and a list position.
type Rung = (u64, u32);

/// The shards of a list that may move, ordered by (load, position).
///
/// Keeping it in step with a move takes logarithmic time; so does a search,
/// times the number of distinct loads within rounding of the best.
#[derive(Clone, Debug)]
pub(super) struct Ladder {
    rungs: BTreeSet<Rung>,
}

fn rung(load: f64, position: usize) -> Rung {
    (load.to_bits(), position as u32)
}

impl Ladder {
    /// Orders the loads of a list; NaN marks what may not move. `None` if a
    /// load is negative: the bounds of the search do not hold then.
    pub(super) fn new(loads: &[f64]) -> Option<Self> {
        if loads.iter().any(|&load| load < 0.0) {
            return None;
        }
        let loads = loads.iter().enumerate();
        // A load of zero gains exactly nothing.
        let standing = loads.filter(|(_, load)| **load > 0.0);
        Some(Self { rungs: standing.map(|(position, &load)| rung(load, position)).collect() })
    }

    /// Takes a shard out.
    pub(super) fn remove(&mut self, load: f64, position: usize) {
        self.rungs.remove(&rung(load, position));
    }

    /// Notes that a shard has another position now.
    pub(super) fn relocate(&mut self, load: f64, from: usize, to: usize) {
        if self.rungs.remove(&rung(load, from)) {
            self.rungs.insert(rung(load, to));
        }
    }

    /// The position of the largest positive gain, the first of equals
    /// (`Some(None)`: no move gains); `None` where the bound on rounding does
    /// not hold and a scan has to answer.
    ///
    /// The true gain is a parabola in the load with its peak at
    /// `(source - destination) / 2`. The computed one is ragged around it, so
    /// the search goes outwards both ways until not even rounding could lift
    /// a gain to the best one seen.
    pub(super) fn best(&self, source: f64, destination: f64) -> Option<Option<usize>> {
        let squares = source * source + destination * destination;
        if !(source >= 0.0 && destination >= 0.0 && squares < f64::MAX / 4.0) {
            return None;
        }
        let slack = gain::slack(source, destination);
        let peak = (((source - destination) / 2.0).max(0.0)).to_bits();
        let mut best = (0.0, u32::MAX);
        let mut try_load = |(bits, position): Rung| {
            let load = f64::from_bits(bits);
            let bound = gain::bound(source, destination, load, slack);
            if bound <= 0.0 || bound < best.0 {
                return false;
            }
            let gain = gain(source, destination, load);
            if gain > best.0 || (gain == best.0 && gain > 0.0 && position < best.1) {
                best = (gain, position);
            }
            true
        };
        let mut above = self.rungs.range((peak, 0)..).next().copied();
        while let Some(first) = above {
            if !try_load(first) {
                break;
            }
            above = self.rungs.range((Excluded((first.0, u32::MAX)), Unbounded)).next().copied();
        }
        let mut below = self.rungs.range(..(peak, 0)).next_back().copied();
        while let Some((bits, _)) = below {
            let first = self.rungs.range((Included((bits, 0)), Unbounded)).next().copied();
            if !first.is_some_and(&mut try_load) {
                break;
            }
            below = self.rungs.range(..(bits, 0)).next_back().copied();
        }
        Some((best.0 > 0.0).then_some(best.1 as usize))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_loads_are_found_at_their_first_position_after_relocation() {
        let loads = [3.0, 9.0, 3.0, 1.0, 3.0];
        let mut ladder = Ladder::new(&loads).unwrap();
        assert_eq!(ladder.best(19.0, 13.0), Some(Some(0)));
        ladder.remove(3.0, 0);
        ladder.relocate(3.0, 4, 0);
        assert_eq!(ladder.best(19.0, 13.0), Some(Some(0)));
        ladder.remove(3.0, 0);
        assert_eq!(ladder.best(19.0, 13.0), Some(Some(2)));
        assert_eq!(ladder.best(13.0, 13.0), Some(None));
        assert_eq!(ladder.best(1e200, 0.0), None);
    }
}
