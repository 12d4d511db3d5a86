//! Operands, classified and split by their text, so that one leaf and a spelt-out node are read alike.
//!
//! Must not know which operands an instruction wants.

use crate::reader::Token;
use std::ops::Range;

/// What an operand looks like.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A name: a register, a symbol or a special register, also a part of one (`v.x`, `%tid.x`).
    Name,
    /// An integer constant or a constant expression of integers.
    Integer,
    /// A floating-point constant or a constant expression with one.
    Float,
    /// `_`
    Sink,
    /// `[…]`
    Address,
    /// `{…}`
    Vector,
    /// `p|q`
    Pair,
    /// `(…)` of a call, or anything else that is no operand of an atomic, `-r1` among them.
    Other,
}

/// One operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// What it looks like.
    pub kind: OperandKind,
    /// Its text and place.
    pub token: Token<'a>,
}

/// The inside of `[…]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address<'a> {
    /// What the address starts from.
    pub base: Operand<'a>,
    /// What is added to it, the sign `+` apart; `None` where nothing is.
    pub offset: Option<Token<'a>>,
}

impl<'a> Operand<'a> {
    /// Classifies an operand by its text.
    pub fn new(token: Token<'a>) -> Self {
        Operand { kind: kind(&token.text), token }
    }

    /// The elements of a vector; empty for anything else.
    pub fn lanes(&self) -> Vec<Operand<'a>> {
        if self.kind != OperandKind::Vector {
            return Vec::new();
        }
        let pieces = pieces(&self.token.text);
        let inner =
            &pieces[1..pieces.len() - usize::from(pieces.last().is_some_and(|p| &self.token.text[p.clone()] == "}"))];
        inner
            .split(|piece| &self.token.text[piece.clone()] == ",")
            .filter_map(|lane| Some(Operand::new(self.token.part(lane.first()?.start..lane.last()?.end))))
            .collect()
    }

    /// Base and offset of an address; `None` for anything else, and for tensor coordinates.
    pub fn address(&self) -> Option<Address<'a>> {
        if self.kind != OperandKind::Address {
            return None;
        }
        let text = &*self.token.text;
        let pieces = pieces(text);
        let inner = &pieces[1..pieces.len() - usize::from(pieces.last().is_some_and(|p| &text[p.clone()] == "]"))];
        let (first, last) = (inner.first()?, inner.last()?);
        if inner.iter().any(|piece| &text[piece.clone()] == ",") {
            return None;
        }
        let plus = inner.iter().position(|piece| &text[piece.clone()] == "+").filter(|at| *at > 0);
        let base_end = plus.map_or(last.end, |at| inner[at - 1].end);
        let offset = plus.and_then(|at| inner.get(at + 1)).map(|from| self.token.part(from.start..last.end));
        Some(Address { base: Operand::new(self.token.part(first.start..base_end)), offset })
    }
}

fn kind(text: &str) -> OperandKind {
    match text.as_bytes().first() {
        Some(b'[') => return OperandKind::Address,
        Some(b'{') => return OperandKind::Vector,
        _ => {}
    }
    if text == "_" {
        return OperandKind::Sink;
    }
    let pieces = pieces(text);
    let words: Vec<&str> = pieces.iter().map(|piece| &text[piece.clone()]).collect();
    if let [name] = words.as_slice()
        && is_name(name)
    {
        return OperandKind::Name;
    }
    if words.len() == 3 && words[1] == "|" && is_name(words[0]) && (is_name(words[2]) || words[2] == "_") {
        return OperandKind::Pair;
    }
    if words.iter().any(|word| is_name(word) && !is_constant_word(word)) {
        return OperandKind::Other;
    }
    match words.iter().any(|word| is_float(word)) {
        true => OperandKind::Float,
        false
            if words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit()))
                || words.contains(&"WARP_SZ") =>
        {
            OperandKind::Integer
        }
        false => OperandKind::Other,
    }
}

fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || "_$%".contains(c))
        && word.len() > usize::from(!word.starts_with(char::is_alphabetic))
}

/// Words that constant expressions may hold: the warp size and the types of casts.
fn is_constant_word(word: &str) -> bool {
    word == "WARP_SZ"
}

fn is_float(word: &str) -> bool {
    let lower = word.to_ascii_lowercase();
    if lower.starts_with("0f") || lower.starts_with("0d") {
        return true;
    }
    !lower.starts_with("0x")
        && lower.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        && lower.contains(['.', 'e'])
}

/// The lexical pieces of an operand's text: words, numbers and single signs; blanks and comments are left out.
fn pieces(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut pieces = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        match bytes[at] {
            b if b.is_ascii_whitespace() => at += 1,
            b'/' if bytes[at..].starts_with(b"//") => at += text[at..].find('\n').unwrap_or(text.len() - at),
            b'/' if bytes[at..].starts_with(b"/*") => {
                at += text[at..].find("*/").map_or(text.len() - at, |end| end + 2)
            }
            b if is_word_byte(b) || b == b'.' => {
                while at < bytes.len() && (is_word_byte(bytes[at]) || bytes[at] == b'.') {
                    // The sign of an exponent belongs to its number.
                    let exponent = matches!(bytes[at], b'e' | b'E') && is_float(&text[start..=at]);
                    at += 1 + usize::from(exponent && matches!(bytes.get(at + 1), Some(b'+' | b'-')));
                }
                pieces.push(start..at.min(bytes.len()));
            }
            _ => {
                at += text[at..].chars().next().map_or(1, char::len_utf8);
                pieces.push(start..at);
            }
        }
    }
    pieces
}

fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'%')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn operand(text: &str) -> Operand<'_> {
        Operand::new(Token { text: text.into(), range: 0..text.len() })
    }

    #[test]
    fn kinds_by_text() {
        use OperandKind::*;
        for (text, kind) in [
            ("%r1", Name),
            ("$L", Name),
            ("v.x", Name),
            ("1", Integer),
            ("-0x1F", Integer),
            ("(1+2)*3", Integer),
            ("WARP_SZ", Name),
            ("1.5e-3", Float),
            ("-0f3F800000", Float),
            ("0xff", Integer),
            ("_", Sink),
            ("[a+4]", Address),
            ("{%r1, _}", Vector),
            ("p|q", Pair),
            ("p | _", Pair),
            ("-%r1", Other),
            ("(a, b)", Other),
        ] {
            assert_eq!(operand(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn lanes_and_addresses_pass_over_comments() {
        let vector = operand("{ a, /* , */ _ ,\n b.y}");
        let lanes: Vec<_> = vector.lanes().into_iter().map(|lane| lane.token.text.to_string()).collect();
        assert_eq!(lanes, ["a", "_", "b.y"]);
        let sum = operand("[ %rd1 /* base */ + -4 ]");
        let address = sum.address().unwrap();
        assert_eq!((&*address.base.token.text, &*address.offset.unwrap().text), ("%rd1", "-4"));
        assert_eq!(operand("[map, {a,b}]").address(), None);
        assert_eq!(operand("[sym]").address().unwrap().offset, None);
    }
}
