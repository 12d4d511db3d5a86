//! `.target debug` without debug information.

use diagnostics::registry::MISSING_DIRECTIVE;
use diagnostics::{Context, Diagnostic};
use syntax::{Item, LintFile};

/// What begins debug information.
const SECTIONS: [&str; 2] = [".section", "@@DWARF"];

/// Checks that a module with the option `debug` has a debug section.
pub(super) fn check(file: &LintFile, items: &[Item], context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    let Some(option) = context.header.targets.iter().find(|item| item.text == "debug") else { return };
    let is_section = |item: &Item| {
        let start = item.range().start;
        let mut bytes = file.text().bytes_at(start);
        SECTIONS.iter().any(|word| bytes.clone().zip(word.bytes()).all(|(byte, expected)| byte == expected))
            && bytes.next().is_some()
    };
    if !items.iter().any(is_section) {
        diagnostics.push(
            Diagnostic::new(&MISSING_DIRECTIVE, option.range.clone(), "missing `.section` directive for `debug`")
                .help("remove `debug`, or add the debug sections"),
        );
    }
}
