//! `textDocument/documentSymbol`: the outline.

use crate::view::View;
use ide::features::{DocumentSymbol, SymbolKind};
use tower_lsp::ls_types as lsp;

/// The outline: a tree, or a list for clients that know no trees.
pub fn document_symbol(view: &View) -> Option<lsp::DocumentSymbolResponse> {
    let symbols = view.source.document_symbols();
    if view.features.trees {
        return Some(lsp::DocumentSymbolResponse::Nested(symbols.iter().map(|symbol| nested(view, symbol)).collect()));
    }
    let uri: lsp::Uri = view.uri.parse().ok()?;
    let mut list = Vec::new();
    flatten(view, &uri, None, &symbols, &mut list);
    Some(lsp::DocumentSymbolResponse::Flat(list))
}

#[expect(deprecated, reason = "the type has a field that the protocol has given up, and no other way to be made")]
fn nested(view: &View, symbol: &DocumentSymbol) -> lsp::DocumentSymbol {
    let children = symbol.children.iter().map(|child| nested(view, child)).collect::<Vec<_>>();
    lsp::DocumentSymbol {
        name: symbol.name.clone(),
        detail: Some(symbol.detail.clone()).filter(|detail| !detail.is_empty()),
        kind: kind(symbol.kind),
        tags: None,
        deprecated: None,
        range: view.range(&symbol.range),
        selection_range: view.range(&symbol.selection),
        children: Some(children).filter(|children| !children.is_empty()),
    }
}

#[expect(deprecated, reason = "as above")]
fn flatten(
    view: &View,
    uri: &lsp::Uri,
    inside: Option<&str>,
    symbols: &[DocumentSymbol],
    list: &mut Vec<lsp::SymbolInformation>,
) {
    for symbol in symbols {
        list.push(lsp::SymbolInformation {
            name: symbol.name.clone(),
            kind: kind(symbol.kind),
            tags: None,
            deprecated: None,
            location: lsp::Location::new(uri.clone(), view.range(&symbol.range)),
            container_name: inside.map(str::to_owned),
        });
        flatten(view, uri, Some(&symbol.name), &symbol.children, list);
    }
}

/// A kind in the protocol's words.
pub fn kind(kind: SymbolKind) -> lsp::SymbolKind {
    match kind {
        SymbolKind::Kernel => lsp::SymbolKind::METHOD,
        SymbolKind::Function => lsp::SymbolKind::FUNCTION,
        SymbolKind::Variable => lsp::SymbolKind::FIELD,
        SymbolKind::Parameter | SymbolKind::Register => lsp::SymbolKind::VARIABLE,
        SymbolKind::Label => lsp::SymbolKind::KEY,
    }
}
