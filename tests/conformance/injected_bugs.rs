//! A silent rule is no rule: mistakes of each kind are put into modules that compilers made, and nine of ten at least are found, where they are.
//!
//! The modules are tests/.tools/corpus (`tests/corpus/generate.py`) and tests/fixtures/loops. Fixed seeds.

use diagnostics::registry::{RULES, rule};
use diagnostics::{Diagnostic, Preset, Settings, Severity, Snapshot};
use lints::Check;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use syntax::LintFile;

/// A generator of numbers that is the same on every machine.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) as usize % bound
    }

    fn of<'a, T>(&mut self, list: &'a [T]) -> &'a T {
        &list[self.below(list.len())]
    }
}

/// A module as lines, and its atomics.
struct Module {
    name: String,
    lines: Vec<String>,
    target: u32,
    atomics: Vec<Atomic>,
}

/// An atomic of a compiler's, alone in its line.
#[derive(Clone)]
struct Atomic {
    line: usize,
    /// The line before the opcode: blanks, and a guard.
    before: String,
    words: Vec<String>,
    operands: Vec<String>,
    /// Where the function begins that it stands in.
    function: usize,
}

impl Atomic {
    fn read(line: usize, text: &str, function: usize) -> Option<Self> {
        let code = text.trim_start();
        let start = if code.starts_with('@') { code.find(char::is_whitespace)? + 1 } else { 0 };
        let rest = code[start..].trim_start();
        let body = rest.strip_suffix(';')?;
        let (opcode, operands) = body.split_once(char::is_whitespace)?;
        let words: Vec<String> = opcode.split('.').map(str::to_owned).collect();
        // Operands of asynchronous reductions are not looked at.
        if !["atom", "red"].contains(&words[0].as_str()) || words[1] == "async" {
            return None;
        }
        let mut parts = vec![String::new()];
        let mut depth = 0;
        for c in operands.trim().chars() {
            depth += i32::from(c == '{') - i32::from(c == '}');
            match c {
                ',' if depth == 0 => parts.push(String::new()),
                _ => parts.last_mut().unwrap().push(c),
            }
        }
        let operands = parts.iter().map(|part| part.trim().to_owned()).collect();
        Some(Atomic { line, before: text[..text.len() - rest.len()].to_owned(), words, operands, function })
    }

    fn text(&self) -> String {
        format!("{}{} {};", self.before, self.words.join("."), self.operands.join(", "))
    }

    fn has(&self, word: &str) -> bool {
        self.words.iter().any(|other| other == word)
    }

    fn address(&self) -> usize {
        self.operands.iter().position(|operand| operand.starts_with('[')).unwrap_or(0)
    }

    /// The bytes of the access.
    fn size(&self) -> i64 {
        let ty = self.words.last().unwrap();
        let digits: String = ty.chars().skip_while(|c| !c.is_ascii_digit()).collect();
        let (bits, packed) = digits.split_once('x').unwrap_or((&digits, "1"));
        let lanes =
            ["v2", "v4", "v8"].iter().find(|vector| self.has(vector)).map_or(1, |vector| vector[1..].parse().unwrap());
        bits.parse::<i64>().unwrap_or(8) / 8 * packed.parse::<i64>().unwrap_or(1) * lanes
    }

    /// What it is with other words.
    fn with(&self, change: impl FnOnce(&mut Self)) -> Self {
        let mut other = self.clone();
        change(&mut other);
        other
    }
}

impl Module {
    fn read(name: String, text: &str) -> Self {
        let lines: Vec<String> = text.lines().map(str::to_owned).collect();
        let mut function = 0;
        let mut atomics = Vec::new();
        for (at, line) in lines.iter().enumerate() {
            if line.contains(".entry") || line.contains(".func") {
                function = at;
            }
            atomics.extend(Atomic::read(at, line, function));
        }
        let target = lines.iter().find_map(|line| line.strip_prefix(".target sm_"));
        let digits: String = target.unwrap_or("0").chars().take_while(char::is_ascii_digit).collect();
        Module { name, lines, target: digits.parse().unwrap(), atomics }
    }

