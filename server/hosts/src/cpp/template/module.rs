//! The module that a template becomes: a head, the registers that the operands are, the text of the literals, an end, and the maps back.

use super::super::statement::AsmOperand;
use super::segments::{Completeness, MissingPart, opcode, plan};
use super::template_char::{TemplateChar, TemplateCharKind, is_word};
use std::ops::Range;
use syntax::region::{Region, RegionSegment};

/// A module and where its text comes from.
pub(super) struct FragmentModule {
    pub text: String,
    /// Where it lies in the host text.
    pub region: Region,
    /// Where the texts of macros lie that are named nowhere else.
    pub definitions: Region,
    /// The byte range in it that the literals give.
    pub body: Range<usize>,
    /// Where in it something is missing, and what that hides.
    pub incomplete: Vec<(Range<usize>, MissingPart)>,
    /// Where in it the `;` stands that the last instruction lacks.
    pub unterminated: Option<usize>,
}

/// Writes the module down.
pub(super) fn module(units: &[TemplateChar], operands: &[&AsmOperand]) -> FragmentModule {
    let plan = plan(units);
    let mut writer = MappedWriter::default();
    writer.plain(".address_size 64\n");
    if !plan.outside {
        writer.plain(".func f()\n{\n");
        for (number, operand) in operands.iter().enumerate() {
            if let Some(ty) = operand.register() {
                // Where an operand is declared is where its constraint is written.
                writer.plain(".reg ");
                writer.piece(ty, &operand.constraint_at);
                writer.plain(" ");
                writer.piece(&format!("%{number}"), &operand.constraint_at);
                writer.plain(";\n");
            }
        }
    }
    writer.plain(&"{\n".repeat(plan.missing));
    let start = writer.text.len();
    let (mut incomplete, mut unterminated) = (Vec::new(), None);
    for segment in &plan.segments {
        let from = writer.text.len();
        match segment.completeness {
            Completeness::Complete => {
                for at in segment.units.clone() {
                    writer.unit(&units[at]);
                    if plan.unterminated == Some(at + 1) {
                        unterminated = Some(writer.text.len());
                        writer.plain(";");
                    }
                }
            }
            Completeness::Unknown => {}
            Completeness::Missing(missing) => {
                write_with_holes(&units[segment.units.clone()], missing, &mut writer);
                incomplete.push((from..writer.text.len(), missing));
            }
        }
    }
    let body = start..writer.text.len();
    writer.plain("\n");
    writer.plain(&"}\n".repeat(plan.open));
    if !plan.outside {
        writer.plain("}\n");
    }
    let MappedWriter { text, pieces, definitions } = writer;
    FragmentModule {
        text,
        region: Region::new(pieces),
        definitions: Region::new(definitions),
        body,
        incomplete,
        unterminated,
    }
}

/// Text, and where each piece of it comes from.
#[derive(Default)]
struct MappedWriter {
    text: String,
    pieces: Vec<RegionSegment>,
    definitions: Vec<RegionSegment>,
}

impl MappedWriter {
    fn plain(&mut self, text: &str) {
        self.text += text;
    }

    fn piece(&mut self, text: &str, outer: &Range<usize>) {
        let start = self.text.len();
        self.text += text;
        self.pieces.push(RegionSegment { inner: start..self.text.len(), outer: outer.clone(), exact: false });
    }

    fn unit(&mut self, unit: &TemplateChar) {
        let start = self.text.len();
        self.text.push(unit.what.char());
        let inner = start..self.text.len();
        if let Some(place) = unit.defined {
            let outer = place.range();
            self.definitions.push(RegionSegment { exact: inner.len() == outer.len(), inner: inner.clone(), outer });
        }
        let outer = unit.outer.range();
        match self.pieces.last_mut() {
            // A piece for each character of a long literal would take more room than the text.
            Some(last)
                if last.exact && unit.exact && last.inner.end == inner.start && last.outer.end == outer.start =>
            {
                (last.inner.end, last.outer.end) = (inner.end, outer.end);
            }
            _ => self.pieces.push(RegionSegment { inner, outer, exact: unit.exact }),
        }
    }
}

/// The name in place of a missing operand; it is never declared.
const MISSING: &str = "__hole";

/// Writes an instruction that holes are in. A hole in its opcode takes the word along that it is part of.
fn write_with_holes(units: &[TemplateChar], missing: MissingPart, writer: &mut MappedWriter) {
    let opcode = opcode(units);
    let mut skip = vec![false; units.len()];
    if missing == MissingPart::Opcode {
        for at in opcode.clone().filter(|at| units[*at].what == TemplateCharKind::Placeholder) {
            skip[at] = true;
            let word = |unit: &TemplateChar| {
                is_word(unit.what.char()) || unit.what == TemplateCharKind::Placeholder || unit.what.char() == ':'
            };
            (at + 1..opcode.end).take_while(|at| word(&units[*at])).for_each(|at| skip[at] = true);
            let before = (opcode.start..at).rev().take_while(|at| word(&units[*at]));
            let first = before.last().unwrap_or(at);
            skip[first..at].fill(true);
            if first > opcode.start && units[first - 1].what.char() == '.' {
                skip[first - 1] = true;
            }
        }
    }
    for (unit, _) in units.iter().zip(&skip).filter(|(_, skip)| !**skip) {
        match unit.what {
            TemplateCharKind::Placeholder => writer.plain(MISSING),
            _ => writer.unit(unit),
        }
    }
}
