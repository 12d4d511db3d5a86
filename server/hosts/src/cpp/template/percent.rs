//! The sign `%` in a template, which means something to the compiler where a statement has operands.

use super::super::statement::AsmOperand;
use super::template_char::{TemplateChar, TemplateCharKind, is_word};
use std::ops::Range;
use syntax::decimal_or_hex;

/// Something about a `%` that the compiler refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PercentError {
    /// `%[name]`
    Named,
    /// `%c0`
    Modifier,
    /// `%` at the end.
    Lonely,
}

/// A template as the assembler sees it.
#[derive(Debug, Default)]
pub(super) struct Substituted {
    pub units: Vec<TemplateChar>,
    /// Where in the host text which operand is named, by its number.
    pub uses: Vec<(Range<usize>, usize)>,
    /// The errors, with ranges in the host text.
    pub mistakes: Vec<(Range<usize>, PercentError)>,
}

/// Does with `%` what the compiler does where there are operands.
pub(super) fn substitute(units: &[TemplateChar], operands: &[&AsmOperand], host: &str) -> Substituted {
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
                let mut end = at + 1;
                let mut number = 0usize;
                while let Some(digit) = units.get(end).and_then(|unit| unit.what.char().to_digit(10)) {
                    number = number.saturating_mul(10).saturating_add(digit as usize);
                    end += 1;
                }
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
                    mistakes.push((joined(TemplateCharKind::Placeholder, at + 3).place(), PercentError::Modifier));
                    made.push(joined(TemplateCharKind::Placeholder, at + 3));
                    at += 3;
                } else {
                    // A name such as `%laneid` is left as it is.
                    made.push(unit);
                    at += 1;
                }
            }
            Some(TemplateCharKind::Char('[')) => {
                mistakes.push((joined(TemplateCharKind::Placeholder, at + 2).place(), PercentError::Named));
                made.push(joined(TemplateCharKind::Placeholder, at + 2));
                at += 2;
            }
            // The compiler takes both away.
            Some(TemplateCharKind::Char(_)) => at += 2,
            Some(_) => {
                // `%` before a macro: whatever comes of it.
                made.push(TemplateChar { what: TemplateCharKind::Placeholder, ..unit });
                at += 1;
            }
            None => {
                mistakes.push((unit.place(), PercentError::Lonely));
                at += 1;
            }
        }
    }
    Substituted { units: made, uses, mistakes }
}

/// The signs before and behind an operand that make it part of an expression.
const BEFORE: &str = "*/%&|^~!<>=?:(";
const AFTER: &str = "*/%&|^<>=?:)+-";

/// A number behind `%`: a register keeps its name, what is pasted in is a hole, unless it is a number that is written there.
fn operand(
    written: &[TemplateChar],
    rest: &[TemplateChar],
    known: Option<&&AsmOperand>,
    host: &str,
    made: &mut Vec<TemplateChar>,
) {
    let letter = known.and_then(|operand| operand.letter());
    let register = known.is_some_and(|operand| operand.register().is_some());
    let within_word = goes_on(rest) || (!register && begun(made));
    let number = || known.filter(|_| letter == Some('n')).and_then(|operand| value(&host[operand.expression.clone()]));
    if letter == Some('C') || within_word || (letter == Some('n') && in_directive(made)) {
        return match number() {
            Some(number) => made
                .extend(number.to_string().chars().map(|c| TemplateChar::joined(TemplateCharKind::Char(c), written))),
            None => made.push(TemplateChar::joined(TemplateCharKind::Placeholder, written)),
        };
    }
    // The grammar wants a number in a sum or another expression, and a constant is one. Where it is not known, any other will do but those that
    // make the expression wrong.
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

/// Whether what stands here goes on a word, a number or the words of an opcode.
fn begun(made: &[TemplateChar]) -> bool {
    let colons = made.iter().rev().take_while(|unit| unit.what == TemplateCharKind::Char(':')).count();
    let last = made.last().map(|unit| unit.what);
    colons > 1
        || matches!(last, Some(TemplateCharKind::Operand(_) | TemplateCharKind::Placeholder))
        || matches!(last, Some(TemplateCharKind::Char(c)) if is_word(c) || c == '.')
}

/// Whether what follows goes on the same word.
fn goes_on(rest: &[TemplateChar]) -> bool {
    match (rest.first().map(|unit| unit.what), rest.get(1).map(|unit| unit.what)) {
        (Some(TemplateCharKind::Char('%')), Some(TemplateCharKind::Char(c))) => c.is_ascii_digit(),
        (Some(TemplateCharKind::Char(c)), _) => is_word(c),
        _ => false,
    }
}

/// Whether the statement begins with a `.`: a declaration takes a number and no name.
fn in_directive(made: &[TemplateChar]) -> bool {
    let start = made.iter().rposition(|unit| matches!(unit.what, TemplateCharKind::Char(';' | '{' | '}')));
    let statement = &made[start.map_or(0, |at| at + 1)..];
    statement.iter().find(|unit| !unit.what.char().is_whitespace()).is_some_and(|unit| unit.what.char() == '.')
}

/// The number that an expression in parentheses is.
fn value(expression: &str) -> Option<i64> {
    let inner = expression.strip_prefix('(')?.strip_suffix(')')?.trim();
    match inner {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    let digits = inner.trim_end_matches(['u', 'U', 'l', 'L']);
    // A zero in front makes it octal.
    let octal = digits.len() > 1 && digits.bytes().all(|byte| byte.is_ascii_digit()) && digits.starts_with('0');
    decimal_or_hex(digits).filter(|_| !octal)?.try_into().ok()
}

/// A text in which `%` before anything but a number is written as the compiler wants it.
pub(super) fn written(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let mut written = String::with_capacity(text.len() + 4);
    for (at, c) in text.char_indices() {
        written.push(c);
        if c == '%' && !text[at + 1..].starts_with(|next: char| next.is_ascii_digit()) {
            written.push('%');
        }
    }
    written
}
