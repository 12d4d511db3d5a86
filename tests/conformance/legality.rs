//! Which spellings are legal where: the resolver against what the assembler said.
//!
//! The recordings and the scripts that made them are in `evidence/legality`; `README.md` there says how to ask anew.

use isa::target::{Target, Version};
use isa::{Module, ReasonCode, Resolution, Spelling, header, is_legal, resolve};
use std::collections::{HashMap, HashSet};
use std::fs;
use std::process::Command;
use std::sync::Once;

fn module(version: &str, target: &str) -> Module {
    Module { version: Version::parse(version), target: Target::parse(target) }
}

/// A recording; with `--full` all of them are made anew first.
fn recorded(name: &str) -> String {
    static ANEW: Once = Once::new();
    let folder = support::evidence("legality");
    if support::full() {
        ANEW.call_once(|| {
            for script in ["product.py", "versions.py", "variations.py", "pairs.py"] {
                let status = Command::new("python3").arg(folder.join(script)).status().expect("python3 runs");
                assert!(status.success(), "{script} failed");
            }
        });
    }
    support::gunzip(&folder.join(name))
}

fn with_spelling<T>(opcode: &str, then: impl FnOnce(&Spelling) -> T) -> T {
    let parts: Vec<&str> = opcode.split('.').collect();
    then(&Spelling { mnemonic: parts[0], modifiers: &parts[1..] })
}

/// The forms that are legal somewhere, by class: the first version and the targets.
struct Class<'a> {
    version: Version,
    targets: Vec<Target>,
    forms: Vec<&'a str>,
}

fn classes(text: &str) -> Vec<Class<'_>> {
    let mut classes: Vec<Class> = Vec::new();
    for line in text.lines() {
        match (line.strip_prefix(' '), classes.last_mut()) {
            (Some(form), Some(class)) => class.forms.push(form),
            _ => {
                let mut words = line.split(' ');
                let version = words.next().and_then(Version::parse).expect("a version");
                let targets = words.map(|name| Target::parse(name).expect("a target")).collect();
                classes.push(Class { version, targets, forms: Vec::new() });
            }
        }
    }
    classes
}

/// The axes of the product, by mnemonic; an empty word is a modifier not given.
fn axes() -> Vec<(String, Vec<Vec<String>>)> {
    let text = fs::read_to_string(support::evidence("legality").join("axes.txt")).expect("axes.txt");
    let mut found: Vec<(String, Vec<Vec<String>>)> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let (mnemonic, words) = line.split_once(':').expect("mnemonic: words");
        let axis = words.split_whitespace().map(|word| word.trim_matches('-').to_string()).collect();
        match found.last_mut() {
            Some((last, axes)) if last == mnemonic => axes.push(axis),
            _ => found.push((mnemonic.to_string(), vec![axis])),
        }
    }
    found
}

/// A walk over the product of one mnemonic.
struct Walk<'a> {
    mnemonic: &'a str,
    axes: &'a [Vec<String>],
    module: Module,
    /// What the assembler found legal.
    legal: &'a HashSet<&'a str>,
    /// How many members there are, how many we find legal, and those of them that the assembler refused.
    count: usize,
    ours: usize,
    wrong: Vec<String>,
}

impl<'a> Walk<'a> {
    fn on(&mut self, axis: usize, words: &mut Vec<&'a str>) {
        let Some(choices) = self.axes.get(axis) else { return self.member(words) };
        for word in choices {
            if word.is_empty() {
                self.on(axis + 1, words);
            } else {
                words.push(word);
                self.on(axis + 1, words);
                words.pop();
            }
        }
    }

    fn member(&mut self, words: &[&str]) {
        self.count += 1;
        if is_legal(&Spelling { mnemonic: self.mnemonic, modifiers: words }, &self.module) == Some(true) {
            self.ours += 1;
            let opcode = format!("{}.{}", self.mnemonic, words.join("."));
            if !self.legal.contains(&*opcode) {
                self.wrong.push(opcode);
            }
        }
    }
}

