//! Strings of `.pragma` directives.

use crate::lexer::{Lexer, TokenKind};
use std::ops::Range;

/// Where a `.pragma` is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PragmaPlace {
    /// Between statements of a body.
    Body,
    /// Outside of functions, or between a function's head and its body.
    Outside,
}

/// A string of a `.pragma`; one directive may have several.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pragma<'t> {
    /// Without its quotes, as it is written.
    pub text: &'t str,
    /// Its byte range in the text that was read, without the quotes.
    pub range: Range<usize>,
    /// The byte range of the directive's word.
    pub directive: Range<usize>,
    /// Where the directive is.
    pub place: PragmaPlace,
}

/// The strings of all `.pragma` directives of an item's text, in order.
pub fn pragmas(item: &str) -> Vec<Pragma<'_>> {
    let (mut found, mut depth, mut word) = (Vec::new(), 0usize, None);
    for (kind, range) in Lexer::code(item) {
        match (kind, &item[range.clone()]) {
            (TokenKind::Dotted, ".pragma") => word = Some(range),
            (TokenKind::String, _) => {
                let Some(directive) = word.clone() else { continue };
                let range = range.start + 1..range.end - 1;
                let place = if depth == 0 { PragmaPlace::Outside } else { PragmaPlace::Body };
                found.push(Pragma { text: &item[range.clone()], range, directive, place });
            }
            (TokenKind::Sign, "{") => depth += 1,
            (TokenKind::Sign, "}") => depth = depth.saturating_sub(1),
            (TokenKind::Sign, ";") => word = None,
            _ => {}
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_have_a_place_and_comments_have_none() {
        let text = ".entry k() .pragma \"a\"; { // .pragma \"b\"\n .pragma \"c d\", \"\"; { .pragma \"e\"; } }";
        let found: Vec<_> = pragmas(text).into_iter().map(|pragma| (pragma.text, pragma.place)).collect();
        use PragmaPlace::{Body, Outside};
        assert_eq!(found, [("a", Outside), ("c d", Body), ("", Body), ("e", Body)]);
    }
}
