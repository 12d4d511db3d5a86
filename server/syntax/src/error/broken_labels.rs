//! Labels that a syntax error has taken apart.

use crate::lexer::is_name_char;
use std::ops::Range;

/// The last two words before each `:` of a text; the first is empty if there is one word. A `:` after the same words as the one before says nothing new.
pub(super) fn labels(text: &str) -> Vec<(String, String)> {
    // A name has no `%` but at its beginning.
    let name = |word: &Range<usize>| {
        let word = &text[word.clone()];
        word.rfind('%').filter(|at| *at > 0).map_or(word, |at| &word[..at]).to_owned()
    };
    let (mut before, mut last): (Range<usize>, Option<Range<usize>>) = (0..0, None);
    let (mut found, mut is_new) = (Vec::new(), false);
    for (at, c) in text.char_indices() {
        match &mut last {
            _ if !is_name_char(c) => {}
            Some(word) if word.end == at => word.end += c.len_utf8(),
            _ => {
                before = last.replace(at..at + c.len_utf8()).unwrap_or_default();
                is_new = true;
            }
        }
        if c == ':' && std::mem::take(&mut is_new) {
            found.extend(last.as_ref().map(|last| (name(&before), name(last))));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    #[test]
    fn labels_are_the_words_before_a_colon() {
        let owned =
            |pairs: &[(&str, &str)]| pairs.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect::<Vec<_>>();
        assert_eq!(super::labels("bra $L\"1: x;:: y%r1 é:"), owned(&[("$L", "1"), ("1", "x"), ("x", "y")]));
        assert_eq!(super::labels(":: a:"), owned(&[("", "a")]));
    }
}
