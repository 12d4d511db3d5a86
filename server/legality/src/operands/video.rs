//! Checks the operands of video instructions: 32-bit registers of which a selector picks a byte, a half-word, or lanes.

use crate::operands::OperandSite;
use crate::operands::meaning::OperandMeaning;
use crate::operands::scalar;
use crate::operands::types::Class;
use diagnostics::registry::OPERAND_KIND;
use diagnostics::{CheckResult, Diagnostic, remove};
use isa::types::Type;
use isa::{LaneCount, VideoClass};
use syntax::{Operand, OperandKind, Token};

/// Checks an operand of a video instruction.
pub(super) fn operand<'a>(site: &OperandSite<'_, 'a>, operand: &Operand<'a>, class: VideoClass) -> CheckResult {
    match class {
        VideoClass::Result => whole_result(site, operand),
        VideoClass::PartResult | VideoClass::LaneMask(_) => match selected(site, operand)? {
            Some((register, selector)) => {
                result(site, &register)?;
                if has_no_effect(&selector) && class == VideoClass::PartResult {
                    return Ok(());
                }
                known_selector(&selector, class)
            }
            None => result(site, operand),
        },
        VideoClass::Part => part(site, operand),
        VideoClass::NegatablePart => match operand.negated("-") {
            Some(inner) => part(site, &inner),
            None => part(site, operand),
        },
        VideoClass::Negatable => match operand.negated("-") {
            Some(inner) => scalar::register(site, &inner, Type::U32),
            None => value(site, operand),
        },
        // Measured: to the result of a comparison, only integers are added.
        VideoClass::Summand if is_comparison(site) => {
            no_part_of_vector(site, operand)?;
            scalar::count(site, operand)
        }
        VideoClass::Summand => value(site, operand),
        VideoClass::LaneSummand => match site.lookup.meaning(operand)? {
            Some(OperandMeaning::Register { ty, .. }) if ty.class == Class::Packed && is_comparison(site) => {
                Err(no_register(site, operand)?)
            }
            _ => whole_register(site, operand),
        },
        // Measured: constants are not accepted here.
        VideoClass::Lanes(_) => match selected(site, operand)? {
            Some((register, selector)) => {
                scalar::register(site, &register, Type::U32)?;
                known_selector(&selector, class)
            }
            None => whole_register(site, operand),
        },
    }
}

/// Checks a register without a selector. Measured: it may not be in braces.
fn whole_register(site: &OperandSite, operand: &Operand) -> CheckResult {
    if operand.kind == OperandKind::Vector || operand.element().is_some() {
        return Err(no_register(site, operand)?);
    }
    scalar::register(site, operand, Type::U32)
}

/// Whether the instruction is one of those that compare, `vset` and its kin.
fn is_comparison(site: &OperandSite) -> bool {
    site.legal.family.name.starts_with("vset")
}

/// Checks a register that takes the result. Measured: that of a comparison is an integer.
fn result(site: &OperandSite, operand: &Operand) -> CheckResult {
    no_part_of_vector(site, operand)?;
    match is_comparison(site) {
        true => scalar::integer_result(site, operand, Type::U32),
        false => scalar::destination(site, operand, Type::U32),
    }
}

/// Rejects elements of vector registers. Measured: other instructions accept them.
fn no_part_of_vector(site: &OperandSite, operand: &Operand) -> CheckResult {
    match site.lookup.meaning(operand)? {
        Some(OperandMeaning::Register { element: true, .. }) if operand.element().is_some() => {
            Err(no_register(site, operand)?)
        }
        _ => Ok(()),
    }
}

/// The diagnostic for an operand that is not a register.
fn no_register(site: &OperandSite, operand: &Operand) -> CheckResult<Diagnostic> {
    let report = match site.lookup.meaning(operand)? {
        Some(meaning) => meaning.unexpected(&OPERAND_KIND, &operand.token, "a 32-bit register"),
        None => Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), "expected a 32-bit register"),
    };
    Ok(report.help("copy it into a `.b32` register first"))
}

/// Whether a selector has no effect on a result. Measured: these two are accepted.
fn has_no_effect(selector: &Token) -> bool {
    matches!(&*selector.text, "b01" | "b23")
}

