//! `workspace/symbol`: kernels, functions and variables of all documents in the client's folders.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::documents::workspace_snapshot::WorkspaceSnapshot;
use crate::handlers::document_symbol::kind;
use crate::scheduling::work::CancelFlag;
use ide::features::{DocumentSymbol, SymbolKind};
use tower_lsp::ls_types as lsp;

/// The maximum number of symbols in an answer.
const MOST: usize = 1_000;

/// Symbols that match a query as a subsequence, open documents first; `None` if it was cancelled.
pub fn workspace_symbol(
    workspace: &WorkspaceSnapshot,
    query: &str,
    cancel: &CancelFlag,
) -> Option<Vec<lsp::WorkspaceSymbol>> {
    let mut found = Vec::new();
    for snapshot in &workspace.documents {
        if cancel.is_cancelled() {
            return None;
        }
        collect(snapshot, query, &mut found);
    }
    for file in workspace.closed(cancel) {
        if cancel.is_cancelled() {
            return None;
        }
        if found.len() >= MOST {
            break;
        }
        if let Some(snapshot) = workspace.parse(&file) {
            collect(&snapshot, query, &mut found);
        }
    }
    found.truncate(MOST);
    Some(found)
}

fn collect(snapshot: &DocumentSnapshot, query: &str, found: &mut Vec<lsp::WorkspaceSymbol>) {
    let Ok(uri) = snapshot.uri.parse::<lsp::Uri>() else { return };
    let symbols = snapshot.source.document_symbols();
    found.extend(symbols.iter().filter(|symbol| is_global(symbol)).filter_map(|symbol| {
        let (name, container_name) = matching_name(symbol, query)?;
        Some(lsp::WorkspaceSymbol {
            name: name.to_owned(),
            kind: kind(snapshot, symbol.kind),
            tags: None,
            container_name: container_name.map(str::to_owned),
            location: lsp::OneOf::Left(lsp::Location::new(uri.clone(), snapshot.range(&symbol.selection))),
            data: None,
        })
    }));
}

/// Which of a symbol's names a query matches, and the other one. Clients compare the query with the name again.
fn matching_name<'s>(symbol: &'s DocumentSymbol, query: &str) -> Option<(&'s str, Option<&'s str>)> {
    let (shown, mangled) = (&*symbol.name, symbol.mangled.as_deref());
    if fits(shown, query) {
        return Some((shown, mangled));
    }
    mangled.filter(|mangled| fits(mangled, query)).map(|mangled| (mangled, Some(shown)))
}

fn is_global(symbol: &DocumentSymbol) -> bool {
    matches!(symbol.kind, SymbolKind::Kernel | SymbolKind::Function | SymbolKind::Variable)
}

/// Whether a query is a subsequence of a name, ignoring case.
fn fits(name: &str, query: &str) -> bool {
    let mut rest = name.chars();
    query.chars().all(|wanted| rest.any(|have| have.eq_ignore_ascii_case(&wanted)))
}

#[cfg(test)]
mod tests {
    use crate::handlers::workspace_symbol::fits;

    #[test]
    fn letters_in_their_order_are_enough() {
        for query in ["", "kernel", "krl", "KL", "_2"] {
            assert!(fits("kernel_2", query), "{query}");
        }
        for query in ["lk", "kernel_22", "x"] {
            assert!(!fits("kernel_2", query), "{query}");
        }
    }
}
