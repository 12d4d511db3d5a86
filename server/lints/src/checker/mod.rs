//! Findings of a text that changes: only the items that an edit touched are checked again.
//!
//! What is kept of an item holds as long as the item itself, the module's names and its target do. Must not know rules.

mod declared;
mod places;

use crate::rules::{CachedBlock, CheckedItem, Pass, Quiet};
use crate::{Coverage, words};
use declared::DeclaredNames;
use diagnostics::targets;
use diagnostics::{Diagnostic, Settings, Snapshot};
use diagnostics::{Suppressed, suppressions as allow};
use evaluation::comments;
use evaluation::litmus;
use foldhash::fast::FixedState;
use places::{Anchored, ItemOffsets};
use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;
use syntax::Rope;
use syntax::{Comment, Declaration, Item, LintFile};

/// Checks snapshots of one document, one after the other.
#[derive(Debug, Default)]
pub struct Checker {
    /// The file that the kept items belong to; as long as it lives, no other item gets one of their numbers.
    file: Option<LintFile>,
    kept: HashMap<usize, KeptItem>,
    /// What is known of pieces of the items that were checked last, and what it depends on beside their text, in short.
    quiet: (u64, HashMap<u64, CachedBlock>),
    /// For the further targets, each its own.
    others: Vec<Checker>,
    /// What is known of texts that lie in another one, by a digest of the text and of what it is checked for.
    pub(crate) embedded: HashMap<u64, Arc<[Diagnostic]>>,
    /// What was looked at; only a first check looks at all.
    pub(crate) coverage: Coverage,
}

/// What is known of an item.
#[derive(Clone, Debug)]
struct KeptItem {
    /// The names that it declares, in short.
    declared: u64,
    /// The words that these names are in a text, in short.
    names: Box<[u64]>,
    /// Whether it may hold a word to us.
    marked: bool,
    /// Whether it may hold a part of a litmus test.
    litmus: bool,
    /// What its findings depend on beside its own text, in short, and the findings.
    found: Option<(u64, Arc<CheckResult>)>,
}

/// Which words to us there may be in a text at all: one search through all of it instead of one in each item.
#[derive(Clone, Copy)]
struct DirectiveWords {
    allow: bool,
    litmus: bool,
    evaluation: bool,
}

impl DirectiveWords {
    const ALL: DirectiveWords = DirectiveWords { allow: true, litmus: true, evaluation: true };

    fn of(file: &LintFile) -> Self {
        let holds = |word| file.is_addressed() && file.holds(0..file.text().len_bytes(), word);
        DirectiveWords {
            allow: holds(allow::MARK),
            litmus: file.is_addressed() && litmus::is_marked(file, 0..file.text().len_bytes()),
            evaluation: file.is_addressed() && comments::is_marked(file, 0..file.text().len_bytes()),
        }
    }
}

#[derive(Debug)]
struct CheckResult {
    checked: CheckedItem,
    findings: Vec<Anchored>,
}

/// Of more items than an edit touches it is not worth its memory to remember pieces.
const FEW: usize = 8;

