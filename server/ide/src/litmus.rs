//! Litmus tests as a language: the verdict beside the claim, and the outcomes on hover.

use crate::features::*;
use lints::litmus::Litmus;
use litmus::lexer::{LitmusTokenKind, tokens};
use litmus::report::{counterexample_text, decisive_execution_text, reason};
use litmus::result::INTERACTIVE;
use litmus::{Executions, Test, WantedExecutions, answer, executions};
use std::fmt::Write;
use std::ops::Range;

/// The most outcomes that a hover shows.
const MAX_OUTCOMES: usize = 64;

impl HoverProvider for Litmus {
    fn hover(&self, offset: usize) -> Option<Hover> {
        let claim = self.claim()?;
        let word = tokens(&self.text, 0)
            .into_iter()
            .find(|token| token.range.contains(&offset) && token.kind == LitmusTokenKind::Word);
        if let Some(word) = word.filter(|word| word.range.start < claim.range.start) {
            return opcode_hover(word.text, word.range.start, offset);
        }
        if offset < claim.range.start {
            return None;
        }
        let found = answer(&self.test, WantedExecutions::Decisive, INTERACTIVE);
        let mut markdown = format!("**{}**: {}\n\n", found.verdict.word(), reason(claim.quantifier, &found));
        let names: Vec<&str> = self.test.observed.iter().map(|(name, _)| &**name).collect();
        let _ = writeln!(markdown, "| {} | |\n|{}", names.join(" | "), "---|".repeat(names.len() + 1));
        for (outcome, holds) in found.outcomes().take(MAX_OUTCOMES) {
            let cells: Vec<String> = outcome.iter().map(|value| Test::signed(*value).to_string()).collect();
            let _ = writeln!(markdown, "| {} | {} |", cells.join(" | "), if holds { "matches" } else { "" });
        }
        if found.outcomes().len() > MAX_OUTCOMES {
            let _ = writeln!(markdown, "\nand {} more", found.outcomes().len() - MAX_OUTCOMES);
        }
        if !found.complete {
            markdown += "\nSearch limit reached: there may be more outcomes.\n";
        }
        let why = decisive_execution_text(&self.text, &self.test, &found)
            + &counterexample_text(&self.text, &self.test, &found);
        if !why.is_empty() {
            let _ = write!(markdown, "\n```text\n{}\n```\n", why.trim_end());
        }
        Some(Hover::new(claim.range.clone(), markdown))
    }
}

impl CompletionProvider for Litmus {
    fn complete_statement(&self, offset: usize) -> Vec<StatementCompletion> {
        let offset = offset.min(self.text.len());
        let Some(before) = self.text.get(..offset) else { return Vec::new() };
        let part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '.' | '%' | '~');
        let start = before.trim_end_matches(part).len();
        let typed = &before[start..];
        let offer = |label: &str, kind, detail: &str| StatementCompletion {
            label: label.to_owned(),
            kind,
            range: start..offset,
            text: label.to_owned(),
            snippet: false,
            detail: detail.to_owned(),
            documentation: String::new(),
            access: None,
            fits: true,
            is_truncated: false,
        };
        let cell = before[..start].trim_end().ends_with(['|', ';', ':']) || before[..start].trim_end().is_empty();
        let mut all = Vec::new();
        if cell {
            all.extend(
                OPCODES.iter().map(|(opcode, about)| offer(opcode, StatementCompletionKind::Instruction, about)),
            );
        } else {
            for location in &self.test.program.locations {
                all.push(offer(&location.name, StatementCompletionKind::Variable, "location"));
            }
            let mut registers: Vec<&str> =
                self.test.program.threads.iter().flat_map(|thread| &thread.registers).map(|r| &*r.name).collect();
            registers.sort_unstable();
            registers.dedup();
            all.extend(registers.into_iter().map(|name| offer(name, StatementCompletionKind::Register, "register")));
        }
        all.retain(|offer| offer.label.starts_with(typed));
        all
    }
}

impl SemanticTokensProvider for Litmus {
    fn semantic_tokens(&self, within: Option<Range<usize>>) -> Vec<SemanticToken> {
        let within = within.unwrap_or(0..self.text.len());
        let mut all = Vec::new();
        let mut push = |range: Range<usize>, kind| {
            if range.end >= within.start && range.start <= within.end {
                all.push(SemanticToken { range, kind, modifiers: 0 });
            }
        };
        for token in tokens(&self.text, 0) {
            match token.kind {
                LitmusTokenKind::Number => push(token.range, TokenKind::Number),
                LitmusTokenKind::Quoted => push(token.range, TokenKind::String),
                LitmusTokenKind::Sign => {}
                LitmusTokenKind::Word => word(token.text, token.range.start, &mut push),
            }
        }
        all
    }
}

impl InlayHintProvider for Litmus {
    fn inlay_hints(&self, within: Range<usize>, _options: &HintOptions) -> Vec<InlayHint> {
        let Some(claim) = self.claim() else { return Vec::new() };
        if claim.range.end < within.start || claim.range.start > within.end {
            return Vec::new();
        }
        let found = answer(&self.test, WantedExecutions::Nothing, INTERACTIVE);
        let listed = found.outcomes().take(MAX_OUTCOMES).map(|(outcome, _)| self.test.outcome_text(outcome));
        let tooltip = listed.collect::<Vec<_>>().join("\n\n");
        let label = format!(" {} · {} outcomes", found.verdict.word(), found.outcomes().len());
        vec![InlayHint { at: claim.range.end, label, tooltip, insert: None }]
    }
}

