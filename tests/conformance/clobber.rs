//! Diagnostics of `asm` statements without the clobber `"memory"`, compared with recorded compiler output.

use diagnostics::{Preset, Settings, Severity};
use hosts::Language;
use ide::Text;
use std::collections::{BTreeMap, BTreeSet};
use support::evidence;

/// An instruction that was recorded.
struct Kind<'a> {
    name: &'a str,
    output: bool,
    address: bool,
    text: &'a str,
}

/// What was recorded: the kinds, and for each compiler, form and kind what the compiler changed.
#[derive(Default)]
struct Recorded<'a> {
    kinds: Vec<Kind<'a>>,
    changes: BTreeMap<(&'a str, &'a str, &'a str), BTreeSet<&'a str>>,
}

fn recorded(text: &str) -> Recorded<'_> {
    let mut recorded = Recorded::default();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some(kind) = line.strip_prefix("kind ") {
            let parts: Vec<&str> = kind.splitn(4, ' ').collect();
            let (output, address) = (parts[1] == "output", parts[2] == "address");
            recorded.kinds.push(Kind { name: parts[0], output, address, text: parts[3] });
            continue;
        }
        let parts: Vec<&str> = line.split("; ").collect();
        let [compiler, form, kinds, changes] = parts[..] else { panic!("{line}") };
        for kind in kinds.split(' ') {
            let changes = changes.split(' ').filter(|change| *change != "-").collect();
            recorded.changes.insert((compiler, form, kind), changes);
        }
    }
    recorded
}

impl<'a> Recorded<'a> {
    fn compilers(&self) -> BTreeSet<&'a str> {
        self.changes.keys().map(|(compiler, ..)| *compiler).collect()
    }

    /// The compilers that treat a kind in a form otherwise than with both `volatile` and the clobber.
    fn movers(&self, form: &'a str, kind: &'a str) -> Vec<&'a str> {
        let of = |compiler: &'a str, form: &'a str| &self.changes[&(compiler, form, kind)];
        let moves = |compiler: &&'a str| of(compiler, form) != of(compiler, "asm volatile memory");
        self.compilers().into_iter().filter(moves).collect()
    }
}

/// The severities and codes of what is found of a statement itself.
fn diagnostics(kind: &Kind, form: &str, preset: Preset) -> Vec<(Severity, &'static str)> {
    let volatile = if form.contains("volatile") { "volatile" } else { "" };
    let clobber = if form.ends_with("memory") { ": \"memory\"" } else { "" };
    let output = if kind.output { "\"=r\"(v)" } else { "" };
    let input = if kind.address { "\"l\"(a)" } else { "" };
    let text = format!(
        "__device__ int f(void* a) {{\n    int v = 0;\n    asm {volatile}(\"{}\" : {output} : {input} {clobber});\n    return v;\n}}\n",
        kind.text
    );
    let settings = Settings { preset: Some(preset), ..Settings::default() };
    let found = Text::parse(Language::CUDA, &text).under(settings).diagnostics();
    found.iter().filter(|diagnostic| diagnostic.code().starts_with("asm-")).map(|f| (f.severity, f.code())).collect()
}

/// Loads of memory, and what touches none.
const WITHOUT_EFFECT: [&str; 4] = ["ld.relaxed", "ld.volatile", "ld", "prefetch"];
/// What no table says a word of yet, or only that it writes to objects that nothing else accesses.
const NOT_COVERED: [&str; 4] = ["mbarrier.init", "cp.async", "cp.async.wait_all", "cp.async.bulk"];
const WRITES: [&str; 5] = ["st.relaxed", "st.volatile", "st", "atom.relaxed", "red.relaxed"];

#[test]
fn a_statement_that_compilers_move_across_is_a_warning_where_it_has_an_effect() {
    let text = std::fs::read_to_string(evidence("clobber").join("moved.txt")).expect("the recording");
    let recorded = recorded(&text);
    assert!(recorded.compilers().len() >= 6, "{:?}", recorded.compilers());
    for kind in &recorded.kinds {
        let movers = recorded.movers("asm", kind.name);
        assert_eq!(movers.len(), if kind.output { recorded.compilers().len() } else { 0 }, "{}: {movers:?}", kind.name);
        let found = diagnostics(kind, "asm", Preset::Recommended);
        let expected = kind.output && !WITHOUT_EFFECT.contains(&kind.name);
        assert_eq!(found.contains(&(Severity::Warning, "asm-missing-volatile")), expected, "{}: {found:?}", kind.name);
    }
}

#[test]
fn a_volatile_statement_that_compilers_do_not_move_across_is_reported_in_strict_alone() {
    let text = std::fs::read_to_string(evidence("clobber").join("moved.txt")).expect("the recording");
    let recorded = recorded(&text);
    for kind in &recorded.kinds {
        assert_eq!(recorded.movers("asm volatile", kind.name), [""; 0], "{}", kind.name);
        let found = |preset| diagnostics(kind, "asm volatile", preset);
        let strict = match kind.name {
            name if WITHOUT_EFFECT.contains(&name) || NOT_COVERED.contains(&name) => vec![],
            name if WRITES.contains(&name) => vec![(Severity::Info, "asm-hidden-write")],
            _ => vec![(Severity::Warning, "asm-hidden-order")],
        };
        assert_eq!((found(Preset::Recommended), found(Preset::Strict)), (vec![], strict), "{}", kind.name);
        assert_eq!(diagnostics(kind, "asm volatile memory", Preset::Strict), [], "{}", kind.name);
    }
}

#[test]
fn announced_bytes_are_a_write_until_their_order_is_written() {
    let found = |name: &str, preset| {
        let text = format!("{name}.b64 _, [%0], 16;");
        let kind = Kind { name, output: false, address: true, text: &text };
        diagnostics(&kind, "asm volatile", preset)
    };
    for name in ["mbarrier.arrive.expect_tx", "mbarrier.arrive_drop.expect_tx"] {
        assert_eq!(found(name, Preset::Recommended), [], "{name}");
        assert_eq!(found(name, Preset::Strict), [(Severity::Info, "asm-hidden-write")], "{name}");
        let released = found(&format!("{name}.release.cta"), Preset::Strict);
        assert_eq!(released, [(Severity::Warning, "asm-hidden-order")], "{name}");
    }
    let arrival = found("mbarrier.arrive", Preset::Strict);
    assert_eq!(arrival, [(Severity::Warning, "asm-hidden-order")]);
}

/// As the pages say: what is neither volatile nor clobbers anything is left out, merged by clang, taken out of loops by NVIDIA's compilers.
/// With the clobber alone a statement stays, but CUDA 11.8 moves accesses across it: the page says to write both.
#[test]
fn the_clobber_without_volatile_is_enough_from_cuda_12_on() {
    let text = std::fs::read_to_string(evidence("clobber").join("moved.txt")).expect("the recording");
    let recorded = recorded(&text);
    for kind in recorded.kinds.iter().filter(|kind| kind.output) {
        assert_eq!(recorded.movers("asm memory", kind.name), ["nvrtc-11.8"], "{}", kind.name);
        for compiler in recorded.compilers() {
            let fates = |form| {
                let changes = &recorded.changes[&(compiler, form, kind.name)];
                let of = |fate: &str| changes.iter().any(|change| change.starts_with(fate));
                [of("unused.global"), of("twice.global"), of("in-loop.global")]
            };
            let clang = compiler.starts_with("clang");
            assert_eq!(fates("asm"), [true, clang, !clang], "{compiler}: {}", kind.name);
            assert_eq!(fates("asm memory"), [false; 3], "{compiler}: {}", kind.name);
        }
    }
}
