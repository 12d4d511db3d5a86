//! `textDocument/selectionRange`.

use crate::view::View;
use tower_lsp::ls_types as lsp;

/// For each position the ranges around it, the innermost with its parents.
pub fn selection_range(view: &View, positions: &[lsp::Position]) -> Vec<lsp::SelectionRange> {
    positions.iter().map(|position| around(view, *position)).collect()
}

fn around(view: &View, position: lsp::Position) -> lsp::SelectionRange {
    let mut chain: Option<lsp::SelectionRange> = None;
    for range in view.source.selection_ranges(view.offset(position)).iter().rev() {
        chain = Some(lsp::SelectionRange { range: view.range(range), parent: chain.map(Box::new) });
    }
    chain.unwrap_or(lsp::SelectionRange { range: lsp::Range::new(position, position), parent: None })
}
