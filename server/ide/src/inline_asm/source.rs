//! The features of texts with inline assembly.

use super::fragments::{ask, ask_all, ask_each, ask_typed, complete, hints};
use crate::OpcodeCompletion;
use crate::features::*;
use crate::inline_asm::{constraints, operands, statement_hover};
use diagnostics::{Edit, Snapshot};
use hosts::inline_asm::AsmFragment;
use lints::inline_asm::{HostSource, translate};
use std::ops::Range;

const NOTHING_TO_RENAME: &str = "nothing to rename here";

impl HoverProvider for HostSource {
    fn hover(&self, offset: usize) -> Option<Hover> {
        let constraint = constraints::hover(&self.text, offset);
        let inner = constraint.or_else(|| {
            ask(self, offset, |embedded, snapshot, at| {
                let hover = operands::with_operand(embedded, snapshot.hover(at)?);
                Some(Hover { range: to_host_at(embedded, &hover.range, offset)?, ..hover })
            })
        });
        inner.or_else(|| {
            let embedded = self.text.within(offset..offset).next()?;
            let keyword = &embedded.statement.keyword;
            (keyword.start <= offset && offset <= keyword.end)
                .then(|| statement_hover::hover(&embedded, &self.settings, self.text.language()))
        })
    }
}

impl CompletionProvider for HostSource {
    fn complete(&self, offset: usize) -> Vec<OpcodeCompletion> {
        let complete_opcode = |_: &AsmFragment, snapshot: &Snapshot, at| snapshot.complete(at);
        complete(self, offset, complete_opcode, |fragment, completion| {
            let (range, text) = fragment.template.completion(&completion.range, &completion.text, offset)?;
            Some(OpcodeCompletion { range, text, ..completion })
        })
    }

    fn complete_statement(&self, offset: usize) -> Vec<StatementCompletion> {
        let complete_operand = |fragment: &AsmFragment, snapshot: &Snapshot, at| {
            operands::fitting(fragment, snapshot.complete_statement(at))
        };
        let found = complete(self, offset, complete_operand, |fragment, completion| {
            // Escapes would change the placeholders of a snippet.
            let (range, text) = fragment.template.completion(&completion.range, &completion.text, offset)?;
            (!completion.snippet || completion.text.ends_with(&text)).then_some(StatementCompletion {
                range,
                text,
                ..completion
            })
        });
        if found.is_empty() { constraints::completions(&self.text, offset) } else { found }
    }
}

impl SignatureHelpProvider for HostSource {
    fn signature_help(&self, offset: usize) -> Option<Signature> {
        ask_typed(self, offset, |_, snapshot, at| snapshot.signature_help(at))
    }
}

impl NavigationProvider for HostSource {
    fn definition(&self, offset: usize) -> Option<GotoResult> {
        ask(self, offset, |embedded, snapshot, at| found(embedded, snapshot.definition(at)?, offset))
    }

    fn declaration(&self, offset: usize) -> Option<GotoResult> {
        ask(self, offset, |embedded, snapshot, at| found(embedded, snapshot.declaration(at)?, offset))
    }

    fn references(&self, offset: usize, filter: ReferenceFilter) -> Vec<Range<usize>> {
        if self.highlights(offset).is_empty() {
            return Vec::new();
        }
        let ask = |snapshot: &Snapshot, at| snapshot.references(at, filter);
        ask_each(self, offset, ask, |embedded, range| embedded.template.region.to_host(&range))
    }

    fn highlights(&self, offset: usize) -> Vec<Highlight> {
        let mut highlights = ask_each(self, offset, NavigationProvider::highlights, |embedded, highlight| {
            let range = embedded.template.region.to_host(&highlight.range)?;
            Some(Highlight { range, ..highlight })
        });
        // At the end of a literal, the name may be the first of the next one.
        if !highlights.iter().any(|highlight| touches(&highlight.range, offset)) {
            highlights.clear();
        }
        highlights
    }
}

impl RenameProvider for HostSource {
    fn prepare_rename(&self, offset: usize) -> Result<Renamable, String> {
        let found = ask(self, offset, |embedded, snapshot, at| {
            let renamable = match snapshot.prepare_rename(at) {
                Ok(renamable) => renamable,
                Err(reason) => return Some(Err(reason)),
            };
            to_host_at(embedded, &renamable.range, offset)?;
            let (range, placeholder) = embedded.template.edit(&renamable.range, &renamable.placeholder)?;
            let is_operand = embedded.template.dialect.is_operand(&renamable.placeholder);
            Some(match is_operand {
                true => Err("operands of `asm` are named by number and cannot be renamed".to_owned()),
                false => Ok(Renamable { range, placeholder }),
            })
        });
        found.unwrap_or_else(|| Err(NOTHING_TO_RENAME.to_owned()))
    }

    fn rename(&self, offset: usize, new: &str) -> Result<Vec<Edit>, String> {
        self.prepare_rename(offset)?;
        let found = ask(self, offset, |embedded, snapshot, at| {
            Some(snapshot.rename(at, &embedded.template.in_ptx(new)).and_then(|edits| {
                let translated = translate::edits(embedded, &edits);
                translated.ok_or_else(|| "the name is also used in a macro or across string literals".to_owned())
            }))
        });
        found.unwrap_or_else(|| Err(NOTHING_TO_RENAME.to_owned()))
    }
}

