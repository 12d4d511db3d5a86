//! Legality of the instructions other than `atom`, `red` and `multimem`.
//!
//! The recordings and the scripts that made them are in `evidence/family`, a folder for each group of families.

use isa::target::{Target, Version};
use isa::{Module, Resolution, Spelling, is_legal, matching_rows, resolve};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::fs;
use std::path::PathBuf;
use std::process::Command;
use std::sync::Once;

/// The groups of families, with the folder of each.
fn groups() -> Vec<PathBuf> {
    let entries = fs::read_dir(support::evidence("family")).expect("the recordings");
    let folders = entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.join("axes.txt").exists());
    let mut found: Vec<PathBuf> = folders.collect();
    found.sort();
    assert!(found.len() >= 2, "{found:?}");
    found
}

/// With `--full`, makes all recordings anew, once.
fn record_anew() {
    static ANEW: Once = Once::new();
    if support::full() {
        ANEW.call_once(|| {
            for script in ["record.py", "neighbours.py"] {
                let script = support::evidence("family").join(script);
                let status = Command::new("python3").arg(&script).status().expect("python3 runs");
                assert!(status.success(), "{script:?} failed");
            }
        });
    }
}

/// The recordings of a name, one of each group.
fn recorded(name: &str) -> Vec<String> {
    record_anew();
    groups().iter().map(|group| support::gunzip(&group.join(name))).collect()
}

fn with_spelling<T>(opcode: &str, then: impl FnOnce(&Spelling) -> T) -> T {
    let parts: Vec<&str> = opcode.split('.').collect();
    then(&Spelling { mnemonic: parts[0], modifiers: &parts[1..] })
}

fn legal(opcode: &str, module: &Module) -> bool {
    with_spelling(opcode, |spelling| is_legal(spelling, module)) == Some(true)
}

/// The versions of a target that have a form: where it is not the same on all targets the first one, and the first that has it no more.
#[derive(Clone, Copy, PartialEq)]
struct Span {
    since: Option<Version>,
    until: Option<Version>,
}

impl Span {
    /// Reads what stands after a target: `>8.1`, `<6.4`, both or nothing.
    fn read(text: &str) -> Self {
        let (since, until) = text.split_once('<').unwrap_or((text, ""));
        Span { since: since.strip_prefix('>').and_then(Version::parse), until: Version::parse(until) }
    }

    fn contains(self, version: Option<Version>) -> bool {
        self.since.is_none_or(|since| version >= Some(since)) && self.until.is_none_or(|until| version < Some(until))
    }
}

/// Every legal form: the first version, and the targets that have it with their versions.
fn forms(texts: &[String]) -> BTreeMap<&str, (Version, HashMap<Target, Span>)> {
    let mut found = BTreeMap::new();
    let mut class = None;
    for line in texts.iter().flat_map(|text| text.lines()) {
        match line.strip_prefix(' ') {
            Some(form) => {
                found.insert(form, Option::clone(&class).expect("a class comes first"));
            }
            None => {
                let mut words = line.split(' ');
                let version = words.next().and_then(Version::parse).expect("a version");
                let target = |word: &str| {
                    let (name, versions) = word.split_at(word.find(['>', '<']).unwrap_or(word.len()));
                    (Target::parse(name).expect("a target"), Span::read(versions))
                };
                class = Some((version, words.map(target).collect()));
            }
        }
    }
    found
}

/// The targets on which every product was asked.
const TARGETS: [&str; 5] = ["sm_90", "sm_90a", "sm_100a", "sm_103a", "sm_120a"];

/// The modifiers of a family that were asked.
struct Product {
    family: String,
    /// The targets on which they were asked.
    targets: Vec<Target>,
    /// Every member, without duplicates.
    members: BTreeSet<String>,
}

