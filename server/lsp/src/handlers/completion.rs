//! `textDocument/completion` and `completionItem/resolve`.

use crate::client::client_features::DocumentationFormat;
use crate::client::plain_text::{markup, plain_text};
use crate::documents::document_snapshot::DocumentSnapshot;
use ide::features::{StatementCompletion, StatementCompletionKind};
use ide::{OpcodeCompletion, OpcodeCompletionKind};
use serde_json::json;
use tower_lsp::ls_types as lsp;

/// Completion items at the cursor, ranked. After a dot inside an opcode, only modifiers. The
/// documentation is resolved later, if the client supports that.
pub fn completion(snapshot: &DocumentSnapshot, position: lsp::Position) -> lsp::CompletionResponse {
    let Candidates { mut items, is_incomplete } = offers(snapshot, position);
    if snapshot.features.resolves {
        for item in &mut items {
            let known = item.documentation.take().is_some();
            item.data = known.then(|| json!({"uri": snapshot.uri, "position": position}));
        }
    }
    match is_incomplete {
        true => lsp::CompletionResponse::List(lsp::CompletionList { is_incomplete, items }),
        false => lsp::CompletionResponse::Array(items),
    }
}

/// The document and position of a completion item, from its `data`.
pub fn origin(item: &lsp::CompletionItem) -> Option<(lsp::Uri, lsp::Position)> {
    let data = item.data.as_ref()?;
    Some((data["uri"].as_str()?.parse().ok()?, serde_json::from_value(data["position"].clone()).ok()?))
}

/// The documentation of a completion item; `None` if it is no longer a candidate at its position.
pub fn documentation(snapshot: &DocumentSnapshot, position: lsp::Position, label: &str) -> Option<lsp::Documentation> {
    offers(snapshot, position).items.into_iter().find(|item| item.label == label)?.documentation
}

/// Completion items, the best first.
struct Candidates {
    items: Vec<lsp::CompletionItem>,
    /// Whether further letters may lead to others, so that the client has to ask again.
    is_incomplete: bool,
}

fn offers(snapshot: &DocumentSnapshot, position: lsp::Position) -> Candidates {
    let offset = snapshot.offset(position);
    let found = snapshot.source.complete(offset);
    let inside = found.iter().any(|found| found.kind != OpcodeCompletionKind::Mnemonic);
    let mut items: Vec<_> = found.into_iter().map(|found| (found.beyond, opcode(snapshot, found))).collect();
    let others = if inside { Vec::new() } else { snapshot.source.complete_statement(offset) };
    let is_incomplete = others.iter().any(|found| found.is_truncated);
    items.extend(others.into_iter().map(|found| (false, other(snapshot, found))));
    // Items that the module's target does not support come last.
    items.sort_by_key(|(beyond, _)| *beyond);
    let items = without_typed(snapshot, items);
    let items = items.into_iter().enumerate().map(|(rank, (_, item))| ranked(rank, item)).collect();
    Candidates { items, is_incomplete }
}

/// Items without one that changes nothing: with a whole word before the cursor, a line end is meant to end the line. It comes first if it begins others.
fn without_typed(
    snapshot: &DocumentSnapshot,
    items: Vec<(bool, lsp::CompletionItem)>,
) -> Vec<(bool, lsp::CompletionItem)> {
    let is_typed = |(_, item): &(bool, lsp::CompletionItem)| match &item.text_edit {
        Some(lsp::CompletionTextEdit::Edit(edit)) => {
            let range = snapshot.bytes(edit.range);
            snapshot.source.rope().byte_slice(range) == *edit.new_text
        }
        _ => false,
    };
    let (mut typed, others): (Vec<_>, Vec<_>) = items.into_iter().partition(is_typed);
    if others.is_empty() {
        typed.clear();
    }
    typed.into_iter().chain(others).collect()
}

/// Clients sort by `sort_text`, so it holds the rank.
fn ranked(rank: usize, item: lsp::CompletionItem) -> lsp::CompletionItem {
    lsp::CompletionItem { sort_text: Some(format!("{rank:05}")), ..item }
}

