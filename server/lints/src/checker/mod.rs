//! Findings of a text that changes: only the items that an edit touched are checked again.
//!
//! Each cache has a module; `INCREMENTAL.md` says what invalidates what. Must not know rules.

mod blocks;
mod declared;
mod fingerprint;
mod fragments;
mod items;
mod offsets;
mod words;

use crate::Coverage;
use crate::rules::Pass;
use blocks::BlockCache;
pub(crate) use blocks::BlockRecorder;
use declared::DeclaredNames;
use diagnostics::targets;
use diagnostics::{Diagnostic, Settings, Snapshot};
use diagnostics::{SuppressedDiagnostic, suppressions as allow};
use fingerprint::{Fingerprint, FingerprintBuilder};
pub(crate) use fragments::FragmentCache;
use items::ItemCache;
use offsets::ItemOffsets;
use syntax::Rope;
use syntax::{Comment, Item, LintFile};

/// Checks snapshots of one document, one after the other. What it keeps is in `INCREMENTAL.md`.
#[derive(Debug, Default)]
pub struct Checker {
    items: ItemCache,
    blocks: BlockCache,
    /// For the further targets, each its own.
    others: Vec<Checker>,
    /// Of a host text, instead of the others.
    pub(crate) fragments: FragmentCache,
    /// What was looked at; only a first check looks at all.
    pub(crate) coverage: Coverage,
}

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
    ) -> Option<(Vec<Diagnostic>, Vec<SuppressedDiagnostic>)> {
        let settings = &snapshot.settings;
        let mut findings = self.check_one(snapshot, cancelled)?;
        if !settings.additional_targets.is_empty() {
            self.others.resize_with(settings.additional_targets.len(), Checker::default);
            let mut lists = vec![findings];
            for (checker, target) in self.others.iter_mut().zip(&settings.additional_targets) {
                let settings = Settings { target: Some(*target), additional_targets: Vec::new(), ..settings.clone() };
                lists.push(checker.check_one(&Snapshot::new(snapshot.file.clone(), settings), cancelled)?);
            }
            let names: Vec<_> =
                settings.target.iter().chain(&settings.additional_targets).map(|target| target.name()).collect();
            findings = targets::merge(&names, lists);
        }
        let items = snapshot.file.module_items();
        let comments = snapshot.file.comments(&items, allow::MARK, |item| self.items.has_suppression(item));
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
        let offsets = ItemOffsets::new(&items);
        let mut findings = Vec::new();
        let mut pass = Pass::new(snapshot, &mut findings);
        pass.evaluates = self.items.update(&snapshot.file, &items).evaluation;
        let module = self.module(&pass, &items);

        let mut stale = Vec::new();
        for (at, item) in items.iter().enumerate() {
            // The text around an item decides whether the parser had to guess in it.
            let key = Fingerprint::of(&(module, pass.is_broken(item.range())));
            match self.items.restore(item, key, &offsets, settings) {
                Some(mut restored) => findings.append(&mut restored),
                None => stale.push((at, key)),
            }
        }
        let mut blocks = self.blocks.recorder(module, stale.len());
        let mut declared = DeclaredNames::new(&items, &self.items, stale.len());
        for (at, key) in stale {
            if cancelled() {
                return None;
            }
            let mut own = Vec::new();
            let checked = declared.check(&mut pass, &self.items, at, cancelled, &mut blocks, &mut own)?;
            let relative = own.iter().map(|finding| offsets.relative(finding)).collect();
            self.items.store(&items[at], key, checked, relative);
            findings.append(&mut own);
        }
        self.blocks = blocks.finish();
        self.coverage = pass.coverage;
        pass.drop_uncertain(&mut findings);
        let checked = |item: &Item| Some((item.range().start, self.items.get(item).checked()?));
        let checked: Vec<_> = items.iter().filter_map(checked).collect();
        pass.finish(&checked, self.items.has_litmus(), &mut findings);
        Some(findings)
    }

    /// What the items of a module depend on beside their own texts: what it is assembled for and who says so, and every item's
    /// declarations.
    fn module(&self, pass: &Pass, items: &[Item]) -> Fingerprint {
        let context = &pass.context;
        let mut module = FingerprintBuilder::new();
        module.add(&context.module);
        // A diagnostic shows the directive that it goes back to, and a fix rewrites it.
        module.add(&(context.version_source(), context.target_source(), context.header.targets.len()));
        module.add(&context.header.address_size.as_ref().map(|size| &*size.text));
        items.iter().for_each(|item| module.add(&self.items.get(item).declarations));
        module.finish()
    }
}

/// What is left of findings once the settings and the comments in a text have had their say, and what the comments accept.
pub(crate) fn judged(
    text: &Rope,
    comments: &[Comment],
    settings: &Settings,
    mut findings: Vec<Diagnostic>,
) -> (Vec<Diagnostic>, Vec<SuppressedDiagnostic>) {
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
    suppressed.retain_mut(|suppressed| severity(&mut suppressed.diagnostic));
    findings.sort_by(Diagnostic::order);
    (findings, suppressed)
}

#[cfg(test)]
mod tests;
