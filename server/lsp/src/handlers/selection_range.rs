//! `textDocument/selectionRange`.

use crate::documents::document_snapshot::DocumentSnapshot;
use tower_lsp::ls_types as lsp;

/// For each position the ranges around it, the innermost with its parents.
pub fn selection_range(snapshot: &DocumentSnapshot, positions: &[lsp::Position]) -> Vec<lsp::SelectionRange> {
    positions.iter().map(|position| around(snapshot, *position)).collect()
}

fn around(snapshot: &DocumentSnapshot, position: lsp::Position) -> lsp::SelectionRange {
    let mut chain: Option<lsp::SelectionRange> = None;
    for range in snapshot.source.selection_ranges(snapshot.offset(position)).iter().rev() {
        chain = Some(lsp::SelectionRange { range: snapshot.range(range), parent: chain.map(Box::new) });
    }
    chain.unwrap_or(lsp::SelectionRange { range: lsp::Range::new(position, position), parent: None })
}
