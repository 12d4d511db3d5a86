//! The parts of an `asm` statement.

use super::lexer::Literal;
use super::preprocessor::Archs;
use std::ops::Range;

/// An `asm` statement in C++. All ranges are byte ranges of the host text.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct AsmStatement {
    /// From the keyword to the closing parenthesis, or as far as it could be followed.
    pub range: Range<usize>,
    /// `asm`, `__asm__` or `__asm`.
    pub keyword: Range<usize>,
    /// Whether it is `volatile`.
    pub volatile: bool,
    /// The literals of the template and what stands between them, in order.
    pub template: Vec<TemplatePart>,
    /// Outputs, then inputs, in order; only those before what makes the list open.
    pub operands: Vec<AsmOperand>,
    /// Whether something in the lists of operands is no operand, such as a macro: numbers behind it are unknown.
    pub open: bool,
    /// The clobbers.
    pub clobbers: Vec<Clobber>,
    /// The colons between its sections.
    pub colons: Vec<usize>,
    /// The devices that it is compiled for, by the conditions around it.
    pub guard: ArchGuard,
    /// How many branches each `#if` inside has.
    pub groups: Vec<usize>,
    /// Whether it was read to its closing parenthesis.
    pub finished: bool,
}

/// Which branches of the `#if`s inside a statement something lies in: pairs of group and branch.
pub type Branches = Vec<(usize, usize)>;

/// A piece of the template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplatePart {
    /// With the quotes of a literal; of one that a macro stands for, the macro's name.
    pub range: Range<usize>,
    /// The literal; `None` for a hole: a macro, or whatever else is known to the preprocessor alone.
    pub literal: Option<PartLiteral>,
    /// Where in the `#if`s inside it stands.
    pub branches: Branches,
    /// How it came there.
    pub via: LiteralSource,
}

/// How a literal came into a template.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LiteralSource {
    /// It is written there.
    #[default]
    Written,
    /// A macro of the same text stands for it, which is used nowhere else: where it is defined is where it is to be changed.
    Macro,
    /// A macro of the same text stands for it that is used elsewhere too.
    SharedMacro,
}

/// A literal.
#[derive(Clone, Debug, PartialEq)]
pub struct PartLiteral {
    /// The text between its quotes.
    pub inner: Range<usize>,
    /// Whether it is a raw one.
    pub raw: bool,
    /// Whether it is made of bytes; the compiler takes no other.
    pub narrow: bool,
    /// Whether it ends.
    pub closed: bool,
}

impl From<Literal> for PartLiteral {
    fn from(Literal { inner, raw, narrow, closed }: Literal) -> Self {
        PartLiteral { inner, raw, narrow, closed }
    }
}

/// An operand.
#[derive(Clone, Debug, PartialEq)]
pub struct AsmOperand {
    /// Whether it is an output.
    pub output: bool,
    /// The name in brackets, with them.
    pub name: Option<Range<usize>>,
    /// Where the constraint is written.
    pub constraint_at: Range<usize>,
    /// The constraint; `None` where a part of it is no literal.
    pub constraint: Option<String>,
    /// The expression, with its parentheses.
    pub expression: Range<usize>,
    /// Where in the `#if`s inside it stands.
    pub branches: Branches,
}

impl AsmOperand {
    /// All of it.
    pub fn range(&self) -> Range<usize> {
        let start = self.name.as_ref().map_or(self.constraint_at.start, |name| name.start);
        start..self.expression.end
    }

    /// The letter of the constraint, without its modifiers; `None` where there is not exactly one.
    pub fn letter(&self) -> Option<char> {
        let mut letters = self.constraint.as_deref()?.trim_start_matches(['=', '+', '&']).chars();
        letters.next().filter(|_| letters.next().is_none())
    }

    /// The type of the register that it is, as it is declared in PTX.
    pub fn register(&self) -> Option<&'static str> {
        Some(match self.letter()? {
            'h' => ".b16",
            'r' => ".b32",
            'l' => ".b64",
            'f' => ".f32",
            'd' => ".f64",
            'q' => ".b128",
            _ => return None,
        })
    }
}

/// Something clobbered.
#[derive(Clone, Debug, PartialEq)]
pub struct Clobber {
    /// Where it is written.
    pub range: Range<usize>,
    /// The text of the literal; `None` where it is none.
    pub name: Option<String>,
    /// Where in the `#if`s inside it stands.
    pub branches: Branches,
}

/// The devices that code is compiled for, by the conditions around it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ArchGuard {
    /// The devices for which it may be compiled.
    pub may: Archs,
    /// The devices for which it certainly can be.
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
    /// The ways in which the `#if`s inside can turn out that are to be looked at: each branch is taken at least once, those of like number
    /// together. A choice says which branch of each group is taken.
    pub fn choices(&self) -> Vec<Vec<usize>> {
        let most = self.groups.iter().copied().max().unwrap_or(1).clamp(1, MOST_BRANCHES);
        let mut choices: Vec<Vec<usize>> =
            (0..most).map(|at| self.groups.iter().map(|count| at.min(count.saturating_sub(1))).collect()).collect();
        choices.dedup();
        choices
    }

    /// Whether something that stands in branches is there after a choice.
    pub fn chosen(choice: &[usize], branches: &Branches) -> bool {
        branches.iter().all(|(group, branch)| choice.get(*group) == Some(branch))
    }
}

/// More branches than these of one `#if` are not looked at.
const MOST_BRANCHES: usize = 8;
