//! Fingerprints of the words of a text, to test whether it may mention a name.

use crate::checker::fingerprint::Fingerprint;
use std::borrow::Cow;
use std::ops::Range;
use syntax::{Rope, is_name_byte};

/// The fingerprint of a name.
pub(super) fn word(name: &str) -> Fingerprint {
    Fingerprint::of(name.as_bytes())
}

/// The first bytes of some names.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Initials([u64; 4]);

impl Initials {
    fn add(&mut self, byte: u8) {
        self.0[usize::from(byte >> 6)] |= 1 << (byte & 63);
    }

    /// Adds others.
    pub(super) fn add_all(&mut self, others: Initials) {
        self.0.iter_mut().zip(others.0).for_each(|(mine, other)| *mine |= other);
    }

    /// Whether a name has the first byte of one of them.
    pub(super) fn have(&self, name: &str) -> bool {
        name.as_bytes().first().is_some_and(|byte| self.has(*byte))
    }

    fn has(&self, byte: u8) -> bool {
        self.0[usize::from(byte >> 6)] & 1 << (byte & 63) != 0
    }
}

impl<'n> FromIterator<&'n str> for Initials {
    fn from_iter<T: IntoIterator<Item = &'n str>>(names: T) -> Self {
        let mut initials = Initials::default();
        names.into_iter().filter_map(|name| name.as_bytes().first()).for_each(|byte| initials.add(*byte));
        initials
    }
}

/// Calls `visit` with the fingerprints of all words in a byte range that have one of some first bytes, with and without trailing digits, because
/// `%r<10>` declares `%r7`.
pub(super) fn words(text: &Rope, range: Range<usize>, initials: Initials, mut visit: impl FnMut(Fingerprint)) {
    let text = Cow::<str>::from(text.byte_slice(range));
    let mut rest = text.as_bytes();
    while let Some(start) = rest.iter().position(|byte| is_name_byte(*byte)) {
        rest = &rest[start..];
        let length = rest.iter().position(|byte| !is_name_byte(*byte)).unwrap_or(rest.len());
        let (word, behind) = rest.split_at(length);
        if initials.has(word[0]) {
            visit(Fingerprint::of(word));
            let digits = word.iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
            if digits > 0 {
                visit(Fingerprint::of(&word[..length - digits]));
            }
        }
        rest = behind;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_and_without_trailing_digits_are_found() {
        let mut found = Vec::new();
        let initials = ["%r", "g", "u", "x", "y", "r17"].into_iter().collect();
        words(&Rope::from("x ld.u32 %r17,[g_1+4]; y"), 1..23, initials, |word| found.push(word));
        for (name, there) in [
            ("%r17", true),
            ("%r", true),
            ("g_1", true),
            ("g_", true),
            ("u", true),
            ("ld", false),
            ("x", false),
            ("y", false),
            ("r17", false),
        ] {
            assert_eq!(found.contains(&word(name)), there, "{name}");
        }
    }
}
