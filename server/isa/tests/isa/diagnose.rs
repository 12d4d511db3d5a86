//! One spoiled qualifier gives one reason, at that qualifier; and every fix mends.

use crate::common::{ATOMICS, Random, atomic_forms, module, newest};
use ptx_isa::{Resolution, Spelling, resolve, vocabulary};

/// What a slot's word is spoiled with: typos, words of other languages, words of other instructions.
fn spoils(slot: &str, word: &'static str) -> Vec<String> {
    let mut spoils = vec![format!("{word}x"), word[1..].to_string(), "foo".to_string()];
    let more: &[&str] = match slot {
        "sem" => &["seq_cst", "volatile", "sc"],
        "scope" => &["system", "device", "gl"],
        "space" => &["local", "const", "param"],
        "op" => &["sub", "swap", "popc"],
        "noftz" => &["ftz"],
        "hint" => &["L1::cache_hint", "L2::evict_last"],
        "vec" => &["v3", "v16"],
        "type" => &["u16", "s8", "i32", "u128"],
        _ => &[],
    };
    spoils.extend(more.iter().map(|word| word.to_string()));
    spoils
}

#[test]
fn the_diagnostic_is_at_the_mutated_qualifier() {
    let mut asked = 0;
    let mut wrong = Vec::new();
    for mnemonic in ATOMICS {
        for form in atomic_forms(mnemonic).iter().step_by(31) {
            for at in usize::from(mnemonic == "multimem")..form.len() {
                let slot = vocabulary::entry(form[at]).expect("a word").slot;
                for spoil in spoils(slot, form[at]) {
                    let mut words = form.clone();
                    words[at] = &spoil;
                    let reasons = match resolve(&Spelling { mnemonic, modifiers: &words }, &newest()) {
                        Resolution::Illegal(reasons) => reasons,
                        _ => continue,
                    };
                    asked += 1;
                    if reasons.len() != 1 || reasons[0].at != Some(at) {
                        wrong.push(format!(
                            "{mnemonic}.{}: `{spoil}` for `{}`: {:?}",
                            words.join("."),
                            form[at],
                            reasons.iter().map(|r| (r.at, &r.message)).collect::<Vec<_>>()
                        ));
                    }
                }
            }
        }
    }
    assert!(asked > 10_000, "{asked}");
    assert!(
        wrong.is_empty(),
        "{} of {asked}, such as {:#?}",
        wrong.len(),
        wrong.iter().step_by(wrong.len() / 40 + 1).collect::<Vec<_>>()
    );
}

/// Words to spoil with: of all slots, of other languages, of nothing.
const WORDS: &[&str] = &[
    "and",
    "or",
    "xor",
    "cas",
    "exch",
    "add",
    "inc",
    "dec",
    "min",
    "max",
    "relaxed",
    "acquire",
    "release",
    "acq_rel",
    "weak",
    "volatile",
    "seq_cst",
    "cta",
    "cluster",
    "gpu",
    "sys",
    "system",
    "global",
    "shared",
    "shared::cta",
    "shared::cluster",
    "local",
    "noftz",
    "ftz",
    "L2::cache_hint",
    "v2",
    "v4",
    "v8",
    "acc::f32",
    "acc::f16",
    "u16",
    "b16",
    "u32",
    "s32",
    "b32",
    "u64",
    "s64",
    "b64",
    "b128",
    "f16",
    "f16x2",
    "bf16",
    "bf16x2",
    "f32",
    "f64",
    "e4m3",
    "e5m2x4",
    "i32",
    "foo",
    "v3",
    "sub",
    "ad",
    "u33",
    "f322",
    "globl",
    "relaxd",
    "noftzz",
    "gp",
    "L2::cachehint",
    "exhc",
    "bf16x",
    "system",
];

