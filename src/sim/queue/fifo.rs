//! First-in, first-out lists that share one pool of memory.
//!
//! A list is a chain of chunks of [`CHUNK`] entries, so that long lists are
//! read and written in streams. The pool holds the most entries that ever
//! waited at once, plus less than two chunks for each list in use; chunks
//! given back are used again before it grows.

use std::ops::Range;

/// Entries of a chunk: 16 entries of 16 bytes are four cache lines. A power of
/// two, so that a position splits into chunk and place by shifting.
const CHUNK: u32 = 16;

/// No position, no chunk. `NONE + 1` wraps to the start of a chunk: pushing to
/// an empty list and pushing past a full chunk are the same case.
const NONE: u32 = u32::MAX;

/// One waiting event. The order of scheduling is not stored: it is the order
/// within a list.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<E> {
    pub(super) time: u64,
    pub(super) class: u8,
    pub(super) payload: E,
}

/// A list: the positions in the pool of its first and its last entry.
#[derive(Clone, Copy, Debug)]
pub(super) struct Fifo {
    first: u32,
    last: u32,
}

impl Fifo {
    pub(super) const EMPTY: Fifo = Fifo { first: NONE, last: NONE };

    #[inline]
    pub(super) fn is_empty(self) -> bool {
        self.last == NONE
    }
}

/// The memory of all lists. Positions are 32 bits: the pool must not be asked
/// for more than 2^32 entries, partly filled chunks included.
#[derive(Clone, Debug)]
pub(super) struct Pool<E> {
    entries: Vec<Entry<E>>,
    /// For each chunk the one after it in its list, or in the chain of free
    /// ones.
    next: Vec<u32>,
    free: u32,
}

impl<E: Copy> Pool<E> {
    pub(super) fn new() -> Self {
        Self { entries: Vec::new(), next: Vec::new(), free: NONE }
    }

    /// Adds an entry at the end of a list.
    #[inline]
    pub(super) fn push(&mut self, list: &mut Fifo, entry: Entry<E>) {
        let at = list.last.wrapping_add(1);
        if !at.is_multiple_of(CHUNK) {
            self.entries[at as usize] = entry;
            list.last = at;
            return;
        }
        let chunk = self.open_chunk(entry);
        if list.is_empty() {
            list.first = chunk * CHUNK;
        } else {
            self.next[(list.last / CHUNK) as usize] = chunk;
        }
        list.last = chunk * CHUNK;
    }

    /// Takes the first entry of a list.
    #[inline]
    pub(super) fn pop(&mut self, list: &mut Fifo) -> Option<Entry<E>> {
        if list.is_empty() {
            return None;
        }
        let entry = self.entries[list.first as usize];
        let chunk = list.first / CHUNK;
        if list.first == list.last {
            self.close_chunk(chunk);
            *list = Fifo::EMPTY;
        } else if !(list.first + 1).is_multiple_of(CHUNK) {
            list.first += 1;
        } else {
            list.first = self.next[chunk as usize] * CHUNK;
            self.close_chunk(chunk);
        }
        Some(entry)
    }

    /// Entries there is room for.
    #[cfg(test)]
    pub(super) fn capacity(&self) -> usize {
        self.entries.len()
    }

    /// Positions of the entries in the first chunk of a list that is not
    /// empty.
    #[inline]
    pub(super) fn first_run(&self, list: Fifo) -> Range<usize> {
        let chunk_end = list.first | (CHUNK - 1);
        let end = if list.last / CHUNK == list.first / CHUNK { list.last } else { chunk_end };
        list.first as usize..end as usize + 1
    }

    /// Gives back the first chunk of a list that is not empty.
    #[inline]
    pub(super) fn drop_first_run(&mut self, list: &mut Fifo) {
        let chunk = list.first / CHUNK;
        if list.last / CHUNK == chunk {
            *list = Fifo::EMPTY;
        } else {
            list.first = self.next[chunk as usize] * CHUNK;
        }
        self.close_chunk(chunk);
    }

    /// The entry at a position.
    #[inline]
    pub(super) fn entry(&self, at: usize) -> Entry<E> {
        self.entries[at]
    }

    /// The entries at some positions.
    #[inline]
    pub(super) fn entries(&self, at: Range<usize>) -> &[Entry<E>] {
        &self.entries[at]
    }

    /// A chunk whose first entry is `entry`.
    #[inline]
    fn open_chunk(&mut self, entry: Entry<E>) -> u32 {
        let chunk = self.free;
        if chunk == NONE {
            return self.grow(entry);
        }
        self.free = self.next[chunk as usize];
        self.entries[(chunk * CHUNK) as usize] = entry;
        chunk
    }

    #[inline]
    fn close_chunk(&mut self, chunk: u32) {
        self.next[chunk as usize] = self.free;
        self.free = chunk;
    }

    /// Adds a chunk to the pool; its places hold copies of `entry` until they
    /// are written.
    #[cold]
    fn grow(&mut self, entry: Entry<E>) -> u32 {
        let chunk = self.next.len() as u32;
        self.next.push(NONE);
        self.entries.resize(self.entries.len() + CHUNK as usize, entry);
        chunk
    }
}
