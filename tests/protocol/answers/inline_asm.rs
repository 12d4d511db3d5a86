//! PTX inside C++ and Python under random edits: ranges of diagnostics, tokens and hovers equal those of a fresh server, in all three encodings, and are
//! inside the literals.

use crate::client::{Client, at, editor};
use crate::text_model::{edit, position};
use serde_json::{Value, json};
use support::Rng;

/// What is put in: halves of literals and instructions, escapes, comments, directives, and characters of every width.
const PIECES: [&str; 22] = [
    "\"",
    "\" \"",
    "\\n",
    "\\",
    "%0",
    "%%p",
    ";",
    "{",
    "}",
    ".gpu",
    "red.global.or.u32 [%0], 1;",
    " /* \u{e9}\u{301} */ ",
    "// \u{1f600}\n",
    "\u{4e16}",
    "\u{10ffff}",
    "\r\n",
    "\n#ifdef A\n",
    "\n#else\n",
    "\n#endif\n",
    "R\"(",
    ")\"",
    " TYPE ",
];

const START: &str = "// \u{1f600} caf\u{e9}\r\n#define TYPE \"u33\"\r\n__device__ void f(int* p, int x) {\n    /* \u{4e16} */ asm volatile(\"{\\n\\t\" // \u{1f468}\u{200d}\u{1f469}\n        \".reg .pred q;\\n\\t/* \u{1f600} */ atom.global.or.s32 %0, [%1], %2;\\n\\t\"\n        /* \u{e9} */ \"red.global.add.\" TYPE \" [%1], %2; }\" : \"=r\"(x) : \"l\"(p), \"r\"(x) : \"memory\");\n    asm(R\"(\u{1f600} /* */ red.global.add.u23 [%0], 1;)\" :: \"l\"(p));\n}\n";

/// The same for Python: quotes of both kinds, fields, names, and what ends a call.
const PYTHON_PIECES: [&str; 20] = [
    "\"",
    "'",
    "\"\"\"",
    "\" \"",
    "\\n",
    "\\",
    "$0",
    "$$p",
    ";",
    "{{",
    "}",
    "{scope}",
    ".gpu",
    "red.global.or.u32 [$0], 1;",
    "# \u{1f600}\n",
    "\u{4e16}",
    "\r\n",
    ")",
    " ADD ",
    " % (x,)",
];

const PYTHON_START: &str = "# \u{1f600} caf\u{e9}\r\nADD = 'red.global.or.s33 [$0], $1;'\r\ndef f(p, x):\n    y = tl.inline_asm_elementwise(asm=f\"\"\"{{\n\t.reg .pred q; /* \u{1f600} */ atom.{scope}.global.or.s33 $0, [$1], $2;\n        red.global.or.s32 [$1], $2; }}\"\"\", constraints='=r,l,r', args=[p, x])\n    llvm.inline_asm(None, [p, x], ADD + \"\u{e9}\", 'l,r')\n    llvm.inline_asm(None, [p], \"\\u00e9 /* */ red.global.\" 'add.u23 [$0], 1;', 'l')\n";

/// Everything with a place that is asked for.
fn answers(client: &mut Client, uri: &str, version: i32, places: &[(u32, u32)]) -> Vec<Value> {
    let mut all = vec![Value::Array(client.diagnostics(uri, version))];
    let whole = json!({"textDocument": {"uri": uri}});
    all.push(client.request("textDocument/semanticTokens/full", whole).expect("tokens")["data"].clone());
    for (line, character) in places {
        for method in ["textDocument/hover", "textDocument/documentHighlight", "textDocument/definition"] {
            let mut answer = client.request(method, at(uri, *line, *character)).expect("an answer");
            forget(&mut answer);
            all.push(answer);
        }
    }
    all
}

/// Takes names of documents out: the two servers have their own.
fn forget(answer: &mut Value) {
    match answer {
        Value::Object(fields) => {
            fields.retain(|name, _| name != "uri" && name != "targetUri");
            fields.values_mut().for_each(forget);
        }
        Value::Array(all) => all.iter_mut().for_each(forget),
        _ => {}
    }
}

/// Every range of the diagnostics is inside the text and on character boundaries.
fn lie_in(text: &str, encoding: &str, diagnostics: &Value) {
    let stops: std::collections::BTreeSet<(u32, u32)> =
        (0..=text.len()).filter(|at| text.is_char_boundary(*at)).map(|at| position(text, encoding, at)).collect();
    for one in diagnostics.as_array().expect("an array") {
        for end in ["start", "end"] {
            let place = &one["range"][end];
            let number = |key: &str| place[key].as_u64().expect("a number") as u32;
            assert!(stops.contains(&(number("line"), number("character"))), "{encoding}: {one} in {text:?}");
        }
    }
}

#[test]
fn places_in_cpp_are_those_of_a_fresh_server_after_every_edit() {
    compare("cu", START, &PIECES);
}

#[test]
fn places_in_python_are_those_of_a_fresh_server_after_every_edit() {
    compare("py", PYTHON_START, &PYTHON_PIECES);
}

