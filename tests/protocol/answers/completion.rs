//! Completion inside opcodes and of unfinished `asm` statements, and answers at every position of their literals: they contain the cursor.

use crate::client::{Client, at};
use crate::text_model::position;
use serde_json::{Value, json};

const URI: &str = "file:///typing.cu";

/// What surrounds the typed text: nothing yet, what an editor closes, other literals, operands, and code behind an unfinished statement.
const AROUND: [(&str, &str); 8] = [
    ("__global__ void k(int* p) {\n  asm volatile(\"", ""),
    ("__global__ void k(int* p) {\n  asm volatile(\"", "\")\n}\n"),
    ("__global__ void k(int* p) {\n  asm volatile(\"", "\n  int x = f(\"a\");\n  g(x);\n}\n"),
    ("__global__ void k(int* p) {\n  asm volatile(\"", "\n    : \"=r\"(x) : \"l\"(p) : \"memory\");\n}\n"),
    (
        "__global__ void k(int* p) {\n  asm(\"{ .reg .pred q;\\n\\t\"\n    \"",
        "\"\n    \"mov.u32 %0, 1; }\" : \"=r\"(x));\n}\n",
    ),
    (
        "__global__ void k(int* p) {\n  asm(\"ret;\\n\\t\"\n    \"@p ",
        "\"\n    MACRO \"mov.u32 %0, 1;\" : \"=r\"(x));\n}\n",
    ),
    ("__global__ void k(int* p) {\n  asm volatile(R\"(", "\n"),
    ("#define ADD(p) asm volatile(\"", "\" :: \"l\"(p)); \\\n  f(p)\n"),
];

fn completions(client: &mut Client, line: u32, character: u32) -> Vec<Value> {
    let answer = client.request("textDocument/completion", at(URI, line, character)).expect("completions");
    answer.as_array().cloned().unwrap_or_default()
}

#[test]
fn every_letter_of_an_unfinished_statement_has_completions() {
    let typed = "atom.global.add.u32 %0, [";
    for (before, after) in AROUND {
        let mut client = Client::with(json!({}));
        client.open(URI, 1, before);
        for (version, end) in (2..).zip(0..=typed.len()) {
            let text = format!("{before}{}{after}", &typed[..end]);
            client.change(URI, version, json!([{"text": text}]));
            let (line, character) = position(&text, "utf-16", before.len() + end);
            let labels: Vec<_> = completions(&mut client, line, character)
                .iter()
                .map(|item| item["label"].as_str().expect("a label").to_owned())
                .collect();
            let expected = match end {
                0..=4 => "atom",
                5..=11 => "global",
                12..=15 => "add",
                16..=19 => "u32",
                _ => continue,
            };
            assert!(labels.iter().any(|label| label == expected), "{expected}: {labels:?} in {text:?}");
        }
        client.leave();
    }
}

#[test]
fn other_assemblers_have_no_completions() {
    for text in
        ["asm(\"mov %eax, %ebx\\n\\tat", "asm volatile(\"lock; at", "asm(\"dmb ish; at", "asm(\"movl $1, %", "f(\"at"]
    {
        let mut client = Client::with(json!({}));
        client.open(URI, 1, text);
        assert_eq!(completions(&mut client, 0, text.len() as u32), Vec::<Value>::new(), "{text}");
        client.leave();
    }
}

#[test]
fn words_behind_the_cursor_count_only_in_its_literal() {
    let text = "__device__ void f() { asm(\"atom.global.\"\n  \"mov.u32 %0, 1;\" : \"=r\"(x)); }\n";
    let mut client = Client::with(json!({}));
    client.open(URI, 1, text);
    let (line, character) = position(text, "utf-16", text.find("\"\n").expect("is there"));
    assert!(completions(&mut client, line, character).len() > 10);
    // The earlier literal has the first letters: only the rest is inserted.
    let text = "__device__ void f() { asm(\"atom.gl\"\n  \"o\"); }\n";
    client.change(URI, 2, json!([{"text": text}]));
    let (line, character) = position(text, "utf-16", text.find("o\")").expect("is there") + 1);
    let items = completions(&mut client, line, character);
    let global = items.iter().find(|item| item["label"] == "global").expect("`global`");
    assert_eq!(global["textEdit"]["newText"], "obal");
    client.leave();
}

