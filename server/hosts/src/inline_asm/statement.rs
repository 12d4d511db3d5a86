//! The parts of a statement of inline assembly.

use super::dialect::AsmDialect;
use super::embedded::EmbeddedText;
use super::literal::PartLiteral;
use crate::cpp::Archs;
use std::ops::Range;
use std::sync::Arc;

/// A statement of inline assembly. All ranges are byte ranges of the host text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AsmStatement {
    /// From the keyword to the closing parenthesis, or as far as it could be parsed.
    pub range: Range<usize>,
    /// `asm`, `__asm__` or `__asm`; the name of the function that is called.
    pub keyword: Range<usize>,
    /// Who reads its template.
    pub dialect: AsmDialect,
    /// Whether it is `volatile`, or said to have side effects.
    pub volatile: bool,
    /// The argument that says that it has no side effects, as `True` of `is_pure=True`.
    pub pure: Option<Range<usize>>,
    /// What declares side effects, if nothing does and there are none by default.
    pub missing_effects: Option<&'static str>,
    /// Whether it runs once for each element of a tensor, as often as a layout has the element.
    pub elementwise: bool,
    /// Whether only one lane executes it.
    pub elected: bool,
    /// A store that all threads execute before it, with no barrier between.
    pub store_before: Option<Range<usize>>,
    /// The literals of the template and the macros between them, in order.
    pub template: Vec<TemplatePart>,
    /// Outputs, then inputs, in order; only those before the first macro in the lists.
    pub operands: Vec<AsmOperand>,
    /// The list of values that its inputs get, where it is one; `None` where it is not known.
    pub values: Option<ValueList>,
    /// Whether the lists of operands contain something else, such as a macro: the numbers of operands after it are unknown.
    pub open: bool,
    /// The clobbers.
    pub clobbers: Vec<Clobber>,
    /// The starts of operands without a comma before them, which nvcc accepts.
    pub missing_commas: Vec<usize>,
    /// The colons before its sections.
    pub colons: Vec<usize>,
    /// The devices that it is compiled for, by the conditions around it.
    pub guard: ArchGuard,
    /// Whether the function or the conditions around it are for devices of NVIDIA, so that it is PTX whatever its words are.
    pub for_devices: bool,
    /// The number of branches of each `#if` inside. In the body of a macro, the last one may be the number of its uses.
    pub groups: Vec<usize>,
    /// The names with arguments that the macro with the statement is expanded for, one for each branch of the last group; `None` for a macro
    /// that its text does not use.
    pub invocations: Vec<Option<Range<usize>>>,
    /// Whether it was parsed to its closing parenthesis.
    pub finished: bool,
    /// The text that it is a part of, if that is in literals of the host text.
    pub embedded: Option<Arc<EmbeddedText>>,
}

/// The values that the inputs of a call get.
#[derive(Clone, Debug, PartialEq)]
pub struct ValueList {
    /// The list.
    pub range: Range<usize>,
    /// How many they are.
    pub count: usize,
    /// Whether each is one operand; several elements that are packed into registers are several.
    pub is_one_each: bool,
}

/// The branches of the `#if`s inside a statement that contain something: pairs of group and branch.
pub type Branches = Vec<(usize, usize)>;

/// A part of the template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplatePart {
    /// The range of a literal with its quotes, or of the name of the macro that expands to it.
    pub range: Range<usize>,
    /// The literal; `None` for a placeholder: a macro or anything else that only the preprocessor can expand.
    pub literal: Option<PartLiteral>,
    /// The branches of the `#if`s inside that contain it.
    pub branches: Branches,
    /// Where its text is written.
    pub via: LiteralSource,
}

/// Where the text of a literal is written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiteralSource {
    /// In the template.
    #[default]
    Written,
    /// In a macro of the same text that is not used anywhere else, so that it may be edited there.
    Macro,
    /// In a macro of the same text that is used elsewhere, too, or in one of a text that includes it.
    SharedMacro,
    /// In an argument of a macro, or where a macro with arguments takes it from.
    Argument,
}

