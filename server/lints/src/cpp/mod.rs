//! C++ and CUDA C++, as a language that is checked: the diagnostics of the PTX that each `asm` statement stands for, at their places in the host
//! text, and those of the statements themselves.

mod check;
mod targets;
pub mod translate;
mod unended;

pub use targets::{first_snapshot, targets};

use crate::{Check, Checker};
use diagnostics::{Diagnostic, Settings, SuppressedDiagnostic};
use hosts::cpp::HostText;
use syntax::Rope;

/// A text in C++ under settings.
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

    fn check(&self, checker: &mut Checker, cancelled: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>> {
        check::check(self, checker, cancelled).map(|(findings, _)| findings)
    }

    fn suppressed(&self) -> Vec<SuppressedDiagnostic> {
        if !self.text.scanned().text.contains(diagnostics::suppressions::MARK) {
            return Vec::new();
        }
        check::check(self, &mut Checker::default(), &|| false).unwrap_or_default().1
    }
}
