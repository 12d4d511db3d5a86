//! Settings from every source, also while the server runs.

use crate::client::Client;
use serde_json::{Value, json};

const URI: &str = "file:///work/kernel.ptx";

/// Legal since sm_90 alone.
const NEEDS_SM_90: &str = "\
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

fn codes(found: &[Value]) -> Vec<&str> {
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
fn who_asks_for_diagnostics_is_told_when_to_ask_again() {
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
