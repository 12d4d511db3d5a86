//! Comments of C++, for directive comments.

use super::lexer::{CppLexer, CppTokenKind, RawLiterals};
use crate::inline_asm::HostComment;
use std::ops::Range;

/// Whether an offset is outside comments and literals. A line comment includes its end.
pub fn is_code(text: &str, offset: usize) -> bool {
    let mut lexer = CppLexer::new(text, 0);
    let mut from = 0;
    loop {
        let token = lexer.next();
        if offset <= token.range.start {
            let comments = within(&text[from..token.range.start], from);
            return !comments.iter().any(|comment| {
                let is_line = text[comment.clone()].starts_with("//");
                comment.start < offset && (offset < comment.end || is_line && offset == comment.end)
            });
        }
        let is_literal = matches!(token.kind, CppTokenKind::Text(_) | CppTokenKind::Character);
        if offset < token.range.end || token.kind == CppTokenKind::End {
            return !is_literal;
        }
        from = token.range.end;
    }
}

/// The comments of a text that contain a word, those of device code and PTX modules in raw literals included.
pub fn comments(text: &str, word: &str) -> Vec<HostComment> {
    let mut found = Vec::new();
    if text.contains(word) {
        read(CppLexer::new(text, 0), RawLiterals::MayBeSource, word, &mut found);
    }
    found
}

/// Reads the comments up to the end of the lexer's text.
fn read(mut lexer: CppLexer, raw_literals: RawLiterals, word: &str, found: &mut Vec<HostComment>) {
    let (mut from, mut leads) = (lexer.at, true);
    loop {
        let token = lexer.next();
        let gap = &lexer.text[from..token.range.start];
        for range in within(gap, from) {
            if lexer.text[range.clone()].contains(word) {
                found.push(HostComment { range, leads, next: token.range.start });
            }
        }
        leads = false;
        from = token.range.end;
        match token.kind {
            CppTokenKind::End => return,
            CppTokenKind::Text(literal) if literal.source(lexer.text, raw_literals).is_some() => {
                let source = CppLexer::new(&lexer.text[..literal.inner.end], literal.inner.start);
                read(source, RawLiterals::Text, word, found);
            }
            _ => {}
        }
    }
}

/// The comments between two tokens.
fn within(gap: &str, at: usize) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(start) = gap[from..].find('/').map(|start| from + start) {
        let rest = &gap[start..];
        let length = match rest.as_bytes().get(1) {
            Some(b'/') => rest.find('\n').map_or(rest.trim_end().len(), |end| rest[..end].trim_end().len()),
            Some(b'*') => rest.find("*/").map_or(rest.len(), |end| end + 2),
            _ => 1,
        };
        if length > 1 {
            found.push(at + start..at + start + length);
        }
        from = start + length.max(1);
    }
    found
}
