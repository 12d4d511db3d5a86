//! Splits a template into statements, determines what placeholders in them hide, and what has to surround them in a module.

use super::template_char::{TemplateChar, TemplateCharKind, is_word};
use std::ops::Range;

/// The part of an instruction that a placeholder hides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MissingPart {
    /// Words of the opcode are missing: only its other words can be checked, one by one.
    Opcode,
    /// Operands are missing: only the opcode can be checked.
    Operands,
}

/// The statements of a text, and what has to surround it.
#[derive(Default)]
pub(super) struct Segmentation {
    pub segments: Vec<Segment>,
    /// The number of blocks that are closed here and were opened elsewhere.
    pub missing: usize,
    /// The number of blocks that are opened here and closed elsewhere.
    pub open: usize,
    /// Whether it is not part of a function.
    pub outside: bool,
    /// The character after which the `;` of the last instruction is missing.
    pub unterminated: Option<usize>,
}

/// A statement, a label or a brace.
pub(super) struct Segment {
    pub units: Range<usize>,
    pub completeness: Completeness,
}

/// Whether a segment is complete.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Completeness {
    /// It has no placeholder.
    Complete,
    /// A part of it is missing; the rest can be checked.
    Missing(MissingPart),
    /// It is unknown.
    Unknown,
}

/// Splits a text into statements.
pub(super) fn plan(units: &[TemplateChar]) -> Segmentation {
    let mut plan = Segmentation::default();
    let (mut start, mut at, mut begun, mut depth) = (0, 0, false, 0usize);
    // After its first colon, a statement has no further label.
    let mut colon = false;
    let char_at = |at: usize| units.get(at).map_or('\u{0}', |unit| unit.what.char());
    let mut first = true;
    let mut segment = |plan: &mut Segmentation, range: Range<usize>, ended: bool| {
        let units = &units[range.clone()];
        if first && units.iter().any(|unit| !unit.what.char().is_whitespace()) {
            first = false;
            plan.outside = is_outside(units);
        }
        plan.segments.push(Segment { units: range, completeness: completeness(units, ended) });
    };
    while at < units.len() {
        match (char_at(at), char_at(at + 1)) {
            ('/', '/') => {
                while at < units.len() && char_at(at) != '\n' {
                    at += 1;
                }
                continue;
            }
            ('/', '*') => {
                at += 2;
                while at < units.len() && (char_at(at), char_at(at + 1)) != ('*', '/') {
                    at += 1;
                }
                at = (at + 2).min(units.len());
                continue;
            }
            (';', _) => {
                segment(&mut plan, start..at + 1, true);
                (start, begun, colon) = (at + 1, false, false);
            }
            ('{', _) if !begun => {
                depth += 1;
                segment(&mut plan, start..at + 1, true);
                start = at + 1;
            }
            ('}', _) if !begun => {
                if depth == 0 {
                    plan.missing += 1;
                } else {
                    depth -= 1;
                }
                segment(&mut plan, start..at + 1, true);
                start = at + 1;
            }
            (':', next) if next != ':' && !colon && is_label(&units[start..at]) => {
                segment(&mut plan, start..at + 1, true);
                (start, begun) = (at + 1, false);
            }
            (c, _) => {
                begun |= !c.is_whitespace();
                colon |= c == ':';
            }
        }
        at += 1;
    }
    if start < units.len() {
        segment(&mut plan, start..units.len(), false);
        plan.unterminated = unterminated(&units[start..]).map(|end| start + end);
    }
    plan.open = depth;
    plan
}

