//! Fingerprints of the words of a text, to test whether it may mention a name.

use super::fingerprint::Fingerprint;
use std::ops::Range;
use syntax::Rope;

/// The fingerprint of a name.
pub(super) fn word(name: &str) -> Fingerprint {
    Fingerprint::of(name.as_bytes())
}

/// Calls `visit` with the fingerprints of all words in a byte range, with and without trailing digits, because `%r<10>` declares `%r7`.
pub(super) fn words(text: &Rope, range: Range<usize>, mut visit: impl FnMut(Fingerprint)) {
    let (mut word, mut base) = (Vec::new(), 0);
    for byte in text.byte_slice(range).bytes().chain([b' ']) {
        match byte {
            b'0'..=b'9' => word.push(byte),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'%' | 0x80.. => {
                word.push(byte);
                base = word.len();
            }
            _ if word.is_empty() => {}
            _ => {
                visit(Fingerprint::of(&*word));
                if base < word.len() {
                    visit(Fingerprint::of(&word[..base]));
                }
                word.clear();
                base = 0;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_with_and_without_trailing_digits_are_found() {
        let mut found = Vec::new();
        words(&Rope::from("x ld.u32 %r17,[g_1+4]; y"), 1..23, |word| found.push(word));
        for (name, there) in [
            ("%r17", true),
            ("%r", true),
            ("g_1", true),
            ("g_", true),
            ("u", true),
            ("x", false),
            ("y", false),
            ("r17", false),
        ] {
            assert_eq!(found.contains(&word(name)), there, "{name}");
        }
    }
}
