//! Large documents: memory after the last one is closed. That short checks come before long ones is tested in `lsp/src/work.rs`, without a clock.

use crate::client::Client;
use crate::sample_modules::{CLEAN, large};
use serde_json::json;

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
