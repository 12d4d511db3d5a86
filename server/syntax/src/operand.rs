//! Operands, classified and split by their text, because the tree has some as one leaf and some as a node with children.

use crate::lexer::{Bytes, DIGIT, LETTER, Lexer, TokenKind, WORD, is};
use crate::reader::Token;
use std::ops::Range;

/// The kind of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OperandKind {
    /// A name: a register, a symbol or a special register.
    Name,
    /// A component: `v.x`, `%tid.x`.
    Element,
    /// An element of an array: `a[2]`.
    Subscript,
    /// A name and an offset: `a+4`.
    Sum,
    /// `-a` or `!p`
    Negation,
    /// A literal, or an expression of literals.
    Constant,
    /// `_`
    Sink,
    /// `[…]`
    Address,
    /// `{…}`
    Vector,
    /// `p|q`, or `{…}|q`
    Pair,
    /// `(…)` of a call, or anything else that is not an operand of an atomic.
    Other,
}

/// One operand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Operand<'a> {
    /// Its kind.
    pub kind: OperandKind,
    /// Its text and byte range.
    pub token: Token<'a>,
}

/// The inside of `[…]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address<'a> {
    /// The base.
    pub base: Operand<'a>,
    /// The offset without a `+`, if there is one.
    pub offset: Option<Token<'a>>,
}

impl<'a> Operand<'a> {
    /// Classifies an operand by its text.
    pub fn new(token: Token<'a>) -> Self {
        Operand { kind: kind(&token.text), token }
    }

    /// Its words, numbers and signs, without white space and comments.
    pub fn tokens(&self) -> Vec<Token<'a>> {
        ranges(&self.token.text).into_iter().map(|range| self.token.part(range)).collect()
    }

    /// The name and the selector, without its dot, of an element such as `v.x`.
    pub fn element(&self) -> Option<(Token<'a>, Token<'a>)> {
        if self.kind != OperandKind::Element {
            return None;
        }
        let text = &*self.token.text;
        // A comment may contain a dot.
        let dot = Lexer::code(text).map(|(_, range)| range.start).find(|start| text[*start..].starts_with('.'))?;
        let selector = ranges(&text[dot + 1..]).pop()?;
        Some((
            self.token.part(ranges(&text[..dot]).pop()?),
            self.token.part(dot + 1 + selector.start..dot + 1 + selector.end),
        ))
    }

    /// The two parts of an operand: the name and the offset, the array and its index, the elements of a pair,
    /// the sign and its operand. `None` for other kinds.
    pub fn parts(&self) -> Option<(Operand<'a>, Operand<'a>)> {
        use OperandKind::{Negation, Pair, Subscript, Sum};
        if !matches!(self.kind, Sum | Subscript | Negation | Pair) {
            return None;
        }
        let text = &*self.token.text;
        let tokens = ranges(text);
        let is = |at: usize, sign: &str| tokens.get(at).is_some_and(|token| &text[token.clone()] == sign);
        let (first_end, second_start, second_end) = match self.kind {
            Subscript => (0, 2, tokens.len() - 1 - usize::from(is(tokens.len() - 1, "]"))),
            Negation => (0, 1, tokens.len() - 1),
            Pair => {
                let bar = (0..tokens.len()).rfind(|at| is(*at, "|"))?;
                (bar - 1, bar + 1, tokens.len() - 1)
            }
            _ => (0, 2, tokens.len() - 1),
        };
        let token = |first: usize, last: usize| {
            Some(Operand::new(self.token.part(tokens.get(first)?.start..tokens.get(last)?.end)))
        };
        Some((token(0, first_end)?, token(second_start, second_end)?))
    }

    /// The two operands of a pair `p|q`; `None` for anything else.
    pub fn pair(&self) -> Option<(Operand<'a>, Operand<'a>)> {
        if self.kind == OperandKind::Pair { self.parts() } else { None }
    }

    /// The operand after a sign, `-` or `!`; `None` for anything else.
    pub fn negated(&self, sign: &str) -> Option<Operand<'a>> {
        if self.kind != OperandKind::Negation {
            return None;
        }
        let (written, inner) = self.parts()?;
        (&*written.token.text == sign).then_some(inner)
    }

    /// The elements of a vector; empty for anything else.
    pub fn lanes(&self) -> Vec<Operand<'a>> {
        if self.kind != OperandKind::Vector {
            return Vec::new();
        }
        let tokens = ranges(&self.token.text);
        let inner =
            &tokens[1..tokens.len() - usize::from(tokens.last().is_some_and(|p| &self.token.text[p.clone()] == "}"))];
        inner
            .split(|token| &self.token.text[token.clone()] == ",")
            .filter_map(|lane| Some(Operand::new(self.token.part(lane.first()?.start..lane.last()?.end))))
            .collect()
    }

    /// The parts of an address between commas, such as a tensor map and its coordinates; empty for anything else.
    pub fn address_parts(&self) -> Vec<Operand<'a>> {
        if self.kind != OperandKind::Address {
            return Vec::new();
        }
        let text = &*self.token.text;
        let tokens = ranges(text);
        let inner = &tokens[1..tokens.len() - usize::from(tokens.last().is_some_and(|p| &text[p.clone()] == "]"))];
        let parts = at_commas(text, inner).into_iter();
        parts.filter_map(|part| Some(Operand::new(self.token.part(part.first()?.start..part.last()?.end)))).collect()
    }

    /// Base and offset of an address; `None` for anything else, and for tensor coordinates.
    pub fn address(&self) -> Option<Address<'a>> {
        if self.kind != OperandKind::Address {
            return None;
        }
        let text = &*self.token.text;
        if let Some((base, offset)) = plain_address(text) {
            let base = Operand::new(self.token.part(base));
            return Some(Address { base, offset: offset.map(|offset| self.token.part(offset)) });
        }
        let tokens = ranges(text);
        let inner = &tokens[1..tokens.len() - usize::from(tokens.last().is_some_and(|p| &text[p.clone()] == "]"))];
        let (first, last) = (inner.first()?, inner.last()?);
        if inner.iter().any(|token| &text[token.clone()] == ",") {
            return None;
        }
        let plus = inner.iter().position(|token| &text[token.clone()] == "+").filter(|at| *at > 0);
        let base_end = plus.map_or(last.end, |at| inner[at - 1].end);
        let offset = plus.and_then(|at| inner.get(at + 1)).map(|from| self.token.part(from.start..last.end));
        Some(Address { base: Operand::new(self.token.part(first.start..base_end)), offset })
    }
}