    /// The text with some lines replaced, and the new number of the line that matters. A variable `seeded` of 16 bytes in global memory and one in
    /// shared memory, `seeded_s`, are there for whoever wants them.
    fn with(&self, at: usize, lines: &[String], interest: usize) -> Seed {
        let head = self.lines.iter().position(|line| line.starts_with(".address_size")).unwrap_or(0);
        let mut text = self.lines[..=head].to_vec();
        text.push(".global .align 16 .b8 seeded[16];".to_owned());
        text.push(".shared .align 16 .b8 seeded_s[16];".to_owned());
        text.extend_from_slice(&self.lines[head + 1..at]);
        let line = text.len() + interest + 1;
        text.extend_from_slice(lines);
        text.extend_from_slice(&self.lines[at + 1..]);
        Seed { text: text.join("\n") + "\n", line }
    }

    fn replace(&self, atomic: &Atomic, by: &Atomic) -> Seed {
        self.with(atomic.line, &[by.text()], 0)
    }

    /// Puts instructions before an atomic; the mistake is in one of them.
    fn before(&self, atomic: &Atomic, lines: &[&str], interest: usize) -> Seed {
        let mut lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
        lines.push(self.lines[atomic.line].clone());
        self.with(atomic.line, &lines, interest)
    }

    /// The function's text up to an atomic.
    fn function_before(&self, atomic: &Atomic) -> &[String] {
        &self.lines[atomic.function..atomic.line]
    }

    /// Whether an atomic's address surely is what a kernel's parameter holds.
    fn is_parameter(&self, atomic: &Atomic) -> bool {
        let before = self.function_before(atomic);
        let address = atomic.operands[atomic.address()].trim_matches(['[', ']']);
        let one = |what: String| before.iter().filter(|line| line.contains(&what)).count() == 1;
        let kernel = before.first().is_some_and(|line| line.contains(".entry"));
        let converted = before.iter().find_map(|line| {
            line.trim()
                .strip_prefix("cvta.to.global.u64")?
                .trim()
                .trim_end_matches(';')
                .strip_prefix(address)?
                .strip_prefix(", ")
        });
        kernel && converted.is_some_and(|from| one(format!(".u64 \t{from}, [")) && one(format!("u64 \t{address}, ")))
    }
}

/// A module with a mistake in it.
struct Seed {
    text: String,
    /// From 1.
    line: usize,
}

fn findings(text: &str, preset: Preset) -> Vec<(usize, Diagnostic)> {
    let settings = Settings { preset: Some(preset), ..Settings::default() };
    let snapshot = Snapshot::new(LintFile::parse(text), settings);
    let place = |finding: Diagnostic| (snapshot.file.position(finding.range.start).line + 1, finding);
    snapshot.diagnostics().into_iter().map(place).collect()
}

