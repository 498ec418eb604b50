//! Events that are still far: a wheel of wheels, one for each digit of a time
//! written in base 64.
//!
//! An event lies in the slot (level, digit) where level is the highest digit
//! in which its time differs from the current time, and digit the value there.
//! So all events of a slot come before those of a higher digit or level, all
//! events of one instant share a slot, and the range of a slot is far or near
//! without any setting: this is the radix heap of Ahuja, Mehlhorn, Orlin and
//! Tarjan (Faster algorithms for the shortest path problem, JACM 37, 1990),
//! and also the hierarchical timing wheel of Varghese and Lauck (Hashed and
//! hierarchical timing wheels, SOSP 1987) without its ticks.

use super::fifo::{Entry, Fifo, Pool};

/// Six bits a digit, so that one word says which slots of a level are in use.
const DIGIT_BITS: u32 = 6;
const DIGITS: usize = 1 << DIGIT_BITS;
const LEVELS: usize = u64::BITS.div_ceil(DIGIT_BITS) as usize;

/// Events of one range of time, in order of scheduling for equal times.
#[derive(Clone, Copy, Debug)]
pub(super) struct Slot {
    pub(super) list: Fifo,
    pub(super) len: usize,
    /// The least time in the slot.
    pub(super) earliest: u64,
}

impl Slot {
    const EMPTY: Slot = Slot { list: Fifo::EMPTY, len: 0, earliest: u64::MAX };
}

#[derive(Clone, Debug)]
pub(super) struct Wheel {
    /// Bit `l`: level `l` has an event.
    levels_used: u16,
    /// Bit `d` of element `l`: slot (l, d) has an event.
    slots_used: [u64; LEVELS],
    slots: Box<[[Slot; DIGITS]; LEVELS]>,
}

impl Wheel {
    pub(super) fn new() -> Self {
        Self {
            levels_used: 0,
            slots_used: [0; LEVELS],
            slots: Box::new([[Slot::EMPTY; DIGITS]; LEVELS]),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.levels_used == 0
    }

    /// Adds an event that comes after `now`. `now` may differ from the one of
    /// earlier calls as long as no waiting event would change its slot by it.
    #[inline]
    pub(super) fn push<E: Copy>(&mut self, now: u64, entry: Entry<E>, pool: &mut Pool<E>) {
        let highest_bit = ((entry.time ^ now) | 1).ilog2();
        let level = (highest_bit / DIGIT_BITS) as usize;
        let shift = level as u32 * DIGIT_BITS;
        let digit = (entry.time >> shift) as usize % DIGITS;
        self.levels_used |= 1 << level;
        self.slots_used[level] |= 1 << digit;
        let slot = &mut self.slots[level][digit];
        slot.len += 1;
        slot.earliest = slot.earliest.min(entry.time);
        pool.push(&mut slot.list, entry);
    }

    /// The slot of the next events, and the last time that belongs in it.
    #[inline]
    pub(super) fn first(&self) -> Option<(&Slot, u64)> {
        let (level, digit) = self.first_place()?;
        let slot = &self.slots[level][digit];
        let lower_digits = (1 << (level as u32 * DIGIT_BITS)) - 1;
        Some((slot, slot.earliest | lower_digits))
    }

    /// Empties the slot of the next events. The list is the caller's now.
    pub(super) fn take_first(&mut self) -> Option<Slot> {
        let (level, digit) = self.first_place()?;
        self.slots_used[level] &= !(1 << digit);
        if self.slots_used[level] == 0 {
            self.levels_used &= !(1 << level);
        }
        Some(std::mem::replace(&mut self.slots[level][digit], Slot::EMPTY))
    }

    #[inline]
    fn first_place(&self) -> Option<(usize, usize)> {
        if self.levels_used == 0 {
            return None;
        }
        let level = self.levels_used.trailing_zeros() as usize;
        Some((level, self.slots_used[level].trailing_zeros() as usize))
    }
}
