//! Hover on wrong instructions and on targets.

use crate::client::{Client, at};
use serde_json::{Value, json};

const URI: &str = "file:///work/hover.ptx";

/// The Markdown of the hover on the first place of a word.
fn hover(client: &mut Client, text: &str, word: &str) -> String {
    let offset = text.find(word).expect("is there") + 1;
    let (line, character) = crate::text_model::position(text, "utf-16", offset);
    let hover = client.request("textDocument/hover", at(URI, line, character)).expect("succeeds");
    hover["contents"]["value"].as_str().unwrap_or_default().to_owned()
}

fn module(instruction: &str) -> String {
    format!(
        ".version 8.1\n.target sm_90\n.entry k()\n{{\n    .reg .b32 %r<4>;\n    .reg .b64 %rd<4>;\n    {instruction}\n    ret;\n}}\n"
    )
}

fn opened(text: &str, options: Value) -> Client {
    let mut client = Client::start();
    client.initialize(json!({"capabilities": {}, "initializationOptions": options}));
    client.open(URI, 1, text);
    client
}

#[test]
fn a_wrong_instruction_is_explained_with_the_closest_legal_forms() {
    for (instruction, word, expected) in [
        ("atom.global.or.u32 %r1, [%rd1], %r2;", "atom", "`atom.global.or.b32`"),
        ("atom.global.or.u32 %r1, [%rd1], %r2;", ".u32 %", "`atom.global.or.b32`"),
        ("red.global.add [%rd1], %r2;", "red", "`red.global.add.u32`"),
        ("atom.add.f32.u32 %r1, [%rd1], %r2;", "atom", "`atom.add.u32`"),
        ("atmo.global.add.u32 %r1, [%rd1], %r2;", "atmo", "`atom.global.add.u32`"),
    ] {
        let text = module(instruction);
        let mut client = opened(&text, json!({}));
        let shown = hover(&mut client, &text, word);
        assert!(shown.starts_with("**error**: ") && shown.contains(&format!("- {expected}")), "{instruction}: {shown}");
        assert!(shown.lines().count() < 16, "{instruction}: {shown}");
        client.leave();
    }
}

#[test]
fn the_whole_page_is_a_link_where_the_client_has_pages() {
    let text = module("atom.global.or.u32 %r1, [%rd1], %r2;");
    let mut client = opened(&text, json!({"pages": "pages:/{code}.md"}));
    assert!(hover(&mut client, &text, "atom").ends_with("[All forms of `atom`](pages:/atom.md)"));
    // A modifier that is not at fault, and an instruction without an error, have their documentation.
    assert!(hover(&mut client, &text, ".or").starts_with("**.or** (operation)"));
    client.leave();
    let mut client = opened(&text, json!({}));
    assert!(hover(&mut client, &text, "atom").ends_with("All forms: `ptx-atomics explain atom`"));
    client.leave();
}

#[test]
fn a_client_that_shows_diagnostics_with_the_hover_gets_no_message_twice() {
    let text = module("atom.global.or.u32 %r1, [%rd1], %r2;");
    let mut client = Client::with(json!({"experimental": {"diagnosticsInHover": true}}));
    client.open(URI, 1, &text);
    assert!(hover(&mut client, &text, ".u32 %").starts_with("Closest legal forms:"));
    // The diagnostic is not at the mnemonic.
    assert!(hover(&mut client, &text, "atom").starts_with("**error**: "));
    client.leave();
}

#[test]
fn targets_are_code_in_markdown() {
    let text = module("atom.global.add.f64 %rd1, [%rd1], %rd2;");
    let mut client = opened(&text, json!({}));
    let shown = hover(&mut client, &text, "atom");
    assert!(shown.contains("Requires PTX 5.0, `sm_60` or newer; this module targets `sm_90`"), "{shown}");
    client.leave();
}

#[test]
fn a_target_is_described() {
    let text = module("ret;").replace("sm_90", "sm_90a");
    let mut client = opened(&text, json!({}));
    let shown = hover(&mut client, &text, "sm_90a");
    for part in ["**`sm_90a`**: Hopper", "H100", "9.0", "`a`: ", "Requires PTX 8.0."] {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    client.leave();
}
