//! Dealing the shards of two hosts anew.

use super::exchange::Pair;

/// Meet in the middle (Horowitz and Sahni 1974): the subset of a few items of
/// both hosts whose sum, on the hot host, levels the pair best.
///
/// The items are split into two halves, the subset sums of each half are
/// listed in order (by merging, O(2^(k/2)) for k items), and for each sum of
/// the one half the two of the other around the wanted rest are tried.
/// The buffers are kept from one call to the next.
#[derive(Default)]
pub(super) struct Resplitter {
    items: Vec<u32>,
    halves: [Vec<Subset>; 2],
    spare: Vec<Subset>,
}

/// A sum, and which items of its half are in it.
type Subset = (f64, u32);

/// The items that change sides.
pub(super) struct Resplit {
    pub(super) to_cool: Vec<u32>,
    pub(super) to_hot: Vec<u32>,
    /// Level of the hotter of the two afterwards.
    pub(super) level: f64,
}

impl Resplitter {
    /// The best new deal of up to `dealt` items that leaves both hosts below
    /// `limit`, if there is one. O(2^(dealt / 2)).
    ///
    /// When the two hold more items, the lightest are dealt, half of them from
    /// each where both have enough: they give the finest steps.
    pub(super) fn best(&mut self, pair: &Pair, dealt: usize, limit: f64) -> Option<Resplit> {
        let from_hot = pair.hot.len().min(dealt - pair.cool.len().min(dealt / 2));
        let from_cool = pair.cool.len().min(dealt - from_hot);
        let hot = &pair.hot[pair.hot.len() - from_hot..];
        let cool = &pair.cool[pair.cool.len() - from_cool..];
        self.items.clear();
        self.items.extend(hot.iter().chain(cool));
        self.items.sort_unstable();

        // Alternating, so that both halves span all sizes.
        for (half, sums) in self.halves.iter_mut().enumerate() {
            sums.clear();
            sums.push((0.0, 0));
            for (bit, &item) in self.items.iter().skip(half).step_by(2).enumerate() {
                add_item(sums, &mut self.spare, pair.weight(item), 1 << bit);
            }
        }

        let dealt_hot: f64 = hot.iter().map(|&item| pair.weight(item)).sum();
        let [below, above] = closest(&self.halves, dealt_hot - pair.ideal_shift());
        let mut best = (limit, None);
        for (sum, masks) in [below, above].into_iter().flatten() {
            let level = pair.level_after(dealt_hot - sum);
            if level < best.0 {
                best = (level, Some(masks));
            }
        }
        let (level, Some(masks)) = best else { return None };
        let stays_hot = |item: u32| {
            self.items.binary_search(&item).is_ok_and(|at| masks[at % 2] >> (at / 2) & 1 == 1)
        };
        Some(Resplit {
            to_cool: hot.iter().copied().filter(|&item| !stays_hot(item)).collect(),
            to_hot: cool.iter().copied().filter(|&item| stays_hot(item)).collect(),
            level,
        })
    }
}

/// A sum of both halves, with the items of each half that are in it.
type Deal = (f64, [u32; 2]);

/// The largest sum of one subset of each half below `wanted`, and the smallest
/// that is not: one pass up the first half and down the second.
fn closest([first, second]: &[Vec<Subset>; 2], wanted: f64) -> [Option<Deal>; 2] {
    let mut best = [(f64::NEG_INFINITY, (0, 0)), (f64::INFINITY, (0, 0))];
    let mut reaching = second.len();
    for (i, &(sum, _)) in first.iter().enumerate() {
        while reaching > 0 && sum + second[reaching - 1].0 >= wanted {
            reaching -= 1;
        }
        if reaching > 0 {
            let below = sum + second[reaching - 1].0;
            if below > best[0].0 {
                best[0] = (below, (i, reaching - 1));
            }
        }
        let above = second.get(reaching).map_or(f64::INFINITY, |&(other, _)| sum + other);
        if above < best[1].0 {
            best[1] = (above, (i, reaching));
        }
    }
    best.map(|(sum, (i, j))| sum.is_finite().then(|| (sum, [first[i].1, second[j].1])))
}

/// Merges the sums without and with one more item, by selects instead of
/// branches: which comes next is a coin toss to a branch predictor.
fn add_item(sums: &mut Vec<Subset>, spare: &mut Vec<Subset>, weight: f64, bit: u32) {
    spare.clear();
    spare.reserve(2 * sums.len());
    let (mut without, mut with) = (0, 0);
    while without < sums.len() {
        // Weights are not negative, so that `with` never overtakes `without`.
        let old = sums[without];
        let new = (sums[with].0 + weight, sums[with].1 | bit);
        let takes_new = new.0 < old.0;
        spare.push(if takes_new { new } else { old });
        with += usize::from(takes_new);
        without += usize::from(!takes_new);
    }
    spare.extend(sums[with..].iter().map(|&(sum, mask)| (sum + weight, mask | bit)));
    std::mem::swap(sums, spare);
}
