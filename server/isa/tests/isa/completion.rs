//! Completion is exact: what it supports leads to a legal form, and every legal form can be typed by it.

use crate::common::{
    ON_ONE_TARGET, Random, atomic_forms, legal_forms, listable, module, newest, opcode_words, verdict,
};
use ptx_isa::{Module, Resolution, Spelling, complete};

fn words(mnemonic: &str, prefix: &[&str], module: &Module) -> Vec<&'static str> {
    let found = complete(&Spelling { mnemonic, modifiers: prefix }, module);
    found.into_iter().filter(|candidate| candidate.requires.is_none()).map(|candidate| candidate.word).collect()
}

/// Offers that are followed at random until there are none.
fn random_offers(mnemonic: &str, module: &Module, random: &mut Random) -> Vec<&'static str> {
    let mut prefix = Vec::new();
    loop {
        let offered = words(mnemonic, &prefix, module);
        if offered.is_empty() {
            return prefix;
        }
        prefix.push(offered[random.below(offered.len())]);
    }
}

/// As many forms as the assembler was found to take, without those with modifiers that it ignores.
#[test]
fn every_legal_form_is_found_by_completion() {
    let count = |mnemonic| atomic_forms(mnemonic).len();
    assert_eq!([count("atom"), count("red"), count("multimem")], [8975, 4770, 954 + 2660 + 760]);
}

/// The mnemonics some of whose modifiers have an order: two types, or sources and destinations.
const ORDERED: [&str; 39] = [
    "createpolicy",
    "cp",
    "cvt",
    "add",
    "sub",
    "mul",
    "fma",
    "set",
    "slct",
    "dp4a",
    "dp2a",
    "mma",
    "tensormap",
    "tex",
    "tld4",
    "wmma",
    "vadd",
    "vsub",
    "vabsdiff",
    "vmin",
    "vmax",
    "vshl",
    "vshr",
    "vmad",
    "vset",
    "vadd2",
    "vsub2",
    "vavrg2",
    "vabsdiff2",
    "vmin2",
    "vmax2",
    "vset2",
    "vadd4",
    "vsub4",
    "vavrg4",
    "vabsdiff4",
    "vmin4",
    "vmax4",
    "vset4",
];

#[test]
fn every_legal_form_can_be_typed_in_any_order() {
    let mut random = Random(1);
    let mut typed = 0;
    for mnemonic in listable() {
        for mut form in legal_forms(mnemonic).iter().step_by(11).cloned() {
            for _ in 0..2 {
                let first = opcode_words(mnemonic, &form);
                if ORDERED.contains(&mnemonic) || mnemonic == "multimem" && first > 1 {
                    break; // their words have an order
                }
                random.shuffle(&mut form[first..]);
                for at in 0..form.len() {
                    let offered = complete(&Spelling { mnemonic, modifiers: &form[..at] }, &newest());
                    let next = offered.iter().find(|candidate| candidate.word == form[at]);
                    let next = next.unwrap_or_else(|| panic!("{mnemonic}.{form:?}: {} is not offered", form[at]));
                    assert!(
                        next.requires.is_none(),
                        "{mnemonic}.{form:?}: {} is said to need {:?}",
                        form[at],
                        next.requires
                    );
                    assert_eq!(
                        next.finishes,
                        at + 1 == form.len() || is_legal(mnemonic, &form[..=at]),
                        "{form:?} {at}"
                    );
                }
                typed += 1;
            }
        }
    }
    assert!(typed > 3_000, "{typed}");
}

fn is_legal(mnemonic: &str, words: &[&str]) -> bool {
    ptx_isa::is_legal(&Spelling { mnemonic, modifiers: words }, &newest()) == Some(true)
}

/// From random prefixes, following supports at random must end in a legal form of that module.
#[test]
fn every_offer_leads_to_a_legal_form() {
    let mut random = Random(2);
    let modules = [
        newest(),
        module("9.5", "sm_90"),
        module("7.0", "sm_80"),
        module("6.0", "sm_60"),
        module("1.2", "sm_12"),
        Module::default(),
    ];
    for round in 0..600 {
        let module = modules[round % modules.len()];
        for mnemonic in listable() {
            let prefix = random_offers(mnemonic, &module, &mut random);
            if !prefix.is_empty() {
                let opcode = format!("{mnemonic}.{}", prefix.join("."));
                assert!(matches!(verdict(&opcode, &module), Resolution::Legal(_)), "{opcode} at {module:?}");
            } else if !matches!(verdict(mnemonic, &module), Resolution::Legal(_)) {
                let number = module.target.map_or(u16::MAX, |target| target.number());
                assert!(
                    number < 90
                        || number < 100
                            && ["tcgen05", "clusterlaunchcontrol", "fabric", "setmaxnreg"].contains(&mnemonic),
                    "{mnemonic}: nothing offered at {module:?}"
                );
            }
        }
    }
}

