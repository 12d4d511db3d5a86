//! Statements in the bodies of macros, and macros with arguments in templates: each use in the same text is a choice of the statement, with the
//! arguments in place of the parameters. Where an argument is unknown, the placeholder stays. Where a macro has a definition for each of several
//! versions of the compiler, each definition is a choice, too, and so is each place where other texts include this one.

mod definitions;
mod expansion;
mod instances;
mod tokens;

use super::included::IncludedMacros;
use super::preprocessor::Macros;
use crate::inline_asm::{AsmOperand, AsmStatement, Branches, LiteralSource, PartLiteral, TemplatePart};
use definitions::{FunctionMacro, MacroHistory};
use expansion::{ExpansionPlace, MacroExpander};
use instances::{MacroInstance, MacroInstances};
use std::collections::HashSet;
use std::ops::Range;
use tokens::{MacroTokenKind, tokens};

/// The maximum number of different uses of a macro that are checked.
const MOST_USES: usize = 64;

/// Expands the statements in a part of a text.
pub(super) fn expand<'t>(
    part: Range<usize>,
    objects: &Macros<'t>,
    included: &IncludedMacros<'t>,
    statements: &mut [AsmStatement],
) {
    if !statements.iter().any(has_unknown_part) {
        return;
    }
    let history = MacroHistory::read(&included.whole[..part.end], part.start);
    let expander = MacroExpander::new(objects, &history.macros, included);
    let mut wanted = vec![false; history.macros.len()];
    for statement in statements.iter().filter(|statement| has_unknown_part(statement)) {
        macro_around(&history.macros, statement).into_iter().for_each(|number| wanted[number] = true);
    }
    let instances = MacroInstances::new(&history, &expander, wanted);
    for statement in statements.iter_mut().filter(|statement| has_unknown_part(statement)) {
        let written = MacroInstance { arguments: Default::default(), invocation: None };
        match macro_around(&history.macros, statement) {
            Some(number) => {
                let parameters = &history.macros[number].parameters;
                let uses = instances.found[number].iter();
                StatementUses::new(&expander, statement, parameters, uses, IsMacro::Yes).apply(statement);
            }
            None => {
                let uses = [&written].into_iter();
                StatementUses::new(&expander, statement, &[], uses, IsMacro::No).apply(statement);
            }
        }
    }
}

/// Whether a statement is in the body of a macro.
#[derive(Clone, Copy, PartialEq, Eq)]
enum IsMacro {
    Yes,
    No,
}

fn has_unknown_part(statement: &AsmStatement) -> bool {
    statement.embedded.is_none() && statement.template.iter().any(|part| part.literal.is_none())
}

/// The number of the macro whose body has a statement.
fn macro_around(macros: &[FunctionMacro], statement: &AsmStatement) -> Option<usize> {
    let after = macros.partition_point(|one| one.body.start <= statement.keyword.start);
    after.checked_sub(1).filter(|number| statement.keyword.start < macros[*number].body.end)
}

/// The literals in place of an unknown part; `None` if it stays unknown.
type Resolved = Option<Vec<PartLiteral>>;

/// The literals in place of a run of unknown parts, each with the range that it stands for; `None` if the run stays unknown.
type ResolvedRun = Option<Vec<(Range<usize>, PartLiteral)>>;

/// A use of the macro that has a statement.
struct StatementUse {
    invocation: Option<Range<usize>>,
    /// The text of each run of unknown parts.
    runs: Vec<ResolvedRun>,
    /// The constraints of the operands without a known one.
    constraints: Vec<Option<String>>,
}

/// The different uses of the macro that has a statement.
struct StatementUses {
    /// The unknown parts: runs of them in the template.
    runs: Vec<Range<usize>>,
    uses: Vec<StatementUse>,
    is_macro: IsMacro,
    /// The length of the text, without what others define.
    length: usize,
}

