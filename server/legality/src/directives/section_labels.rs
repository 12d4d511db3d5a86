//! Labels in debug sections, and their differences, which old versions do not have.

use crate::directives::requires;
use diagnostics::{Context, Diagnostic};
use isa::directives::unsupported;
use std::ops::Range;
use syntax::{Item, Rope};

const LABELS: &str = "labels in debug sections";
const DIFFERENCES: &str = "differences of labels in debug sections";

/// Checks the first label and the first difference of a debug section, in versions that lack one of them.
pub(super) fn check(text: &Rope, item: &Item, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let lacks = |feature: &str| unsupported(feature, &context.module).is_some();
    if !lacks(DIFFERENCES) {
        return;
    }
    let section = text.byte_slice(item.range()).to_string();
    let lines = || {
        let start = |line: &str| line.as_ptr() as usize - section.as_ptr() as usize;
        section.lines().map(move |line| (start(line), line.split("//").next().unwrap_or_default()))
    };
    for (feature, find) in [(LABELS, label as fn(&str) -> Option<Range<usize>>), (DIFFERENCES, difference)] {
        let first = lines().find_map(|(start, line)| find(line).map(|found| start + found.start..start + found.end));
        if let Some(found) = first.filter(|_| lacks(feature)) {
            let base = item.range().start;
            requires::check(feature, base + found.start..base + found.end, context, diagnostics);
        }
    }
}

/// The name of a label in a line, which may also hold the head of the section.
fn label(line: &str) -> Option<Range<usize>> {
    let end = line[..line.find(':')?].trim_end().len();
    let start = line[..end].rfind(|c: char| !is_name(c)).map_or(0, |before| before + 1);
    (start < end && !line[..start].contains('"')).then_some(start..end)
}

/// The difference of two names in a line of data.
fn difference(line: &str) -> Option<Range<usize>> {
    line.match_indices('-').find_map(|(at, _)| {
        let before = line[..at].trim_end();
        let after = line[at + 1..].trim_start();
        let start = before.rfind(|c: char| !is_name(c)).map_or(0, |before| before + 1);
        let end = line.len() - after.trim_start_matches(is_name).len();
        let is_symbol = |text: &str| text.starts_with(|c: char| is_name(c) && !c.is_ascii_digit());
        (is_symbol(&before[start..]) && is_symbol(after)).then_some(start..end)
    })
}

fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || matches!(c, '.' | '_' | '$' | '%')
}
