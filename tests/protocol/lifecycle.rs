//! The lifecycle of a session, and requests for documents that do not exist.

use crate::client::{Client, at, publishes};
use crate::sample_modules::{CLEAN, with_error};
use serde_json::{Value, json};

const URI: &str = "file:///work/kernel.ptx";

/// Every request that the server knows, about a document and a position.
pub fn requests(uri: &str, line: u64, character: u64) -> Vec<(&'static str, Value)> {
    let document = json!({"uri": uri});
    let position = json!({"line": line, "character": character});
    let range = json!({"start": position, "end": {"line": 0, "character": 0}});
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let about = |more: Value| {
        let mut params = json!({"textDocument": document});
        for (key, value) in more.as_object().expect("an object") {
            params[key] = value.clone();
        }
        params
    };
    vec![
        ("textDocument/hover", about(json!({"position": position}))),
        ("textDocument/completion", about(json!({"position": position}))),
        ("textDocument/signatureHelp", about(json!({"position": position}))),
        ("textDocument/definition", about(json!({"position": position}))),
        ("textDocument/declaration", about(json!({"position": position}))),
        ("textDocument/references", about(json!({"position": position, "context": {"includeDeclaration": true}}))),
        ("textDocument/documentHighlight", about(json!({"position": position}))),
        ("textDocument/prepareRename", about(json!({"position": position}))),
        ("textDocument/rename", about(json!({"position": position, "newName": "other"}))),
        ("textDocument/linkedEditingRange", about(json!({"position": position}))),
        ("textDocument/prepareCallHierarchy", about(json!({"position": position}))),
        ("textDocument/selectionRange", about(json!({"positions": [position, position]}))),
        ("textDocument/onTypeFormatting", about(json!({"position": position, "ch": ";", "options": options}))),
        ("textDocument/codeAction", about(json!({"range": range, "context": {"diagnostics": []}}))),
        ("textDocument/inlayHint", about(json!({"range": range}))),
        ("textDocument/semanticTokens/range", about(json!({"range": range}))),
        ("textDocument/rangeFormatting", about(json!({"range": range, "options": options}))),
        ("textDocument/formatting", about(json!({"options": options}))),
        ("textDocument/semanticTokens/full", about(json!({}))),
        ("textDocument/semanticTokens/full/delta", about(json!({"previousResultId": "never was"}))),
        ("textDocument/documentSymbol", about(json!({}))),
        ("textDocument/foldingRange", about(json!({}))),
        ("textDocument/documentLink", about(json!({}))),
        ("textDocument/codeLens", about(json!({}))),
        ("textDocument/diagnostic", about(json!({}))),
        ("ptxAtomics/viewFileText", about(json!({}))),
        ("ptxAtomics/executions", about(json!({"position": position}))),
    ]
}

#[test]
fn nothing_before_initialize() {
    let mut client = Client::start();
    for (method, params) in requests(URI, 0, 0) {
        assert_eq!(client.error_code(method, params), -32002, "{method}");
    }
    for method in ["shutdown", "no/such/request"] {
        assert_eq!(client.error_code(method, Value::Null), -32002, "{method}");
    }
    // A document that is opened too early is not open.
    client.open(URI, 1, &with_error());
    client.initialize(json!({"capabilities": {}}));
    assert_eq!(client.server_text(URI), None);
    assert_eq!(client.error_code("initialize", json!({"capabilities": {}})), -32600);
    client.leave();
}

#[test]
fn a_failed_initialize_can_be_repeated() {
    let mut client = Client::start();
    assert_eq!(client.error_code("initialize", json!("nonsense")), -32602);
    assert_eq!(client.error_code("textDocument/hover", at(URI, 0, 0)), -32002);
    client.initialize(json!({"capabilities": {}}));
    client.leave();
}

#[test]
fn nothing_after_shutdown() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, CLEAN);
    client.diagnostics(URI, 1);
    assert_eq!(client.request("shutdown", Value::Null), Ok(Value::Null));
    for (method, params) in requests(URI, 0, 0) {
        assert_eq!(client.error_code(method, params), -32600, "{method}");
    }
    for method in ["shutdown", "initialize", "no/such/request"] {
        assert_eq!(client.error_code(method, json!({"capabilities": {}})), -32600, "{method}");
    }
    client.change(URI, 2, json!([{"text": with_error()}]));
    assert_eq!(client.error_code("textDocument/hover", at(URI, 0, 0)), -32600);
    assert!(!client.unclaimed().iter().any(|message| publishes(message, URI)));
    client.notify("exit", Value::Null);
    assert_eq!(client.end().code(), Some(0));
}

