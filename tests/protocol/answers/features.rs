//! Requests beside diagnostics, hover and completion, once each, as the client sees the answers.
//!
//! The content of answers is tested in `ide`; here, their ranges and shapes.

use crate::client::{Client, at};
use crate::sample_modules::CLEAN;
use serde_json::{Value, json};

/// The URI of the module.
pub const URI: &str = "file:///work/kernel.ptx";

/// A module with a label, a register range, a file and a comment of several lines.
pub const MODULE: &str = "\
.version 8.1
.target sm_90
.address_size 64
.file 1 \"kernel.cu\"

/* one
   \u{1f600} two
   three */
.visible .entry kernel(.param .u64 p)
{
    .reg .pred %p<2>;
    .reg .b32 %r<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [p];
again:
    atom.add.global.u32 %r1, [%rd1], %r2;
    setp.eq.u32 %p1, %r1, 0;
@%p1 bra again;
    ret;
}
";

/// A client that opened the module.
pub fn opened(capabilities: Value) -> Client {
    let mut client = Client::with(capabilities);
    client.open(URI, 1, MODULE);
    client
}

/// The parameters of a request about the first place of a word in the module, some characters in.
fn on(word: &str, further: usize) -> Value {
    let (line, character) = place(word, further);
    at(URI, line, character)
}

/// The position of the first place of a word in the module, some characters in.
pub fn place(word: &str, further: usize) -> (u32, u32) {
    let offset = MODULE.find(word).unwrap_or_else(|| panic!("{word} is not in the module")) + further;
    crate::text_model::position(MODULE, "utf-16", offset)
}

/// The text of the module at a range of the protocol.
fn text_at(range: &Value) -> String {
    let offset = |end: &str| {
        let (line, character) = (range[end]["line"].as_u64(), range[end]["character"].as_u64());
        (0..=MODULE.len())
            .filter(|at| MODULE.is_char_boundary(*at))
            .find(|at| {
                let found = crate::text_model::position(MODULE, "utf-16", *at);
                (Some(u64::from(found.0)), Some(u64::from(found.1))) == (line, character)
            })
            .unwrap_or_else(|| panic!("{range} is not in the module"))
    };
    MODULE[offset("start")..offset("end")].to_owned()
}

/// The items of an answer.
pub fn list(answer: Result<Value, Value>) -> Vec<Value> {
    answer.expect("succeeds").as_array().expect("a list").clone()
}

#[test]
fn the_outline_is_a_tree_for_those_who_can_show_one() {
    let mut client = opened(json!({"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}}));
    let outline = list(client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}})));
    let kernel = outline.iter().find(|symbol| symbol["name"] == "kernel").expect("the kernel");
    assert_eq!(text_at(&kernel["selectionRange"]), "kernel");
    assert!(text_at(&kernel["range"]).ends_with('}'));
    let inside: Vec<&str> =
        kernel["children"].as_array().expect("a list").iter().filter_map(|one| one["name"].as_str()).collect();
    assert!(
        inside.contains(&"p") && inside.contains(&"again") && inside.iter().any(|name| name.starts_with("%r<")),
        "{inside:?}"
    );
    client.leave();

    let mut client = opened(json!({}));
    let outline = list(client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": URI}})));
    let label = outline.iter().find(|symbol| symbol["name"] == "again").expect("the label");
    assert_eq!((&label["containerName"], &label["location"]["uri"]), (&json!("kernel"), &json!(URI)));
    client.leave();
}

#[test]
fn names_lead_to_their_declarations_and_back() {
    for links in [false, true] {
        let mut client = opened(
            json!({"textDocument": {"definition": {"linkSupport": links}, "declaration": {"linkSupport": links}}}),
        );
        for method in ["textDocument/definition", "textDocument/declaration"] {
            let targets = list(client.request(method, on("bra again", 5)));
            let (uri, range) = if links { ("targetUri", "targetSelectionRange") } else { ("uri", "range") };
            assert_eq!(targets[0][uri], URI);
            assert_eq!(targets[0][range]["start"], on("again:", 0)["position"], "{method}");
            assert_eq!(text_at(&targets[0][range]), "again");
        }
        client.leave();
    }
    let mut client = opened(json!({}));
    let mut asked = on("again:", 1);
    asked["context"] = json!({"includeDeclaration": true});
    let everywhere = list(client.request("textDocument/references", asked.clone()));
    assert_eq!(everywhere.iter().map(|one| text_at(&one["range"])).collect::<Vec<_>>(), ["again", "again"]);
    asked["context"] = json!({"includeDeclaration": false});
    assert_eq!(list(client.request("textDocument/references", asked)).len(), 1);
    let shown = list(client.request("textDocument/documentHighlight", on("%r1, [", 1)));
    assert!(shown.iter().all(|one| ["%r", "%r1"].contains(&text_at(&one["range"]).as_str())), "{shown:?}");
    let kinds: Vec<u64> = shown.iter().filter_map(|one| one["kind"].as_u64()).collect();
    assert!(kinds.contains(&3) && kinds.contains(&2), "the atomic writes it, setp reads it: {kinds:?}");
    client.leave();
}

