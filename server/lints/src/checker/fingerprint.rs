//! Fingerprints: hashes that the caches compare instead of texts and values.

use foldhash::fast::{FixedState, FoldHasher};
use std::borrow::Cow;
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use syntax::{Declaration, Rope};

/// A 64-bit hash of a text or value. Two different values collide with a probability of 2⁻⁶⁴.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct Fingerprint(u64);

/// Builds the fingerprint of a sequence of values.
pub(super) struct FingerprintBuilder(FoldHasher<'static>);

impl Fingerprint {
    /// The fingerprint of a value.
    pub(super) fn of<T: Hash + ?Sized>(value: &T) -> Self {
        let mut builder = FingerprintBuilder::new();
        builder.add(value);
        builder.finish()
    }

    /// The fingerprint of the properties of a declared name.
    pub(super) fn of_declaration(name: &Declaration) -> Self {
        let (kind, space, ty) = (name.kind as u8, &name.space.text, &name.ty.text);
        let first = (kind, &name.name.text, name.count, space, ty, &name.vector.text, name.array);
        Self::of(&(first, name.elements, name.alignment, &name.directive, name.parameter, name.broken))
    }

    /// The fingerprint of a part of a text, independent of the chunks of the rope.
    pub(super) fn of_text(text: &Rope, range: Range<usize>) -> Self {
        Self::of_str(&Cow::from(text.byte_slice(range)))
    }

    /// The fingerprint of a text.
    pub(super) fn of_str(text: &str) -> Self {
        Self::of(text.as_bytes())
    }
}

impl FingerprintBuilder {
    pub(super) fn new() -> Self {
        FingerprintBuilder(FixedState::default().build_hasher())
    }

    /// Adds a value.
    pub(super) fn add<T: Hash + ?Sized>(&mut self, value: &T) {
        value.hash(&mut self.0);
    }

    /// The fingerprint of the sequence.
    pub(super) fn finish(self) -> Fingerprint {
        Fingerprint(self.0.finish())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_do_not_depend_on_chunks() {
        let block = "L1:\n\tadd.u32 %r1, %r1, 1;\n".repeat(200);
        let whole = Rope::from(block.as_str());
        let mut chunked = Rope::from("// before\n");
        block.split_inclusive('\n').for_each(|line| chunked.insert(chunked.len_chars(), line));
        let range = 10..10 + block.len();
        assert!(chunked.byte_slice(range.clone()).as_str().is_none(), "it lies in several chunks");
        assert_eq!(Fingerprint::of_text(&chunked, range.clone()), Fingerprint::of_text(&whole, 0..block.len()));
        assert_ne!(Fingerprint::of_text(&chunked, range), Fingerprint::of_text(&whole, 1..block.len()));
    }
}