/// Checks the negations of a multiply-add: of the product or of the summand, and none with `.po`.
pub(super) fn negations(site: &OperandSite, operands: &[Operand]) -> CheckResult {
    let [_, a, b, c] = operands else { return Ok(()) };
    let is_negated = |operand: &Operand| operand.negated("-").is_some();
    let conflict = |operand: &Operand, message: &str, help: &str| {
        Err(Diagnostic::new(&OPERAND_KIND, operand.token.range.clone(), message).help(help))
    };
    if let Some(first) = [a, b, c].into_iter().find(|operand| is_negated(operand))
        && site.legal.at("po").is_some()
    {
        return conflict(first, "operand cannot be negated with `.po`", "remove the sign or `.po`");
    }
    if is_negated(c) && is_negated(a) != is_negated(b) {
        return conflict(c, "product and summand cannot both be negated", "negate the product or the summand");
    }
    Ok(())
}

/// A result that takes the whole register.
fn whole_result<'a>(site: &OperandSite<'_, 'a>, operand: &Operand<'a>) -> CheckResult {
    let (register, selector) = match selected(site, operand)? {
        Some((register, selector)) if has_no_effect(&selector) => return result(site, &register),
        Some(selected) => selected,
        None => return result(site, operand),
    };
    let report = Diagnostic::new(
        &OPERAND_KIND,
        operand.token.range.clone(),
        format!("unexpected selector `.{}` on the destination", selector.text),
    );
    let help = match site.legal.word("op") {
        Some(op) => format!("remove the selector, or `.{op}`"),
        None if site.legal.family.name == "vmad" => "remove the selector".to_owned(),
        None => "remove the selector, or add the register into which the result is put as a third source".to_owned(),
    };
    Err(report.help(help).unsafe_fix("Remove the selector", [remove(register.token.range.end..selector.range.end)]))
}

/// A value of 32 bits, or a part of a register. Measured: no sum is accepted.
fn part<'a>(site: &OperandSite<'_, 'a>, operand: &Operand<'a>) -> CheckResult {
    match selected(site, operand)? {
        Some((register, selector)) => {
            scalar::register(site, &register, Type::U32)?;
            known_selector(&selector, VideoClass::Part)
        }
        None => match site.lookup.meaning(operand)? {
            Some(OperandMeaning::Sum { .. }) => Err(no_register(site, operand)?),
            _ => value(site, operand),
        },
    }
}

/// A value of 32 bits without a selector.
fn value(site: &OperandSite, operand: &Operand) -> CheckResult {
    no_part_of_vector(site, operand)?;
    scalar::value(site, operand, Type::U32)
}

/// The register and the selector of `r.b0`; `None` for anything else, elements of vector registers among them.
fn selected<'a>(site: &OperandSite<'_, 'a>, operand: &Operand<'a>) -> CheckResult<Option<(Operand<'a>, Token<'a>)>> {
    let Some((name, selector)) = operand.element() else { return Ok(None) };
    let register = Operand::new(name);
    let is_register = matches!(site.lookup.meaning(&register)?, Some(OperandMeaning::Register { .. }));
    Ok(is_register.then_some((register, selector)))
}

/// Checks that a selector is one that an operand of this class may have.
fn known_selector(selector: &Token, class: VideoClass) -> CheckResult {
    if is_selector(&selector.text, class) {
        return Ok(());
    }
    let help = match class {
        VideoClass::Lanes(LaneCount::Two) => "write `.h` and two digits from 0 to 3, such as `.h10`",
        VideoClass::Lanes(LaneCount::Four) => "write `.b` and four digits from 0 to 7, such as `.b3210`",
        VideoClass::LaneMask(LaneCount::Two) => "write `.h0`, `.h1` or `.h10`",
        VideoClass::LaneMask(LaneCount::Four) => "write `.b` and the lanes in descending order, such as `.b20`",
        _ => "write `.b0` to `.b3`, `.h0` or `.h1`",
    };
    let message = format!("invalid selector `.{}`", selector.text);
    Err(Diagnostic::new(&OPERAND_KIND, selector.range.clone(), message).help(help))
}

fn is_selector(text: &str, class: VideoClass) -> bool {
    let digits = |letter: char, greatest: char| {
        let digits = text.strip_prefix(letter).unwrap_or_default();
        if digits.chars().all(|digit| ('0'..=greatest).contains(&digit)) { digits } else { "" }
    };
    let descends = |digits: &str| digits.as_bytes().is_sorted_by(|first, next| first > next);
    match class {
        VideoClass::Lanes(LaneCount::Two) => digits('h', '3').len() == 2,
        VideoClass::Lanes(LaneCount::Four) => digits('b', '7').len() == 4,
        VideoClass::LaneMask(LaneCount::Two) => !digits('h', '1').is_empty() && descends(digits('h', '1')),
        VideoClass::LaneMask(LaneCount::Four) => !digits('b', '3').is_empty() && descends(digits('b', '3')),
        _ => digits('b', '3').len() == 1 || digits('h', '1').len() == 1,
    }
}
