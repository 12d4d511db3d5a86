//! Reads the parts of a head from its tokens.

use crate::item_head::{
    Declarator, DeclaredParameter, DeclaredType, FunctionSignature, ItemHead, PROTOTYPE, PointerAttribute,
};
use crate::lexer::{Number, TokenKind};
use crate::reader::Token;

/// The value of `WARP_SZ`: the number of threads in a warp.
const WARP_SIZE: u64 = 32;

/// Whether a token is a number.
pub(super) fn is_number(kind: TokenKind, text: &str) -> bool {
    matches!(kind, TokenKind::Number(_)) || text == "WARP_SZ"
}

/// Reads the tokens of a head, from the first on.
pub(super) struct HeadReader<'h, 'a> {
    head: &'h ItemHead<'a>,
    at: usize,
}

impl<'h, 'a> HeadReader<'h, 'a> {
    pub(super) fn new(head: &'h ItemHead<'a>) -> Self {
        HeadReader { head, at: 0 }
    }

    /// The next token, if it is as expected.
    pub(super) fn take(&mut self, expected: impl Fn(TokenKind, &str) -> bool) -> Option<Token<'a>> {
        let (kind, range) = self.head.tokens.get(self.at)?;
        if !expected(*kind, &self.head.text.text[range.clone()]) {
            return None;
        }
        self.at += 1;
        Some(self.head.text.part(range.clone()))
    }

    fn take_any(&mut self, words: &[&str]) -> Option<Token<'a>> {
        self.take(|_, text| words.contains(&text))
    }

    /// One of some words, or an empty token.
    pub(super) fn word_of(&mut self, words: &[&str]) -> Token<'a> {
        self.take_any(words).unwrap_or_else(|| self.nothing())
    }

    fn nothing(&self) -> Token<'a> {
        let at = self.offset() - self.head.text.range.start;
        self.head.text.part(at..at)
    }

    /// The start of the next token, or the end of the text.
    pub(super) fn offset(&self) -> usize {
        let text = &self.head.text;
        self.head.tokens.get(self.at).map_or(text.range.end, |(_, range)| text.range.start + range.start)
    }

    fn name(&mut self) -> Option<Token<'a>> {
        self.take(|kind, _| kind == TokenKind::Word)
    }

    /// Skips an optional `.attribute(…)`.
    fn attribute(&mut self) -> Option<()> {
        if self.take_any(&[".attribute"]).is_some() {
            self.take(|_, text| text == "(")?;
            let mut depth = 1;
            while depth > 0 {
                match &*self.take(|_, _| true)?.text {
                    "(" => depth += 1,
                    ")" => depth -= 1,
                    _ => {}
                }
            }
        }
        Some(())
    }

    pub(super) fn signature(&mut self) -> Option<FunctionSignature<'a>> {
        let linkage = self.word_of(&[".visible", ".extern", ".weak"]);
        let kind = self.take_any(&[".entry", ".func", PROTOTYPE])?;
        self.attribute()?;
        let returns = if kind.text == ".entry" { Vec::new() } else { self.parameters()? };
        let name = self.name()?;
        Some(FunctionSignature { linkage, kind, returns, name, parameters: self.parameters()? })
    }

    fn parameters(&mut self) -> Option<Vec<DeclaredParameter<'a>>> {
        let mut found = Vec::new();
        if self.take(|_, text| text == "(").is_none() {
            return Some(found);
        }
        while self.take(|_, text| text == ")").is_none() {
            let (storage, pointer) = self.storage()?;
            found.push(DeclaredParameter { storage, pointer, declarator: self.declarator()? });
            self.take(|_, text| text == ",");
        }
        Some(found)
    }

    /// State space, alignment, type and `.ptr`.
    pub(super) fn storage(&mut self) -> Option<(DeclaredType<'a>, Option<PointerAttribute<'a>>)> {
        let nothing = self.nothing();
        let (space, vector) = (nothing.clone(), nothing.clone());
        let mut storage =
            DeclaredType { space, second_space: None, alignment: None, late_align: None, vector, ty: nothing };
        let mut pointer: Option<PointerAttribute> = None;
        while let Some(word) = self.take(|kind, _| kind == TokenKind::Dotted) {
            match &*word.text {
                ".align" => {
                    let number = Some(self.take(is_number)?);
                    match &mut pointer {
                        Some(pointer) => pointer.alignment = number,
                        None => {
                            storage.alignment = number;
                            storage.late_align = (!storage.ty.text.is_empty()).then_some(word);
                        }
                    }
                }
                ".attribute" => {
                    self.at -= 1;
                    self.attribute()?;
                }
                ".ptr" => pointer = Some(PointerAttribute { word, alignment: None }),
                ".v2" | ".v4" => storage.vector = word,
                ".entry" | ".func" => return None,
                ".reg" | ".param" | ".global" | ".const" | ".shared" | ".local" | ".tex" => {
                    self.bank()?;
                    if pointer.is_none() && storage.space.text.is_empty() {
                        storage.space = word;
                    } else if pointer.is_none() {
                        storage.second_space = Some(word);
                    }
                }
                _ if pointer.is_none() => storage.ty = word,
                _ => {}
            }
        }
        (!storage.ty.text.is_empty()).then_some((storage, pointer))
    }

    /// Skips the optional number of a bank of constant memory, as in `.const[2]`.
    fn bank(&mut self) -> Option<()> {
        if self.take(|_, text| text == "[").is_some() {
            self.take(is_number)?;
            self.take(|_, text| text == "]")?;
        }
        Some(())
    }

    /// A name with `<N>` or dimensions.
    pub(super) fn declarator(&mut self) -> Option<Declarator<'a>> {
        let name = self.name()?;
        let mut declarator = Declarator { name, is_range: false, dimensions: Vec::new(), value: None };
        if self.take(|_, text| text == "<").is_some() {
            declarator.is_range = true;
            self.take(is_number)?;
            self.take(|_, text| text == ">")?;
        }
        while self.take(|_, text| text == "[").is_some() {
            let size = self.take(is_number);
            declarator.dimensions.push(match size.as_ref().map(|size| &*size.text) {
                None => 0,
                Some("WARP_SZ") => WARP_SIZE,
                Some(number) => Number::integer(number)?,
            });
            self.take(|_, text| text == "]")?;
        }
        Some(declarator)
    }

    /// Skips a value up to the `,` or `;` after it.
    pub(super) fn skip_value(&mut self) {
        let mut depth = 0usize;
        let cut = self.head.cut_after(self.at + 1);
        while let Some(token) = self.take(|_, text| depth > 0 || !matches!(text, "," | ";")) {
            match &*token.text {
                "{" | "(" => depth += 1,
                "}" | ")" => depth = depth.saturating_sub(1),
                _ => {}
            }
            // The brackets that are still open end in the text that was left out.
            if cut == Some(self.at) {
                depth = 0;
            }
        }
    }
}
