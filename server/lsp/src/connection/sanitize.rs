//! Corrects messages that tower-lsp's types would reject.
//!
//! A change with a `null` version or a column beyond 32 bits would be dropped silently and
//! leave the server with another text than the client. Such numbers are corrected. In `initialize`, capabilities of an
//! unknown shape (Neovim 0.9 sends `{}` for a boolean) would fail the whole request; they are removed.

use crate::connection::middleware::{Middleware, RequestService, ResponseFuture};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Request;
use tower_lsp::ls_types as lsp;

/// Middleware that corrects messages.
pub struct Sanitizer;

impl Middleware for Sanitizer {
    fn call<S: RequestService>(&mut self, inner: &mut S, request: Request) -> ResponseFuture<S::Error> {
        let sanitize = match request.method() {
            "textDocument/didChange" | "textDocument/didOpen" => sanitize_change,
            "initialize" => sanitize_initialize,
            _ => return Box::pin(inner.call(request)),
        };
        let (method, id, params) = request.into_parts();
        let mut sanitized = Request::build(method);
        if let Some(mut params) = params {
            sanitize(&mut params);
            sanitized = sanitized.params(params);
        }
        if let Some(id) = id {
            sanitized = sanitized.id(id);
        }
        Box::pin(inner.call(sanitized.finish()))
    }
}

fn sanitize_change(params: &mut Value) {
    if let Some(document) = params.get_mut("textDocument").and_then(Value::as_object_mut) {
        let version = document.get("version").and_then(Value::as_f64).unwrap_or(0.0);
        document.insert("version".to_owned(), Value::from(version as i32));
    }
    for change in params.get_mut("contentChanges").and_then(Value::as_array_mut).into_iter().flatten() {
        let Some(change) = change.as_object_mut() else { continue };
        change.remove("rangeLength");
        for end in ["start", "end"] {
            let position = change.get_mut("range").and_then(|range| range.get_mut(end)).and_then(Value::as_object_mut);
            for (_, number) in position.into_iter().flatten() {
                // A cast from floating point saturates.
                *number = Value::from(number.as_f64().unwrap_or(0.0) as u32);
            }
        }
    }
}

/// Removes each member of `initialize` that the types reject.
fn sanitize_initialize(params: &mut Value) {
    if lsp::InitializeParams::deserialize(&*params).is_ok() {
        return;
    }
    let Some(members) = params.as_object_mut() else { return };
    members.entry("capabilities").or_insert_with(|| json!({}));
    members.retain(|name, member| match member.as_object_mut().filter(|_| name == "capabilities") {
        Some(groups) => {
            groups.retain(|group, member| sanitize_group(group, member));
            true
        }
        None => lsp::InitializeParams::deserialize(json!({"capabilities": {}, name.as_str(): member})).is_ok(),
    });
}

/// Removes the capabilities of a group that the types reject; `false` if the group itself is invalid.
fn sanitize_group(group: &str, member: &mut Value) -> bool {
    let known = |value: Value| lsp::ClientCapabilities::deserialize(json!({group: value})).is_ok();
    if let Some(capabilities) = member.as_object_mut() {
        capabilities.retain(|name, capability| known(json!({name.as_str(): capability})));
    }
    known(member.clone())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_invalid_capabilities_are_removed_from_initialize() {
        let good = json!({"general": {"positionEncodings": ["utf-8"]}, "workspace": {"configuration": true}});
        let mut params =
            json!({"processId": "x", "rootUri": "no uri at all", "capabilities": good, "initializationOptions": [1]});
        params["capabilities"]["workspace"]["didChangeConfiguration"] = json!("yes");
        params["capabilities"]["textDocument"] = json!(7);
        params["capabilities"]["window"] = json!({"workDoneProgress": {}});
        sanitize_initialize(&mut params);
        let mut expected = json!({"capabilities": good, "initializationOptions": [1]});
        expected["capabilities"]["window"] = json!({});
        assert_eq!(params, expected);
        assert!(lsp::InitializeParams::deserialize(&params).is_ok());

        let mut bare = json!({});
        sanitize_initialize(&mut bare);
        assert_eq!(bare, json!({"capabilities": {}}));
        for invalid in [json!(null), json!("x"), json!([])] {
            let mut sanitized = invalid.clone();
            sanitize_initialize(&mut sanitized);
            assert_eq!(sanitized, invalid);
        }
    }

    #[test]
    fn numbers_are_clamped_and_nothing_else_changes() {
        let range =
            json!({"start": {"line": -1, "character": 1e99}, "end": {"line": 4_294_967_296_u64, "character": null}});
        let mut params = json!({
            "textDocument": {"uri": "file:///a.ptx", "version": null},
            "contentChanges": [{"range": range, "rangeLength": -5, "text": "x"}, {"text": "1e99"}],
        });
        sanitize_change(&mut params);
        let range = json!({"start": {"line": 0, "character": u32::MAX}, "end": {"line": u32::MAX, "character": 0}});
        let expected = json!({
            "textDocument": {"uri": "file:///a.ptx", "version": 0},
            "contentChanges": [{"range": range, "text": "x"}, {"text": "1e99"}],
        });
        assert_eq!(params, expected);
        for unexpected in [json!(null), json!([1]), json!({"contentChanges": 3, "textDocument": []})] {
            let mut sanitized = unexpected.clone();
            sanitize_change(&mut sanitized);
            assert_eq!(sanitized, unexpected);
        }
    }
}
