//! What need not be searched twice.

use super::fill::Items;

/// Shards and hosts that are left, by a number for each choice of hosts.
type State = (Items, u64);

/// States that have no placement below the level of a round: different hosts
/// before them can leave the same. A table of a fixed size in which the newest
/// entry of a slot stays; entries are compared in full.
pub(super) struct Refuted {
    /// The state and the round in which it was refuted; no round is 0.
    slots: Vec<(State, u32)>,
    round: u32,
    /// The number of a choice of hosts is the sum of how many of each class
    /// are filled times this. `None` when there are too many choices.
    strides: Option<Vec<u64>>,
}

impl Refuted {
    /// Room for 2^`bits` states of hosts in classes of these sizes.
    pub(super) fn new(bits: u32, members: impl Iterator<Item = usize>) -> Self {
        let mut choices = Some(1_u64);
        let strides = members.map(|members| {
            let stride = choices;
            choices = choices.and_then(|choices| choices.checked_mul(members as u64 + 1));
            stride
        });
        let strides: Option<Vec<u64>> = strides.collect();
        let strides = strides.filter(|_| choices.is_some());
        let slots = if strides.is_some() { 1 << bits } else { 0 };
        Self { slots: vec![((0, 0), 0); slots], round: 0, strides }
    }

    /// Forgets all that was refuted, for a level that is higher.
    pub(super) fn begin_round(&mut self) {
        self.round += 1;
    }

    pub(super) fn contains(&self, left: Items, filled: &[usize]) -> bool {
        self.state(left, filled)
            .is_some_and(|(state, slot)| self.slots[slot] == (state, self.round))
    }

    pub(super) fn insert(&mut self, left: Items, filled: &[usize]) {
        if let Some((state, slot)) = self.state(left, filled) {
            self.slots[slot] = (state, self.round);
        }
    }

    /// The state and its slot, by multiplicative hashing (Knuth, The Art of
    /// Computer Programming, vol. 3, section 6.4).
    fn state(&self, left: Items, filled: &[usize]) -> Option<(State, usize)> {
        const GOLDEN: u64 = 0x9E37_79B9_7F4A_7C15;
        let strides = self.strides.as_ref()?;
        let hosts =
            strides.iter().zip(filled).map(|(stride, &filled)| stride * filled as u64).sum();
        let mut hash: u64 = hosts;
        for part in [left as u64, (left >> 64) as u64] {
            hash = (hash ^ part).wrapping_mul(GOLDEN);
            hash ^= hash >> 32;
        }
        Some(((left, hosts), hash as usize & (self.slots.len() - 1)))
    }
}
