//! Declarations in functions in canonical form: `.reg .b32 %r<5>;`, `.param .align 8 .b8 p[16];`.

use crate::declaration::{Declaration, DeclarationKind, ParameterKind};
use crate::lexer::{Bytes, Number};
use crate::reader::Token;

/// What a declaration reserves.
#[derive(Clone, Copy)]
enum Storage {
    Registers,
    Memory,
}

/// Whether the first dimension of an array may be empty, as in `a[] = { 1, 2 }`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum FirstDimension {
    MayBeEmpty,
    HasSize,
}

/// Where a declaration occurs.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum DeclarationContext {
    /// As a statement or an item of the module.
    Statement,
    /// In a list of parameters.
    Parameters(ParameterKind),
}

impl Bytes<'_> {
    /// The end of a string of common characters.
    pub(super) fn quoted(&self, at: usize) -> Option<usize> {
        let end = self.string(at).filter(|_| self.at(at) == b'"')?;
        self.slice(at..end).is_ascii().then_some(end)
    }

    /// The end of a declaration.
    pub(super) fn declaration(&self, at: usize) -> Option<usize> {
        let word = self.word(at + 1);
        let storage = match self.slice(at..word) {
            b".reg" => Storage::Registers,
            b".param" | b".local" | b".shared" => Storage::Memory,
            _ => return None,
        };
        let mut at = self.skipped(word);
        at = match storage {
            Storage::Registers => self.of_type(at)?,
            Storage::Memory => self.typed(at)?,
        };
        loop {
            at = self.skipped(self.declarator(at, storage)?);
            match self.at(at) {
                b',' => at = self.skipped(at + 1),
                b';' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// The end of an optional alignment, an optional vector width, a type, and white space.
    pub(super) fn typed(&self, at: usize) -> Option<usize> {
        self.of_type(self.aligned(at)?)
    }

    /// The end of an optional alignment and white space.
    pub(super) fn aligned(&self, at: usize) -> Option<usize> {
        match self.after(at, b".align") {
            Some(align) => Some(self.skipped(self.integer(self.gap(align)?)?)),
            None => Some(at),
        }
    }

    fn of_type(&self, mut at: usize) -> Option<usize> {
        if let Some(vector) = self.vector_width(at) {
            at = self.skipped(vector);
        }
        let end = self.word(at + 1);
        is_type(self.slice(at..end)).then(|| self.skipped(end))
    }

    /// The end of a vector's width.
    fn vector_width(&self, at: usize) -> Option<usize> {
        let end = self.word(at + 1);
        matches!(self.slice(at..end), b".v2" | b".v4").then_some(end)
    }

    /// The end of a name with its `<N>` or its dimensions.
    fn declarator(&self, at: usize, storage: Storage) -> Option<usize> {
        let end = self.name(at)?;
        let next = self.skipped(end);
        if self.at(next) == b'<' {
            let count = self.integer(self.skipped(next + 1))?;
            return self.after(self.skipped(count), b">");
        }
        match storage {
            Storage::Registers => Some(end),
            Storage::Memory => self.dimensions(end, FirstDimension::HasSize),
        }
    }

    /// The end of dimensions `[N]`.
    pub(super) fn dimensions(&self, mut end: usize, mut first: FirstDimension) -> Option<usize> {
        loop {
            let bracket = self.skipped(end);
            if self.at(bracket) != b'[' {
                return Some(end);
            }
            let size = self.skipped(bracket + 1);
            let empty = first == FirstDimension::MayBeEmpty && self.at(size) == b']';
            let size = if empty { size } else { self.skipped(self.integer(size)?) };
            end = self.after(size, b"]")?;
            first = FirstDimension::HasSize;
        }
    }

    /// The end of a pragma, which declares nothing.
    pub(super) fn pragma(&self, at: usize) -> Option<usize> {
        let mut at = self.behind(at, b".pragma")?;
        loop {
            at = self.skipped(self.quoted(at)?);
            match self.at(at) {
                b',' => at = self.skipped(at + 1),
                b';' => return Some(at + 1),
                _ => return None,
            }
        }
    }

    /// The end of a declaration or pragma in another form, which is left to the parser.
    pub(super) fn directive(&self, at: usize) -> Option<usize> {
        let end = self.word(at + 1);
        match self.slice(at..end) {
            b".reg" | b".param" | b".local" | b".shared" | b".global" | b".const" | b".pragma" | b".alias" => {
                self.semicolon(end)
            }
            _ => None,
        }
    }
}

/// Words that are types.
fn is_type(word: &[u8]) -> bool {
    match word {
        b".pred" | b".f16" | b".f16x2" | b".f32" | b".f32x2" | b".f64" | b".b128" | b".u16x2" | b".s16x2" => true,
        b".texref" | b".samplerref" | b".surfref" => true,
        [b'.', b'b' | b'u' | b's', width @ ..] => matches!(width, b"8" | b"16" | b"32" | b"64"),
        _ => false,
    }
}

/// What a declaration in canonical form, or a parameter, declares.
pub(crate) fn declarations<'a>(
    token: &Token<'a>,
    context: DeclarationContext,
    mut declare: impl FnMut(Declaration<'a>),
) {
    let bytes = Bytes::of(&token.text);
    let parameter = match context {
        DeclarationContext::Statement => None,
        DeclarationContext::Parameters(kind) => Some(kind),
    };
    let start = bytes.linkage(0).unwrap_or_default();
    let space = start..bytes.word(start + 1);
    let register = bytes.slice(space.clone()) == b".reg";
    let mut at = bytes.skipped(space.end);
    let mut alignment = None;
    if let Some(align) = bytes.after(at, b".align") {
        let start = bytes.skipped(align);
        let end = bytes.word(start);
        alignment = Number::integer(&token.text[start..end]).filter(|_| parameter.is_none());
        at = bytes.skipped(end);
    }
    let mut vector = 0..0;
    if let Some(end) = bytes.vector_width(at) {
        vector = at..end;
        at = bytes.skipped(end);
    }
    let ty = at..bytes.word(at + 1);
    at = bytes.skipped(ty.end);
    let mut pointer = 0..0;
    if parameter.is_some()
        && let Some(word) = bytes.behind(at, b".ptr")
    {
        let end = bytes.word(word + 1);
        if bytes.slice(word..end).starts_with(b".") && bytes.slice(word..end) != b".align" {
            pointer = word..end;
        }
        at = bytes.pointer(word).unwrap_or(at);
    }
    while let Some(name) = bytes.name(at) {
        let size = bytes.size(name, &token.text);
        declare(Declaration {
            kind: if register { DeclarationKind::Register } else { DeclarationKind::Variable },
            name: token.part(at..name),
            count: size.count,
            space: token.part(space.clone()),
            second_space: None,
            ty: token.part(ty.clone()),
            vector: token.part(vector.clone()),
            array: size.array,
            elements: size.elements,
            alignment,
            pointer: token.part(pointer.clone()),
            directive: Box::default(),
            parameter,
            broken: false,
        });
        if bytes.at(size.end) != b',' {
            return;
        }
        at = bytes.skipped(size.end + 1);
    }
}

/// What follows a declared name.
struct DeclarationSize {
    /// The `N` of `<N>`.
    count: Option<u64>,
    /// Whether there are dimensions.
    array: bool,
    /// Their product.
    elements: Option<u64>,
    /// The start of the next token.
    end: usize,
}

impl Bytes<'_> {
    /// Reads `<N>` or dimensions after a name.
    fn size(&self, name: usize, text: &str) -> DeclarationSize {
        let mut size = DeclarationSize { count: None, array: false, elements: Some(1), end: self.skipped(name) };
        let number = |at: usize| {
            let start = self.skipped(at + 1);
            let end = self.word(start);
            (Number::integer(&text[start..end]), self.skipped(self.skipped(end) + 1))
        };
        if self.at(size.end) == b'<' {
            (size.count, size.end) = number(size.end);
        }
        while self.at(size.end) == b'[' {
            let (count, end) = number(size.end);
            size.elements = size.elements.zip(count).and_then(|(product, count)| product.checked_mul(count));
            (size.array, size.end) = (true, end);
        }
        size
    }
}
