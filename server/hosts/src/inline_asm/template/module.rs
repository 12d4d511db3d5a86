//! Writes the module of a template: a head, registers for the operands, the text of the literals, an end, and the source maps.

use super::segments::{Completeness, MissingPart, opcode, segments};
use super::template_char::{TemplateChar, TemplateCharKind, is_word};
use crate::inline_asm::dialect::AsmDialect;
use crate::inline_asm::statement::AsmOperand;
use std::ops::Range;
use syntax::region::{Region, RegionSegment};

/// A module and its source maps.
pub(super) struct FragmentModule {
    pub text: String,
    /// The source map to the host text.
    pub region: Region,
    /// The source map of text from macros that are used once, to their definitions.
    pub definitions: Region,
    /// The byte range of the literals' text in it.
    pub body: Range<usize>,
    /// The ranges where text is missing, and what is unknown there.
    pub incomplete: Vec<(Range<usize>, MissingPart)>,
    /// The opcodes of which one word is missing.
    pub holes: Vec<WordHole>,
    /// What is known of the opcodes of statements that are left out.
    pub unknown: Vec<String>,
    /// The offset of the added `;` of the last instruction.
    pub unterminated: Option<usize>,
    /// The opcode of the last instruction, if the text ends within it.
    pub unfinished: Option<String>,
}

/// The place of a modifier that is not known, or of which only a part is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WordHole {
    /// The offset in the text of the module where the dot of the word would be.
    pub at: usize,
    /// The known letters at its beginning.
    pub prefix: String,
    /// The known letters at its end.
    pub suffix: String,
    /// Whether a dot follows, so that the unknown text has no operands.
    pub is_inside: bool,
}

/// Writes the module. The `;` of an unfinished instruction is written behind the cursor if there is one.
pub(super) fn module(
    units: &[TemplateChar],
    operands: &[&AsmOperand],
    dialect: AsmDialect,
    cursor: Option<usize>,
) -> FragmentModule {
    let mut writer = MappedWriter::default();
    if dialect == AsmDialect::Module {
        units.iter().for_each(|unit| writer.unit(unit));
        let body = 0..writer.text.len();
        return writer.finish(body, Vec::new(), None);
    }
    let mut segmentation = segments(units);
    if let (Some(cursor), Some(end)) = (cursor, &mut segmentation.unterminated) {
        let is_typed = |unit: &&TemplateChar| unit.what.char().is_whitespace() && unit.outer.range().end <= cursor;
        *end += units[*end..].iter().take_while(is_typed).count();
    }
    writer.plain(".address_size 64\n");
    if !segmentation.outside {
        writer.plain(".func f()\n{\n");
        for (number, operand) in operands.iter().enumerate() {
            if let Some(ty) = operand.register {
                // The declaration of an operand maps to its constraint.
                writer.plain(".reg ");
                writer.segment(ty, &operand.constraint_at);
                writer.plain(" ");
                writer.segment(&operand.ptx_name(dialect, number), &operand.constraint_at);
                writer.plain(";\n");
            }
        }
    }
    writer.plain(&"{\n".repeat(segmentation.missing));
    let start = writer.text.len();
    let (mut incomplete, mut holes, mut unknown, mut unterminated) = (Vec::new(), Vec::new(), Vec::new(), None);
    for segment in &segmentation.segments {
        let from = writer.text.len();
        match segment.completeness {
            Completeness::Complete => {
                for at in segment.units.clone() {
                    writer.unit(&units[at]);
                    if segmentation.unterminated == Some(at + 1) {
                        unterminated = Some(writer.text.len());
                        writer.plain(";");
                    }
                }
            }
            Completeness::Unknown => unknown.push(known_opcode(&units[segment.units.clone()])),
            Completeness::Missing(missing) => {
                holes.extend(write_with_holes(&units[segment.units.clone()], missing, &mut writer));
                incomplete.push((from..writer.text.len(), missing));
            }
        }
    }
    let body = start..writer.text.len();
    writer.plain("\n");
    writer.plain(&"}\n".repeat(segmentation.open));
    if !segmentation.outside {
        writer.plain("}\n");
    }
    let unfinished = segmentation.unfinished.map(|segment| known_opcode(&units[segment]));
    FragmentModule { holes, unknown, unfinished, ..writer.finish(body, incomplete, unterminated) }
}

/// Text with its source map.
#[derive(Default)]
struct MappedWriter {
    text: String,
    segments: Vec<RegionSegment>,
    definitions: Vec<RegionSegment>,
}

impl MappedWriter {
    fn finish(
        self,
        body: Range<usize>,
        incomplete: Vec<(Range<usize>, MissingPart)>,
        unterminated: Option<usize>,
    ) -> FragmentModule {
        let (region, definitions) = (Region::new(self.segments), Region::new(self.definitions));
        FragmentModule {
            text: self.text,
            region,
            definitions,
            body,
            incomplete,
            holes: Vec::new(),
            unknown: Vec::new(),
            unterminated,
            unfinished: None,
        }
    }

    fn plain(&mut self, text: &str) {
        self.text += text;
    }

    fn segment(&mut self, text: &str, outer: &Range<usize>) {
        let start = self.text.len();
        self.text += text;
        self.segments.push(RegionSegment { inner: start..self.text.len(), outer: outer.clone(), exact: false });
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
        match self.segments.last_mut() {
            // One segment per character of a long literal would take more memory than the text.
            Some(last)
                if last.exact && unit.exact && last.inner.end == inner.start && last.outer.end == outer.start =>
            {
                (last.inner.end, last.outer.end) = (inner.end, outer.end);
            }
            _ => self.segments.push(RegionSegment { inner, outer, exact: unit.exact }),
        }
    }
}

/// The placeholder name of a missing operand; it is never declared.
const MISSING: &str = "__hole";

/// The opcode of an instruction with placeholders, without them.
fn known_opcode(units: &[TemplateChar]) -> String {
    let known = |unit: &&TemplateChar| unit.what != TemplateCharKind::Placeholder;
    units[opcode(units)].iter().filter(known).map(|unit| unit.what.char()).collect()
}

/// Writes an instruction with placeholders. One in its opcode replaces the whole word. Returns the missing word, if it is the only one.
fn write_with_holes(units: &[TemplateChar], missing: MissingPart, writer: &mut MappedWriter) -> Option<WordHole> {
    let opcode = opcode(units);
    let (mut hole, mut count) = (None, 0);
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
                let end = (at + 1..opcode.end).find(|at| !skip[*at]).unwrap_or(opcode.end);
                let text = |range: Range<usize>| units[range].iter().map(|unit| unit.what.char()).collect();
                let is_inside = units.get(end).is_some_and(|unit| unit.what.char() == '.');
                hole = Some((
                    first - 1,
                    WordHole { at: 0, prefix: text(first..at), suffix: text(at + 1..end), is_inside },
                ));
            }
            count += 1;
        }
    }
    let mut found = None;
    for (at, (unit, skip)) in units.iter().zip(&skip).enumerate() {
        if let Some((_, hole)) = hole.take_if(|(place, _)| *place == at) {
            found = Some(WordHole { at: writer.text.len(), ..hole });
        }
        if *skip {
            continue;
        }
        match unit.what {
            TemplateCharKind::Placeholder => writer.plain(MISSING),
            _ => writer.unit(unit),
        }
    }
    found.filter(|_| count == 1)
}
