//! Labels that a syntax error has taken apart.

use crate::lexer::is_name_char;

/// The last two words before each `:` of a text; the first is empty if there is one word.
pub(super) fn labels(text: &str) -> impl Iterator<Item = (String, String)> {
    // A name has no `%` but at its beginning.
    let name = |word: &str| word.rfind('%').filter(|at| *at > 0).map_or(word, |at| &word[..at]).to_owned();
    text.match_indices(':').filter_map(move |(colon, _)| {
        let mut words = text[..colon].rsplit(|c| !is_name_char(c)).filter(|word| !word.is_empty());
        let last = words.next()?;
        Some((words.next().map(name).unwrap_or_default(), name(last)))
    })
}
