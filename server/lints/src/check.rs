//! What a linter asks of a text, whichever language it is in. All places are byte offsets into it.

use crate::Checker;
use diagnostics::{Diagnostic, Settings, SuppressedDiagnostic};
use std::fmt::Debug;
use syntax::Position;
use syntax::Rope;

/// An immutable text under settings, and what is wrong with it.
pub trait Check: Debug + Send + Sync {
    /// The text.
    fn rope(&self) -> &Rope;

    /// The settings that apply to it.
    fn settings(&self) -> &Settings;

    /// All findings, ordered by position, then code; `None` as soon as nobody waits for them any more. The checker may know parts of an
    /// earlier state of the same text.
    fn check(&self, checker: &mut Checker, cancelled: &dyn Fn() -> bool) -> Option<Vec<Diagnostic>>;

    /// All findings, from scratch.
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.check(&mut Checker::default(), &|| false).unwrap_or_default()
    }

    /// The findings that comments in the text accept, in the same order.
    fn suppressed(&self) -> Vec<SuppressedDiagnostic> {
        Vec::new()
    }

    /// The line and column of a byte offset.
    fn position(&self, byte: usize) -> Position {
        Position::of(self.rope(), byte)
    }
}
