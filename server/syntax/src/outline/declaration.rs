//! Declarations in functions in plain spelling: `.reg .b32 %r<5>;`, `.param .align 8 .b8 p[16];`.

use super::bytes::Bytes;
use crate::declaration::{Declaration, DeclarationKind, integer};
use crate::reader::Token;

impl Bytes<'_> {
    /// The end of a declaration.
    pub(super) fn declaration(&self, at: usize) -> Option<usize> {
        let word = self.word(at + 1);
        let register = match self.slice(at..word) {
            b".reg" => true,
            b".param" | b".local" | b".shared" => false,
            _ => return None,
        };
        let mut at = self.gap(word)?;
        at = if register { self.of_type(at)? } else { self.typed(at)? };
        loop {
            at = self.blanks(self.declarator(at, register)?);
            match self.at(at) {
                b',' => at = self.blanks(at + 1),
                b';' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// Behind an alignment, if there is one, a vector's width, if there is one, a type, and the blanks behind them.
    pub(super) fn typed(&self, at: usize) -> Option<usize> {
        self.of_type(self.aligned(at)?)
    }

    /// Behind an alignment and its blanks, if there is one.
    pub(super) fn aligned(&self, at: usize) -> Option<usize> {
        match self.after(at, b".align") {
            Some(align) => self.gap(self.integer(self.gap(align)?)?),
            None => Some(at),
        }
    }

    fn of_type(&self, mut at: usize) -> Option<usize> {
        if let Some(vector) = self.vector(at) {
            at = self.gap(vector)?;
        }
        let end = self.word(at + 1);
        self.gap(end).filter(|_| is_type(self.slice(at..end)))
    }

    /// The end of a vector's width.
    fn vector(&self, at: usize) -> Option<usize> {
        self.after(at, b".v2").or_else(|| self.after(at, b".v4"))
    }

    /// The end of a name with its `<N>` or its dimensions.
    fn declarator(&self, at: usize, register: bool) -> Option<usize> {
        let end = self.name(at)?;
        if self.at(end) == b'<' {
            let count = self.integer(end + 1)?;
            return (self.at(count) == b'>').then_some(count + 1);
        }
        if register { Some(end) } else { self.dimensions(end, false) }
    }

    /// The end of `[N]` as often as it is written; the first may be left `open`.
    pub(super) fn dimensions(&self, mut end: usize, mut open: bool) -> Option<usize> {
        while self.at(end) == b'[' {
            let size = if open && self.at(end + 1) == b']' { end + 1 } else { self.integer(end + 1)? };
            end = (self.at(size) == b']').then_some(size + 1)?;
            open = false;
        }
        Some(end)
    }

    /// The end of a pragma, which declares nothing.
    pub(super) fn pragma(&self, at: usize) -> Option<usize> {
        let start = self.gap(self.after(at, b".pragma")?)?;
        let end = self.quoted(start)?;
        (self.at(end) == b';').then_some(end + 1)
    }

    /// The end of a declaration or pragma in another spelling, which the parser is to read.
    pub(super) fn directive(&self, at: usize) -> Option<usize> {
        let end = self.word(at + 1);
        match self.slice(at..end) {
            b".reg" | b".param" | b".local" | b".shared" | b".pragma" => self.semicolon(end),
            _ => None,
        }
    }
}

/// Words that are types, the usual ones.
fn is_type(word: &[u8]) -> bool {
    match word {
        b".pred" | b".f16" | b".f16x2" | b".f32" | b".f64" | b".b128" => true,
        [b'.', b'b' | b'u' | b's', width @ ..] => matches!(width, b"8" | b"16" | b"32" | b"64"),
        _ => false,
    }
}

/// What a declaration in plain spelling, or a parameter, declares.
pub(crate) fn declarations<'a>(token: &Token<'a>, parameter: bool, mut declare: impl FnMut(Declaration<'a>)) {
    let bytes = Bytes::of(&token.text);
    let start = bytes.linkage(0).unwrap_or_default();
    let space = start..bytes.word(start + 1);
    let register = bytes.slice(space.clone()) == b".reg";
    let mut at = bytes.blanks(space.end);
    let mut alignment = None;
    if let Some(align) = bytes.after(at, b".align") {
        let start = bytes.blanks(align);
        let end = bytes.word(start);
        alignment = integer(&token.text[start..end]).filter(|_| !parameter);
        at = bytes.blanks(end);
    }
    let mut vector = 0..0;
    if let Some(end) = bytes.vector(at) {
        vector = at..end;
        at = bytes.blanks(end);
    }
    let ty = at..bytes.word(at + 1);
    at = bytes.blanks(ty.end);
    let mut pointer = 0..0;
    if parameter && let Some(behind) = bytes.after(at, b".ptr") {
        let word = bytes.blanks(behind);
        let end = bytes.word(word + 1);
        if bytes.slice(word..end).starts_with(b".") && bytes.slice(word..end) != b".align" {
            pointer = word..end;
        }
        at = bytes.pointer(word).unwrap_or(at);
    }
    while let Some(name) = bytes.name(at) {
        let (mut end, mut count, mut elements) = (name, None, Some(1u64));
        if bytes.at(end) == b'<' {
            let close = bytes.word(end + 1);
            count = integer(&token.text[end + 1..close]);
            end = close + 1;
        }
        let array = bytes.at(end) == b'[';
        while bytes.at(end) == b'[' {
            let close = bytes.word(end + 1);
            let size = integer(&token.text[end + 1..close]);
            elements = elements.zip(size).and_then(|(product, size)| product.checked_mul(size));
            end = close + 1;
        }
        declare(Declaration {
            kind: if register { DeclarationKind::Register } else { DeclarationKind::Variable },
            name: token.part(at..name),
            count,
            space: token.part(space.clone()),
            ty: token.part(ty.clone()),
            vector: token.part(vector.clone()),
            array,
            elements,
            alignment,
            pointer: token.part(pointer.clone()),
            broken: false,
        });
        end = bytes.blanks(end);
        if bytes.at(end) != b',' {
            return;
        }
        at = bytes.blanks(end + 1);
    }
}