#[test]
fn a_rename_changes_every_place_or_says_why_not() {
    let mut client = opened(json!({}));
    let found = client.request("textDocument/prepareRename", on("bra again", 4)).expect("succeeds");
    assert_eq!((text_at(&found["range"]), &found["placeholder"]), ("again".to_owned(), &json!("again")));
    let mut asked = on("bra again", 4);
    asked["newName"] = json!("once_more");
    let edit = client.request("textDocument/rename", asked.clone()).expect("succeeds");
    let edits = edit["changes"][URI].as_array().expect("edits").clone();
    assert_eq!(edits.len(), 2);
    assert!(edits.iter().all(|edit| text_at(&edit["range"]) == "again" && edit["newText"] == "once_more"));
    let together = client.request("textDocument/linkedEditingRange", on("again:", 0)).expect("succeeds");
    assert_eq!(together["ranges"].as_array().map(Vec::len), Some(2));

    asked["newName"] = json!("not a name");
    let refusal = client.request("textDocument/rename", asked).expect_err("is refused");
    assert_eq!(refusal["code"], -32803);
    assert!(!refusal["message"].as_str().expect("a reason").is_empty());
    assert_eq!(client.error_code("textDocument/prepareRename", on(".version", 3)), -32803);
    client.leave();
}

#[test]
fn folds_selections_links_and_operands_are_where_they_should_be() {
    let mut client = opened(
        json!({"textDocument": {"signatureHelp": {"signatureInformation": {"parameterInformation": {"labelOffsetSupport": true}}}}}),
    );
    let document = json!({"textDocument": {"uri": URI}});
    let folds = list(client.request("textDocument/foldingRange", document.clone()));
    let body = place("{\n    .reg", 0).0;
    assert!(folds.iter().any(|fold| fold["startLine"] == body), "{folds:?}");
    assert!(
        folds.iter().any(|fold| fold["kind"] == "comment" && fold["startLine"] == place("/* one", 0).0),
        "{folds:?}"
    );

    let positions = json!([on("add.global", 1)["position"], on("kernel(", 1)["position"]]);
    let selections = list(
        client.request("textDocument/selectionRange", json!({"textDocument": {"uri": URI}, "positions": positions})),
    );
    assert_eq!(selections.len(), 2);
    let mut selection = selections[0].clone();
    let mut former = String::new();
    while !selection.is_null() {
        let text = text_at(&selection["range"]);
        assert!(text.contains(&former) && text.len() > former.len(), "{text} holds {former}");
        former = text;
        selection = selection["parent"].clone();
    }
    assert_eq!(former, MODULE);

    let links = list(client.request("textDocument/documentLink", document));
    assert_eq!(
        (text_at(&links[0]["range"]), &links[0]["target"]),
        ("kernel.cu".to_owned(), &json!("file:///work/kernel.cu"))
    );

    let help = client.request("textDocument/signatureHelp", on("[%rd1], %r2", 1)).expect("succeeds");
    assert_eq!(help["activeParameter"], 1);
    let signature = &help["signatures"][0];
    let label = signature["label"].as_str().expect("a label");
    let place = &signature["parameters"][1]["label"];
    let place = place[0].as_u64().expect("a number") as usize..place[1].as_u64().expect("a number") as usize;
    assert_eq!(&label[place], "[a]");
    client.leave();
}

#[test]
fn hints_of_default_modifiers_are_off_until_enabled() {
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let asked = json!({"textDocument": {"uri": URI}, "range": range});
    let mut client = opened(json!({}));
    assert_eq!(list(client.request("textDocument/inlayHint", asked.clone())), [] as [Value; 0]);
    let on = json!({"ptxAtomics": {"inlayHints": {"semantics": true, "scope": true, "space": true}}});
    client.notify("workspace/didChangeConfiguration", json!({"settings": on}));
    let hints = list(client.request("textDocument/inlayHint", asked));
    let labels: Vec<&str> = hints.iter().filter_map(|hint| hint["label"].as_str()).collect();
    assert!(
        labels.iter().any(|label| label.contains("relaxed")) && labels.iter().any(|label| label.contains("gpu")),
        "{labels:?}"
    );
    client.leave();
}

/// Tokens with absolute places, from the protocol's numbers.
fn absolute(data: &Value) -> Vec<(u64, u64, u64, u64)> {
    let numbers: Vec<u64> = data.as_array().expect("numbers").iter().filter_map(Value::as_u64).collect();
    let (mut line, mut character) = (0, 0);
    let token = |five: &[u64]| {
        (line, character) = (line + five[0], if five[0] == 0 { character + five[1] } else { five[1] });
        (line, character, five[2], five[3])
    };
    numbers.chunks(5).map(token).collect()
}

