//! Reads a list of constraints: outputs, then inputs and clobbers.

use crate::inline_asm::template::{TemplateChar, TemplateCharKind};
use crate::inline_asm::{AsmOperand, Clobber};
use std::ops::Range;

/// The operands of a statement.
#[derive(Debug, Default)]
pub(crate) struct LlvmConstraints {
    /// The operands, in the order of their numbers.
    pub operands: Vec<AsmOperand>,
    /// The clobbers.
    pub clobbers: Vec<Clobber>,
    /// Whether further operands are unknown.
    pub open: bool,
}

/// Reads the characters of a list. After a part that is unknown, the numbers of operands are unknown.
pub(crate) fn constraints(units: &[TemplateChar]) -> LlvmConstraints {
    let mut made = LlvmConstraints::default();
    if units.is_empty() {
        return made;
    }
    let mut at = 0;
    loop {
        let end = units[at..].iter().position(is_comma).map_or(units.len(), |length| at + length);
        let constraint = &units[at..end];
        if constraint.iter().any(|unit| unit.what == TemplateCharKind::Placeholder) {
            made.open = true;
            return made;
        }
        let text: String = constraint.iter().map(|unit| unit.what.char()).collect();
        // An empty constraint is reported at a comma beside it.
        let around = if constraint.is_empty() { &units[at.min(units.len() - 1)..][..1] } else { constraint };
        made.push(text.trim(), TemplateChar::joined(TemplateCharKind::Placeholder, around).place());
        if end == units.len() {
            return made;
        }
        at = end + 1;
    }
}

fn is_comma(unit: &TemplateChar) -> bool {
    unit.what == TemplateCharKind::Char(',')
}

impl LlvmConstraints {
    fn push(&mut self, text: &str, range: Range<usize>) {
        if let Some(name) = text.strip_prefix('~') {
            let name = name.trim_start_matches('{').trim_end_matches('}').to_owned();
            self.clobbers.push(Clobber { range, name: Some(name), branches: Vec::new() });
            return;
        }
        self.operands.push(AsmOperand {
            output: text.starts_with('='),
            name: None,
            register: self.register(text),
            constraint: Some(text.to_owned()),
            bits: None,
            expression: range.end..range.end,
            constraint_at: range,
            branches: Vec::new(),
        });
    }

    /// The type of a constraint's register. Values of 32 and 64 bits are in untyped registers; those of floats were typed before LLVM 20.
    fn register(&self, text: &str) -> Option<&'static str> {
        let code = text.trim_start_matches(['=', '+', '&', '%', ' ']);
        if let Ok(number) = code.parse::<usize>() {
            return self.operands.get(number)?.register;
        }
        Some(match code {
            "b" => ".pred",
            "c" | "h" => ".b16",
            "r" | "f" => ".b32",
            "l" | "N" | "d" => ".b64",
            "q" => ".b128",
            _ => return None,
        })
    }
}
