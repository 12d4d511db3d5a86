//! Changes are never lost over a number, and no client is turned away over a capability.
//!
//! A change that tower-lsp's types refuse, because a version is `null` or a column does not fit into 32 bits, would be dropped without a word and
//! leave the server with another text than the client's. Such numbers are mended before. An introduction of which a part has a shape that the
//! types do not know (Neovim 0.9 sends `{}` for a boolean) would fail as a whole; that part is left out. Must not know what messages do.

use crate::middleware::{Middleware, RequestService, ResponseFuture};
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::jsonrpc::Request;
use tower_lsp::ls_types as lsp;

/// The middleware: mends what goes to a service.
pub struct Sanitizer;

impl Middleware for Sanitizer {
    fn call<S: RequestService>(&mut self, inner: &mut S, request: Request) -> ResponseFuture<S::Error> {
        let mend = match request.method() {
            "textDocument/didChange" | "textDocument/didOpen" => mend_change,
            "initialize" => mend_introduction,
            _ => return Box::pin(inner.call(request)),
        };
        let (method, id, params) = request.into_parts();
        let mut mended = Request::build(method);
        if let Some(mut params) = params {
            mend(&mut params);
            mended = mended.params(params);
        }
        if let Some(id) = id {
            mended = mended.id(id);
        }
        Box::pin(inner.call(mended.finish()))
    }
}

fn mend_change(params: &mut Value) {
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

/// Leaves out, member by member, what the types do not know.
fn mend_introduction(params: &mut Value) {
    if lsp::InitializeParams::deserialize(&*params).is_ok() {
        return;
    }
    let Some(members) = params.as_object_mut() else { return };
    members.entry("capabilities").or_insert_with(|| json!({}));
    members.retain(|name, member| match member.as_object_mut().filter(|_| name == "capabilities") {
        Some(groups) => {
            groups.retain(|group, member| mend_group(group, member));
            true
        }
        None => lsp::InitializeParams::deserialize(json!({"capabilities": {}, name.as_str(): member})).is_ok(),
    });
}

/// Leaves out of a group of capabilities what the types do not know; `false` if nothing of it can stay.
fn mend_group(group: &str, member: &mut Value) -> bool {
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
    fn what_no_type_knows_is_left_out_of_an_introduction_and_nothing_else() {
        let good = json!({"general": {"positionEncodings": ["utf-8"]}, "workspace": {"configuration": true}});
        let mut params =
            json!({"processId": "x", "rootUri": "no uri at all", "capabilities": good, "initializationOptions": [1]});
        params["capabilities"]["workspace"]["didChangeConfiguration"] = json!("yes");
        params["capabilities"]["textDocument"] = json!(7);
        params["capabilities"]["window"] = json!({"workDoneProgress": {}});
        mend_introduction(&mut params);
        let mut expected = json!({"capabilities": good, "initializationOptions": [1]});
        expected["capabilities"]["window"] = json!({});
        assert_eq!(params, expected);
        assert!(lsp::InitializeParams::deserialize(&params).is_ok());

        let mut bare = json!({});
        mend_introduction(&mut bare);
        assert_eq!(bare, json!({"capabilities": {}}));
        for nonsense in [json!(null), json!("x"), json!([])] {
            let mut mended = nonsense.clone();
            mend_introduction(&mut mended);
            assert_eq!(mended, nonsense);
        }
    }

    #[test]
    fn numbers_are_brought_into_their_range_and_the_rest_is_left_alone() {
        let range =
            json!({"start": {"line": -1, "character": 1e99}, "end": {"line": 4_294_967_296_u64, "character": null}});
        let mut params = json!({
            "textDocument": {"uri": "file:///a.ptx", "version": null},
            "contentChanges": [{"range": range, "rangeLength": -5, "text": "x"}, {"text": "1e99"}],
        });
        mend_change(&mut params);
        let range = json!({"start": {"line": 0, "character": u32::MAX}, "end": {"line": u32::MAX, "character": 0}});
        let expected = json!({
            "textDocument": {"uri": "file:///a.ptx", "version": 0},
            "contentChanges": [{"range": range, "text": "x"}, {"text": "1e99"}],
        });
        assert_eq!(params, expected);
        for odd in [json!(null), json!([1]), json!({"contentChanges": 3, "textDocument": []})] {
            let mut mended = odd.clone();
            mend_change(&mut mended);
            assert_eq!(mended, odd);
        }
    }
}