#[test]
fn semantic_tokens_come_whole_in_part_and_as_differences() {
    let mut client = Client::start();
    let legend =
        client.initialize(json!({"capabilities": {}}))["capabilities"]["semanticTokensProvider"]["legend"].clone();
    client.open(URI, 1, MODULE);
    let document = json!({"textDocument": {"uri": URI}});
    let whole = client.request("textDocument/semanticTokens/full", document.clone()).expect("succeeds");
    let tokens = absolute(&whole["data"]);
    assert!(tokens.is_sorted(), "in the order of the text");
    let kind = |token: &(u64, u64, u64, u64)| {
        legend["tokenTypes"][token.3 as usize].as_str().expect("in the legend").to_owned()
    };
    let (line, character) = place("atom.add", 0);
    let mnemonic =
        tokens.iter().find(|token| (token.0, token.1) == (line.into(), character.into())).expect("the mnemonic");
    assert_eq!((kind(mnemonic).as_str(), mnemonic.2), ("keyword", 4));
    let comment: Vec<_> =
        tokens.iter().filter(|token| kind(token) == "comment").map(|token| (token.0, token.1, token.2)).collect();
    assert_eq!(comment, [(5, 0, 6), (6, 0, 9), (7, 0, 11)], "one per line, in UTF-16 units");

    let range = json!({"start": {"line": line, "character": 0}, "end": {"line": line, "character": 10}});
    let part = client
        .request("textDocument/semanticTokens/range", json!({"textDocument": {"uri": URI}, "range": range}))
        .expect("succeeds");
    let part = absolute(&part["data"]);
    assert!(part.contains(mnemonic) && part.len() < tokens.len() && part.iter().all(|token| tokens.contains(token)));

    let insertion = json!({"start": {"line": 4, "character": 0}, "end": {"line": 4, "character": 0}});
    client.change(URI, 2, json!([{"range": insertion, "text": "// new\n"}]));
    let asked = json!({"textDocument": {"uri": URI}, "previousResultId": whole["resultId"]});
    let delta = client.request("textDocument/semanticTokens/full/delta", asked.clone()).expect("succeeds");
    let mut numbers = whole["data"].as_array().expect("numbers").clone();
    for edit in delta["edits"].as_array().expect("edits") {
        let start = edit["start"].as_u64().expect("a number") as usize;
        let end = start + edit["deleteCount"].as_u64().expect("a number") as usize;
        numbers.splice(start..end, edit["data"].as_array().cloned().unwrap_or_default());
    }
    let now = client.request("textDocument/semanticTokens/full", document).expect("succeeds");
    assert_eq!(json!(numbers), now["data"], "what the difference makes of the former answer");
    assert!(delta["edits"][0]["data"].as_array().map_or(0, Vec::len) < numbers.len() / 2, "a difference is small");
    let unknown = client.request("textDocument/semanticTokens/full/delta", asked).expect("succeeds");
    assert!(
        unknown.get("edits").is_some() || unknown["data"] == now["data"],
        "a former answer that is forgotten gives all"
    );
    client.leave();
}

#[test]
fn formatting_ends_where_nothing_is_left_to_do() {
    let mut client = Client::with(json!({}));
    let untidy = CLEAN.replace("    atom.global.add.u32 %r1, [%rd1], %r2;", "atom.global.add.u32   %r1,[%rd1],%r2   ;");
    client.open(URI, 1, &untidy);
    for insert_spaces in [true, false] {
        let asked = json!({"textDocument": {"uri": URI}, "options": {"tabSize": 2, "insertSpaces": insert_spaces}});
        let edits = list(client.request("textDocument/formatting", asked.clone()));
        assert!(!edits.is_empty());
        let changes: Vec<Value> =
            edits.iter().rev().map(|edit| json!({"range": edit["range"], "text": edit["newText"]})).collect();
        client.change(URI, 2, json!(changes));
        let (_, text) = client.server_text(URI).expect("is open");
        let line = if insert_spaces { "\n  atom.global.add.u32" } else { "\n\tatom.global.add.u32" };
        assert!(text.contains(line), "{text}");
        assert_eq!(list(client.request("textDocument/formatting", asked)), [] as [Value; 0]);
    }
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 0, "character": 1}});
    let options = json!({"tabSize": 4, "insertSpaces": true});
    let asked = json!({"textDocument": {"uri": URI}, "range": range, "options": options});
    assert!(client.request("textDocument/rangeFormatting", asked).is_ok());
    let mut asked = at(URI, 9, 40);
    (asked["ch"], asked["options"]) = (json!(";"), options);
    assert!(client.request("textDocument/onTypeFormatting", asked).is_ok());
    client.leave();
}