/// The parts of tokens between commas that are in no brackets.
pub(crate) fn at_commas<'t>(text: &str, tokens: &'t [Range<usize>]) -> Vec<&'t [Range<usize>]> {
    let mut depth = 0;
    let parts = tokens.split(|token| {
        let sign = &text[token.clone()];
        depth += i32::from(matches!(sign, "(" | "[" | "{")) - i32::from(matches!(sign, ")" | "]" | "}"));
        sign == "," && depth == 0
    });
    parts.filter(|part| !part.is_empty()).collect()
}

/// Base and offset of an address as compilers write it: `[name]`, `[name+4]`, `[name+-4]`. `None` for others.
fn plain_address(text: &str) -> Option<(Range<usize>, Option<Range<usize>>)> {
    let bytes = Bytes::of(text);
    let base_end = bytes.name(1)?;
    let offset = match bytes.at(base_end) {
        b'+' => {
            let digits = base_end + 1 + usize::from(bytes.at(base_end + 1) == b'-');
            let end = bytes.class_end(digits, DIGIT);
            Some(base_end + 1..end).filter(|_| end > digits)
        }
        _ => None,
    };
    let end = offset.as_ref().map_or(base_end, |offset| offset.end);
    (bytes.at(end) == b']' && end + 1 == bytes.len()).then_some((1..base_end, offset))
}

/// The kind of an operand that is one word, an integer, an address or a vector; `None` if its tokens are needed.
fn plain_kind(text: &str) -> Option<OperandKind> {
    let bytes = Bytes::of(text);
    let first = bytes.at(0);
    let word = bytes.word(1);
    match first {
        b'[' => Some(OperandKind::Address),
        b'{' => memchr::memchr(b'|', text.as_bytes()).is_none().then_some(OperandKind::Vector),
        b'_' if text.len() == 1 => Some(OperandKind::Sink),
        b'W' => None,
        b'%' | b'$' | b'_' if word == 1 => None,
        _ if first == b'%' || is(first, WORD) && !is(first, DIGIT) => match bytes.at(word) {
            _ if word == bytes.len() => Some(OperandKind::Name),
            b'.' if is(bytes.at(word + 1), LETTER) && bytes.word(word + 1) == bytes.len() => Some(OperandKind::Element),
            _ => None,
        },
        b'-' | b'0'..=b'9' => {
            let digits = usize::from(first == b'-');
            let end = bytes.class_end(digits, DIGIT);
            (end > digits && end == bytes.len()).then_some(OperandKind::Constant)
        }
        _ => None,
    }
}

fn kind(text: &str) -> OperandKind {
    plain_kind(text).unwrap_or_else(|| kind_of_tokens(text))
}