/// Makes the mistake that a rule is about, at an atomic; `None` where it cannot be made there.
fn seed(code: &str, module: &Module, a: &Atomic, numbers: &mut Numbers) -> Option<Seed> {
    let at = a.address();
    let ty = a.words.last()?.clone();
    let address = a.operands[at].clone();
    let base = address.trim_matches(['[', ']']).split('+').next()?.to_owned();
    let global = a.has("global");
    let scalar = !a.has("v2") && !a.has("v4") && !a.has("v8");
    let ordered = ["acquire", "release", "acq_rel"].iter().find(|sem| a.has(sem));
    let insert = |lines: &[&str], interest| Some(module.before(a, lines, interest));
    match code {
        "misaligned-offset" => {
            let offset = 1 + numbers.below(a.size().max(2) as usize - 1) as i64 + a.size() * numbers.below(3) as i64;
            (a.size() > 1 && !address.contains('+'))
                .then(|| module.replace(a, &a.with(|a| a.operands[at] = format!("[{base}+{offset}]"))))
        }
        "offset-outside" => {
            let offset = *numbers.of(&[16, 32, -16, 1024]);
            global.then(|| module.replace(a, &a.with(|a| a.operands[at] = format!("[seeded+{offset}]"))))
        }
        "truncated-immediate" => {
            let large = numbers.of(&["0x1ffffffff", "4294967296", "-3000000000", "0xffffffffff"]);
            let fits = scalar && ["u32", "s32", "b32"].contains(&ty.as_str());
            fits.then(|| module.replace(a, &a.with(|a| a.operands[at + 1] = (*large).to_owned())))
        }
        "address-space" => {
            let before = module.function_before(a);
            let cvta = before
                .iter()
                .rposition(|line| line.contains("cvta.to.global") && line.contains(&format!("{base},")))?;
            let line = a.function + cvta;
            let space = numbers.of(&["cvta.to.shared", "cvta.to.const", "cvta.to.local"]);
            let text = module.lines[line].replace("cvta.to.global", space);
            let mut seed = module.with(line, &[text], 0);
            seed.line += a.line - line;
            global.then_some(seed)
        }
        "unused-result" => {
            let register = match ty.as_str() {
                "f32" => "f32",
                "f64" => "f64",
                "u64" | "s64" | "b64" => "b64",
                "u32" | "s32" | "b32" | "f16x2" | "bf16x2" => "b32",
                _ => return None,
            };
            let by = a.with(|a| {
                a.words[0] = "atom".to_owned();
                a.operands.insert(0, "seeded_r".to_owned());
            });
            (a.words[0] == "red" && scalar)
                .then(|| module.with(a.line, &[format!(".reg .{register} seeded_r;"), by.text()], 1))
        }
        "generic-red" => {
            let known =
                module.function_before(a).iter().any(|line| line.contains(&format!("cvta.to.global.u64 \t{base},")));
            let by = a.with(|a| {
                a.words.retain(|word| word != "global");
                if a.words[0] == "atom" {
                    a.words[0] = "red".to_owned();
                    a.operands.remove(0);
                }
            });
            (global && known).then(|| module.replace(a, &by))
        }
        "hidden-loop" => {
            let line = format!("red.global.add.noftz.f16 {address}, seeded_h;");
            let known = module.target >= 70 && global;
            known.then(|| insert(&[".reg .b16 seeded_h;", "mov.b16 seeded_h, 0;", &line], 2)).flatten()
        }
        "emulated-atomic" => {
            let line = numbers.of(&[
                "red.shared.add.f32 [seeded_s], 0f3F800000;",
                "red.shared.add.u64 [seeded_s], 1;",
                "red.shared.max.s64 [seeded_s], 2;",
            ]);
            global.then(|| insert(&[line], 0)).flatten()
        }
        "flushed-subnormals" | "unordered-sum" => global
            .then(|| insert(&[".reg .f32 seeded_f;", &format!("red.global.add.f32 {address}, seeded_f;")], 1))
            .flatten(),
        "narrow-scope" => {
            let known = module.target >= 60 && global;
            if known && !a.has("gpu") && !a.has("sys") && !a.has("cta") && module.is_parameter(a) {
                let place = 1 + usize::from(ordered.is_some() || a.has("relaxed"));
                return Some(module.replace(a, &a.with(|a| a.words.insert(place, "cta".to_owned()))));
            }
            known.then(|| insert(&["atom.cta.global.inc.u32 seeded_r, [seeded+4], 7;"], 0)).flatten().map(|mut seed| {
                seed.text = seed.text.replacen(
                    "atom.cta.global.inc.u32 seeded_r,",
                    ".reg .b32 seeded_r; atom.cta.global.inc.u32 seeded_r,",
                    1,
                );
                seed
            })
        }
        "mixed-scopes" => {
            let sys = ["ld.relaxed.sys.global.u32 seeded_r, ", "atom.sys.global.or.b32 seeded_r, "];
            let other = format!("{}{address};", numbers.of(&sys[..1]));
            let own = a.words[0] == "atom"
                && a.size() == 4
                && global
                && module.is_parameter(a)
                && !a.has("sys")
                && !a.has("cta");
            (own && module.target >= 70).then(|| insert(&[".reg .b32 seeded_r;", &other], 2)).flatten()
        }
        "multimem-address" => {
            let new = module.target >= 90
                && global
                && module.lines.iter().any(|line| line.starts_with(".version 8.") || line.starts_with(".version 9."));
            new.then(|| insert(&[&format!("multimem.red.relaxed.sys.global.add.u32 [{base}], 1;")], 1)).flatten()
        }
        "torn-access" => {
            let lines = [".reg .b32 seeded_r; .reg .pred seeded_p;", "mov.b32 seeded_r, 0;"];
            let add = format!("atom.global.add.noftz.f16x2 seeded_r, {address}, seeded_r;");
            let test = "setp.eq.s32 seeded_p, seeded_r, 0;";
            (module.target >= 60 && global).then(|| insert(&[lines[0], lines[1], &add, test], 2)).flatten()
        }
        "one-sided-order" => {
            let bare = !["gpu", "sys", "cta", "cluster", "relaxed"].iter().any(|word| a.has(word)) && ordered.is_none();
            let sem = if a.words[0] == "red" { "release.gpu" } else { *numbers.of(&["acquire.gpu", "release.gpu"]) };
            let mut seed = module.replace(a, &a.with(|a| a.words.insert(1, "seeded".to_owned())));
            for order in [".acq_rel", ".acquire", ".release"] {
                seed.text = seed.text.replace(order, ".relaxed");
            }
            seed.text =
                seed.text.replace("membar.", "// ").replace("fence.", "// ").replace(".seeded", &format!(".{sem}"));
            (bare && module.target >= 70).then_some(seed)
        }
        "doubled-fence" => {
            let scope = ["cta", "gpu", "sys"].into_iter().find(|scope| a.has(scope))?;
            let fence = format!("fence.acq_rel.{scope};");
            match *ordered? {
                "acquire" => Some(module.with(a.line, &[a.text(), fence], 1)),
                _ => insert(&[&fence], 0),
            }
        }
        "unguarded-store" => {
            let shared = (a.has("shared") && !address.contains('%'))
                .then(|| insert(&[&format!("st.shared.u32 {address}, 0;")], 0))
                .flatten();
            let own = || insert(&["st.shared.u32 [seeded_s], 0;", "red.shared.add.u32 [seeded_s], 1;"], 0);
            (module.target < 70).then(|| shared.or_else(own)).flatten()
        }
        "duplicate-lane" => {
            let list = a.operands.first().filter(|first| a.words[0] == "atom" && first.starts_with('{'))?;
            let lanes: Vec<&str> = list.trim_matches(['{', '}']).split(',').map(str::trim).collect();
            let (from, to) = (numbers.below(lanes.len() - 1), lanes.len() - 1);
            let mut doubled = lanes.clone();
            doubled[to] = lanes[from];
            Some(module.replace(a, &a.with(|a| a.operands[0] = format!("{{{}}}", doubled.join(", ")))))
        }
        "dead-atomic" => match numbers.below(3) {
            0 => insert(
                &[".reg .pred seeded_p;", "setp.ne.s32 seeded_p, 1, 1;", "@seeded_p red.global.add.u32 [seeded], 1;"],
                2,
            ),
            1 => insert(
                &[".reg .pred seeded_p;", "mov.pred seeded_p, 1;", "@!seeded_p red.global.add.u32 [seeded], 1;"],
                2,
            ),
            _ => insert(&["bra seeded_l;", "red.global.add.u32 [seeded], 1;", "seeded_l:"], 1),
        },
        "implicit-scope" => {
            let bare = !["gpu", "sys", "cta", "cluster"].iter().any(|word| a.has(word));
            (bare && module.target >= 60).then(|| module.with(a.line, &[a.text()], 0))
        }
        "implicit-cta" => (module.target >= 30).then(|| insert(&["red.shared.add.u32 [seeded_s], 1;"], 0)).flatten(),
        "deprecated-membar" => {
            let line = *numbers.of(&["membar.gl;", "membar.sys;", "membar.cta;"]);
            (module.target >= 70).then(|| insert(&[line], 0)).flatten()
        }
        "volatile-access" => {
            let line = format!("ld.volatile.global.u32 seeded_r, {address};");
            (module.target >= 70 && global).then(|| insert(&[".reg .b32 seeded_r;", &line], 1)).flatten()
        }
        "assembler-crash" => {
            let line = format!("atom.global.add.v2.f32 seeded_v, {address}, seeded_v;");
            (module.target >= 90 && global).then(|| insert(&[".reg .v2 .f32 seeded_v;", &line], 1)).flatten()
        }
        "modifier-order" => {
            let last = a.words.len() - 1;
            (last > 2 && scalar).then(|| module.replace(a, &a.with(|a| a.words.swap(last, last - 1))))
        }
        _ => None,
    }
}

