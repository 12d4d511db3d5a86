//! `textDocument/documentHighlight`.

use crate::documents::document_snapshot::DocumentSnapshot;
use ide::features::NameAccess;
use tower_lsp::ls_types as lsp;

/// What means the same as the name at a position.
pub fn document_highlight(snapshot: &DocumentSnapshot, position: lsp::Position) -> Vec<lsp::DocumentHighlight> {
    let found = snapshot.source.highlights(snapshot.offset(position));
    let highlight = |range, access| lsp::DocumentHighlight {
        range: snapshot.range(range),
        kind: Some(match access {
            NameAccess::Declare => lsp::DocumentHighlightKind::TEXT,
            NameAccess::Read => lsp::DocumentHighlightKind::READ,
            NameAccess::Write => lsp::DocumentHighlightKind::WRITE,
        }),
    };
    found.iter().map(|found| highlight(&found.range, found.access)).collect()
}
