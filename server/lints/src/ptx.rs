//! PTX modules, as a language that is checked.

use crate::{Check, Checker};
use diagnostics::suppressions::MARK;
use diagnostics::{Diagnostic, Settings, Snapshot, Suppressed};
use syntax::Rope;

impl Check for Snapshot {
    fn rope(&self) -> &Rope {
        self.file.text()
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn check(&self, checker: &mut Checker, cancelled: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>> {
        checker.check(self, cancelled)
    }

    fn suppressed(&self) -> Vec<Suppressed> {
        if !self.file.holds(0..self.file.text().len_bytes(), MARK) {
            return Vec::new();
        }
        Checker::default().judge(self, &|| false).unwrap_or_default().1
    }
}
