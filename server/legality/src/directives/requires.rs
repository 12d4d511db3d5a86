//! Versions and targets that directives require.

use diagnostics::registry::{UNSUPPORTED_DIRECTIVE, rule_for_reason};
use diagnostics::{Cause, Context, Diagnostic, Edit, applicability, replace};
use isa::directives::{UnsupportedDirective, unsupported};
use isa::{ReasonCode, SpellingEdit, SpellingFix};
use std::ops::Range;
use syntax::{Declarator, DeclaredParameter, FunctionBody, FunctionHead, ItemHead, Token};

/// The type of 128 bits.
const B128: &str = ".b128";

/// Checks the words with a dot in the head of an item, which may be a function, each once.
pub(super) fn check_words(
    head: &ItemHead,
    function: Option<&FunctionHead>,
    context: &Context,
    diagnostics: &mut Vec<Diagnostic>,
) {
    let before = diagnostics.len();
    for word in head.words().filter(|word| word.text != B128 || !is_wide_exempt(head, function, word)) {
        let is_reported = |found: &Diagnostic| head.slice(found.range.clone()).text == word.text;
        if !diagnostics[before..].iter().any(is_reported) {
            check(&word.text, word.range, context, diagnostics);
        }
    }
}

/// Whether `.b128` is allowed in every version. Measured: a function that is only declared may have this type, and so may an array, which is only memory.
fn is_wide_exempt(head: &ItemHead, function: Option<&FunctionHead>, word: &Token) -> bool {
    let is_array = |declarator: &Declarator| !declarator.dimensions.is_empty();
    match function {
        Some(function) => {
            let mut parameters = function.returns.iter().chain(&function.parameters);
            let is_of = |parameter: &DeclaredParameter| parameter.storage.ty.range == word.range;
            function.body == FunctionBody::Declared
                || parameters.any(|parameter| is_of(parameter) && is_array(&parameter.declarator))
        }
        None => head.variable().is_some_and(|variable| variable.declarators.iter().all(is_array)),
    }
}

/// Checks a directive, a feature of declarations, or a special register.
pub fn check(name: &str, range: Range<usize>, context: &Context, diagnostics: &mut Vec<Diagnostic>) {
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
