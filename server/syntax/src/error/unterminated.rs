//! Comments and strings that begin and do not end.

use super::{STATEMENT, SyntaxError, error};
use crate::reader::Token;

/// A comment or a string that begins and does not end.
pub(super) struct Unterminated {
    comment: Option<usize>,
    string: Option<usize>,
}

impl Unterminated {
    /// What of the kind a text leaves open.
    pub fn of(text: &str) -> Self {
        let mut open = Unterminated { comment: None, string: None };
        let mut at = 0;
        while let Some(found) = text[at..].find(['/', '"']) {
            let start = at + found;
            let rest = &text[start..];
            let line = rest.find('\n').unwrap_or(rest.len());
            at = start
                + match rest {
                    _ if rest.starts_with("//") => line,
                    _ if rest.starts_with("/*") => match rest.find("*/") {
                        Some(end) => end + 2,
                        None => {
                            open.comment = Some(start);
                            return open;
                        }
                    },
                    _ if rest.starts_with('"') => match rest[1..line.max(1)].find('"') {
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

    /// It as an error of the statement that was read.
    pub fn describe(&self, statement: &Token) -> Option<SyntaxError> {
        let (at, length, message, help) = match (self.comment, self.string) {
            // Cut off at the end of what is looked at, a comment or a string may well end later.
            (Some(at), _) if statement.text.len() < STATEMENT => {
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