/// Rules on legality have tests of their own, and those on loops the test below.
fn seeded_rules() -> Vec<&'static str> {
    let others = [
        "evaluation-mismatch",
        "evaluation-unreadable",
        "handmade-atomic",
        "narrow-address",
        "unordered-lock",
        "unknown-to-toolkit",
        "unreadable-suppression",
        "unused-suppression",
    ];
    // What `asm` statements promise their compiler is not to be seen in PTX.
    let here = |code: &str| !others.contains(&code) && !code.starts_with("asm-");
    RULES.iter().filter(|rule| rule.severity != Severity::Error && here(rule.code)).map(|rule| rule.code).collect()
}

fn modules() -> Vec<Module> {
    let folder = support::root().join("tests/.tools/corpus");
    let entries =
        fs::read_dir(&folder).unwrap_or_else(|e| panic!("{}: {e}: run tests/corpus/generate.py", folder.display()));
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| {
        path.extension().is_some_and(|e| e == "ptx") && fs::metadata(path).is_ok_and(|about| about.len() < 60_000)
    });
    paths.sort();
    let read = |path: &std::path::PathBuf| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Module::read(name, &String::from_utf8_lossy(&fs::read(path).expect("readable")))
    };
    paths.iter().map(read).filter(|module| !module.atomics.is_empty() && module.target > 0).collect()
}

