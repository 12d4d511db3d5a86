//! The operands of an `asm` statement in completion and hover, with what the host language passes.

use crate::Hover;
use crate::features::{NameAccess, StatementCompletion, StatementCompletionKind};
use hosts::inline_asm::{AsmFragment, AsmOperand};

/// The completions of an operand of an instruction: first the operands of the statement that fit, with their expressions. Those that the instruction cannot
/// write are left out, and so are those of another width if some fit.
pub(super) fn fitting(fragment: &AsmFragment, mut offers: Vec<StatementCompletion>) -> Vec<StatementCompletion> {
    offers.extend(constants(fragment, &offers));
    let mut ranked: Vec<(OfferGroup, StatementCompletion)> = Vec::new();
    for offer in offers {
        match operand_named(fragment, &offer.label) {
            None if offer.fits => ranked.push((OfferGroup::Fitting, offer)),
            None => ranked.push((OfferGroup::Other, offer)),
            Some(operand) => {
                let described = describe(fragment, operand, offer);
                ranked.extend(group(operand, &described).map(|group| (group, described)));
            }
        }
    }
    if ranked.iter().any(|(group, _)| *group == OfferGroup::Operand) {
        ranked.retain(|(group, _)| *group != OfferGroup::Misfit);
    }
    ranked.sort_by_key(|(group, _)| *group);
    ranked.into_iter().map(|(_, offer)| offer).collect()
}

/// Which completions come first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum OfferGroup {
    /// An operand of the statement that has the width and direction.
    Operand,
    /// A register of the template that fits.
    Fitting,
    /// An output that is read: it has no value before the template writes it.
    Output,
    /// An operand of the statement of another width.
    Misfit,
    /// Anything else.
    Other,
}

/// The group of an operand of the statement; `None` if the instruction would write an input.
fn group(operand: &AsmOperand, offer: &StatementCompletion) -> Option<OfferGroup> {
    let (reads, writes) = directions(operand);
    match offer.access {
        Some(NameAccess::Write) if !writes => None,
        _ if !offer.fits => Some(OfferGroup::Misfit),
        Some(NameAccess::Read) if !reads => Some(OfferGroup::Output),
        _ => Some(OfferGroup::Operand),
    }
}

/// The constants among the operands, which are no registers: they fit where a register is read.
fn constants(fragment: &AsmFragment, offers: &[StatementCompletion]) -> Vec<StatementCompletion> {
    let Some(model) = offers
        .iter()
        .find(|offer| offer.access == Some(NameAccess::Read) && offer.kind == StatementCompletionKind::Register)
    else {
        return Vec::new();
    };
    let text = &fragment.template.text;
    let typed = text.get(model.range.clone()).unwrap_or_default();
    let before = text.get(..model.range.start).unwrap_or_default();
    if model.label.starts_with('[') || before.trim_end().ends_with('[') {
        return Vec::new();
    }
    let dialect = fragment.template.dialect;
    let names = fragment.operands.iter().enumerate().filter(|(_, operand)| operand.letter() == Some('n'));
    let names = names.map(|(number, operand)| operand.ptx_name(dialect, number));
    let constant = |label: String| StatementCompletion {
        kind: StatementCompletionKind::Value,
        text: label.clone(),
        fits: true,
        documentation: String::new(),
        label,
        ..model.clone()
    };
    names.filter(|name| name.starts_with(typed) && name != typed).map(constant).collect()
}

/// A completion of an operand with what it stands for.
fn describe(fragment: &AsmFragment, operand: &AsmOperand, offer: StatementCompletion) -> StatementCompletion {
    let detail = match expression(fragment, operand) {
        expression if expression.is_empty() => facts(operand),
        expression => format!("{expression}: {}", facts(operand)),
    };
    StatementCompletion { detail, ..offer }
}

/// The hover on a name in the PTX of a statement, with what it stands for if it is an operand.
pub(super) fn with_operand(fragment: &AsmFragment, hover: Hover) -> Hover {
    let name = fragment.template.text.get(hover.range.clone()).unwrap_or_default();
    let Some(operand) = operand_named(fragment, name) else { return hover };
    let expression = expression(fragment, operand);
    let written = match (&operand.constraint, expression.is_empty()) {
        (Some(constraint), false) => format!("`\"{constraint}\"({expression})`, "),
        (Some(constraint), true) => format!("`\"{constraint}\"`, "),
        (None, false) => format!("`{expression}`, "),
        (None, true) => String::new(),
    };
    let markdown = format!("`{name}`: {written}{}\n\n{}", facts(operand), hover.markdown);
    Hover { markdown, ..hover }
}

/// The width and the direction of an operand: `64 bits, input`.
pub(super) fn facts(operand: &AsmOperand) -> String {
    let width =
        operand.register.and_then(|ty| ty.trim_start_matches(|c: char| !c.is_ascii_digit()).parse::<u32>().ok());
    let direction = match directions(operand) {
        (true, true) => "input and output",
        (false, _) => "output",
        (true, false) => "input",
    };
    match width {
        Some(bits) => format!("{bits} bits, {direction}"),
        None if operand.letter() == Some('n') => "constant".to_owned(),
        None => direction.to_owned(),
    }
}

/// Whether the statement reads an operand, and whether it writes it.
fn directions(operand: &AsmOperand) -> (bool, bool) {
    let both = operand.constraint.as_deref().is_some_and(|text| text.starts_with('+') || text.starts_with("rw"));
    (both || !operand.output, both || operand.output)
}

/// The expression of an operand in one line, without the parentheses of C++.
fn expression(fragment: &AsmFragment, operand: &AsmOperand) -> String {
    let text = fragment.host.get(operand.expression.clone()).unwrap_or_default();
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ").replace('`', "'");
    let inner = text.strip_prefix('(').and_then(|text| text.strip_suffix(')'));
    inner.map_or(text.clone(), |inner| inner.trim().to_owned())
}

fn operand_named<'f>(fragment: &'f AsmFragment, name: &str) -> Option<&'f AsmOperand> {
    let (dialect, name) = (fragment.template.dialect, name.trim_matches(['[', ']']));
    let mut operands = fragment.operands.iter().enumerate();
    operands.find(|(number, operand)| operand.ptx_name(dialect, *number) == name).map(|(_, operand)| *operand)
}
