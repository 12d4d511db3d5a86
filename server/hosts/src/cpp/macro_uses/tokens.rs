//! Tokens of macro bodies and of arguments, each with the ranges that its text is written in.

use crate::cpp::lexer::{CppLexer, CppToken, CppTokenKind};
use crate::inline_asm::{LiteralForm, PartLiteral};
use std::borrow::Cow;
use std::ops::Range;

/// A token of a macro's body, of an argument, or of their expansion.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MacroToken {
    pub kind: MacroTokenKind,
    /// The ranges of its text; those of the text between the quotes for a literal. More than one after `#` and `##`.
    pub pieces: Vec<Range<usize>>,
}

/// The kind of a token.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum MacroTokenKind {
    Word,
    /// A string literal.
    Text(LiteralForm),
    Sign(u8),
    /// A number.
    Number,
    /// Something that is not known in this text.
    Unknown,
}

/// The maximum number of tokens of a body or an invocation.
const LONGEST: usize = 4096;

impl MacroToken {
    pub fn unknown() -> Self {
        MacroToken { kind: MacroTokenKind::Unknown, pieces: Vec::new() }
    }

    pub fn is(&self, sign: u8) -> bool {
        self.kind == MacroTokenKind::Sign(sign)
    }

    /// Its name, if it is a word. One that `##` made is in several pieces.
    pub fn word<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        match (&self.kind, &*self.pieces) {
            (MacroTokenKind::Word, [piece]) => Some(Cow::Borrowed(&text[piece.clone()])),
            (MacroTokenKind::Word, pieces) => Some(pieces.iter().map(|piece| &text[piece.clone()]).collect()),
            _ => None,
        }
    }

    fn new(token: CppToken) -> Self {
        let range = token.range;
        let (kind, piece) = match token.kind {
            CppTokenKind::Word => (MacroTokenKind::Word, range),
            CppTokenKind::Number => (MacroTokenKind::Number, range),
            CppTokenKind::Sign(sign) => (MacroTokenKind::Sign(sign), range),
            CppTokenKind::Text(literal) if literal.narrow && literal.closed => {
                let PartLiteral { inner, form, .. } = literal.into();
                (MacroTokenKind::Text(form), inner)
            }
            CppTokenKind::Text(_) | CppTokenKind::Character | CppTokenKind::Directive | CppTokenKind::End => {
                (MacroTokenKind::Unknown, range)
            }
        };
        MacroToken { kind, pieces: vec![piece] }
    }
}

/// The tokens of a range; `None` if there are too many.
pub(super) fn tokens(text: &str, range: &Range<usize>) -> Option<Vec<MacroToken>> {
    let mut lexer = CppLexer::new(&text[..range.end], range.start);
    // A `#` is no directive here.
    lexer.in_line = true;
    let mut found = Vec::new();
    while found.len() < LONGEST {
        let token = lexer.next();
        match token.kind {
            CppTokenKind::End if lexer.at >= range.end => return Some(found),
            CppTokenKind::End => lexer.at += 1,
            _ => found.push(MacroToken::new(token)),
        }
    }
    None
}

/// The tokens of an invocation from its opening parenthesis to the closing one, and its end.
pub(super) fn invocation(text: &str, open: usize) -> Option<(Vec<MacroToken>, usize)> {
    let mut lexer = CppLexer::new(text, open);
    let (mut found, mut depth) = (Vec::new(), 0usize);
    while found.len() < LONGEST {
        let token = lexer.next();
        match token.kind {
            CppTokenKind::End | CppTokenKind::Directive => return None,
            CppTokenKind::Sign(b'(') => depth += 1,
            CppTokenKind::Sign(b')') => depth = depth.checked_sub(1)?,
            _ => {}
        }
        found.push(MacroToken::new(token));
        if depth == 0 {
            return Some((found, lexer.at));
        }
    }
    None
}

/// The arguments of an invocation whose opening parenthesis is the token at `open`, and the number of the token after it.
pub(super) fn arguments(tokens: &[MacroToken], open: usize) -> Option<(Vec<Vec<MacroToken>>, usize)> {
    let (mut all, mut depth) = (vec![Vec::new()], 0usize);
    for (at, token) in tokens.iter().enumerate().skip(open) {
        match token.kind {
            MacroTokenKind::Sign(b'(') => depth += 1,
            MacroTokenKind::Sign(b')') => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((all, at + 1));
                }
            }
            MacroTokenKind::Sign(b',') if depth == 1 => {
                all.push(Vec::new());
                continue;
            }
            _ => {}
        }
        if at > open {
            all.last_mut()?.push(token.clone());
        }
    }
    None
}