#[test]
fn leaving_without_goodbye_is_a_failure() {
    for initialized in [false, true] {
        let mut client = if initialized { Client::with(json!({})) } else { Client::start() };
        client.notify("exit", Value::Null);
        assert_eq!(client.end().code(), Some(1));
    }
}

#[test]
fn a_lost_client_ends_the_server() {
    let mut client = Client::start();
    client.hang_up();
    assert_eq!(client.end().code(), Some(1));

    let mut client = Client::with(json!({"workspace": {"configuration": true}}));
    client.open(URI, 1, CLEAN);
    client.asked("workspace/configuration");
    client.hang_up();
    assert_eq!(client.end().code(), Some(1), "also while the server waits for an answer");

    let mut client = Client::with(json!({}));
    client.request("shutdown", Value::Null).expect("succeeds");
    client.hang_up();
    assert_eq!(client.end().code(), Some(0));
}

#[test]
fn a_session_that_is_piped_in_gets_its_answers() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, CLEAN);
    let id = client.ask("ptxAtomics/viewFileText", json!({"textDocument": {"uri": URI}}));
    client.hang_up();
    assert_eq!(client.reply(id).expect("succeeds")["text"], CLEAN);

    let mut client = Client::with(json!({}));
    let id = client.ask("shutdown", Value::Null);
    client.notify("exit", Value::Null);
    assert_eq!(client.reply(id), Ok(Value::Null), "exit does not overtake the reply to shutdown");
}

#[test]
fn documents_that_are_not_open_answer_with_nothing() {
    let mut client = Client::with(json!({}));
    for uri in ["file:///nowhere.ptx", "untitled:x", "a:"] {
        for (method, params) in requests(uri, 3, 4) {
            let answer = client.request(method, params);
            let nothing =
                if method == "textDocument/diagnostic" { json!({"kind": "full", "items": []}) } else { Value::Null };
            assert_eq!(answer, Ok(nothing), "{method}");
        }
        client.change(uri, 2, json!([{"text": "x"}]));
        client.notify("textDocument/didSave", json!({"textDocument": {"uri": uri}}));
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
    }
    assert_eq!(client.error_code("no/such/request", Value::Null), -32601);
    assert_eq!(client.error_code("$/no/such/request", Value::Null), -32601);
    assert_eq!(client.error_code("textDocument/hover", json!({"textDocument": 5})), -32602);
    client.notify("no/such/notification", Value::Null);
    client.notify("$/setTrace", json!({"value": "verbose"}));
    assert!(client.unexpected().is_empty(), "nothing is said about what is not there");
    client.leave();
}

#[test]
fn absurd_positions_are_clamped() {
    let texts = ["", "\n", "x", "\u{1f600}", "\r\n\r\n", "atom.", "atom.global.add.u32 %r1, [%rd1], %r2;", CLEAN];
    let places = [
        (0, u64::from(u32::MAX)),
        (u64::from(u32::MAX), 0),
        (u64::from(u32::MAX), u64::from(u32::MAX)),
        (1, 1),
        (3, 7),
    ];
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut client = Client::counting_in(encoding);
        for (version, text) in texts.iter().enumerate() {
            client.open(URI, version as i32, text);
            for (line, character) in places {
                for (method, params) in requests(URI, line, character) {
                    let answer = client.request(method, params);
                    // A rename may be refused, with a reason.
                    let fine = answer
                        .as_ref()
                        .map_or_else(|error| method.ends_with("ename") && error["code"] == -32803, |_| true);
                    assert!(fine, "{method} at {line}:{character} of {text:?}: {answer:?}");
                }
            }
        }
        // What does not fit into the protocol's numbers at all is an error of that request alone.
        for (line, character) in [(u64::MAX, 0), (0, 1 << 32)] {
            assert_eq!(client.error_code("textDocument/hover", requests(URI, line, character).remove(0).1), -32602);
        }
        client.leave();
    }
}

#[test]
fn no_client_is_turned_away_over_a_capability() {
    for odd in [
        // Neovim 0.9 writes an empty table where the protocol has a boolean.
        json!({"textDocument": {"semanticTokens": {"requests": {"range": {}, "full": "?"}}, "hover": {"contentFormat": "markdown"}}}),
        json!({"textDocument": [], "workspace": 5, "window": null, "general": {"positionEncodings": "utf-8"}}),
    ] {
        let mut capabilities = odd.clone();
        capabilities["experimental"] = json!({"anything": [1, {}]});
        let mut client = Client::start();
        let params = json!({"processId": -1, "rootUri": "not a uri", "capabilities": capabilities, "locale": 5});
        assert_eq!(client.initialize(params)["capabilities"]["positionEncoding"], "utf-16");
        client.open(URI, 1, &with_error());
        assert_eq!(client.diagnostics(URI, 1).len(), 1);
        client.leave();
    }
}
