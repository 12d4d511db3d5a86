//! Each optional capability of a client: what the server sends with it, and without it.

use crate::client::{Client, at};
use serde_json::{Value, json};

const URI: &str = "file:///work/capabilities.ptx";

/// A module with an error that has fixes and a related place, an unreachable atomic, and a label.
const MODULE: &str = "\
.version 8.1
.target sm_90
.address_size 64
.func inner()
{
    ret;
}
.visible .entry kernel(.param .u64 p)
{
    .reg .pred %p<2>;
    .reg .b32 %r<200>;
    .reg .b64 %rd<4>;
again:
    atom.or.global.u32 %r1, [%rd1], %r2;
    atom.add.global.u32 %r12, [%rd1], %r2;
    ld.volatile.global.u32 %r3, [%rd1];
    bra again;
    red.global.add.u32 [%rd1], %r2;
    call inner;
    mov.u32 %r1, %laneid;
}
";

/// A row of the table.
struct Row {
    /// The capability, as a path in `ClientCapabilities`.
    capability: &'static str,
    /// Its value where the client has it.
    value: Value,
    /// What is needed beside it.
    with: Value,
    /// The relevant part of an answer.
    ask: fn(&mut Client, &Value) -> Value,
    /// The part without, and with the capability.
    expected: [Value; 2],
}

fn row(
    capability: &'static str,
    value: Value,
    ask: fn(&mut Client, &Value) -> Value,
    absent: Value,
    present: Value,
) -> Row {
    Row { capability, value, with: json!({}), ask, expected: [absent, present] }
}

/// Sets a value at a path such as `textDocument.rename.prepareSupport`.
fn set(capabilities: &mut Value, path: &str, value: &Value) {
    let place = path.split('.').fold(capabilities, |inside, key| &mut inside[key]);
    *place = value.clone();
}

fn place(word: &str, further: usize) -> Value {
    let (line, character) =
        crate::text_model::position(MODULE, "utf-16", MODULE.find(word).expect("is there") + further);
    at(URI, line, character)
}

fn ask(client: &mut Client, method: &str, params: Value) -> Value {
    client.request(method, params).unwrap_or_else(|error| panic!("{method}: {error}"))
}

fn document() -> Value {
    json!({"textDocument": {"uri": URI}})
}

/// The diagnostic with a code.
fn diagnostic(client: &mut Client, code: &str) -> Value {
    let pushed = client.diagnostics(URI, 1);
    pushed.iter().find(|one| one["code"] == code).unwrap_or_else(|| panic!("{code}: {pushed:?}")).clone()
}

fn actions(client: &mut Client) -> Value {
    let position = place("atom.or.global.u32", 16)["position"].clone();
    let range = json!({"start": position, "end": position});
    let context = json!({"diagnostics": [], "only": ["quickfix"]});
    ask(client, "textDocument/codeAction", json!({"textDocument": {"uri": URI}, "range": range, "context": context}))
}

fn completions(client: &mut Client, word: &str, further: usize) -> Vec<Value> {
    let answer = ask(client, "textDocument/completion", place(word, further));
    let items = if answer.is_array() { &answer } else { &answer["items"] };
    items.as_array().expect("items").clone()
}

fn kinds(items: &[Value]) -> Value {
    json!(items.iter().any(|item| item["kind"].as_u64().is_some_and(|kind| kind > 18)))
}

/// The label in the outline, which is a tree or a list.
fn label(client: &mut Client) -> Value {
    let outline = ask(client, "textDocument/documentSymbol", document());
    let all = outline.as_array().expect("a list");
    let nested = all.iter().flat_map(|one| one["children"].as_array().cloned().unwrap_or_default());
    let found = all.iter().cloned().chain(nested).find(|one| one["name"] == "again");
    found.expect("the label")
}

