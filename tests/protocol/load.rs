//! Large documents: memory after the last one is closed. That short checks come before long ones is tested in `lsp/src/scheduling/work.rs`, without a clock.

use crate::client::Client;
use crate::sample_modules::{CLEAN, large};
use serde_json::json;

#[cfg(target_os = "linux")]
#[test]
fn a_server_with_one_core_and_512_megabytes_answers() {
    let mut client = Client::on_a_small_machine();
    client.initialize(json!({"capabilities": {}}));
    let text = large(20_000);
    client.open(&uri(0), 1, &text);
    client.diagnostics(&uri(0), 1);
    let line = text.lines().count() - 3;
    let place = json!({"textDocument": {"uri": uri(0)}, "position": {"line": line, "character": 5}});
    let hover = client.request("textDocument/hover", place).expect("an answer").to_string();
    assert!(hover.contains("atom"), "{hover}");
    client.leave();
}

const SMALL: &str = "file:///work/small.ptx";

fn uri(number: usize) -> String {
    format!("file:///work/large{number}.ptx")
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
