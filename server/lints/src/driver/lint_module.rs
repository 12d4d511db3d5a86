//! A module under check: what the checks of all its items read, and the checks of the module as a whole.

use crate::driver::checked_item::CheckedItem;
use crate::rules::comments::evaluation_mismatch;
use crate::rules::comments::evaluation_mismatch::ModuleState;
use crate::rules::comments::{launches, outcomes};
use crate::rules::module::{address_size, header, syntax_error, unknown_to_toolkit};
use crate::rules::order::{one_sided_order, signal_without_release, unacquired_flag};
use crate::rules::scopes::mixed_scopes;
use diagnostics::{Context, Diagnostic, Rule, Severity, Snapshot};
use legality::directives;
use std::ops::Range;
use syntax::{Item, LintFile, Recovery, Rope};

/// The directives of a module's header.
const HEADER: [&str; 3] = [".version", ".target", ".address_size"];

/// A module under check: what the checks of all its items read.
pub(crate) struct LintModule<'a> {
    pub(super) snapshot: &'a Snapshot<LintFile>,
    pub(crate) context: Context<'a>,
    /// The statements and names that syntax errors make uncertain.
    pub(super) recovery: Recovery,
    /// Whether there may be evaluation comments.
    pub(crate) evaluates: bool,
    /// Whether there may be `.pragma` directives.
    pub(crate) has_pragmas: bool,
    /// Whether the diagnostics of disabled rules are needed.
    pub(crate) reports_disabled: bool,
    /// Whether what calls do around flags is recorded. It is needed only if a function of the module only waits for a flag or sets one.
    pub(crate) records_calls: bool,
}

impl<'a> LintModule<'a> {
    /// Starts a check, and reports syntax errors.
    pub(crate) fn new(snapshot: &'a Snapshot<LintFile>, diagnostics: &mut Vec<Diagnostic>) -> Self {
        syntax_error::check(&snapshot.file, diagnostics);
        let (context, recovery) = (Context::new(snapshot), Recovery::of(&snapshot.file));
        LintModule {
            snapshot,
            context,
            recovery,
            evaluates: true,
            has_pragmas: true,
            reports_disabled: true,
            records_calls: false,
        }
    }

    /// Whether an item has a syntax error, and whether its broken statements are known. Both may depend on the text around it.
    pub(crate) fn is_broken(&self, item: Range<usize>) -> (bool, bool) {
        (self.recovery.is_broken(item.clone()), self.recovery.statements(item).is_some())
    }

    /// Whether the diagnostics of a rule are needed.
    pub(crate) fn reports(&self, rule: &Rule) -> bool {
        self.reports_disabled || self.snapshot.settings.is_enabled(rule)
    }

    /// The text that is checked.
    pub(crate) fn text(&self) -> &'a Rope {
        self.snapshot.file.text()
    }

    /// Checks the module as a whole: its header, the summaries of its items, each with its start offset, and its litmus tests and launches, if
    /// it may contain any.
    pub(crate) fn finish(
        &self,
        module: &[Item],
        repeated: &[(usize, usize)],
        items: &[(usize, &CheckedItem)],
        litmus: bool,
        diagnostics: &mut Vec<Diagnostic>,
    ) {
        let summaries: Vec<_> = items.iter().map(|(base, item)| (*base, &item.summary)).collect();
        let is_header = |item: &Item| HEADER.contains(&&*item.directive().text);
        header::check(&self.context, !module.iter().all(is_header), diagnostics);
        unknown_to_toolkit::check(&self.context, diagnostics);
        address_size::check(&self.context, diagnostics);
        // A syntax error may hide the counterpart.
        if self.recovery.is_empty() && !self.snapshot.fragment {
            directives::check_module(&self.snapshot.file, module, repeated, &summaries, &self.context, diagnostics);
            one_sided_order::check(&summaries, diagnostics);
            let flags: Vec<_> = summaries.iter().map(|(base, summary)| (*base, &summary.flags)).collect();
            unacquired_flag::check_module(&flags, diagnostics);
            signal_without_release::check_module(&flags, diagnostics);
            let has_error = diagnostics.iter().any(|one| one.severity == Severity::Error);
            let state = if has_error { ModuleState::HasErrors } else { ModuleState::Runs };
            if litmus && state == ModuleState::Runs {
                launches::check(&self.snapshot.file, &self.context.module, diagnostics);
            }
            if litmus {
                outcomes::check(&self.snapshot.file, &self.context.module, diagnostics);
            }
            if summaries.iter().any(|(_, summary)| summary.lacks_values) {
                evaluation_mismatch::check_with_launches(self.snapshot, &self.context, state, diagnostics);
            }
        }
        mixed_scopes::check(&summaries, diagnostics);
    }
}
