//! The heads of a module's functions and variables: linkage, parameters, directives, dimensions. Read from tokens, the same for scanned and parsed items.

mod reader;

use crate::fast_scanner::ScannedElement;
use crate::item_head::reader::HeadReader;
use crate::lexer::{Dots, Lexer, TokenKind, WORD, is};
use crate::node_kinds::{FIELDS, KINDS};
use crate::reader::{RopeReader, Token};
use crate::walk::Item;
use std::ops::Range;

/// The directive of a prototype.
const PROTOTYPE: &str = ".callprototype";

/// From this offset in a declaration on, only the beginning of a list of values is read, in bytes. Variables with megabytes of data are common.
const MAX_VALUES: usize = 16 << 10;

/// The maximum length of the first word of an item that is read, in bytes.
const MAX_WORD: usize = 24;

/// The head of an item: its tokens up to the body of a function, or those of a variable with the beginning of its value.
#[derive(Clone, Debug)]
pub struct ItemHead<'a> {
    text: Token<'a>,
    tokens: Vec<(TokenKind, Range<usize>)>,
    /// Where the rest of a long list of values was left out: the index of the next token.
    cuts: Vec<usize>,
    body: FunctionBody,
}

/// Whether a function has a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FunctionBody {
    /// It ends with a `;`.
    Declared,
    /// It has a body.
    Defined,
}

/// The head of a function.
#[derive(Clone, Debug)]
pub struct FunctionHead<'a> {
    /// `.visible`, `.extern` or `.weak`; empty without one.
    pub linkage: Token<'a>,
    /// `.entry`, `.func`, or `.callprototype` of a prototype
    pub kind: Token<'a>,
    /// The name; `_` of a prototype.
    pub name: Token<'a>,
    /// The parameters before the name, which return values.
    pub returns: Vec<DeclaredParameter<'a>>,
    /// The parameters after the name.
    pub parameters: Vec<DeclaredParameter<'a>>,
    /// The directives after the parameters.
    pub directives: Vec<HeadDirective<'a>>,
    /// Whether it has a body.
    pub body: FunctionBody,
}

/// A parameter of a function.
#[derive(Clone, Debug)]
pub struct DeclaredParameter<'a> {
    /// The storage and type.
    pub storage: DeclaredType<'a>,
    /// `.ptr`, if there is one.
    pub pointer: Option<PointerAttribute<'a>>,
    /// The name and dimensions.
    pub declarator: Declarator<'a>,
}

/// The `.ptr` of a parameter.
#[derive(Clone, Debug)]
pub struct PointerAttribute<'a> {
    /// The word.
    pub word: Token<'a>,
    /// The number of its `.align`.
    pub alignment: Option<Token<'a>>,
}

/// The state space, alignment and type of a parameter or variable.
#[derive(Clone, Debug)]
pub struct DeclaredType<'a> {
    /// The state space; empty without one.
    pub space: Token<'a>,
    /// A second state space.
    pub second_space: Option<Token<'a>>,
    /// The number of the last `.align`.
    pub alignment: Option<Token<'a>>,
    /// An `.align` after the type, without `.ptr`. Only parameters of kernels may have one.
    pub late_align: Option<Token<'a>>,
    /// `.v2` or `.v4`; empty for scalars.
    pub vector: Token<'a>,
    /// The type.
    pub ty: Token<'a>,
}

impl DeclaredType<'_> {
    /// The number of elements of a vector; `None` for scalars.
    pub fn lanes(&self) -> Option<u64> {
        self.vector.text.strip_prefix(".v")?.parse().ok()
    }
}

/// A declared name.
#[derive(Clone, Debug)]
pub struct Declarator<'a> {
    /// The name; a range `%r<10>` without its brackets.
    pub name: Token<'a>,
    /// Whether it is a range of names.
    pub is_range: bool,
    /// The dimensions of an array; 0 for `[]`, which the assembler treats like `[0]`.
    pub dimensions: Vec<u64>,
    /// The start of the initial value.
    pub value: Option<usize>,
}

