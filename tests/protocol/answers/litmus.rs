//! Litmus tests as a language, and those in comments of PTX, as a client sees them.

use crate::client::{Client, at, editor, is_reply_to};
use crate::text_model::position;
use serde_json::{Value, json};

const URI: &str = "file:///work/handover.litmus";
const MODULE: &str = "file:///work/handover.ptx";

const HANDOVER: &str = "\
PTX handover
\"Who sees the flag sees the data.\"
{
P1:r0=0; P1:r1=0;
}
 P0@cta 0,gpu 0         | P1@cta 1,gpu 0          ;
 st.weak data, 1        | ld.acquire.gpu r0, flag ;
 st.release.gpu flag, 1 | ld.weak r1, data        ;
~exists (1:r0 == 1 /\\ 1:r1 == 0)
";

/// The same as functions, but for the acquire.
const FUNCTIONS: &str = "\
.version 8.0
.target sm_90
.address_size 64
.global .u32 data;
.global .u32 flag;

//! litmus handover
//! thread writer @ cta 0
//! thread reader @ cta 1
//! forbid reader:%r1 == 1 && reader:%r2 == 0

.visible .func writer()
{
    st.global.u32 [data], 1;
    st.release.gpu.global.u32 [flag], 1;
    ret;
}

.visible .func reader()
{
    .reg .b32 %r<4>;
    ld.relaxed.gpu.global.u32 %r1, [flag];
    ld.global.u32 %r2, [data];
    ret;
}
";

fn opened(text: &str) -> Client {
    let mut client = Client::with(json!({}));
    open(&mut client, URI, 1, text);
    client
}

fn open(client: &mut Client, uri: &str, version: i32, text: &str) {
    let document = json!({"uri": uri, "languageId": "ptx-litmus", "version": version, "text": text});
    client.notify("textDocument/didOpen", json!({"textDocument": document}));
}

fn on(uri: &str, text: &str, word: &str, further: usize) -> Value {
    let offset = text.find(word).unwrap_or_else(|| panic!("{word} is not in the text")) + further;
    let (line, character) = position(text, "utf-16", offset);
    at(uri, line, character)
}

fn hover(client: &mut Client, params: Value) -> String {
    let hover = client.request("textDocument/hover", params).expect("succeeds");
    hover["contents"]["value"].as_str().unwrap_or_else(|| panic!("a hover: {hover}")).to_owned()
}

fn outcomes(found: &Value, allowed: bool) -> Vec<&str> {
    let all = found["executions"].as_array().expect("a list").iter();
    all.filter(|one| one["forbidden"].is_null() == allowed).filter_map(|one| one["outcome"].as_str()).collect()
}

#[test]
fn the_outline_has_the_test_its_threads_and_its_claim() {
    let mut client = Client::with(json!({
        "textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}
    }));
    open(&mut client, URI, 1, HANDOVER);
    let symbols =
        client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}})).expect("succeeds");
    assert_eq!(symbols[0]["name"], "handover");
    let children = symbols[0]["children"].as_array().expect("a list").iter();
    let names: Vec<_> = children.map(|child| (child["name"].as_str(), child["detail"].as_str())).collect();
    assert_eq!(
        names,
        [
            (Some("P0"), Some("cta 0, gpu 0")),
            (Some("P1"), Some("cta 1, gpu 0")),
            (Some("~exists"), Some("(1:r0 == 1 /\\ 1:r1 == 0)")),
        ]
    );
    client.leave();
}

#[test]
fn errors_are_published_and_removed_by_the_edit_that_fixes_them() {
    let wrong = HANDOVER.replace("st.release", "st.acquire");
    let mut client = opened(&wrong);
    let found = client.diagnostics(URI, 1);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!((&found[0]["code"], &found[0]["severity"]), (&json!("syntax-error"), &json!(1)));
    let start = on(URI, &wrong, "st.acquire", 0)["position"].clone();
    let end = on(URI, &wrong, "st.acquire", "st.acquire.gpu".len())["position"].clone();
    assert_eq!(found[0]["range"], json!({"start": start, "end": end}));
    assert_eq!(client.request("ptxAtomics/executions", at(URI, 8, 1)), Ok(Value::Null), "mistakes have no executions");

    let word = json!({
        "start": on(URI, &wrong, "acquire.gpu flag", 0)["position"],
        "end": on(URI, &wrong, "acquire.gpu flag", "acquire".len())["position"],
    });
    client.change(URI, 2, json!([{"range": word, "text": "release"}]));
    assert_eq!(client.diagnostics(URI, 2), [] as [Value; 0]);
    client.leave();
}

