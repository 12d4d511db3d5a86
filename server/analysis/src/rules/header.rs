//! `.version` and `.target`: there, known, and one fit for the other.

use super::rule;
use crate::module::Context;
use crate::{Edit, Finding, Fix, Related};
use isa::{Code, Reason};
use std::ops::Range;

/// Checks the head of a module; as for the assembler, a missing directive hides the others.
pub(crate) fn check(context: &Context, has_instruction: bool, findings: &mut Vec<Finding>) {
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
    let counts = |reason: &Reason| has_instruction || reason.code != Code::RequiresPtxVersion;
    findings.extend(reasons.filter(counts).map(|reason| finding(reason, context)));
}

fn missing(range: Range<usize>, directive: &str, what: &str, example: &str) -> Finding {
    let rule = rule("missing-directive").expect("the rule is registered");
    Finding {
        code: rule.code,
        severity: rule.severity,
        range,
        message: format!("the module does not say {what}: `{directive}` is missing"),
        help: format!("a module begins with `.version` and then `.target`: write `{directive} {example}` before this"),
        related: Vec::new(),
        fixes: Vec::new(),
    }
}

fn finding(reason: Reason, context: &Context) -> Finding {
    let rule = rule(reason.code.as_str()).expect("every code of the tables has a rule");
    let range = place(reason.at, context);
    let version = (reason.at.is_some() && reason.code == Code::RequiresPtxVersion)
        .then(|| Related { range: place(None, context), message: "the module's version".to_owned() });
    let other = reason
        .other
        .map(|at| Related { range: place(Some(at), context), message: "it does not go with this".to_owned() });
    Finding {
        code: rule.code,
        severity: rule.severity,
        related: version.into_iter().chain(other).collect(),
        fixes: reason.fixes.iter().filter_map(|fix| text_fix(fix, &range, context)).collect(),
        range,
        message: reason.message,
        help: reason.help,
    }
}

/// Where an item of `.target` stands, or the number of `.version`.
fn place(at: Option<usize>, context: &Context) -> Range<usize> {
    let header = &context.header;
    let token = at.map_or(header.version.as_ref(), |at| header.targets.get(at));
    token.map_or(header.body_at.clone(), |token| token.range.clone())
}

fn text_fix(fix: &isa::Fix, range: &Range<usize>, context: &Context) -> Option<Fix> {
    let edits = fix.edits.iter().map(|edit| match edit {
        isa::Edit::Version(version) => Some(Edit { range: place(None, context), text: version.to_string() }),
        isa::Edit::Target(target) => Some(Edit { range: range.clone(), text: target.to_string() }),
        isa::Edit::Remove { at } => removal(*at, context).map(|range| Edit { range, text: String::new() }),
        _ => None,
    });
    Some(Fix { title: fix.title.clone(), edits: edits.collect::<Option<_>>()? })
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
