//! Findings of a text that changes: only the items that an edit touched are checked again.
//!
//! What is kept of an item holds as long as the item itself, the module's names and its target do. Must not know rules.

use crate::allow::{self, Suppressed};
use crate::features::evaluation;
use crate::rules::{Checked, Pass, Piece, Quiet};
use crate::targets;
use crate::{Finding, Settings, Snapshot, litmus, words};
use foldhash::fast::FixedState;
use std::collections::{BTreeSet, HashMap};
use std::hash::{BuildHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use syntax::{Comment, Declaration, Item, Rope, SourceFile};

/// Checks snapshots of one document, one after the other.
#[derive(Debug, Default)]
pub struct Checker {
    /// The file that the kept items belong to; as long as it lives, no other item gets one of their numbers.
    file: Option<SourceFile>,
    kept: HashMap<usize, Kept>,
    /// What is known of pieces of the items that were checked last, and what it depends on beside their text, in short.
    quiet: (u64, HashMap<u64, Piece>),
    /// For the further targets, each its own.
    others: Vec<Checker>,
    /// What is known of texts that lie in another one, by a digest of the text and of what it is checked for.
    pub(crate) embedded: HashMap<u64, Arc<[Finding]>>,
}

/// What is known of an item.
#[derive(Clone, Debug)]
struct Kept {
    /// The names that it declares, in short.
    declared: u64,
    /// The words that these names are in a text, in short.
    names: Box<[u64]>,
    /// Whether it may hold a word to us.
    marked: bool,
    /// Whether it may hold a part of a litmus test.
    litmus: bool,
    /// What its findings depend on beside its own text, in short, and the findings.
    found: Option<(u64, Arc<Found>)>,
}

/// Which words to us there may be in a text at all: one search through all of it instead of one in each item.
#[derive(Clone, Copy)]
struct Words {
    allow: bool,
    litmus: bool,
    evaluation: bool,
}

impl Words {
    const ALL: Words = Words { allow: true, litmus: true, evaluation: true };

    fn of(file: &SourceFile) -> Self {
        let holds = |word| file.is_addressed() && file.holds(0..file.text().len_bytes(), word);
        Words { allow: holds(allow::MARK), litmus: holds(litmus::MARK), evaluation: holds(evaluation::MARK) }
    }
}

#[derive(Debug)]
struct Found {
    checked: Checked,
    findings: Vec<Anchored>,
}

/// A finding whose ranges count from the starts of the items that they lie in.
#[derive(Clone, Debug)]
struct Anchored {
    finding: Finding,
    /// The item of each range, in the order of [`ranges`].
    items: Vec<usize>,
}

/// Of more items than an edit touches it is not worth its memory to remember pieces.
const FEW: usize = 8;

impl Checker {
    /// All findings of a snapshot, ordered by position, then code; `None` as soon as nobody waits for them any more.
    pub fn check(&mut self, snapshot: &Snapshot, cancelled: &dyn Fn() -> bool) -> Option<Vec<Finding>> {
        self.judge(snapshot, cancelled).map(|(findings, _)| findings)
    }

    /// The same, and beside them those that comments accept.
    pub(crate) fn judge(
        &mut self,
        snapshot: &Snapshot,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<(Vec<Finding>, Vec<Suppressed>)> {
        let settings = &snapshot.settings;
        let mut findings = self.check_one(snapshot, cancelled)?;
        if !settings.also.is_empty() {
            self.others.resize_with(settings.also.len(), Checker::default);
            let mut lists = vec![findings];
            for (checker, target) in self.others.iter_mut().zip(&settings.also) {
                let settings = Settings { target: Some(*target), also: Vec::new(), ..settings.clone() };
                lists.push(checker.check_one(&Snapshot::new(snapshot.file.clone(), settings), cancelled)?);
            }
            let names: Vec<&str> = settings.target.iter().chain(&settings.also).map(|target| target.name()).collect();
            findings = targets::merge(&names, lists);
        }
        let items = snapshot.file.module_items();
        let marked = |item: &Item| self.kept.get(&item.id()).is_some_and(|kept| kept.marked);
        let comments = snapshot.file.comments(&items, allow::MARK, marked);
        Some(judged(snapshot.file.text(), &comments, settings, findings))
    }

    /// What the rules find for one target, in no order.
    pub(crate) fn check_one(&mut self, snapshot: &Snapshot, cancelled: &dyn Fn() -> bool) -> Option<Vec<Finding>> {
        let items = snapshot.file.module_items();
        let settings = &snapshot.settings;
        let places = Places::new(&items);
        let mut findings = Vec::new();
        let mut pass = Pass::new(snapshot, &mut findings);
        let mut fresh: HashMap<usize, Kept> = HashMap::with_capacity(items.len());
        let mut module = FixedState::default().build_hasher();
        pass.context.module.hash(&mut module);
        pass.context.header.address_size.as_ref().map(|size| &*size.text).hash(&mut module);
        let mut known = std::mem::take(&mut self.kept);
        let words = if known.is_empty() { Words::of(&snapshot.file) } else { Words::ALL };
        pass.evaluates = words.evaluation;
        for item in &items {
            let kept = known.remove(&item.id()).unwrap_or_else(|| Kept::new(snapshot, item, words));
            kept.declared.hash(&mut module);
            fresh.insert(item.id(), kept);
        }
        let module = module.finish();
        self.file = Some(snapshot.file.clone());

        let mut stale = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let key = key(module, item, pass.unreadable);
            let known = fresh[&item.id()].found.as_ref().filter(|(known, _)| *known == key);
            match known.and_then(|(_, found)| places.restore(&found.findings, settings)) {
                Some(mut restored) => findings.append(&mut restored),
                None => stale.push((at, key)),
            }
        }
        let pieces = if self.quiet.0 == module { self.quiet.1.clone() } else { HashMap::new() };
        let mut quiet = Quiet::new(pieces, stale.len() <= FEW);
        let mut declared = Declared::new(&items, &fresh, stale.len() < items.len());
        for (at, key) in stale {
            let item = &items[at];
            let mut own = Vec::new();
            let checked = match cancelled() {
                true => None,
                false => declared.check(&mut pass, &fresh[&item.id()], at, cancelled, &mut quiet, &mut own),
            };
            let Some(checked) = checked else {
                self.kept = fresh;
                return None;
            };
            let anchored = own.iter().map(|finding| places.anchor(finding)).collect();
            let kept = fresh.get_mut(&item.id()).expect("every item was taken up");
            kept.found = Some((key, Arc::new(Found { checked, findings: anchored })));
            findings.append(&mut own);
        }
        let checked = |item: &Item| Some((item.range().start, &fresh.get(&item.id())?.found.as_ref()?.1.checked));
        let litmus = fresh.values().any(|kept| kept.litmus);
        pass.finish(&items.iter().filter_map(checked).collect::<Vec<_>>(), litmus, &mut findings);
        self.kept = fresh;
        self.quiet = (module, quiet.found());
        Some(findings)
    }
}

/// What is left of findings once the settings and the comments in a text have had their say, and what the comments accept.
pub(crate) fn judged(
    text: &Rope,
    comments: &[Comment],
    settings: &Settings,
    mut findings: Vec<Finding>,
) -> (Vec<Finding>, Vec<Suppressed>) {
    findings.retain(|finding| settings.shows(finding.code));
    let mut suppressed = allow::apply(text, comments, settings, &mut findings);
    let severity = |finding: &mut Finding| match settings.severity(finding.code) {
        Some(severity) => {
            finding.severity = severity;
            true
        }
        None => false,
    };
    findings.retain_mut(severity);
    suppressed.retain_mut(|suppressed| severity(&mut suppressed.finding));
    findings.sort_by(Finding::order);
    (findings, suppressed)
}

/// What an item's findings depend on beside its own text: the module, and where before it names may have been lost.
fn key(module: u64, item: &Item, unreadable: usize) -> u64 {
    let range = item.range();
    FixedState::default().hash_one((module, unreadable.clamp(range.start, range.end) - range.start))
}

impl Kept {
    fn new(snapshot: &Snapshot, item: &Item, words: Words) -> Self {
        let declarations = item.declarations();
        Kept {
            declared: declared(&declarations),
            names: declarations.iter().map(|declaration| words::digest(&declaration.name.text)).collect(),
            marked: words.allow && snapshot.file.holds(item.range(), allow::MARK),
            litmus: words.litmus && snapshot.file.holds(item.range(), litmus::MARK),
            found: None,
        }
    }
}

fn declared(declarations: &[Declaration]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    for name in declarations {
        (name.kind as u8, &name.name.text, name.count, &name.space.text, &name.ty.text, &name.vector.text, name.array)
            .hash(&mut hasher);
        (name.elements, name.alignment).hash(&mut hasher);
    }
    hasher.finish()
}

/// The names of the module that are declared before an item, taken up no sooner than they matter.
struct Declared<'i, 'a> {
    items: &'i [Item<'a>],
    /// The items that declare a name, by its digest; empty where all names are taken up.
    by_name: HashMap<u64, Vec<usize>>,
    /// Before which item all names are taken up.
    up_to: usize,
    choosy: bool,
}

