//! Hash functions, which keys, shards and hosts are placed by. All but two lines
//! of arithmetic come from crates.

use std::io::Cursor;

use serde::{Deserialize, Serialize};

/// The hash of a name: xxh64 (Collet, xxHash specification) of its UTF-8
/// bytes. `seed` is 0 unless a scenario asks for hashes that vary by seed.
pub fn hash_name(name: &str, seed: u64) -> u64 {
    xxhash_rust::xxh64::xxh64(name.as_bytes(), seed)
}

/// A hash function that a placement may be told to use.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum HashFunction {
    /// xxh64 (Collet, xxHash specification).
    #[default]
    Xxh64,
    /// The first 64 bits of MurmurHash3 x64 128 (Appleby, smhasher).
    Murmur3,
    /// FarmHash Fingerprint32 (Pike and Alakuijala 2014), in the upper 32 bits.
    Farmhash,
}

impl HashFunction {
    /// Every function, in the order of the documentation.
    pub const ALL: [HashFunction; 3] = [Self::Xxh64, Self::Murmur3, Self::Farmhash];

    /// The word used in files.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Xxh64 => "xxh64",
            Self::Murmur3 => "murmur3",
            Self::Farmhash => "farmhash",
        }
    }

    /// The hash of a text's UTF-8 bytes. xxh64 takes the seed as it is,
    /// MurmurHash3 its two halves combined by exclusive or; FarmHash has none,
    /// so that a seed other than 0 stands before the text as eight
    /// little-endian bytes.
    pub fn hash(self, text: &str, seed: u64) -> u64 {
        match self {
            Self::Xxh64 => hash_name(text, seed),
            Self::Murmur3 => {
                let seed = (seed ^ seed >> 32) as u32;
                // Reading from memory does not fail.
                let hash = murmur3::murmur3_x64_128(&mut Cursor::new(text), seed);
                hash.unwrap_or_default() as u64
            }
            Self::Farmhash => u64::from(fingerprint32(text, seed)) << 32,
        }
    }
}

fn fingerprint32(text: &str, seed: u64) -> u32 {
    if seed == 0 {
        return farmhash::fingerprint32(text.as_bytes());
    }
    farmhash::fingerprint32(&[&seed.to_le_bytes(), text.as_bytes()].concat())
}

/// The part of a key that Redis Cluster hashes: what stands between the first
/// `{` and the first `}` after it, if there is anything; otherwise the whole
/// key (Redis Cluster specification, "Hash tags").
pub fn hash_tag(key: &str) -> &str {
    let tag = key.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    match tag {
        Some((tag, _)) if !tag.is_empty() => tag,
        _ => key,
    }
}

/// CRC-16/XMODEM, the checksum that the Redis Cluster specification names:
/// polynomial 0x1021, starting at 0, nothing reflected.
pub(crate) fn crc16(bytes: &[u8]) -> u16 {
    const XMODEM: crc::Crc<u16, crc::Table<16>> =
        crc::Crc::<u16, crc::Table<16>>::new(&crc::CRC_16_XMODEM);
    XMODEM.checksum(bytes)
}

/// Mixes two numbers into one: both halves of their 128-bit product, combined
/// by exclusive or (the folded multiplication of wyhash, Wang Yi 2019).
#[inline]
pub(crate) fn fold(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    (product >> 64) as u64 ^ product as u64
}

/// A number below `range` for a uniform hash, each with the same probability up
/// to range / 2^64: the upper half of the product (Lemire 2019, "Fast Random
/// Integer Generation in an Interval").
#[inline]
pub(crate) fn below(hash: u64, range: u32) -> u32 {
    ((u128::from(hash) * u128::from(range)) >> 64) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    /// xxHash specification and its reference implementation.
    #[test]
    fn xxh64_vectors() {
        assert_eq!(hash_name("", 0), 0xef46_db37_51d8_e999);
        assert_eq!(hash_name("a", 0), 0xd24e_c4f1_a98c_6e5b);
        assert_eq!(hash_name("abc", 0), 0x44bc_2cf5_ad77_0999);
        assert_eq!(hash_name("Nobody inspects the spammish repetition", 0), 0xfbce_a83c_8a37_8bf1);
    }

    /// MurmurHash3 x64 128 of smhasher: the first half, as Guava and Cassandra
    /// publish it.
    #[test]
    fn murmur3_vectors() {
        let hash = |text| HashFunction::Murmur3.hash(text, 0);
        assert_eq!(hash(""), 0);
        assert_eq!(hash("hello"), 0xcbd8_a7b3_41bd_9b02);
        assert_eq!(hash("hello, world"), 0x342f_ac62_3a5e_bc8e);
        assert_eq!(hash("The quick brown fox jumps over the lazy dog"), 0xe34b_bc7b_bc07_1b6c);
        assert_ne!(hash("hello"), HashFunction::Murmur3.hash("hello", 1));
    }

    /// Points of ringpop-go's ring; FarmHash's own tests give the empty text.
    #[test]
    fn fingerprint32_vectors() {
        let hash = |text| HashFunction::Farmhash.hash(text, 0) >> 32;
        assert_eq!(hash("127.0.0.1:21001"), 0x7310_a89f);
        assert_eq!(hash("127.0.0.1:3000#0"), 0xe221_9a13);
        assert_eq!(hash(""), 0xdc56_d17a);
        assert_ne!(hash("a"), HashFunction::Farmhash.hash("a", 1) >> 32);
    }

    /// The check value of the catalogue of parametrised CRC algorithms, which
    /// the Redis Cluster specification repeats.
    #[test]
    fn crc16_vectors() {
        assert_eq!(crc16(b"123456789"), 0x31c3);
        assert_eq!(crc16(b""), 0);
    }

    #[test]
    fn ranges_are_kept() {
        assert_eq!((below(0, 7), below(u64::MAX, 7)), (0, 6));
        assert_eq!(below(1 << 63, 10), 5);
        assert_eq!(fold(u64::MAX, u64::MAX), u64::MAX);
    }

    /// The examples of the specification, and braces that stand alone.
    #[test]
    fn tags_are_between_the_first_braces() {
        for (key, tag) in [
            ("{user1000}.following", "user1000"),
            ("foo{}{bar}", "foo{}{bar}"),
            ("foo{{bar}}zap", "{bar"),
            ("foo{bar}{zap}", "bar"),
            ("{}", "{}"),
            ("a}b{c", "a}b{c"),
            ("}{x}", "x"),
            ("{", "{"),
            ("", ""),
        ] {
            assert_eq!(hash_tag(key), tag, "{key}");
        }
    }
}