/// Every member of the product: as many of ours are legal as of the assembler's, and each of ours is one of its.
#[test]
fn the_whole_product_of_modifiers_agrees() {
    let text = recorded("forms.txt.gz");
    let classes = classes(&text);
    let axes = axes();
    let newest = Version::parse("9.5").expect("a version");
    for target in ["sm_90", "sm_100a"] {
        let module = module("9.5", target);
        let here =
            |class: &&Class| class.targets.contains(&module.target.expect("a target")) && class.version <= newest;
        let legal: HashSet<&str> = classes.iter().filter(here).flat_map(|class| class.forms.iter().copied()).collect();
        let counts: HashMap<&str, usize> = std::thread::scope(|scope| {
            let walks: Vec<_> = (axes.iter())
                .map(|(mnemonic, axes)| {
                    let mut walk = Walk { mnemonic, axes, module, legal: &legal, count: 0, ours: 0, wrong: Vec::new() };
                    scope.spawn(move || {
                        walk.on(0, &mut Vec::new());
                        walk
                    })
                })
                .collect();
            let done = walks.into_iter().map(|walk| {
                let Walk { mnemonic, count, ours, wrong, .. } = walk.join().expect("the walk ends");
                let theirs = legal.iter().filter(|form| form.split('.').next() == Some(mnemonic)).count();
                assert!(wrong.is_empty(), "{target}: {} refused, such as {:#?}", wrong.len(), wrong.first());
                assert_eq!(ours, theirs, "{target}: {mnemonic}: legal forms that we refuse");
                (mnemonic, count)
            });
            done.collect()
        });
        assert!(
            counts["atom"] >= 3_500_000 && counts["red"] >= 3_500_000 && counts["multimem"] >= 1_900_000,
            "{counts:?}"
        );
    }
}

/// Every pair of version and target that was asked: sm_101a and sm_101f are known to 12.9 alone, which ends at 8.8.
fn pairs() -> Vec<Module> {
    let last = |target: Target| if target.number() == 101 && target.name() != "sm_101" { "8.8" } else { "9.5" };
    let reachable = |target: Target| {
        let last = Version::parse(last(target)).expect("a version");
        Version::all().filter(move |version| target.known_by(*version) && *version <= last)
    };
    Target::all()
        .flat_map(|target| {
            reachable(target).map(move |version| Module { version: Some(version), target: Some(target) })
        })
        .collect()
}

#[test]
fn every_form_agrees_at_every_version_and_target() {
    let text = recorded("forms.txt.gz");
    let pairs = pairs();
    let (mut forms, mut asked) = (0, 0);
    for (number, class) in classes(&text).iter().enumerate() {
        let theirs: Vec<bool> = (pairs.iter())
            .map(|m| {
                m.effective_version() >= Some(class.version)
                    && class.targets.iter().any(|target| m.target == Some(*target))
            })
            .collect();
        for form in &class.forms {
            let Resolution::Legal(legal) = with_spelling(form, |spelling| resolve(spelling, &Module::default())) else {
                panic!("{form} is legal since {}", class.version);
            };
            let ours = pairs.iter().map(|module| module.supports(&legal.since));
            let wrong = ours.zip(&theirs).position(|(ours, theirs)| ours != *theirs);
            assert!(
                wrong.is_none(),
                "{form} at {:?}: the assembler says {}",
                pairs[wrong.unwrap()],
                theirs[wrong.unwrap()]
            );
            // The demand is what the resolver goes by; that it does is seen at some of the pairs.
            for at in (forms % 97..pairs.len()).step_by(97 + number) {
                let ours = with_spelling(form, |spelling| is_legal(spelling, &pairs[at]));
                assert_eq!(ours, Some(theirs[at]), "{form} at {:?}", pairs[at]);
            }
            forms += 1;
            asked += pairs.len();
        }
    }
    assert!(pairs.len() == 961 && forms >= 21_547 && asked > 30_000_000, "{} pairs, {forms} forms", pairs.len());
}

#[test]
fn other_orders_and_strange_words_agree() {
    let text = recorded("variations.txt.gz");
    let mut count = HashMap::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let mut word = || words.next().expect("verdict version target opcode");
        let (verdict, version, target, opcode) = (word(), word(), word(), word());
        let module = module(version, target);
        let ours = with_spelling(opcode, |spelling| is_legal(spelling, &module));
        assert_eq!(ours, Some(verdict == "legal"), "{line}");
        let resolved = with_spelling(opcode, |spelling| resolve(spelling, &module));
        assert_eq!(matches!(resolved, Resolution::Legal(_)), verdict == "legal", "{line}: resolve and is_legal differ");
        *count.entry(verdict).or_insert(0) += 1;
    }
    assert!(count["legal"] >= 10_000 && count["illegal"] >= 10_000, "{count:?}");
}

