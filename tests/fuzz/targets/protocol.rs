//! The language server, over a stream.
//!
//! No input may name a folder to search.

use diagnostics::Settings;
use serde_json::{Value, json};
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

/// A stream that keeps what is written.
#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no writer panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// What begins with a header is a stream as it is. Of another input each line is a message, after an introduction.
pub fn run(bytes: &[u8]) {
    if bytes.get(..7).is_some_and(|head| head.eq_ignore_ascii_case(b"content")) {
        let names_files = bytes.windows(5).any(|five| five.eq_ignore_ascii_case(b"file:") || five == b"\\u006");
        if !names_files {
            replies(bytes.to_vec());
        }
        return;
    }
    let mut stream = Vec::new();
    let mut say = |body: &[u8]| {
        stream.extend_from_slice(format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes());
        stream.extend_from_slice(body);
    };
    let introduction =
        json!({"jsonrpc": "2.0", "id": "introduction", "method": "initialize", "params": {"capabilities": {}}});
    say(introduction.to_string().as_bytes());
    let mut named = vec![json!("introduction")];
    let mut asked = named.clone();
    let mut ends = false;
    for line in bytes.split(|byte| *byte == b'\n') {
        if let Ok(message) = serde_json::from_slice::<Value>(line) {
            let method = message["method"].as_str().unwrap_or_default();
            if searches(method) {
                continue;
            }
            ends |= method == "exit" || method == "shutdown";
            // An error names the request where it can, also of what is no request.
            named.extend(message.get("id").cloned());
            asked.extend(message.get("id").filter(|_| !method.is_empty()).cloned());
        }
        say(line);
    }
    let replies = replies(stream);
    for id in &replies {
        let often = |ids: &[Value]| ids.iter().filter(|other| *other == id).count();
        assert!(id.is_null() || often(&replies) <= often(&named), "{id} is answered once: {replies:?}");
    }
    for id in asked.iter().filter(|id| !ends && (id.is_i64() || id.is_string())) {
        assert!(replies.contains(id), "{id} is answered: {replies:?}");
    }
}

/// Whether a message could make the server search a folder.
fn searches(method: &str) -> bool {
    method == "initialize" || method == "workspace/didChangeWorkspaceFolders"
}

/// The ids of what a server replies to a stream; none of it is a failure of the server's.
fn replies(stream: Vec<u8>) -> Vec<Value> {
    let kept = Kept::default();
    lsp::run(Settings::default(), Cursor::new(stream), kept.clone()).expect("the system gives threads");
    let said = kept.0.lock().expect("no writer panics").clone();
    let mut rest = &said[..];
    let mut ids = Vec::new();
    while !rest.is_empty() {
        let (head, body) =
            rest.split_at(rest.windows(4).position(|four| four == b"\r\n\r\n").expect("a header ends") + 4);
        let length = head.strip_prefix(b"Content-Length: ").expect("a length").trim_ascii();
        let length: usize = std::str::from_utf8(length).expect("digits").parse().expect("a number");
        let (body, after) = body.split_at(length);
        let message: Value = serde_json::from_slice(body).expect("the server speaks JSON");
        assert_ne!(message["error"]["code"], -32603, "a handler failed: {message}");
        let fails = message["method"] == "window/logMessage" && message["params"]["type"] == 1;
        assert!(!fails, "a check failed: {message}");
        if message.get("method").is_none() {
            ids.push(message["id"].clone());
        }
        rest = after;
    }
    ids
}
