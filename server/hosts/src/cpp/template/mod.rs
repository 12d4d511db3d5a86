//! The PTX of an `asm` statement: its literals concatenated, escapes decoded, operands as registers, and the source map.
//!
//! Operands keep their familiar names `%0`, `%1`, which are names for the assembler's lexer, too.

mod literal;
mod module;
mod percent;
mod segments;
mod template_char;
#[cfg(test)]
mod tests;

pub use percent::PercentError;
pub use segments::MissingPart;

use super::statement::{AsmOperand, AsmStatement, LiteralSource, PartLiteral};
use module::FragmentModule;
use percent::Substituted;
use std::ops::Range;
use syntax::region::Region;
use template_char::{HostSpan, TemplateChar, TemplateCharKind};

/// A function around the text of a statement.
#[derive(Clone, Debug)]
pub struct Template {
    /// The text of the module.
    pub text: String,
    /// The source map to the host text; text from macros maps to the names of the macros.
    pub region: Region,
    /// The source map of text from macros that are used once, to their definitions.
    pub definitions: Region,
    /// The byte range of the literals' text in it.
    pub body: Range<usize>,
    /// The ranges where text is missing that only the preprocessor can expand, and what that hides.
    pub incomplete: Vec<(Range<usize>, MissingPart)>,
    /// The offset of the added `;` of the last instruction, if that continues in unknown text.
    pub unterminated: Option<usize>,
    /// Whether there is a placeholder.
    pub has_placeholder: bool,
    /// Whether `%` is special, because there are operands.
    pub substitutes: bool,
    /// The uses of operands: ranges in the host text and operand numbers.
    pub uses: Vec<(Range<usize>, usize)>,
    /// The errors of the template, with ranges in the host text.
    pub mistakes: Vec<(Range<usize>, PercentError)>,
    /// The literals that may be edited, in order.
    literals: Vec<PartLiteral>,
}

impl AsmStatement {
    /// The PTX of the statement for a choice of its `#if`s.
    pub fn template(&self, host: &str, choice: &[usize]) -> Template {
        let operands: Vec<&AsmOperand> =
            self.operands.iter().filter(|operand| Self::chosen(choice, &operand.branches)).collect();
        let substitutes = !operands.is_empty() || self.open;
        let chosen = || self.template.iter().filter(|part| Self::chosen(choice, &part.branches));
        let literals = chosen().filter_map(|part| part.literal.as_ref());
        let mut written = Vec::new();
        let mut units = Vec::with_capacity(literals.map(|literal| literal.inner.len() + 1).sum());
        for part in chosen() {
            match &part.literal {
                Some(literal) => {
                    let from = units.len();
                    literal::decode(host, literal, &mut units);
                    let through = units[from..].iter_mut().filter(|_| part.via != LiteralSource::Written);
                    for unit in through {
                        let defined = std::mem::replace(&mut unit.outer, HostSpan::new(part.range.clone()));
                        unit.exact = false;
                        unit.defined = (part.via == LiteralSource::Macro).then_some(defined);
                    }
                    if part.via != LiteralSource::SharedMacro {
                        written.push(literal.clone());
                    }
                }
                None => units.push(TemplateChar::whole(TemplateCharKind::Placeholder, part.range.clone())),
            }
        }
        written.sort_by_key(|literal| literal.inner.start);
        let Substituted { units, uses, mistakes } = if substitutes {
            percent::substitute(&units, &operands, host)
        } else {
            Substituted { units, ..Substituted::default() }
        };
        let has_placeholder = units.iter().any(|unit| unit.what == TemplateCharKind::Placeholder);
        let FragmentModule { text, region, definitions, body, incomplete, unterminated } =
            module::module(&units, &operands);
        Template {
            text,
            region,
            definitions,
            body,
            incomplete,
            unterminated,
            has_placeholder,
            substitutes,
            uses,
            mistakes,
            literals: written,
        }
    }
}

impl Template {
    /// An edit of the module's text as one of the host text; `None` if it cannot be mapped.
    pub fn edit(&self, range: &Range<usize>, text: &str) -> Option<(Range<usize>, String)> {
        if range.start < self.body.start || range.end > self.body.end {
            return None;
        }
        let range = self.definitions.editable(range).or_else(|| self.region.editable(range))?;
        let at = self.literals.partition_point(|literal| literal.inner.end < range.start);
        let literal = self
            .literals
            .get(at)
            .filter(|literal| literal.inner.start <= range.start && range.end <= literal.inner.end)?;
        let text = if self.substitutes { percent::written(text) } else { text.to_owned() };
        Some((range, literal::encode(&text, literal.raw)?))
    }
}
