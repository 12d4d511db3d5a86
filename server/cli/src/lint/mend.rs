//! `--fix`: applies fixes as long as each makes the text better.
//!
//! Must not know files or rules.

use crate::write::apply;
use analysis::{Edit, Finding, Fix, Severity};
use similar::TextDiff;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

/// A mended text.
pub struct Mended {
    /// The text.
    pub text: String,
    /// How many fixes were applied.
    pub count: usize,
}

/// What a comment expects, and what the module is for, are the author's word.
const LEFT_TO_PEOPLE: [&str; 13] = [
    "address-space",
    "duplicate-lane",
    "evaluation-mismatch",
    "evaluation-unreadable",
    "flushed-subnormals",
    "missing-directive",
    "narrow-scope",
    "outcome-allowed",
    "truncated-immediate",
    "unknown-target",
    "unknown-to-toolkit",
    "unknown-version",
    "volatile-access",
];

/// How often a text is checked at most; what is not mended by then stays.
const CHECKS: usize = 200;

/// Applies fixes, and again to what is found then; `None` where none makes the text better. A fix counts only if the text has fewer findings
/// afterwards and no more errors, or fewer errors and no more findings.
pub fn mend(text: &str, find: impl Fn(&str) -> Vec<Finding>, unsafe_too: bool) -> Option<Mended> {
    let findings = find(text);
    let mut state = State { text: text.to_owned(), findings, count: 0, checks: CHECKS, useless: BTreeSet::new(), find };
    loop {
        let fixes = state.choose(unsafe_too);
        if fixes.is_empty() || !state.attempt(&fixes) {
            break;
        }
    }
    (state.count > 0).then_some(Mended { text: state.text, count: state.count })
}

/// Whether a fix can be applied without asking: it is the only one, stays in the lines of its finding, and does not only take something
/// away.
fn is_safe(lines: &Lines, finding: &Finding, fix: &Fix) -> bool {
    let within = lines.around(&finding.range);
    let near = fix.edits.iter().all(|edit| within.start <= edit.range.start && edit.range.end <= within.end);
    let adds = fix.edits.iter().any(|edit| !edit.text.is_empty());
    finding.fixes.len() == 1
        && near
        && (adds || finding.code == "unused-suppression")
        && !LEFT_TO_PEOPLE.contains(&finding.code)
}

/// Where the lines of a text begin, and where the last one ends: a line may be as long as the text, and is not searched for each finding in it.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        let breaks = text.match_indices('\n').map(|(at, _)| at + 1);
        Lines([0].into_iter().chain(breaks).chain([text.len()]).collect())
    }

    /// The lines that a range touches, with their ends.
    fn around(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.0.partition_point(|begin| *begin <= range.start);
        let last = self.0.partition_point(|begin| *begin <= range.end).min(self.0.len() - 1);
        self.0[first.min(self.0.len() - 1) - 1]..self.0[last]
    }
}

/// Ranges of which none touches another, by where they begin.
#[derive(Default)]
struct Taken(BTreeMap<usize, usize>);

impl Taken {
    /// Whether something lies between a range and all of these. They do not touch, so only the last that begins before its end can.
    fn is_apart(&self, range: &Range<usize>) -> bool {
        self.0.range(..=range.end).next_back().is_none_or(|(_, end)| *end < range.start)
    }

    /// Takes a range up. The edits of one fix may touch each other: then they are one range.
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

struct State<F> {
    text: String,
    findings: Vec<Finding>,
    count: usize,
    checks: usize,
    /// Fixes that were tried in vain: what they do, and how far from the end of the text.
    useless: BTreeSet<(String, usize)>,
    find: F,
}

impl<F: Fn(&str) -> Vec<Finding>> State<F> {
    /// The first fix of each finding, as far as they do not get into each other's way.
    fn choose(&self, unsafe_too: bool) -> Vec<Vec<Edit>> {
        let mut chosen: Vec<Vec<Edit>> = Vec::new();
        let mut taken = Taken::default();
        let lines = Lines::of(&self.text);
        for finding in &self.findings {
            let Some(fix) = finding.fixes.first().filter(|fix| unsafe_too || is_safe(&lines, finding, fix)) else {
                continue;
            };
            let free = fix.edits.iter().all(|edit| taken.is_apart(&edit.range));
            let known = self.useless.contains(&(fix.title.clone(), self.text.len() - finding.range.start));
            if free && !known && !fix.edits.is_empty() {
                fix.edits.iter().for_each(|edit| taken.take(&edit.range));
                chosen.push(fix.edits.clone());
            }
        }
        chosen
    }

    /// Applies what helps: all at once, or else parts. Says whether anything did.
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
            let findings = (self.find)(&text);
            let errors = |findings: &[Finding]| findings.iter().filter(|f| f.severity == Severity::Error).count();
            let (now, before) = (errors(&findings), errors(&self.findings));
            let fewer = findings.len() + fixes.len() <= self.findings.len() && now <= before;
            // What was an error may turn out to be slow, or old.
            let milder = now + fixes.len() <= before && findings.len() <= self.findings.len();
            if fewer || milder {
                self.text = text;
                self.findings = findings;
                self.count += fixes.len();
                // The other parts were made for the text before, and are chosen anew.
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
        let tried = |finding: &&Finding| finding.fixes.first().is_some_and(|fix| fix.edits == edits);
        if let Some(finding) = self.findings.iter().find(tried) {
            let title = finding.fixes[0].title.clone();
            self.useless.insert((title, self.text.len() - finding.range.start));
        }
    }
}

/// How a text changes, as a unified diff.
pub fn diff(name: &str, old: &str, new: &str) -> String {
    let name = name.strip_prefix("./").unwrap_or(name);
    TextDiff::from_lines(old, new).unified_diff().header(&format!("a/{name}"), &format!("b/{name}")).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    fn finding(at: usize) -> Finding {
        let range = at..at + 1;
        let fix = Fix { title: "write b".to_owned(), edits: vec![Edit { range: range.clone(), text: "b".to_owned() }] };
        Finding {
            code: "illegal-type",
            severity: Severity::Error,
            range,
            message: String::new(),
            help: String::new(),
            related: Vec::new(),
            fixes: vec![fix],
        }
    }

    #[test]
    fn all_findings_of_a_line_are_mended_in_one_go() {
        const COUNT: usize = 200_000;
        let checks = Cell::new(0);
        let find = |text: &str| {
            checks.set(checks.get() + 1);
            text.match_indices('a').map(|(at, _)| finding(at)).collect()
        };
        let mended = mend(&"a ".repeat(COUNT), find, false).expect("mended");
        assert_eq!((mended.text, mended.count), ("b ".repeat(COUNT), COUNT));
        assert_eq!(checks.get(), 2, "before, and afterwards");
    }

    #[test]
    fn ranges_are_apart_where_something_lies_between_them() {
        let mut taken = Taken::default();
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

    #[test]
    fn lines_around_a_range_end_with_their_breaks() {
        let lines = Lines::of("ab\ncd\n\nef");
        for (range, around) in
            [(0..1, 0..3), (2..2, 0..3), (3..4, 3..6), (1..4, 0..6), (6..6, 6..7), (8..9, 7..9), (9..9, 7..9)]
        {
            assert_eq!(lines.around(&range), around, "{range:?}");
        }
        assert_eq!(Lines::of("").around(&(0..0)), 0..0);
        assert_eq!(Lines::of("ab\n").around(&(3..3)), 3..3, "what stands at the end is in no line before");
    }
}