const HEAD: &str = ".version 9.5\n.target sm_100\n.address_size 64\n.func f() { ret; }\n.entry k() {\nL: ";

/// The items at the end of `before`, the best first.
fn ranked(before: &str, after: &str) -> Vec<Value> {
    let mut client =
        Client::with(json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}}));
    let uri = "file:///opcode.ptx";
    let text = format!("{HEAD}{before}{after}\n}}\n");
    client.open(uri, 1, &text);
    let (line, character) = position(&text, "utf-16", HEAD.len() + before.len());
    let answer = client.request("textDocument/completion", at(uri, line, character)).expect("completions");
    let mut items = answer.as_array().cloned().unwrap_or_default();
    items.sort_by_key(|item| item["sortText"].as_str().expect("a rank").to_owned());
    client.leave();
    items
}

#[test]
fn every_word_inside_an_opcode_is_possible_with_the_words_behind_the_cursor() {
    let newest = isa::Module { version: None, target: isa::target::Target::parse("sm_100") };
    let mut offered = 0;
    for opcode in
        ["atom.relaxed.gpu.global.add.u32", "red.add.u32", "ld.acquire.gpu.global.u32", "multimem.red.global.add.u32"]
    {
        for (dot, _) in opcode.match_indices('.') {
            let (before, after) = opcode.split_at(dot);
            for item in ranked(&format!("{before}."), after) {
                let word = item["label"].as_str().expect("a label");
                let whole = format!("{before}.{word}{after}");
                let words: Vec<&str> = whole.split('.').collect();
                let spelling = isa::Spelling { mnemonic: words[0], modifiers: &words[1..] };
                let possible =
                    isa::is_legal(&spelling, &newest) == Some(true) || !isa::complete(&spelling, &newest).is_empty();
                assert!(possible, "{whole}");
                offered += 1;
            }
        }
    }
    assert!(offered > 50, "{offered}");
    let labels: Vec<_> = ranked("atom.", ".add.u32 a, [b], c;").iter().map(|item| item["label"].clone()).collect();
    assert!(labels.contains(&json!("global")) && !labels.contains(&json!("and")), "{labels:?}");
}

#[test]
fn the_words_that_people_write_next_come_first() {
    let labels = |before: &str| -> Vec<String> {
        ranked(before, "").iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect()
    };
    assert_eq!(labels("atom.")[..3], ["relaxed", "acquire", "release"]);
    assert_eq!(labels("ld.")[..3], ["global", "shared", "param"]);
    assert_eq!(labels("m")[..5], ["mov", "mad", "mul", "mma", "mbarrier"]);
    assert_eq!(labels("atom.global.")[..3], ["add", "cas", "exch"]);
    assert_eq!(labels("atom.global.add.")[..3], ["u32", "s32", "f32"]);
    assert_eq!(labels("red.global.relaxed.")[0], "add");
    assert_eq!(labels("call "), ["f"]);
    assert_eq!(labels("bra "), ["L"]);
    assert!(labels("atom.xyz").iter().all(|label| !label.contains('.')), "no snippets inside an opcode");
    assert_eq!(labels("at")[..2], ["atom", "atom.global.add.u32"]);
}

