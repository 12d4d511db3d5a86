//! The rows themselves: read, without overlap, each of use.

use crate::common::{legal_forms, listable, newest};
use ptx_isa::target::{Suffix, Target, TargetSet, Version};
use ptx_isa::{ReasonCode, Resolution, Spelling, header, resolve};
use std::collections::HashSet;

#[test]
fn all_families_are_read() {
    let names: Vec<&str> = ptx_isa::opcodes().collect();
    for name in ["atom", "red", "multimem.ld_reduce", "multimem.st", "multimem.red"] {
        assert!(names.contains(&name), "{name}");
    }
    assert!(names.len() >= 50 && names.iter().collect::<HashSet<_>>().len() == names.len(), "{names:?}");
    let mnemonics: Vec<&str> = ptx_isa::mnemonics().collect();
    assert_eq!(
        mnemonics.iter().collect::<HashSet<_>>().len(),
        mnemonics.len(),
        "families of a mnemonic stand together"
    );
    for family in ptx_isa::families() {
        assert!(!family.summary.is_empty() && !family.section.is_empty() && !family.forms.is_empty());
    }
}

/// Two rows that say different things of one spelling would make the order of rows matter.
#[test]
fn no_two_rows_fit_one_spelling() {
    for mnemonic in listable() {
        for form in legal_forms(mnemonic) {
            assert_eq!(ptx_isa::matching_rows(&Spelling { mnemonic, modifiers: form }), 1, "{mnemonic}.{form:?}");
        }
    }
}

/// Fields against the words that were written.
#[test]
fn a_resolved_instruction_has_the_properties_of_its_words() {
    for mnemonic in listable() {
        for form in legal_forms(mnemonic).iter().step_by(11) {
            let Resolution::Legal(i) = resolve(&Spelling { mnemonic, modifiers: form }, &newest()) else {
                panic!("{form:?}")
            };
            let word = |slot: &str| i.at(slot).map(|at| form[at]);
            if !i.family.is_atomic() {
                continue;
            }
            assert_eq!(i.op.map(|op| op.word()).filter(|_| i.op.is_some()), word("op"));
            assert_eq!(i.ty.map(|ty| ty.word()), word("type"));
            assert_eq!(i.lanes, word("vec").map_or(1, |vec| vec[1..].parse().expect("a number")));
            assert_eq!(i.sem.and_then(|sem| sem.at.map(|_| sem.value.word())), word("sem"));
            assert_eq!(i.scope.and_then(|scope| scope.at.map(|_| scope.value.word())), word("scope"));
            assert_eq!(i.noftz, form.contains(&"noftz"));
            assert_eq!(i.hint, form.contains(&"L2::cache_hint"));
            assert_eq!(i.acc.map(|ty| format!("acc::{}", ty.word())).as_deref(), word("acc"));
            assert_eq!(i.space.at.is_some(), word("space").is_some());
        }
    }
}

#[test]
fn targets_include_others_as_in_the_assembler() {
    let included = |name: &str| {
        let set = TargetSet::including(Target::parse(name).expect("a target"));
        set.iter().filter(|target| target.suffix() != Suffix::None).map(Target::name).collect::<Vec<_>>().join(" ")
    };
    assert_eq!(included("sm_100f"), "sm_100f sm_100a sm_103f sm_103a sm_107f sm_107a");
    assert_eq!(included("sm_103f"), "sm_103f sm_103a sm_107f sm_107a");
    assert_eq!(included("sm_101f"), "sm_101f sm_101a sm_110f sm_110a");
    assert_eq!(included("sm_120f"), "sm_120f sm_120a sm_121f sm_121a");
    assert_eq!(included("sm_90a"), "sm_90a");
    assert_eq!(Target::all().count(), 47);
    assert_eq!(Version::all().count(), 49);
}

#[test]
fn the_nearest_target_is_raised_to() {
    let nearest = |class: &str, from: &str| {
        let from = Target::parse(from).expect("a target");
        let version = Version::parse(if from.name() == "sm_100" { "8.6" } else { "9.5" });
        TargetSet::including(Target::parse(class).expect("a target")).nearest(from, version).map(Target::name)
    };
    assert_eq!(nearest("sm_90", "sm_80"), Some("sm_90"));
    assert_eq!(nearest("sm_100f", "sm_100"), Some("sm_100a"));
    assert_eq!(nearest("sm_100f", "sm_103"), Some("sm_103f"));
    assert_eq!(nearest("sm_100f", "sm_90a"), Some("sm_100f"));
    assert_eq!(nearest("sm_100f", "sm_120"), Some("sm_107f"));
}

#[test]
fn an_invalid_header_is_reported_with_a_fix() {
    let first = |version: &str, items: &[&str]| {
        let reasons = header::check(version, items);
        reasons.first().map(|r| {
            format!("{} {:?}: {} [{}]", r.code.as_str(), r.at, r.message, r.fixes.first().map_or("", |fix| &fix.title))
        })
    };
    assert_eq!(first("8.0", &["sm_90a", "texmode_independent"]), None);
    assert_eq!(
        first("7.5", &["sm_90"]).as_deref(),
        Some(
            "requires-ptx-version Some(0): sm_90 requires PTX 7.8, but the module has version 7.5 [Raise `.version` to 7.8]"
        )
    );
    assert_eq!(
        first("8.9", &["sm_90"]).as_deref(),
        Some("unknown-version None: unknown PTX version 8.9 [Replace `8.9` with `9.5`]")
    );
    assert_eq!(
        first("9.6", &["sm_90"]).as_deref(),
        Some("unknown-version None: unsupported PTX version 9.6 [Replace `9.6` with `9.5`]")
    );
    assert_eq!(
        first("8.0", &["sm_95"]).as_deref(),
        Some("unknown-target Some(0): unknown target `sm_95` [Replace `sm_95` with `sm_90`]")
    );
    assert_eq!(
        first("2.3", &["sm_20", "debug"]).as_deref(),
        Some(
            "requires-ptx-version Some(1): `debug` requires PTX 3.0, but the module has version 2.3 [Raise `.version` to 3.0]"
        )
    );
    assert_eq!(header::check("8.0", &["sm_90", "map_f64_to_f32"])[0].code, ReasonCode::IllegalTargetOption);
    assert_eq!(header::module("8.0", &["sm_80", "debug", "sm_90"]).target, Target::parse("sm_90"));
}
