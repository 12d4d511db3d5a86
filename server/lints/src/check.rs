//! The trait of texts that can be checked, in any language. All positions are byte offsets.

use crate::Checker;
use diagnostics::{Diagnostic, Settings, SuppressedDiagnostic};
use std::fmt::Debug;
use syntax::Position;
use syntax::Rope;

/// An immutable text with settings that can be checked.
pub trait Check: Debug + Send + Sync {
    /// The text.
    fn rope(&self) -> &Rope;

    /// The settings that apply to it.
    fn settings(&self) -> &Settings;

    /// All diagnostics, ordered by position, then code; `None` if the check is cancelled. The checker may hold results of an
    /// earlier state of the same text.
    fn check(&self, checker: &mut Checker, cancelled: &(dyn Fn() -> bool + Sync)) -> Option<Vec<Diagnostic>>;

    /// All diagnostics, from scratch.
    fn diagnostics(&self) -> Vec<Diagnostic> {
        self.check(&mut Checker::default(), &|| false).unwrap_or_default()
    }

    /// The diagnostics that comments suppress, in the same order.
    fn suppressed(&self) -> Vec<SuppressedDiagnostic> {
        Vec::new()
    }

    /// The line and column of a byte offset.
    fn position(&self, byte: usize) -> Position {
        Position::of(self.rope(), byte)
    }
}