fn code_action_rows() -> Vec<Row> {
    let literals = "textDocument.codeAction.codeActionLiteralSupport";
    let kinds = json!({"codeActionKind": {"valueSet": ["quickfix"]}});
    let with_literals = json!({"textDocument": {"codeAction": {"codeActionLiteralSupport": kinds}}});
    let provider: fn(&mut Client, &Value) -> Value =
        |_, announced| json!(announced["codeActionProvider"]["codeActionKinds"].is_array());
    vec![
        row(literals, kinds.clone(), provider, json!(false), json!(true)),
        row(
            literals,
            kinds.clone(),
            |client, _| actions(client)[0]["edit"]["changes"][URI][0]["newText"].clone(),
            Value::Null,
            json!(".b32"),
        ),
        row(
            "workspace.applyEdit",
            json!(true),
            |client, _| actions(client)[0]["command"].clone(),
            Value::Null,
            json!("ptxAtomics.applyEdit"),
        ),
        Row {
            with: with_literals.clone(),
            ..row(
                "textDocument.codeAction.isPreferredSupport",
                json!(true),
                |client, _| actions(client)[0]["isPreferred"].clone(),
                Value::Null,
                json!(true),
            )
        },
        Row {
            with: with_literals.clone(),
            ..row(
                "workspace.workspaceEdit.documentChanges",
                json!(true),
                |client, _| actions(client)[0]["edit"]["documentChanges"][0]["textDocument"]["version"].clone(),
                Value::Null,
                json!(1),
            )
        },
    ]
}

fn diagnostic_rows() -> Vec<Row> {
    vec![
        row(
            "textDocument.publishDiagnostics.relatedInformation",
            json!(true),
            |client, _| {
                let found = diagnostic(client, "illegal-type");
                let in_message = found["message"].as_str().is_some_and(|text| text.contains("\nnote: line 14: "));
                json!([found["relatedInformation"].is_array(), in_message])
            },
            json!([false, true]),
            json!([true, false]),
        ),
        row(
            "textDocument.publishDiagnostics.codeDescriptionSupport",
            json!(true),
            |client, _| diagnostic(client, "illegal-type")["codeDescription"]["href"].clone(),
            Value::Null,
            json!("pages:/illegal-type.md"),
        ),
        row(
            "textDocument.publishDiagnostics.dataSupport",
            json!(true),
            |client, _| json!(diagnostic(client, "illegal-type")["data"].is_object()),
            json!(false),
            json!(true),
        ),
        row(
            "textDocument.publishDiagnostics.tagSupport",
            json!({"valueSet": [1, 2]}),
            |client, _| diagnostic(client, "dead-atomic")["tags"].clone(),
            Value::Null,
            json!([1]),
        ),
    ]
}

fn symbol_and_name_rows() -> Vec<Row> {
    vec![
        row(
            "textDocument.documentSymbol.hierarchicalDocumentSymbolSupport",
            json!(true),
            |client, _| json!(label(client)["location"].is_object()),
            json!(true),
            json!(false),
        ),
        row(
            "textDocument.documentSymbol.symbolKind.valueSet",
            json!([20]),
            |client, _| label(client)["kind"].clone(),
            json!(14),
            json!(20),
        ),
        row(
            "textDocument.definition.linkSupport",
            json!(true),
            |client, _| json!(ask(client, "textDocument/definition", place("bra again", 5))[0]["targetUri"]),
            Value::Null,
            json!(URI),
        ),
        row(
            "textDocument.declaration.linkSupport",
            json!(true),
            |client, _| json!(ask(client, "textDocument/declaration", place("bra again", 5))[0]["targetUri"]),
            Value::Null,
            json!(URI),
        ),
        row(
            "textDocument.rename.prepareSupport",
            json!(true),
            |_, announced| announced["renameProvider"]["prepareProvider"].clone(),
            Value::Null,
            json!(true),
        ),
        row(
            "textDocument.foldingRange.rangeLimit",
            json!(1),
            |client, _| {
                json!(
                    ask(client, "textDocument/foldingRange", document())
                        .as_array()
                        .is_some_and(|folds| folds.len() > 1)
                )
            },
            json!(true),
            json!(false),
        ),
    ]
}

