//! Seeded streams: the only source of randomness.
//!
//! There is one stream for each (seed, purpose, index). A stream is ChaCha
//! with 8 rounds (Bernstein 2008): seed and purpose make the key, the index is
//! the nonce, and the position within a stream can be set. Adding a policy, a
//! host or a shard therefore never shifts the numbers that another one sees.

use rand::rand_core::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// What the numbers of a stream are for. The values are part of the
/// determinism contract: a new purpose takes a new number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u64)]
pub enum Purpose {
    /// Which shard has which rank of popularity; position = shard.
    Ranks = 1,
    /// The value of a setting that is drawn once for each seed; index = which.
    Settings = 2,
    /// Measurement noise; index = cell, position = shard.
    Noise = 3,
    /// The seed of the hash functions of a lane.
    HashSeed = 4,
    /// The load of each shard; position = shard.
    Loads = 5,
    /// The points of a sweep's design; index = axis, position = point.
    Design = 6,
    /// Latencies of a query to many shards; index = query, position = 0 for
    /// the common cause, then shard + 1.
    FanOut = 9,
    /// Whatever else an experiment on published results draws; index = which
    /// draw of the experiment, position = key, shard or instant.
    Experiment = 100,
}

/// One stream of uniform numbers.
#[derive(Clone, Debug)]
pub struct Stream {
    rng: ChaCha8Rng,
}

impl Stream {
    /// The stream of a (seed, purpose, index), at position 0.
    pub fn new(seed: u64, purpose: Purpose, index: u64) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        key[8..16].copy_from_slice(&(purpose as u64).to_le_bytes());
        let mut rng = ChaCha8Rng::from_seed(key);
        rng.set_stream(index);
        Self { rng }
    }

    /// Goes to position 0 of another index of the same seed and purpose.
    pub fn rewind_to(&mut self, index: u64) {
        self.rng.set_stream(index);
        self.rng.set_word_pos(0);
    }

    /// The next 64 bits. Each call takes one position.
    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        self.rng.next_u64()
    }

    /// The next number, uniform on the 2^52 midpoints of the open unit
    /// interval: never 0 and never 1, so that it can be inverted.
    #[inline]
    pub fn next_uniform(&mut self) -> f64 {
        midpoint(self.next_u64())
    }
}

/// The midpoint of one of 2^52 equal parts of the unit interval, by the top 52
/// bits. With one bit more the last midpoint would round to 1.
#[inline]
pub(crate) fn midpoint(bits: u64) -> f64 {
    const SCALE: f64 = 1.0 / (1u64 << 52) as f64;
    ((bits >> 12) as f64 + 0.5) * SCALE
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_differ_by_seed_purpose_and_index_and_can_be_rewound() {
        let first = |seed, purpose, index| Stream::new(seed, purpose, index).next_u64();
        let base = first(1, Purpose::Noise, 0);
        assert_eq!(base, first(1, Purpose::Noise, 0));
        assert_ne!(base, first(2, Purpose::Noise, 0));
        assert_ne!(base, first(1, Purpose::Ranks, 0));
        assert_ne!(base, first(1, Purpose::Noise, 1));
        let mut stream = Stream::new(1, Purpose::Noise, 7);
        let expected: Vec<u64> = (0..5).map(|_| stream.next_u64()).collect();
        let mut stream = Stream::new(1, Purpose::Noise, 3);
        stream.next_u64();
        stream.rewind_to(7);
        let again: Vec<u64> = (0..5).map(|_| stream.next_u64()).collect();
        assert_eq!(expected, again);
    }

    #[test]
    fn uniforms_stay_inside_the_open_interval() {
        let mut stream = Stream::new(3, Purpose::Loads, 0);
        let draws: Vec<f64> = (0..10_000).map(|_| stream.next_uniform()).collect();
        assert!(draws.iter().all(|u| *u > 0.0 && *u < 1.0));
        assert!(midpoint(0) > 0.0 && midpoint(u64::MAX) < 1.0);
        assert_eq!(midpoint(0), 1.0 - midpoint(u64::MAX));
        let mean = draws.iter().sum::<f64>() / draws.len() as f64;
        assert!((mean - 0.5).abs() < 0.02, "{mean}");
    }
}
