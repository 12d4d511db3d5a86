//! Checks litmus tests.

use crate::{Check, Checker};
use diagnostics::Diagnostic;
use diagnostics::Settings;
use diagnostics::registry::SYNTAX_ERROR;
use litmus::{Claim, LitmusError, Test, parse};
use syntax::Rope;

/// A litmus test with settings.
#[derive(Debug)]
pub struct Litmus {
    rope: Rope,
    /// The text as a string.
    pub text: String,
    /// The parsed test.
    pub test: Test,
    settings: Settings,
}

impl Litmus {
    /// A litmus test with settings.
    pub fn new(rope: Rope, settings: Settings) -> Self {
        let text = rope.to_string();
        Litmus { test: parse(&text), text, rope, settings }
    }

    /// The claim, if the test has no errors.
    pub fn claim(&self) -> Option<&Claim> {
        self.test.claim.as_ref().filter(|_| self.test.errors.is_empty())
    }
}

impl Check for Litmus {
    fn rope(&self) -> &Rope {
        &self.rope
    }

    fn settings(&self) -> &Settings {
        &self.settings
    }

    fn check(&self, _checker: &mut Checker, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Diagnostic>> {
        if cancelled() {
            return None;
        }
        let severity = self.settings.severity(&SYNTAX_ERROR);
        let diagnostic = |mistake: &LitmusError| {
            Diagnostic::new(&SYNTAX_ERROR, mistake.range.clone(), &*mistake.message).help(&*mistake.help)
        };
        let with = |severity| self.test.errors.iter().map(move |m| Diagnostic { severity, ..diagnostic(m) });
        let mut all: Vec<_> = severity.into_iter().flat_map(with).collect();
        all.sort_by(Diagnostic::order);
        Some(all)
    }
}
