//! The PTX of a statement: its literals concatenated, escapes decoded, operands as registers, and the source map.
//!
//! Operands keep their familiar names, `%0` of nvcc and `$0` of LLVM, which are names for the assembler's lexer, too.

mod embedding;
mod host_forms;
mod module;
mod segments;
mod substitution;
mod template_char;

use host_forms::{decode, encode};
pub use segments::MissingPart;
pub(crate) use substitution::Substituted;
pub use substitution::TemplateError;
pub(crate) use template_char::{TemplateChar, TemplateCharKind, is_word};

use super::dialect::AsmDialect;
use super::embedded::EmbeddedText;
use super::literal::PartLiteral;
use super::statement::{AsmOperand, AsmStatement, LiteralSource, TemplatePart};
use module::FragmentModule;
pub use module::WordHole;
use std::ops::Range;
use std::sync::Arc;
use syntax::region::Region;
use template_char::HostSpan;

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
    /// The ranges of text that only the preprocessor can expand, and what is unknown there.
    pub incomplete: Vec<(Range<usize>, MissingPart)>,
    /// The opcodes of which one word is missing.
    pub holes: Vec<WordHole>,
    /// What is known of the opcodes of statements that are left out, because it is not known where they end or what they are.
    pub unknown: Vec<String>,
    /// The offset of the added `;` of the last instruction, if that continues in unknown text.
    pub unterminated: Option<usize>,
    /// The opcode of the last instruction, if the text ends within it.
    pub unfinished: Option<String>,
    /// Whether there is a placeholder.
    pub has_placeholder: bool,
    /// Who reads the template.
    pub dialect: AsmDialect,
    /// Whether the character before operands is special: for nvcc, only in a statement with operands.
    pub substitutes: bool,
    /// The uses of operands: ranges in the host text and operand numbers.
    pub uses: Vec<(Range<usize>, usize)>,
    /// The errors of the template, with ranges in the host text.
    pub mistakes: Vec<(Range<usize>, TemplateError)>,
    /// The literals that may be edited, in order.
    literals: Vec<PartLiteral>,
    /// The text that the statement is a part of.
    embedded: Option<Arc<EmbeddedText>>,
}

impl AsmStatement {
    /// The PTX of the statement for a choice of its `#if`s.
    pub fn template(&self, host: &str, choice: &[usize]) -> Template {
        let parts = self.template.iter().filter(|part| Self::chosen(choice, &part.branches));
        self.template_of(host, choice, characters(host, parts, self.embedded.as_deref()), None)
    }

    /// The PTX of the statement while its literal at `cursor` is typed; `None` if no literal is written there.
    ///
    /// The literal ends in a line break, so that its last word is not joined with the next literal. What follows a part that is not a literal
    /// is left out, because an unfinished statement continues into the code behind it.
    pub fn template_at(&self, host: &str, choice: &[usize], cursor: usize) -> Option<Template> {
        let parts: Vec<_> = self.template.iter().filter(|part| Self::chosen(choice, &part.branches)).collect();
        let at = parts.iter().position(|part| part.via == LiteralSource::Written && part.contains(cursor))?;
        let (before, behind) = parts.split_at(at + 1);
        let literal = before[at].literal.as_ref()?;
        let mut typed = characters(host, before.iter().copied(), self.embedded.as_deref());
        keep_begun_operand(&mut typed.all, self.dialect.sigil(), cursor);
        let end = literal.inner.end;
        typed.all.push(TemplateChar::whole(TemplateCharKind::Char('\n'), end..end + 1));
        let literals = behind.iter().copied().take_while(|part| literal.closed && part.literal.is_some());
        typed.extend(characters(host, literals, self.embedded.as_deref()));
        Some(self.template_of(host, choice, typed, Some(cursor)))
    }

    fn template_of(&self, host: &str, choice: &[usize], characters: Characters, cursor: Option<usize>) -> Template {
        let operands: Vec<&AsmOperand> =
            self.operands.iter().filter(|operand| Self::chosen(choice, &operand.branches)).collect();
        let substitutes = match self.dialect {
            AsmDialect::Nvcc => !operands.is_empty() || self.open,
            AsmDialect::Llvm | AsmDialect::Cute | AsmDialect::Rust | AsmDialect::Attributes => true,
            AsmDialect::Module | AsmDialect::Excerpt => false,
        };
        let Characters { all: units, editable: mut literals } = characters;
        literals.sort_by_key(|literal| literal.inner.start);
        let Substituted { units, uses, mistakes } = if substitutes {
            host_forms::substitute(self.dialect, &units, &operands, host)
        } else {
            Substituted { units, ..Substituted::default() }
        };
        let has_placeholder = units.iter().any(|unit| unit.what == TemplateCharKind::Placeholder);
        let FragmentModule { text, region, definitions, body, incomplete, holes, unknown, unterminated, unfinished } =
            module::module(&units, &operands, self.dialect, cursor);
        Template {
            text,
            region,
            definitions,
            body,
            incomplete,
            holes,
            unknown,
            unterminated,
            unfinished,
            has_placeholder,
            dialect: self.dialect,
            substitutes,
            uses,
            mistakes,
            literals,
            embedded: self.embedded.clone(),
        }
    }
}