#[test]
fn offers_on_the_only_target_lead_to_a_legal_form() {
    let mut random = Random(3);
    for (mnemonic, target) in ON_ONE_TARGET {
        let module = module("9.5", target);
        for _ in 0..30 {
            let prefix = random_offers(mnemonic, &module, &mut random);
            let opcode = format!("{mnemonic}.{}", prefix.join("."));
            assert!(matches!(verdict(&opcode, &module), Resolution::Legal(_)), "{opcode}");
        }
    }
}

#[test]
fn completions_that_require_more_are_last_and_have_the_requirement() {
    let offered = complete(&Spelling { mnemonic: "atom", modifiers: &["global", "add"] }, &module("7.0", "sm_70"));
    let beyond = offered.iter().position(|candidate| candidate.requires.is_some()).expect("some need more");
    assert!(offered[..beyond].iter().all(|candidate| candidate.requires.is_none()));
    assert!(offered[beyond..].iter().all(|candidate| candidate.requires.is_some()));
    let need = |word: &str| {
        offered
            .iter()
            .find(|candidate| candidate.word == word)
            .map(|candidate| candidate.requires.map(|since| since.to_string()))
    };
    assert_eq!(need("u32"), Some(None));
    assert_eq!(need("bf16"), Some(Some("PTX 7.8 and sm_90".to_string())));
    assert_eq!(need("L2::cache_hint"), Some(Some("PTX 7.4 and sm_80".to_string())));
    assert_eq!(need("b32"), None);
    assert_eq!(need("shared"), None);
}

#[test]
fn nothing_follows_what_is_complete_broken_or_unknown() {
    let none = |mnemonic, modifiers: &[&str]| complete(&Spelling { mnemonic, modifiers }, &newest()).is_empty();
    assert!(none("atom", &["relaxed", "gpu", "global", "cas", "b32"]));
    assert!(none("atom", &["foo"]));
    assert!(none("atom", &["or", "u32"]));
    assert!(none("unknown", &["b8"]));
    assert!(none("mbarrier", &["arrive", "b64", "expect_tx"]));
}

/// The first offers of all modifiers, whatever they require.
fn first(opcode: &str, count: usize) -> Vec<&'static str> {
    let mut words = opcode.split('.').filter(|word| !word.is_empty());
    let mnemonic = words.next().expect("a mnemonic");
    let modifiers: Vec<&str> = words.collect();
    let found = complete(&Spelling { mnemonic, modifiers: &modifiers }, &newest());
    found.into_iter().take(count).map(|candidate| candidate.word).collect()
}

#[test]
fn modifiers_come_in_their_usual_order() {
    for (opcode, expected) in [
        ("ld.", &["global", "shared", "param"][..]),
        ("st.", &["global", "shared"]),
        ("ld.global.", &["u32", "b32"]),
        ("ld.relaxed.", &["cta", "cluster", "gpu", "sys"]),
        ("atom.", &["relaxed", "acquire", "release", "acq_rel"]),
        ("atom.acq_rel.", &["cta", "cluster", "gpu", "sys"]),
        ("atom.acq_rel.gpu.", &["global"]),
        ("atom.acq_rel.gpu.global.", &["add", "cas"]),
        ("atom.global.", &["add", "cas"]),
        ("mma.sync.aligned.", &["m8n8k4", "m8n8k16"]),
        ("add.", &["u32"]),
        ("fence.", &["acquire", "release", "acq_rel"]),
        ("cvt.", &["u32", "s32", "f32"]),
    ] {
        assert_eq!(first(opcode, expected.len()), expected, "{opcode}: {:?}", first(opcode, 12));
    }
}

#[test]
fn shapes_come_in_numeric_order() {
    let numbers =
        |word: &str| -> Vec<u32> { word.split(['m', 'n', 'k']).filter_map(|part| part.parse().ok()).collect() };
    let shapes: Vec<_> = first("mma.sync.aligned.", 30).into_iter().filter(|word| numbers(word).len() == 3).collect();
    assert!(shapes.len() > 5 && shapes.windows(2).all(|pair| numbers(pair[0]) < numbers(pair[1])), "{shapes:?}");
}