fn typing_rows() -> Vec<Row> {
    vec![
        row(
            "textDocument.completion.completionItem.snippetSupport",
            json!(true),
            |client, _| json!(completions(client, "    atom.add", 6).iter().any(|item| item["insertTextFormat"] == 2)),
            json!(false),
            json!(true),
        ),
        row(
            "textDocument.completion.completionItemKind.valueSet",
            json!([24, 25]),
            |client, _| kinds(&completions(client, "atom.add", 5)),
            json!(false),
            json!(true),
        ),
        row(
            "textDocument.completion.completionItem.resolveSupport",
            json!({"properties": ["documentation"]}),
            |client, _| json!(completions(client, "atom.add", 5)[0]["documentation"].is_null()),
            json!(false),
            json!(true),
        ),
        row(
            "textDocument.completion.completionItem.documentationFormat",
            json!(["markdown"]),
            |client, _| json!(completions(client, "atom.add", 5)[0]["documentation"].is_object()),
            json!(false),
            json!(true),
        ),
        row(
            "textDocument.signatureHelp.signatureInformation.activeParameterSupport",
            json!(true),
            |client, _| {
                let help = ask(client, "textDocument/signatureHelp", place("%r12, [%rd1], %r2", 8));
                json!([help["activeParameter"], help["signatures"][0]["activeParameter"]])
            },
            json!([1, null]),
            json!([1, 1]),
        ),
        row(
            "textDocument.signatureHelp.signatureInformation.parameterInformation.labelOffsetSupport",
            json!(true),
            |client, _| {
                ask(client, "textDocument/signatureHelp", place(".u32 %r12, [%rd1], %r2", 12))["signatures"][0]["parameters"][1]["label"].clone()
            },
            json!("[a]"),
            json!([23, 26]),
        ),
    ]
}

#[test]
fn optional_parts_are_sent_to_clients_that_take_them_only() {
    let rows = [code_action_rows(), diagnostic_rows(), symbol_and_name_rows(), typing_rows()].into_iter().flatten();
    for row in rows {
        for (has, expected) in row.expected.iter().enumerate() {
            let mut capabilities = row.with.clone();
            if has == 1 {
                set(&mut capabilities, row.capability, &row.value);
            }
            let mut client = Client::start();
            let options = json!({"pages": "pages:/{code}.md"});
            let begun = client.initialize(json!({"capabilities": capabilities, "initializationOptions": options}));
            client.open(URI, 1, MODULE);
            let found = (row.ask)(&mut client, &begun["capabilities"]);
            assert_eq!(found, *expected, "{}, {}", row.capability, ["absent", "present"][has]);
            client.leave();
        }
    }
}

#[test]
fn a_fix_is_a_command_for_clients_without_literals() {
    let mut client = Client::with(json!({"workspace": {"applyEdit": true}}));
    client.open(URI, 1, MODULE);
    let all = actions(&mut client);
    assert!(all[0]["edit"].is_null() && all[0]["title"].as_str().is_some_and(|title| title.contains(".b32")), "{all}");
    let command = json!({"command": all[0]["command"], "arguments": all[0]["arguments"]});
    let id = client.ask("workspace/executeCommand", command.clone());
    let request = client.asked("workspace/applyEdit");
    let edit = &request["params"]["edit"]["changes"][URI][0];
    assert_eq!(edit["newText"], ".b32");
    client.answer(&request, json!({"applied": true}));
    assert_eq!(client.reply(id), Ok(Value::Null));

    // An edit that the client refuses, and one of an older text.
    let id = client.ask("workspace/executeCommand", command.clone());
    let request = client.asked("workspace/applyEdit");
    client.answer(&request, json!({"applied": false, "failureReason": "read only"}));
    assert_eq!(client.reply(id).expect_err("is refused")["message"], "read only");
    client.change(URI, 2, json!([{"text": "// nothing"}]));
    assert_eq!(client.error_code("workspace/executeCommand", command), -32803);
    client.leave();
}
