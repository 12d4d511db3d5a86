//! The first offers at each key of instructions: `first_offers.md` is the table, to be read by people who write kernels.
//!
//! With `PTX_ATOMICS_UPDATE=1` it is written instead.

use crate::client::{Client, at};
use crate::text_model::position;
use serde_json::{Value, json};
use std::fmt::Write;

/// The place of what is typed.
const PLACE: &str = "@@";

const PTX: &str = ".version 8.7\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) {\n\t.reg .pred %p<4>;\n\
    \t.reg .b32 %r<10>;\n\t.reg .f32 %f<10>;\n\t.reg .b64 %rd<10>;\n\t.shared .align 8 .b64 bar;\n\
    \t.shared .align 128 .b8 tile[4096];\n\tld.param.u64 %rd1, [p];\n\tmov.u32 %r3, %tid.x;\n\t@@\ndone:\n\tret;\n}\n";
const CUDA: &str = "__device__ void f(unsigned* p, unsigned b, unsigned v, float x) {\n  unsigned r; float y;\n  \
    asm volatile(\"@@\" : \"=r\"(r), \"=f\"(y) : \"l\"(p + b), \"r\"(v), \"f\"(x), \"n\"(4) : \"memory\");\n}\n";
const TRITON: &str = "import triton.language as tl\ndef f(x, y):\n    \
    return tl.inline_asm_elementwise(\"@@\", \"=r,r,l\", [x, y], dtype=tl.uint32, is_pure=False, pack=1)\n";

const TYPED_PTX: [&str; 32] = [
    "m",
    "l",
    "s",
    "a",
    "c",
    "b",
    "w",
    "t",
    "ld.",
    "st.",
    "ld.global.",
    "atom.",
    "atom.acq_rel.",
    "atom.acq_rel.gpu.global.",
    "red.",
    "cvt.",
    "setp.",
    "mma.",
    "mma.sync.aligned.",
    "wgmma.",
    "mbarrier.",
    "cp.async.",
    "fence.",
    "add.",
    "st.shared:",
    "st.shared::",
    "mov.u32 %r4, ",
    "add.u32 %r4, %r3, ",
    "ld.global.u32 %r4, ",
    "ld.shared.u32 %r4, [",
    "bra ",
    "@",
];
const TYPED_CUDA: [&str; 8] = [
    "at",
    "atom.",
    "atom.global.add.u32 ",
    "atom.global.add.u32 %0, ",
    "atom.global.add.u32 %0, [%",
    "atom.global.add.u32 %0, [%2], %",
    "ex2.approx.f32 %1, %",
    "mov.u32 %0, %%t",
];
const TYPED_TRITON: [&str; 4] = ["m", "mov.b32 $", "mov.b32 $0, $", "atom.global.add.u32 $0, [$"];

/// The offers of a text in the order in which a client shows them.
fn offers(client: &mut Client, uri: &str, version: i32, around: &str, typed: &str) -> Vec<String> {
    let before = around.find(PLACE).expect("a place") + typed.len();
    let text = around.replace(PLACE, typed);
    match version {
        1 => client.open(uri, version, &text),
        _ => client.change(uri, version, json!([{"text": text}])),
    }
    let (line, character) = position(&text, "utf-16", before);
    let answer = client.request("textDocument/completion", at(uri, line, character)).expect("offers");
    let items = answer.get("items").unwrap_or(&answer).as_array().cloned().unwrap_or_default();
    let mut items: Vec<Value> = items;
    items.sort_by_key(|item| item["sortText"].as_str().map(str::to_owned));
    items.iter().map(|item| item["label"].as_str().expect("a label").to_owned()).collect()
}

#[test]
fn the_first_offers_are_those_of_the_table() {
    let mut table = String::from("| in | typed | offers | the first five |\n|---|---|---|---|\n");
    for (language, uri, around, all) in [
        ("PTX", "file:///offers.ptx", PTX, &TYPED_PTX[..]),
        ("C++", "file:///offers.cu", CUDA, &TYPED_CUDA),
        ("Python", "file:///offers.py", TRITON, &TYPED_TRITON),
    ] {
        let mut client =
            Client::with(json!({"textDocument": {"completion": {"completionItem": {"snippetSupport": true}}}}));
        for (version, typed) in (1..).zip(all) {
            let found = offers(&mut client, uri, version, around, typed);
            let first: Vec<String> = found.iter().take(5).map(|label| format!("`{label}`")).collect();
            let _ = writeln!(table, "| {language} | `{typed}` | {} | {} |", found.len(), first.join(", "));
        }
        client.leave();
    }
    let path = support::root().join("tests/protocol/answers/first_offers.md");
    support::check_or_update(&path, &table);
}