impl TemplatePart {
    /// Whether an offset is between the quotes of its literal.
    pub fn contains(&self, offset: usize) -> bool {
        self.literal.as_ref().is_some_and(|literal| literal.contains(offset))
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub struct AsmOperand {
    /// Whether it is an output.
    pub output: bool,
    /// The name with its brackets.
    pub name: Option<Range<usize>>,
    /// The range of the constraint.
    pub constraint_at: Range<usize>,
    /// The constraint, or the name of an operand that has none, as `w0`; `None` if a part of it is not a literal.
    pub constraint: Option<String>,
    /// The type of its register in PTX.
    pub register: Option<&'static str>,
    /// The width of its value in bits, where the type is known.
    pub bits: Option<u16>,
    /// The expression, in C++ with its parentheses; empty if none belongs to it.
    pub expression: Range<usize>,
    /// The branches of the `#if`s inside that contain it.
    pub branches: Branches,
}

impl AsmOperand {
    /// The whole operand.
    pub fn range(&self) -> Range<usize> {
        let start = self.name.as_ref().map_or(self.constraint_at.start, |name| name.start);
        start..self.expression.end
    }

    /// Its name in the PTX text of a statement, by its number there.
    pub fn ptx_name(&self, dialect: AsmDialect, number: usize) -> String {
        let sigil = dialect.sigil();
        match (dialect, &self.constraint) {
            (AsmDialect::Cute, Some(name)) => format!("{sigil}{name}"),
            _ => format!("{sigil}{number}"),
        }
    }

    /// The letter of the constraint, without its modifiers; `None` unless there is exactly one.
    pub fn letter(&self) -> Option<char> {
        Self::only_letter(self.constraint.as_deref()?)
    }

    /// The letter of a constraint, without its modifiers; `None` unless there is exactly one.
    pub fn only_letter(constraint: &str) -> Option<char> {
        let mut letters = constraint.trim_start_matches(['=', '+', '&']).chars();
        letters.next().filter(|_| letters.next().is_none())
    }
}

/// A clobber.
#[derive(Clone, Debug, PartialEq)]
pub struct Clobber {
    /// Its range.
    pub range: Range<usize>,
    /// The text of the literal; `None` if it is something else.
    pub name: Option<String>,
    /// The branches of the `#if`s inside that contain it.
    pub branches: Branches,
}

/// The devices that code is compiled for, by the conditions around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArchGuard {
    /// The devices for which it may be compiled.
    pub may: Archs,
    /// The devices for which it certainly is.
    pub must: Archs,
    /// Whether it is for another processor.
    pub host: bool,
}

impl Default for ArchGuard {
    fn default() -> Self {
        ArchGuard { may: Archs::all(), must: Archs::all(), host: false }
    }
}

impl AsmStatement {
    /// A PTX module in literals.
    pub(crate) fn module(range: Range<usize>, template: Vec<TemplatePart>) -> Self {
        let keyword = range.start..range.start;
        AsmStatement {
            range,
            keyword,
            dialect: AsmDialect::Module,
            template,
            finished: true,
            ..AsmStatement::default()
        }
    }

    /// Instructions of PTX that a document shows.
    pub(crate) fn excerpt(range: Range<usize>, template: Vec<TemplatePart>) -> Self {
        let dialect = AsmDialect::Excerpt;
        AsmStatement { dialect, for_devices: true, ..AsmStatement::module(range, template) }
    }

    /// The choices of the branches of the `#if`s inside that are checked: each branch is taken at least once, those with the same number
    /// together. A choice has the branch that is taken for each group.
    pub fn choices(&self) -> Vec<Vec<usize>> {
        let most = self.groups.iter().copied().max().unwrap_or(1);
        let most = most.clamp(1, MOST_BRANCHES.max(self.invocations.len()));
        let mut choices: Vec<Vec<usize>> =
            (0..most).map(|at| self.groups.iter().map(|count| at.min(count.saturating_sub(1))).collect()).collect();
        choices.dedup();
        choices
    }

    /// Whether a range touches a literal of the template, which may be written elsewhere and named in the statement.
    pub fn is_written_at(&self, range: &Range<usize>) -> bool {
        let written = self.template.iter().filter(|part| part.via == LiteralSource::Written);
        let mut literals = written.filter_map(|part| part.literal.as_ref());
        literals.any(|literal| literal.inner.start <= range.end && range.start <= literal.inner.end)
    }

    /// The name of the macro that a choice expands, where it is used.
    pub fn invocation(&self, choice: &[usize]) -> Option<&Range<usize>> {
        self.invocations.get(*choice.last()?)?.as_ref()
    }

    /// Whether a choice takes the given branches.
    pub fn chosen(choice: &[usize], branches: &Branches) -> bool {
        branches.iter().all(|(group, branch)| choice.get(*group) == Some(branch))
    }
}

/// The maximum number of branches of one `#if` that are checked.
const MOST_BRANCHES: usize = 8;