impl<'i, 'a> Declared<'i, 'a> {
    /// `choosy` where most of the items are not to be checked.
    fn new(items: &'i [Item<'a>], kept: &HashMap<usize, Kept>, choosy: bool) -> Self {
        let mut by_name: HashMap<u64, Vec<usize>> = HashMap::new();
        if choosy {
            for (at, item) in items.iter().enumerate() {
                kept[&item.id()].names.iter().for_each(|name| by_name.entry(*name).or_default().push(at));
            }
        }
        Declared { items, by_name, up_to: 0, choosy }
    }

    /// Checks an item; `None` as soon as nobody waits any more.
    fn check(
        &mut self,
        pass: &mut Pass<'a>,
        kept: &Kept,
        at: usize,
        cancelled: &dyn Fn() -> bool,
        quiet: &mut Quiet,
        found: &mut Vec<Finding>,
    ) -> Option<Checked> {
        let item = &self.items[at];
        if self.choosy {
            self.declare(pass, at, &kept.names);
            // Most items have no atomic, and only the operands of atomics are looked up.
            let checked = pass.check(item, cancelled, quiet, found)?;
            if !checked.has_atomic {
                return Some(checked);
            }
            found.clear();
            self.declare(pass, at, &words::of(pass.text(), item.range()));
            let checked = pass.check(item, cancelled, quiet, found)?;
            // What is said of a name that means nothing may speak of any other.
            if found.iter().all(|finding| finding.code != "unknown-name") {
                return Some(checked);
            }
            found.clear();
        }
        self.items[self.up_to..at].iter().for_each(|before| pass.declare(before));
        self.up_to = at;
        pass.check(item, cancelled, quiet, found)
    }

    /// Takes up those items before one that declare one of some names.
    fn declare<'n>(&self, pass: &mut Pass<'a>, at: usize, names: impl IntoIterator<Item = &'n u64>) {
        let items = names.into_iter().filter_map(|name| self.by_name.get(name)).flatten();
        let before: BTreeSet<usize> = items.copied().filter(|item| *item < at).collect();
        before.into_iter().for_each(|item| pass.declare(&self.items[item]));
    }
}

