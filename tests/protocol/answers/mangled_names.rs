//! Mangled names of C++ and Rust, as the client shows them.

use crate::client::{Client, at};
use serde_json::{Value, json};

const URI: &str = "file:///work/mangled.ptx";
const SCALE: &str = "_ZN3gpu5scaleIfEEvPT_i";

/// A kernel `caller(unsigned int*)` that calls `gpu::scale<float>(float*, int)`, with an access after `counters::bins`.
const MODULE: &str = "\
.version 8.1
.target sm_90
.address_size 64
.global .align 4 .u32 _ZN8counters4binsE[4];
.func _ZN3gpu5scaleIfEEvPT_i()
{
    ret;
}
.visible .entry _Z6callerPj(.param .u64 _Z6callerPj_param_0)
{
    .reg .b32 %r<4>;
    call _ZN3gpu5scaleIfEEvPT_i;
    red.global.add.u32 [_ZN8counters4binsE+16], %r1;
    ret;
}
";

fn opened() -> Client {
    let mut client =
        Client::with(json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}}));
    client.open(URI, 1, MODULE);
    client
}

fn on(word: &str) -> Value {
    let (line, character) = crate::text_model::position(MODULE, "utf-16", MODULE.find(word).expect("is there") + 1);
    at(URI, line, character)
}

#[test]
fn outline_and_hover_show_demangled_names() {
    let mut client = opened();
    let outline =
        client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}})).expect("succeeds");
    let shown: Vec<_> = outline.as_array().expect("a list").iter().map(|one| (&one["name"], &one["detail"])).collect();
    assert_eq!(
        shown,
        [
            (&json!("counters::bins"), &json!(".global .u32")),
            (&json!("gpu::scale<float>"), &json!("(float*, int)")),
            (&json!("caller"), &json!("(unsigned int*)")),
        ]
    );
    let hover = client.request("textDocument/hover", on(SCALE)).expect("succeeds");
    let text = hover["contents"]["value"].as_str().expect("a text");
    assert!(text.contains(SCALE) && text.contains("Demangled: `gpu::scale<float>(float*, int)`"), "{text}");
    client.leave();
}

#[test]
fn messages_name_variables_as_their_authors_do_and_lead_to_their_declarations() {
    let mut client = opened();
    let found = client.diagnostics(URI, 1);
    assert_eq!(
        found[0]["message"].as_str().and_then(|text| text.split(" (").next()),
        Some("access to bytes 16..20 of `counters::bins` is out of bounds")
    );
    client.leave();
}

#[test]
fn workspace_symbols_are_found_by_both_names() {
    let mut client = opened();
    for (query, name, container) in
        [("gpu::scale", "gpu::scale<float>", SCALE), ("_ZN3gpu5", SCALE, "gpu::scale<float>")]
    {
        let found = client.request("workspace/symbol", json!({"query": query})).expect("succeeds");
        assert_eq!(found.as_array().map(Vec::len), Some(1), "{query}: {found}");
        assert_eq!((&found[0]["name"], &found[0]["containerName"]), (&json!(name), &json!(container)));
    }
    client.leave();
}

#[test]
fn the_call_hierarchy_shows_both_names_and_follows_the_mangled_one() {
    let mut client = opened();
    let items = client.request("textDocument/prepareCallHierarchy", on(SCALE)).expect("succeeds");
    assert_eq!((&items[0]["name"], &items[0]["detail"]), (&json!("gpu::scale<float>"), &json!(SCALE)));
    let callers = client.request("callHierarchy/incomingCalls", json!({"item": items[0]})).expect("succeeds");
    assert_eq!(callers[0]["from"]["name"], "caller");
    let callees = client.request("callHierarchy/outgoingCalls", json!({"item": callers[0]["from"]})).expect("succeeds");
    assert_eq!(callees[0]["to"]["name"], "gpu::scale<float>");
    client.leave();
}
