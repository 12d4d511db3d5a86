//! Fingerprints: what the caches compare instead of the texts and values themselves.

use foldhash::fast::{FixedState, FoldHasher};
use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use syntax::Rope;

/// Stands for a text or a value in a cache: the same for equal ones, another one for others, but for a chance of 1 in 2⁶⁴.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Fingerprint(u64);

/// Builds the fingerprint of several values, one after the other.
pub(super) struct FingerprintBuilder(FoldHasher<'static>);

impl Fingerprint {
    /// The fingerprint of a value.
    pub(super) fn of<T: Hash + ?Sized>(value: &T) -> Self {
        let mut builder = FingerprintBuilder::new();
        builder.add(value);
        builder.finish()
    }

    /// The fingerprint of a part of a text, however the rope divides it into chunks.
    pub(super) fn of_text(text: &Rope, range: Range<usize>) -> Self {
        Self::of(Cow::<str>::from(text.byte_slice(range)).as_bytes())
    }
}

impl FingerprintBuilder {
    pub(super) fn new() -> Self {
        FingerprintBuilder(FixedState::default().build_hasher())
    }

    /// Takes another value in.
    pub(super) fn add<T: Hash + ?Sized>(&mut self, value: &T) {
        value.hash(&mut self.0);
    }

    /// The fingerprint of all values so far, in their order.
    pub(super) fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_fingerprint_in_whichever_chunks_it_lies() {
        let block = "L1:\n\tadd.u32 %r1, %r1, 1;\n".repeat(200);
        let whole = Rope::from(block.as_str());
        let mut pieced = Rope::from("// before\n");
        block.split_inclusive('\n').for_each(|line| pieced.insert(pieced.len_chars(), line));
        let range = 10..10 + block.len();
        assert!(pieced.byte_slice(range.clone()).as_str().is_none(), "it lies in several chunks");
        assert_eq!(Fingerprint::of_text(&pieced, range.clone()), Fingerprint::of_text(&whole, 0..block.len()));
        assert_ne!(Fingerprint::of_text(&pieced, range), Fingerprint::of_text(&whole, 1..block.len()));
    }
}
