//! Operands in a template of Rust: `{}`, `{0}`, `{name:e}`, and `%0` in `ptx_asm!`, whose registers are unknown.

use crate::inline_asm::AsmOperand;
use crate::inline_asm::template::{Substituted, TemplateChar, TemplateCharKind};

/// Substitutes braces.
pub(crate) fn substitute(units: &[TemplateChar], operands: &[&AsmOperand], host: &str) -> Substituted {
    let mut made = Substituted { units: Vec::with_capacity(units.len()), ..Substituted::default() };
    let char_at = |at: usize| units.get(at).map_or('\0', |unit| unit.what.char());
    // The number of the next `{}`.
    let mut next = 0;
    let mut at = 0;
    while at < units.len() {
        let rest = &units[at..];
        let length = match (char_at(at), char_at(at + 1)) {
            (brace @ '{', '{') | (brace @ '}', '}') => {
                made.units.push(TemplateChar::joined(TemplateCharKind::Char(brace), &rest[..2]));
                2
            }
            ('{', _) => {
                let end = rest.iter().position(|unit| unit.what.char() == '}');
                let length = end.map_or(rest.len(), |end| end + 1);
                let number = end.and_then(|end| number(&rest[1..end], operands, host, &mut next));
                operand(&mut made, &rest[..length], number, operands);
                length
            }
            ('%', digit) if digit.is_ascii_digit() => {
                let digits = rest[1..].iter().take_while(|unit| unit.what.char().is_ascii_digit()).count();
                made.units.push(TemplateChar::joined(TemplateCharKind::Placeholder, &rest[..=digits]));
                1 + digits
            }
            _ => {
                made.units.push(units[at]);
                1
            }
        };
        at += length;
    }
    made
}

/// The number of the operand between braces.
fn number(inside: &[TemplateChar], operands: &[&AsmOperand], host: &str, next: &mut usize) -> Option<usize> {
    if inside.iter().any(|unit| unit.what == TemplateCharKind::Placeholder) {
        return None;
    }
    let text: String = inside.iter().map(|unit| unit.what.char()).collect();
    match text.split(':').next().unwrap_or_default().trim() {
        "" => {
            *next += 1;
            Some(*next - 1)
        }
        name => name.parse().ok().or_else(|| {
            let is_named =
                |operand: &&AsmOperand| operand.name.as_ref().is_some_and(|range| &host[range.clone()] == name);
            operands.iter().position(is_named)
        }),
    }
}

/// An operand: a register has a number; a constant or something unknown is a placeholder.
fn operand(made: &mut Substituted, written: &[TemplateChar], number: Option<usize>, operands: &[&AsmOperand]) {
    let placeholder = TemplateChar::joined(TemplateCharKind::Placeholder, written);
    match number.filter(|number| operands.get(*number).is_some_and(|operand| operand.register.is_some())) {
        Some(number) => {
            made.uses.push((placeholder.place(), number));
            let char = |c| TemplateChar::joined(TemplateCharKind::Operand(c), written);
            made.units.extend(format!("%{number}").chars().map(char));
        }
        None => made.units.push(placeholder),
    }
}

/// A PTX text as a template spells it.
pub(crate) fn written(text: &str) -> String {
    let text = text.replace('{', "{{").replace('}', "}}");
    let mut written = String::with_capacity(text.len());
    let mut rest = text.as_str();
    while let Some(at) = rest.find('%') {
        let digits = rest[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        written += &rest[..at];
        let number = &rest[at + 1..][..digits];
        written += &if digits > 0 { format!("{{{number}}}") } else { "%".to_owned() };
        rest = &rest[at + 1 + digits..];
    }
    written + rest
}