/// A random change or two to a legal form; rarely none, for then only the module can be at fault.
fn mutated(random: &mut Random, form: &[&'static str], first: usize) -> Vec<&'static str> {
    let mut words = form.to_vec();
    for _ in 0..[0, 1, 1, 1, 1, 2][random.below(6)] {
        let any = WORDS[random.below(WORDS.len())];
        let at = first + random.below(words.len().max(first + 1) - first);
        let Some(&word) = words.get(at) else { continue };
        let slot = |word: &str| vocabulary::entry(word).map(|entry| entry.slot);
        let kin: Vec<&str> = WORDS.iter().copied().filter(|other| slot(other) == slot(word)).collect();
        match random.below(6) {
            0 => words.push(any),
            1 => words.push(word),
            2 => _ = words.remove(at),
            3 => words[at] = any,
            _ => words[at] = kin[random.below(kin.len())],
        }
    }
    random.shuffle(&mut words[first..]);
    words
}

#[test]
fn every_fix_removes_the_error_and_keeps_operation_and_operands() {
    let mut random = Random(4);
    let modules =
        [newest(), module("9.5", "sm_90"), module("8.0", "sm_80"), module("6.0", "sm_60"), module("7.0", "sm_120a")];
    let mut count = std::collections::BTreeMap::new();
    for mnemonic in ATOMICS {
        let forms = atomic_forms(mnemonic);
        let first = usize::from(mnemonic == "multimem");
        for _ in 0..10_000 {
            let form = random.below(forms.len());
            let words = mutated(&mut random, &forms[form], first);
            let module = modules[random.below(modules.len())];
            let Resolution::Illegal(reasons) = resolve(&Spelling { mnemonic, modifiers: &words }, &module) else {
                continue;
            };
            let reason = &reasons[0];
            for fix in &reason.fixes {
                let (fixed, after) = (fix.apply(&words), fix.apply_to_module(&module));
                let resolved = resolve(&Spelling { mnemonic, modifiers: &fixed }, &after);
                let Resolution::Legal(legal) = resolved else {
                    panic!("{mnemonic}.{} at {module:?}: {reason:?}: {fix:?} gives {fixed:?}", words.join("."));
                };
                // What the fix does not speak of stays; operations change only where the word was none.
                for slot in ["op", "vec"] {
                    let Some(at) = legal.at(slot) else { continue };
                    assert!(
                        words.contains(&fixed[at]) || reason.at.is_none_or(|at| vocabulary::entry(words[at]).is_none()),
                        "{mnemonic}.{}: {fix:?} changes the {slot}",
                        words.join(".")
                    );
                }
                *count.entry(reason.code.as_str()).or_insert(0) += 1;
            }
        }
    }
    for code in [
        "unknown-modifier",
        "illegal-modifier",
        "illegal-type",
        "duplicate-modifier",
        "conflicting-modifiers",
        "missing-modifier",
        "requires-target",
        "requires-ptx-version",
    ] {
        assert!(count.get(code).is_some_and(|n| *n >= 250), "{code}: {count:?}");
    }
}

#[test]
fn anything_gets_an_answer() {
    let mut random = Random(9);
    let long = "add".repeat(400_000);
    let strange = ["", "::", "é", "🦀", "v", "b", "acc::", "L2::", "0", "add ", "ADD", "_", &long];
    for round in 0..4_000 {
        let count = if round % 50 == 0 { 300 } else { random.below(9) };
        let word = |random: &mut Random| match random.below(3) {
            0 => strange[random.below(strange.len())],
            _ => WORDS[random.below(WORDS.len())],
        };
        let mut words: Vec<&str> = (0..count).map(|_| word(&mut random)).collect();
        for mnemonic in ["atom", "red", "multimem", "ld", ""] {
            if mnemonic == "multimem" && random.below(4) > 0 {
                words.insert(0, ["st", "red", "ld_reduce"][random.below(3)]);
            }
            let spelling = Spelling { mnemonic, modifiers: &words };
            let legal = ptx_isa::is_legal(&spelling, &newest());
            match resolve(&spelling, &newest()) {
                Resolution::Unknown => assert_eq!(legal, None),
                Resolution::Legal(_) => assert_eq!(legal, Some(true)),
                Resolution::Illegal(reasons) => {
                    assert_eq!(legal, Some(false));
                    assert!(reasons.iter().all(|reason| reason.at.is_none_or(|at| at < words.len())), "{reasons:?}");
                    for reason in &reasons {
                        assert!(
                            (reason.help.len() > 3 || reason.requires.is_some()) && reason.message.len() > 10,
                            "{mnemonic}.{words:.100?}: {reason:.200?}"
                        );
                    }
                }
            }
            ptx_isa::complete(&spelling, &newest());
        }
    }
}
