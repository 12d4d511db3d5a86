//! Clients that bend the protocol: raw characters in URIs, lone surrogates, a process that ends without a word.

use crate::client::Client;
use crate::sample_modules::{ATOMIC_LINE, CLEAN, with_error};
use serde_json::{Value, json};

#[test]
fn a_uri_with_raw_characters_is_used_as_the_client_spells_it() {
    let mut client = Client::with(
        json!({"textDocument": {"codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}}}}),
    );
    for uri in ["file:///w/a [b]|c^{d}.ptx", "file:///w/\u{e9}.ptx", "file:///w/50%.ptx"] {
        client.open(uri, 1, &with_error());
        assert_eq!(client.diagnostics(uri, 1).len(), 1, "{uri}");
        let place = json!({"line": ATOMIC_LINE, "character": 20});
        let params = json!({"textDocument": {"uri": uri}, "range": {"start": place, "end": place}, "context": {"diagnostics": []}});
        let actions = client.request("textDocument/codeAction", params).expect("succeeds");
        assert!(actions[0]["edit"]["changes"][uri].is_array(), "{uri}: {actions}");
    }
    client.leave();
}

#[test]
fn a_text_with_a_lone_surrogate_is_opened() {
    let mut client = Client::with(json!({}));
    let text = format!("// SURROGATE\n{CLEAN}");
    let document = json!({"uri": "file:///a.ptx", "languageId": "ptx", "version": 1, "text": text});
    let body = json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": {"textDocument": document}});
    let body = body.to_string().replace("SURROGATE", "\\ud83d");
    client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    assert_eq!(client.server_text("file:///a.ptx"), Some((1, text.replace("SURROGATE", "\u{fffd}"))));
    client.leave();
}

/// A client may compute a change unit by unit: of two emoji that begin with the same unit, it sends the second one.
#[test]
fn halves_of_a_character_that_come_in_two_changes_are_a_character() {
    let mut client = Client::with(json!({}));
    let uri = "file:///a.ptx";
    client.open(uri, 1, &format!("// \n{CLEAN}"));
    let place = |column: u32| json!({"line": 0, "character": column});
    let mut change = |version: i32, start: u32, end: u32, text: &str, expected: &str| {
        let changes = json!([{"range": {"start": place(start), "end": place(end)}, "text": "TEXT"}]);
        let document = json!({"uri": uri, "version": version});
        let params = json!({"textDocument": document, "contentChanges": changes});
        let body = json!({"jsonrpc": "2.0", "method": "textDocument/didChange", "params": params});
        let body = body.to_string().replace("TEXT", text);
        client.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        assert_eq!(client.server_text(uri), Some((version.into(), format!("// {expected}\n{CLEAN}"))), "{version}");
    };
    change(2, 3, 3, "\\ud83d", "\u{fffd}");
    change(3, 4, 4, "\\ude00", "\u{1f600}");
    change(4, 4, 5, "\\ude01", "\u{1f601}");
    change(5, 3, 4, "", "\u{fffd}");
    change(6, 3, 3, "x\\ud83d", "x\u{1f601}");
    client.leave();
}

#[test]
fn a_client_that_prefers_plain_text_gets_no_markdown() {
    let plain = json!(["plaintext", "markdown"]);
    let mut client = Client::with(json!({"textDocument": {
        "hover": {"contentFormat": plain},
        "signatureHelp": {"signatureInformation": {"documentationFormat": plain}},
        "completion": {"completionItem": {"documentationFormat": plain}},
    }}));
    let uri = "file:///a.ptx";
    client.open(uri, 1, CLEAN);
    let asked = [
        ("textDocument/hover", 8),
        ("textDocument/hover", 18),
        ("textDocument/hover", 26),
        ("textDocument/signatureHelp", 26),
        ("textDocument/completion", 16),
    ];
    for (method, column) in asked {
        let id = client.ask_at(method, uri, ATOMIC_LINE, column);
        let answer = client.reply(id).expect("succeeds");
        let text = answer.to_string();
        assert!(!answer.is_null() && !text.contains(r#""markdown""#), "{method}");
        // The details of completion items are plain text anyway, and name operands in backticks.
        let is_completion = method == "textDocument/completion";
        for markup in ["`", "**", "](", "---"].into_iter().skip(usize::from(is_completion)) {
            assert!(!text.contains(markup), "{method} {markup}: {text}");
        }
    }
    client.leave();
}

#[cfg(unix)]
#[test]
fn the_server_ends_with_the_process_of_its_client() {
    let mut other = std::process::Command::new("sleep").arg("600").spawn().expect("starts");
    let mut client = Client::start();
    client.initialize(json!({"capabilities": {}, "processId": other.id()}));
    assert!(client.server_text("file:///a.ptx").is_none(), "the server runs");
    other.kill().and_then(|()| other.wait()).expect("ends");
    assert_eq!(client.end().code(), Some(1), "no `shutdown` came");
}

#[test]
fn a_compilation_database_is_watched() {
    let mut client = Client::with(json!({"workspace": {"didChangeWatchedFiles": {"dynamicRegistration": true}}}));
    let registration = client.asked("client/registerCapability");
    let watchers = &registration["params"]["registrations"][0]["registerOptions"]["watchers"];
    let patterns = json!([{"globPattern": "**/ptx-atomics.toml"}, {"globPattern": "**/compile_commands.json"}]);
    assert_eq!(watchers, &patterns);
    client.answer(&registration, Value::Null);
    client.leave();
}

#[test]
fn formatting_keeps_line_ends_of_two_bytes_behind_comments() {
    let mut client = Client::counting_in("utf-8");
    let uri = "file:///a.ptx";
    let text = CLEAN.replace("{\n", "{ // c\n\n\n").replace("    ret;", "  ret; // d").replace('\n', "\r\n");
    client.open(uri, 1, &text);
    let params = json!({"textDocument": {"uri": uri}, "options": {"tabSize": 4, "insertSpaces": true}});
    let mut edits = client.request("textDocument/formatting", params.clone()).expect("succeeds");
    let edits = edits.as_array_mut().expect("an array");
    assert!(!edits.is_empty());
    edits.reverse();
    let changes: Vec<Value> =
        edits.iter().map(|edit| json!({"range": edit["range"], "text": edit["newText"]})).collect();
    client.change(uri, 2, json!(changes));
    let (_, formatted) = client.server_text(uri).expect("is open");
    assert!(!formatted.replace("\r\n", "").contains(['\r', '\n']), "{formatted:?}");
    assert_eq!(client.request("textDocument/formatting", params), Ok(json!([])), "formatted text remains");
    client.leave();
}