fn compare(ending: &str, start: &str, pieces: &[&str]) {
    let mut found = 0;
    for encoding in ["utf-8", "utf-16", "utf-32"] {
        let mut client = Client::counting_in(encoding);
        let mut fresh = Client::counting_in(encoding);
        let mut rng = Rng::with_seed(0xca11);
        for round in 0..6 {
            let uri = format!("file:///work/edited{round}.{ending}");
            let mut text = start.to_owned();
            client.open(&uri, 0, &text);
            client.diagnostics(&uri, 0);
            for version in 1..=40 {
                let change = edit(&mut rng, &mut text, encoding, pieces);
                client.change(&uri, version, json!([change]));
                let places: Vec<(u32, u32)> = (0..3)
                    .map(|_| {
                        let at = rng.usize(..text.len() + 1);
                        let stop = (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
                        position(&text, encoding, stop)
                    })
                    .collect();
                let other = format!("file:///work/fresh{round}-{version}.{ending}");
                fresh.open(&other, version, &text);
                let kept = answers(&mut client, &uri, version, &places);
                let anew = answers(&mut fresh, &other, version, &places);
                assert_eq!(kept[1..], anew[1..], "{encoding}: {change} made {text:?}");
                let (mut before, mut after) = (kept[0].clone(), anew[0].clone());
                forget(&mut before);
                forget(&mut after);
                assert_eq!(before, after, "{encoding}: {change} made {text:?}");
                lie_in(&text, encoding, &kept[0]);
                found += kept[0].as_array().map_or(0, Vec::len);
                fresh.notify("textDocument/didClose", json!({"textDocument": {"uri": other}}));
            }
        }
        client.leave();
        fresh.leave();
    }
    // Edits destroy statements sooner or later; enough diagnostics must remain to compare.
    assert!(found > 200, "{found} diagnostics");
}

#[test]
fn columns_behind_wide_characters_are_those_of_the_encoding() {
    for (encoding, column) in [("utf-8", 57), ("utf-16", 55), ("utf-32", 54)] {
        let mut client = Client::counting_in(encoding);
        let text = "__device__ void f(int* p) { asm(\"/* \u{1f600} */ red.global.or.u32 [%0], 1;\" :: \"l\"(p) : \"memory\"); }\n";
        client.open("file:///work/wide.cu", 1, text);
        let found = client.diagnostics("file:///work/wide.cu", 1);
        let start = &found[0]["range"]["start"];
        assert_eq!((start["line"].as_u64(), start["character"].as_u64()), (Some(0), Some(column)), "{encoding}");
        client.leave();
    }
}

/// A kernel with its PTX in a string with three quotes, after a name and in a field of an f-string.
const KERNEL: &str = "import triton.language as tl\nADD = '''\n    {\n        .reg .pred done;\n        setp.eq.u32 done, $2, 0;\n        @done red.global.or.u32 [$1], $2;\n        mov.b32 $0, 0;\n    }\n'''\ndef f(p, x):\n    tl.inline_asm_elementwise(ADD, '=r,l,r', [p, x], dtype=tl.int32, is_pure=False, pack=1)\n    tl.inline_asm_elementwise(f\"atom.{scope}.global.add.u32 $0, [$1], $2; at\", '=r,l,r', [p, x], dtype=tl.int32, is_pure=False, pack=1)\n";

/// The place of the `which`-th occurrence of a word in the kernel, and some characters further.
fn in_kernel(word: &str, which: usize, further: usize) -> (u32, u32) {
    let (start, _) = KERNEL.match_indices(word).nth(which).expect("the word");
    position(KERNEL, "utf-16", start + further)
}

#[test]
fn python_has_hover_completion_navigation_and_fixes_in_its_strings() {
    let uri = "file:///work/kernel.py";
    let mut client = Client::with(editor());
    client.open(uri, 1, KERNEL);
    let found = client.diagnostics(uri, 1);
    assert_eq!(found[0]["code"], "illegal-type");
    let (line, column) = in_kernel(".u32", 1, 0);
    assert_eq!(found[0]["range"]["start"], json!({"line": line, "character": column}));
    let mut ask =
        |method: &str, (line, column): (u32, u32)| client.request(method, at(uri, line, column)).expect("an answer");

    let hover = ask("textDocument/hover", in_kernel("atom", 0, 1));
    assert!(hover["contents"].to_string().contains("atom"), "{hover}");
    let hover = ask("textDocument/hover", in_kernel("inline_asm_elementwise", 0, 2));
    assert!(
        hover["contents"].to_string().contains("PTX in Python") && hover["contents"].to_string().contains("`$1`"),
        "{hover}"
    );

    let (line, column) = in_kernel("done", 0, 0);
    let definition = ask("textDocument/definition", in_kernel("@done", 0, 2)).to_string();
    let start = json!({"line": line, "character": column}).to_string();
    assert!(definition.contains(&start), "{definition} leads to {start}");
    let highlights = ask("textDocument/documentHighlight", in_kernel("done", 0, 1));
    assert_eq!(highlights.as_array().map(Vec::len), Some(3), "{highlights}");
    let signature = ask("textDocument/signatureHelp", in_kernel("[$1]", 1, 1));
    assert_eq!(signature["activeParameter"], 1, "{signature}");

    let completion = ask("textDocument/completion", in_kernel("; at", 0, 4));
    let items = completion["items"].as_array().or(completion.as_array()).cloned().unwrap_or_default();
    assert!(items.iter().any(|item| item["label"] == "atom"), "{completion}");

    let (line, column) = in_kernel(".u32", 1, 1);
    let here = json!({"start": {"line": line, "character": column}, "end": {"line": line, "character": column}});
    let actions = json!({"textDocument": {"uri": uri}, "range": here, "context": {"diagnostics": [found[0]], "only": ["quickfix"]}});
    let actions = client.request("textDocument/codeAction", actions).expect("actions").to_string();
    assert!(
        actions.contains("Replace `.u32` with `.b32`") && actions.contains("# ptx-atomics: allow-file(illegal-type)"),
        "{actions}"
    );
    client.leave();
}
