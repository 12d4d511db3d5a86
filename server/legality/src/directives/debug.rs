//! `.target debug` without debug information.

use crate::directives::section_data::SECTION;
use diagnostics::registry::MISSING_DIRECTIVE;
use diagnostics::{Context, Diagnostic};
use syntax::{Item, LintFile};

/// What begins debug information of PTX 1.
const OLD_SECTION: &str = "@@DWARF";

/// Checks that a module with the option `debug` has a debug section.
pub(super) fn check(file: &LintFile, items: &[Item], context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let Some(option) = context.header.targets.iter().find(|item| item.text == "debug") else { return };
    let is_section = |item: &Item| {
        let old = || file.text().bytes_at(item.range().start).take(OLD_SECTION.len()).eq(OLD_SECTION.bytes());
        item.directive().text == SECTION || old()
    };
    // Compilers write them last.
    if !items.iter().rev().any(is_section) {
        diagnostics.push(
            Diagnostic::new(&MISSING_DIRECTIVE, option.range.clone(), "missing `.section` directive for `debug`")
                .help("remove `debug`, or add the debug sections"),
        );
    }
}
