//! Inlay hints of default modifiers, on targets that do not support all of them.

use crate::client::Client;
use serde_json::{Value, json};

#[test]
fn every_word_of_a_hint_can_be_written() {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    for (target, expected) in
        [("sm_52", &[][..]), ("sm_60", &[".gpu"]), ("sm_61", &[".gpu"]), ("sm_90", &[".relaxed", ".gpu"])]
    {
        let uri = "file:///work/hints.ptx";
        let text = format!(
            ".version 8.1\n.target {target}\n.entry k()\n{{\n    .reg .b32 %r<2>;\n    .reg .b64 %rd<2>;\n    \
             red.global.add.u32 [%rd1], %r1;\n}}\n"
        );
        let mut client = Client::start();
        let hints = json!({"inlayHints": {"semantics": true, "scope": true, "space": true}});
        client.initialize(json!({"capabilities": {}, "initializationOptions": hints}));
        client.open(uri, 1, &text);
        let asked = json!({"textDocument": {"uri": uri}, "range": range});
        let hints = client.request("textDocument/inlayHint", asked).expect("succeeds");
        let hints = hints.as_array().expect("a list").clone();
        let labels: Vec<_> = hints.iter().map(|hint| hint["label"].as_str().expect("a label")).collect();
        assert_eq!(labels, expected, "{target}");

        // Both together are still legal.
        let edits = hints.iter().rev().flat_map(|hint| hint["textEdits"].as_array().expect("edits").clone());
        let changes: Vec<_> = edits.map(|edit| json!({"range": edit["range"], "text": edit["newText"]})).collect();
        client.change(uri, 2, json!(changes));
        assert_eq!(client.diagnostics(uri, 2), [] as [Value; 0], "{target}");
        client.leave();
    }
}

#[test]
fn hints_are_refreshed_when_the_settings_change() {
    let uri = "file:///work/hints.ptx";
    let text = ".version 8.1\n.target sm_90\n.entry k()\n{\n    .reg .b32 %r<2>;\n    .reg .b64 %rd<2>;\n    \
                red.global.add.u32 [%rd1], %r1;\n}\n";
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}});
    let mut client = Client::with(json!({"workspace": {"inlayHint": {"refreshSupport": true}}}));
    client.open(uri, 1, text);
    client.diagnostics(uri, 1);
    for (settings, expected) in [
        (json!({"inlayHints": {"semantics": true, "scope": true}}), &[".relaxed", ".gpu"][..]),
        (json!({"inlayHints": {"semantics": true, "scope": true}, "target": "sm_61"}), &[".gpu"]),
        (json!({"inlayHints": {"semantics": true}, "target": "sm_61"}), &[]),
    ] {
        client.notify("workspace/didChangeConfiguration", json!({"settings": {"ptxAtomics": settings}}));
        let refresh = client.asked("workspace/inlayHint/refresh");
        client.answer(&refresh, Value::Null);
        let asked = json!({"textDocument": {"uri": uri}, "range": range});
        let hints = client.request("textDocument/inlayHint", asked).expect("succeeds");
        let labels: Vec<_> = hints.as_array().expect("a list").iter().map(|hint| hint["label"].clone()).collect();
        assert_eq!(labels, expected, "{settings}");
    }
    // Other settings do not change the hints.
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"ptxAtomics": {"inlayHints": {"semantics": true}, "target": "sm_61"}}}),
    );
    client.request("textDocument/inlayHint", json!({"textDocument": {"uri": uri}, "range": range})).expect("succeeds");
    assert!(!client.unclaimed().iter().any(|message| message["method"] == "workspace/inlayHint/refresh"));
    client.leave();
}