#[test]
fn every_item_has_its_meaning_once() {
    let opcodes = ["", "at", "atom.", "atom.global.add.", "ld.", "fence.", "mbarrier.", "multimem."];
    let operands = ["mov.u32 a, ", "mov.u32 a, %tid.", "@", "call ", "bra ", ".", ".reg .", ".shared ."];
    for before in opcodes.into_iter().chain(operands) {
        let items = ranked(before, "");
        let mut kinds: Vec<_> = items.iter().map(|item| item["kind"].as_u64().expect("a kind")).collect();
        kinds.dedup();
        assert!(!before.ends_with("atom.") || kinds.len() >= 4, "{kinds:?}");
        for item in items {
            let detail = item["detail"].as_str().unwrap_or_default();
            assert!(!detail.is_empty(), "{before}: {item}");
            let documentation =
                item["documentation"]["value"].as_str().or(item["documentation"].as_str()).unwrap_or_default();
            assert!(!documentation.contains(detail), "{before}: {item}");
        }
    }
}

#[test]
fn every_item_of_listings_and_litmus_tests_has_its_meaning() {
    let test = "GPU_PTX x\n{0:r0=x;}\n P0 | P1 ;\n ";
    for (uri, text) in ["", "RED.", "REDG.E.ADD.", "ATOMS.", "LDGMC."]
        .map(|typed| ("file:///a.sass", typed.to_owned()))
        .into_iter()
        .chain(["", "ld", "fence."].map(|typed| ("file:///a.litmus", format!("{test}{typed}"))))
    {
        let mut client = Client::with(json!({}));
        client.open(uri, 1, &text);
        let (line, character) = position(&text, "utf-16", text.len());
        let items = client.request("textDocument/completion", at(uri, line, character)).expect("completions");
        let items = items.as_array().expect("a list").clone();
        assert!(!items.is_empty(), "{text}");
        for item in items {
            assert!(item["detail"].as_str().is_some_and(|detail| !detail.is_empty()), "{text}: {item}");
        }
        client.leave();
    }
}

/// The positions of a range as numbers.
fn span(range: &Value) -> [(u64, u64); 2] {
    ["start", "end"].map(|end| {
        let number = |key: &str| range[end][key].as_u64().expect("a number");
        (number("line"), number("character"))
    })
}

#[test]
fn answers_contain_the_cursor_at_every_position() {
    let text = "__device__ void f(int* p, int x) {\n  asm volatile(\"{\\n\\t.reg .pred %%q;\\n\\t\"\n    \"atom.global\"\n    \".add.u32 %0, [%1],\"\n    \"%2;\\n\"\n    \"@%%q red.\"\n    \"relaxed.gpu.global.\" \"\" \"add.u32 [%[a]], 1; \\x7d\"\n    : \"=r\"(x) : \"l\"(p), \"r\"(x), [a] \"l\"(p));\n}\n";
    let mut client = Client::with(json!({}));
    client.open(URI, 1, text);
    let mut asked = [0; 4];
    for offset in 0..=text.len() {
        let (line, character) = position(text, "utf-16", offset);
        let cursor = (u64::from(line), u64::from(character));
        let check = |range: &Value| {
            let [start, end] = span(range);
            assert!(start <= cursor && cursor <= end, "{range} does not contain {cursor:?}");
        };
        for item in completions(&mut client, line, character) {
            let [start, end] = span(&item["textEdit"]["range"]);
            assert!(start.0 == cursor.0 && end.0 == cursor.0 && start <= cursor && cursor <= end, "{cursor:?}: {item}");
            asked[0] += 1;
        }
        let hover = client.request("textDocument/hover", at(URI, line, character)).expect("a hover");
        let rename = client.request("textDocument/prepareRename", at(URI, line, character)).unwrap_or_default();
        for (number, range) in [(1, &hover["range"]), (2, if rename.is_null() { &rename } else { &rename["range"] })] {
            if !range.is_null() {
                check(range);
                asked[number] += 1;
            }
        }
        let position = json!({"line": line, "character": character});
        let asks = json!({"textDocument": {"uri": URI}, "positions": [position]});
        let selections = client.request("textDocument/selectionRange", asks).expect("selections");
        let mut selection = &selections[0];
        while !selection.is_null() {
            check(&selection["range"]);
            selection = &selection["parent"];
            asked[3] += 1;
        }
    }
    assert!(asked.iter().all(|count| *count > 5), "{asked:?}");
    client.leave();
}
