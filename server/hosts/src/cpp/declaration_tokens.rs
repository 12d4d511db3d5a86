//! The tokens of declarations: those outside of directives, with groups in brackets.

use super::lexer::{CppLexer, CppToken, CppTokenKind};

/// Reads the tokens outside of directives in order.
pub(super) struct DeclarationTokens<'t> {
    pub lexer: CppLexer<'t>,
}

impl<'t> DeclarationTokens<'t> {
    pub fn of(text: &'t str) -> Self {
        DeclarationTokens { lexer: CppLexer::new(text, 0) }
    }

    pub fn next(&mut self) -> CppToken {
        loop {
            let token = self.lexer.next();
            if token.kind != CppTokenKind::Directive {
                return token;
            }
            self.lexer.in_line = true;
            while self.lexer.next().kind != CppTokenKind::End {}
            self.lexer.in_line = false;
        }
    }

    /// The word of a token, if it is one.
    pub fn word(&self, token: &CppToken) -> Option<&'t str> {
        (token.kind == CppTokenKind::Word).then(|| self.lexer.read(&token.range))
    }

    /// The tokens between commas, up to the bracket that closes a group.
    pub fn group(&mut self) -> Vec<Vec<CppToken>> {
        let (mut parts, mut part, mut depth) = (Vec::new(), Vec::new(), 1);
        loop {
            let token = self.next();
            depth += match token.kind {
                CppTokenKind::Sign(b'(' | b'[' | b'{' | b'<') => 1,
                CppTokenKind::Sign(b')' | b']' | b'}' | b'>') => -1,
                _ => 0,
            };
            if depth == 0 || token.kind == CppTokenKind::End {
                parts.push(part);
                return parts;
            }
            if depth == 1 && token.is(b',') {
                parts.push(std::mem::take(&mut part));
            } else {
                part.push(token);
            }
        }
    }
}
