//! Checks C++, CUDA C++ and Python: the diagnostics of the PTX in each statement of inline assembly, mapped to the host
//! text, and of the statements themselves.

mod check;
mod functions;
mod missing_semicolon;
mod statements;
mod targets;
pub mod translate;

pub use check::suppression_comments;
pub use targets::{first_snapshot, targets};

use crate::{Check, Checker};
use diagnostics::{Diagnostic, Settings, SuppressedDiagnostic};
use hosts::inline_asm::HostText;
use syntax::Rope;

/// A text with inline assembly, with settings.
#[derive(Debug)]
pub struct HostSource {
    /// The text.
    pub text: HostText,
    /// The settings that apply.
    pub settings: Settings,
}

impl Check for HostSource {
    fn rope(&self) -> &Rope {
        self.text.rope()
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn check(&self, checker: &mut Checker, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Diagnostic>> {
        check::check(self, checker, cancelled).map(|(diagnostics, _)| diagnostics)
    }

    fn suppressed(&self) -> Vec<SuppressedDiagnostic> {
        if !self.text.scanned().text.contains(diagnostics::suppressions::MARKER) {
            return Vec::new();
        }
        check::check(self, &mut Checker::default(), &|| false).unwrap_or_default().1
    }
}
