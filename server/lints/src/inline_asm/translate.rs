//! Maps diagnostics and edits of the PTX to the host text. Results without a position in the host text are dropped.

use diagnostics::{Diagnostic, Edit, Fix, Related};
use hosts::inline_asm::AsmFragment;
use std::ops::Range;

/// Maps a diagnostic with the given range in the PTX.
pub fn diagnostic(fragment: &AsmFragment, diagnostic: &Diagnostic, range: Range<usize>) -> Option<Diagnostic> {
    let region = &fragment.template.region;
    let related = |related: &Related| {
        let range = region.to_host(&related.range)?;
        Some(Related { range, ..related.clone() })
    };
    // Text from a macro is reported in the macro definition, if only this statement uses it.
    let definitions = &fragment.template.definitions;
    let word = range.start + usize::from(fragment.template.text[range.clone()].starts_with('.'))..range.end;
    let defined = [&range, &word].into_iter().find_map(|range| definitions.editable(range).filter(|at| !at.is_empty()));
    Some(Diagnostic {
        range: defined.or_else(|| region.to_host(&range))?,
        related: diagnostic.related.iter().filter_map(related).collect(),
        fixes: diagnostic.fixes.iter().filter_map(|fix| self::fix(fragment, fix)).collect(),
        ..diagnostic.clone()
    })
}

/// Maps a fix: all of its edits, or none.
fn fix(fragment: &AsmFragment, fix: &Fix) -> Option<Fix> {
    Some(Fix { edits: edits(fragment, &fix.edits)?, ..fix.clone() })
}

/// Maps edits, sorted by their positions in the host text.
pub fn edits(fragment: &AsmFragment, edits: &[Edit]) -> Option<Vec<Edit>> {
    let mut made = edits.iter().map(|edit| self::edit(fragment, edit)).collect::<Option<Vec<_>>>()?;
    made.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let apart = made.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start);
    apart.then_some(made)
}

/// Maps one edit.
pub fn edit(fragment: &AsmFragment, edit: &Edit) -> Option<Edit> {
    fragment.template.edit(&edit.range, &edit.text).map(|(range, text)| Edit { range, text })
}
