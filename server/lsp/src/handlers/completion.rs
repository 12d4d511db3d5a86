//! `textDocument/completion` and `completionItem/resolve`.

use crate::features::Prose;
use crate::view::View;
use ide::features::{Offer, OfferKind};
use ide::{Completion, CompletionKind};
use serde_json::json;
use tower_lsp::ls_types as lsp;

/// What may be written at the cursor, in the engine's order. Behind a dot inside an opcode that is its modifiers and nothing else. The
/// documentation follows when it is asked for, where the client does that.
pub fn completion(view: &View, position: lsp::Position) -> lsp::CompletionResponse {
    let mut items = offers(view, position);
    if view.features.resolves {
        for item in &mut items {
            let known = item.documentation.take().is_some();
            item.data = known.then(|| json!({"uri": view.uri, "position": position}));
        }
    }
    lsp::CompletionResponse::Array(items)
}

/// Where an offer was made, as far as it says so.
pub fn origin(item: &lsp::CompletionItem) -> Option<(lsp::Uri, lsp::Position)> {
    let data = item.data.as_ref()?;
    Some((data["uri"].as_str()?.parse().ok()?, serde_json::from_value(data["position"].clone()).ok()?))
}

/// The documentation of an offer that was made at a position; none if nothing like it would be offered there now.
pub fn documentation(view: &View, position: lsp::Position, label: &str) -> Option<lsp::Documentation> {
    offers(view, position).into_iter().find(|item| item.label == label)?.documentation
}

fn offers(view: &View, position: lsp::Position) -> Vec<lsp::CompletionItem> {
    let offset = view.offset(position);
    let found = view.source.complete(offset);
    let inside = found.iter().any(|found| found.kind != CompletionKind::Mnemonic);
    let mut items: Vec<_> = found.into_iter().map(|found| (found.beyond, opcode(view, found))).collect();
    if !inside {
        items.extend(view.source.more_completions(offset).into_iter().map(|found| (false, other(view, found))));
    }
    // What the module's target does not have comes behind all that it has.
    items.sort_by_key(|(beyond, _)| *beyond);
    items.into_iter().enumerate().map(|(rank, (_, item))| ranked(rank, item)).collect()
}

/// Clients sort by `sort_text`, so the rank goes there.
fn ranked(rank: usize, item: lsp::CompletionItem) -> lsp::CompletionItem {
    lsp::CompletionItem { sort_text: Some(format!("{rank:05}")), ..item }
}

fn opcode(view: &View, found: Completion) -> lsp::CompletionItem {
    let kind = match found.kind {
        CompletionKind::Mnemonic => lsp::CompletionItemKind::FUNCTION,
        CompletionKind::Modifier => lsp::CompletionItemKind::PROPERTY,
        CompletionKind::Type => lsp::CompletionItemKind::TYPE_PARAMETER,
    };
    lsp::CompletionItem {
        filter_text: Some(found.text.clone()),
        text_edit: Some(lsp::CompletionTextEdit::Edit(lsp::TextEdit::new(view.range(&found.range), found.text))),
        ..item(view, found.label, kind, found.detail, found.documentation)
    }
}

fn other(view: &View, found: Offer) -> lsp::CompletionItem {
    let kind = match found.kind {
        OfferKind::Directive => lsp::CompletionItemKind::KEYWORD,
        OfferKind::Type => lsp::CompletionItemKind::TYPE_PARAMETER,
        OfferKind::Register => lsp::CompletionItemKind::VARIABLE,
        OfferKind::Variable | OfferKind::Parameter => lsp::CompletionItemKind::FIELD,
        OfferKind::Function => lsp::CompletionItemKind::FUNCTION,
        OfferKind::Label => lsp::CompletionItemKind::REFERENCE,
        OfferKind::SpecialRegister => lsp::CompletionItemKind::CONSTANT,
        OfferKind::Instruction => lsp::CompletionItemKind::SNIPPET,
    };
    let snippet = found.snippet && view.features.snippets;
    let text = if found.snippet && !snippet { found.label.clone() } else { found.text };
    lsp::CompletionItem {
        filter_text: Some(found.label.clone()),
        insert_text_format: snippet.then_some(lsp::InsertTextFormat::SNIPPET),
        text_edit: Some(lsp::CompletionTextEdit::Edit(lsp::TextEdit::new(view.range(&found.range), text))),
        ..item(view, found.label, kind, found.detail, found.documentation)
    }
}

fn item(
    view: &View,
    label: String,
    kind: lsp::CompletionItemKind,
    detail: String,
    documentation: String,
) -> lsp::CompletionItem {
    let marked = |kind, value| lsp::Documentation::MarkupContent(lsp::MarkupContent { kind, value });
    let documented = (!documentation.is_empty()).then(|| match view.features.prose {
        Prose::Bare => lsp::Documentation::String(documentation),
        Prose::Plain => marked(lsp::MarkupKind::PlainText, documentation),
        Prose::Markdown => marked(lsp::MarkupKind::Markdown, documentation),
    });
    lsp::CompletionItem {
        label,
        kind: Some(kind),
        detail: Some(detail).filter(|detail| !detail.is_empty()),
        documentation: documented,
        ..lsp::CompletionItem::default()
    }
}