#[test]
fn hover_hint_and_executions_follow_the_text() {
    let mut client = opened(HANDOVER);
    let claim = on(URI, HANDOVER, "exists", 1);
    let hover_text = hover(&mut client, claim.clone());
    for part in ["**PASS**", "| 1:r0 | 1:r1 |", "| 0 | 0 |", "| 0 | 1 |", "| 1 | 1 |", "forbidden by Causality"] {
        assert!(hover_text.contains(part), "{part} in {hover_text}");
    }
    assert!(!hover_text.contains("| 1 | 0 |"), "{hover_text}");
    let whole = json!({"start": {"line": 0, "character": 0}, "end": {"line": 20, "character": 0}});
    let hints = json!({"textDocument": {"uri": URI}, "range": whole});
    let label = |answer: Value| answer[0]["label"].as_str().unwrap_or_default().to_owned();
    assert_eq!(label(client.request("textDocument/inlayHint", hints.clone()).expect("succeeds")), " PASS · 3 outcomes");
    let found = client.request("ptxAtomics/executions", claim.clone()).expect("succeeds");
    assert_eq!(found["name"], "handover");
    assert_eq!(outcomes(&found, true), ["1:r0=0 1:r1=0", "1:r0=0 1:r1=1", "1:r0=1 1:r1=1"]);
    assert_eq!(outcomes(&found, false), ["1:r0=1 1:r1=0"]);
    let forbidden = &found["executions"][3];
    assert_eq!((&found["decisive"], &forbidden["claimed"]), (&json!(3), &json!(true)));
    assert!(forbidden["forbidden"].as_str().is_some_and(|why| why.starts_with("Causality: ")), "{forbidden}");
    assert!(forbidden["svg"].as_str().is_some_and(|svg| svg.starts_with("<svg") && svg.contains("stroke-width=\"3\"")));

    client.change(URI, 2, json!([{"text": HANDOVER.replace("release", "relaxed")}]));
    assert!(hover(&mut client, claim.clone()).contains("**FAIL**"));
    assert_eq!(label(client.request("textDocument/inlayHint", hints).expect("succeeds")), " FAIL · 4 outcomes");
    let found = client.request("ptxAtomics/executions", claim).expect("succeeds");
    assert_eq!((outcomes(&found, true).len(), outcomes(&found, false).len()), (4, 0));
    client.leave();
}

#[test]
fn hover_explains_words_and_completion_and_colours_know_the_language() {
    let mut client = opened(HANDOVER);
    assert!(hover(&mut client, on(URI, HANDOVER, "ld.acquire", 4)).contains("acquire"));
    let labels = |client: &mut Client, params: Value| -> Vec<String> {
        let offers = client.request("textDocument/completion", params).expect("succeeds");
        let offers = offers.as_array().expect("a list");
        offers.iter().filter_map(|offer| offer["label"].as_str()).map(str::to_owned).collect()
    };
    let opcodes = labels(&mut client, on(URI, HANDOVER, "| ld.weak", 2));
    assert!(opcodes.iter().any(|label| label == "fence.sc.gpu"), "{opcodes:?}");
    let operands = labels(&mut client, on(URI, HANDOVER, "r1, data", 4));
    assert!(operands.iter().any(|label| label == "flag") && operands.iter().any(|label| label == "r0"), "{operands:?}");
    assert!(!operands.iter().any(|label| label.contains('.')), "no opcode is expected there: {operands:?}");
    let tokens = client.request("textDocument/semanticTokens/full", json!({"textDocument": {"uri": URI}}));
    let numbers = tokens.expect("succeeds")["data"].as_array().expect("a list").len();
    assert!(numbers > 5 * 40 && numbers.is_multiple_of(5), "{numbers} numbers");
    client.leave();
}