/// Keeps the sign before a cursor that begins an operand whose number is still missing.
fn keep_begun_operand(all: &mut [TemplateChar], sigil: char, cursor: usize) {
    let is_sigil = |unit: &TemplateChar| unit.what == TemplateCharKind::Char(sigil);
    let Some(at) = all.iter().rposition(|unit| unit.outer.range().end == cursor && is_sigil(unit)) else { return };
    let count = all[..=at].iter().rev().take_while(|unit| is_sigil(unit)).count();
    let goes_on = all.get(at + 1).is_some_and(|next| is_word(next.what.char()) || is_sigil(next));
    if count % 2 == 1 && !goes_on {
        all[at].what = TemplateCharKind::Operand(sigil);
    }
}

/// The characters of parts of a template.
struct Characters {
    all: Vec<TemplateChar>,
    /// The literals that may be changed.
    editable: Vec<PartLiteral>,
}

/// The decoded characters of parts of a list of strings.
pub(crate) fn decoded(host: &str, parts: &[TemplatePart]) -> Vec<TemplateChar> {
    characters(host, parts.iter(), None).all
}

impl Characters {
    fn extend(&mut self, more: Characters) {
        self.all.extend(more.all);
        self.editable.extend(more.editable);
    }
}

/// Reads the characters of parts of a template.
fn characters<'p>(
    host: &str,
    parts: impl Iterator<Item = &'p TemplatePart> + Clone,
    embedded: Option<&EmbeddedText>,
) -> Characters {
    let literals = parts.clone().filter_map(|part| part.literal.as_ref());
    let mut all = Vec::with_capacity(literals.map(|literal| literal.inner.len() + 1).sum());
    let mut editable = Vec::new();
    for part in parts {
        let Some(literal) = &part.literal else {
            all.push(TemplateChar::whole(TemplateCharKind::Placeholder, part.range.clone()));
            continue;
        };
        let from = all.len();
        match embedded {
            Some(embedded) => embedded.decode(host, literal, &mut all),
            None => decode(host, literal, &mut all),
        }
        for unit in all[from..].iter_mut().filter(|_| part.via != LiteralSource::Written) {
            let defined = std::mem::replace(&mut unit.outer, HostSpan::new(part.range.clone()));
            unit.exact = false;
            unit.defined = matches!(part.via, LiteralSource::Macro | LiteralSource::Argument).then_some(defined);
        }
        if !matches!(part.via, LiteralSource::SharedMacro | LiteralSource::Argument) {
            editable.push(literal.clone());
        }
    }
    Characters { all, editable }
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
        let text = self.encode(&range, &self.written(text), literal)?;
        Some((range, text))
    }

    /// A completion of the module's text, which replaces `range` up to the cursor, as an edit of the host text that ends at the cursor; `None`
    /// if it cannot be written there. Of a word that an earlier literal begins, only the rest is written.
    pub fn completion(&self, range: &Range<usize>, text: &str, cursor: usize) -> Option<(Range<usize>, String)> {
        let literal = self.literals.iter().find(|literal| literal.contains(cursor))?;
        let inner = self.region.to_inner(cursor).filter(|inner| *inner == range.end)?;
        let in_literal = |at: &usize| {
            let editable = self.region.editable(&(*at..inner));
            editable.is_some_and(|typed| literal.contains(typed.start) && typed.end == cursor)
        };
        let start = (range.start..inner).find(in_literal).unwrap_or(inner);
        let rest = text.strip_prefix(self.text.get(range.start..start)?)?;
        let typed = if start == inner { cursor..cursor } else { self.region.editable(&(start..inner))? };
        let text = self.encode(&typed, &self.written(rest), literal)?;
        Some((typed, text))
    }

    /// A text in a range of a literal as the host text has to spell it.
    fn encode(&self, range: &Range<usize>, text: &str, literal: &PartLiteral) -> Option<String> {
        let text = encode(text, literal)?;
        self.embedded.as_ref().map_or(Some(text.clone()), |embedded| embedded.encode(range, &text))
    }

    /// A PTX text as the template has to spell it.
    fn written(&self, text: &str) -> String {
        if self.substitutes { host_forms::written(self.dialect, text) } else { text.to_owned() }
    }

    /// A name that a user typed as in the template, in PTX.
    pub fn in_ptx(&self, typed: &str) -> String {
        let sigil = self.dialect.sigil();
        if self.substitutes { typed.replace(&format!("{sigil}{sigil}"), &sigil.to_string()) } else { typed.to_owned() }
    }
}
