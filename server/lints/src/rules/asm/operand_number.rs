//! `asm-operand-number`: numbers after `%` without an operand.

use diagnostics::Diagnostic;
use diagnostics::registry::ASM_OPERAND_NUMBER;
use hosts::inline_asm::{AsmDialect, AsmFragment};
use std::ops::Range;
use syntax::is_word_char;

/// Checks the numbers in the template.
pub(super) fn check(fragment: &AsmFragment, diagnostics: &mut Vec<Diagnostic>) {
    let statement = fragment.statement;
    // If several `#if`s select operands, the number of operands is unknown.
    if statement.open || statement.groups.len() > 1 {
        return;
    }
    if fragment.operands.is_empty() && statement.dialect == AsmDialect::Nvcc && !fragment.template.substitutes {
        diagnostics.extend(without_operands(fragment));
    }
    for (range, message) in unknown(fragment, '%') {
        diagnostics
            .push(Diagnostic::new(&ASM_OPERAND_NUMBER, range, message).help("add the operand, or use an existing one"));
    }
}

/// The first number after `%` in a statement without operands, which reaches the assembler as it is written.
fn without_operands(fragment: &AsmFragment) -> Option<Diagnostic> {
    let (template, body) = (&fragment.template, &fragment.template.body);
    let text = &template.text[body.clone()];
    let is_inside = |at: usize| text[..at].ends_with(|c: char| is_word_char(c) || c == '%');
    let digits = |at: usize| text[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
    // Another statement may declare a name of letters and digits.
    let is_number = |at: usize| digits(at) > 0 && !text[at + 1 + digits(at)..].starts_with(is_word_char);
    let at = text.match_indices('%').map(|(at, _)| at).find(|at| !is_inside(*at) && is_number(*at))?;
    let number = &text[at + 1..at + 1 + digits(at)];
    let range = template.region.to_host(&(body.start + at..body.start + at + 1 + number.len()))?;
    let message = format!("unknown operand {number}: the statement has no operands");
    Some(Diagnostic::new(&ASM_OPERAND_NUMBER, range, message).help("add the operand after `:`"))
}

/// The numbers of no operand after a sign, each with its message.
pub(super) fn unknown(fragment: &AsmFragment, sign: char) -> impl Iterator<Item = (Range<usize>, String)> {
    let count = fragment.operands.len();
    let unknown = fragment.template.uses.iter().filter(move |(_, number)| *number >= count);
    unknown.map(move |(range, number)| {
        // A number that does not fit is shown as it is written. Others may come from a macro.
        let written = fragment.host.get(range.clone()).unwrap_or_default().trim_matches(|c: char| !c.is_ascii_digit());
        let is_digits = !written.is_empty() && written.bytes().all(|byte| byte.is_ascii_digit());
        let is_too_large = is_digits && written.parse::<usize>().is_err();
        let number = if is_too_large { written.to_owned() } else { number.to_string() };
        let message = match count {
            0 => format!("unknown operand {number}: the statement has no operands"),
            1 => format!("unknown operand {number}: the statement has 1 operand, `{sign}0`"),
            count => {
                format!(
                    "unknown operand {number}: the statement has {count} operands, `{sign}0` to `{sign}{}`",
                    count - 1
                )
            }
        };
        (range.clone(), message)
    })
}