#[test]
fn a_test_in_comments_is_checked_fixed_and_shown() {
    let mut client = Client::with(editor());
    client.open(MODULE, 1, FUNCTIONS);
    let found = client.diagnostics(MODULE, 1);
    assert_eq!(found.len(), 1, "{found:#?}");
    assert_eq!(found[0]["code"], "outcome-allowed");
    let shown = client.request("ptxAtomics/executions", on(MODULE, FUNCTIONS, "thread reader", 0)).expect("succeeds");
    assert_eq!(shown["name"], "handover");
    let stale = shown["executions"].as_array().expect("a list").iter().find(|one| one["claimed"] == true);
    assert!(stale.is_some_and(|one| one["forbidden"].is_null()), "{stale:?}");
    let params =
        json!({"textDocument": {"uri": MODULE}, "range": found[0]["range"], "context": {"diagnostics": found}});
    let actions = client.request("textDocument/codeAction", params).expect("succeeds");
    let fix = actions.as_array().expect("a list").iter().find(|action| {
        let edits = &action["edit"]["changes"][MODULE];
        edits.as_array().is_some_and(|edits| {
            edits.iter().any(|edit| edit["newText"].as_str().is_some_and(|new| new.contains("acquire")))
        })
    });
    let fix = fix.unwrap_or_else(|| panic!("a fix that acquires: {actions:#}"));
    let mut text = FUNCTIONS.to_owned();
    let mut edits = fix["edit"]["changes"][MODULE].as_array().expect("a list").clone();
    edits.reverse();
    for edit in &edits {
        let offset = |end: &str| {
            let place = (edit["range"][end]["line"].as_u64(), edit["range"][end]["character"].as_u64());
            let is = |at: &usize| {
                let (line, character) = position(&text, "utf-16", *at);
                (Some(u64::from(line)), Some(u64::from(character))) == place
            };
            (0..=text.len()).find(is).expect("a place in the text")
        };
        let range = offset("start")..offset("end");
        text.replace_range(range, edit["newText"].as_str().expect("text"));
    }
    client.change(MODULE, 2, json!([{"text": text}]));
    assert_eq!(client.diagnostics(MODULE, 2), [] as [Value; 0], "{text}");
    let shown = client.request("ptxAtomics/executions", on(MODULE, &text, "ld.acquire", 0)).expect("succeeds");
    assert_eq!(outcomes(&shown, false), ["reader:%r1=1 reader:%r2=0"], "a function leads to its test");
    client.leave();
}

/// A module whose comment asks to check a message without an order.
const CHECKED: &str = "\
.version 8.0
.target sm_90
.address_size 64
//! check message grid 2 x=u32[2]
.visible .entry message(.param .u64 x)
{
	.reg .pred %p;
	.reg .b32 %r<3>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [x];
	mov.u32 %r1, %ctaid.x;
	setp.ne.u32 %p, %r1, 0;
	@%p bra READ;
	st.global.u32 [%rd1], 5;
	st.relaxed.gpu.global.u32 [%rd1+4], 1;
	ret;
READ:
	ld.acquire.gpu.global.u32 %r2, [%rd1+4];
	setp.ne.u32 %p, %r2, 1;
	@%p bra READ;
	ld.global.u32 %r2, [%rd1];
	ret;
}
";

