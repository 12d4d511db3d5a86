//! The words of a text, in short: whether a part of it can speak of a name at all.
//!
//! Must not know what a word means.

use std::collections::BTreeSet;
use std::ops::Range;
use syntax::Rope;

const START: u64 = 0xcbf2_9ce4_8422_2325;

/// FNV-1a, one byte further.
fn further(digest: u64, byte: u8) -> u64 {
    (digest ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
}

/// A name in short.
pub(crate) fn digest(name: &str) -> u64 {
    name.bytes().fold(START, further)
}

/// Every word in a byte range, and each also without its last digits, because `%r7` is in the range `%r<10>`.
pub(crate) fn of(text: &Rope, range: Range<usize>) -> BTreeSet<u64> {
    let mut words = BTreeSet::new();
    let mut word = START;
    let mut base = START;
    for byte in text.byte_slice(range).bytes() {
        match byte {
            b'0'..=b'9' => word = further(word, byte),
            b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'$' | b'%' | 0x80.. => {
                word = further(word, byte);
                base = word;
            }
            _ => {
                words.insert(word);
                words.insert(base);
                (word, base) = (START, START);
            }
        }
    }
    words.extend([word, base]);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_holds_its_words_and_the_ranges_of_them() {
        let words = of(&Rope::from("x ld.u32 %r17,[g_1+4]; y"), 1..23);
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
            assert_eq!(words.contains(&digest(name)), there, "{name}");
        }
    }
}
