//! Checks that `.version` and `.target` are present, known and compatible.

use diagnostics::registry::{MISSING_DIRECTIVE, rule_for_reason};
use diagnostics::{Cause, Context, Diagnostic, Edit, ModuleSources, applicability};
use isa::{Reason, ReasonCode};
use std::ops::Range;

/// Checks the header of a module. As in the assembler, a missing directive hides other errors.
pub(crate) fn check(context: &Context, has_items: bool, diagnostics: &mut Vec<Diagnostic>) {
    let header = &context.header;
    let Some(version) = &header.version else {
        return diagnostics.push(missing(header.body_at.clone(), ".version", "9.5"));
    };
    if header.targets.is_empty() {
        return diagnostics.push(missing(header.body_at.clone(), ".target", "sm_90"));
    }
    let items: Vec<&str> = header.targets.iter().map(|token| &*token.text).collect();
    let reasons = isa::header::check(&version.text, &items).into_iter();
    // Measured: the assembler compares version and target only in a module that has more than its header.
    let counts = |reason: &Reason| has_items || reason.code != ReasonCode::RequiresPtxVersion;
    diagnostics.extend(reasons.filter(counts).map(|reason| diagnostic(reason, context)));
}

fn missing(range: Range<usize>, directive: &str, example: &str) -> Diagnostic {
    Diagnostic::new(&MISSING_DIRECTIVE, range, format!("missing `{directive}` directive"))
        .help(format!("write `{directive} {example}`; a module starts with `.version`, then `.target`"))
}

fn diagnostic(reason: Reason, context: &Context) -> Diagnostic {
    let range = place(reason.at, context);
    let cause = Cause::of(&reason, ModuleSources::MODULE);
    let mut found = Diagnostic::because(rule_for_reason(reason.code), range.clone(), cause);
    if reason.at.is_some() && reason.code == ReasonCode::RequiresPtxVersion {
        found = found.related(place(None, context), "module version");
    }
    if let Some(at) = reason.other {
        found = found.related(place(Some(at), context), "conflicts with this option");
    }
    reason.fixes.iter().fold(found, |found, fix| {
        let edits = text_edits(fix, &range, context).unwrap_or_default();
        found.fix_with(applicability(&fix.edits), &*fix.title, edits)
    })
}

/// The range of an item of `.target`, or of the `.version` number.
fn place(at: Option<usize>, context: &Context) -> Range<usize> {
    let header = &context.header;
    let token = at.map_or(header.version.as_ref(), |at| header.targets.get(at));
    token.map_or(header.body_at.clone(), |token| token.range.clone())
}

fn text_edits(fix: &isa::SpellingFix, range: &Range<usize>, context: &Context) -> Option<Vec<Edit>> {
    let edits = fix.edits.iter().map(|edit| match edit {
        isa::SpellingEdit::Version(version) => Some(Edit { range: place(None, context), text: version.to_string() }),
        isa::SpellingEdit::Target(target) => Some(Edit { range: range.clone(), text: target.to_string() }),
        isa::SpellingEdit::Remove { at } => removal(*at, context).map(|range| Edit { range, text: String::new() }),
        _ => None,
    });
    edits.collect()
}

/// The range of an item of `.target` with a comma; `None` for the only item.
fn removal(at: usize, context: &Context) -> Option<Range<usize>> {
    let items = &context.header.targets;
    let range = &items.get(at)?.range;
    match at.checked_sub(1) {
        Some(before) => Some(items[before].range.end..range.end),
        None => Some(range.start..items.get(1)?.range.start),
    }
}
