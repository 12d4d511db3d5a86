//! `textDocument/prepareRename`, `textDocument/rename` and `textDocument/linkedEditingRange`.

use crate::view::View;
use tower_lsp::ls_types as lsp;

/// What would be renamed at a position, or why nothing can be.
pub fn prepare(view: &View, position: lsp::Position) -> Result<lsp::PrepareRenameResponse, String> {
    let found = view.source.prepare_rename(view.offset(position))?;
    let range = view.range(&found.range);
    Ok(lsp::PrepareRenameResponse::RangeWithPlaceholder { range, placeholder: found.placeholder })
}

/// The edits of a rename, or why it cannot be.
pub fn rename(view: &View, position: lsp::Position, new: &str) -> Result<Option<lsp::WorkspaceEdit>, String> {
    let edits = view.source.rename(view.offset(position), new)?;
    Ok(view.workspace_edit(&edits))
}

/// A label and its uses, to be edited together.
pub fn linked(view: &View, position: lsp::Position) -> Option<lsp::LinkedEditingRanges> {
    let found = view.source.linked_ranges(view.offset(position));
    let ranges: Vec<_> = found.iter().map(|range| view.range(range)).collect();
    (!ranges.is_empty()).then_some(lsp::LinkedEditingRanges { ranges, word_pattern: None })
}
