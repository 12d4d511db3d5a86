//! Substitutes `$` in a template, as LLVM does.

use crate::inline_asm::AsmOperand;
use crate::inline_asm::template::{Substituted, TemplateChar, TemplateCharKind, TemplateError};

/// Substitutes `$`.
pub(crate) fn substitute(units: &[TemplateChar], operands: &[&AsmOperand]) -> Substituted {
    let made = Substituted { units: Vec::with_capacity(units.len()), ..Substituted::default() };
    let mut substitution = Substitution { units, operands, at: 0, alternative: None, made };
    while substitution.at < units.len() {
        substitution.step();
    }
    substitution.made
}

struct Substitution<'u> {
    units: &'u [TemplateChar],
    operands: &'u [&'u AsmOperand],
    at: usize,
    /// The number of the alternative inside of `$(`.
    alternative: Option<usize>,
    made: Substituted,
}

impl Substitution<'_> {
    fn char_at(&self, at: usize) -> Option<char> {
        match self.units.get(at)?.what {
            TemplateCharKind::Char(c) => Some(c),
            TemplateCharKind::Placeholder | TemplateCharKind::Operand(_) => None,
        }
    }

    /// Whether the text is written: NVPTX takes the first alternative.
    fn is_written(&self) -> bool {
        self.alternative.unwrap_or(0) == 0
    }

    /// Adds a text for the next `length` characters.
    fn emit(&mut self, text: &str, length: usize) {
        let written = &self.units[self.at..self.at + length];
        if self.is_written() {
            let char = |c| TemplateChar::joined(TemplateCharKind::Char(c), written);
            self.made.units.extend(text.chars().map(char));
        }
        self.at += length;
    }

    fn step(&mut self) {
        if self.char_at(self.at) != Some('$') {
            if self.is_written() {
                self.made.units.push(self.units[self.at]);
            }
            self.at += 1;
            return;
        }
        match (self.char_at(self.at + 1), self.alternative) {
            (Some('$'), _) => self.emit("$", 2),
            (Some('('), None) => self.choose(Some(0)),
            (Some('|'), Some(number)) => self.choose(Some(number + 1)),
            (Some(')'), Some(_)) => self.choose(None),
            (Some('|'), None) => self.emit("|", 2),
            (Some(')'), None) => self.emit("}", 2),
            (Some('('), Some(_)) => self.reject(TemplateError::Nested, 2),
            (Some('{'), _) => self.braces(),
            (Some(c), _) if c.is_ascii_digit() => {
                let (number, end) = self.number(self.at + 1);
                self.operand(number, end - self.at);
            }
            (None, _) if self.at + 1 < self.units.len() => self.placeholder(1),
            _ => self.reject(TemplateError::Lonely, 1),
        }
    }

    fn choose(&mut self, alternative: Option<usize>) {
        self.alternative = alternative;
        self.at += 2;
    }

    fn reject(&mut self, error: TemplateError, length: usize) {
        let end = (self.at + length).min(self.units.len());
        let range = TemplateChar::joined(TemplateCharKind::Placeholder, &self.units[self.at..end]).place();
        self.made.mistakes.push((range, error));
        self.placeholder(end - self.at);
    }

    fn placeholder(&mut self, length: usize) {
        let written = &self.units[self.at..self.at + length];
        if self.is_written() {
            self.made.units.push(TemplateChar::joined(TemplateCharKind::Placeholder, written));
        }
        self.at += length;
    }

    /// The number at a position, and its end.
    fn number(&self, start: usize) -> (usize, usize) {
        let digits = (start..).map_while(|at| self.char_at(at)?.to_digit(10));
        digits.fold((0, start), |(number, end): (usize, usize), digit| {
            (number.saturating_mul(10).saturating_add(digit as usize), end + 1)
        })
    }

    fn is_register(&self, number: usize) -> bool {
        self.operands.get(number).is_some_and(|operand| operand.register.is_some())
    }

    /// `${0}`, `${0:r}` and `${:uid}`.
    fn braces(&mut self) {
        let start = self.at + 2;
        let Some(end) = (start..self.units.len()).find(|at| self.char_at(*at) == Some('}')) else {
            return self.reject(TemplateError::Braces, 2);
        };
        let inside = &self.units[start..end];
        let length = end + 1 - self.at;
        if inside.iter().any(|unit| unit.what == TemplateCharKind::Placeholder) {
            return self.placeholder(length);
        }
        let text: String = inside.iter().map(|unit| unit.what.char()).collect();
        match text.as_str() {
            ":uid" => return self.emit("0", length),
            ":private" => return self.emit("$L__", length),
            ":comment" => return self.emit("//", length),
            _ => {}
        }
        let (digits, modifier) =
            text.split_once(':').map_or((&*text, None), |(digits, modifier)| (digits, Some(modifier)));
        match (digits.parse::<usize>(), modifier) {
            (Ok(number), None | Some("r")) => self.operand(number, length),
            // Only constants have these forms.
            (Ok(number), Some("c" | "n")) if !self.is_register(number) => self.operand(number, length),
            (Ok(number), Some(_)) if !self.is_written() => self.operand(number, length),
            (Ok(_), Some(modifier)) if modifier.chars().count() == 1 => self.reject(TemplateError::Modifier, length),
            _ => self.reject(TemplateError::Braces, length),
        }
    }

    /// An operand: a register keeps its name; a constant or an address is unknown.
    fn operand(&mut self, number: usize, length: usize) {
        let written = &self.units[self.at..self.at + length];
        let range = TemplateChar::joined(TemplateCharKind::Placeholder, written).place();
        self.made.uses.push((range, number));
        if !self.is_register(number) || !self.is_written() {
            return self.placeholder(length);
        }
        let name = format!("${number}");
        let spelled = |unit: &TemplateChar| TemplateChar { what: TemplateCharKind::Operand(unit.what.char()), ..*unit };
        if name.chars().eq(written.iter().map(|unit| unit.what.char())) {
            self.made.units.extend(written.iter().map(spelled));
        } else {
            let joined = |c| TemplateChar::joined(TemplateCharKind::Operand(c), written);
            self.made.units.extend(name.chars().map(joined));
        }
        self.at += length;
    }
}