#[test]
fn calls_lead_both_ways() {
    let text = ".version 8.1\n.target sm_90\n.address_size 64\n.func inner()\n{\n    ret;\n}\n.visible .entry outer()\n{\n    call inner;\n    ret;\n}\n";
    let mut client = Client::with(json!({}));
    client.open(URI, 1, text);
    let inner = list(client.request("textDocument/prepareCallHierarchy", at(URI, 3, 7)));
    assert_eq!((&inner[0]["name"], &inner[0]["uri"]), (&json!("inner"), &json!(URI)));
    let callers = list(client.request("callHierarchy/incomingCalls", json!({"item": inner[0]})));
    assert_eq!(callers.len(), 1);
    assert_eq!(
        (&callers[0]["from"]["name"], &callers[0]["fromRanges"][0]["start"]["line"]),
        (&json!("outer"), &json!(9))
    );
    let called = list(client.request("callHierarchy/outgoingCalls", json!({"item": callers[0]["from"]})));
    assert_eq!(
        (&called[0]["to"]["name"], &called[0]["to"]["selectionRange"]),
        (&json!("inner"), &inner[0]["selectionRange"])
    );
    client.leave();
}

#[test]
fn an_atomic_is_evaluated_at_its_position() {
    let mut client = opened(json!({}));
    let lenses = list(client.request("textDocument/codeLens", json!({"textDocument": {"uri": URI}})));
    assert_eq!(lenses.len(), 1);
    assert!(text_at(&lenses[0]["range"]).starts_with("atom.add"));
    let command = &lenses[0]["command"];
    let mut argument = command["arguments"][0].clone();
    argument["input"] = json!("[a]=3, b=7");
    let asked = json!({"command": command["command"], "arguments": [argument]});
    let line = client.request("workspace/executeCommand", asked).expect("succeeds");
    assert!(line.as_str().expect("a line").contains("[a]=10"), "{line}");
    let shown = client.wait("the result", |message| message["method"] == "window/showMessage");
    assert_eq!(shown["params"]["message"], line);

    let mut displays = opened(json!({"experimental": {"evaluationResults": true}}));
    let asked = json!({"command": command["command"], "arguments": [argument.clone()]});
    assert_eq!(displays.request("workspace/executeCommand", asked).expect("succeeds"), line);
    assert!(!displays.unclaimed().iter().any(|message| message["method"] == "window/showMessage"), "shown once");
    displays.leave();

    argument["input"] = json!("no values at all");
    assert_eq!(
        client.error_code("workspace/executeCommand", json!({"command": command["command"], "arguments": [argument]})),
        -32803
    );
    for wrong in [
        json!({"command": "no.such"}),
        json!({"command": command["command"]}),
        json!({"command": command["command"], "arguments": [5]}),
    ] {
        assert_eq!(client.error_code("workspace/executeCommand", wrong), -32602);
    }

    let commented = MODULE.replace("[%rd1], %r2;", "[%rd1], %r2; //= [a]=3, b=7");
    client.change(URI, 2, json!([{"text": commented}]));
    let range = json!({"start": {"line": 0, "character": 0}, "end": {"line": 99, "character": 0}});
    let hints = list(client.request("textDocument/inlayHint", json!({"textDocument": {"uri": URI}, "range": range})));
    assert!(hints.iter().any(|hint| hint["label"].as_str().is_some_and(|label| label.contains("[a]=10"))), "{hints:?}");
    client.leave();
}

#[test]
fn whole_instructions_are_offered_with_places_to_fill_in_where_the_client_can() {
    for snippets in [false, true] {
        let mut client =
            Client::with(json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": snippets}}}}));
        client.open(URI, 1, &MODULE.replace("    atom.add.global.u32 %r1, [%rd1], %r2;", "    ato"));
        let (line, _) = place("    atom.add", 0);
        let offers = list(client.request("textDocument/completion", at(URI, line, 7)));
        let whole: Vec<&Value> = offers.iter().filter(|offer| offer["insertTextFormat"] == 2).collect();
        assert_eq!(!whole.is_empty(), snippets, "{offers:?}");
        let texts: Vec<&str> = offers.iter().filter_map(|offer| offer["textEdit"]["newText"].as_str()).collect();
        assert!(texts.contains(&"atom"), "{texts:?}");
        assert_eq!(texts.iter().any(|text| text.contains("${")), snippets, "{texts:?}");
        client.leave();
    }
    let mut client = opened(json!({}));
    let offers = list(client.request("textDocument/completion", on("%r1, 0", 1)));
    assert!(offers.iter().any(|offer| offer["label"] == "%r1"), "{offers:?}");
    client.leave();
}
