//! `.loc` directives of inlined code: the place that it was inlined at must be that of an earlier `.loc`.

use crate::summary::UnknownLocation;
use diagnostics::Diagnostic;
use diagnostics::registry::MISSING_DIRECTIVE;
use std::collections::BTreeSet;
use syntax::{Item, LintFile, line_directives};

/// What the directive of inlined code has.
const INLINED_AT: &str = "inlined_at";

/// The places that an item refers to before it has a `.loc` of them. Their ranges are relative to the item.
pub fn unknown_locations(file: &LintFile, item: &Item) -> Vec<UnknownLocation> {
    if !item.is_function() || !file.holds(item.range(), INLINED_AT) {
        return Vec::new();
    }
    let text = file.slice(&item.range());
    // Directives in comments are not told apart from others.
    if text.contains("/*") {
        return Vec::new();
    }
    let (mut known, mut unknown) = (BTreeSet::new(), Vec::new());
    for directive in line_directives(&text) {
        if let Some((location, range)) = directive.inlined_at.filter(|(location, _)| !known.contains(location)) {
            unknown.push(UnknownLocation { location, range });
        }
        known.insert(directive.place);
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
            known.extend(line_directives(&file.slice(&item.range())).map(|directive| directive.place));
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
