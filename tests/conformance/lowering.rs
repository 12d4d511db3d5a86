//! The SASS of each form: the rows of `isa::lowering` against the recorded machine code.
//!
//! The rows were written from four fifths of the forms: those whose name, under FNV-1a, is no multiple of 5. The others were looked at only
//! by this test, after the rows stood. They are held to the same measure and counted apart. That no row was written for the forms of that fifth,
//! or of any other, is a test too.

use isa::lowering::{Lowering, RECORDED, ResultUse, lowering, rows};
use isa::target::{Target, Version};
use isa::{Module, Resolution, ResolvedInstruction, Spelling, resolve};
use std::collections::{BTreeSet, HashMap};
use syntax::SourceFile;

/// FNV-1a.
fn hash(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3))
}

/// Which fifth of the forms one is in; the rows were written without the first.
fn fifth(form: &str) -> usize {
    usize::try_from(hash(form) % 5).expect("below 5")
}

/// The recording of a target: each form with its sequences, of an atom (used, varying), (used, uniform), (unused, varying), (unused, uniform), of
/// anything else (varying), (uniform).
fn recorded(target: &str) -> Vec<(String, Vec<String>)> {
    let text = support::gunzip(&support::evidence("lowering").join(format!("{target}.txt.gz")));
    let mut sequences = Vec::new();
    let mut forms = Vec::new();
    for line in text.lines() {
        let (first, rest) = line.split_once(' ').expect("a number or a form, and more");
        if first.parse() == Ok(sequences.len()) {
            sequences.push(rest.to_owned());
        } else {
            let of = |number: &str| sequences[number.parse::<usize>().expect("a number")].clone();
            forms.push((first.to_owned(), rest.split(' ').map(of).collect()));
        }
    }
    forms
}

/// The form as the resolver reads it, for a target or its variant with all features.
fn instruction(form: &str, target: Target) -> ResolvedInstruction {
    let words: Vec<&str> = form.split('.').collect();
    let spelling = Spelling { mnemonic: words[0], modifiers: &words[1..] };
    let variants = Target::all().filter(|other| other.number() == target.number());
    [target]
        .into_iter()
        .chain(variants)
        .find_map(|target| match resolve(&spelling, &Module { version: Some(Version::NEWEST), target: Some(target) }) {
            Resolution::Legal(instruction) => Some(instruction),
            _ => None,
        })
        .unwrap_or_else(|| panic!("{form} is not legal on {}", target.name()))
}

/// What the rows say of a form, of an `atom` twice: with its result used, and unused.
fn ours(form: &str, target: Target) -> Vec<Lowering> {
    let instruction = instruction(form, target);
    let results = if form.starts_with("atom.") { &ResultUse::ALL[..] } else { &[ResultUse::Used] };
    results.iter().map(|result| lowering(&instruction, target, *result).expect("a recorded target")).collect()
}

/// What the recording is to hold for an address that varies and for one that is known to be uniform.
fn sequences(found: &Lowering) -> [String; 2] {
    let summed = if found.sum.is_empty() { found.code.clone() } else { format!("{} | {}", found.sum, found.code) };
    [found.code.clone(), summed]
}

fn target(name: &str) -> Target {
    Target::parse(name).expect("a target")
}

#[test]
fn rows_reproduce_the_recording() {
    for name in RECORDED {
        let (mut count, mut wrong) = ([0; 2], [Vec::new(), Vec::new()]);
        for (form, recorded) in recorded(name) {
            let expected: Vec<String> = ours(&form, target(name)).iter().flat_map(sequences).collect();
            let part = usize::from(fifth(&form) == 0);
            count[part] += 1;
            if expected != recorded {
                wrong[part].push(format!("{name} {form}\n  recorded {recorded:?}\n  rows     {expected:?}"));
            }
        }
        println!("{name}: {} forms, and {} that were held out", count[0], count[1]);
        assert!(wrong[0].is_empty(), "{} of {}, such as\n{}", wrong[0].len(), count[0], wrong[0][0]);
        assert!(wrong[1].is_empty(), "held out: {} of {}", wrong[1].len(), count[1]);
        assert!(count[0] > 4 * 600 && count[1] > 600, "{name}: {count:?}");
    }
}

/// A row that only some fifth of the forms calls for would be an answer learnt by heart.
#[test]
fn every_row_is_called_for_whichever_fifth_is_left_out() {
    let mut read = vec![BTreeSet::new(); 5];
    for name in RECORDED {
        for (form, _) in recorded(name) {
            read[fifth(&form)].extend(ours(&form, target(name)).into_iter().flat_map(|found| found.rows));
        }
    }
    for left_out in 0..5 {
        let others = read.iter().enumerate().filter(|(part, _)| *part != left_out);
        let called: BTreeSet<usize> = others.flat_map(|(_, rows)| rows.iter().copied()).collect();
        let idle: Vec<usize> = (0..rows()).filter(|row| !called.contains(row)).collect();
        assert!(idle.is_empty(), "without fifth {left_out}, no form reads the rows {idle:?}");
    }
    assert!(rows() <= 150, "{} rows", rows());
}

