//! `.file` directives: each has a number of its own.

use crate::summary::{ModuleDirective, Summary};
use diagnostics::Diagnostic;
use diagnostics::registry::DUPLICATE_DECLARATION;
use std::collections::BTreeMap;
use syntax::{Item, LintFile, Number, is_word_char};

/// The directive.
pub(super) const FILE: &str = ".file";

/// Reads the number of a directive; `None` if it has none.
pub(super) fn read(file: &LintFile, item: &Item) -> Option<ModuleDirective> {
    let text = file.slice(&item.range());
    let rest = text[FILE.len()..].trim_start();
    let start = text.len() - rest.len();
    let length = rest.find(|c| !is_word_char(c)).unwrap_or(rest.len());
    Some(ModuleDirective::SourceFile(Number::integer(&rest[..length])?, start..start + length))
}

/// Reports numbers that several directives have.
pub(super) fn check(summaries: &[(usize, &Summary)], diagnostics: &mut Vec<Diagnostic>) {
    let mut known = BTreeMap::new();
    for (base, summary) in summaries {
        let Some(ModuleDirective::SourceFile(number, range)) = &summary.directive else { continue };
        let range = base + range.start..base + range.end;
        match known.get(number) {
            None => _ = known.insert(*number, range),
            Some(first) => diagnostics.push(
                Diagnostic::new(&DUPLICATE_DECLARATION, range, format!("duplicate `.file` number {number}"))
                    .help("write a number that no other `.file` has")
                    .related(std::ops::Range::clone(first), "first declared here"),
            ),
        }
    }
}
