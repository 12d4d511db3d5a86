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

/// Which of two requests is answered first.
fn first_reply(client: &mut Client, ids: [i64; 2]) -> i64 {
    let reply = client.wait("a reply", |message| ids.iter().any(|id| is_reply_to(message, *id)));
    reply["id"].as_i64().expect("the id of a request")
}

#[test]
fn a_small_document_does_not_wait_for_a_long_one_that_is_opened_changed_and_closed() {
    let mut client = Client::with(json!({}));
    let (small, long) = ("file:///small.ptx", "file:///long.ptx");
    client.open(small, 1, ".version 8.0\n.target sm_90\n.entry k() { red.global.add.u32 [1], 1; }\n");
    let text = format!(".version 8.0\n.target sm_90\n{}", ".global .u32 g;\n".repeat(200_000));
    client.open(long, 1, &text);
    let symbols =
        |client: &mut Client| client.ask("textDocument/documentSymbol", json!({"textDocument": {"uri": long}}));
    let of_long = symbols(&mut client);
    let hover = client.ask_at("textDocument/hover", small, 2, 16);
    assert_eq!(first_reply(&mut client, [of_long, hover]), hover, "while the long one is opened");
    assert!(client.reply(of_long).is_ok_and(|symbols| symbols.as_array().is_some_and(|list| list.len() == 200_000)));
    client.change(long, 2, json!([{"text": format!("{text}.global .u32 h;\n")}]));
    let of_long = symbols(&mut client);
    let hover = client.ask_at("textDocument/hover", small, 2, 16);
    assert_eq!(first_reply(&mut client, [of_long, hover]), hover, "while the long one is replaced");
    assert!(client.reply(of_long).is_ok_and(|symbols| symbols.as_array().is_some_and(|list| list.len() == 200_001)));
    // What is asked and told while it is with a worker comes in order.
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": long}}));
    client.open(long, 3, &text);
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": long}}));
    client.open(long, 4, ".version 8.0\n.global .u32 g;\n");
    let of_long = symbols(&mut client);
    assert!(client.reply(of_long).is_ok_and(|symbols| symbols.as_array().is_some_and(|list| list.len() == 1)));
    client.leave();
}

/// Each of them waits for the check of its document.
#[test]
fn other_requests_do_not_wait_for_many_pulled_diagnostics_of_a_long_document() {
    let mut client = Client::with(json!({"textDocument": {"diagnostic": {}}}));
    let (small, long) = ("file:///small.ptx", "file:///long.ptx");
    client.open(small, 1, ".version 8.0\n.target sm_90\n.entry k() { red.global.add.u32 [1], 1; }\n");
    client.open(long, 1, &large(2000));
    for _ in 0..200 {
        client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": long}}));
    }
    let hover = client.ask_at("textDocument/hover", small, 2, 16);
    let mut before = 0;
    while client.wait("a reply", |message| message.get("id").is_some())["id"] != hover {
        before += 1;
    }
    assert!(before < 100, "{before} of 200 replies came before");
    client.leave();
}

#[test]
fn other_requests_do_not_wait_for_runs_and_cancelled_runs_end() {
    // Runs for minutes, and ends: a loop that cannot end is found at once.
    const LOOP: &str = "\
        .version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n\t.reg .u64 %count;\n\t.reg .pred %again;\n\
        \tmov.u64 %count, 0;\nL:\n\tadd.u64 %count, %count, 1;\n\tsetp.lt.u64 %again, %count, 0x10000000000;\n\t@%again bra L;\n\tret;\n}\n";
    let mut client = Client::with(json!({}));
    let (small, long) = ("file:///small.ptx", "file:///loop.ptx");
    client.open(small, 1, ".version 8.0\n.target sm_90\n.entry k() { red.global.add.u32 [1], 1; }\n");
    client.open(long, 1, LOOP);
    let argument =
        json!({"uri": long, "kernel": "k", "launch": "grid 64 block 256", "thread": {"cta": 0, "thread": 0}});
    let run = json!({"command": "ptxAtomics.run", "arguments": [argument]});
    let runs: Vec<i64> = (0..6).map(|_| client.ask("workspace/executeCommand", run.clone())).collect();
    let hover = client.ask_at("textDocument/hover", small, 2, 16);
    assert_eq!(first_reply(&mut client, [runs[0], hover]), hover);
    for run in &runs {
        client.cancel(*run);
    }
    let cancelled = |reply: Result<Value, Value>| reply.err().is_some_and(|error| error["code"] == -32800);
    assert!(runs.iter().all(|run| cancelled(client.reply(*run))));
    let hover = client.ask_at("textDocument/hover", small, 2, 16);
    assert!(client.reply(hover).is_ok());
    client.leave();
}
