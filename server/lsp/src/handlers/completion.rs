//! `textDocument/completion`.

use crate::view::View;
use analysis::{Completion, CompletionKind};
use tower_lsp::ls_types as lsp;

/// What may be written at the cursor, in the engine's order.
pub fn completion(view: &View, position: lsp::Position) -> lsp::CompletionResponse {
    let offers = analysis::complete(&view.snapshot, view.offset(position));
    lsp::CompletionResponse::Array(
        offers.into_iter().enumerate().map(|(rank, offer)| item(view, rank, offer)).collect(),
    )
}

/// One offer. Clients sort by `sort_text`, so the rank goes there; those beyond the module's target stay behind all others.
fn item(view: &View, rank: usize, offer: Completion) -> lsp::CompletionItem {
    let documentation = lsp::MarkupContent { kind: lsp::MarkupKind::Markdown, value: offer.documentation };
    lsp::CompletionItem {
        kind: Some(match offer.kind {
            CompletionKind::Mnemonic => lsp::CompletionItemKind::FUNCTION,
            CompletionKind::Modifier => lsp::CompletionItemKind::PROPERTY,
            CompletionKind::Type => lsp::CompletionItemKind::TYPE_PARAMETER,
        }),
        label: offer.label,
        detail: Some(offer.detail).filter(|detail| !detail.is_empty()),
        documentation: (!documentation.value.is_empty()).then_some(lsp::Documentation::MarkupContent(documentation)),
        sort_text: Some(format!("{}{rank:05}", u8::from(offer.beyond))),
        filter_text: Some(offer.text.clone()),
        text_edit: Some(lsp::CompletionTextEdit::Edit(lsp::TextEdit::new(view.range(&offer.range), offer.text))),
        ..lsp::CompletionItem::default()
    }
}
