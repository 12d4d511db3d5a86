//! Whole sessions.

use crate::client::{Client, at, editor, publishes};
use crate::sample_modules::{ATOMIC_COLUMN, ATOMIC_LINE, CLEAN, with_error};
use serde_json::{Value, json};

const URI: &str = "file:///work/kernel.ptx";

#[test]
fn initialize_open_a_hundred_changes_hover_completion_shutdown() {
    let mut client = Client::start();
    let result = client.initialize(json!({"processId": null, "rootUri": null, "capabilities": {}}));
    assert_eq!(result["serverInfo"]["name"], "ptx-atomics");
    let capabilities = &result["capabilities"];
    assert_eq!(capabilities["positionEncoding"], "utf-16");
    assert_eq!(capabilities["textDocumentSync"]["change"], 2);
    assert_eq!(capabilities["hoverProvider"], true);
    assert_eq!(
        capabilities["completionProvider"]["triggerCharacters"],
        json!([".", ":", "%", "$", "@", "[", "\"", "="])
    );

    client.open(URI, 1, CLEAN);
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0], "a clean module has an empty report");

    // Type the wrong type letter by letter, over and over, and end with it.
    let line = CLEAN.lines().nth(ATOMIC_LINE as usize).expect("is there");
    let column = line.find("add").expect("is there") as u32;
    let (mut operation, mut version) = ("add", 1);
    for round in 0..100 {
        let next = if round % 2 == 0 { "or" } else { "add" };
        let range = json!({
            "start": {"line": ATOMIC_LINE, "character": column},
            "end": {"line": ATOMIC_LINE, "character": column + operation.len() as u32},
        });
        version += 1;
        client.change(URI, version, json!([{"range": range, "text": next}]));
        operation = next;
    }
    assert_eq!(client.diagnostics(URI, 101), [] as [Value; 0]);
    let range = json!({"start": {"line": ATOMIC_LINE, "character": column}, "end": {"line": ATOMIC_LINE, "character": column + 3}});
    client.change(URI, 102, json!([{"range": range, "text": "or"}]));
    let found = client.diagnostics(URI, 102);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["code"], "illegal-type");
    assert_eq!(found[0]["severity"], 1);
    assert_eq!(found[0]["source"], "ptx-atomics");
    let wrong =
        CLEAN.lines().nth(ATOMIC_LINE as usize).expect("is there").replace("add", "or").find(".u32").expect("is there")
            as u64;
    assert_eq!(found[0]["range"]["start"]["line"], ATOMIC_LINE);
    let start = found[0]["range"]["start"]["character"].as_u64().expect("a number");
    assert!(start == wrong || start == wrong + 1, "the type is at fault, with or without its dot: {start}");
    assert_eq!(found[0]["range"]["end"], json!({"line": ATOMIC_LINE, "character": wrong + 4}));

    let hover = client.request("textDocument/hover", at(URI, ATOMIC_LINE, ATOMIC_COLUMN + 1)).expect("succeeds");
    assert_eq!(hover["contents"]["kind"], "markdown");
    assert!(hover["contents"]["value"].as_str().expect("text").contains("atom"), "{hover}");

    completes_only_modifiers_in_an_opcode(&mut client);
    client.leave();
}

/// Completion after the dot of an unfinished opcode.
fn completes_only_modifiers_in_an_opcode(client: &mut Client) {
    let typed = CLEAN.replace("atom.global.add.u32 %r1, [%rd1], %r2;", "atom.");
    client.change(URI, 103, json!([{"text": typed}]));
    let offers = client.request("textDocument/completion", at(URI, ATOMIC_LINE, ATOMIC_COLUMN + 5)).expect("succeeds");
    let offers = offers.as_array().expect("a list");
    let labels: Vec<&str> = offers.iter().map(|offer| offer["label"].as_str().expect("text")).collect();
    assert!(labels.contains(&"add") || labels.contains(&".add"), "{labels:?}");
    assert!(labels.iter().all(|label| !label.starts_with("atom")), "only modifiers complete an opcode: {labels:?}");
    let ranks: Vec<&str> = offers.iter().map(|offer| offer["sortText"].as_str().expect("text")).collect();
    assert!(ranks.is_sorted(), "a client that sorts by sortText keeps the server's order");
}

#[test]
fn what_is_closed_is_cleared_and_can_be_opened_again() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, &with_error());
    assert_eq!(client.diagnostics(URI, 1).len(), 1);
    client.notify("textDocument/didSave", json!({"textDocument": {"uri": URI}}));
    client.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}));
    let cleared = client.wait("the clearing", |message| publishes(message, URI));
    assert_eq!(cleared["params"]["diagnostics"], json!([]));
    assert_eq!(client.request("textDocument/hover", at(URI, ATOMIC_LINE, ATOMIC_COLUMN)), Ok(Value::Null));
    client.open(URI, 1, &with_error());
    assert_eq!(client.diagnostics(URI, 1).len(), 1);
    client.leave();
}

