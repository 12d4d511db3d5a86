//! `textDocument/documentHighlight`.

use crate::view::View;
use ide::features::NameAccess;
use tower_lsp::ls_types as lsp;

/// What means the same as the name at a position.
pub fn document_highlight(view: &View, position: lsp::Position) -> Vec<lsp::DocumentHighlight> {
    let found = view.source.highlights(view.offset(position));
    let highlight = |range, access| lsp::DocumentHighlight {
        range: view.range(range),
        kind: Some(match access {
            NameAccess::Declare => lsp::DocumentHighlightKind::TEXT,
            NameAccess::Read => lsp::DocumentHighlightKind::READ,
            NameAccess::Write => lsp::DocumentHighlightKind::WRITE,
        }),
    };
    found.iter().map(|found| highlight(&found.range, found.access)).collect()
}
