//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `callHierarchy/outgoingCalls`.

use crate::document_snapshot::DocumentSnapshot;
use ide::features::{Call, Callable};
use tower_lsp::ls_types as lsp;

/// The function at a position.
pub fn prepare(snapshot: &DocumentSnapshot, position: lsp::Position) -> Option<Vec<lsp::CallHierarchyItem>> {
    Some(vec![item(snapshot, &snapshot.source.callable(snapshot.offset(position))?)?])
}

/// Who calls a function.
pub fn incoming(snapshot: &DocumentSnapshot, name: &str) -> Vec<lsp::CallHierarchyIncomingCall> {
    let call = |call: Call| {
        Some(lsp::CallHierarchyIncomingCall {
            from: item(snapshot, &call.other)?,
            from_ranges: ranges(snapshot, &call),
        })
    };
    snapshot.source.incoming_calls(name).into_iter().filter_map(call).collect()
}

/// Whom a function calls.
pub fn outgoing(snapshot: &DocumentSnapshot, name: &str) -> Vec<lsp::CallHierarchyOutgoingCall> {
    let call = |call: Call| {
        Some(lsp::CallHierarchyOutgoingCall { to: item(snapshot, &call.other)?, from_ranges: ranges(snapshot, &call) })
    };
    snapshot.source.outgoing_calls(name).into_iter().filter_map(call).collect()
}

fn ranges(snapshot: &DocumentSnapshot, call: &Call) -> Vec<lsp::Range> {
    call.at.iter().map(|range| snapshot.range(range)).collect()
}

fn item(snapshot: &DocumentSnapshot, function: &Callable) -> Option<lsp::CallHierarchyItem> {
    Some(lsp::CallHierarchyItem {
        name: function.name.clone(),
        kind: if function.kernel { lsp::SymbolKind::METHOD } else { lsp::SymbolKind::FUNCTION },
        tags: None,
        detail: None,
        uri: snapshot.uri.parse().ok()?,
        range: snapshot.range(&function.range),
        selection_range: snapshot.range(&function.selection),
        data: None,
    })
}
