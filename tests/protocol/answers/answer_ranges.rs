//! Answers about a range or a position lie inside of the range, and contain the position.

use crate::client::{Client, at};
use serde_json::{Value, json};

const URI: &str = "file:///work/ranges.ptx";

/// A module that formatting changes in every line, with spaces and empty lines where a change could leave the range.
const UNTIDY: &str = "\
.version 8.1
.target   sm_90
.address_size 64


.visible .entry kernel( .param .u64 p )
{   // body
.reg   .b32 %r<200>;
    .reg .b64  %rd<4>;


  ld.param.u64 %rd1,[p];
atom.add.global.u32 %r12 , [%rd1], %r2;  red.global.or.b32 [%rd1], %r2;

  ret;
}
";

fn opened() -> Client {
    let mut client = Client::start();
    let hints = json!({"inlayHints": {"semantics": true, "scope": true, "space": true}});
    client.initialize(json!({"capabilities": {}, "initializationOptions": hints}));
    client.open(URI, 1, UNTIDY);
    client
}

fn place(value: &Value) -> (u64, u64) {
    let number = |key: &str| value[key].as_u64().expect("a number");
    (number("line"), number("character"))
}

fn list(client: &mut Client, method: &str, params: Value) -> Vec<Value> {
    client.request(method, params).expect("succeeds").as_array().expect("a list").clone()
}

#[test]
fn formatting_of_a_range_changes_its_lines_only() {
    let mut client = opened();
    let lines = UNTIDY.lines().count() as u64;
    let (mut edits, options) = (0, json!({"tabSize": 4, "insertSpaces": true}));
    for first in 0..lines {
        for end in first..=lines {
            for column in [0, 3] {
                let range =
                    json!({"start": {"line": first, "character": 0}, "end": {"line": end, "character": column}});
                let asked = json!({"textDocument": {"uri": URI}, "range": range, "options": options});
                // A selection of whole lines ends at the start of the next one.
                let last = if column == 0 && end > first { end - 1 } else { end };
                for edit in list(&mut client, "textDocument/rangeFormatting", asked) {
                    let (start, end) = (place(&edit["range"]["start"]), place(&edit["range"]["end"]));
                    assert!(first <= start.0 && end.0 <= last, "{range}: {edit}");
                    edits += 1;
                }
            }
        }
    }
    assert!(edits > 100, "{edits}");
    client.leave();
}

#[test]
fn hints_lie_in_the_range_and_members_are_renamed_at_the_cursor() {
    let mut client = opened();
    let (line, column) = crate::text_model::position(UNTIDY, "utf-16", UNTIDY.find("atom").expect("is there"));
    let mut shown = 0;
    for start in 0..20 {
        for end in start..30 {
            let [start, end] = [start, end].map(|further| (u64::from(line), u64::from(column) + further));
            let position = |place: (u64, u64)| json!({"line": place.0, "character": place.1});
            let range = json!({"start": position(start), "end": position(end)});
            for hint in
                list(&mut client, "textDocument/inlayHint", json!({"textDocument": {"uri": URI}, "range": range}))
            {
                let hint = place(&hint["position"]);
                assert!(start <= hint && hint <= end, "{range}: {hint:?}");
                shown += 1;
            }
        }
    }
    assert!(shown > 100, "{shown}");

    let (line, column) = crate::text_model::position(UNTIDY, "utf-16", UNTIDY.find("%r12").expect("is there"));
    for (further, name) in [(0, "%r"), (2, "%r"), (3, "%r12"), (4, "%r12")] {
        let found = client.request("textDocument/prepareRename", at(URI, line, column + further)).expect("succeeds");
        let cursor = (u64::from(line), u64::from(column + further));
        assert!(place(&found["range"]["start"]) <= cursor && cursor <= place(&found["range"]["end"]), "{found}");
        assert_eq!(found["placeholder"], name);
    }
    client.leave();
}

#[test]
fn a_list_that_further_letters_can_extend_is_incomplete() {
    let mut client = opened();
    let (line, column) = crate::text_model::position(UNTIDY, "utf-16", UNTIDY.find("%r12").expect("is there"));
    let mut labels = |further: u32| {
        let answer = client.request("textDocument/completion", at(URI, line, column + further)).expect("succeeds");
        let items = if answer.is_array() { &answer } else { &answer["items"] };
        let items = items.as_array().expect("items").iter().map(|item| item["label"].clone()).collect::<Vec<_>>();
        (answer["isIncomplete"] == true, items.contains(&json!("%r121")))
    };
    assert_eq!(labels(1), (true, false), "64 of 200 registers");
    assert_eq!(labels(4), (false, true), "those of `%r12`");
    client.leave();
}
