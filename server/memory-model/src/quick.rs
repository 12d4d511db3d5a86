//! Hash maps for keys that nobody chooses in order to do harm: the search makes them itself.
//!
//! Must not know what the keys mean.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

/// A hash map that is quick rather than safe from collisions that somebody looked for.
pub type Quick<K, V> = HashMap<K, V, BuildHasherDefault<Words>>;

/// Hashes word by word.
#[derive(Clone, Copy, Debug, Default)]
pub struct Words(u64);

impl Hasher for Words {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.write_u64(u64::from_le_bytes(*word)));
        rest.iter().for_each(|byte| self.write_u64(u64::from(*byte)));
    }

    fn write_u64(&mut self, word: u64) {
        // An odd constant without pattern: the fraction of the golden ratio.
        self.0 = (self.0.rotate_left(29) ^ word).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    }

    fn write_u128(&mut self, word: u128) {
        self.write_u64(word as u64);
        self.write_u64((word >> 64) as u64);
    }

    fn write_usize(&mut self, word: usize) {
        self.write_u64(word as u64);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
