//! Positions in all three encodings: random edits of nasty texts, checked against the whole text that the server has afterwards.

use crate::client::Client;
use crate::text_model::edit;
use serde_json::json;
use support::Rng;

const URI: &str = "file:///work/nasty.ptx";

/// What texts are made of: astral, combining, wide and zero-width characters, every line terminator, and what only looks like one.
const PIECES: [&str; 18] = [
    "a",
    "atom.add.u32",
    "\t",
    "  ",
    "\n",
    "\r\n",
    "\r",
    "\u{e9}",
    "e\u{301}",
    "\u{1f600}",
    "\u{10ffff}",
    "\u{4e16}",
    "\u{200d}",
    "\u{2028}",
    "\u{85}",
    "\u{b}",
    "\u{c}",
    "// \u{1f468}\u{200d}\u{1f469}",
];

#[test]
fn random_edits_leave_client_and_server_with_the_same_text() {
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut client = Client::counting_in(encoding);
        let mut rng = Rng::with_seed(0xbeef);
        for start in ["", "\n", "one line", "\r\n", "\u{1f600}\r\n\te\u{301}"] {
            let mut text = start.to_owned();
            client.open(URI, 0, &text);
            for version in 1..=300 {
                let before = text.clone();
                let change = edit(&mut rng, &mut text, encoding, &PIECES);
                client.change(URI, version, json!([change]));
                // The model knows no position between the halves of a terminator that the edit itself has put together.
                assert_eq!(
                    client.server_text(URI),
                    Some((version.into(), text.clone())),
                    "{encoding}: {before:?} {change}"
                );
            }
        }
        client.leave();
    }
}

#[test]
fn the_encoding_is_negotiated() {
    for (offered, taken) in [
        (json!(null), "utf-16"),
        (json!([]), "utf-16"),
        (json!(["utf-7"]), "utf-16"),
        (json!(["utf-16"]), "utf-16"),
        (json!(["utf-16", "utf-8"]), "utf-8"),
        (json!(["utf-32"]), "utf-32"),
    ] {
        let mut client = Client::start();
        let result = client.initialize(json!({"capabilities": {"general": {"positionEncodings": offered}}}));
        assert_eq!(result["capabilities"]["positionEncoding"], taken, "{offered}");
        client.open(URI, 1, "\u{1f600}x");
        let column = match taken {
            "utf-8" => 4,
            "utf-16" => 2,
            _ => 1,
        };
        let place = json!({"line": 0, "character": column});
        client.change(URI, 2, json!([{"range": {"start": place, "end": place}, "text": "|"}]));
        assert_eq!(client.server_text(URI), Some((2, "\u{1f600}|x".to_owned())));
        client.leave();
    }
}

#[test]
fn edits_at_absurd_places_are_clamped_to_the_text() {
    let far = u32::MAX;
    for (range, result) in [
        (json!({"start": {"line": 0, "character": far}, "end": {"line": 0, "character": far}}), "ab|\r\ncd"),
        (json!({"start": {"line": far, "character": 0}, "end": {"line": far, "character": far}}), "ab\r\ncd|"),
        (json!({"start": {"line": 0, "character": 0}, "end": {"line": far, "character": far}}), "|"),
        (json!({"start": {"line": 1, "character": 1}, "end": {"line": 0, "character": 1}}), "a|d"),
        (json!({"start": {"line": -3, "character": -1}, "end": {"line": 0, "character": 1}}), "|b\r\ncd"),
        (json!({"start": {"line": 1, "character": 1e300}, "end": {"line": 1_u64 << 40, "character": 0}}), "ab\r\ncd|"),
    ] {
        let mut client = Client::with(json!({}));
        client.open(URI, 1, "ab\r\ncd");
        client.change(URI, 2, json!([{"range": range, "text": "|"}]));
        assert_eq!(client.server_text(URI), Some((2, result.to_owned())), "{range}");
        client.leave();
    }
}
