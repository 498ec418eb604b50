//! All sums of the light shards, in order.

/// A set of light shards: bit i stands for the i-th of them.
pub(super) type Mask = u32;

/// A stack of lists of sums, ascending, each with the set it is the sum of.
/// Sums and sets lie apart, so that a search for a sum reads sums alone.
#[derive(Default)]
pub(super) struct LightSums {
    sums: Vec<f64>,
    masks: Vec<Mask>,
    /// Bit i: shard i weighs the same as shard i + 1.
    same: Mask,
}

/// One list of the stack.
#[derive(Clone, Copy, Default)]
pub(super) struct List {
    from: usize,
    to: usize,
}

impl LightSums {
    /// Lists the sums of up to 32 weights, descending, that are at most
    /// `limit`. O(2^weights).
    ///
    /// Of equal shards only runs of neighbours are listed: whichever of them
    /// are left, some set of so many neighbours is.
    pub(super) fn new(weights: &[f64], limit: f64) -> (Self, List) {
        let mut same = 0;
        for (i, pair) in weights.windows(2).enumerate() {
            same |= Mask::from(pair[0] == pair[1]) << i;
        }
        let mut sums: Vec<(f64, Mask)> = vec![(0.0, 0)];
        let mut merged = Vec::new();
        // The lightest first: lists stay short where `limit` cuts them.
        for (i, &weight) in weights.iter().enumerate().rev() {
            merged.clear();
            let run_end = (i..weights.len()).find(|&j| same >> j & 1 == 0).unwrap_or(i);
            // Shard i joins a set of the later ones of its run if it is next
            // to the first of them.
            let later = (i + 1..=run_end).fold(0, |mask: Mask, j| mask | 1 << j);
            let fits = |&&(sum, mask): &&(f64, Mask)| {
                sum + weight <= limit && (mask & later == 0 || mask >> (i + 1) & 1 == 1)
            };
            let mut with = sums.iter().filter(fits).peekable();
            for &old in &sums {
                while let Some((sum, mask)) = with.next_if(|new| new.0 + weight < old.0) {
                    merged.push((sum + weight, mask | 1 << i));
                }
                merged.push(old);
            }
            merged.extend(with.map(|&(sum, mask)| (sum + weight, mask | 1 << i)));
            std::mem::swap(&mut sums, &mut merged);
        }
        let list = List { from: 0, to: sums.len() };
        let (sums, masks) = sums.into_iter().unzip();
        (Self { sums, masks, same }, list)
    }

    /// Pushes the sums of a list that are at most `limit` and do without the
    /// shards in `used`. O(length of the list).
    pub(super) fn push_without(&mut self, list: List, used: Mask, limit: f64) -> List {
        let from = self.sums.len();
        for at in list.from..list.to {
            let (sum, mask) = (self.sums[at], self.masks[at]);
            if sum > limit {
                break;
            }
            if mask & used == 0 {
                self.sums.push(sum);
                self.masks.push(mask);
            }
        }
        List { from, to: self.sums.len() }
    }

    /// Where to truncate the stack to, to drop what is pushed from here on.
    pub(super) fn height(&self) -> usize {
        self.sums.len()
    }

    pub(super) fn truncate(&mut self, height: usize) {
        self.sums.truncate(height);
        self.masks.truncate(height);
    }

    /// Positions of a list's sums of at least `least`, from the smallest on.
    pub(super) fn reaching(&self, list: List, least: f64) -> std::ops::Range<usize> {
        let sums = &self.sums[list.from..list.to];
        list.from + sums.partition_point(|&sum| sum < least)..list.to
    }

    pub(super) fn at(&self, position: usize) -> (f64, Mask) {
        (self.sums[position], self.masks[position])
    }

    /// Whether a set takes the first ones of what is left of equal shards;
    /// other sets only differ from such a one by names.
    pub(super) fn is_canonical(&self, mask: Mask, left: Mask) -> bool {
        (mask >> 1) & self.same & left & !mask == 0
    }
}