impl EvaluationProvider for Litmus {
    fn executions(&self, _offset: usize, cancelled: &dyn Fn() -> bool) -> Option<Executions> {
        self.claim().and_then(|_| executions(&self.text, &self.test, cancelled))
    }
}

impl DocumentSymbolProvider for Litmus {
    /// The test, with its threads and its claim.
    fn document_symbols(&self) -> Vec<DocumentSymbol> {
        let symbol = |name: &str, detail: &str, kind, range: Range<usize>| {
            DocumentSymbol::new(name, detail.to_owned(), kind, range.clone(), range)
        };
        let Some(head) = tokens(&self.text, 0).into_iter().next() else { return Vec::new() };
        let mut children = Vec::new();
        for (number, thread) in self.test.program.threads.iter().enumerate() {
            let instructions = self.test.places.iter().filter(|(of, ..)| *of == number);
            let Some(first) = instructions.map(|(.., range)| range).min_by_key(|range| range.start) else { continue };
            let place = format!("cta {}, gpu {}", thread.place.cta, thread.place.gpu);
            children.push(symbol(&thread.name, &place, SymbolKind::Function, first.clone()));
        }
        if let Some(claim) = &self.test.claim {
            let rest = self.text[claim.range.end..].lines().next().unwrap_or_default().trim();
            let name = &self.text[claim.range.clone()];
            children.push(symbol(name, rest, SymbolKind::Label, claim.range.clone()));
        }
        let name = if self.test.name.is_empty() { "litmus test" } else { &self.test.name };
        let test = symbol(name, "litmus test", SymbolKind::Kernel, head.range);
        vec![DocumentSymbol { range: 0..self.text.len(), children, ..test }]
    }
}

// Features that litmus tests do not have.
impl SignatureHelpProvider for Litmus {}
impl NavigationProvider for Litmus {}
impl RenameProvider for Litmus {}
impl KernelRunProvider for Litmus {}
impl KernelCheckProvider for Litmus {}
impl CallHierarchyProvider for Litmus {}
impl SuppressionProvider for Litmus {}
impl CodeActionProvider for Litmus {}
impl FormattingProvider for Litmus {}
impl EditedStatementProvider for Litmus {}
impl FoldingRangeProvider for Litmus {}
impl SelectionRangeProvider for Litmus {}
impl DocumentLinkProvider for Litmus {}
impl SourceLineProvider for Litmus {}

/// The semantic tokens of a word. An opcode has one for each part.
fn word(text: &str, start: usize, push: &mut dyn FnMut(Range<usize>, TokenKind)) {
    let kind = match text {
        "PTX" | "ptx" | "exists" | "forall" | "filter" | "locations" | "cta" | "gpu" | "cluster" | "aliases" => {
            TokenKind::Directive
        }
        _ if text.starts_with("LC") => TokenKind::Label,
        _ if text.starts_with(['r', '%']) && text[1..].chars().all(|c| c.is_ascii_digit()) => TokenKind::Register,
        _ if text.contains('.') || OPCODES.iter().any(|(opcode, _)| opcode.split('.').next() == Some(text)) => {
            let mut at = start;
            for (number, part) in text.split('.').enumerate() {
                let kind = if number == 0 { TokenKind::Mnemonic } else { TokenKind::Modifier };
                if !part.is_empty() {
                    push(at..at + part.len(), kind);
                }
                at += part.len() + 1;
            }
            return;
        }
        _ => TokenKind::Variable,
    };
    push(start..start + text.len(), kind);
}

/// The hover on the part of an opcode at the cursor.
fn opcode_hover(text: &str, start: usize, offset: usize) -> Option<Hover> {
    let mnemonic = text.split('.').next()?;
    let mut at = start;
    for (number, part) in text.split('.').enumerate() {
        let range = at..at + part.len();
        at += part.len() + 1;
        if !(range.start..=range.end).contains(&offset) {
            continue;
        }
        let markdown = if number == 0 { isa::doc::mnemonic(part) } else { isa::doc::modifier(mnemonic, part) };
        return markdown.map(|markdown| Hover::new(range, markdown));
    }
    None
}

const OPCODES: &[(&str, &str)] = &[
    ("ld.weak", "weak load"),
    ("ld.relaxed.gpu", "relaxed load"),
    ("ld.acquire.gpu", "acquire load"),
    ("st.weak", "weak store"),
    ("st.relaxed.gpu", "relaxed store"),
    ("st.release.gpu", "release store"),
    ("atom.relaxed.gpu.add", "atomic addition"),
    ("atom.relaxed.gpu.exch", "atomic exchange"),
    ("atom.relaxed.gpu.cas", "atomic compare-and-swap"),
    ("red.relaxed.gpu.add", "reduction"),
    ("fence.acq_rel.gpu", "acquire-release fence"),
    ("fence.sc.gpu", "sequentially consistent fence"),
    ("fence.proxy.alias", "alias proxy fence"),
    ("fence.proxy.surface", "surface proxy fence"),
    ("bar.cta.sync", "CTA barrier: arrive and wait"),
    ("bar.cta.arrive", "CTA barrier: arrive without waiting"),
    ("add", "addition"),
    ("sub", "subtraction"),
    ("beq", "branch if equal"),
    ("bne", "branch if not equal"),
    ("goto", "branch"),
];
