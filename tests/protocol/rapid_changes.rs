//! Ten thousand changes as fast as they can be sent, with requests between them and half of these cancelled.

use crate::client::Client;
use crate::sample_modules::{ATOMIC_LINE, CLEAN, with_error};
use crate::text_model::{edit, position, range};
use serde_json::{Value, json};
use support::Rng;

const URI: &str = "file:///work/kernel.ptx";
const PIECES: [&str; 9] = ["atom.add", ";", "\n", "\r\n", "\t", "\u{e9}", "\u{1f600}", "{", "// x"];

/// A request that was sent: its id, the version and text that it refers to, whether it was cancelled.
struct Asked {
    id: i64,
    version: i64,
    text: String,
    cancelled: bool,
}

#[test]
fn ten_thousand_changes_with_requests_interleaved_and_cancelled() {
    let mut client = Client::counting_in("utf-16");
    let mut rng = Rng::with_seed(0x2026);
    let mut text = CLEAN[..200].to_owned();
    client.open(URI, 0, &text);
    let mut asked = Vec::new();
    for version in 1..=10_000 {
        client.change(URI, version, json!([edit(&mut rng, &mut text, "utf-16", &PIECES)]));
        if text.len() > 400 {
            let half = text.match_indices('\n').map(|(at, _)| at + 1).find(|at| *at > 200).unwrap_or(text.len());
            let change = json!([{"range": range(&text, "utf-16", half, text.len()), "text": ""}]);
            text.truncate(half);
            client.change(URI, version, change);
        }
        match rng.usize(..20) {
            0 => {
                let id = client.ask("ptxAtomics/viewFileText", json!({"textDocument": {"uri": URI}}));
                let cancelled = rng.usize(..2) == 0;
                if cancelled {
                    client.cancel(id);
                }
                asked.push(Asked { id, version: version.into(), text: text.clone(), cancelled });
            }
            1 => {
                let (line, character) = position(&text, "utf-16", text.len());
                let id = client.ask_at("textDocument/completion", URI, line, character);
                client.cancel(id);
            }
            2 => {
                client.ask_at("textDocument/hover", URI, rng.usize(..12) as u32, rng.usize(..30) as u32);
            }
            _ => {}
        }
    }
    for Asked { id, version, text, cancelled } in asked {
        match client.reply(id) {
            Ok(answer) => {
                assert_eq!(answer, json!({"version": version, "text": text}), "the text of its place in the order")
            }
            Err(error) => assert!(cancelled && error["code"] == -32800, "{error}"),
        }
    }
    assert_eq!(client.server_text(URI), Some((10_000, text)));

    // The tree is that of the text, too: the findings at the end are those of the text opened anew.
    client.change(URI, 10_001, json!([{"text": with_error()}]));
    let found = client.diagnostics(URI, 10_001);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0]["range"]["start"]["line"], ATOMIC_LINE);
    let versions =
        client.unclaimed().iter().filter_map(|message| message["params"]["version"].as_i64()).collect::<Vec<_>>();
    assert!(versions.is_sorted(), "an older verdict never follows a newer one");
    assert!(
        versions.iter().all(|version| (0..=10_001).contains(version)),
        "every diagnostic is for a version that was sent"
    );
    client.leave();
}

#[test]
fn the_findings_after_many_edits_are_those_of_the_text_opened_anew() {
    let mut client = Client::counting_in("utf-8");
    let mut rng = Rng::with_seed(0xf00d);
    let pieces = [
        "atom.global.or.u32 %r1, [%rd1], %r2;\n",
        "red",
        ".gpu",
        ".",
        "{",
        "}",
        ";",
        " ",
        "/*",
        "*/",
        "\u{1f600}",
        "\n",
    ];
    for round in 0..40 {
        let (edited, fresh) = (format!("file:///{round}/edited.ptx"), format!("file:///{round}/fresh.ptx"));
        let mut text = with_error();
        client.open(&edited, 0, &text);
        for version in 1..=25 {
            client.change(&edited, version, json!([edit(&mut rng, &mut text, "utf-8", &pieces)]));
        }
        client.open(&fresh, 25, &text);
        let (edited, fresh) = (client.diagnostics(&edited, 25), client.diagnostics(&fresh, 25));
        let said = |found: &[Value]| -> Vec<Value> {
            found.iter().map(|one| json!([one["range"], one["code"], one["message"], one["severity"]])).collect()
        };
        assert_eq!(said(&edited), said(&fresh), "round {round}: {text}");
    }
    client.leave();
}

#[test]
fn several_changes_in_one_message_build_on_each_other() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, "abc");
    let insert = |line, character, text| {
        let place = json!({"line": line, "character": character});
        json!({"range": {"start": place, "end": place}, "text": text})
    };
    client.change(
        URI,
        2,
        json!([insert(0, 3, "\nd"), insert(1, 1, "e"), {"text": "x\ny"}, insert(1, 1, "z"), insert(9, 9, "!")]),
    );
    assert_eq!(client.server_text(URI), Some((2, "x\nyz!".to_owned())));
    client.leave();
}

#[test]
fn versions_may_go_backwards_repeat_or_be_missing() {
    let mut client = Client::with(json!({}));
    client.open(URI, 5, "");
    let mut expected = String::new();
    for (version, kept) in
        [(json!(3), 3), (json!(3), 3), (json!(-7), -7), (Value::Null, 0), (json!(1e10), i64::from(i32::MAX))]
    {
        let end = json!({"line": 0, "character": expected.len()});
        let changes = json!([{"range": {"start": end, "end": end}, "rangeLength": 9, "text": "x"}]);
        let document = json!({"uri": URI, "version": version});
        client.notify("textDocument/didChange", json!({"textDocument": document, "contentChanges": changes}));
        expected.push('x');
        assert_eq!(client.server_text(URI), Some((kept, expected.clone())));
    }
    client.open(URI, 1, "opened twice");
    assert_eq!(client.server_text(URI), Some((1, "opened twice".to_owned())));
    client.leave();
}

#[test]
fn a_burst_of_changes_costs_few_checks() {
    let mut client = Client::with(json!({}));
    client.open(URI, 0, &crate::sample_modules::large(100));
    for version in 1..=200 {
        let place = json!({"line": 0, "character": 0});
        client.change(URI, version, json!([{"range": {"start": place, "end": place}, "text": "\n"}]));
    }
    client.diagnostics(URI, 200);
    let published = client.unclaimed().iter().filter(|message| crate::client::publishes(message, URI)).count();
    assert!(published < 100, "200 changes sent at once were checked {published} times");
    client.leave();
}