/// Where the items of a text begin.
struct Places {
    /// Starts and numbers, in the order of the text.
    starts: Vec<(usize, usize)>,
    of: HashMap<usize, usize>,
}

impl Places {
    fn new(items: &[Item]) -> Self {
        let starts: Vec<_> = items.iter().map(|item| (item.range().start, item.id())).collect();
        let of = starts.iter().map(|(start, id)| (*id, *start)).collect();
        Places { starts, of }
    }

    fn anchor(&self, finding: &Finding) -> Anchored {
        let mut finding = finding.clone();
        let mut items = Vec::new();
        ranges(&mut finding, |range| {
            let at = self.starts.partition_point(|(start, _)| *start <= range.start).saturating_sub(1);
            let (start, id) = self.starts.get(at).copied().unwrap_or_default();
            items.push(id);
            let base = start.min(range.start);
            *range = range.start - base..range.end - base;
            true
        });
        Anchored { finding, items }
    }

    /// The findings that are shown, at their places now; `None` where one speaks of an item that is no more.
    fn restore(&self, findings: &[Anchored], settings: &Settings) -> Option<Vec<Finding>> {
        findings
            .iter()
            .filter(|anchored| settings.shows(anchored.finding.code))
            .map(|anchored| {
                let mut finding = anchored.finding.clone();
                let mut items = anchored.items.iter();
                let all = ranges(&mut finding, |range| match items.next().and_then(|id| self.of.get(id)) {
                    Some(start) => {
                        *range = range.start + start..range.end + start;
                        true
                    }
                    None => false,
                });
                all.then_some(finding)
            })
            .collect()
    }
}

