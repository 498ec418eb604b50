//! The best move or swap between two hosts.

/// Two hosts and what they hold; items are indices of `weights`, ascending,
/// and so heaviest first.
pub(super) struct Pair<'a> {
    pub(super) weights: &'a [f64],
    pub(super) hot: &'a [u32],
    pub(super) cool: &'a [u32],
    /// Loads of the two, pinned load included.
    pub(super) loads: (f64, f64),
    pub(super) capacities: (f64, f64),
}

impl Pair<'_> {
    pub(super) fn weight(&self, item: u32) -> f64 {
        self.weights[item as usize]
    }

    /// Level of the hotter of the two once `shift` of load has gone from the
    /// hot one to the cool one.
    pub(super) fn level_after(&self, shift: f64) -> f64 {
        let hot = (self.loads.0 - shift) / self.capacities.0;
        let cool = (self.loads.1 + shift) / self.capacities.1;
        hot.max(cool)
    }

    /// The shift that would make both equally utilised.
    pub(super) fn ideal_shift(&self) -> f64 {
        let ((hot, cool), (hot_capacity, cool_capacity)) = (self.loads, self.capacities);
        (hot * cool_capacity - cool * hot_capacity) / (hot_capacity + cool_capacity)
    }
}

/// One item to the cool host, and perhaps one back.
pub(super) struct Exchange {
    pub(super) from_hot: u32,
    pub(super) from_cool: Option<u32>,
    /// Level of the hotter of the two afterwards.
    pub(super) level: f64,
}

/// The move or swap after which the hotter of the two is coolest; of equal
/// ones the first found, heaviest first.
///
/// The level after a shift falls up to the ideal shift and rises from there,
/// so for each item of the hot host only the two partners around the ideal
/// difference matter; they advance together: O(items of both).
pub(super) fn best(pair: &Pair) -> Option<Exchange> {
    let ideal = pair.ideal_shift();
    let mut best: Option<Exchange> = None;
    let mut offer = |from_hot, from_cool: Option<u32>| {
        let back = from_cool.map_or(0.0, |item| pair.weight(item));
        let level = pair.level_after(pair.weight(from_hot) - back);
        if best.as_ref().is_none_or(|best| level < best.level) {
            best = Some(Exchange { from_hot, from_cool, level });
        }
    };
    let mut lighter = 0;
    for &item in pair.hot {
        // `lighter` is the first item light enough to shift at least the ideal.
        let wanted = pair.weight(item) - ideal;
        while pair.cool.get(lighter).is_some_and(|&other| pair.weight(other) > wanted) {
            lighter += 1;
        }
        offer(item, pair.cool.get(lighter).copied());
        if let Some(&heavier) = lighter.checked_sub(1).and_then(|at| pair.cool.get(at)) {
            offer(item, Some(heavier));
        }
    }
    best
}
