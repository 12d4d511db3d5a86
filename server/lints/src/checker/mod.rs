//! Incremental checking: after an edit, only the affected items are checked again.
//!
//! Each cache has a module. `INCREMENTAL.md` describes how they are invalidated.

mod blocks;
mod declared_names;
mod fingerprint;
mod flag_calls;
mod fragments;
mod items;
mod offsets;
mod parallel;
mod part;
mod reparsed;
#[cfg(test)]
mod tests;
mod words;

use crate::Coverage;
use crate::checker::blocks::BlockCache;
pub(crate) use crate::checker::blocks::BlockRecorder;
use crate::checker::fingerprint::{Fingerprint, FingerprintBuilder};
use crate::checker::flag_calls::FlagFunctions;
pub(crate) use crate::checker::fragments::FragmentCache;
use crate::checker::items::ItemCache;
use crate::checker::offsets::ItemOffsets;
use crate::driver::LintModule;
use diagnostics::registry::RULES;
use diagnostics::targets;
use diagnostics::{Diagnostic, Settings, Snapshot};
use diagnostics::{SuppressedDiagnostic, suppressions as allow};
use syntax::Rope;
use syntax::{Comment, Item, LintFile};

/// Checks successive snapshots of one document. `INCREMENTAL.md` describes what it caches.
#[derive(Debug, Default)]
pub struct Checker {
    usage: CheckerUsage,
    items: ItemCache,
    blocks: BlockCache,
    flag_functions: FlagFunctions,
    /// One checker per additional target.
    additional: Vec<Checker>,
    /// The cache for host texts, which do not use the other caches.
    pub(crate) fragments: FragmentCache,
    /// The coverage of the last check. Only the first check visits everything.
    pub(crate) coverage: Coverage,
}

/// Whether a checker checks later snapshots, too.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum CheckerUsage {
    #[default]
    Repeated,
    /// It keeps no results.
    Once,
    /// It checks PTX of a host text. Comments there may suppress diagnostics of disabled rules.
    Embedded,
}

impl Checker {
    /// A checker of one snapshot, which keeps nothing for others.
    pub fn once() -> Self {
        Checker { usage: CheckerUsage::Once, ..Checker::default() }
    }

    /// A checker of PTX in a host text, which also returns the diagnostics of disabled rules.
    pub(crate) fn embedded() -> Self {
        Checker { usage: CheckerUsage::Embedded, ..Checker::default() }
    }

    /// The coverage of the first check. Later checks skip cached items.
    pub fn coverage(&self) -> Coverage {
        self.coverage
    }

