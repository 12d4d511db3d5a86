//! Many and large documents: short checks before long ones, and memory after the last document is closed.

use crate::client::{Client, publishes};
use crate::sample_modules::{CLEAN, large, with_error};
use serde_json::json;

const SMALL: &str = "file:///work/small.ptx";

fn uri(number: usize) -> String {
    format!("file:///work/large{number}.ptx")
}

#[test]
fn a_small_document_is_checked_before_large_ones_that_were_opened_earlier() {
    let mut client = Client::with(json!({}));
    let text = large(3_000);
    let large: Vec<String> = (0..4).map(uri).collect();
    for uri in &large {
        client.open(uri, 1, &text);
    }
    client.open(SMALL, 1, &with_error());
    assert_eq!(client.diagnostics(SMALL, 1).len(), 1);
    let before = client.unclaimed().iter().filter(|message| large.iter().any(|uri| publishes(message, uri))).count();
    assert!(before <= 1, "{before} large documents first");
    // The same holds for a client that pulls diagnostics.
    let pulled: Vec<i64> =
        large.iter().map(|uri| client.ask("textDocument/diagnostic", json!({"textDocument": {"uri": uri}}))).collect();
    let hover = client.ask_at("textDocument/hover", SMALL, 0, 2);
    assert!(client.reply(hover).is_ok());
    let answered = client.unclaimed().iter().filter(|message| pulled.iter().any(|id| message["id"] == *id)).count();
    assert!(answered < large.len(), "hover waits for all pulled diagnostics");
}

#[cfg(all(target_os = "linux", target_env = "gnu"))]
#[test]
fn memory_is_returned_after_the_last_document_is_closed() {
    let mut client = Client::with(json!({}));
    client.open(SMALL, 1, CLEAN);
    client.diagnostics(SMALL, 1);
    let resident = |client: &Client| {
        let status = std::fs::read_to_string(format!("/proc/{}/status", client.process())).expect("the server runs");
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).expect("has a size");
        line.trim().trim_end_matches(" kB").parse::<usize>().expect("a number") / 1024
    };
    let before = resident(&client);
    let text = large(3_000);
    for number in 0..2 {
        client.open(&uri(number), 1, &text);
        client.diagnostics(&uri(number), 1);
    }
    let open = resident(&client);
    for number in 0..2 {
        client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri(number)}}));
    }
    let limit = before + (open - before) / 3;
    let is_returned = (0..600).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        resident(&client) < limit
    });
    assert!(is_returned, "{before} MiB, {open} MiB with large documents, {} MiB after", resident(&client));
    client.leave();
}
