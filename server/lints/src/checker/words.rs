//! The words of a text, by fingerprint: whether a part of it can name something at all.

use super::fingerprint::Fingerprint;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::Rope;

/// A name as it is found among the words of a text.
pub(super) fn word(name: &str) -> Fingerprint {
    Fingerprint::of(name.as_bytes())
}

/// Every word in a byte range, and each also without its last digits, because `%r7` is in the range `%r<10>`.
pub(super) fn words(text: &Rope, range: Range<usize>) -> BTreeSet<Fingerprint> {
    let mut words = BTreeSet::new();
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
                words.insert(Fingerprint::of(&*word));
                words.insert(Fingerprint::of(&word[..base]));
                word.clear();
                base = 0;
            }
        }
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_text_holds_its_words_and_the_ranges_of_them() {
        let words = words(&Rope::from("x ld.u32 %r17,[g_1+4]; y"), 1..23);
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
            assert_eq!(words.contains(&word(name)), there, "{name}");
        }
    }
}
