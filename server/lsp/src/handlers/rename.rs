//! `textDocument/prepareRename`, `textDocument/rename` and `textDocument/linkedEditingRange`.

use crate::documents::document_snapshot::DocumentSnapshot;
use tower_lsp::ls_types as lsp;

/// What would be renamed at a position, or why nothing can be.
pub fn prepare(snapshot: &DocumentSnapshot, position: lsp::Position) -> Result<lsp::PrepareRenameResponse, String> {
    let found = snapshot.source.prepare_rename(snapshot.offset(position))?;
    let range = snapshot.range(&found.range);
    Ok(lsp::PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: found.placeholder })
}

/// The edits of a rename, or why it cannot be.
pub fn rename(
    snapshot: &DocumentSnapshot,
    position: lsp::Position,
    new: &str,
) -> Result<Option<lsp::WorkspaceEdit>, String> {
    let edits = snapshot.source.rename(snapshot.offset(position), new)?;
    Ok(snapshot.workspace_edit(&edits))
}

/// A label and its uses, to be edited together.
pub fn linked(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<lsp::LinkedEditingRanges> {
    let found = snapshot.source.linked_ranges(snapshot.offset(position));
    let ranges: Vec<_> = found.iter().map(|range| snapshot.range(range)).collect();
    (!ranges.is_empty()).then_some(lsp::LinkedEditingRanges { ranges, word_pattern: None })
}
