//! `textDocument/foldingRange`.

use crate::documents::document_snapshot::DocumentSnapshot;
use ide::features::FoldKind;
use tower_lsp::ls_types as lsp;

/// All folds; of too many for the client, the first.
pub fn folding_range(snapshot: &DocumentSnapshot) -> Vec<lsp::FoldingRange> {
    let fold = |range: lsp::Range, kind| lsp::FoldingRange {
        start_line: range.start.line,
        start_character: Some(range.start.character),
        end_line: range.end.line,
        end_character: Some(range.end.character),
        kind: match kind {
            FoldKind::Code => None,
            FoldKind::Comment => Some(lsp::FoldingRangeKind::Comment),
            FoldKind::Region => Some(lsp::FoldingRangeKind::Region),
            FoldKind::Files => Some(lsp::FoldingRangeKind::Imports),
        },
        collapsed_text: None,
    };
    let limit = snapshot.features.fold_limit.map_or(usize::MAX, |limit| limit as usize);
    let folds = snapshot.source.folding_ranges();
    folds.iter().take(limit).map(|found| fold(snapshot.range(&found.range), found.kind)).collect()
}
