//! Finds the `asm` statements of a text.

use super::included::{IncludedMacros, MacroSet};
use super::keyword::{is_asm, is_volatile};
use super::lexer::{CppToken, CppTokenKind, Literal, RawLiterals};
use super::macro_literals::MacroLiterals;
use super::preprocessor::{ExecutionSpace, Preprocessor};
use super::{macro_uses, statement_parser};
use crate::inline_asm::source::LiteralSourceCode;
use crate::inline_asm::{ArchGuard, AsmStatement, EmbeddedText, LiteralSource, PartLiteral, TemplatePart};
use std::ops::Range;
use std::sync::Arc;

/// The statements of a text, in the order of their keywords. Those of CUDA C++ in string literals, which programs compile at run time,
/// and PTX modules in literals are among them.
pub fn scan(text: &str) -> Vec<AsmStatement> {
    if !text.contains("asm") && !text.contains(".version") {
        return Vec::new();
    }
    scan_from(text, 0, RawLiterals::MayBeSource, &IncludedMacros::none(text))
}

/// How many statements a text seems to have that is not read, by its words.
pub(crate) fn count_statements(text: &str) -> usize {
    let is_whole = |at: usize| !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '.');
    let follows = |rest: &str| {
        let rest = rest.trim_start_matches('_').trim_start();
        rest.starts_with('(') || rest.starts_with("volatile") || rest.starts_with("__volatile")
    };
    text.match_indices("asm").filter(|(at, word)| is_whole(*at) && follows(&text[at + word.len()..])).count()
}

/// The statements of a text that others include with the given macros. The text is the first `length` bytes of `whole`; the bodies of the
/// macros stand after it.
pub(crate) fn scan_included(whole: &str, length: usize, macros: &[MacroSet]) -> Vec<AsmStatement> {
    let included = IncludedMacros::behind(whole, length, macros);
    scan_from(&whole[..length], 0, RawLiterals::MayBeSource, &included)
}

/// The statements of the C++ that begins at an offset.
fn scan_from<'t>(
    text: &'t str,
    start: usize,
    raw_literals: RawLiterals,
    included: &IncludedMacros<'t>,
) -> Vec<AsmStatement> {
    let mut scanner = Scanner {
        text: Preprocessor::new(text, start),
        raw_literals,
        sources_from: if may_be_source(&text[start..]) { start } else { usize::MAX },
        reread_budget: 4096 + (text.len() - start) / 4,
        macros_named: MacroLiterals::new(text.len()),
        statements: Vec::new(),
    };
    scanner.run();
    let Scanner { mut statements, text, macros_named, .. } = scanner;
    macros_named.settle(&mut statements, |name| text.macros.is_constant(name));
    let place = start..text.lexer.text.len();
    macro_uses::expand(place, &text.macros, included, &mut statements);
    statements
}

/// Whether a text may have source code in its literals.
fn may_be_source(text: &str) -> bool {
    text.contains(".version") || text.contains("asm") && (text.contains("__global__") || text.contains("__device__"))
}

struct Scanner<'t> {
    text: Preprocessor<'t>,
    raw_literals: RawLiterals,
    /// The offset of the first literal that may begin source code.
    sources_from: usize,
    /// The number of tokens that may still be read twice, for statements that share an end.
    reread_budget: usize,
    macros_named: MacroLiterals<'t>,
    statements: Vec<AsmStatement>,
}

