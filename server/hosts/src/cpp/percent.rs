//! Substitutes `%` in a template, as the compiler does in statements with operands.

use crate::inline_asm::AsmOperand;
use crate::inline_asm::template::{Substituted, TemplateChar, TemplateCharKind, TemplateError, is_word};
use syntax::decimal_or_hex;

/// Substitutes `%` as the compiler does in a statement with operands.
pub(crate) fn substitute(units: &[TemplateChar], operands: &[&AsmOperand], host: &str) -> Substituted {
    let (mut uses, mut mistakes) = (Vec::new(), Vec::new());
    let mut made = Vec::with_capacity(units.len());
    let mut at = 0;
    while at < units.len() {
        let unit = units[at];
        if unit.what != TemplateCharKind::Char('%') {
            made.push(unit);
            at += 1;
            continue;
        }
        let joined = |what: TemplateCharKind, end: usize| TemplateChar::joined(what, &units[at..end]);
        match units.get(at + 1).map(|next| next.what) {
            Some(TemplateCharKind::Char(c)) if c.is_ascii_digit() => {
                let (number, length) = operand_number(&units[at + 1..]);
                let end = at + 1 + length;
                uses.push((joined(TemplateCharKind::Placeholder, end).place(), number));
                operand(&units[at..end], &units[end..], operands.get(number), host, &mut made);
                at = end;
            }
            Some(TemplateCharKind::Char(c @ ('%' | '='))) => {
                let what = TemplateCharKind::Char(if c == '=' { '0' } else { '%' });
                made.push(joined(what, at + 2));
                at += 2;
            }
            Some(TemplateCharKind::Char(c)) if c.is_ascii_alphabetic() => {
                let digit = units.get(at + 2).is_some_and(|unit| unit.what.char().is_ascii_digit());
                if digit {
                    mistakes.push((joined(TemplateCharKind::Placeholder, at + 3).place(), TemplateError::Modifier));
                    made.push(joined(TemplateCharKind::Placeholder, at + 3));
                    at += 3;
                } else {
                    // A name such as `%laneid` is not changed.
                    made.push(unit);
                    at += 1;
                }
            }
            Some(TemplateCharKind::Char('[')) => {
                mistakes.push((joined(TemplateCharKind::Placeholder, at + 2).place(), TemplateError::Named));
                made.push(joined(TemplateCharKind::Placeholder, at + 2));
                at += 2;
            }
            // The compiler removes both characters.
            Some(TemplateCharKind::Char(_)) => at += 2,
            Some(_) => {
                // The result of `%` before a macro is unknown.
                made.push(TemplateChar { what: TemplateCharKind::Placeholder, ..unit });
                at += 1;
            }
            None => {
                mistakes.push((unit.place(), TemplateError::Lonely));
                at += 1;
            }
        }
    }
    Substituted { units: made, uses, mistakes }
}

/// The number at the beginning of a text, and its length.
fn operand_number(units: &[TemplateChar]) -> (usize, usize) {
    let digits = units.iter().map_while(|unit| unit.what.char().to_digit(10));
    digits.fold((0, 0), |(number, length): (usize, usize), digit| {
        (number.saturating_mul(10).saturating_add(digit as usize), length + 1)
    })
}

/// Operators before an operand that make it part of an expression; `AFTER` has those after it.
const BEFORE: &str = "*/%&|^~!<>=?:(";
const AFTER: &str = "*/%&|^<>=?:)+-";

/// Substitutes `%` and a number: a register keeps its name, pasted text becomes a placeholder unless it is a literal number.
fn operand(
    written: &[TemplateChar],
    rest: &[TemplateChar],
    known: Option<&&AsmOperand>,
    host: &str,
    made: &mut Vec<TemplateChar>,
) {
    let letter = known.and_then(|operand| operand.letter());
    let register = known.is_some_and(|operand| operand.register.is_some());
    let within_word = continues(rest) || (!register && is_in_word(made));
    let number = || known.filter(|_| letter == Some('n')).and_then(|operand| value(&host[operand.expression.clone()]));
    if letter == Some('C') || within_word || (letter == Some('n') && in_directive(made)) {
        return match number() {
            Some(number) => made
                .extend(number.to_string().chars().map(|c| TemplateChar::joined(TemplateCharKind::Char(c), written))),
            None => made.push(TemplateChar::joined(TemplateCharKind::Placeholder, written)),
        };
    }
    // The grammar requires a number in an expression. If the constant is not known, another number replaces it, except those that
    // would make the expression invalid.
    let before = made.iter().rev().map(|unit| unit.what.char()).find(|c| !c.is_whitespace());
    let after = rest.iter().map(|unit| unit.what.char()).find(|c| !c.is_whitespace());
    if letter == Some('n') && before.is_some_and(|c| matches!(c, '+' | '-')) {
        return made.push(TemplateChar::joined(TemplateCharKind::Operand('0'), written));
    }
    if letter == Some('n') && (before.is_some_and(|c| BEFORE.contains(c)) || after.is_some_and(|c| AFTER.contains(c))) {
        let number = number().unwrap_or(1).to_string();
        return made.extend(number.chars().map(|c| TemplateChar::joined(TemplateCharKind::Operand(c), written)));
    }
    made.extend(written.iter().map(|unit| TemplateChar { what: TemplateCharKind::Operand(unit.what.char()), ..*unit }));
}

/// Whether the next character continues a word, a number or an opcode.
fn is_in_word(made: &[TemplateChar]) -> bool {
    let colons = made.iter().rev().take_while(|unit| unit.what == TemplateCharKind::Char(':')).count();
    let last = made.last().map(|unit| unit.what);
    colons > 1
        || matches!(last, Some(TemplateCharKind::Operand(_) | TemplateCharKind::Placeholder))
        || matches!(last, Some(TemplateCharKind::Char(c)) if is_word(c) || c == '.')
}

/// Whether the following text continues the same word.
fn continues(rest: &[TemplateChar]) -> bool {
    match (rest.first().map(|unit| unit.what), rest.get(1).map(|unit| unit.what)) {
        (Some(TemplateCharKind::Char('%')), Some(TemplateCharKind::Char(c))) => c.is_ascii_digit(),
        (Some(TemplateCharKind::Char(c)), _) => is_word(c),
        _ => false,
    }
}

/// Whether the statement begins with a `.`: a declaration requires a number, not a name.
fn in_directive(made: &[TemplateChar]) -> bool {
    let start = made.iter().rposition(|unit| matches!(unit.what, TemplateCharKind::Char(';' | '{' | '}')));
    let statement = &made[start.map_or(0, |at| at + 1)..];
    statement.iter().find(|unit| !unit.what.char().is_whitespace()).is_some_and(|unit| unit.what.char() == '.')
}

/// The value of a number in parentheses.
fn value(expression: &str) -> Option<i64> {
    let inner = expression.strip_prefix('(')?.strip_suffix(')')?.trim();
    match inner {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let digits = inner.trim_end_matches(['u', 'U', 'l', 'L']);
    // A leading zero makes it octal.
    let octal = digits.len() > 1 && digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.starts_with('0');
    decimal_or_hex(digits).filter(|_| !octal)?.try_into().ok()
}
