//! Runs PTX features on the `asm` fragments at an offset or in a range of a host text.

use crate::features::InlayHint;
use diagnostics::Snapshot;
use hosts::inline_asm::AsmFragment;
use lints::inline_asm::{HostSource, first_snapshot, translate};
use std::ops::Range;

/// Runs a feature on the PTX at an offset; `None` if the result has no place in the host text.
pub(super) fn ask<T>(
    source: &HostSource,
    offset: usize,
    question: impl FnOnce(&AsmFragment, &Snapshot, usize) -> Option<T>,
) -> Option<T> {
    let (embedded, at) = source.text.at(offset)?;
    let snapshot = first_snapshot(&embedded, &source.settings);
    question(&embedded, &snapshot, at)
}

/// Runs a feature that returns a list on the PTX at an offset; drops what has no place in the host text.
pub(super) fn ask_each<T, U>(
    source: &HostSource,
    offset: usize,
    question: impl FnOnce(&Snapshot, usize) -> Vec<T>,
    translated: impl Fn(&AsmFragment, T) -> Option<U>,
) -> Vec<U> {
    let found = ask(source, offset, |embedded, snapshot, at| {
        Some(question(snapshot, at).into_iter().filter_map(|one| translated(embedded, one)).collect())
    });
    found.unwrap_or_default()
}

/// Completions in the PTX at an offset; each is an edit that ends there.
pub(super) fn complete<T>(
    source: &HostSource,
    offset: usize,
    question: impl FnOnce(&AsmFragment, &Snapshot, usize) -> Vec<T>,
    translated: impl Fn(&AsmFragment, T) -> Option<T>,
) -> Vec<T> {
    let found = ask_typed(source, offset, |fragment, snapshot, at| {
        let found = question(fragment, snapshot, at);
        Some(found.into_iter().filter_map(|one| translated(fragment, one)).collect())
    });
    found.unwrap_or_default()
}

/// Runs a feature on the PTX that is typed at an offset, in a statement that may be unfinished.
pub(super) fn ask_typed<T>(
    source: &HostSource,
    offset: usize,
    question: impl FnOnce(&AsmFragment, &Snapshot, usize) -> Option<T>,
) -> Option<T> {
    let (fragment, at) = source.text.typed_at(offset)?;
    let snapshot = first_snapshot(&fragment, &source.settings);
    question(&fragment, &snapshot, at)
}

/// Runs a feature on all PTX in a range of the host text, with the range in the PTX.
pub(super) fn ask_all<T>(
    source: &HostSource,
    within: Range<usize>,
    mut question: impl FnMut(&AsmFragment, &Snapshot, Range<usize>) -> Vec<T>,
) -> Vec<T> {
    let mut answers = Vec::new();
    for embedded in source.text.within(within.clone()) {
        let snapshot = first_snapshot(&embedded, &source.settings);
        if let Some(inner) = embedded.template.region.to_inner_range(&within) {
            answers.extend(question(&embedded, &snapshot, inner));
        }
    }
    answers
}

/// Hints of all PTX in a range of the host text, at host offsets.
pub(super) fn hints(
    source: &HostSource,
    within: Range<usize>,
    question: impl Fn(&Snapshot, Range<usize>) -> Vec<InlayHint>,
) -> Vec<InlayHint> {
    let mut hints = ask_all(source, within, |embedded, snapshot, inner| {
        let translated = |hint: InlayHint| {
            let insert = hint.insert.as_ref().and_then(|edit| translate::edit(embedded, edit));
            Some(InlayHint { at: embedded.template.region.offset_to_host(hint.at)?, insert, ..hint })
        };
        question(snapshot, inner).into_iter().filter_map(translated).collect()
    });
    hints.sort_by_key(|hint| hint.at);
    hints.dedup_by(|a, b| (a.at, &a.label) == (b.at, &b.label));
    hints
}
