//! Hover and reference: complete, and exact.

use crate::common::{ATOMICS, legal_forms, listable, module, newest, opcode_words, verdict};
use ptx_isa::{Resolution, Spelling, doc, resolve, vocabulary};
use std::collections::HashMap;

fn hover(mnemonic: &str, words: &[&str]) -> String {
    let spelling = Spelling { mnemonic, modifiers: words };
    match resolve(&spelling, &newest()) {
        Resolution::Legal(instruction) => doc::instruction(&spelling, &instruction, &newest()),
        other => panic!("{mnemonic}.{words:?}: {other:?}"),
    }
}

/// The text without its first line, which repeats the spelling.
fn body(text: &str) -> &str {
    text.split_once('\n').expect("more than a title").1
}

#[test]
fn forms_that_differ_in_a_modifier_differ_in_its_sentence() {
    for mnemonic in listable() {
        let mut seen: HashMap<String, &Vec<&str>> = HashMap::new();
        for form in legal_forms(mnemonic).iter().step_by(3) {
            let text = hover(mnemonic, form);
            for word in form.iter().skip(opcode_words(mnemonic, form)) {
                assert!(text.contains(&format!("- `.{word}`: ")), "{mnemonic}.{form:?} has no sentence on .{word}");
            }
            if let Some(other) = seen.insert(body(&text).to_string(), form) {
                panic!("{mnemonic}: {form:?} and {other:?} read the same");
            }
        }
        // Of some mnemonics, such as `exit`, no form has a modifier.
        let alone = ptx_isa::is_legal(&Spelling { mnemonic, modifiers: &[] }, &newest()) == Some(true);
        assert!((alone || !seen.is_empty()) && (seen.len() > 1_000 || !ATOMICS.contains(&mnemonic)), "{mnemonic}");
    }
}

#[test]
fn defaults_are_made_explicit() {
    let text = hover("atom", &["add", "u32"]);
    assert!(text.contains("- default memory ordering `.relaxed`: "), "{text}");
    assert!(text.contains("- default scope `.gpu`: "), "{text}");
    assert!(text.contains("- default state space generic address: "), "{text}");
    let weak = hover("multimem", &["ld_reduce", "add", "u32"]);
    assert!(weak.contains("- default memory ordering `.weak`"), "{weak}");
    assert!(!weak.contains("default scope"), "{weak}");
    assert!(hover("multimem", &["red", "add", "u32"]).contains("- default scope `.sys`"));
}

#[test]
fn the_formula_is_of_this_operation_and_opcode() {
    assert!(hover("atom", &["add", "u32"]).contains("d = *a; *a = d + b\n"));
    assert!(hover("red", &["inc", "u32"]).contains("\n*a = (*a >= b) ? 0 : *a + 1\n"));
    assert!(hover("atom", &["cas", "b32"]).contains("d = *a; *a = (d == b) ? c : d\n"));
    assert!(hover("multimem", &["st", "u32"]).contains("\n*a = b\n"));
}

#[test]
fn operands_are_those_of_the_form() {
    let operands = |opcode: &str| match verdict(opcode, &newest()) {
        Resolution::Legal(i) => {
            i.operands().map(|o| format!("{} {}x{}", o.name, o.ty.word(), o.lanes)).collect::<Vec<_>>()
        }
        other => panic!("{opcode}: {other:?}"),
    };
    assert_eq!(operands("atom.global.add.u32"), ["d u32x1", "[a] u32x1", "b u32x1"]);
    assert_eq!(operands("atom.cas.b128"), ["d b128x1", "[a] b128x1", "b b128x1", "c b128x1"]);
    assert_eq!(operands("red.v4.add.L2::cache_hint.f32"), ["[a] f32x4", "b f32x4", "policy b64x1"]);
    assert_eq!(operands("multimem.ld_reduce.add.v2.f16x2"), ["d f16x2x2", "[a] f16x2x2"]);
    assert_eq!(operands("multimem.st.b64"), ["[a] b64x1", "b b64x1"]);
}