#[test]
fn a_fix_removes_its_diagnostic() {
    for versioned in [false, true] {
        let mut capabilities = editor();
        capabilities["workspace"] = json!({"workspaceEdit": {"documentChanges": versioned}});
        let mut client = Client::with(capabilities);
        client.open(URI, 7, &with_error());
        let found = client.diagnostics(URI, 7);
        let params = json!({
            "textDocument": {"uri": URI}, "range": found[0]["range"], "context": {"diagnostics": found, "only": ["quickfix"]},
        });
        let actions = client.request("textDocument/codeAction", params.clone()).expect("succeeds");
        let best = &actions[0];
        assert_eq!(best["kind"], "quickfix");
        assert_eq!(best["isPreferred"], true);
        assert_eq!(best["diagnostics"][0], found[0]);
        let edits = if versioned {
            let change = &best["edit"]["documentChanges"][0];
            assert_eq!(change["textDocument"], json!({"uri": URI, "version": 7}));
            change["edits"].clone()
        } else {
            best["edit"]["changes"][URI].clone()
        };
        assert_eq!(edits, found[0]["data"]["fixes"][0]["edits"], "the diagnostic carries the same fix");
        let mut changes = edits.as_array().expect("edits").clone();
        changes.reverse();
        let changes: Vec<Value> =
            changes.iter().map(|edit| json!({"range": edit["range"], "text": edit["newText"]})).collect();
        client.change(URI, 8, json!(changes));
        assert_eq!(client.diagnostics(URI, 8), [] as [Value; 0]);

        let elsewhere = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
        for (range, only) in
            [(elsewhere, json!(["quickfix"])), (params["range"].clone(), json!(["source.organizeImports"]))]
        {
            let asked =
                json!({"textDocument": {"uri": URI}, "range": range, "context": {"diagnostics": [], "only": only}});
            assert_eq!(client.request("textDocument/codeAction", asked), Ok(json!([])));
        }
        client.leave();
    }
}

#[test]
fn findings_can_be_asked_for_and_are_then_not_shown_twice() {
    let mut client = Client::with(json!({"textDocument": {"diagnostic": {}}}));
    client.open(URI, 1, &with_error());
    let pushed = client.diagnostics(URI, 1);
    let asked = json!({"textDocument": {"uri": URI}});
    let report = client.request("textDocument/diagnostic", asked.clone()).expect("succeeds");
    assert_eq!(report["kind"], "full");
    assert_eq!(report["items"], json!(pushed), "both ways say the same");
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0], "what was pushed is taken back");

    let again = json!({"textDocument": {"uri": URI}, "previousResultId": report["resultId"]});
    let unchanged = client.request("textDocument/diagnostic", again.clone()).expect("succeeds");
    assert_eq!(unchanged, json!({"kind": "unchanged", "resultId": report["resultId"]}));
    client.change(URI, 2, json!([{"text": CLEAN}]));
    let changed = client.request("textDocument/diagnostic", again).expect("succeeds");
    assert_eq!((&changed["kind"], &changed["items"]), (&json!("full"), &json!([])));

    // Two round trips later nothing has been pushed for version 2.
    client.request("textDocument/diagnostic", asked).expect("succeeds");
    assert!(!client.unclaimed().iter().any(|message| publishes(message, URI)));
    client.leave();
}

#[test]
fn only_what_can_hold_ptx_is_looked_at() {
    let mut client = Client::with(json!({}));
    for (uri, language, ours) in [
        ("file:///a.PTX", "plaintext", true),
        ("untitled:Untitled-1", "ptx", true),
        ("file:///a.ptx?query#fragment", "", true),
        ("file:///book.ptx.xml", "pretext", false),
        ("file:///kernel.go", "go", false),
    ] {
        let document = json!({"uri": uri, "languageId": language, "version": 1, "text": with_error()});
        client.notify("textDocument/didOpen", json!({"textDocument": document}));
        assert_eq!(client.server_text(uri).is_some(), ours, "{uri}");
        if ours {
            assert_eq!(client.diagnostics(uri, 1).len(), 1, "{uri}");
        }
    }
    assert!(!client.unclaimed().iter().any(|message| publishes(message, "file:///kernel.go")));
    client.leave();
}

#[test]
fn a_file_gives_the_same_findings_in_every_encoding() {
    let text = with_error().replace("    atom", "\t/* \u{1f600}e\u{301} */ atom");
    let line = text.lines().nth(ATOMIC_LINE as usize).expect("is there").to_owned();
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut client = Client::counting_in(encoding);
        client.open(URI, 1, &text);
        let found = client.diagnostics(URI, 1);
        assert_eq!(found.len(), 1, "{found:#?}");
        let end: usize = line[..line.find(".u32").expect("is there") + 4]
            .chars()
            .map(|c| crate::text_model::width(encoding, c))
            .sum();
        assert_eq!(found[0]["range"]["end"], json!({"line": ATOMIC_LINE, "character": end}), "{encoding}");
        client.leave();
    }
}

#[test]
fn a_diagnostic_of_generated_code_is_related_to_its_source() {
    let text = ".version 8.0\n.target sm_60\n.entry k()\n{\n.reg .b32 a, b;\n.reg .b64 d;\n.loc 1 12 5\nmov.u64 d, 0;\n\
                .loc 2 3 0, function_name $L, inlined_at 1 12 5\natom.or.u32 a, [d], b;\nret;\n}\n.file 1 \"/work/k.cu\"\n.file 2 \"/work/l.h\"\n";
    let place = |path: &str, line: u32, character: u32, message: &str| {
        let position = json!({"line": line, "character": character});
        json!({"location": {"uri": format!("file://{path}"), "range": {"start": position, "end": position}}, "message": message})
    };
    let mut client = Client::with(editor());
    client.open(URI, 1, text);
    let found = client.diagnostics(URI, 1);
    assert!(found.iter().any(|found| found["code"] == "illegal-type"), "{found:#?}");
    let expected = [place("/work/l.h", 2, 0, "generated from here"), place("/work/k.cu", 11, 4, "inlined here")];
    assert!(found[0]["relatedInformation"].as_array().expect("a list").ends_with(&expected), "{found:#?}");
    assert!(found[0]["message"].as_str().is_some_and(|message| !message.contains("generated from")), "shown once");
    client.leave();
}
