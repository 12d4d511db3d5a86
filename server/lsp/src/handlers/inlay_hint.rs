//! `textDocument/inlayHint`.

use crate::client::plain_text::markup;
use crate::documents::document_snapshot::DocumentSnapshot;
use tower_lsp::ls_types as lsp;

/// The default modifiers of the atomics in a range, and the results of evaluation comments.
pub fn inlay_hint(snapshot: &DocumentSnapshot, range: lsp::Range) -> Vec<lsp::InlayHint> {
    let within = snapshot.bytes(range);
    let words = snapshot.source.inlay_hints(within.clone(), &snapshot.hints).into_iter().map(|hint| (hint, false));
    // A result is separated from its comment by a space.
    let results = snapshot.source.evaluation_hints(within.clone()).into_iter().map(|hint| (hint, true));
    // The features answer for whole instructions and comments that touch the range.
    let inside = |(hint, _): &(ide::features::InlayHint, bool)| within.start <= hint.at && hint.at <= within.end;
    let mut hints: Vec<_> = words.chain(results).filter(inside).collect();
    hints.sort_by_key(|(hint, _)| hint.at);
    let hint = |(hint, apart): (ide::features::InlayHint, bool)| lsp::InlayHint {
        position: snapshot.position(hint.at),
        label: lsp::InlayHintLabel::String(hint.label),
        kind: None,
        text_edits: hint.insert.map(|insert| snapshot.edits(&[insert])),
        tooltip: Some(lsp::InlayHintTooltip::MarkupContent(markup(&hint.tooltip, snapshot.features.hover_format))),
        padding_left: Some(apart),
        padding_right: None,
        data: None,
    };
    hints.into_iter().map(hint).collect()
}
