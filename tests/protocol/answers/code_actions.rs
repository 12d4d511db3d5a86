//! Code actions: rewrites, fixes of a whole file, suppressions.

use crate::answers::features::{MODULE, URI, list, opened, place};
use crate::client::editor;
use serde_json::{Value, json};

#[test]
fn rewrites_and_fix_all_are_offered_when_asked_for() {
    let mut client = opened(editor());
    let (line, character) = place("atom.add", 0);
    let range =
        json!({"start": {"line": line, "character": character}, "end": {"line": line, "character": character + 3}});
    let asked = |only: &str| json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": [], "only": [only]}});
    let rewrites = list(client.request("textDocument/codeAction", asked("refactor")));
    assert!(!rewrites.is_empty() && rewrites.iter().all(|one| one["kind"] == "refactor.rewrite"), "{rewrites:?}");
    assert_eq!(
        list(client.request("textDocument/codeAction", asked("source.fixAll"))),
        [] as [Value; 0],
        "nothing to fix"
    );

    let with_error = crate::sample_modules::large(3);
    client.change(URI, 2, json!([{"text": with_error}]));
    let all = list(client.request("textDocument/codeAction", asked("source.fixAll")));
    let edits = all[0]["edit"]["changes"][URI].as_array().expect("edits");
    let changes: Vec<Value> =
        edits.iter().rev().map(|edit| json!({"range": edit["range"], "text": edit["newText"]})).collect();
    client.change(URI, 3, json!(changes));
    assert_eq!(client.diagnostics(URI, 3), [] as [Value; 0]);
    client.leave();
}

#[test]
fn every_diagnostic_can_be_suppressed_and_undeclared_registers_declared() {
    let mut client = opened(editor());
    let text = MODULE.replace("%rd1], %r2;", "%rd1], %r9;").replace("setp.eq.u32", "setp.eq.f32");
    client.change(URI, 2, json!([{"text": text}]));
    for (version, diagnostic, title) in [
        (3, "unknown-name", "Replace with `.reg .b32 %r<10>;`"),
        (5, "unknown-name", "Suppress `unknown-name` here"),
        (7, "unknown-name", "Suppress `unknown-name` for this function"),
        (9, "unknown-name", "Suppress `unknown-name` for this file"),
        (11, "operand-type", "Suppress `operand-type` here"),
    ] {
        let found = client.diagnostics(URI, version - 1);
        let one = found.iter().find(|one| one["code"] == diagnostic).expect("the diagnostic");
        let context = json!({"diagnostics": [one], "only": ["quickfix"]});
        let params = json!({"textDocument": {"uri": URI}, "range": one["range"], "context": context});
        let actions = list(client.request("textDocument/codeAction", params));
        let action = actions.iter().find(|action| action["title"] == title);
        let edit = &action.unwrap_or_else(|| panic!("{title}: {actions:?}"))["edit"]["changes"][URI][0];
        client.change(URI, version, json!([{"range": edit["range"], "text": edit["newText"]}]));
        let left = client.diagnostics(URI, version);
        assert!(left.len() < found.len() && left.iter().all(|one| one["code"] != diagnostic), "{title}: {left:?}");
        client.change(URI, version + 1, json!([{"text": text}]));
    }
    client.leave();
}