/// A function or a prototype up to its parameters.
pub(crate) struct FunctionSignature<'a> {
    /// `.visible`, `.extern` or `.weak`; empty without one.
    linkage: Token<'a>,
    /// `.entry`, `.func` or `.callprototype`
    pub kind: Token<'a>,
    /// The parameters before the name, which return values.
    pub returns: Vec<DeclaredParameter<'a>>,
    /// The name; `_` of a prototype.
    name: Token<'a>,
    /// The parameters after the name.
    pub parameters: Vec<DeclaredParameter<'a>>,
}

impl<'a> FunctionSignature<'a> {
    /// Reads the signature that a text begins with; `None` if it is something else, or not well formed.
    pub(crate) fn read(text: Token<'a>) -> Option<Self> {
        ItemHead::new(text, FunctionBody::Declared).reader().signature()
    }
}

/// A directive after the parameters of a function.
#[derive(Clone, Debug)]
pub struct HeadDirective<'a> {
    /// The directive with its dot.
    pub word: Token<'a>,
    /// Its numbers.
    pub values: Vec<Token<'a>>,
}

/// The declaration of variables.
#[derive(Clone, Debug)]
pub struct VariableHead<'a> {
    /// `.visible`, `.extern`, `.weak` or `.common`; empty without one.
    pub linkage: Token<'a>,
    /// The storage and type.
    pub storage: DeclaredType<'a>,
    /// The names.
    pub declarators: Vec<Declarator<'a>>,
}

impl<'a> Item<'a> {
    /// The word with a dot that it begins with; empty if it begins with something else.
    pub fn directive(&self) -> Token<'a> {
        let Range { start, end } = self.range();
        let text = RopeReader::new(self.file().text()).read(start..self.file().clamp(end.min(start + MAX_WORD)));
        let word = text.text.bytes().skip(1).take_while(|byte| is(*byte, WORD)).count();
        let length = if text.text.starts_with('.') { 1 + word } else { 0 };
        text.part(0..length)
    }

    /// The head of a function, or a declaration of variables; `None` for another item, and where it has a syntax error.
    pub fn head(&self) -> Option<ItemHead<'a>> {
        let Range { start, end } = self.range();
        let (head_end, body) = match self.node() {
            Some(node) if node.kind_id() == KINDS.function => {
                let body = node.child_by_field_id(FIELDS.body.get());
                let has_error = node.children(&mut node.walk()).any(|child| Some(child) != body && child.has_error());
                let is_block = body.is_some_and(|body| body.kind_id() == KINDS.block);
                let kind = if is_block { FunctionBody::Defined } else { FunctionBody::Declared };
                (Some(body.map_or(end, |body| body.start_byte())).filter(|_| !has_error)?, kind)
            }
            Some(node) => {
                let declares = [KINDS.variable_declaration, KINDS.register_declaration].contains(&node.kind_id());
                (Some(end).filter(|_| declares && !node.has_error())?, FunctionBody::Declared)
            }
            None => {
                let elements = self.file().scanned_in(start..end);
                let body = elements.iter().find_map(|element| match element {
                    ScannedElement::Open(at) => Some((*at as usize, FunctionBody::Defined)),
                    ScannedElement::End(at) => Some((*at as usize, FunctionBody::Declared)),
                    _ => None,
                });
                // A section declares nothing.
                body.or_else(|| elements.first().map(|_| (end, FunctionBody::Declared)))?
            }
        };
        Some(ItemHead::new(RopeReader::new(self.file().text()).read(start..head_end), body))
    }
}

impl<'a> FunctionHead<'a> {
    /// The prototype of a text that begins with `.callprototype`; `None` if it begins with something else, or is not well formed.
    pub fn prototype(text: Token<'a>) -> Option<Self> {
        ItemHead::new(text, FunctionBody::Declared).function_or_prototype().filter(|head| head.kind.text == PROTOTYPE)
    }
}

impl<'a> ItemHead<'a> {
    /// A declaration of variables in a function, with its `;`.
    pub fn declaration(text: Token<'a>) -> Self {
        ItemHead::new(text, FunctionBody::Declared)
    }