#[test]
fn a_check_in_comments_shows_the_execution_that_refutes_it() {
    let mut client = Client::with(editor());
    client.open(MODULE, 1, CHECKED);
    let is_refuted = |found: &Value| found["code"] == "check-refuted";
    assert!(client.diagnostics(MODULE, 1).iter().any(is_refuted));
    let shown = client.request("ptxAtomics/executions", on(MODULE, CHECKED, "grid 2", 0)).expect("succeeds");
    assert_eq!((&shown["name"], &shown["summary"]), (&json!("message"), &json!("refuted: 1 problem")));
    let execution = &shown["executions"][0];
    assert!(execution["outcome"].as_str().is_some_and(|outcome| outcome.starts_with("data race")), "{execution}");
    assert!(execution["text"].as_str().is_some_and(|text| text.contains("race (not ordered): 1 → 4")), "{execution}");
    assert_eq!(execution["problem"], true, "what refutes is no allowed outcome like others: {execution}");
    assert!(execution["svg"].as_str().is_some_and(|svg| svg.contains(">race</text>")), "{execution}");
    // Elsewhere there is nothing to show; the right kernel has an execution in which the two threads synchronize.
    let elsewhere = client.request("ptxAtomics/executions", on(MODULE, CHECKED, "mov.u32", 0));
    assert_eq!(elsewhere, Ok(Value::Null));
    let right = CHECKED.replace("st.relaxed", "st.release");
    client.change(MODULE, 2, json!([{"text": right}]));
    assert!(!client.diagnostics(MODULE, 2).iter().any(is_refuted));
    let shown = client.request("ptxAtomics/executions", on(MODULE, &right, "grid 2", 0)).expect("succeeds");
    assert_eq!(
        (&shown["summary"], &shown["executions"][0]["problem"]),
        (&json!("proved: no execution has a problem"), &json!(false))
    );
    let text = shown["executions"][0]["text"].as_str().expect("text");
    assert!(text.contains("sync (synchronizes with): 2 → 3"), "{text}");
    client.leave();
}

/// A test that no budget of an editor is enough for: eight threads read eight locations each, in many orders.
fn endless() -> String {
    let heads: Vec<String> = (0..8).map(|thread| format!("P{thread}@cta {thread},gpu 0")).collect();
    let mut text = format!("PTX endless\n{{ }}\n{} ;\n", heads.join(" | "));
    for row in 0..9 {
        let cell = |thread: usize| match row {
            0 => format!("st.relaxed.gpu x{thread}, 1"),
            _ => format!("ld.relaxed.gpu r{row}, x{}", (thread + row) % 8),
        };
        text += &format!("{} ;\n", (0..8).map(cell).collect::<Vec<_>>().join(" | "));
    }
    let all: Vec<String> = (0..8).flat_map(|thread| (1..9).map(move |row| format!("{thread}:r{row} == 2"))).collect();
    text + &format!("exists ({})\n", all.join(" /\\ "))
}

#[test]
fn a_long_search_blocks_no_other_request_and_can_be_cancelled() {
    let text = endless();
    let mut client = opened(&text);
    assert_eq!(client.diagnostics(URI, 1), [] as [Value; 0]);
    let claim = on(URI, &text, "exists", 1);
    // More searches than there are workers.
    let searches: Vec<i64> = (0..32).map(|_| client.ask("ptxAtomics/executions", claim.clone())).collect();
    client.change(URI, 2, json!([{"text": HANDOVER}]));
    assert_eq!(client.diagnostics(URI, 2), [] as [Value; 0]);
    let answered = client.unclaimed().iter().filter(|one| searches.iter().any(|id| is_reply_to(one, *id))).count();
    assert!(answered < searches.len(), "the text was not held up until every search had ended");
    searches.iter().for_each(|id| client.cancel(*id));
    assert_eq!(client.server_text(URI), Some((2, HANDOVER.to_owned())));
    // The first may have ended before they were given up; the last had not even begun.
    let replies: Vec<_> = searches.into_iter().map(|id| client.reply(id)).collect();
    assert!(replies.last().is_some_and(Result::is_err), "the last was given up");
    assert!(replies.iter().flat_map(|reply| reply.as_ref().err()).all(|error| error["code"] == -32800), "{replies:?}");
    // A search that is not cancelled reports that it reached its limit.
    client.change(URI, 3, json!([{"text": text}]));
    let found = client.request("ptxAtomics/executions", claim).expect("succeeds");
    assert!(
        found["summary"].as_str().is_some_and(|summary| summary.contains("search limit reached")),
        "{}",
        found["summary"]
    );
    client.leave();
}
