//! Checks the operands of video instructions: 32-bit registers of which a selector picks a byte, a half-word, or lanes.

use super::OperandSite;
use super::meaning::OperandMeaning;
use super::scalar;
use diagnostics::registry::OPERAND_KIND;
use diagnostics::{CheckResult, Diagnostic, remove};
use isa::types::Type;
use isa::{LaneCount, VideoClass};
use syntax::{Operand, Token};

/// Checks an operand of a video instruction.
pub(super) fn operand<'a>(site: &OperandSite<'_, 'a>, operand: &Operand<'a>, class: VideoClass) -> CheckResult {
    match class {
        VideoClass::Result => whole_result(site, operand),
        VideoClass::PartResult | VideoClass::LaneMask(_) => match selected(site, operand)? {
            Some((register, selector)) => {
                scalar::destination(site, &register, Type::U32)?;
                known_selector(&selector, class)
            }
            None => scalar::destination(site, operand, Type::U32),
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
        // Measured: constants are not accepted here.
        VideoClass::Lanes(_) => match selected(site, operand)? {
            Some((register, selector)) => {
                scalar::register(site, &register, Type::U32)?;
                known_selector(&selector, class)
            }
            None => scalar::register(site, operand, Type::U32),
        },
    }
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
    let Some((register, selector)) = selected(site, operand)? else {
        return scalar::destination(site, operand, Type::U32);
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

/// A value of 32 bits, or a part of a register.
fn part<'a>(site: &OperandSite<'_, 'a>, operand: &Operand<'a>) -> CheckResult {
    match selected(site, operand)? {
        Some((register, selector)) => {
            scalar::register(site, &register, Type::U32)?;
            known_selector(&selector, VideoClass::Part)
        }
        None => value(site, operand),
    }
}

/// A value of 32 bits without a selector.
fn value(site: &OperandSite, operand: &Operand) -> CheckResult {
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