impl Checker {
    /// What the first check looked at; a later one passes over what it knows.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// All findings of a snapshot, ordered by position, then code; `None` as soon as nobody waits for them any more.
    pub fn check(&mut self, snapshot: &Snapshot<LintFile>, cancelled: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>> {
        self.judge(snapshot, cancelled).map(|(findings, _)| findings)
    }

    /// The same, and beside them those that comments accept.
    pub(crate) fn judge(
        &mut self,
        snapshot: &Snapshot<LintFile>,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<(Vec<Diagnostic>, Vec<Suppressed>)> {
        let settings = &snapshot.settings;
        let mut findings = self.check_one(snapshot, cancelled)?;
        if !settings.also.is_empty() {
            self.others.resize_with(settings.also.len(), Checker::default);
            let mut lists = vec![findings];
            for (checker, target) in self.others.iter_mut().zip(&settings.also) {
                let settings = Settings { target: Some(*target), also: Vec::new(), ..settings.clone() };
                lists.push(checker.check_one(&Snapshot::new(snapshot.file.clone(), settings), cancelled)?);
            }
            let names: Vec<_> = settings.target.iter().chain(&settings.also).map(|target| target.name()).collect();
            findings = targets::merge(&names, lists);
        }
        let items = snapshot.file.module_items();
        let marked = |item: &Item| self.kept.get(&item.id()).is_some_and(|kept| kept.marked);
        let comments = snapshot.file.comments(&items, allow::MARK, marked);
        Some(judged(snapshot.file.text(), &comments, settings, findings))
    }

    /// What the rules find for one target, in no order.
    pub(crate) fn check_one(
        &mut self,
        snapshot: &Snapshot<LintFile>,
        cancelled: &dyn Fn() -> bool,
    ) -> Option<Vec<Diagnostic>> {
        let items = snapshot.file.module_items();
        let settings = &snapshot.settings;
        let places = ItemOffsets::new(&items);
        let mut findings = Vec::new();
        let mut pass = Pass::new(snapshot, &mut findings);
        let mut fresh: HashMap<usize, KeptItem> = HashMap::with_capacity(items.len());
        let mut module = FixedState::default().build_hasher();
        pass.context.module.hash(&mut module);
        pass.context.header.address_size.as_ref().map(|size| &*size.text).hash(&mut module);
        let mut known = std::mem::take(&mut self.kept);
        let words = if known.is_empty() { DirectiveWords::of(&snapshot.file) } else { DirectiveWords::ALL };
        pass.evaluates = words.evaluation;
        for item in &items {
            let kept = known.remove(&item.id()).unwrap_or_else(|| KeptItem::new(snapshot, item, words));
            kept.declared.hash(&mut module);
            fresh.insert(item.id(), kept);
        }
        let module = module.finish();
        self.file = Some(snapshot.file.clone());

        let mut stale = Vec::new();
        for (at, item) in items.iter().enumerate() {
            let key = key(module, pass.is_broken(item.range()));
            let known = fresh[&item.id()].found.as_ref().filter(|(known, _)| *known == key);
            match known.and_then(|(_, found)| places.restore(&found.findings, settings)) {
                Some(mut restored) => findings.append(&mut restored),
                None => stale.push((at, key)),
            }
        }
        let pieces = if self.quiet.0 == module { self.quiet.1.clone() } else { HashMap::new() };
        let mut quiet = Quiet::new(pieces, stale.len() <= FEW);
        let mut declared = DeclaredNames::new(&items, &fresh, stale.len() < items.len());
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
            kept.found = Some((key, Arc::new(CheckResult { checked, findings: anchored })));
            findings.append(&mut own);
        }
        self.coverage = pass.coverage;
        pass.drop_uncertain(&mut findings);
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
    mut findings: Vec<Diagnostic>,
) -> (Vec<Diagnostic>, Vec<Suppressed>) {
    // What is not shown counts too: a comment is of use in the preset that shows it.
    let mut suppressed = allow::apply(text, comments, settings, &mut findings);
    let severity = |finding: &mut Diagnostic| match settings.severity(finding.rule) {
        Some(severity) => {
            finding.severity = severity;
            true
        }
        None => false,
    };
    findings.retain_mut(severity);
    suppressed.retain_mut(|suppressed| severity(&mut suppressed.finding));
    findings.sort_by(Diagnostic::order);
    (findings, suppressed)
}

/// What an item's findings depend on beside its own text: the module, and whether the parser had to guess in it.
fn key(module: u64, broken: (bool, bool)) -> u64 {
    FixedState::default().hash_one((module, broken))
}

impl KeptItem {
    fn new(snapshot: &Snapshot<LintFile>, item: &Item, words: DirectiveWords) -> Self {
        let declarations = item.declarations();
        KeptItem {
            declared: declared(&declarations),
            names: declarations.iter().map(|declaration| words::digest(&declaration.name.text)).collect(),
            marked: words.allow && snapshot.file.holds(item.range(), allow::MARK),
            litmus: words.litmus && litmus::is_marked(&snapshot.file, item.range()),
            found: None,
        }
    }
}

fn declared(declarations: &[Declaration]) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    for name in declarations {
        (name.kind as u8, &name.name.text, name.count, &name.space.text, &name.ty.text, &name.vector.text, name.array)
            .hash(&mut hasher);
        (name.elements, name.alignment, name.broken).hash(&mut hasher);
    }
    hasher.finish()
}

#[cfg(test)]
mod tests;
