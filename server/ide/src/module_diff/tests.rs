//! What differs, and what does not.

use super::*;

const MODULE: &str = ".version 8.0\n.target sm_90\n.address_size 64\n.shared .align 4 .u32 counter;\n\
    .visible .entry scale(.param .u64 p)\n.maxntid 128\n{\n.reg .b32 %r<4>;\n.reg .b64 a;\n.shared .align 4 .b8 tile[64];\n\
    atom.global.add.u32 %r1, [a], 1;\nfence.acq_rel.gpu;\nst.release.gpu.global.u32 [a], %r1;\nadd.u32 %r2, %r1, 1;\nret;\n}\n\
    .func helper()\n{\nbar.sync 0;\nret;\n}\n";

fn diff(replacements: &[(&str, &str)]) -> ModuleDiff {
    let changed = replacements.iter().fold(MODULE.to_owned(), |text, (from, to)| {
        assert!(text.contains(from), "{from}");
        text.replace(from, to)
    });
    ModuleDiff::of(MODULE, &changed)
}

/// The changes of all properties, as text.
fn shown(changes: &[PropertyChange]) -> Vec<String> {
    let value = |value: &Option<String>| value.clone().unwrap_or_else(|| "none".to_owned());
    changes.iter().map(|one| format!("{}: {} -> {}", one.property, value(&one.before), value(&one.after))).collect()
}

#[test]
fn names_arithmetic_defaults_and_places_do_not_matter() {
    let helper = ".func helper()\n{\nbar.sync 0;\nret;\n}\n";
    let moved = MODULE.replace(helper, "").replace(".visible .entry", &format!("{helper}.visible .entry"));
    assert!(ModuleDiff::of(MODULE, &moved).is_empty());
    for change in [
        ("%r", "%x"),
        ("add.u32 %r2, %r1, 1;", "sub.u32 %r2, %r1, 2;\n// a comment\n"),
        ("atom.global.add.u32", "atom.add.global.u32"),
        ("atom.global.add.u32", "atom.relaxed.gpu.global.add.u32"),
    ] {
        assert!(diff(&[change]).is_empty(), "{change:?}");
    }
}

#[test]
fn orders_and_scopes_are_compared() {
    let difference = diff(&[("atom.global", "atom.acquire.cta.global")]);
    let [function] = &difference.functions[..] else { panic!("{difference:?}") };
    let [change] = &function.instructions[..] else { panic!("{function:?}") };
    assert_eq!((&*function.name, function.change), ("scale", FunctionChange::Changed));
    assert_eq!(shown(&change.properties), ["memory ordering: relaxed -> acquire", "scope: gpu -> cta"]);
    assert_eq!(change.after.as_ref().unwrap().text, "atom.acquire.cta.global.add.u32");
    assert_eq!(change.before.as_ref().unwrap().line, 11);
    let guarded = diff(&[("bar.sync", "@p bar.sync")]);
    assert_eq!(shown(&guarded.functions[0].instructions[0].properties), ["execution: always -> conditional"]);
}

#[test]
fn instructions_are_added_and_removed() {
    let difference = diff(&[("fence.acq_rel.gpu;\n", ""), ("bar.sync 0;", "bar.sync 0;\nfence.proxy.async;")]);
    let changes: Vec<_> = difference.functions.iter().flat_map(|function| &function.instructions).collect();
    let text = |one: &Option<ComparedInstruction>| one.as_ref().map(|one| one.text.clone());
    let texts: Vec<_> = changes.iter().map(|change| (text(&change.before), text(&change.after))).collect();
    assert_eq!(texts, [(Some("fence.acq_rel.gpu".to_owned()), None), (None, Some("fence.proxy.async".to_owned()))]);
}

#[test]
fn resources_and_the_module_are_compared() {
    let difference = diff(&[
        ("sm_90", "sm_90a"),
        ("%r<4>", "%r<9>"),
        ("tile[64]", "tile[128]"),
        (".maxntid 128", ".maxntid 256\n.maxnreg 32"),
        (".param .u64 p", ".param .u64 p, .param .u32 n"),
        ("counter;", "counter[2];"),
    ]);
    assert_eq!(shown(&difference.module), [".target: sm_90 -> sm_90a"]);
    assert_eq!(shown(&difference.shared_variables), ["counter: .align 4 .u32 -> .align 4 .u32[2]"]);
    assert_eq!(
        shown(&difference.functions[0].properties),
        [
            "parameters: .u64 -> .u64, .u32",
            ".maxntid: 128 -> 256",
            "registers .b32: 4 -> 9",
            "shared memory: 64 bytes -> 128 bytes",
            ".maxnreg: none -> 32"
        ]
    );
}

#[test]
fn functions_match_by_demangled_names() {
    let difference = diff(&[("helper", "other")]);
    let changes: Vec<_> = difference.functions.iter().map(|one| (&*one.name, one.change)).collect();
    assert_eq!(changes, [("helper", FunctionChange::Removed), ("other", FunctionChange::Added)]);
    let mangled = |name: &str| MODULE.replace("scale", name);
    assert!(ModuleDiff::of(&mangled("_Z5scalePfi"), &mangled("_Z5scalePfi")).is_empty());
    assert!(ModuleDiff::of("", "").is_empty());
}