fn opcode(snapshot: &DocumentSnapshot, found: OpcodeCompletion) -> lsp::CompletionItem {
    let kind = match found.kind {
        _ if !snapshot.features.completion_kinds => first_kind(found.kind),
        OpcodeCompletionKind::Mnemonic => lsp::CompletionItemKind::METHOD,
        OpcodeCompletionKind::Operation => lsp::CompletionItemKind::OPERATOR,
        OpcodeCompletionKind::Ordering => lsp::CompletionItemKind::ENUM_MEMBER,
        OpcodeCompletionKind::Space => lsp::CompletionItemKind::MODULE,
        OpcodeCompletionKind::Modifier => lsp::CompletionItemKind::PROPERTY,
        OpcodeCompletionKind::Type => lsp::CompletionItemKind::TYPE_PARAMETER,
    };
    lsp::CompletionItem {
        filter_text: Some(found.text.clone()),
        text_edit: Some(lsp::CompletionTextEdit::Edit(lsp::TextEdit::new(snapshot.range(&found.range), found.text))),
        ..item(snapshot, found.label, kind, found.detail, found.documentation)
    }
}

/// The kind for clients without a list of kinds, which know those of the first version of the protocol only.
fn first_kind(kind: OpcodeCompletionKind) -> lsp::CompletionItemKind {
    match kind {
        OpcodeCompletionKind::Mnemonic => lsp::CompletionItemKind::METHOD,
        OpcodeCompletionKind::Operation => lsp::CompletionItemKind::FUNCTION,
        OpcodeCompletionKind::Ordering => lsp::CompletionItemKind::ENUM,
        OpcodeCompletionKind::Space => lsp::CompletionItemKind::MODULE,
        OpcodeCompletionKind::Modifier => lsp::CompletionItemKind::PROPERTY,
        OpcodeCompletionKind::Type => lsp::CompletionItemKind::CLASS,
    }
}

fn other(snapshot: &DocumentSnapshot, found: StatementCompletion) -> lsp::CompletionItem {
    let kind = match found.kind {
        StatementCompletionKind::Type if !snapshot.features.completion_kinds => lsp::CompletionItemKind::CLASS,
        StatementCompletionKind::SpecialRegister if !snapshot.features.completion_kinds => {
            lsp::CompletionItemKind::VARIABLE
        }
        StatementCompletionKind::Directive => lsp::CompletionItemKind::KEYWORD,
        StatementCompletionKind::Type => lsp::CompletionItemKind::TYPE_PARAMETER,
        StatementCompletionKind::Register => lsp::CompletionItemKind::VARIABLE,
        StatementCompletionKind::Variable => lsp::CompletionItemKind::FIELD,
        StatementCompletionKind::Parameter | StatementCompletionKind::Value => lsp::CompletionItemKind::VALUE,
        StatementCompletionKind::Function => lsp::CompletionItemKind::FUNCTION,
        StatementCompletionKind::Label => lsp::CompletionItemKind::REFERENCE,
        StatementCompletionKind::SpecialRegister => lsp::CompletionItemKind::CONSTANT,
        StatementCompletionKind::Instruction => lsp::CompletionItemKind::SNIPPET,
    };
    let snippet = found.snippet && snapshot.features.snippets;
    // In C++, the text has escapes that the label does not have.
    let filter = if found.snippet { found.label.clone() } else { found.text.clone() };
    let text = if found.snippet && !snippet { found.label.clone() } else { found.text };
    lsp::CompletionItem {
        filter_text: Some(filter),
        insert_text_format: snippet.then_some(lsp::InsertTextFormat::SNIPPET),
        text_edit: Some(lsp::CompletionTextEdit::Edit(lsp::TextEdit::new(snapshot.range(&found.range), text))),
        ..item(snapshot, found.label, kind, found.detail, found.documentation)
    }
}

fn item(
    snapshot: &DocumentSnapshot,
    label: String,
    kind: lsp::CompletionItemKind,
    detail: String,
    documentation: String,
) -> lsp::CompletionItem {
    let documented = (!documentation.is_empty()).then(|| match snapshot.features.completion_format {
        DocumentationFormat::Bare => lsp::Documentation::String(plain_text(&documentation)),
        format => lsp::Documentation::MarkupContent(markup(&documentation, format)),
    });
    lsp::CompletionItem {
        label,
        kind: Some(kind),
        detail: Some(detail).filter(|detail| !detail.is_empty()),
        documentation: documented,
        ..lsp::CompletionItem::default()
    }
}
