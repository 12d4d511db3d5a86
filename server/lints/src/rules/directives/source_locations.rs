//! `.loc` directives of inlined code: the place that it was inlined at must be that of an earlier `.loc`.

use crate::summary::UnknownLocation;
use diagnostics::Diagnostic;
use diagnostics::registry::MISSING_DIRECTIVE;
use std::collections::BTreeSet;
use std::ops::Range;
use syntax::{Item, LintFile, Number, is_word_char};

/// The directive.
const LOC: &str = ".loc";

/// What the directive of inlined code has.
const INLINED_AT: &str = "inlined_at";

/// A file, a line and a column.
type DebugLocation = [u64; 3];

/// A `.loc` directive.
struct LocDirective {
    location: DebugLocation,
    /// The place that the code was inlined at, and its range.
    inlined_at: Option<(DebugLocation, Range<usize>)>,
}

/// The places that an item refers to before it has a `.loc` of them. Their ranges are relative to the item.
pub(in crate::rules) fn unknown_locations(file: &LintFile, item: &Item) -> Vec<UnknownLocation> {
    if !item.is_function() || !file.holds(item.range(), INLINED_AT) {
        return Vec::new();
    }
    let text = file.slice(&item.range());
    // Directives in comments are not told apart from others.
    if text.contains("/*") {
        return Vec::new();
    }
    let (mut known, mut unknown) = (BTreeSet::new(), Vec::new());
    for directive in directives(&text) {
        if let Some((location, range)) = directive.inlined_at.filter(|(location, _)| !known.contains(location)) {
            unknown.push(UnknownLocation { location, range });
        }
        known.insert(directive.location);
    }
    unknown
}

/// Reports the places that no item before has a `.loc` of. Each list has the start of its item.
pub(super) fn check(
    file: &LintFile,
    items: &[Item],
    unknown: &[(usize, &[UnknownLocation])],
    diagnostics: &mut Vec<Diagnostic>,
) {
    let (mut known, mut items) = (BTreeSet::new(), items.iter().filter(|item| item.is_function()).peekable());
    for (base, unknown) in unknown {
        while let Some(item) = items.next_if(|item| item.range().start < *base) {
            known.extend(directives(&file.slice(&item.range())).map(|directive| directive.location));
        }
        for UnknownLocation { location, range } in unknown.iter().filter(|one| !known.contains(&one.location)) {
            let [source, line, column] = location;
            let message = format!("missing `.loc {source} {line} {column}` directive before `inlined_at`");
            diagnostics.push(
                Diagnostic::new(&MISSING_DIRECTIVE, base + range.start..base + range.end, message)
                    .help("write the place of an earlier `.loc` directive: its file, line and column"),
            );
        }
    }
}

/// The `.loc` directives of a text, in order.
fn directives(text: &str) -> impl Iterator<Item = LocDirective> {
    let is_code = |at: usize| {
        let line = &text[text[..at].rfind('\n').map_or(0, |end| end + 1)..at];
        !line.contains("//") && !line.contains('"') && !text[at + LOC.len()..].starts_with(is_word_char)
    };
    text.match_indices(LOC).filter(move |(at, _)| is_code(*at)).filter_map(|(at, _)| read(text, at + LOC.len()))
}

/// Reads a directive behind its word.
fn read(text: &str, mut at: usize) -> Option<LocDirective> {
    let (location, _) = read_location(text, &mut at)?;
    let mut rest = at;
    let skip = |at: &mut usize, expected: &str| {
        let trimmed = text[*at..].trim_start();
        let after = trimmed.strip_prefix(expected)?;
        *at = text.len() - after.len();
        Some(())
    };
    let mut inlined_at = || {
        skip(&mut rest, ",")?;
        skip(&mut rest, "function_name")?;
        // A label, perhaps with an offset.
        rest += text[rest..].find([',', '\n'])?;
        skip(&mut rest, ",")?;
        skip(&mut rest, INLINED_AT)?;
        read_location(text, &mut rest)
    };
    Some(LocDirective { location, inlined_at: inlined_at() })
}

/// Reads three numbers, and their range.
fn read_location(text: &str, at: &mut usize) -> Option<(DebugLocation, Range<usize>)> {
    let mut location = [0; 3];
    let mut start = None;
    for number in &mut location {
        let from = text.len() - text[*at..].trim_start().len();
        let length = text[from..].find(|c| !is_word_char(c)).unwrap_or(text.len() - from);
        *number = Number::integer(&text[from..from + length])?;
        start.get_or_insert(from);
        *at = from + length;
    }
    Some((location, start?..*at))
}
