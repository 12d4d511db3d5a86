//! The guard of an instruction as text: `@p`, `@!p`, with comments and line ends anywhere between its tokens.

use crate::lexer::{is_name_char, trivia};
use std::ops::Range;

/// The parts of a guard, in bytes of the text that begins with it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guard {
    /// The predicate's name.
    pub predicate: Range<usize>,
    /// Whether there is a `!` before it.
    pub negated: bool,
    /// The start of the next token.
    pub end: usize,
}

/// Reads the guard at the beginning of a text; `None` without a guard or without its predicate.
pub fn read(text: &str) -> Option<Guard> {
    let sign = text.strip_prefix('@').map(|_| trivia::skip(text, 1))?;
    let negated = text[sign..].starts_with('!');
    let start = if negated { trivia::skip(text, sign + 1) } else { sign };
    let rest = &text[start..];
    let length = rest.find(|c| !is_name_char(c)).unwrap_or(rest.len());
    let end = start + length;
    (length > 0).then(|| Guard { predicate: start..end, negated, end: trivia::skip(text, end) })
}

/// The start of an instruction's opcode, after its guard.
pub fn opcode_start(instruction: &str) -> usize {
    read(instruction).map_or(0, |guard| guard.end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_guard_may_have_trivia_between_its_tokens() {
        for (text, predicate, negated) in [
            ("@p red", "p", false),
            ("@!%p1 red", "%p1", true),
            ("@ ! p\nred", "p", true),
            ("@/* ! */p red", "p", false),
            ("@!/**/p/* x */red", "p", true),
            ("@// x\np red", "p", false),
            ("@\n#line 7 \"f\"\n!p red", "p", true),
        ] {
            let guard = read(text).unwrap();
            assert_eq!(
                (&text[guard.predicate], guard.negated, &text[guard.end..]),
                (predicate, negated, "red"),
                "{text}"
            );
        }
        assert_eq!([read("red"), read("@"), read("@ ! ")], [None, None, None]);
    }
}