#[test]
fn completion_follows_the_order_of_the_isa() {
    let order = |words: &[&str]| match resolve(&Spelling { mnemonic: "atom", modifiers: words }, &newest()) {
        Resolution::Legal(i) => {
            i.canonical_order().into_iter().map(|at| words[at].to_string()).collect::<Vec<_>>().join(".")
        }
        other => panic!("{words:?}: {other:?}"),
    };
    assert_eq!(order(&["u32", "add", "global", "gpu", "acquire"]), "acquire.gpu.global.add.u32");
    assert_eq!(order(&["global", "v4", "f32", "L2::cache_hint", "add"]), "global.add.L2::cache_hint.v4.f32");
    assert_eq!(order(&["f16", "noftz", "add"]), "add.noftz.f16");
    assert_eq!(order(&["u32", "acc::f32", "add"]), "add.acc::f32.u32");
}

#[test]
fn every_page_lists_every_form_and_modifier() {
    for family in ptx_isa::families() {
        let page = doc::mnemonic(family.name).expect("a page");
        for form in &family.forms {
            for list in &form.operand_lists {
                let operands = if list.syntax.is_empty() { String::new() } else { format!("  {}", list.syntax) };
                assert!(page.contains(&format!("{operands};\n")), "{page}");
            }
        }
        let (mnemonic, first) = family.name.split_once('.').map_or((family.name, None), |(m, rest)| (m, Some(rest)));
        let forms = listable().find(|listable| *listable == mnemonic).map_or(&[][..], legal_forms);
        let words = first.map_or(0, |first| first.split('.').count());
        let own = |form: &&Vec<&str>| {
            opcode_words(mnemonic, form) == words && first.is_none_or(|first| form[..words].join(".") == first)
        };
        for form in forms.iter().filter(own) {
            for word in &form[words..] {
                assert!(page.contains(&format!("- `.{word}`: ")), "{}: .{word}", family.name);
                assert!(doc::modifier(family.name, word).is_some(), "{}: .{word}", family.name);
            }
        }
    }
    assert!(
        doc::mnemonic("unknown").is_none()
            && doc::modifier("atom", "ftz").is_none()
            && doc::modifier("red", "cas").is_none()
    );
}

#[test]
fn every_word_is_explained() {
    for entry in vocabulary::entries() {
        assert!(!entry.summary.is_empty() || entry.word == "v16", "{}", entry.word);
    }
}

/// What a page says of `add.noftz.f32`, the newest row.
#[test]
fn pages_say_what_is_needed() {
    let page = doc::mnemonic("atom").expect("a page");
    assert!(page.contains("- `<type>`: `.f32` — PTX 9.4, sm_90 or newer\n"), "{page}");
    assert!(
        page.contains("- `<op>`: `.exch`; `<type>`: `.b128` — PTX 8.3, sm_90 or newer; with `.sys`: PTX 8.4\n"),
        "{page}"
    );
    assert!(
        page.contains("- `.L2::cache_hint` conflicts with `.shared`, `.shared::cluster`, `.shared::cta`.\n"),
        "{page}"
    );
    let text = hover("atom", &["add", "noftz", "f32"]);
    assert!(text.contains("Requires PTX 9.4, sm_90 or newer; this module targets sm_100a, PTX 9.5."), "{text}");
    assert!(matches!(verdict("atom.add.noftz.f32", &module("9.3", "sm_90")), Resolution::Illegal(_)));
}