fn kind_of_tokens(text: &str) -> OperandKind {
    let tokens = ranges(text);
    let words: Vec<&str> = tokens.iter().map(|token| &text[token.clone()]).collect();
    match words.as_slice() {
        ["_"] => OperandKind::Sink,
        [first, .., "|", last]
            if (is_name(first) || matches!(*first, "{" | "_")) && (is_name(last) || *last == "_") =>
        {
            OperandKind::Pair
        }
        ["[", ..] => OperandKind::Address,
        ["{", ..] => OperandKind::Vector,
        ["-" | "!", name] if is_name(name) => OperandKind::Negation,
        [name] if is_name(name) && name.contains('.') => OperandKind::Element,
        [name] if is_name(name) => OperandKind::Name,
        [name, selector] if is_name(name) && selector.starts_with('.') => OperandKind::Element,
        [name, "[", ..] if is_name(name) => OperandKind::Subscript,
        [name, "+", _, ..] if is_name(name) => OperandKind::Sum,
        words if words.iter().any(|word| is_name(word)) => OperandKind::Other,
        words if words.iter().any(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '.' || c == 'W')) => {
            OperandKind::Constant
        }
        _ => OperandKind::Other,
    }
}

/// Whether a text is the name of a register or symbol; the warp size is a constant.
fn is_name(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_alphabetic() || "_$%".contains(c))
        && word.len() > usize::from(!word.starts_with(char::is_alphabetic))
        && word != "WARP_SZ"
}

/// The ranges of the tokens of an operand: words with adjacent dotted words, numbers and signs.
fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut tokens: Vec<Range<usize>> = Vec::new();
    let mut word_end = None;
    for (kind, range) in Lexer::code(text) {
        match tokens.last_mut() {
            Some(word) if kind == TokenKind::Dotted && word_end == Some(range.start) => word.end = range.end,
            _ => tokens.push(range.clone()),
        }
        word_end = matches!(kind, TokenKind::Word | TokenKind::Dotted).then_some(range.end);
    }
    tokens
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
            ("v.x", Element),
            ("%tid /* , */ .x", Element),
            ("1", Constant),
            ("-0x1F", Constant),
            ("(1+2)*3", Constant),
            ("(.s64)1", Constant),
            ("WARP_SZ", Constant),
            ("-WARP_SZ + 1", Constant),
            ("1.5e-3", Constant),
            (".5", Constant),
            ("1|2", Constant),
            ("a+4", Sum),
            ("a + -(4)", Sum),
            ("a[2]", Subscript),
            ("_", Sink),
            ("[a+4]", Address),
            ("{%r1, _}", Vector),
            ("p|q", Pair),
            ("p | _", Pair),
            ("{a, b}|p", Pair),
            ("-%r1", Negation),
            ("! p", Negation),
            ("(a, b)", Other),
        ] {
            assert_eq!(operand(text).kind, kind, "{text}");
        }
    }

    #[test]
    fn plain_operands_are_read_as_others() {
        for text in [
            "[%rd1]",
            "[a+16]",
            "[a+-16]",
            "[a+]",
            "[a+0x10]",
            "[a-16]",
            "[16]",
            "[a",
            "[a]]",
            "[WARP_SZ]",
            "[a+b]",
            "[%+4]",
            "[a.x]",
        ] {
            let read = operand(text).address();
            // A space keeps it from being plain.
            let spaced = format!("[ {}", &text[1..]);
            let expected = operand(&spaced).address();
            let shown = |address: Option<Address>| {
                address.map(|address| {
                    (address.base.token.text.to_string(), address.offset.map(|offset| offset.text.to_string()))
                })
            };
            assert_eq!(shown(read), shown(expected), "{text}");
        }
        for text in [
            "%r1", "_", "$", "%", "_x", "W", "WARP_SZ", "%tid.x", "a.0", "a.", "12", "-12", "-", "0x10", "08", "1.5",
            "{a}", "{a}|p", "[a]|p", "!p",
        ] {
            assert_eq!(operand(text).kind, kind_of_tokens(text), "{text}");
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

    #[test]
    fn operands_come_apart() {
        let parts = |text: &str| {
            let (first, second) = operand(text).parts().unwrap();
            (first.token.text.to_string(), second.token.text.to_string(), second.token.range)
        };
        assert_eq!(parts("a + -4"), ("a".into(), "-4".into(), 4..6));
        assert_eq!(parts("a[ 1+1 ]"), ("a".into(), "1+1".into(), 3..6));
        assert_eq!(parts("{a, b} | _"), ("{a, b}".into(), "_".into(), 9..10));
        assert_eq!(parts("! p"), ("!".into(), "p".into(), 2..3));
        let (name, selector) = operand("%tid.x").element().unwrap();
        assert_eq!((&*name.text, &*selector.text, selector.range), ("%tid", "x", 5..6));
    }
}
