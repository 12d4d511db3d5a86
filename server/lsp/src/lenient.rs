//! Changes are never lost over a number.
//!
//! A change that tower-lsp's types refuse, because a version is `null` or a column does not fit into 32 bits, would be dropped without a word and
//! leave the server with another text than the client's. Such numbers are mended before. Must not know what a change does.

use serde_json::Value;
use std::task::{Context, Poll};
use tower::Service;
use tower_lsp::jsonrpc::Request;

/// The layer.
pub struct Lenient<S> {
    inner: S,
}

impl<S> Lenient<S> {
    /// Mends what goes to a service.
    pub fn new(inner: S) -> Self {
        Lenient { inner }
    }
}

impl<S: Service<Request>> Service<Request> for Lenient<S> {
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        if !matches!(request.method(), "textDocument/didChange" | "textDocument/didOpen") {
            return self.inner.call(request);
        }
        let (method, id, params) = request.into_parts();
        let mut mended = Request::build(method);
        if let Some(mut params) = params {
            mend(&mut params);
            mended = mended.params(params);
        }
        if let Some(id) = id {
            mended = mended.id(id);
        }
        self.inner.call(mended.finish())
    }
}

fn mend(params: &mut Value) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn numbers_are_brought_into_their_range_and_the_rest_is_left_alone() {
        let range =
            json!({"start": {"line": -1, "character": 1e99}, "end": {"line": 4_294_967_296_u64, "character": null}});
        let mut params = json!({
            "textDocument": {"uri": "file:///a.ptx", "version": null},
            "contentChanges": [{"range": range, "rangeLength": -5, "text": "x"}, {"text": "1e99"}],
        });
        mend(&mut params);
        let range = json!({"start": {"line": 0, "character": u32::MAX}, "end": {"line": u32::MAX, "character": 0}});
        let expected = json!({
            "textDocument": {"uri": "file:///a.ptx", "version": 0},
            "contentChanges": [{"range": range, "text": "x"}, {"text": "1e99"}],
        });
        assert_eq!(params, expected);
        for odd in [json!(null), json!([1]), json!({"contentChanges": 3, "textDocument": []})] {
            let mut mended = odd.clone();
            mend(&mut mended);
            assert_eq!(mended, odd);
        }
    }
}
