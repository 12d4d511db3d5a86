//! The lexemes inside a leaf of the tree: an opcode, an address, a vector.
//!
//! Must not know the tree.

use crate::lexeme::LexemeKind;
use std::ops::Range;

/// Splits the text of a leaf into lexemes; blanks are left out.
pub(crate) struct Scanner<'t> {
    text: &'t str,
    at: usize,
    /// What a word with a dot is.
    dotted: LexemeKind,
}

impl<'t> Scanner<'t> {
    /// `dotted` is what a word with a dot before it is: a modifier, a directive or a selector.
    pub fn new(text: &'t str, dotted: LexemeKind) -> Self {
        Scanner { text, at: 0, dotted }
    }

    fn while_word(&self, from: usize) -> usize {
        let rest = &self.text.as_bytes()[from..];
        from + rest.iter().take_while(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'$')).count()
    }

    /// The end of a number that begins at `from`.
    fn number(&self, from: usize) -> (LexemeKind, usize) {
        let bytes = self.text.as_bytes();
        let prefix = bytes.get(from + 1).map(u8::to_ascii_lowercase).filter(|_| bytes[from] == b'0');
        match prefix {
            Some(b'x' | b'b') => return (LexemeKind::Integer, self.while_word(from)),
            Some(b'f' | b'd') => return (LexemeKind::Float, self.while_word(from)),
            _ => {}
        }
        let digits = |from: usize| from + bytes[from..].iter().take_while(|b| b.is_ascii_digit()).count();
        let whole = digits(from);
        let mut end = if bytes.get(whole) == Some(&b'.') { digits(whole + 1) } else { whole };
        if matches!(bytes.get(end), Some(b'e' | b'E')) {
            let sign = usize::from(matches!(bytes.get(end + 1), Some(b'+' | b'-')));
            let exponent = digits((end + 1 + sign).min(bytes.len()));
            if exponent > end + 1 + sign {
                end = exponent;
            }
        }
        let kind = if end == whole { LexemeKind::Integer } else { LexemeKind::Float };
        (kind, if end == whole { self.while_word(end) } else { end })
    }

    fn lexeme(&self, from: usize) -> (LexemeKind, usize) {
        let rest = &self.text[from..];
        let bytes = rest.as_bytes();
        let second = bytes.get(1).copied().unwrap_or(0);
        match bytes[0] {
            b'/' if second == b'/' => (LexemeKind::Comment, from + rest.find('\n').unwrap_or(rest.len())),
            b'/' if second == b'*' => (LexemeKind::Comment, from + rest.find("*/").map_or(rest.len(), |end| end + 2)),
            b'0'..=b'9' => self.number(from),
            b'.' if second.is_ascii_digit() && self.dotted != LexemeKind::Modifier => self.number(from),
            b'.' => {
                let mut end = self.while_word(from + 1);
                while self.dotted == LexemeKind::Modifier && self.text[end..].starts_with("::") {
                    end = self.while_word(end + 2);
                }
                (self.dotted, end)
            }
            b'_' if self.while_word(from) == from + 1 => (LexemeKind::Punctuation, from + 1),
            b'A'..=b'Z' | b'a'..=b'z' | b'_' | b'$' | b'%' => match self.while_word(from + 1) {
                end if end == from + 1 && bytes[0] == b'%' => (LexemeKind::Operator, end),
                end => (LexemeKind::Name, end),
            },
            b'@' | b',' | b'{' | b'}' | b'[' | b']' | b'(' | b')' | b':' | b'|' | b'=' | b';' => {
                (LexemeKind::Punctuation, from + 1)
            }
            _ => (LexemeKind::Operator, from + rest.chars().next().map_or(1, char::len_utf8)),
        }
    }
}

impl Iterator for Scanner<'_> {
    type Item = (LexemeKind, Range<usize>);

    fn next(&mut self) -> Option<Self::Item> {
        let blank = |b: &u8| b.is_ascii_whitespace() || *b == 0x1a;
        self.at += self.text.as_bytes()[self.at..].iter().take_while(|b| blank(b)).count();
        if self.at >= self.text.len() {
            return None;
        }
        let start = self.at;
        let (kind, end) = self.lexeme(start);
        self.at = end;
        Some((kind, start..end))
    }
}