impl StatementUses {
    fn new<'i>(
        expander: &MacroExpander,
        statement: &AsmStatement,
        parameters: &[&str],
        instances: impl Iterator<Item = &'i MacroInstance>,
        is_macro: IsMacro,
    ) -> Self {
        let runs = unknown_runs(statement);
        let (mut uses, mut seen) = (Vec::new(), HashSet::new());
        let text = expander.text;
        for instance in instances {
            expander.go_to(match &instance.invocation {
                Some(invocation) => ExpansionPlace::Use(invocation.start),
                None if is_macro == IsMacro::Yes => ExpansionPlace::Unused(statement.keyword.start),
                None => ExpansionPlace::Use(statement.keyword.start),
            });
            expander.for_each_version(|| {
                let literals = |range: Range<usize>| literals(expander, &range, parameters, instance);
                let resolve = |run: &Range<usize>| resolved_run(&statement.template[run.clone()], literals);
                let constraint = |operand: &AsmOperand| {
                    let found = literals(operand.constraint_at.clone())?;
                    Some(found.iter().map(|literal| &text[literal.inner.clone()]).collect::<String>())
                };
                let unknown = statement.operands.iter().filter(|operand| operand.constraint.is_none());
                let one = StatementUse {
                    invocation: instance.invocation.clone(),
                    constraints: unknown.map(constraint).collect(),
                    runs: runs.iter().map(resolve).collect(),
                };
                let written = |literals: &Vec<(_, PartLiteral)>| -> String {
                    literals.iter().map(|(_, literal)| &text[literal.inner.clone()]).collect()
                };
                let texts: Vec<Option<String>> = one.runs.iter().map(|run| run.as_ref().map(written)).collect();
                if uses.len() < MOST_USES && seen.insert((texts, one.constraints.clone())) {
                    uses.push(one);
                }
            });
        }
        // The first choice stands for the statement where one has to, so it is the least known one.
        uses.sort_by_key(|one: &StatementUse| one.runs.iter().all(Option::is_some));
        StatementUses { runs, uses, is_macro, length: expander.length }
    }

    /// Replaces the unknown parts of the statement, once for each use.
    fn apply(self, statement: &mut AsmStatement) {
        if !self.uses.iter().any(|one| one.runs.iter().any(Option::is_some)) {
            return;
        }
        let group = statement.groups.len();
        let is_group = self.is_macro == IsMacro::Yes || self.uses.len() > 1;
        let chosen = |number: usize, branches: &Branches| {
            let mut branches = branches.clone();
            branches.extend(is_group.then_some((group, number)));
            branches
        };
        self.close(statement);
        let mut template = Vec::new();
        let (mut run, mut skip) = (0, 0..0);
        for (at, part) in statement.template.drain(..).enumerate() {
            if part.literal.is_some() {
                template.push(part);
                continue;
            }
            if skip.contains(&at) {
                continue;
            }
            skip = self.runs[run].clone();
            for (number, one) in self.uses.iter().enumerate() {
                let branches = chosen(number, &part.branches);
                match &one.runs[run] {
                    Some(literals) => template.extend(literals.iter().map(|(range, literal)| TemplatePart {
                        range: range.clone(),
                        via: self.source(literal),
                        literal: Some(literal.clone()),
                        branches: branches.clone(),
                    })),
                    None => template.push(TemplatePart { branches, ..part.clone() }),
                }
            }
            run += 1;
        }
        statement.template = template;
        let mut unknown = 0;
        for operand in std::mem::take(&mut statement.operands) {
            if operand.constraint.is_some() {
                statement.operands.push(operand);
                continue;
            }
            for (number, one) in self.uses.iter().enumerate() {
                let constraint = one.constraints[unknown].clone();
                let branches = chosen(number, &operand.branches);
                let register = constraint.as_deref().and_then(AsmOperand::only_letter).and_then(super::register);
                statement.operands.push(AsmOperand { constraint, branches, register, ..operand.clone() });
            }
            unknown += 1;
        }
        if is_group {
            statement.groups.push(self.uses.len());
            statement.invocations = self.uses.into_iter().map(|one| one.invocation).collect();
        }
    }

    /// Where a literal is written. What another text defines has its place where it is named.
    fn source(&self, literal: &PartLiteral) -> LiteralSource {
        if literal.inner.start < self.length { LiteralSource::Argument } else { LiteralSource::SharedMacro }
    }

    /// Notes that no macro at the end of the template has operands.
    fn close(&self, statement: &mut AsmStatement) {
        let is_known = self.uses.iter().all(|one| one.runs.last().is_some_and(Option::is_some));
        if is_known
            && statement.colons.is_empty()
            && self.runs.last().is_some_and(|run| run.end == statement.template.len())
        {
            statement.open = false;
        }
    }
}

/// The runs of adjacent unknown parts of a template, in the same branches.
fn unknown_runs(statement: &AsmStatement) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, part) in statement.template.iter().enumerate().filter(|(_, part)| part.literal.is_none()) {
        match runs.last_mut() {
            Some(run) if run.end == at && statement.template[run.start].branches == part.branches => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// The literals that a run of unknown parts certainly expands to: each part by itself, or, as a macro with arguments, all of them together.
fn resolved_run(parts: &[TemplatePart], literals: impl Fn(Range<usize>) -> Resolved) -> ResolvedRun {
    let alone = |part: &TemplatePart| {
        let found = literals(part.range.clone())?;
        Some(found.into_iter().map(|literal| (part.range.clone(), literal)).collect::<Vec<_>>())
    };
    let each: Option<Vec<_>> = parts.iter().map(alone).collect();
    let together = || {
        let (first, last) = (parts.first()?, parts.last()?);
        let found = literals(first.range.start..last.range.end)?;
        Some(found.into_iter().map(|literal| (first.range.clone(), literal)).collect())
    };
    each.map(|each| each.concat()).or_else(together)
}

/// The literals that a range certainly expands to in a use.
fn literals(expander: &MacroExpander, range: &Range<usize>, parameters: &[&str], used: &MacroInstance) -> Resolved {
    let written = tokens(expander.text, range)?;
    let values = expander.substitute(&written, parameters, &used.arguments)?;
    let mut found = Vec::new();
    for token in expander.expand(&values, 0)? {
        let MacroTokenKind::Text(form) = token.kind else { return None };
        let pieces = token.pieces.into_iter().filter(|piece| !piece.is_empty());
        found.extend(pieces.map(|inner| PartLiteral { inner, form, closed: true }));
    }
    Some(found)
}
