//! What the tests of fixes share: the findings of a text, and the text after a fix.

use diagnostics::{Diagnostic, Fix, Settings, Snapshot};
use ptx_lints::Check;
use syntax::LintFile;

/// The findings of a text.
pub fn check(text: &str) -> Vec<Diagnostic> {
    Snapshot::new(LintFile::parse(text), Settings::default()).diagnostics()
}

/// The title of a fix, and the line behind the head after it; no error is left.
pub fn applied(head: &str, text: &str, fix: &Fix) -> (String, String) {
    let mut fixed = text.to_owned();
    for edit in fix.edits.iter().rev() {
        fixed.replace_range(edit.range.clone(), &edit.text);
    }
    assert!(check(&fixed).is_empty(), "{fixed}: {:?}", check(&fixed));
    (fix.title.clone(), fixed[head.len()..fixed.len() - 3].trim().to_owned())
}