/// Every form that is legal on a target, or on its variant with all features, was recorded.
#[test]
fn the_recording_covers_every_form() {
    let text = support::gunzip(&support::evidence("legality").join("forms.txt.gz"));
    for name in RECORDED {
        let variant = format!("{name}a");
        let (mut legal, mut forms) = (false, BTreeSet::new());
        for line in text.lines() {
            match line.strip_prefix(' ') {
                None => legal = line.split(' ').any(|word| word == *name || word == variant),
                // A word that the assembler takes and ignores: the recording script asked that it changes nothing.
                Some(form) if !form.contains("ld_reduce") && form.contains(".acc::") => {}
                Some(form) if legal => _ = forms.insert(form.to_owned()),
                Some(_) => {}
            }
        }
        let found: BTreeSet<String> = recorded(name).into_iter().map(|(form, _)| form).collect();
        let missing: Vec<_> = forms.difference(&found).take(3).collect();
        assert!(missing.is_empty(), "{name}: {missing:?}");
        assert_eq!(found.len(), forms.len(), "{name}");
    }
}

/// Whether the recording asked a form with the constant 1.
fn is_integer(form: &str) -> bool {
    let words: Vec<&str> = form.split('.').collect();
    let rest = ["v2", "v4", "v8", "L2::cache_hint", "acc::f32", "acc::f16"];
    matches!(words[0], "atom" | "red")
        && !words.iter().any(|word| rest.contains(word))
        && matches!(words[words.len() - 1], "u32" | "s32" | "b32" | "u64" | "s64" | "b64")
}

#[test]
fn rows_tell_what_the_constant_one_becomes() {
    let text = support::gunzip(&support::evidence("lowering").join("ones.txt.gz"));
    let (mut asked, mut others) = (HashMap::new(), HashMap::new());
    let mut within = "";
    for line in text.lines() {
        match line.split_once('\t') {
            Some((form, results)) => _ = others.insert((within, form), results.split('\t').collect::<Vec<_>>()),
            None => {
                let (name, count) = line.split_once(' ').expect("a target and a number");
                asked.insert(name, count.parse::<usize>().expect("a number"));
                within = name;
            }
        }
    }
    for name in RECORDED {
        let mut count = 0;
        for (form, sequences) in recorded(name).iter().filter(|(form, _)| is_integer(form)) {
            let usual: Vec<&str> = sequences.iter().step_by(2).map(String::as_str).collect();
            let expected = others.get(&(*name, form.as_str())).unwrap_or(&usual);
            let found = ours(form, target(name));
            let codes = found.iter().map(|found| if found.one.is_empty() { &found.code } else { &found.one });
            assert_eq!(&codes.map(String::as_str).collect::<Vec<_>>(), expected, "{name} {form}");
            count += 1;
        }
        assert_eq!(asked[name], count, "{name}");
    }
    assert!(others.len() > 10, "{}", others.len());
}

/// The forms stand alone in the recording; in the modules of a compiler they stand among others, and become nothing else.
#[test]
fn the_sass_of_compiled_modules_is_predicted() {
    let recorded = support::evidence("lowering").join("modules.txt");
    let mut seen = 0;
    for line in std::fs::read_to_string(recorded).expect("UTF-8").lines() {
        let mut words = line.split(' ');
        let mut next = || words.next().expect("a module and a target");
        let (module, target) = (next(), target(next()));
        let path = support::root().join("tests/fixtures/compiled").join(module);
        let file = SourceFile::parse(&std::fs::read_to_string(path).expect("UTF-8"));
        let mut codes = BTreeSet::new();
        syntax::instructions(&file, 0..file.text().len_bytes(), |instruction| {
            let opcode = instruction.opcode();
            let spelling = Spelling { mnemonic: &opcode.mnemonic.text, modifiers: &opcode.words() };
            if let Resolution::Legal(legal) = resolve(&spelling, &Module::default()) {
                for found in ResultUse::ALL.into_iter().filter_map(|result| lowering(&legal, target, result)) {
                    codes.extend([found.code, found.one].iter().flat_map(|code| code.split(' ')).map(str::to_owned));
                }
            }
        });
        for opcode in words {
            assert!(codes.contains(opcode), "{module} on {}: {opcode}", target.name());
            seen += 1;
        }
    }
    assert!(seen > 400, "{seen}");
}
