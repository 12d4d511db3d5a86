//! `textDocument/prepareCallHierarchy`, `callHierarchy/incomingCalls` and `callHierarchy/outgoingCalls`.

use crate::documents::document_snapshot::DocumentSnapshot;
use ide::features::{Call, Callable};
use serde_json::json;
use syntax::readable;
use tower_lsp::ls_types as lsp;

/// The name of an item's function in the text. Clients that drop the item's data send the name that is shown.
pub fn written_name(item: lsp::CallHierarchyItem) -> String {
    let written = item.data.as_ref().and_then(|data| Some(data.get("name")?.as_str()?.to_owned()));
    written.unwrap_or(item.name)
}

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
    let name = readable(&function.name);
    let is_mangled = *name != *function.name;
    Some(lsp::CallHierarchyItem {
        name: name.into_owned(),
        kind: if function.kernel { lsp::SymbolKind::METHOD } else { lsp::SymbolKind::FUNCTION },
        tags: None,
        detail: is_mangled.then(|| function.name.clone()),
        uri: snapshot.uri.parse().ok()?,
        range: snapshot.range(&function.range),
        selection_range: snapshot.range(&function.selection),
        data: Some(json!({"name": function.name})),
    })
}
