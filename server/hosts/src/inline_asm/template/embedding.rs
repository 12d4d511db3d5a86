//! Reads and writes texts that are embedded in literals, and their statements.

use super::decoded;
use super::host_forms::{decode, encode};
use super::template_char::{TemplateChar, TemplateCharKind};
use crate::inline_asm::embedded::EmbeddedText;
use crate::inline_asm::literal::PartLiteral;
use crate::inline_asm::statement::{AsmStatement, TemplatePart};
use std::ops::Range;
use std::sync::Arc;
use syntax::region::{Region, RegionSegment};

/// The character for a part with unknown text. It is a word in every language.
const UNKNOWN: char = '\u{fffc}';

impl EmbeddedText {
    /// The text of literals; what is no literal is unknown.
    pub(crate) fn new(host: &str, parts: &[TemplatePart]) -> Self {
        EmbeddedText::joined(host, &[parts])
    }

    /// Several texts with an end of line between them.
    pub(crate) fn joined(host: &str, texts: &[&[TemplatePart]]) -> Self {
        let (mut text, mut segments) = (String::new(), Vec::new());
        for parts in texts {
            if !text.is_empty() {
                text.push('\n');
            }
            for unit in decoded(host, parts) {
                let c = if unit.what == TemplateCharKind::Placeholder { UNKNOWN } else { unit.what.char() };
                let start = text.len();
                text.push(c);
                segments.push(RegionSegment { inner: start..text.len(), outer: unit.outer.range(), exact: unit.exact });
            }
        }
        let literals = texts.iter().flat_map(|parts| parts.iter()).filter_map(|part| part.literal.clone()).collect();
        EmbeddedText::of(text, Region::new(segments), literals)
    }

    /// A text as it is written in a range of the host text; `None` if it cannot be written there.
    pub fn encode(&self, range: &Range<usize>, text: &str) -> Option<String> {
        let text = encode(text, self.literal(range)?)?;
        self.outer().map_or(Some(text.clone()), |outer| outer.encode(range, &text))
    }

    /// The decoded characters of a literal in it, whose range is one of the host text.
    pub(crate) fn decode(&self, host: &str, literal: &PartLiteral, units: &mut Vec<TemplateChar>) {
        let ends = self.to_inner(literal.inner.start).zip(self.to_inner(literal.inner.end));
        let Some((start, end)) = ends.filter(|(start, end)| start <= end) else { return };
        let mut found = Vec::with_capacity(end - start);
        decode(self.text(), &PartLiteral { inner: start..end, ..literal.clone() }, &mut found);
        units.extend(found.into_iter().filter_map(|unit| {
            let range = unit.outer.range();
            let there = self.to_host(&range)?;
            let what = match unit.what {
                TemplateCharKind::Char(UNKNOWN) => TemplateCharKind::Placeholder,
                what => what,
            };
            let exact = unit.exact && host.get(there.clone()) == self.text().get(range);
            Some(TemplateChar { exact, ..TemplateChar::whole(what, there) })
        }));
    }

    /// Statements of it as statements of the host text.
    pub(crate) fn statements(self: &Arc<Self>, inner: Vec<AsmStatement>) -> impl Iterator<Item = AsmStatement> {
        inner.into_iter().filter_map(|mut statement| {
            statement.map_ranges(&|range| self.to_outer(range))?;
            statement.embedded = Some(match statement.embedded.take() {
                Some(inside) => Arc::new(inside.within(self)),
                None => self.clone(),
            });
            Some(statement)
        })
    }
}

impl AsmStatement {
    /// Maps its ranges; `None` if one of them has no place.
    fn map_ranges(&mut self, map: &dyn Fn(&Range<usize>) -> Option<Range<usize>>) -> Option<()> {
        let replace = |range: &mut Range<usize>| map(range).map(|mapped| *range = mapped);
        replace(&mut self.range)?;
        replace(&mut self.keyword)?;
        self.pure.as_mut().map_or(Some(()), replace)?;
        self.values.as_mut().map_or(Some(()), |values| replace(&mut values.range))?;
        self.store_before.as_mut().map_or(Some(()), replace)?;
        for part in &mut self.template {
            replace(&mut part.range)?;
            part.literal.as_mut().map_or(Some(()), |literal| replace(&mut literal.inner))?;
        }
        for operand in &mut self.operands {
            replace(&mut operand.constraint_at)?;
            replace(&mut operand.expression)?;
            operand.name.as_mut().map_or(Some(()), replace)?;
            operand.constraint.take_if(|constraint| constraint.contains(UNKNOWN));
        }
        for clobber in &mut self.clobbers {
            replace(&mut clobber.range)?;
            clobber.name.take_if(|name| name.contains(UNKNOWN));
        }
        for invocation in self.invocations.iter_mut().flatten() {
            replace(invocation)?;
        }
        for colon in self.colons.iter_mut().chain(&mut self.missing_commas) {
            *colon = map(&(*colon..*colon + 1))?.start;
        }
        Some(())
    }
}
