//! What is offered and told inside of a statement that is typed.

use crate::Text;
use diagnostics::Settings;
use hosts::Language;
use hosts::inline_asm::HostLanguage;
use std::sync::Arc;

/// A text under a cursor `¦`, and where that is.
fn typed(language: Language, text: &str) -> (Arc<dyn crate::Ide>, usize) {
    let at = text.find('¦').expect("a cursor");
    (Text::parse(language, &text.replace('¦', "")).under(Settings::default()), at)
}

const CUDA: Language = Language::Host(HostLanguage::Cpp);

/// A statement of CUDA C++ whose template is this.
fn cuda(template: &str) -> String {
    format!(
        "__device__ void f(unsigned *bins, unsigned b, unsigned v, short s) {{\n  unsigned old;\n  \
         asm volatile(\"{template}\" : \"=r\"(old) : \"l\"(bins + b), \"r\"(v), \"h\"(s), \"n\"(3) : \"memory\");\n}}\n"
    )
}

/// The first offers, as `label: detail`, without opcodes.
fn offers(language: Language, text: &str) -> Vec<String> {
    let (source, at) = typed(language, text);
    assert!(source.complete(at).is_empty(), "no opcode: {text}");
    source.complete_statement(at).into_iter().map(|offer| format!("{}: {}", offer.label, offer.detail)).collect()
}

#[test]
fn operands_are_offered_by_width_and_direction() {
    let (old, address) = ("%0: old: 32 bits, output", "%1: bins + b: 64 bits, input");
    let (value, constant) = ("%2: v: 32 bits, input", "%4: 3: constant");
    for (template, expected) in [
        ("atom.global.add.u32 ¦", &[old][..]),
        ("atom.global.add.u32 %¦", &[old]),
        ("atom.global.add.u32 %0, ¦", &["[%1]: bins + b: 64 bits, input"]),
        ("atom.global.add.u32 %0, %¦", &[address]),
        ("atom.global.add.u32 %0, [¦", &[address]),
        ("atom.global.add.u32 %0, [%¦", &[address]),
        ("atom.global.add.u32 %0, [%¦], %2;", &[address]),
        ("atom.global.add.u32 %0, [%1], %¦", &[value, constant]),
        ("atom.global.add.u32 %0, [%1], ¦;", &[value, constant]),
        ("mov.b32 %0, %2;\\n\\tadd.u32 %0, %2, %¦", &[value, constant]),
    ] {
        let all = offers(CUDA, &cuda(template));
        let first: Vec<&str> = all.iter().take(expected.len()).map(String::as_str).collect();
        assert_eq!(first, expected, "{template}: {:?}", &all[..all.len().min(6)]);
    }
    let widths = offers(CUDA, &cuda("add.u32 %0, %2, %¦"));
    assert!(!widths.iter().any(|offer| offer.starts_with("%3: ") || offer.starts_with("%1: ")), "{widths:?}");
}

#[test]
fn a_float_is_not_offered_for_an_integer() {
    let text = |template: &str| {
        format!(
            "__device__ void f(float x, unsigned v) {{\n  float y; unsigned r;\n  \
             asm volatile(\"{template}\" : \"=r\"(r), \"=f\"(y) : \"r\"(v), \"f\"(x));\n}}\n"
        )
    };
    assert!(offers(CUDA, &text("ex2.approx.f32 %¦"))[0].starts_with("%1: y"));
    assert!(offers(CUDA, &text("ex2.approx.f32 %1, %¦"))[0].starts_with("%3: x"));
    let integers = offers(CUDA, &text("add.u32 %0, %¦"));
    assert!(integers[0].starts_with("%2: v") && !integers.iter().any(|offer| offer.starts_with("%3")), "{integers:?}");
}