#[test]
fn nine_of_ten_mistakes_of_each_kind_are_found() {
    let modules = modules();
    assert!(modules.len() >= 50, "{} modules with atomics", modules.len());
    let wanted = if support::full() { 200 } else { 40 };
    let mut told = String::new();
    let mut silent = Vec::new();
    for code in seeded_rules() {
        let preset = rule(code).expect("registered").preset;
        let mut numbers = Numbers(code.len() as u64 * 1000 + 7);
        let (mut seeded, mut found, mut missed, mut places) = (0, 0, Vec::new(), BTreeSet::new());
        for _ in 0..20_000 {
            let module = numbers.of(&modules);
            let atomic = numbers.of(&module.atomics);
            if seeded == wanted {
                break;
            }
            let Some(seed) = seed(code, module, atomic, &mut numbers) else { continue };
            let findings = findings(&seed.text, preset);
            // A mistake of another kind is none of this one.
            if findings.iter().any(|(_, finding)| finding.severity == Severity::Error) {
                continue;
            }
            seeded += 1;
            places.insert(&module.name);
            match findings.iter().any(|(line, finding)| finding.code() == code && *line == seed.line) {
                true => found += 1,
                false => missed.push(format!(
                    "{}: {}",
                    module.name,
                    seed.text.lines().nth(seed.line - 1).unwrap_or_default()
                )),
            }
        }
        told += &format!("{code}: {found} of {seeded} in {} modules\n", places.len());
        if seeded < 20 || found * 10 < seeded * 9 {
            missed.truncate(5);
            silent.push(format!("{code}: {found} of {seeded} found; missed {missed:#?}"));
        }
    }
    println!("{told}");
    assert!(silent.is_empty(), "{}", silent.join("\n"));
}

/// The findings of a code by the kernel that they are in, in the modules of tests/fixtures/loops.
fn by_kernel(code: &str) -> BTreeMap<(String, String), usize> {
    let mut counts = BTreeMap::new();
    for target in ["sm_60", "sm_90"] {
        let path = support::root().join(format!("tests/fixtures/loops/{target}.ptx"));
        let text = fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
        let mut kernel = String::new();
        let findings = findings(&text, Preset::All);
        for (at, line) in text.lines().enumerate() {
            if let Some((_, name)) = line.split_once(".entry _Z") {
                kernel = name.trim_start_matches(|c: char| c.is_ascii_digit()).to_owned();
                counts.insert((kernel.clone(), target.to_owned()), 0);
            }
            let found = findings.iter().filter(|(place, finding)| *place == at + 1 && finding.code() == code).count();
            if found > 0 {
                *counts.get_mut(&(kernel.clone(), target.to_owned())).expect("in a kernel") += found;
            }
        }
    }
    counts
}

#[test]
fn loops_that_compute_what_one_atomic_does_are_found_and_others_are_not() {
    for ((kernel, target), found) in by_kernel("handmade-atomic") {
        assert_eq!(found, usize::from(kernel.starts_with("hand_")), "{kernel} for {target}");
    }
}

#[test]
fn locks_that_order_nothing_are_found_and_others_are_not() {
    let counts = by_kernel("unordered-lock");
    assert!(counts.len() >= 40, "{counts:?}");
    for ((kernel, target), found) in counts {
        let expected = if kernel.starts_with("bad_") { 2 } else { 0 };
        assert_eq!(found, expected, "{kernel} for {target}: where it is taken and where it is given back");
    }
}
