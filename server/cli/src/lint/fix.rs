//! `--fix`: applies fixes as long as they reduce the number of diagnostics.

use crate::render::portable;
use crate::write::apply;
use diagnostics::{Applicability, Diagnostic, Edit, Severity};
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A text with fixes applied.
pub struct FixedText {
    /// The text.
    pub text: String,
    /// How many fixes were applied.
    pub count: usize,
}

/// Maximum number of checks per text.
const CHECKS: usize = 200;

/// Applies fixes repeatedly; `None` if no fix helps. A fix is kept only if the text has fewer diagnostics
/// afterwards and no more errors, or fewer errors and no more diagnostics.
pub fn fix_text(text: &str, find: impl Fn(&str) -> Vec<Diagnostic>, wanted: Applicability) -> Option<FixedText> {
    let diagnostics = find(text);
    let mut state =
        FixLoop { text: text.to_owned(), diagnostics, count: 0, checks: CHECKS, useless: BTreeSet::new(), find };
    loop {
        let fixes = state.choose(wanted);
        if fixes.is_empty() || !state.attempt(&fixes) {
            break;
        }
    }
    (state.count > 0).then_some(FixedText { text: state.text, count: state.count })
}

/// Ranges that neither overlap nor touch, by their start.
#[derive(Default)]
struct DisjointRanges(BTreeMap<usize, usize>);

impl DisjointRanges {
    /// Whether a range is separate from all of these. Only the last one that starts before its end can touch it.
    fn is_apart(&self, range: &Range<usize>) -> bool {
        self.0.range(..=range.end).next_back().is_none_or(|(_, end)| *end < range.start)
    }

    /// Adds a range. Edits of one fix that touch become one range.
    fn take(&mut self, range: &Range<usize>) {
        let mut whole = range.clone();
        while let Some((&start, &end)) = self.0.range(..=whole.end).next_back().filter(|(_, end)| **end >= whole.start)
        {
            self.0.remove(&start);
            whole = start.min(whole.start)..end.max(whole.end);
        }
        self.0.insert(whole.start, whole.end);
    }
}

struct FixLoop<F> {
    text: String,
    diagnostics: Vec<Diagnostic>,
    count: usize,
    checks: usize,
    /// Fixes that did not help: their title and distance from the end of the text.
    useless: BTreeSet<(String, usize)>,
    find: F,
}

impl<F: Fn(&str) -> Vec<Diagnostic>> FixLoop<F> {
    /// The first applicable fix of each diagnostic, without overlaps.
    fn choose(&self, wanted: Applicability) -> Vec<Vec<Edit>> {
        let mut chosen: Vec<Vec<Edit>> = Vec::new();
        let mut taken = DisjointRanges::default();
        for diagnostic in &self.diagnostics {
            let Some((fix, _)) = diagnostic.applicable().find(|(_, applicability)| *applicability <= wanted) else {
                continue;
            };
            let free = fix.edits.iter().all(|edit| taken.is_apart(&edit.range));
            let known = self.useless.contains(&(fix.title.clone(), self.text.len() - diagnostic.range.start));
            if free && !known && !fix.edits.is_empty() {
                fix.edits.iter().for_each(|edit| taken.take(&edit.range));
                chosen.push(fix.edits.clone());
            }
        }
        chosen
    }

    /// Tries all fixes at once, then halves of them. Returns whether any helped.
    fn attempt(&mut self, fixes: &[Vec<Edit>]) -> bool {
        let mut parts = vec![fixes.to_vec()];
        while let Some(fixes) = parts.pop() {
            if self.checks == 0 {
                return false;
            }
            self.checks -= 1;
            let mut edits: Vec<Edit> = fixes.iter().flatten().cloned().collect();
            edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
            let text = apply(&self.text, &edits);
            let diagnostics = (self.find)(&text);
            let errors =
                |diagnostics: &[Diagnostic]| diagnostics.iter().filter(|f| f.severity == Severity::Error).count();
            let (now, before) = (errors(&diagnostics), errors(&self.diagnostics));
            let fewer = diagnostics.len() + fixes.len() <= self.diagnostics.len() && now <= before;
            // An error may become a warning.
            let milder = now + fixes.len() <= before && diagnostics.len() <= self.diagnostics.len();
            if fewer || milder {
                self.text = text;
                self.diagnostics = diagnostics;
                self.count += fixes.len();
                // The remaining fixes belong to the old text, so they are chosen again.
                return true;
            }
            if fixes.len() > 1 {
                let (first, second) = fixes.split_at(fixes.len() / 2);
                parts.push(second.to_vec());
                parts.push(first.to_vec());
            } else {
                self.remember(&fixes[0]);
            }
        }
        false
    }

    fn remember(&mut self, edits: &[Edit]) {
        let tried = |diagnostic: &&Diagnostic| diagnostic.fixes.first().is_some_and(|fix| fix.edits == edits);
        if let Some(diagnostic) = self.diagnostics.iter().find(tried) {
            let title = diagnostic.fixes[0].title.clone();
            self.useless.insert((title, self.text.len() - diagnostic.range.start));
        }
    }
}

/// A unified diff.
pub fn diff(name: &str, old: &str, new: &str) -> String {
    let name = portable(name);
    TextDiff::from_lines(old, new).unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use diagnostics::registry::ILLEGAL_TYPE;
    use std::cell::Cell;

    fn diagnostic(at: usize) -> Diagnostic {
        let range = at..at + 1;
        let edit = Edit { range: range.clone(), text: "b".to_owned() };
        Diagnostic::new(&ILLEGAL_TYPE, range, "a").fix("write b", [edit])
    }

    #[test]
    fn all_diagnostics_of_a_line_are_fixed_at_once() {
        const COUNT: usize = 200_000;
        let checks = Cell::new(0);
        let find = |text: &str| {
            checks.set(checks.get() + 1);
            text.match_indices('a').map(|(at, _)| diagnostic(at)).collect()
        };
        let fixed = fix_text(&"a ".repeat(COUNT), find, Applicability::Safe).expect("fixed");
        assert_eq!((fixed.text, fixed.count), ("b ".repeat(COUNT), COUNT));
        assert_eq!(checks.get(), 2, "before, and afterwards");
    }

    #[test]
    fn ranges_are_apart_where_something_lies_between_them() {
        let mut taken = DisjointRanges::default();
        for range in [4..6, 10..12, 6..7, 20..20] {
            taken.take(&range);
        }
        for (range, apart) in [
            (0..3, true),
            (0..4, false),
            (7..8, false),
            (8..9, true),
            (5..5, false),
            (13..19, true),
            (0..30, false),
            (20..21, false),
        ] {
            assert_eq!(taken.is_apart(&range), apart, "{range:?}");
        }
        assert_eq!(taken.0.len(), 3, "what touches is one range");
    }
}
