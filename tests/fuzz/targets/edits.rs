//! Edits of a document: text, diagnostics and tokens equal those of a freshly opened document.

use super::{queries, text};
use hosts::Language;
use ide::Text;
use lints::Checker;

/// What separates the text and the edits of an input: no file holds it but by accident.
const SEPARATOR: u8 = 0x1e;

/// The first byte chooses language and settings, then the text follows, and edits after separators: two bytes say where, one how much goes,
/// the rest is what comes.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let language = Language::ALL[usize::from(choice >> 6) % Language::ALL.len()];
    let settings = queries::settings(*choice);
    let mut parts = bytes.split(|byte| *byte == SEPARATOR);
    let mut expected = text(parts.next().unwrap_or_default());
    let mut document = Text::parse(language, &expected);
    let mut checker = Checker::default();
    document.under(settings.clone()).check(&mut checker, &|| false);
    for part in parts.take(40) {
        let [high, low, length, new @ ..] = part else { continue };
        let floor = |at: usize| (0..=at).rev().find(|at| expected.is_char_boundary(*at)).unwrap_or_default();
        let start = floor(usize::from(u16::from_be_bytes([*high, *low])) % (expected.len() + 1));
        let end = floor((start + usize::from(*length)).min(expected.len())).max(start);
        let new = text(new);
        document.edit_all([(start..end, new.as_str())]);
        expected.replace_range(start..end, &new);
        assert_eq!(document.rope().to_string(), expected, "the text is what the client has");

        let source = document.under(settings.clone());
        let found = source.check(&mut checker, &|| false).expect("is not cancelled");
        let fresh = Text::parse(language, &expected).under(settings.clone());
        assert_eq!(found, fresh.diagnostics(), "findings do not depend on how the text came about: {expected:?}");
        assert_eq!(source.semantic_tokens(None), fresh.semantic_tokens(None), "nor do colours: {expected:?}");
        assert_eq!(source.document_symbols(), fresh.document_symbols(), "nor does the outline: {expected:?}");
    }
}
