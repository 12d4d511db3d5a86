//! `textDocument/inlayHint`.

use crate::view::View;
use tower_lsp::ls_types as lsp;

/// What the atomics of a range mean without saying it, and the results of evaluation comments.
pub fn inlay_hint(view: &View, range: lsp::Range) -> Vec<lsp::InlayHint> {
    let within = view.bytes(range);
    let mut hints = view.source.inlay_hints(within.clone(), &view.hints);
    hints.extend(view.source.evaluation_hints(within));
    hints.sort_by_key(|hint| hint.at);
    let hint = |hint: analysis::features::InlayHint| lsp::InlayHint {
        position: view.range(&(hint.at..hint.at)).start,
        label: lsp::InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: hint.insert.map(|insert| view.edits(&[insert])),
        tooltip: Some(lsp::InlayHintTooltip::MarkupContent(lsp::MarkupContent {
            kind: lsp::MarkupKind::Markdown,
            value: hint.tooltip,
        })),
        padding_left: None,
        padding_right: None,
        data: None,
    };
    hints.into_iter().map(hint).collect()
}
