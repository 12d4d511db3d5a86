//! Checks PTX modules.

use crate::{Check, Checker};
use diagnostics::suppressions::MARKER;
use diagnostics::{Diagnostic, Settings, Snapshot, SuppressedDiagnostic};
use std::fmt::Debug;
use syntax::{LintFile, Rope};

impl<F: AsRef<LintFile> + Debug + Send + Sync> Check for Snapshot<F> {
    fn rope(&self) -> &Rope {
        self.file.as_ref().text()
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn check(&self, checker: &mut Checker, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Diagnostic>> {
        checker.check(&self.for_lint(), cancelled)
    }

    fn suppressed(&self) -> Vec<SuppressedDiagnostic> {
        let file = self.file.as_ref();
        if !file.may_have_directive_comments() || !file.holds(0..file.text().len_bytes(), MARKER) {
            return Vec::new();
        }
        Checker::default().check_with_suppressed(&self.for_lint(), &|| false).unwrap_or_default().1
    }
}
