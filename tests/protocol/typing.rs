//! A user who types: no error at the cursor, and the same as the command line after a pause.

use crate::client::{Client, publishes};
use serde_json::{Value, json};

const URI: &str = "file:///work/typed.ptx";

/// A module with an error before and after the place where one types.
const MODULE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.func f(.reg .b64 a, .reg .u32 r) {\n\
    red.global.add.s8 [a], r;\n\nred.global.add.s16 [a], r;\nret;\n}\n";

/// A session with the module, in which a pause is so long.
fn session(capabilities: Value, pause: u64) -> Client {
    let mut client = Client::start();
    let options = json!({"diagnosticsDelay": pause});
    client.initialize(json!({"capabilities": capabilities, "initializationOptions": options}));
    client.open(URI, 1, MODULE);
    client
}

/// Types a key in the empty line.
fn insert(client: &mut Client, column: usize, key: char, version: i32) {
    let place = json!({"line": 5, "character": column});
    client.change(URI, version, json!([{"range": {"start": place, "end": place}, "text": key.to_string()}]));
}

fn codes(diagnostics: &[Value]) -> Vec<&str> {
    diagnostics.iter().map(|one| one["code"].as_str().expect("a code")).collect()
}

/// So long that no test ends after it.
const NEVER: u64 = 3_600_000;

const OTHERS: [&str; 2] = ["illegal-type", "illegal-type"];

#[test]
fn no_key_of_an_instruction_publishes_an_error_at_the_cursor() {
    let mut client = session(json!({}), NEVER);
    assert_eq!(codes(&client.diagnostics(URI, 1)), OTHERS);
    for (version, (column, key)) in (2..).zip("atom.global.add.u32 r, [a], {".chars().enumerate()) {
        insert(&mut client, column, key, version);
        let found = client.diagnostics(URI, version);
        assert_eq!(codes(&found), OTHERS, "{version}");
        assert_eq!([&found[0]["range"]["start"]["line"], &found[1]["range"]["start"]["line"]], [4, 6]);
    }
    client.leave();
}

#[test]
fn a_pause_shows_the_error_without_another_edit() {
    let mut client = session(json!({}), 1);
    client.diagnostics(URI, 1);
    insert(&mut client, 0, 'x', 2);
    let shown = |message: &Value| {
        publishes(message, URI)
            && message["params"]["version"] == 2
            && message["params"]["diagnostics"].as_array().is_some_and(|all| codes(all).contains(&"syntax-error"))
    };
    client.wait("the error of the half-typed line", shown);
    client.leave();
}

#[test]
fn the_cursor_in_another_line_and_a_change_of_many_lines_show_all() {
    for leave in ["cursor", "change"] {
        let mut client = session(json!({}), NEVER);
        client.diagnostics(URI, 1);
        for (version, (column, key)) in (2..).zip("ret".chars().enumerate()) {
            insert(&mut client, column, key, version);
            assert_eq!(codes(&client.diagnostics(URI, version)), OTHERS);
        }
        let cursor = |line: u32| json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": 0}});
        client.notify("ptxAtomics/cursor", cursor(5));
        let last = if leave == "cursor" {
            client.notify("ptxAtomics/cursor", cursor(7));
            4
        } else {
            let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 0}});
            client.change(URI, 5, json!([{"range": range, "text": "// one\n// two\n"}]));
            5
        };
        let found = client.diagnostics(URI, last);
        assert!(codes(&found).contains(&"syntax-error"), "{leave}: {found:?}");
        client.leave();
    }
}

#[test]
fn a_client_that_pulls_is_told_to_pull_again() {
    let capabilities = json!({
        "textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}},
    });
    let mut client = session(capabilities, NEVER);
    let asked = json!({"textDocument": {"uri": URI}});
    let first = client.request("textDocument/diagnostic", asked.clone()).expect("succeeds");
    assert_eq!(codes(first["items"].as_array().expect("a list")), OTHERS);
    insert(&mut client, 0, 'x', 2);
    let typing = client.request("textDocument/diagnostic", asked.clone()).expect("succeeds");
    assert!(!codes(typing["items"].as_array().expect("a list")).contains(&"syntax-error"), "{typing}");
    client.notify("ptxAtomics/cursor", json!({"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}));
    let refresh = client.asked("workspace/diagnostic/refresh");
    client.answer(&refresh, Value::Null);
    let again = json!({"textDocument": {"uri": URI}, "previousResultId": typing["resultId"]});
    let shown = client.request("textDocument/diagnostic", again).expect("succeeds");
    assert!(codes(shown["items"].as_array().expect("a full report")).contains(&"syntax-error"), "{shown}");
    client.leave();
}

#[test]
fn a_client_that_cannot_be_told_gets_all_at_once() {
    let mut client = session(json!({"textDocument": {"diagnostic": {}}}), NEVER);
    insert(&mut client, 0, 'x', 2);
    let shown = client.request("textDocument/diagnostic", json!({"textDocument": {"uri": URI}})).expect("succeeds");
    assert!(codes(shown["items"].as_array().expect("a list")).contains(&"syntax-error"), "{shown}");
    client.leave();
}
