//! Checks C++, CUDA C++ and Python: the diagnostics of the PTX in each statement of inline assembly, mapped to the host
//! text, and of the statements themselves.

mod check;
mod functions;
mod guard;
mod holes;
mod missing_semicolon;
mod statements;
mod targets;
pub mod translate;
mod undeclared;
mod unread;

pub use crate::inline_asm::check::suppression_comments;
pub use crate::inline_asm::targets::{first_snapshot, targets};

use crate::checker::FragmentCache;
use crate::{Check, Checker};
use diagnostics::{Diagnostic, Rule, Settings, Snapshot, SuppressedDiagnostic};
use hosts::inline_asm::HostText;
use syntax::{LintFile, Rope};

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

/// The diagnostics of some rules on a PTX text that stands for a part of a host text; `None` if the check is cancelled.
fn check_module(
    text: &str,
    (settings, rules): (&Settings, &[&Rule]),
    last: &FragmentCache,
    fragments: &mut FragmentCache,
    cancelled: &(dyn Fn() -> bool + Sync),
) -> Option<Vec<Diagnostic>> {
    let key = FragmentCache::key(text, settings.target, settings.version);
    let check = || {
        let snapshot = Snapshot::new(LintFile::parse(text), settings.clone());
        Checker::default().check_one(&snapshot, cancelled)
    };
    let found = fragments.get_or_check(last, key, check)?;
    Some(found.iter().filter(|diagnostic| rules.contains(&diagnostic.rule)).cloned().collect())
}