/// Shows every range of a finding, in a fixed order, until one is refused.
fn ranges(finding: &mut Finding, mut see: impl FnMut(&mut Range<usize>) -> bool) -> bool {
    see(&mut finding.range)
        && finding.related.iter_mut().all(|related| see(&mut related.range))
        && finding.fixes.iter_mut().flat_map(|fix| &mut fix.edits).all(|edit| see(&mut edit.range))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Preset, Settings};

    /// Modules with findings in every rule's reach: wrong modifiers, operands, names, syntax, evaluations, head.
    const TEXTS: [&str; 4] = [
        ".version 8.0\n.target sm_90\n.visible .global .b32 g;\n.entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 a;\n\tld.param.u64 a, [p];\n\tred.gpu.global.add.u32 [g], 1;\n\tred.release.gpu.global.add.u32 [a+2], 1;\n\tret;\n}\n.func f()\n{\n\t.reg .b32 r;\n\tld.relaxed.sys.global.u32 r, [g];\n\tred.cta.global.add.u32 [g+4], 1;\n\tmembar.gl;\n}\n.entry k2(.param .u64 p)\n{\n\t.reg .b64 a;\n\tld.param.u64 a, [p];\n\tred.gpu.global.add.u32 [a], 1;\n\tred.sys.global.add.u32 [a], 1;\n\tfence.acq_rel.gpu;\n}\n",
        ".version 8.0\n.target sm_80\n.global .b32 g;\n.entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 a;\n\tatom.global.or.u32 %r1, [a], 1;\n\tred.shared.add.u32 [g], 1;\n\tret;\n}\n// between\n.func f()\n{\n\t.reg .b64 a;\n\tred.global.add.noftz.bf16x2 [a], %r9; //= [a]=1\n\tred.global.add.u32 [a-4], 1;\n}\n.entry k2()\n{\n\t.reg .b64 a;\n\tred.add.u32 [a], 3; //= [a]=1 -> [a]=5\n\tred.add.u32 [h], 3;\n}\n.global .b32 h;\n",
        "// no head\n.entry k() { .reg .b32 r; .reg .f32 f; red.add.f32 [r], f; red.add.f32 [r], f, f; }\n.entry l() { atom.add.u32 r, [r]; }\n",
        ".version 9.5\n.target sm_70\n",
    ];
    const PIECES: [&str; 14] = [
        "",
        " ",
        "\n",
        ";",
        "}",
        "{",
        "/*",
        "*/",
        ".u32",
        "atom.global.add.u32 %r1, [a], 1;",
        ".target sm_90\n",
        ".global .b32 g;\n",
        "%r1",
        "8",
    ];

    /// A generator of numbers that is the same on every machine.
    struct Numbers(u64);

    impl Numbers {
        fn below(&mut self, bound: usize) -> usize {
            self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (self.0 >> 33) as usize % bound
        }
    }

    #[test]
    fn what_is_kept_is_what_a_fresh_check_finds() {
        let mut numbers = Numbers(7);
        let mut reused = 0;
        // Short texts with an error are parsed afresh after an edit, so that nothing of them is kept; functions behind them
        // make them long.
        let function = |n| format!(".func f{n}()\n{{\n\t.reg .b32 r; // {}\n\tadd.u32 r, r, 1;\n}}\n", "-".repeat(200));
        let padding: String = (0..280).map(function).collect();
        for text in TEXTS {
            for round in 0..16 {
                let mut checker = Checker::default();
                let padding = if round % 2 == 0 { "" } else { &padding };
                let mut file = SourceFile::parse(&format!("{text}{padding}"));
                for _ in 0..30 {
                    let length = file.text().len_bytes() - padding.len();
                    let start = numbers.below(length + 1);
                    let end = (start + [0, 0, 1, 5][numbers.below(4)]).min(length);
                    file.edit(start..end, PIECES[numbers.below(PIECES.len())]);
                    let settings = Settings { preset: Some(Preset::All), ..Settings::default() };
                    let snapshot = Snapshot::new(file.clone(), settings);
                    reused += file.module_items().iter().filter(|item| checker.kept.contains_key(&item.id())).count();
                    assert_eq!(checker.check(&snapshot, &|| false), Some(snapshot.findings()), "{}", file.text());
                }
            }
        }
        assert!(reused > 20_000, "{reused} items were reused");
    }

    #[test]
    fn pieces_of_a_function_that_an_edit_leaves_alone_are_passed_over_and_found_the_same() {
        const STATEMENTS: [&str; 10] = [
            "add.u32 %r1, %r1, 1;",
            "ld.relaxed.gpu.u32 %r2, [a];",
            "fence.acq_rel.gpu;",
            "membar.gl;",
            "st.volatile.u32 [a], %r2;",
            "red.release.gpu.global.add.u32 [a], %r1;",
            "atom.global.or.u32 %r1, [a+2], 1;",
            "atom.global.add.f32 %r1, [a], %r2;",
            "{ .reg .f32 %r1; In: red.global.add.f32 [a], %r1; }",
            "{ add.u32 %r1, %r2, 1; }",
        ];
        let mut numbers = Numbers(11);
        let lines: String =
            (0..60).map(|n| format!("L{n}:\n\tadd.u32 %r2, %r1, {n};\n\tcvta.to.global.u64 a, a;\n")).collect();
        let head = ".version 8.0\n.target sm_90\n.entry k(.param .u64 p)\n{\n\t.reg .b32 %r<4>;\n\t.reg .b64 a;\n\tld.param.u64 a, [p];\n";
        let mut file = SourceFile::parse(&format!("{head}{lines}\tret;\n}}\n"));
        let (mut checker, mut passed) = (Checker::default(), 0);
        for round in 0..300 {
            let text = file.text().to_string();
            let label = text.find(&format!("L{}:", numbers.below(60))).expect("a label") + 4;
            let (start, end) = (label + text[label..].find('\t').unwrap(), label + text[label..].find('\n').unwrap());
            file.edit(start..end.max(start), STATEMENTS[numbers.below(STATEMENTS.len())]);
            let target = isa::target::Target::parse(if round % 50 < 40 { "sm_90" } else { "sm_60" });
            let settings = Settings { preset: Some(Preset::All), target, ..Settings::default() };
            let snapshot = Snapshot::new(file.clone(), settings);
            let before: BTreeSet<u64> = checker.quiet.1.keys().copied().collect();
            assert_eq!(checker.check(&snapshot, &|| false), Some(snapshot.findings()), "{}", file.text());
            passed += checker.quiet.1.keys().filter(|id| before.contains(id)).count();
        }
        assert!(passed > 3000, "{passed} pieces were passed over");
    }

    #[test]
    fn an_abandoned_check_says_nothing_and_spoils_nothing() {
        let mut checker = Checker::default();
        let snapshot = Snapshot::new(SourceFile::parse(TEXTS[0]), Settings::default());
        assert_eq!(checker.check(&snapshot, &|| true), None);
        assert_eq!(checker.check(&snapshot, &|| false), Some(snapshot.findings()));
        assert_eq!(checker.check(&snapshot, &|| true), Some(snapshot.findings()), "nothing was left to check");
    }
}
