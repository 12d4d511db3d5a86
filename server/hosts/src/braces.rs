//! Operands in a template of Rust: `{}`, `{0}`, `{name:e}`, and `%0` in `ptx_asm!`. Their registers are unknown.

use crate::inline_asm::template::{Substituted, TemplateChar, TemplateCharKind};

/// Substitutes braces.
pub(crate) fn substitute(units: &[TemplateChar]) -> Substituted {
    let mut made = Substituted { units: Vec::with_capacity(units.len()), ..Substituted::default() };
    let char_at = |at: usize| units.get(at).map_or('\0', |unit| unit.what.char());
    let mut at = 0;
    while at < units.len() {
        let rest = &units[at..];
        let (what, length) = match (char_at(at), char_at(at + 1)) {
            (brace @ '{', '{') | (brace @ '}', '}') => (TemplateCharKind::Char(brace), 2),
            ('{', _) => {
                let end = rest.iter().position(|unit| unit.what.char() == '}');
                (TemplateCharKind::Placeholder, end.map_or(rest.len(), |end| end + 1))
            }
            ('%', digit) if digit.is_ascii_digit() => {
                let digits = rest[1..].iter().take_while(|unit| unit.what.char().is_ascii_digit()).count();
                (TemplateCharKind::Placeholder, 1 + digits)
            }
            _ => {
                made.units.push(units[at]);
                at += 1;
                continue;
            }
        };
        made.units.push(TemplateChar::joined(what, &rest[..length]));
        at += length;
    }
    made
}

/// A PTX text as a template spells it.
pub(crate) fn written(text: &str) -> String {
    text.replace('{', "{{").replace('}', "}}")
}