#[test]
fn the_sass_is_that_of_the_module_s_target() {
    let on = |target: Option<&str>, words: &[&str]| {
        let module = target.map_or_else(ptx_isa::Module::default, |target| module("9.5", target));
        let (mnemonic, modifiers) = words.split_first().expect("a mnemonic");
        match resolve(&Spelling { mnemonic, modifiers }, &module) {
            Resolution::Legal(instruction) => ptx_isa::lowering::machine_code(&instruction, &module),
            other => panic!("{words:?}: {other:?}"),
        }
    };
    let native = on(Some("sm_90"), &["red", "global", "add", "f32"]);
    assert!(native.ends_with("- on sm_90: `REDG.E.ADD.F32.FTZ.RN.STRONG.GPU`, native\n"), "{native}");
    let near = on(Some("sm_89"), &["atom", "shared", "add", "f32"]);
    assert!(near.contains("- on sm_89 (as sm_86): `{ LDS ATOMS.CAST.SPIN }`, compare-and-swap loop\n"), "{near}");
    let all = on(None, &["red", "global", "add", "f32"]);
    assert!(all.contains("- on sm_75, sm_80, sm_86: `RED.E.ADD.F32.FTZ.RN.STRONG.GPU`, native\n"), "{all}");
    assert!(all.contains("- on sm_90, sm_100, sm_120: `REDG."), "{all}");
    let atom = on(Some("sm_90"), &["atom", "acquire", "gpu", "global", "add", "u32"]);
    assert!(atom.contains("`ATOMG.E.ADD.STRONG.GPU CCTL.IVALL`, native, followed by an L1 invalidation"), "{atom}");
    let counter = on(Some("sm_90"), &["atom", "shared", "add", "u32"]);
    let parts = [
        "`ATOMS.POPC.INC.32` if `b` is the constant 1 and the result is unused",
        "`SHFL.IDX` and `SHFL.UP`, or a count",
    ];
    assert!(parts.iter().all(|part| counter.contains(part)), "{counter}");
    assert!(on(Some("sm_60"), &["red", "global", "add", "f32"]).is_empty());
}

#[test]
fn sass_leads_back_to_its_ptx_forms() {
    use ptx_isa::lowering::{LoweringKind, accesses, origins, written_as};
    let of = |opcode: &str| {
        origins(opcode).iter().map(|origin| (&*origin.form, origin.unused, &*origin.targets)).collect::<Vec<_>>()
    };
    let redg = of("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU");
    assert!(redg.contains(&("red.global.add.f32", false, &["sm_90", "sm_100", "sm_120"])), "{redg:?}");
    assert!(redg.contains(&("atom.global.add.f32", true, &["sm_90", "sm_100", "sm_120"])), "{redg:?}");
    assert!(redg.iter().any(|(form, ..)| *form == "multimem.red.relaxed.gpu.add.f32"), "{redg:?}");
    assert!(!redg.iter().any(|(form, ..)| form.starts_with("red.") && form.contains("gpu")), "{redg:?}");
    let system = of("REDG.E.ADD.F32.FTZ.RN.STRONG.SYS");
    assert!(system.iter().any(|(form, ..)| *form == "multimem.red.add.f32"), "{system:?}");
    let old = of("RED.E.MIN.S64.STRONG.SYS");
    assert!(old.contains(&("red.sys.global.min.s64", false, &["sm_75", "sm_80", "sm_86"])), "{old:?}");
    assert!(of("REDG.E.ADD.F32").is_empty() && written_as("REDG.E.ADD.F32").is_none());
    assert!(accesses().count() > 200, "{}", accesses().count());

    let spin = origins("ATOMS.CAST.SPIN");
    assert!(spin.iter().all(|origin| origin.kind != LoweringKind::Native), "{spin:?}");
    assert!(
        spin.iter().any(|origin| origin.form == "red.shared.add.f32" && origin.kind == LoweringKind::Loop),
        "{spin:?}"
    );
    assert!(
        spin.iter().any(|origin| origin.form == "red.add.f32" && origin.kind == LoweringKind::Dispatch),
        "{spin:?}"
    );
    let text = written_as("REDG.E.ADD.F32.FTZ.RN.STRONG.GPU").expect("some form");
    assert!(text.contains("- `red.global.add.f32`, on sm_90, sm_100, sm_120\n"), "{text}");
    let inc = written_as("ATOMS.POPC.INC.32").expect("some form");
    assert!(inc.contains("- `red.shared.add.u32` with the constant 1, on sm_80, sm_86"), "{inc}");
    assert!(text.contains("- `atom.global.add.f32`, result unused, on sm_90"), "{text}");
}