    fn new(text: Token<'a>, body: FunctionBody) -> Self {
        let (tokens, cuts) = head_tokens(&text.text);
        ItemHead { text, tokens, cuts, body }
    }

    /// The first cut at or after a token.
    fn cut_after(&self, token: usize) -> Option<usize> {
        self.cuts.get(self.cuts.partition_point(|cut| *cut < token)).copied()
    }

    /// The words with dots, in order.
    pub fn words(&self) -> impl Iterator<Item = Token<'a>> {
        self.tokens
            .iter()
            .filter(|(kind, _)| *kind == TokenKind::Dotted)
            .map(|(_, range)| self.text.part(range.clone()))
    }

    /// The head of a function; `None` if it is something else, or not well formed.
    pub fn function(&self) -> Option<FunctionHead<'a>> {
        self.function_or_prototype().filter(|head| head.kind.text != PROTOTYPE)
    }

    fn function_or_prototype(&self) -> Option<FunctionHead<'a>> {
        let mut reader = self.reader();
        let FunctionSignature { linkage, kind, returns, name, parameters } = reader.signature()?;
        let mut directives = Vec::new();
        while let Some(word) = reader.take(|kind, _| kind == TokenKind::Dotted) {
            let mut values = Vec::new();
            while let Some(value) = reader.take(|kind, text| reader::is_number(kind, text) || kind == TokenKind::String)
            {
                values.push(value);
                reader.take(|_, text| text == ",");
            }
            reader.take(|_, text| text == ";");
            directives.push(HeadDirective { word, values });
        }
        Some(FunctionHead { linkage, kind, name, returns, parameters, directives, body: self.body })
    }

    /// The declaration of variables; `None` if it is something else, or not well formed.
    pub fn variable(&self) -> Option<VariableHead<'a>> {
        let mut reader = self.reader();
        let linkage = reader.word_of(&[".visible", ".extern", ".weak", ".common"]);
        let (storage, _) = reader.storage()?;
        let mut declarators = Vec::new();
        loop {
            let mut declarator = reader.declarator()?;
            if reader.take(|_, text| text == "=").is_some() {
                declarator.value = Some(reader.offset());
                reader.skip_value();
            }
            declarators.push(declarator);
            if reader.take(|_, text| text == ",").is_none() {
                return Some(VariableHead { linkage, storage, declarators });
            }
        }
    }

    /// The tokens from an offset on: of the value that begins there. A long value ends early.
    pub fn tokens_from(&self, offset: usize) -> impl Iterator<Item = Token<'a>> {
        let first = self.tokens.partition_point(|(_, range)| self.text.range.start + range.start < offset);
        let end = self.cut_after(first + 1).unwrap_or(self.tokens.len());
        self.tokens[first..end].iter().map(|(_, range)| self.text.part(range.clone()))
    }

    /// The text of a byte range in it.
    pub fn slice(&self, range: Range<usize>) -> Token<'a> {
        let start = self.text.range.start;
        self.text.part(range.start - start..range.end - start)
    }

    fn reader(&self) -> HeadReader<'_, 'a> {
        HeadReader::new(self)
    }
}

/// The tokens of a head without the rest of long lists of values, and the indices of the tokens after those.
fn head_tokens(text: &str) -> (Vec<(TokenKind, Range<usize>)>, Vec<usize>) {
    let (mut tokens, mut cuts) = (Vec::new(), Vec::new());
    let mut lexer = Lexer::new(text, Dots::Numbers);
    let mut depth = 0usize;
    while let Some((kind, range)) = lexer.next() {
        let is_sign = kind == TokenKind::Sign;
        match text.as_bytes()[range.start] {
            b'{' if is_sign => depth += 1,
            b'}' if is_sign => depth = depth.saturating_sub(1),
            _ => {}
        }
        let is_far = depth > 0 && range.start > MAX_VALUES;
        if !matches!(kind, TokenKind::Comment | TokenKind::LineMarker) {
            tokens.push((kind, range));
        }
        if is_far {
            lexer.skip_braces(std::mem::take(&mut depth));
            cuts.push(tokens.len());
        }
    }
    (tokens, cuts)
}
