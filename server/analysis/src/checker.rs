//! Findings of a text that changes: only the items that an edit touched are checked again.
//!
//! What is kept of an item holds as long as the item itself, the module's names and its target do. Must not know rules.

use crate::allow::{self, Suppressed};
use crate::rules::{Checked, Pass};
use crate::targets;
use crate::{Finding, Settings, Snapshot};
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::Range;
use std::sync::Arc;
use syntax::{Comment, Item, Rope, SourceFile};

/// Checks snapshots of one document, one after the other.
#[derive(Debug, Default)]
pub struct Checker {
    /// The file that the kept items belong to; as long as it lives, no other item gets one of their numbers.
    file: Option<SourceFile>,
    kept: HashMap<usize, Kept>,
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
    /// Whether it may hold a word to us.
    marked: bool,
    /// What its findings depend on beside its own text, in short, and the findings.
    found: Option<(u64, Arc<Found>)>,
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
        let places = Places::new(&items);
        let mut findings = Vec::new();
        let mut pass = Pass::new(snapshot, &mut findings);
        let mut fresh: HashMap<usize, Kept> = HashMap::with_capacity(items.len());
        let mut module = DefaultHasher::new();
        pass.context.module.hash(&mut module);
        pass.context.header.address_size.as_ref().map(|size| &*size.text).hash(&mut module);
        for item in &items {
            let kept = self.kept.get(&item.id()).cloned().unwrap_or_else(|| Kept {
                declared: declared(item),
                marked: snapshot.file.holds(item.range(), allow::MARK),
                found: None,
            });
            kept.declared.hash(&mut module);
            fresh.insert(item.id(), kept);
        }
        let module = module.finish();

        let mut declared_up_to = 0;
        for (at, item) in items.iter().enumerate() {
            let key = key(module, item, pass.unreadable);
            let kept = fresh.get_mut(&item.id()).expect("every item was taken up");
            if let Some((known, found)) = &kept.found
                && *known == key
                && let Some(mut restored) = places.restore(&found.findings)
            {
                findings.append(&mut restored);
                continue;
            }
            if cancelled() {
                return None;
            }
            items[declared_up_to..at].iter().for_each(|before| pass.declare(before));
            declared_up_to = at + 1;
            let mut own = Vec::new();
            let checked = pass.check(item, cancelled, &mut own)?;
            let anchored = own.iter().map(|finding| places.anchor(finding)).collect();
            kept.found = Some((key, Arc::new(Found { checked, findings: anchored })));
            findings.append(&mut own);
        }
        let checked = |item: &Item| Some((item.range().start, &fresh.get(&item.id())?.found.as_ref()?.1.checked));
        pass.finish(&items.iter().filter_map(checked).collect::<Vec<_>>(), &mut findings);
        self.kept = fresh;
        self.file = Some(snapshot.file.clone());
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
    let mut hasher = DefaultHasher::new();
    (module, unreadable.clamp(range.start, range.end) - range.start).hash(&mut hasher);
    hasher.finish()
}

fn declared(item: &Item) -> u64 {
    let mut hasher = DefaultHasher::new();
    for name in item.declarations() {
        (name.kind as u8, &name.name.text, name.count, &name.space.text, &name.ty.text, &name.vector.text, name.array)
            .hash(&mut hasher);
        (name.elements, name.alignment).hash(&mut hasher);
    }
    hasher.finish()
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

    /// The findings at their places now; `None` where one speaks of an item that is no more.
    fn restore(&self, findings: &[Anchored]) -> Option<Vec<Finding>> {
        findings
            .iter()
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
    fn an_abandoned_check_says_nothing_and_spoils_nothing() {
        let mut checker = Checker::default();
        let snapshot = Snapshot::new(SourceFile::parse(TEXTS[0]), Settings::default());
        assert_eq!(checker.check(&snapshot, &|| true), None);
        assert_eq!(checker.check(&snapshot, &|| false), Some(snapshot.findings()));
        assert_eq!(checker.check(&snapshot, &|| true), Some(snapshot.findings()), "nothing was left to check");
    }
}
