//! Versions and targets that directives require.

use diagnostics::registry::{UNSUPPORTED_DIRECTIVE, rule_for_reason};
use diagnostics::{Cause, Context, Diagnostic, Edit, applicability, replace};
use isa::directives::{UnsupportedDirective, unsupported};
use isa::{ReasonCode, SpellingEdit, SpellingFix};
use std::ops::Range;
use syntax::{FunctionBody, FunctionHead, ItemHead};

/// Checks the words with a dot in the head of an item, which may be a function, each once.
pub(super) fn check_words(
    head: &ItemHead,
    function: Option<&FunctionHead>,
    context: &Context,
    diagnostics: &mut Vec<Diagnostic>,
) {
    // Measured: a function that is only declared may have this type in every version.
    let is_exempt =
        |word: &str| word == ".b128" && function.is_some_and(|function| function.body == FunctionBody::Declared);
    let before = diagnostics.len();
    for word in head.words().filter(|word| !is_exempt(&word.text)) {
        let is_reported = |found: &Diagnostic| head.slice(found.range.clone()).text == word.text;
        if !diagnostics[before..].iter().any(is_reported) {
            check(&word.text, word.range, context, diagnostics);
        }
    }
}

/// Checks a directive, a feature of declarations, or a special register.
pub(in crate::rules) fn check(name: &str, range: Range<usize>, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
    match unsupported(name, &context.module) {
        None => {}
        Some(UnsupportedDirective::Removed(version)) => {
            let message = match name.starts_with('.') {
                true => format!("`{name}` is not supported since PTX {version}"),
                false => format!("{name} are not supported since PTX {version}"),
            };
            let help = match name {
                ".maxnctapersm" => "use `.minnctapersm`",
                ".tex" => "declare a `.global .texref` variable",
                _ => "declare them in functions",
            };
            diagnostics.push(Diagnostic::new(&UNSUPPORTED_DIRECTIVE, range, message).help(help));
        }
        Some(UnsupportedDirective::Requires(reason)) => {
            let (place, what) = match reason.code {
                ReasonCode::RequiresTarget => (&context.target_at, "module target"),
                _ => (&context.version_at, "module version"),
            };
            let cause = Cause::of(&reason, context.sources());
            let mut found = Diagnostic::because(rule_for_reason(reason.code), range, cause);
            if let Some(place) = place.clone() {
                found = found.related(place, what);
            }
            for fix in &reason.fixes {
                let edits = edits(fix, context).unwrap_or_default();
                found = found.fix_with(applicability(&fix.edits), &*fix.title, edits);
            }
            diagnostics.push(found);
        }
    }
}

/// The edits of the module's version and target, in text order; `None` if the settings set one of them.
fn edits(fix: &SpellingFix, context: &Context) -> Option<Vec<Edit>> {
    let edit = |edit: &SpellingEdit| match edit {
        SpellingEdit::Target(target) => Some(replace(context.target_at.clone()?, target.to_string())),
        SpellingEdit::Version(version) => Some(replace(context.version_at.clone()?, version.to_string())),
        _ => None,
    };
    let mut edits = fix.edits.iter().map(edit).collect::<Option<Vec<_>>>()?;
    edits.sort_by_key(|edit| edit.range.start);
    Some(edits)
}
