//! URIs as the client spells them.
//!
//! Some clients leave characters raw that a URI has to escape: spaces, brackets, letters beyond ASCII. tower-lsp would reject such a message. The server
//! uses the escaped spelling, and its messages to the client have the client's spelling again.

use serde_json::{Map, Value};
use std::collections::HashMap;
use std::fmt::Write;
use std::sync::{Arc, PoisonError, RwLock};
use tower_lsp::ls_types as lsp;

/// The keys whose values are URIs in messages of clients.
const KEYS: [&str; 5] = ["uri", "rootUri", "scopeUri", "oldUri", "newUri"];

/// The spelling of the client for each URI that had to be escaped.
#[derive(Clone, Default)]
pub struct ClientUris(Arc<RwLock<HashMap<String, String>>>);

impl ClientUris {
    /// Escapes the invalid URIs of a message from the client.
    pub fn escape(&self, message: &mut Value) {
        match message {
            Value::Array(values) => values.iter_mut().for_each(|value| self.escape(value)),
            Value::Object(members) => {
                for (key, value) in members {
                    match value {
                        Value::String(uri) if KEYS.contains(&key.as_str()) => self.escape_uri(uri),
                        Value::Array(_) | Value::Object(_) => self.escape(value),
                        _ => {}
                    }
                }
            }
            _ => {}
        }
    }

    fn escape_uri(&self, uri: &mut String) {
        if uri.parse::<lsp::Uri>().is_ok() {
            return;
        }
        let escaped = escape(uri);
        if escaped.parse::<lsp::Uri>().is_ok() {
            let raw = std::mem::replace(uri, escaped.clone());
            self.0.write().unwrap_or_else(PoisonError::into_inner).insert(escaped, raw);
        }
    }

    /// Whether no URI had to be escaped.
    pub fn is_empty(&self) -> bool {
        self.0.read().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// Restores the spelling of the client in a message to it.
    pub fn restore(&self, message: &mut Value) {
        restore(&self.0.read().unwrap_or_else(PoisonError::into_inner), message);
    }
}

fn restore(spellings: &HashMap<String, String>, value: &mut Value) {
    match value {
        Value::String(text) => {
            if let Some(raw) = spellings.get(text) {
                text.clone_from(raw);
            }
        }
        Value::Array(values) => values.iter_mut().for_each(|value| restore(spellings, value)),
        Value::Object(members) => {
            members.values_mut().for_each(|member| restore(spellings, member));
            // The changes of a `WorkspaceEdit` have URIs as keys.
            if members.keys().any(|key| spellings.contains_key(key)) {
                let renamed = std::mem::take(members).into_iter();
                let renamed = renamed.map(|(key, member)| (spellings.get(&key).cloned().unwrap_or(key), member));
                *members = renamed.collect::<Map<_, _>>();
            }
        }
        _ => {}
    }
}

/// Escapes what a URI must not contain, also a `%` without two digits.
fn escape(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let mut escaped = String::with_capacity(uri.len() + 8);
    for (at, byte) in bytes.iter().enumerate() {
        let is_escape = || bytes.get(at + 1..at + 3).is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let is_legal = match byte {
            b'%' => is_escape(),
            _ => byte.is_ascii_alphanumeric() || b"-._~:/?#@!$&'()*+,;=".contains(byte),
        };
        if is_legal {
            escaped.push(char::from(*byte));
        } else {
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn raw_characters_are_escaped_and_restored() {
        let uris = ClientUris::default();
        let raw = "file:///a b/[x]{y}|z^é 50%.ptx";
        let mut message =
            json!({"params": {"textDocument": {"uri": raw, "text": raw}, "items": [{"uri": "file:///a%20b"}]}});
        uris.escape(&mut message);
        let escaped = "file:///a%20b/%5Bx%5D%7By%7D%7Cz%5E%C3%A9%2050%25.ptx";
        let params = &message["params"];
        assert_eq!((&params["textDocument"]["uri"], &params["textDocument"]["text"]), (&json!(escaped), &json!(raw)));
        assert_eq!(params["items"][0]["uri"], "file:///a%20b");
        let mut answer = json!({"changes": {escaped: [escaped]}, "uri": "file:///other"});
        uris.restore(&mut answer);
        assert_eq!(answer, json!({"changes": {raw: [raw]}, "uri": "file:///other"}));
    }

    #[test]
    fn what_is_no_uri_remains() {
        let uris = ClientUris::default();
        let mut message = json!({"uri": "no uri at all", "rootUri": null});
        uris.escape(&mut message);
        assert_eq!(message, json!({"uri": "no uri at all", "rootUri": null}));
        assert!(uris.is_empty());
    }
}