#[test]
fn every_version_and_target_agrees() {
    let text = recorded("pairs.txt.gz");
    let mut seen = HashMap::new();
    for line in text.lines() {
        let mut parts = line.split('|');
        let mut part = || parts.next().expect("verdict|version|items");
        let (verdict, version, items) = (part(), part(), part());
        let items: Vec<&str> = items.split(',').map(str::trim).collect();
        let reasons = header::check(version, &items);
        let has = |code: ReasonCode, option: bool| {
            let is_option = |at: Option<usize>| at.is_some_and(|at| Target::parse(items[at]).is_none());
            reasons.iter().any(|reason| reason.code == code && is_option(reason.at) == option)
        };
        // What is fatal hides the rest, and so it does here.
        let ours = if has(ReasonCode::UnknownVersion, false) {
            "version"
        } else if has(ReasonCode::UnknownTarget, true) {
            "target"
        } else if has(ReasonCode::RequiresPtxVersion, false) {
            "pair"
        } else if has(ReasonCode::RequiresPtxVersion, true) || has(ReasonCode::IllegalTargetOption, true) {
            "option"
        } else {
            "ok"
        };
        assert_eq!(ours, verdict, "{line}: {reasons:?}");
        *seen.entry(verdict).or_insert(0) += 1;
    }
    assert!(seen["ok"] >= 926 && seen["pair"] >= 500 && seen["version"] >= 500 && seen["option"] >= 20, "{seen:?}");
}

/// The words of an opcode in alphabetical order; the precision of sums, which an atom ignores, as the product has it.
fn as_set(mnemonic: &str, words: &[&str]) -> String {
    let ignored = |word: &str| mnemonic != "multimem" && word == "acc::f16";
    let mut words: Vec<&str> = words.iter().map(|word| if ignored(word) { "acc::f32" } else { word }).collect();
    words.sort_unstable();
    format!("{mnemonic} {}", words.join(" "))
}

/// Of the spellings that the assembler refused, what our fixes make of them is what it took.
#[test]
fn every_fix_gives_what_the_assembler_took() {
    let forms = recorded("forms.txt.gz");
    let classes = classes(&forms);
    let mut taken = HashMap::new();
    for class in &classes {
        for form in &class.forms {
            let parts: Vec<&str> = form.split('.').collect();
            taken.insert(as_set(parts[0], &parts[1..]), class);
        }
    }
    let text = recorded("variations.txt.gz");
    let pairs: HashSet<Module> = pairs().into_iter().collect();
    let mut count: HashMap<&str, usize> = HashMap::new();
    for line in text.lines().filter(|line| line.starts_with("illegal")) {
        let words: Vec<&str> = line.split(' ').collect();
        let (module, parts) = (module(words[1], words[2]), words[3].split('.').collect::<Vec<_>>());
        let Resolution::Illegal(reasons) = resolve(&Spelling { mnemonic: parts[0], modifiers: &parts[1..] }, &module)
        else {
            panic!("{line}");
        };
        for fix in &reasons[0].fixes {
            let (fixed, module) = (fix.apply(&parts[1..]), fix.apply_to_module(&module));
            if !pairs.contains(&module) {
                continue; // an assembler that takes both is not to be had
            }
            let class = taken.get(&as_set(parts[0], &fixed));
            let good = class.is_some_and(|class| {
                module.effective_version() >= Some(class.version)
                    && module.target.is_some_and(|target| class.targets.contains(&target))
            });
            assert!(good, "{line}: {fix:?} gives {fixed:?} in {module:?}");
            *count.entry(reasons[0].code.as_str()).or_insert(0) += 1;
        }
    }
    let most = [
        "unknown-modifier",
        "illegal-modifier",
        "illegal-type",
        "duplicate-modifier",
        "conflicting-modifiers",
        "missing-modifier",
        "requires-target",
        "requires-ptx-version",
    ];
    assert!(most.iter().all(|code| count.get(code).is_some_and(|n| *n >= 200)), "{count:?}");
    assert!(count.values().sum::<usize>() >= 15_000, "{count:?}");
}