    /// All diagnostics of a snapshot, ordered by position, then code; `None` if the check is cancelled.
    pub fn check(
        &mut self,
        snapshot: &Snapshot<LintFile>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Diagnostic>> {
        self.check_with_suppressed(snapshot, cancelled).map(|(diagnostics, _)| diagnostics)
    }

    /// The diagnostics, and the suppressed diagnostics.
    pub(crate) fn check_with_suppressed(
        &mut self,
        snapshot: &Snapshot<LintFile>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<(Vec<Diagnostic>, Vec<SuppressedDiagnostic>)> {
        let settings = &snapshot.settings;
        let mut diagnostics = self.check_one(snapshot, cancelled)?;
        if !settings.additional_targets.is_empty() {
            let usage = self.usage;
            let new = || Checker { usage, ..Checker::default() };
            self.additional.resize_with(settings.additional_targets.len(), new);
            let mut lists = vec![diagnostics];
            for (checker, target) in self.additional.iter_mut().zip(&settings.additional_targets) {
                let settings = Settings { target: Some(*target), additional_targets: Vec::new(), ..settings.clone() };
                lists.push(checker.check_one(&Snapshot::new(snapshot.file.clone(), settings), cancelled)?);
            }
            let names: Vec<_> =
                settings.target.iter().chain(&settings.additional_targets).map(|target| target.name()).collect();
            diagnostics = targets::merge(&names, lists);
        }
        let items = snapshot.file.module_items();
        let comments = snapshot.file.comments(&items, allow::MARKER, |item| self.items.has_suppression(item));
        let (mut diagnostics, suppressed) = apply_settings(snapshot.file.text(), &comments, settings, diagnostics);
        locate(&snapshot.file, &items, &mut diagnostics);
        Some((diagnostics, suppressed))
    }

    /// The diagnostics for one target, before settings and suppressions, in no particular order.
    pub(crate) fn check_one(
        &mut self,
        snapshot: &Snapshot<LintFile>,
        cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Option<Vec<Diagnostic>> {
        let (items, is_once) = (snapshot.file.module_items(), self.usage == CheckerUsage::Once);
        if is_once {
            self.items = ItemCache::default();
        }
        // Those of a check that is cancelled are forgotten.
        let flag_functions = std::mem::take(&mut self.flag_functions);
        let settings = &snapshot.settings;
        let offsets = ItemOffsets::new(&items);
        let mut diagnostics = Vec::new();
        let mut module = LintModule::new(snapshot, &mut diagnostics);
        let words = self.items.update(&snapshot.file, &items, self.usage);
        module.evaluates = words.evaluation;
        module.has_pragmas = words.pragma;
        // A suppression may be for the diagnostic of a disabled rule.
        module.reports_disabled = self.usage == CheckerUsage::Embedded || self.items.has_suppressions();
        let fingerprint = self.module(&module, &items);

        let (mut stale, mut keys) = (Vec::new(), Vec::new());
        for (at, item) in items.iter().enumerate() {
            // Error recovery in an item may depend on the text around it.
            let key = Fingerprint::of(&(fingerprint, module.is_broken(item.range())));
            match self.items.restore(item, key, &offsets, settings) {
                Some(mut restored) => diagnostics.append(&mut restored),
                None => stale.push(at),
            }
            keys.push(key);
        }
        // Variables beside an edited function may be new to the tree, too: they have no blocks.
        let functions = stale.iter().filter(|at| items[**at].is_function()).count();
        let blocks = || self.blocks.recorder(fingerprint, if is_once { usize::MAX } else { functions });
        let parts = if stale.len() == items.len() {
            parallel::check(&module, &items, &blocks, cancelled)
        } else {
            vec![declared_names::check(&module, (&items, &self.items), &stale, blocks(), cancelled)]
        };
        let (mut blocks, mut coverage, mut checked) = (BlockCache::new(fingerprint), Coverage::default(), 0);
        for part in parts {
            coverage += part.coverage;
            blocks.extend(part.blocks);
            checked += part.items.len();
            for (at, item, mut own) in part.items {
                let kept = if is_once { &[] } else { own.as_slice() };
                let relative = kept.iter().map(|diagnostic| offsets.relative(diagnostic)).collect();
                self.items.store(&items[at], keys[at], item, relative);
                diagnostics.append(&mut own);
            }
        }
        if checked < stale.len() {
            return None;
        }
        (self.blocks, self.coverage) = (blocks, coverage);
        module.records_calls = true;
        let blocks = self.blocks.recorder(fingerprint, usize::MAX);
        self.flag_functions =
            flag_functions.record_calls(&module, (&items, &mut self.items), &stale, blocks, cancelled)?;
        module.drop_uncertain(&mut diagnostics);
        let checked = |item: &Item| Some((item.range().start, self.items.get(item).checked()?));
        let checked: Vec<_> = items.iter().filter_map(checked).collect();
        module.finish(&items, &self.items.repeated(&items), &checked, self.items.has_litmus(), &mut diagnostics);
        Some(diagnostics)
    }

    /// The module fingerprint: what the diagnostics of an item depend on besides its text. That is the PTX version, the target, their
    /// sources, the declarations of all items, and the rules whose diagnostics are needed.
    fn module(&self, module: &LintModule, items: &[Item]) -> Fingerprint {
        let context = &module.context;
        let reported: Vec<bool> = RULES.iter().map(|rule| module.reports(rule)).collect();
        let mut module = FingerprintBuilder::new();
        module.add(&reported);
        module.add(&context.module);
        // Diagnostics refer to the directives, and fixes change them.
        module.add(&(context.sources(), context.header.targets.len()));
        module.add(&context.has_independent_samplers());
        module.add(&context.header.address_size.as_ref().map(|size| &*size.text));
        items.iter().for_each(|item| module.add(&self.items.get(item).declarations));
        module.finish()
    }
}

/// Adds to the diagnostics, in order, where a compiler generated the code from.
fn locate(file: &LintFile, items: &[Item], diagnostics: &mut [Diagnostic]) {
    let offsets: Vec<_> = diagnostics.iter().map(|diagnostic| diagnostic.range.start).collect();
    let locations = file.source_locations(items, &offsets);
    diagnostics.iter_mut().zip(locations).for_each(|(diagnostic, source)| diagnostic.source = source);
}

/// Applies the suppression comments and the settings. Returns the remaining and the suppressed diagnostics.
pub(crate) fn apply_settings(
    text: &Rope,
    comments: &[Comment],
    settings: &Settings,
    mut diagnostics: Vec<Diagnostic>,
) -> (Vec<Diagnostic>, Vec<SuppressedDiagnostic>) {
    // Suppressions come first: a comment is also used if it suppresses the diagnostic of a disabled rule.
    let mut suppressed = allow::apply(text, comments, settings, &mut diagnostics);
    let severity = |diagnostic: &mut Diagnostic| match settings.severity(diagnostic.rule) {
        Some(severity) => {
            diagnostic.severity = severity;
            true
        }
        None => false,
    };
    diagnostics.retain_mut(severity);
    suppressed.retain_mut(|suppressed| severity(&mut suppressed.diagnostic));
    let all = diagnostics.iter_mut().chain(suppressed.iter_mut().map(|suppressed| &mut suppressed.diagnostic));
    all.for_each(|diagnostic| diagnostic.cause.set_origins(&settings.origins));
    diagnostics.sort_by(Diagnostic::order);
    (diagnostics, suppressed)
}