/// The products of axes.txt.
fn products() -> Vec<Product> {
    let mut found: Vec<Product> = Vec::new();
    for group in groups() {
        let text = fs::read_to_string(group.join("axes.txt")).expect("axes.txt");
        let mut targets: Vec<Target> = TARGETS.iter().filter_map(|name| Target::parse(name)).collect();
        for line in text.lines().filter(|line| !line.starts_with('#') && !line.starts_with("with")) {
            if let Some(names) = line.strip_prefix("targets ") {
                targets.extend(names.split(' ').map(|name| Target::parse(name).expect("a target")));
            } else if let Some(name) = line.strip_prefix("family ") {
                let members = BTreeSet::from([name.to_owned()]);
                found.push(Product { family: name.to_owned(), targets: targets.clone(), members });
            } else {
                let members = &mut found.last_mut().expect("a family comes first").members;
                let longer = |member: &String| {
                    let word = |word: &str| if word == "-" { member.clone() } else { format!("{member}.{word}") };
                    line.split_whitespace().map(word).collect::<Vec<_>>()
                };
                *members = members.iter().flat_map(longer).collect();
            }
        }
    }
    found
}

/// The assembler that knows sm_101a and sm_101f does not know all of these families.
fn pairs() -> Vec<Module> {
    let asked = |target: &Target| !["sm_101a", "sm_101f"].contains(&target.name());
    let versions = |target: Target| Version::all().filter(move |version| target.known_by(*version));
    Target::all()
        .filter(asked)
        .flat_map(|target| versions(target).map(move |version| Module { version: Some(version), target: Some(target) }))
        .collect()
}

#[test]
fn every_product_of_modifiers_agrees() {
    let texts = recorded("forms.txt.gz");
    let forms = forms(&texts);
    let newest = Version::parse("9.5");
    let (mut asked, mut found) = (0, 0);
    for Product { family, targets, members } in products() {
        let mut of_family = 0;
        for target in targets {
            let module = Module { version: newest, target: Some(target) };
            for member in &members {
                let theirs = forms
                    .get(&**member)
                    .and_then(|(_, targets)| targets.get(&target))
                    .is_some_and(|span| span.contains(newest));
                assert_eq!(legal(member, &module), theirs, "{member} on {target}: the assembler says {theirs}");
                of_family += usize::from(theirs);
            }
            asked += members.len();
        }
        assert!(of_family > 0, "{family} has no legal form");
        found += of_family;
    }
    assert!(asked > 700_000 && found > 4_000, "{asked} asked, {found} legal");
}

#[test]
fn every_form_agrees_at_every_version_and_target() {
    let texts = recorded("forms.txt.gz");
    let pairs = pairs();
    let mut asked = 0;
    for (form, (version, targets)) in forms(&texts) {
        let Resolution::Legal(instruction) = with_spelling(form, |spelling| resolve(spelling, &Module::default()))
        else {
            panic!("{form} is legal since {version}");
        };
        assert_eq!(with_spelling(form, matching_rows), 1, "{form}: rows overlap");
        for module in &pairs {
            let theirs = module.effective_version() >= Some(version)
                && module
                    .target
                    .and_then(|target| targets.get(&target))
                    .is_some_and(|span| span.contains(module.effective_version()));
            assert_eq!(
                module.supports(&instruction.since),
                theirs,
                "{form} at {module:?}: the assembler says {theirs}"
            );
            asked += 1;
        }
    }
    assert!(pairs.len() > 900 && asked > 2_000_000, "{} pairs, {asked} asked", pairs.len());
}

#[test]
fn loads_and_stores_agree_on_random_members_and_neighbours() {
    record_anew();
    let text = support::gunzip(&support::evidence("family").join("synchronization/samples.txt.gz"));
    let mut count = BTreeMap::new();
    for line in text.lines() {
        let [verdict, target, opcode] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let module = Module { version: Version::parse("9.5"), target: Target::parse(target) };
        assert_eq!(legal(opcode, &module), verdict == "legal", "{line}");
        *count.entry(verdict).or_insert(0) += 1;
    }
    assert!(count["legal"] > 20_000 && count["illegal"] > 50_000, "{count:?}");
}

/// Modifiers that the assembler accepts on some forms of mma, movmatrix, wgmma and wmma and refuses on others that are like them: one more type or
/// vector size than the instruction has. Nobody writes them, and ptx-atomics rejects all of them.
const FURTHER_TYPES: &[&str] = &["b1", "b2", "b4", "bf16", "bf16x2", "s2", "s4", "tf32", "u2", "u4", "v2", "v4", "v8"];

