//! `$/logTrace`: what the server did, for those who want to know.

use crate::client::{Client, at};
use crate::sample_modules::CLEAN;
use serde_json::json;

const URI: &str = "file:///work/kernel.ptx";

#[test]
fn a_client_is_told_what_was_done_only_while_it_wants_that() {
    let mut client = Client::start();
    client.initialize(json!({"capabilities": {}}));
    client.open(URI, 1, CLEAN);
    client.request("textDocument/hover", at(URI, 0, 0)).expect("succeeds");
    assert!(client.unclaimed().iter().all(|message| message["method"] != "$/logTrace"), "nobody asked");

    client.notify("$/setTrace", json!({"value": "messages"}));
    client.request("textDocument/hover", at(URI, 0, 0)).expect("succeeds");
    let told = client.wait("a trace", |message| {
        let told = message["params"]["message"].as_str().unwrap_or_default();
        message["method"] == "$/logTrace" && told.starts_with("textDocument/hover: ") && told.ends_with(" ms")
    });
    assert!(told["params"].get("verbose").is_none(), "{told}");

    client.notify("$/setTrace", json!({"value": "verbose"}));
    client.request("textDocument/hover", at(URI, 0, 0)).expect("succeeds");
    client.wait("a trace with details", |message| {
        message["method"] == "$/logTrace"
            && message["params"]["verbose"].as_str().is_some_and(|verbose| verbose.contains(URI))
    });
    client.leave();
}
