//! Settings from every source, also while the server runs.

use crate::client::{Client, editor, publishes};
use serde_json::{Value, json};

const URI: &str = "file:///work/kernel.ptx";

/// A module that requires sm_90.
pub const NEEDS_SM_90: &str = "\
.version 8.1
.target sm_90
.address_size 64
.visible .entry kernel(.param .u64 p)
{
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
    atom.relaxed.cluster.global.add.u32 %r1, [%rd1], %r2;
    ret;
}
";

/// The codes of diagnostics.
pub fn codes(found: &[Value]) -> Vec<&str> {
    found.iter().map(|one| one["code"].as_str().expect("a code")).collect()
}

#[test]
fn initialization_options_override_the_module() {
    for options in [json!({"target": "sm_80"}), json!({"ptxAtomics": {"target": "sm_80"}})] {
        let mut client = Client::start();
        client.initialize(json!({"capabilities": {}, "initializationOptions": options}));
        client.open(URI, 1, NEEDS_SM_90);
        assert_eq!(codes(&client.diagnostics(URI, 1)), ["requires-target"]);
        client.leave();
    }
    let mut client = Client::start();
    client.initialize(json!({"capabilities": {}, "initializationOptions": {"ptxVersion": "7.5"}}));
    client.open(URI, 1, NEEDS_SM_90);
    assert!(codes(&client.diagnostics(URI, 1)).contains(&"requires-ptx-version"));
    client.leave();
}

#[test]
fn diagnostics_link_to_their_pages_if_the_client_supports_it() {
    let mut client = Client::start();
    let options = json!({"target": "sm_80", "pages": "https://example.org/{code}.html"});
    client.initialize(json!({"capabilities": editor(), "initializationOptions": options}));
    client.open(URI, 1, NEEDS_SM_90);
    let found = client.diagnostics(URI, 1);
    assert_eq!(found[0]["codeDescription"]["href"], "https://example.org/requires-target.html");
    client.leave();
    let mut client = Client::with(editor());
    let old = NEEDS_SM_90.replace("ret;", "membar.gl; // ptx-atomics: allow(requires-target)\n    ret;");
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"ptxAtomics": {"enable": ["deprecated-membar"]}}}),
    );
    client.open(URI, 1, &old);
    let found = client.diagnostics(URI, 1);
    let tags: Vec<_> = found.iter().map(|one| (one["code"].as_str(), one["tags"][0].as_i64())).collect();
    assert_eq!(tags, [(Some("deprecated-membar"), Some(2)), (Some("unused-suppression"), Some(1))]);
    assert!(found[0].get("codeDescription").is_none());
    client.leave();
}

#[test]
fn configuration_is_asked_for_and_may_change_at_any_time() {
    let capabilities =
        json!({"workspace": {"configuration": true, "didChangeConfiguration": {"dynamicRegistration": true}}});
    let mut client = Client::with(capabilities);
    let registration = client.asked("client/registerCapability");
    assert_eq!(registration["params"]["registrations"][0]["method"], "workspace/didChangeConfiguration");
    client.answer(&registration, Value::Null);
    client.open(URI, 1, NEEDS_SM_90);
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0]);

    let asked = client.asked("workspace/configuration");
    assert_eq!(asked["params"]["items"], json!([{"section": "ptxAtomics"}]));
    client.answer(&asked, json!([{"target": "sm_80", "ptxVersion": ""}]));
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["requires-target"]);

    // Two questions, answered the other way round: the later question counts.
    client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    client.notify("workspace/didChangeConfiguration", json!({"settings": null}));
    let (first, second) = (client.asked("workspace/configuration"), client.asked("workspace/configuration"));
    client.answer(&second, json!([{"target": "sm_90"}]));
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0]);
    client.answer(&first, json!([{"target": "sm_80"}]));
    client.change(URI, 2, json!([{"text": NEEDS_SM_90}]));
    assert_eq!(client.diagnostics(URI, 2), [] as [Value; 0]);
    client.leave();
}

#[test]
fn configuration_can_be_pushed_by_clients_that_cannot_be_asked() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, NEEDS_SM_90);
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0]);
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"ptxAtomics": {"target": "sm_80"}}}));
    assert_eq!(codes(&client.diagnostics(URI, 1)), ["requires-target"]);
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"ptxAtomics": {}}}));
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0]);
    client.leave();
}

#[test]
fn pull_diagnostics_are_refreshed() {
    let mut client = Client::with(
        json!({"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": true}}}),
    );
    client.open(URI, 1, NEEDS_SM_90);
    let asked = json!({"textDocument": {"uri": URI}});
    let before = client.request("textDocument/diagnostic", asked.clone()).expect("succeeds");
    assert_eq!(before["items"], json!([]));
    client.notify("workspace/didChangeConfiguration", json!({"settings": {"ptxAtomics": {"target": "sm_80"}}}));
    let refresh = client.asked("workspace/diagnostic/refresh");
    client.answer(&refresh, Value::Null);
    let again = json!({"textDocument": {"uri": URI}, "previousResultId": before["resultId"]});
    let after = client.request("textDocument/diagnostic", again).expect("succeeds");
    assert_eq!(after["items"].as_array().map(Vec::len), Some(1));
    client.leave();
}

/// Pushed and pulled diagnostics would stand side by side.
#[test]
fn a_client_that_pulls_gets_no_push() {
    let mut client = Client::with(json!({"textDocument": {"diagnostic": {}}}));
    client.open(URI, 1, NEEDS_SM_90);
    let asked = json!({"textDocument": {"uri": URI}});
    client.request("textDocument/diagnostic", asked.clone()).expect("succeeds");
    for version in 2..5 {
        client.change(URI, version, json!([{"text": format!("{NEEDS_SM_90}x\n")}]));
        let report = client.request("textDocument/diagnostic", asked.clone()).expect("succeeds");
        assert!(report["items"].as_array().is_some_and(|items| !items.is_empty()), "{report}");
    }
    // After the end of all work, nothing more may come.
    client.request("shutdown", Value::Null).expect("succeeds");
    client.notify("exit", Value::Null);
    assert!(client.end().success());
    let pushed: Vec<Value> = client.unclaimed().into_iter().filter(|message| publishes(message, URI)).collect();
    assert_eq!(pushed, [] as [Value; 0]);
}

#[test]
fn an_unknown_word_is_reported() {
    let mut client = Client::start();
    client.initialize(json!({"capabilities": {}, "initializationOptions": {"target": "sm_9000"}}));
    let warning = client.wait("a warning", |message| message["method"] == "window/showMessage");
    assert!(warning["params"]["message"].as_str().expect("text").contains("sm_9000"));
    client.open(URI, 1, NEEDS_SM_90);
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0]);
    client.leave();
}
