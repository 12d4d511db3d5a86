//! Macros of a text that stand for literals, in the templates that name them.
//!
//! A name counts as text only where it is certain what it stands for.

use super::lexer::{CppLexer, CppTokenKind};
use super::preprocessor::Macros;
use super::statement::{AsmStatement, LiteralSource, PartLiteral, TemplatePart};
use std::collections::HashMap;
use std::ops::Range;

/// The meaning of a name.
#[derive(Debug, Default)]
pub(super) struct MacroExpansion<'t> {
    /// The literals, in order, where they are written.
    pub literals: Vec<PartLiteral>,
    /// The macros that were gone through.
    names: Vec<&'t str>,
}

/// The macros that templates of a text name.
#[derive(Debug)]
pub(super) struct MacroLiterals<'t> {
    /// How often each literal is pasted, by the place of its text.
    uses: HashMap<usize, usize>,
    /// Names in the bodies of macros, with the statement's number.
    deferred: Vec<(usize, Range<usize>, Vec<&'t str>)>,
    /// How many bytes may still be pasted: a long text that is named often would cost more than the file it stands in.
    left: usize,
}

/// Macros that stand for macros are followed so far.
const DEPTH: usize = 8;

impl<'t> MacroLiterals<'t> {
    /// For a text of a length in bytes.
    pub fn new(length: usize) -> Self {
        MacroLiterals { uses: HashMap::new(), deferred: Vec::new(), left: (1 << 16) + 4 * length }
    }

    /// The literals that a name stands for, if it is certain that it stands for literals and nothing else. A name that a parameter has is none.
    pub fn literals(
        &mut self,
        text: &'t str,
        name: &'t str,
        macros: &Macros<'t>,
        parameters: &[&str],
    ) -> Option<MacroExpansion<'t>> {
        let mut pasted = MacroExpansion::default();
        self.follow(text, name, macros, parameters, &mut pasted, 0)?;
        Some(pasted)
    }

    fn follow(
        &mut self,
        text: &'t str,
        name: &'t str,
        macros: &Macros<'t>,
        parameters: &[&str],
        pasted: &mut MacroExpansion<'t>,
        depth: usize,
    ) -> Option<()> {
        let (body, at) = macros.certain(name).filter(|_| depth < DEPTH && !parameters.contains(&name))?;
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
                    self.follow(text, &text[token.range], macros, parameters, pasted, depth + 1)?;
                }
                _ => return None,
            }
        }
    }

    /// Remembers that a statement names a macro.
    pub fn note(&mut self, statement: usize, at: &Range<usize>, pasted: &MacroExpansion<'t>, deferred: bool) {
        for literal in &pasted.literals {
            *self.uses.entry(literal.inner.start).or_default() += 1;
        }
        if deferred {
            self.deferred.push((statement, at.clone(), pasted.names.clone()));
        }
    }

    /// Says, once all is read, which literals are used once, and takes back what was not certain after all.
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

/// Makes a hole of a name again.
fn withdraw(statement: &mut AsmStatement, at: &Range<usize>) {
    let mut hole: Option<TemplatePart> = None;
    statement.template.retain_mut(|part| {
        if part.range != *at {
            return true;
        }
        let first = hole.is_none();
        if first {
            (part.literal, part.via) = (None, LiteralSource::Written);
            hole = Some(part.clone());
        }
        first
    });
}
