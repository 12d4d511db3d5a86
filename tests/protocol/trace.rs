//! `$/logTrace`.

use crate::client::{Client, at};
use crate::sample_modules::CLEAN;
use serde_json::json;

const URI: &str = "file:///work/kernel.ptx";

#[test]
fn log_trace_is_sent_only_while_enabled() {
    let mut client = Client::start();
    client.initialize(json!({"capabilities": {}}));
    client.open(URI, 1, CLEAN);
    client.request("textDocument/hover", at(URI, 0, 0)).expect("succeeds");
    assert!(client.unclaimed().iter().all(|message| message["method"] != "$/logTrace"), "not enabled");

    client.notify("$/setTrace", json!({"value": "messages"}));
    client.request("textDocument/hover", at(URI, 0, 0)).expect("succeeds");
    let trace = client.wait("a trace", |message| {
        let text = message["params"]["message"].as_str().unwrap_or_default();
        message["method"] == "$/logTrace" && text.starts_with("textDocument/hover: ") && text.ends_with(" ms")
    });
    assert!(trace["params"].get("verbose").is_none(), "{trace}");

    client.notify("$/setTrace", json!({"value": "verbose"}));
    client.request("textDocument/hover", at(URI, 0, 0)).expect("succeeds");
    client.wait("a trace with details", |message| {
        message["method"] == "$/logTrace"
            && message["params"]["verbose"].as_str().is_some_and(|verbose| verbose.contains(URI))
    });
    client.leave();
}
