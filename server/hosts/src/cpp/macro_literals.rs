//! Expands macros to string literals in templates.
//!
//! A macro is expanded only if its definition is certain.

use super::lexer::{CppLexer, CppTokenKind};
use super::preprocessor::Macros;
use crate::inline_asm::{AsmStatement, LiteralSource, PartLiteral, TemplatePart};
use std::collections::HashMap;
use std::ops::Range;

/// The meaning of a name.
#[derive(Debug, Default)]
pub(super) struct MacroExpansion<'t> {
    /// The literals in order, with their ranges.
    pub literals: Vec<PartLiteral>,
    /// The macros that were expanded.
    names: Vec<&'t str>,
}

/// The place where a template names a macro.
#[derive(Debug)]
pub(super) struct NamePlace<'p, 't> {
    pub text: &'t str,
    /// The range of the name.
    pub name: &'p Range<usize>,
    pub macros: &'p Macros<'t>,
    /// The parameters of the macro whose body has the template.
    pub parameters: &'p [&'t str],
}

/// The macros that are named in the templates of a text.
#[derive(Debug)]
pub(super) struct MacroLiterals<'t> {
    /// The number of uses of each literal, by the offset of its text.
    uses: HashMap<usize, usize>,
    /// Names in the bodies of macros, with the statement's number.
    deferred: Vec<(usize, Range<usize>, Vec<&'t str>)>,
    /// The remaining bytes of expanded literals: without a limit, a long literal that is used often would take more memory than the file.
    left: usize,
}

/// The maximum nesting of macros.
const DEPTH: usize = 8;

impl<'t> MacroLiterals<'t> {
    /// The state for a text of a length in bytes.
    pub fn new(length: usize) -> Self {
        MacroLiterals { uses: HashMap::new(), deferred: Vec::new(), left: (1 << 16) + 4 * length }
    }

    /// The literals that a name expands to, if it certainly expands to literals only. The name of a macro parameter does not.
    pub fn literals(&mut self, place: &NamePlace<'_, 't>) -> Option<MacroExpansion<'t>> {
        let mut pasted = MacroExpansion::default();
        self.follow(place, &place.text[place.name.clone()], &mut pasted, 0)?;
        Some(pasted)
    }

    fn follow(
        &mut self,
        place: &NamePlace<'_, 't>,
        name: &'t str,
        pasted: &mut MacroExpansion<'t>,
        depth: usize,
    ) -> Option<()> {
        let (text, is_parameter) = (place.text, place.parameters.contains(&name));
        let (body, at) = place.macros.certain(name, place.name.start).filter(|_| depth < DEPTH && !is_parameter)?;
        pasted.names.push(name);
        let mut lexer = CppLexer::new(&text[..at + body.len()], at);
        lexer.in_line = true;
        loop {
            let token = lexer.next();
            self.left = self.left.checked_sub(token.range.len() + 1)?;
            match token.kind {
                CppTokenKind::End => return Some(()),
                CppTokenKind::Text(literal) if literal.narrow && literal.closed => pasted.literals.push(literal.into()),
                CppTokenKind::Word => {
                    self.follow(place, &text[token.range], pasted, depth + 1)?;
                }
                _ => return None,
            }
        }
    }

    /// Records that a statement names a macro.
    pub fn note(&mut self, statement: usize, at: &Range<usize>, pasted: &MacroExpansion<'t>, deferred: bool) {
        for literal in &pasted.literals {
            *self.uses.entry(literal.inner.start).or_default() += 1;
        }
        if deferred {
            self.deferred.push((statement, at.clone(), pasted.names.clone()));
        }
    }

    /// After the whole text was read, marks the literals that are used once, and reverts uncertain expansions.
    pub fn settle(self, statements: &mut [AsmStatement], is_constant: impl Fn(&str) -> bool) {
        for (number, at, names) in &self.deferred {
            if !names.iter().all(|name| is_constant(name))
                && let Some(statement) = statements.get_mut(*number)
            {
                withdraw(statement, at);
            }
        }
        if self.uses.is_empty() {
            return;
        }
        for part in statements.iter_mut().flat_map(|statement| &mut statement.template) {
            let literal = part.literal.as_ref().filter(|_| part.via == LiteralSource::SharedMacro);
            if literal.is_some_and(|literal| self.uses.get(&literal.inner.start) == Some(&1)) {
                part.via = LiteralSource::Macro;
            }
        }
    }
}

/// Turns an expanded macro back into a placeholder.
fn withdraw(statement: &mut AsmStatement, at: &Range<usize>) {
    let mut placeholder: Option<TemplatePart> = None;
    statement.template.retain_mut(|part| {
        if part.range != *at {
            return true;
        }
        let first = placeholder.is_none();
        if first {
            (part.literal, part.via) = (None, LiteralSource::Written);
            placeholder = Some(part.clone());
        }
        first
    });
}
