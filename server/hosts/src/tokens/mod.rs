//! Languages whose statements are found by tokens: LLVM IR, MLIR, Rust, Julia and Mojo.

mod mlir;
mod named;
mod reader;
mod rust;
mod statements;
#[cfg(test)]
mod tests;

use crate::inline_asm::source::LiteralSourceCode;
use crate::inline_asm::{
    AsmStatement, EmbeddedText, HostComment, LiteralEscapes, LiteralSource, PartLiteral, TemplatePart,
};
use reader::{HostToken, HostTokenKind, HostTokenReader};
use std::ops::Range;

/// How a language is written.
#[derive(Debug)]
pub(crate) struct HostSyntax {
    pub line_comment: &'static str,
    pub escapes: LiteralEscapes,
    /// The words that begin statements.
    keywords: &'static [&'static str],
    /// Reads a statement after its keyword.
    statement: HostStatementParser,
    /// Reads a statement after its keyword in quotes.
    quoted: Option<HostStatementParser>,
}

type HostStatementParser = fn(&mut HostTokenReader, HostToken) -> Option<AsmStatement>;

pub(crate) static LLVM_IR: HostSyntax = HostSyntax {
    line_comment: ";",
    escapes: LiteralEscapes::Llvm,
    keywords: &["asm"],
    statement: statements::llvm_ir,
    quoted: None,
};

pub(crate) static MLIR: HostSyntax = HostSyntax {
    line_comment: "//",
    escapes: LiteralEscapes::Llvm,
    keywords: &["llvm.inline_asm", "nvvm.inline_ptx"],
    statement: mlir::pretty,
    quoted: Some(mlir::generic),
};

pub(crate) static RUST: HostSyntax = HostSyntax {
    line_comment: "//",
    escapes: LiteralEscapes::Rust,
    keywords: &["asm", "ptx_asm"],
    statement: rust::rust,
    quoted: None,
};

pub(crate) static JULIA: HostSyntax = HostSyntax {
    line_comment: "#",
    escapes: LiteralEscapes::Julia,
    keywords: &["asmcall"],
    statement: statements::julia,
    quoted: None,
};

pub(crate) static MOJO: HostSyntax = HostSyntax {
    line_comment: "#",
    escapes: LiteralEscapes::None,
    keywords: &["inlined_assembly"],
    statement: statements::mojo,
    quoted: None,
};

impl HostSyntax {
    /// Whether its literals are those of Python.
    fn is_python(&self) -> bool {
        self.escapes == LiteralEscapes::None
    }

    /// The statements of a text, in order.
    pub fn scan(&'static self, text: &str) -> Vec<AsmStatement> {
        let mut found = Vec::new();
        let has_modules = text.contains(".version") && text.contains(".target");
        if !has_modules && !self.keywords.iter().any(|keyword| text.contains(keyword)) {
            return found;
        }
        let mut reader = HostTokenReader::new(text, self);
        if self.is_python() {
            reader.named = named::named_literals(text, self).into();
        }
        loop {
            let token = reader.next();
            match token.kind {
                HostTokenKind::End => return found,
                HostTokenKind::Word if self.keywords.contains(&reader.read(&token)) => {
                    let mut ahead = reader.clone();
                    if let Some(statement) = (self.statement)(&mut ahead, token) {
                        reader = ahead;
                        found.push(statement);
                    }
                }
                HostTokenKind::Text(ref literal)
                    if self.quoted.is_some() && self.keywords.contains(&&text[literal.inner.clone()]) =>
                {
                    let keyword = HostToken { kind: HostTokenKind::Word, range: literal.inner.clone() };
                    let mut ahead = reader.clone();
                    if let Some(statement) = self.quoted.and_then(|read| read(&mut ahead, keyword)) {
                        reader = ahead;
                        found.push(statement);
                    }
                }
                HostTokenKind::Text(literal) if has_modules => found.extend(module(text, &token.range, literal)),
                _ => {}
            }
        }
    }

    /// The comments of a text that contain a word.
    pub fn comments(&'static self, text: &str, word: &str) -> Vec<HostComment> {
        let mut found: Vec<HostComment> = Vec::new();
        if !text.contains(word) {
            return found;
        }
        let statements = self.scan(text);
        let mut reader = HostTokenReader::new(text, self);
        let mut leads = true;
        loop {
            let token = reader.next();
            let next = first_statement(text, &statements, token.range.start);
            for range in std::mem::take(&mut reader.comments) {
                if text[range.clone()].contains(word) {
                    found.push(HostComment { range, leads, next });
                }
            }
            leads = false;
            if token.kind == HostTokenKind::End {
                return found;
            }
        }
    }

    /// Whether an offset is outside comments and literals. A comment includes its end.
    pub fn is_code(&'static self, text: &str, offset: usize) -> bool {
        let mut reader = HostTokenReader::new(text, self);
        loop {
            let token = reader.next();
            if reader.comments.iter().any(|comment| comment.start < offset && offset <= comment.end) {
                return false;
            }
            if offset <= token.range.start || token.kind == HostTokenKind::End {
                return true;
            }
            if offset < token.range.end {
                return !matches!(token.kind, HostTokenKind::Text(_));
            }
        }
    }
}

/// The start of the first statement in the line at an offset, or the offset.
fn first_statement(text: &str, statements: &[AsmStatement], at: usize) -> usize {
    let end = text[at..].find('\n').map_or(text.len(), |length| at + length);
    let next = statements.partition_point(|statement| statement.range.start < at);
    statements.get(next).map(|statement| statement.range.start).filter(|start| *start <= end).unwrap_or(at)
}

/// A part of a template.
fn part(range: &Range<usize>, literal: Option<PartLiteral>) -> TemplatePart {
    TemplatePart { range: range.clone(), literal, branches: Vec::new(), via: LiteralSource::Written }
}

/// The PTX module in a literal, if it is one.
fn module(text: &str, range: &Range<usize>, literal: PartLiteral) -> Option<AsmStatement> {
    let parts = vec![part(range, Some(literal))];
    let is_module = LiteralSourceCode::of(EmbeddedText::new(text, &parts).text()) == Some(LiteralSourceCode::Ptx);
    is_module.then(|| AsmStatement::module(range.clone(), parts))
}
