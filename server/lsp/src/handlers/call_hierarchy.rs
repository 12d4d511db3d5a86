//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `callHierarchy/outgoingCalls`.

use crate::view::View;
use ide::features::{Call, Callable};
use tower_lsp::ls_types as lsp;

/// The function at a position.
pub fn prepare(view: &View, position: lsp::Position) -> Option<Vec<lsp::CallHierarchyItem>> {
    Some(vec![item(view, &view.source.callable(view.offset(position))?)?])
}

/// Who calls a function.
pub fn incoming(view: &View, name: &str) -> Vec<lsp::CallHierarchyIncomingCall> {
    let call = |call: Call| {
        Some(lsp::CallHierarchyIncomingCall { from: item(view, &call.other)?, from_ranges: ranges(view, &call) })
    };
    view.source.incoming_calls(name).into_iter().filter_map(call).collect()
}

/// Whom a function calls.
pub fn outgoing(view: &View, name: &str) -> Vec<lsp::CallHierarchyOutgoingCall> {
    let call = |call: Call| {
        Some(lsp::CallHierarchyOutgoingCall { to: item(view, &call.other)?, from_ranges: ranges(view, &call) })
    };
    view.source.outgoing_calls(name).into_iter().filter_map(call).collect()
}

fn ranges(view: &View, call: &Call) -> Vec<lsp::Range> {
    call.at.iter().map(|range| view.range(range)).collect()
}

fn item(view: &View, function: &Callable) -> Option<lsp::CallHierarchyItem> {
    Some(lsp::CallHierarchyItem {
        name: function.name.clone(),
        kind: if function.kernel { lsp::SymbolKind::METHOD } else { lsp::SymbolKind::FUNCTION },
        tags: None,
        detail: None,
        uri: view.uri.parse().ok()?,
        range: view.range(&function.range),
        selection_range: view.range(&function.selection),
        data: None,
    })
}
