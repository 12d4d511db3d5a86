//! Answers about the inner text as answers about the host text. What has no place there is left out.

use diagnostics::{Diagnostic, Edit, Fix, Related};
use hosts::cpp::AsmFragment;
use std::ops::Range;

/// A finding whose place in the inner text is given.
pub fn finding(embedded: &AsmFragment, finding: &Diagnostic, range: Range<usize>) -> Option<Diagnostic> {
    let region = &embedded.template.region;
    let related = |related: &Related| {
        let range = region.to_host(&related.range)?;
        Some(Related { range, message: related.message.clone() })
    };
    // What a macro brings along is spoken of where it is written, if it belongs to this statement alone.
    let definitions = &embedded.template.definitions;
    let word = range.start + usize::from(embedded.template.text[range.clone()].starts_with('.'))..range.end;
    let defined = [&range, &word].into_iter().find_map(|range| definitions.editable(range).filter(|at| !at.is_empty()));
    Some(Diagnostic {
        range: defined.or_else(|| region.to_host(&range))?,
        related: finding.related.iter().filter_map(related).collect(),
        fixes: finding.fixes.iter().filter_map(|fix| self::fix(embedded, fix)).collect(),
        ..finding.clone()
    })
}

/// A fix: all of its edits, or nothing.
fn fix(embedded: &AsmFragment, fix: &Fix) -> Option<Fix> {
    Some(Fix { edits: edits(embedded, &fix.edits)?, ..fix.clone() })
}

/// Edits, in the order of their places in the host text.
pub fn edits(embedded: &AsmFragment, edits: &[Edit]) -> Option<Vec<Edit>> {
    let mut made = edits.iter().map(|edit| self::edit(embedded, edit)).collect::<Option<Vec<_>>>()?;
    made.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let apart = made.windows(2).all(|pair| pair[0].range.end <= pair[1].range.start);
    apart.then_some(made)
}

/// One edit.
pub fn edit(embedded: &AsmFragment, edit: &Edit) -> Option<Edit> {
    embedded.template.edit(&edit.range, &edit.text).map(|(range, text)| Edit { range, text })
}
