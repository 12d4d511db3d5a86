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
    let mut reader = PragmaReader { item, found: Vec::new(), place: PragmaPlace::Outside, directive: None };
    for (kind, range) in Lexer::code(item) {
        if reader.place == PragmaPlace::Outside && kind == TokenKind::Sign && item[range.clone()] == *"{" {
            reader.place = PragmaPlace::Body;
            // No token goes beyond its line but a comment, and most lines of a body have no directive.
            if memchr::memmem::find(item.as_bytes(), b"/*").is_none() {
                reader.read_lines(range.end);
                break;
            }
        }
        reader.read(kind, range);
    }
    reader.found
}

/// Reads the tokens of an item.
struct PragmaReader<'t> {
    item: &'t str,
    found: Vec<Pragma<'t>>,
    /// Where the token is.
    place: PragmaPlace,
    /// The word of the directive whose strings follow.
    directive: Option<Range<usize>>,
}

impl PragmaReader<'_> {
    fn read(&mut self, kind: TokenKind, range: Range<usize>) {
        match (kind, &self.item[range.clone()]) {
            (TokenKind::Dotted, ".pragma") => self.directive = Some(range),
            (TokenKind::String, _) => {
                let Some(directive) = self.directive.clone() else { return };
                let range = range.start + 1..range.end - 1;
                self.found.push(Pragma { text: &self.item[range.clone()], range, directive, place: self.place });
            }
            (TokenKind::Sign, ";") => self.directive = None,
            _ => {}
        }
    }

    /// Reads the lines with a directive after an offset, each up to the directive's end.
    fn read_lines(&mut self, mut after: usize) {
        for at in memchr::memmem::find_iter(self.item.as_bytes(), b".pragma") {
            if at < after {
                continue;
            }
            let before = memchr::memrchr(b'\n', &self.item.as_bytes()[after..at]);
            let line = before.map_or(after, |end| after + end + 1);
            for (kind, range) in Lexer::code(&self.item[line..]) {
                after = line + range.end;
                self.read(kind, line + range.start..after);
                if after > at && self.directive.is_none() {
                    break;
                }
            }
        }
    }
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

    #[test]
    fn a_comment_over_several_lines_changes_nothing() {
        let text =
            ".entry k() {\n// .pragma \"a\"\n} .pragma \"b\",\n \"c\"; x: .pragma\n\"d\"; bar.sync 0;\n.pragma \"e\" }";
        let texts = |text: &str| pragmas(text).into_iter().map(|pragma| pragma.text.to_owned()).collect::<Vec<_>>();
        assert_eq!(texts(text), ["b", "c", "d", "e"]);
        assert_eq!(texts(&format!("{text}/* */")), ["b", "c", "d", "e"]);
    }
}
