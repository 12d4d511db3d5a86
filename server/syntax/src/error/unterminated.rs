//! Unterminated comments and strings.

use crate::error::{STATEMENT, SyntaxError, error};
use crate::reader::Token;

/// The start of an unterminated comment or string, if there is one.
pub(super) struct Unterminated {
    comment: Option<usize>,
    string: Option<usize>,
}

impl Unterminated {
    /// Finds the first unterminated comment or string of a text.
    pub fn of(text: &str) -> Self {
        let mut open = Unterminated { comment: None, string: None };
        let mut at = 0;
        while let Some(found) = text[at..].find(['/', '"']) {
            let start = at + found;
            let rest = &text[start..];
            at = start
                + match rest.as_bytes() {
                    [b'/', b'/', ..] => rest.find('\n').unwrap_or(rest.len()),
                    [b'/', b'*', ..] => match rest[2..].find("*/") {
                        Some(end) => end + 4,
                        None => {
                            open.comment = Some(start);
                            return open;
                        }
                    },
                    // Only up to the next quote: a line may be as long as the text.
                    [b'"', inner @ ..] => match memchr::memchr2(b'"', b'\n', inner).filter(|end| inner[*end] == b'"') {
                        Some(end) => end + 2,
                        None => {
                            open.string = Some(start);
                            return open;
                        }
                    },
                    _ => 1,
                };
        }
        open
    }

    /// The error in the statement; `ends_later` tells whether a comment that is open at its end may end in the text behind it.
    pub fn describe(&self, statement: &Token, ends_later: impl Fn() -> bool) -> Option<SyntaxError> {
        let (at, length, message, help) = match (self.comment, self.string) {
            // At the maximum length, the text is truncated: a comment or string may end later.
            (Some(at), _) if statement.text.len() < STATEMENT || !ends_later() => {
                (at, 2, "unterminated comment", "add `*/`; comments do not nest")
            }
            (_, Some(at)) if statement.text.len() < STATEMENT || statement.text[at..].contains('\n') => {
                (at, 1, "unterminated string", "add `\"` on the same line")
            }
            _ => return None,
        };
        Some(error(statement.part(at..at + length).range, message.into(), help.into()))
    }
}