/// The end of an instruction without a `;`, if it is complete otherwise.
fn unterminated(units: &[TemplateChar]) -> Option<usize> {
    let char_at = |at: usize| units.get(at).map_or('\u{0}', |unit| unit.what.char());
    let opcode = opcode(units);
    if completeness(units, false) != Completeness::Complete || !char_at(opcode.start).is_ascii_alphabetic() {
        return None;
    }
    let (mut at, mut end, mut open) = (opcode.start, opcode.end, 0usize);
    while at < units.len() {
        match (char_at(at), char_at(at + 1)) {
            ('/', '/') => at += units[at..].iter().position(|unit| unit.what.char() == '\n').unwrap_or(units.len()),
            ('/', '*') => {
                let ends = |pair: &[TemplateChar]| (pair[0].what.char(), pair[1].what.char()) == ('*', '/');
                at += units[at..].windows(2).position(ends).unwrap_or(units.len()) + 2;
            }
            (c, _) => {
                match c {
                    '{' | '[' | '(' => open += 1,
                    '}' | ']' | ')' => open = open.checked_sub(1)?,
                    _ => {}
                }
                at += 1;
                end = if c.is_whitespace() { end } else { at };
            }
        }
    }
    (open == 0 && !matches!(char_at(end - 1), ',' | '.' | ':')).then_some(end)
}

/// Whether a statement is complete.
fn completeness(units: &[TemplateChar], ended: bool) -> Completeness {
    if !units.iter().any(|unit| unit.what == TemplateCharKind::Placeholder) {
        return Completeness::Complete;
    }
    let opcode = opcode(units);
    let hole_in = |range: Range<usize>| units[range].iter().any(|unit| unit.what == TemplateCharKind::Placeholder);
    let mnemonic = opcode.start..opcode.clone().find(|at| units[*at].what.char() == '.').unwrap_or(opcode.end);
    // A macro at the start may end or begin anything, and so may directives and unterminated statements.
    if !ended || opcode.is_empty() || hole_in(0..mnemonic.end) || units[opcode.start].what.char() == '.' {
        return Completeness::Unknown;
    }
    Completeness::Missing(if hole_in(opcode) { MissingPart::Opcode } else { MissingPart::Operands })
}

/// The range of the opcode in a statement, including placeholders.
pub(super) fn opcode(units: &[TemplateChar]) -> Range<usize> {
    let is_space = |at: usize| units.get(at).is_some_and(|unit| unit.what.char().is_whitespace());
    let mut at = 0;
    loop {
        while is_space(at) {
            at += 1;
        }
        match (units.get(at).map(|unit| unit.what), units.get(at + 1).map(|unit| unit.what)) {
            (Some(TemplateCharKind::Char('@')), _) => {
                at += 1;
                while is_space(at) {
                    at += 1;
                }
                while units.get(at).is_some_and(|unit| !unit.what.char().is_whitespace()) {
                    at += 1;
                }
            }
            (Some(TemplateCharKind::Char('/')), Some(TemplateCharKind::Char('/'))) => {
                while units.get(at).is_some_and(|unit| unit.what != TemplateCharKind::Char('\n')) {
                    at += 1;
                }
            }
            _ => break,
        }
    }
    let part = |unit: &TemplateChar| match unit.what {
        TemplateCharKind::Placeholder => true,
        TemplateCharKind::Char(c) => is_word(c) || c == '.' || c == ':',
        TemplateCharKind::Operand(_) => false,
    };
    let end = units[at.min(units.len())..].iter().position(|unit| !part(unit)).map_or(units.len(), |end| at + end);
    at.min(end)..end
}

fn is_label(units: &[TemplateChar]) -> bool {
    let text: String = units.iter().map(|unit| unit.what.char()).collect();
    let text = text.trim();
    !text.is_empty() && text.chars().all(|c| is_word(c) || c == '%')
}

/// Whether a text begins with an item that is not allowed in functions.
fn is_outside(units: &[TemplateChar]) -> bool {
    let text: String = units.iter().map(|unit| unit.what.char()).collect();
    let word: String = text.trim_start().chars().take_while(|c| is_word(*c) || *c == '.').collect();
    [".visible", ".extern", ".weak", ".func", ".entry", ".global", ".const", ".common", ".alias", ".version", ".target"]
        .contains(&word.as_str())
}
