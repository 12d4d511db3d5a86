//! The sign `%` in a template, which means something to the compiler where a statement has operands.
//!
//! Must not know instructions.

use super::super::statement::AsmOperand;
use super::unit::{Unit, What, is_word};
use std::ops::Range;

/// Something about a `%` that the compiler refuses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mistake {
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
    pub units: Vec<Unit>,
    /// Where in the host text which operand is named, by its number.
    pub uses: Vec<(Range<usize>, usize)>,
    /// What the compiler refuses, with places in the host text.
    pub mistakes: Vec<(Range<usize>, Mistake)>,
}

/// Does with `%` what the compiler does where there are operands.
pub(super) fn substitute(units: &[Unit], operands: &[&AsmOperand]) -> Substituted {
    let (mut uses, mut mistakes) = (Vec::new(), Vec::new());
    let mut made = Vec::with_capacity(units.len());
    let mut at = 0;
    while at < units.len() {
        let unit = units[at];
        if unit.what != What::Char('%') {
            made.push(unit);
            at += 1;
            continue;
        }
        let joined = |what: What, end: usize| Unit::joined(what, &units[at..end]);
        match units.get(at + 1).map(|next| next.what) {
            Some(What::Char(c)) if c.is_ascii_digit() => {
                let mut end = at + 1;
                let mut number = 0usize;
                while let Some(digit) = units.get(end).and_then(|unit| unit.what.char().to_digit(10)) {
                    number = number.saturating_mul(10).saturating_add(digit as usize);
                    end += 1;
                }
                uses.push((joined(What::Hole, end).place(), number));
                operand(&units[at..end], operands.get(number), &mut made);
                at = end;
            }
            Some(What::Char(c @ ('%' | '='))) => {
                let what = What::Char(if c == '=' { '0' } else { '%' });
                made.push(joined(what, at + 2));
                at += 2;
            }
            Some(What::Char(c)) if c.is_ascii_alphabetic() => {
                let digit = units.get(at + 2).is_some_and(|unit| unit.what.char().is_ascii_digit());
                if digit {
                    mistakes.push((joined(What::Hole, at + 3).place(), Mistake::Modifier));
                    made.push(joined(What::Hole, at + 3));
                    at += 3;
                } else {
                    // A name such as `%laneid` is left as it is.
                    made.push(unit);
                    at += 1;
                }
            }
            Some(What::Char('[')) => {
                mistakes.push((joined(What::Hole, at + 2).place(), Mistake::Named));
                made.push(joined(What::Hole, at + 2));
                at += 2;
            }
            // The compiler takes both away.
            Some(What::Char(_)) => at += 2,
            Some(_) => {
                // `%` before a macro: whatever comes of it.
                made.push(Unit { what: What::Hole, ..unit });
                at += 1;
            }
            None => {
                mistakes.push((unit.place(), Mistake::Lonely));
                at += 1;
            }
        }
    }
    Substituted { units: made, uses, mistakes }
}

/// A number behind `%`: a register keeps its name, what is pasted in is a hole.
fn operand(written: &[Unit], known: Option<&&AsmOperand>, made: &mut Vec<Unit>) {
    let within_word = made.last().is_some_and(|unit| matches!(unit.what, What::Char(c) if is_word(c) || c == '.'));
    let register = known.is_some_and(|operand| operand.register().is_some());
    let pasted = known.is_some_and(|operand| operand.letter() == Some('C')) || (within_word && !register);
    if pasted {
        return made.push(Unit::joined(What::Hole, written));
    }
    // The grammar wants a number behind a sum in an address, and a constant is one.
    let added = made.iter().rev().find(|unit| !unit.what.char().is_whitespace());
    if known.is_some_and(|operand| operand.letter() == Some('n'))
        && added.is_some_and(|unit| matches!(unit.what.char(), '+' | '-'))
    {
        return made.push(Unit::joined(What::Operand('0'), written));
    }
    made.extend(written.iter().map(|unit| Unit { what: What::Operand(unit.what.char()), ..*unit }));
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
