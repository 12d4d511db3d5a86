//! Five situations in which a server on plain tower-lsp fails.

use crate::client::{Client, is_reply_to};
use crate::sample_modules::{ATOMIC_COLUMN, ATOMIC_LINE, CLEAN, large, with_error};
use serde_json::{Value, json};

const URI: &str = "file:///work/kernel.ptx";
const LARGE: &str = "file:///work/large.ptx";

/// The first trap: changes are applied out of order. Each of these makes sense only after the one before.
#[test]
fn changes_are_applied_in_order_also_beside_slow_requests() {
    let mut client = Client::with(json!({}));
    client.open(LARGE, 1, &large(300));
    client.open(URI, 0, "");
    let mut expected = String::new();
    for version in 1..=300_usize {
        if version % 20 == 1 {
            client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": LARGE}}));
        }
        let word = format!("{version},");
        let end = json!({"line": 0, "character": expected.len()});
        client.change(URI, version as i32, json!([{"range": {"start": end, "end": end}, "text": word}]));
        expected.push_str(&word);
        if version % 50 == 0 {
            assert_eq!(client.server_text(URI), Some((version as i64, expected.clone())));
        }
    }
    assert_eq!(client.server_text(URI), Some((300, expected)));
}

/// The second: a cancel is not seen while four requests run.
#[test]
fn a_cancellation_takes_effect_behind_many_running_requests() {
    let mut client = Client::with(json!({}));
    client.open(LARGE, 1, &large(600));
    let asked: Vec<i64> =
        (0..12).map(|_| client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": LARGE}}))).collect();
    for id in &asked[6..] {
        client.cancel(*id);
    }
    for id in &asked[6..] {
        let error = client.reply(*id).expect_err("was cancelled");
        assert_eq!(error["code"], -32800);
    }
    let first = client.reply(asked[0]).expect("was not cancelled");
    assert_eq!(first["items"].as_array().map(Vec::len), Some(600));
    for id in &asked[1..6] {
        assert_eq!(client.reply(*id).as_ref(), Ok(&first));
    }
    // A cancel of what has been answered, or was never asked, is nothing.
    client.cancel(asked[0]);
    client.cancel(123_456);
    client.notify("$/cancelRequest", json!({"id": "no such"}));
    client.leave();
}

/// The third: one blocking handler stops everything.
#[test]
fn a_long_request_does_not_hold_up_others() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, CLEAN);
    client.open(LARGE, 1, &large(600));
    let long = client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": LARGE}}));
    let short = client.ask_at("textDocument/hover", URI, ATOMIC_LINE, ATOMIC_COLUMN);
    let first = client.wait("a reply", |message| is_reply_to(message, long) || is_reply_to(message, short));
    assert_eq!(first["id"], short, "the short one need not wait for the long one");
    assert!(client.reply(long).is_ok());
    client.leave();
}

/// The fourth: handlers that wait for the client fill the server, and a hundred queued messages close it for the answers.
#[test]
fn handlers_that_wait_for_the_client_do_not_fill_the_server() {
    let mut client = Client::with(json!({"workspace": {"configuration": true}}));
    let mut asked = vec![client.asked("workspace/configuration")];
    client.open(URI, 0, "");
    for _ in 0..8 {
        client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
        asked.push(client.asked("workspace/configuration"));
    }
    for version in 1..=130 {
        client.change(URI, version, json!([{"text": format!("// {version}")}]));
    }
    client.change(URI, 131, json!([{"text": with_error()}]));
    assert_eq!(client.server_text(URI), Some((131, with_error())), "before any answer");
    for request in asked {
        client.answer(&request, json!([null]));
    }
    assert_eq!(client.diagnostics(URI, 131).len(), 1);
    client.leave();
}

/// A request of the server's that is answered after all that could have wanted the answer is gone.
#[test]
fn late_and_unexpected_answers_are_survived() {
    let mut client = Client::with(json!({"workspace": {"configuration": true}}));
    let asked = client.asked("workspace/configuration");
    for id in [json!(99), json!("x"), Value::Null] {
        client.send(&json!({"jsonrpc": "2.0", "id": id, "result": []}));
    }
    client.send(&json!({"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "no"}}));
    client.answer(&asked, json!([{"target": "sm_70"}]));
    client.open(URI, 1, CLEAN);
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0]);
    client.leave();
}

/// The fifth: `exit` with standard input still open does not end the process.
#[test]
fn exit_ends_the_process_with_its_input_open_and_work_under_way() {
    let mut client = Client::with(json!({}));
    client.open(LARGE, 1, &large(600));
    for _ in 0..8 {
        client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": LARGE}}));
    }
    assert_eq!(client.request("shutdown", Value::Null), Ok(Value::Null));
    client.notify("exit", Value::Null);
    assert_eq!(client.end().code(), Some(0));
}
