//! `.version` and `.target`: there, known, and one fit for the other.

use diagnostics::Context;
use diagnostics::registry::{MISSING_DIRECTIVE, broken};
use diagnostics::{Cause, Diagnostic, Edit, applicability};
use isa::{Reason, ReasonCode};
use std::ops::Range;

/// Checks the head of a module; as for the assembler, a missing directive hides the others.
pub(crate) fn check(context: &Context, has_instruction: bool, findings: &mut Vec<Diagnostic>) {
    let header = &context.header;
    let Some(version) = &header.version else {
        return findings.push(missing(
            header.body_at.clone(),
            ".version",
            "the PTX version that it is written in",
            "9.5",
        ));
    };
    if header.targets.is_empty() {
        return findings.push(missing(header.body_at.clone(), ".target", "the architecture that it is for", "sm_90"));
    }
    let items: Vec<&str> = header.targets.iter().map(|token| &*token.text).collect();
    let reasons = isa::header::check(&version.text, &items).into_iter();
    // The assembler compares version and target when it meets an instruction, and not before.
    let counts = |reason: &Reason| has_instruction || reason.code != ReasonCode::RequiresPtxVersion;
    findings.extend(reasons.filter(counts).map(|reason| finding(reason, context)));
}

fn missing(range: Range<usize>, directive: &str, what: &str, example: &str) -> Diagnostic {
    Diagnostic::new(&MISSING_DIRECTIVE, range, format!("the module does not say {what}: `{directive}` is missing"))
        .help(format!("a module begins with `.version` and then `.target`: write `{directive} {example}` before this"))
}

fn finding(reason: Reason, context: &Context) -> Diagnostic {
    let range = place(reason.at, context);
    let cause = Cause::of(&reason, context.version_source());
    let mut found = Diagnostic::because(broken(reason.code), range.clone(), cause);
    if reason.at.is_some() && reason.code == ReasonCode::RequiresPtxVersion {
        found = found.related(place(None, context), "the module's version");
    }
    if let Some(at) = reason.other {
        found = found.related(place(Some(at), context), "it does not go with this");
    }
    reason.fixes.iter().fold(found, |found, fix| {
        let edits = text_edits(fix, &range, context).unwrap_or_default();
        found.fix_if(applicability(&fix.edits), &*fix.title, edits)
    })
}

/// Where an item of `.target` stands, or the number of `.version`.
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

/// An item of `.target` with the comma that joins it to a neighbour; `None` for the only one.
fn removal(at: usize, context: &Context) -> Option<Range<usize>> {
    let items = &context.header.targets;
    let range = &items.get(at)?.range;
    match at.checked_sub(1) {
        Some(before) => Some(items[before].range.end..range.end),
        None => Some(range.start..items.get(1)?.range.start),
    }
}