impl Scanner<'_> {
    fn run(&mut self) {
        while let Some(token) = self.text.next() {
            match &token.kind {
                CppTokenKind::Word => {}
                CppTokenKind::Text(literal) => {
                    self.literal(literal);
                    self.source(&token, literal);
                    continue;
                }
                _ => continue,
            }
            match self.text.lexer.read(&token.range) {
                word if is_asm(word) || self.text.is_keyword(word) => self.statement(token.range),
                word @ ("NV_IF_TARGET" | "NV_IF_ELSE_TARGET" | "NV_DISPATCH_TARGET") => self.text.call(word),
                _ => {}
            }
        }
    }

    /// The statements in a raw literal.
    fn literal(&mut self, literal: &Literal) {
        let text = self.text.lexer.text;
        if literal.source(text, self.raw_literals) == Some(LiteralSourceCode::Cuda) {
            let Range { start, end } = literal.inner;
            self.statements.extend(scan_from(&text[..end], start, RawLiterals::Text, &IncludedMacros::none(text)));
        }
    }

    /// The source code in adjacent literals, if it is some: a PTX module, or the statements of CUDA C++.
    fn source(&mut self, first: &CppToken, literal: &Literal) {
        if first.range.start < self.sources_from {
            return;
        }
        let mut ahead = self.text.lexer.clone();
        let part = |range: &Range<usize>, literal: Literal| TemplatePart {
            range: range.clone(),
            literal: Some(PartLiteral::from(literal)),
            branches: Vec::new(),
            via: LiteralSource::Written,
        };
        let mut is_raw = literal.raw;
        let mut template = vec![part(&first.range, literal.clone())];
        let next = loop {
            let token = ahead.next();
            match token.kind {
                CppTokenKind::Text(literal) => {
                    is_raw |= literal.raw;
                    template.push(part(&token.range, literal));
                }
                other => break other,
            }
        };
        let range = first.range.start..template.last().map_or(first.range.end, |part| part.range.end);
        self.sources_from = range.end;
        // A macro between literals may be a part of the code.
        let is_closed = template.iter().all(|part| part.literal.as_ref().is_some_and(|literal| literal.closed));
        if !is_closed
            || !may_be_source(ahead.read(&range))
            || !matches!(next, CppTokenKind::Sign(_) | CppTokenKind::End)
        {
            return;
        }
        let text = Arc::new(EmbeddedText::new(self.text.lexer.text, &template));
        match LiteralSourceCode::of(text.text()) {
            Some(LiteralSourceCode::Ptx) => self.statements.push(AsmStatement::module(range, template)),
            // Those of raw literals are read where they are written.
            Some(LiteralSourceCode::Cuda) if !is_raw && self.raw_literals == RawLiterals::MayBeSource => {
                let inner = scan_from(text.text(), 0, RawLiterals::Text, &IncludedMacros::none(text.text()));
                self.statements.extend(text.statements(inner));
            }
            _ => {}
        }
    }

    /// The statement after a keyword, if it is one.
    fn statement(&mut self, keyword: Range<usize>) {
        let mut ahead = self.text.lexer.clone();
        let mut volatile = false;
        loop {
            let token = ahead.next();
            match &token.kind {
                CppTokenKind::Word => match ahead.read(&token.range) {
                    word if is_volatile(word) => volatile = true,
                    "inline" | "__inline__" | "__inline" | "goto" | "const" | "__const__" => {}
                    word => match self.text.macros.certain(word, keyword.start) {
                        Some((body, _)) if is_volatile(body) => volatile = true,
                        Some(("", _)) => {}
                        _ => return,
                    },
                },
                CppTokenKind::Sign(b'(') => break,
                _ => return,
            }
        }
        self.text.lexer = ahead;
        let named = self.text.macros.certain(self.text.lexer.read(&keyword), keyword.start);
        volatile |= named.is_some_and(|(body, _)| body.contains("volatile"));
        let here = self.text.here();
        let side = here.holds();
        let host = side.host && !side.device;
        // In a declaration, it is the name of a function.
        let is_named = self.text.is_in_declaration();
        let for_devices = !host && !is_named && (side.device || self.text.space() == ExecutionSpace::Device);
        let guard = ArchGuard { may: side.may.clone(), must: side.must.clone(), host };
        let unfinished =
            AsmStatement { range: keyword.clone(), keyword, volatile, guard, for_devices, ..AsmStatement::default() };
        let number = self.statements.len();
        let statement = statement_parser::parse(
            unfinished,
            number,
            &mut self.text,
            &mut self.macros_named,
            &mut self.reread_budget,
        );
        self.statements.push(statement);
    }
}