impl SemanticTokensProvider for HostSource {
    fn semantic_tokens(&self, within: Option<Range<usize>>) -> Vec<SemanticToken> {
        let mut tokens =
            ask_all(self, within.unwrap_or_else(|| 0..self.text.rope().len_bytes()), |embedded, snapshot, inner| {
                let body = &embedded.template.body;
                let inner = inner.start.max(body.start)..inner.end.min(body.end);
                if inner.is_empty() {
                    return Vec::new();
                }
                let all = snapshot.semantic_tokens(Some(inner));
                let inside =
                    all.into_iter().filter(|token| token.range.start >= body.start && token.range.end <= body.end);
                let parts = |token: SemanticToken| {
                    let parts = embedded.template.region.host_parts(&token.range);
                    parts.into_iter().map(move |range| SemanticToken { range, ..token.clone() })
                };
                inside.flat_map(parts).collect()
            });
        tokens.sort_by_key(|token| (token.range.start, token.range.end));
        // Text outside the branches of an `#if` is in several fragments, but has tokens once.
        tokens.dedup_by(|next, before| next.range.start < before.range.end);
        tokens
    }
}

impl InlayHintProvider for HostSource {
    fn inlay_hints(&self, within: Range<usize>, options: &HintOptions) -> Vec<InlayHint> {
        hints(self, within, |snapshot, inner| snapshot.inlay_hints(inner, options))
    }
}

impl KernelRunProvider for HostSource {}
// The lines of an edit: those of the PTX around them are other instructions, and what is found in them stays.
impl EditedStatementProvider for HostSource {}
impl KernelCheckProvider for HostSource {}

impl EvaluationProvider for HostSource {
    fn evaluation_hints(&self, within: Range<usize>) -> Vec<InlayHint> {
        hints(self, within, EvaluationProvider::evaluation_hints)
    }

    fn evaluation_lenses(&self) -> Vec<EvaluationLens> {
        let mut lenses = ask_all(self, 0..self.text.rope().len_bytes(), |embedded, snapshot, _| {
            let translated = |lens: EvaluationLens| {
                let range = embedded.template.region.to_host(&lens.range)?;
                Some(EvaluationLens { range, ..lens })
            };
            snapshot.evaluation_lenses().into_iter().filter_map(translated).collect()
        });
        lenses.sort_by_key(|lens| (lens.range.start, lens.range.end));
        lenses.dedup_by(|a, b| a.range == b.range);
        // A statement with an `#if` has several fragments; one of them is evaluated.
        lenses.retain(|lens| lens.inputs.iter().all(|input| self.evaluate_here(lens.range.start, input).is_ok()));
        lenses
    }

    fn evaluate_here(&self, offset: usize, input: &str) -> Result<String, String> {
        let found = ask(self, offset, |_, snapshot, at| Some(snapshot.evaluate_here(at, input)));
        found.unwrap_or_else(|| Err("nothing to evaluate here".to_owned()))
    }
}

impl CodeActionProvider for HostSource {
    fn code_actions(&self, within: Range<usize>) -> Vec<Action> {
        ask_all(self, within, |embedded, snapshot, inner| {
            let translated = |action: Action| {
                let edits = translate::edits(embedded, &action.edits).filter(|edits| !edits.is_empty())?;
                Some(Action { edits, ..action })
            };
            snapshot.code_actions(inner).into_iter().filter_map(translated).collect()
        })
    }
}

impl SelectionRangeProvider for HostSource {
    fn selection_ranges(&self, offset: usize) -> Vec<Range<usize>> {
        let inner = ask(self, offset, |embedded, snapshot, at| {
            let all = snapshot.selection_ranges(at);
            let mut ranges: Vec<_> = all.iter().filter_map(|range| to_host_at(embedded, range, offset)).collect();
            ranges.push(embedded.statement.range.clone());
            Some(ranges)
        });
        let len = self.text.rope().len_bytes();
        let at = offset.min(len);
        let mut grown: Vec<Range<usize>> = Vec::new();
        let inner = inner.unwrap_or_else(|| std::iter::once(at..at).collect());
        for range in inner.into_iter().chain(std::iter::once(0..len)) {
            let larger = |last: &Range<usize>| range.start <= last.start && last.end <= range.end && *last != range;
            if grown.last().is_none_or(larger) {
                grown.push(range);
            }
        }
        grown
    }
}

// Features that these texts do not have.
impl CallHierarchyProvider for HostSource {}
impl FormattingProvider for HostSource {}
impl FoldingRangeProvider for HostSource {}
impl DocumentLinkProvider for HostSource {}
impl SourceLineProvider for HostSource {}
impl DocumentSymbolProvider for HostSource {}

fn found(embedded: &AsmFragment, found: GotoResult, offset: usize) -> Option<GotoResult> {
    let region = &embedded.template.region;
    let place = |place: DeclarationRange| {
        let selection = region.to_host(&place.selection)?;
        let range = region.to_host(&place.range).unwrap_or_else(|| selection.clone());
        Some(DeclarationRange { range, selection })
    };
    let targets: Vec<_> = found.targets.into_iter().filter_map(place).collect();
    (!targets.is_empty()).then_some(GotoResult { origin: to_host_at(embedded, &found.origin, offset)?, targets })
}

/// The host range of a range in the PTX around the cursor; `None` if the cursor is outside, as between two literals or in an escape.
fn to_host_at(embedded: &AsmFragment, range: &Range<usize>, offset: usize) -> Option<Range<usize>> {
    embedded.template.region.to_host(range).filter(|range| touches(range, offset))
}

fn touches(range: &Range<usize>, offset: usize) -> bool {
    range.start <= offset && offset <= range.end
}