#[test]
fn an_offer_is_written_as_the_template_needs_it() {
    let written = |template: &str, label: &str| {
        let (source, at) = typed(CUDA, &cuda(template));
        let offer = source.complete_statement(at).into_iter().find(|offer| offer.label == label).expect("is offered");
        (at - offer.range.start, offer.text)
    };
    assert_eq!(written("mov.u32 %¦", "%0"), (1, "%0".to_owned()));
    assert_eq!(written("mov.u32 %0, %¦", "%tid"), (1, "%%tid".to_owned()));
    assert_eq!(written("mov.u32 %0, %%t¦", "%tid"), (3, "%%tid".to_owned()));
    assert_eq!(written("ld.global.u32 %0, ¦", "[%1]"), (0, "[%1]".to_owned()));
    assert_eq!(written("mov.u32 %0, ¦", "%2"), (0, "%2".to_owned()));
}

#[test]
fn operands_of_triton_have_their_numbers() {
    let triton = |template: &str| {
        format!(
            "import triton.language as tl\ndef f(x, y):\n    return tl.inline_asm_elementwise(\"{template}\", \"=r,r,l\", [x, y], dtype=tl.uint32, is_pure=False, pack=1)\n"
        )
    };
    for (template, first) in [
        ("atom.global.add.u32 $¦", "$0: "),
        ("atom.global.add.u32 ¦", "$0: "),
        ("atom.global.add.u32 $0, [$¦", "$2: "),
        ("atom.global.add.u32 $0, [$2], $¦", "$1: "),
    ] {
        let all = offers(Language::PYTHON, &triton(template));
        assert!(all.first().is_some_and(|offer| offer.starts_with(first)), "{template}: {:?}", all.first());
    }
}

#[test]
fn the_operand_at_the_cursor_is_told_at_each_sign() {
    for (template, active) in [
        ("atom.global.add.u32 ¦", 0),
        ("atom.global.add.u32 %0,¦", 1),
        ("atom.global.add.u32 %0, [¦", 1),
        ("atom.global.add.u32 %0, [%¦", 1),
        ("atom.global.add.u32 %0, [%1], ¦", 2),
    ] {
        let (source, at) = typed(CUDA, &cuda(template));
        let help = source.signature_help(at).unwrap_or_else(|| panic!("{template}"));
        assert_eq!((&*help.label, help.active), ("atom.global.add.u32 d, [a], b", Some(active)), "{template}");
    }
}

#[test]
fn constraints_and_clobbers_are_offered_inside_their_strings() {
    let labels = |lists: &str| -> Vec<String> {
        let text = format!("__device__ void f(unsigned *p, unsigned v) {{\n  asm volatile(\"ret;\" {lists}\n}}\n");
        offers(CUDA, &text).iter().map(|offer| offer.split(':').next().unwrap_or_default().to_owned()).collect()
    };
    assert_eq!(labels(": \"¦\"(v));")[..3], ["=r", "=l", "=f"]);
    assert_eq!(labels(": \"=¦")[..2], ["=r", "=l"]);
    assert_eq!(labels(": \"=r\"(v) : \"¦\"(p));")[..2], ["r", "l"]);
    assert!(labels(":: \"¦\"(p));").contains(&"n".to_owned()));
    assert_eq!(labels(":: \"l\"(p) : \"¦\");"), ["memory"]);
    assert_eq!(labels("::: \"mem¦\");"), ["memory"]);
    for nothing in [": \"=r\"(\"¦\"));", ": \"=r\"¦(v));", ": \"=r\"(v)); g(\"¦\");"] {
        assert_eq!(labels(nothing), [""; 0], "{nothing}");
    }
}

#[test]
fn hover_tells_what_an_operand_stands_for() {
    let hover = |template: &str| {
        let (source, at) = typed(CUDA, &cuda(template));
        source.hover(at).map(|hover| hover.markdown).unwrap_or_default()
    };
    let address = hover("atom.global.add.u32 %0, [%¦1], %2;");
    assert!(address.starts_with("`%1`: `\"l\"(bins + b)`, 64 bits, input"), "{address}");
    let text = cuda("ret;").replace("\"l\"", "\"¦l\"");
    let (source, at) = typed(CUDA, &text);
    let constraint = source.hover(at).expect("a hover").markdown;
    assert!(constraint.contains("64-bit register") && constraint.contains("bins + b"), "{constraint}");
    let (source, at) = typed(CUDA, &cuda("ret;").replace("memory", "mem¦ory"));
    assert!(source.hover(at).is_some_and(|hover| hover.markdown.contains("memory")));
}
