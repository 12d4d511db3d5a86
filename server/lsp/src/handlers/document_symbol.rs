//! `textDocument/documentSymbol`: the outline.

use crate::documents::document_snapshot::DocumentSnapshot;
use ide::features::{DocumentSymbol, SymbolKind};
use tower_lsp::ls_types as lsp;

/// The outline: a tree, or a list for clients that know no trees.
pub fn document_symbol(snapshot: &DocumentSnapshot) -> Option<lsp::DocumentSymbolResponse> {
    let symbols = snapshot.source.document_symbols();
    if snapshot.features.trees {
        return Some(lsp::DocumentSymbolResponse::Nested(
            symbols.iter().map(|symbol| nested(snapshot, symbol)).collect(),
        ));
    }
    let uri: lsp::Uri = snapshot.uri.parse().ok()?;
    let mut list = Vec::new();
    flatten(snapshot, &uri, None, &symbols, &mut list);
    Some(lsp::DocumentSymbolResponse::Flat(list))
}

#[expect(deprecated, reason = "the type has a field that the protocol has given up, and no other way to be made")]
fn nested(snapshot: &DocumentSnapshot, symbol: &DocumentSymbol) -> lsp::DocumentSymbol {
    let children = symbol.children.iter().map(|child| nested(snapshot, child)).collect::<Vec<_>>();
    lsp::DocumentSymbol {
        name: symbol.name.clone(),
        detail: Some(symbol.detail.clone()).filter(|detail| !detail.is_empty()),
        kind: kind(snapshot, symbol.kind),
        tags: None,
        deprecated: None,
        range: snapshot.range(&symbol.range),
        selection_range: snapshot.range(&symbol.selection),
        children: Some(children).filter(|children| !children.is_empty()),
    }
}

#[expect(deprecated, reason = "as above")]
fn flatten(
    snapshot: &DocumentSnapshot,
    uri: &lsp::Uri,
    inside: Option<&str>,
    symbols: &[DocumentSymbol],
    list: &mut Vec<lsp::SymbolInformation>,
) {
    for symbol in symbols {
        list.push(lsp::SymbolInformation {
            name: symbol.name.clone(),
            kind: kind(snapshot, symbol.kind),
            tags: None,
            deprecated: None,
            location: lsp::Location::new(uri.clone(), snapshot.range(&symbol.range)),
            container_name: inside.map(str::to_owned),
        });
        flatten(snapshot, uri, Some(&symbol.name), &symbol.children, list);
    }
}

/// A kind in the protocol's words. Clients without a list of kinds know those of its first version only.
pub fn kind(snapshot: &DocumentSnapshot, kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Kernel => lsp::SymbolKind::METHOD,
        SymbolKind::Function => lsp::SymbolKind::FUNCTION,
        SymbolKind::Variable => lsp::SymbolKind::FIELD,
        SymbolKind::Parameter | SymbolKind::Register => lsp::SymbolKind::VARIABLE,
        SymbolKind::Label if snapshot.features.symbol_kinds => lsp::SymbolKind::KEY,
        SymbolKind::Label => lsp::SymbolKind::CONSTANT,
    }
}