fn is_further_type(form: &str, sign: &str) -> bool {
    let matrix = ["mma.", "movmatrix.", "wgmma.mma_async.", "wmma."].iter().any(|mnemonic| form.starts_with(mnemonic));
    matrix && FURTHER_TYPES.contains(&sign.trim_start_matches(|c: char| c.is_ascii_digit() || "+=".contains(c)))
}

/// Legal forms with one modifier more, less or another, each that the assembler knows.
#[test]
fn every_neighbour_by_one_modifier_agrees() {
    let texts = recorded("neighbours.txt.gz");
    let words: Vec<&str> = texts[0].lines().next().expect("the words first").split(' ').collect();
    let mut names: Vec<String> = products().into_iter().map(|product| product.family).collect();
    names.extend(["ld", "st", "atom", "red", "multimem.ld_reduce", "multimem.st", "multimem.red"].map(str::to_owned));
    let (mut asked, mut taken, mut wrong) = (0, 0, String::new());
    for line in texts.iter().flat_map(|text| text.lines().skip(1)) {
        let mut parts = line.split(' ');
        let (target, form) = parts.next().zip(parts.next()).expect("a target and a form");
        let module = Module { version: Version::parse("9.5"), target: Target::parse(target) };
        let theirs: HashSet<&str> = parts.collect();
        for (sign, opcode) in neighbours(form, &names, &words) {
            let expected = theirs.contains(&*sign);
            if legal(&opcode, &module) == expected || expected && is_further_type(form, &sign) {
                (asked, taken) = (asked + 1, taken + usize::from(expected));
            } else {
                writeln!(wrong, "{opcode} on {target}: the assembler says {expected}").expect("a string takes all");
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}{} disagreements", wrong.lines().count());
    assert!(asked > 1_000_000 && taken > 40_000, "{asked} asked, {taken} legal");
}

/// The neighbours of a form as `neighbours.py` asks for them, with their signs.
fn neighbours(form: &str, names: &[String], words: &[&str]) -> Vec<(String, String)> {
    let parts: Vec<&str> = form.split('.').collect();
    let begins = |name: &&String| form == *name || form.starts_with(&format!("{name}."));
    let name = names.iter().filter(begins).max_by_key(|name| name.len()).expect("a family");
    let mut found: Vec<_> = words.iter().map(|word| (format!("+{word}"), format!("{form}.{word}"))).collect();
    for at in name.matches('.').count() + 1..parts.len() {
        let with = |word: Option<&str>| {
            let all = parts[..at].iter().copied().chain(word).chain(parts[at + 1..].iter().copied());
            all.collect::<Vec<_>>().join(".")
        };
        found.push((format!("-{at}"), with(None)));
        let others = words.iter().filter(|word| **word != parts[at]);
        found.extend(others.map(|word| (format!("{at}={word}"), with(Some(word)))));
    }
    found
}

/// The names that the assembler knows, of instructions and of modifiers, are those that the tables know.
#[test]
fn every_name_is_known() {
    let folder = support::evidence("names");
    let read = |file: &str| fs::read_to_string(folder.join(file)).expect("a recording");
    let instructions = read("instructions.txt");
    assert!(isa::names::instructions().eq(instructions.lines()), "the list of instructions differs");
    let modifiers = read("modifiers.txt");
    let letters = |word: &&str| word.bytes().all(|byte| byte.is_ascii_alphabetic() || byte == b'_');
    assert!(isa::names::modifiers().eq(modifiers.lines().filter(letters)), "the list of modifiers differs");
    for name in instructions.lines() {
        let known = |text: &str| with_spelling(text, isa::names::name);
        assert_eq!(known(name), Some(name));
        assert_ne!(known(&format!("x{name}")), Some(name));
    }
}

/// A modifier that the assembler accepts everywhere is not an error, neither on atom nor elsewhere.
#[test]
fn modifiers_without_effect_are_no_errors() {
    let recorded = fs::read_to_string(support::evidence("names").join("without_effect.txt")).expect("a recording");
    let mut taken = 0;
    for line in recorded.lines() {
        let [version, target, word, verdicts] = line.split(' ').collect::<Vec<_>>()[..] else { panic!("{line}") };
        let (version, target) = (Version::parse(version).expect("a version"), Target::parse(target));
        if verdicts.contains('x') {
            continue;
        }
        taken += 1;
        let module = Module { version: Some(version), target };
        for opcode in ["atom.global.add.u32", "red.global.add.u32", "ld.global.u32", "bar.sync", "mov.u32"] {
            let refused =
                with_spelling(&format!("{opcode}.{word}"), |spelling| is_legal(spelling, &module)) == Some(false);
            assert!(!refused, "{opcode}.{word} for {target:?}");
        }
    }
    assert!(taken > 100, "{taken} words");
}

/// Of every other instruction there is a line, and no verdict.
#[test]
fn every_other_instruction_is_known_by_name_alone() {
    let text = fs::read_to_string(support::evidence("family").join("instructions.txt")).expect("instructions.txt");
    let mut count = 0;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (name, samples) = line.split_once(" | ").expect("a name and samples");
        for sample in samples.split(" | ") {
            let opcode = sample.split(' ').next().expect("an opcode");
            assert_eq!(isa::unchecked::find(opcode).map(|other| other.opcode), Some(name), "{sample}");
            assert_eq!(with_spelling(opcode, |spelling| is_legal(spelling, &Module::default())), None, "{sample}");
        }
        count += 1;
    }
    assert_eq!(count, isa::unchecked::instructions().len());
    assert!(
        isa::unchecked::instructions().is_sorted_by_key(|other| other.opcode)
            && isa::unchecked::find("addx.u32").is_none()
    );
}

#[test]
fn instructions_of_several_types_are_legal_exactly_where_the_assembler_accepts_them() {
    let recorded = support::gunzip(&support::evidence("family").join("several_types.txt.gz"));
    let (mut module, mut counts, mut wrong) = (Module { version: None, target: None }, [0, 0], String::new());
    for line in recorded.lines() {
        if let Some((version, target)) = line.strip_prefix('#').and_then(|pair| pair.split_once(' ')) {
            module = Module { version: Version::parse(version), target: Target::parse(target) };
            continue;
        }
        let opcode = line[1..].split(' ').next().unwrap_or_default();
        let (accepted, is_legal) = (line.starts_with('+'), legal(opcode, &module));
        counts[usize::from(accepted)] += 1;
        if accepted != is_legal {
            writeln!(wrong, "{:?} {line}", module.target).expect("a string takes all");
        }
    }
    assert!(wrong.is_empty() && counts.iter().all(|count| *count > 2_000), "{counts:?}\n{wrong}");
}

#[test]
fn instructions_of_several_types_are_legal_at_the_targets_where_the_assembler_accepts_them() {
    let recorded = support::gunzip(&support::evidence("family").join("type_targets.txt.gz"));
    let pair = |text: &str| {
        let (version, target) = text.split_once('/').expect("a pair");
        Module { version: Version::parse(version), target: Target::parse(target) }
    };
    let groups: Vec<(Vec<&str>, Vec<&str>)> = recorded
        .split('#')
        .skip(1)
        .map(|group| {
            let mut lines = group.lines();
            (lines.next().unwrap_or_default().split(' ').filter(|pair| !pair.is_empty()).collect(), lines.collect())
        })
        .collect();
    let versions = ["9.0", "9.1", "9.2", "9.3", "9.4", "9.5"];
    let targets = Target::all().filter(|target| target.number() >= 75 && target.number() != 101);
    let pairs: Vec<String> = targets.flat_map(|target| versions.map(|version| format!("{version}/{target}"))).collect();
    let pairs: Vec<(&String, Module)> = pairs
        .iter()
        .map(|text| (text, pair(text)))
        .filter(|(_, module)| {
            module.version.zip(module.target).is_some_and(|(version, target)| target.known_by(version))
        })
        .collect();
    let (mut asked, mut wrong) = (0, String::new());
    for (accepted, lines) in &groups {
        // Most are accepted nowhere: these are asked at the newest version alone.
        let here = pairs.iter().filter(|(text, _)| !accepted.is_empty() || text.starts_with("9.5"));
        for (text, module) in here {
            let is_accepted = accepted.contains(&text.as_str());
            asked += lines.len();
            for line in
                lines.iter().filter(|line| legal(line.split(' ').next().unwrap_or_default(), module) != is_accepted)
            {
                writeln!(wrong, "{text} {line}").expect("a string takes all");
            }
        }
    }
    assert!(wrong.is_empty() && asked > 200_000, "{asked}\n{wrong}");
}
