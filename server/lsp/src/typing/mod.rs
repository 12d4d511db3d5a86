//! What a client is shown while its user types.
//!
//! The diagnostics of the statement that was edited last are withheld, and all others stay as they were, moved by the edits: a half-typed statement changes
//! what is known of others. An edit elsewhere ends that for a statement, a pause ends it for all; afterwards all that was found is shown.

mod replacement;

pub use crate::typing::replacement::{Replacement, between};

use diagnostics::{Diagnostic, Related};
use ide::Ide;
use std::ops::Range;
use std::sync::Arc;

/// Diagnostics as of an earlier text, and how it became the current one.
#[derive(Clone, Debug, Default)]
pub struct EarlierDiagnostics {
    diagnostics: Option<Arc<[Diagnostic]>>,
    edits: Vec<Replacement>,
}

impl EarlierDiagnostics {
    /// Those of the current text.
    pub fn of(diagnostics: Arc<[Diagnostic]>) -> Self {
        EarlierDiagnostics { diagnostics: Some(diagnostics), edits: Vec::new() }
    }

    /// The text changes.
    pub fn note(&mut self, edits: &[Replacement]) {
        if self.diagnostics.is_some() {
            self.edits.extend_from_slice(edits);
        }
    }

    /// Those in the current text; `None` before the first check.
    fn moved(&self) -> Option<Vec<Diagnostic>> {
        let diagnostics = self.diagnostics.as_ref()?;
        Some(diagnostics.iter().map(|diagnostic| moved(diagnostic, &self.edits)).collect())
    }
}

/// A diagnostic after edits. Fixes that they touch are dropped.
fn moved(diagnostic: &Diagnostic, edits: &[Replacement]) -> Diagnostic {
    let place = |range: &Range<usize>| edits.iter().fold(range.clone(), |range, edit| edit.moved(&range));
    let mut moved = Diagnostic { range: place(&diagnostic.range), ..diagnostic.clone() };
    moved.related.iter_mut().for_each(|related: &mut Related| related.range = place(&related.range));
    moved.fixes.retain_mut(|fix| {
        fix.edits.iter_mut().all(|change| {
            let untouched = edits
                .iter()
                .try_fold(change.range.clone(), |range, edit| (!edit.touches(&range)).then(|| edit.moved(&range)));
            untouched.map(|range| change.range = range).is_some()
        })
    });
    moved
}

/// A user who types in a document.
#[derive(Clone, Debug)]
pub struct Typing {
    /// Number of the last edit.
    pub edit: u64,
    /// The places of the last edit, which are several with several cursors.
    edited: Vec<Range<usize>>,
    /// Those of edits in other statements since the last check: what was found there is shown again.
    left: Vec<Range<usize>>,
    /// The statements of the last edit, if it was checked.
    statements: Option<Vec<Range<usize>>>,
    /// Whether the client was shown less or other than what was found; unknown before the first check.
    withholds: Option<bool>,
}

impl Typing {
    /// What is typed after an edit. `before` is what was typed before it.
    pub fn after(edit: u64, edits: &[Replacement], before: Option<Typing>) -> Self {
        let mut left = Vec::new();
        if let Some(before) = before {
            let places = before.left.iter().chain(&before.edited);
            left.extend(places.map(|place| edits.iter().fold(place.clone(), |place, edit| edit.moved(&place))));
        }
        left.dedup();
        let places = edits
            .iter()
            .enumerate()
            .map(|(at, edit)| edits[at + 1..].iter().fold(edit.replaced(), |place, later| later.moved(&place)));
        Typing { edit, edited: places.collect(), left, statements: None, withholds: None }
    }

    /// Keeps what a check of the current text has found out.
    pub fn checked(&mut self, shown: &ShownDiagnostics) {
        self.left.clear();
        self.statements = Some(shown.statements.clone());
        self.withholds = Some(shown.withholds);
    }

    /// Whether the client may have been shown less or other than what was found.
    pub fn may_withhold(&self) -> bool {
        self.withholds.unwrap_or(true)
    }

    /// Whether a cursor is outside of the statement that is typed. Until that is known, it is in the line of the last edit.
    pub fn is_elsewhere(&self, cursor: usize, line_of: impl Fn(usize) -> usize) -> bool {
        match &self.statements {
            Some(statements) => !statements.iter().any(|range| range.start <= cursor && cursor <= range.end),
            None => {
                let line = line_of(cursor);
                !self.edited.iter().any(|place| (line_of(place.start)..=line_of(place.end)).contains(&line))
            }
        }
    }
}

/// What is shown of what a check has found.
#[derive(Clone, Debug)]
pub struct ShownDiagnostics {
    /// The diagnostics, in text order.
    pub diagnostics: Arc<[Diagnostic]>,
    /// The statements that are typed.
    statements: Vec<Range<usize>>,
    withholds: bool,
}

/// What is shown to a client of which nobody knows that its user types: all that was found.
pub fn all(found: Arc<[Diagnostic]>) -> ShownDiagnostics {
    ShownDiagnostics { diagnostics: found, statements: Vec::new(), withholds: false }
}

/// What is shown while a user types: what was shown before outside of the statements that are typed or were left, and what was found in the latter.
pub fn while_typing(
    source: &(impl Ide + ?Sized),
    typing: &Typing,
    before: &EarlierDiagnostics,
    found: &Arc<[Diagnostic]>,
) -> ShownDiagnostics {
    let of =
        |places: &[Range<usize>]| -> Vec<_> { places.iter().map(|place| source.statement_around(place)).collect() };
    let (statements, left) = (of(&typing.edited), of(&typing.left));
    let is_in = |diagnostic: &Diagnostic, statements: &[Range<usize>]| {
        let (start, end) = (diagnostic.range.start, diagnostic.range.end);
        statements.iter().any(|statement| start <= statement.end && statement.start <= end)
    };
    let earlier = before.moved();
    let is_first = earlier.is_none();
    let kept = earlier.into_iter().flatten().filter(|one| !is_in(one, &left));
    let left = found.iter().filter(|one| is_first || is_in(one, &left)).cloned();
    let mut shown: Vec<_> = kept.chain(left).filter(|one| !is_in(one, &statements)).collect();
    shown.sort_by(Diagnostic::order);
    let withholds = shown[..] != found[..];
    ShownDiagnostics { diagnostics: shown.into(), statements, withholds }
}

#[cfg(test)]
mod tests;
