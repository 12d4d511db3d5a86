//! Finds compiler barriers between an `asm` statement and other memory accesses.
//!
//! The code around a statement is read token by token in both directions. Only code that certainly does not access memory is skipped: conditions on plain
//! names, declarations of numbers, braces. At a call, an index, a pointer or the end of the function the search fails.

mod memory_free;
mod tokens;

use crate::inline_asm::AsmStatement;
use std::cell::OnceCell;
use tokens::{BarrierToken, tokens};

/// The compiler barriers around the statements of a text, computed on first use.
#[derive(Debug)]
pub struct CompilerBarriers<'t> {
    text: &'t str,
    statements: &'t [AsmStatement],
    code: OnceCell<HostCode<'t>>,
}

/// A barrier next to a statement, with no memory access between them except in statements that are not reordered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompilerBarrier {
    /// The numbers of those statements, the nearest first.
    pub between: Vec<usize>,
}

#[derive(Debug)]
struct HostCode<'t> {
    tokens: Vec<BarrierToken<'t>>,
    /// The token of each statement.
    places: Vec<Option<usize>>,
}

/// The maximum number of tokens of a search, which limits the total cost.
const LONGEST: usize = 1024;

/// The construct around a statement or a block.
enum Holder {
    /// Nested loops: the outermost begins at this token.
    Loop(usize),
    /// A condition, or any other block.
    Branch,
}

impl<'t> CompilerBarriers<'t> {
    /// The barriers of the statements of a text, in order.
    pub fn new(text: &'t str, statements: &'t [AsmStatement]) -> Self {
        CompilerBarriers { text, statements, code: OnceCell::new() }
    }

    fn code(&self) -> &HostCode<'t> {
        self.code.get_or_init(|| {
            let (tokens, places) = tokens(self.text, self.statements);
            HostCode { tokens, places }
        })
    }

    fn number(&self, statement: &AsmStatement) -> Option<usize> {
        self.statements.binary_search_by_key(&statement.range.start, |known| known.range.start).ok()
    }

    fn place(&self, statement: &AsmStatement) -> Option<usize> {
        self.code().places[self.number(statement)?]
    }

    /// The last barrier on every path to a statement.
    pub fn before(&self, statement: &AsmStatement) -> Option<CompilerBarrier> {
        self.code().before(self.place(statement)?)
    }

    /// The first barrier on every path from a statement.
    pub fn after(&self, statement: &AsmStatement) -> Option<CompilerBarrier> {
        self.code().after(self.place(statement)?)
    }

    /// The statement that follows immediately.
    pub fn next(&self, statement: &AsmStatement) -> Option<&'t AsmStatement> {
        match self.code().tokens.get(self.place(statement)? + 1..)? {
            [BarrierToken::Sign(b';'), BarrierToken::Statement(number), ..] => Some(&self.statements[*number]),
            _ => None,
        }
    }
}

impl HostCode<'_> {
    fn after(&self, from: usize) -> Option<CompilerBarrier> {
        self.repeats(from, from)?;
        let (mut depth, mut between) = (0_usize, Vec::new());
        let mut at = from + 1;
        while at < from + LONGEST {
            match *self.tokens.get(at)? {
                BarrierToken::Barrier if depth == 0 && self.is_always_reached(at) => {
                    let arguments = self.closing(at + 1).unwrap_or(at + 1);
                    return self.is_plain(at + 1..arguments).then_some(CompilerBarrier { between });
                }
                BarrierToken::Statement(number) => between.push(number),
                BarrierToken::Sign(b'{') => depth += 1,
                BarrierToken::Sign(b'}') if depth > 0 => depth -= 1,
                BarrierToken::Sign(b'}') => self.repeats(self.opening(at)?, from)?,
                BarrierToken::If | BarrierToken::Word("return" | "break" | "continue") => return None,
                BarrierToken::Else => at = self.end_of_condition(at)?,
                _ if !self.is_plain(at..at + 1) => return None,
                _ => {}
            }
            at += 1;
        }
        None
    }

    fn before(&self, from: usize) -> Option<CompilerBarrier> {
        self.is_repeated(from, from)?;
        let (mut depth, mut between) = (0_usize, Vec::new());
        let mut at = from.checked_sub(1)?;
        while at + LONGEST > from {
            match self.tokens[at] {
                BarrierToken::Barrier if depth == 0 && self.is_always_reached(at) => {
                    return Some(CompilerBarrier { between });
                }
                BarrierToken::Statement(number) => between.push(number),
                BarrierToken::Sign(b'}') if self.returns(at) => at = self.opening(at)?,
                BarrierToken::Sign(b'}') => depth += 1,
                BarrierToken::Sign(b'{') if depth > 0 => depth -= 1,
                BarrierToken::Sign(b'{') => self.is_repeated(at, from)?,
                BarrierToken::EndIf => return None,
                BarrierToken::Else => at = self.start_of_condition(at)?,
                _ if !self.is_plain(at..at + 1) => return None,
                _ => {}
            }
            at = at.checked_sub(1)?;
        }
        None
    }

    /// `Some` if the loops around a token do not access memory before the statement in the next iteration.
    fn repeats(&self, held: usize, statement: usize) -> Option<()> {
        match self.holder(held)? {
            Holder::Loop(start) => self.is_plain(start..statement).then_some(()),
            Holder::Branch => Some(()),
        }
    }

    /// `Some` if the loops around a token do not access memory after the statement in the same iteration.
    fn is_repeated(&self, held: usize, statement: usize) -> Option<()> {
        let Holder::Loop(_) = self.holder(held)? else { return Some(()) };
        let end = match self.tokens[held] {
            BarrierToken::Sign(b'{') => self.closing(held)?,
            _ => held,
        };
        // The condition of `do … while` is there.
        let rest = self.tokens.get(end..)?.iter().take(LONGEST).position(|token| *token == BarrierToken::Sign(b';'))?;
        let end_of_loop = match self.tokens.get(end + 1) {
            Some(BarrierToken::Word("while")) => end + rest,
            _ => end,
        };
        self.is_plain(statement + 1..end_of_loop.max(statement + 1)).then_some(())
    }

    /// The construct around the code that begins at a token; `None` for a function and for unknown code.
    fn holder(&self, mut at: usize) -> Option<Holder> {
        let mut found = Holder::Branch;
        loop {
            let before = self.previous(at)?;
            match self.tokens[before] {
                BarrierToken::Sign(b';' | b'{' | b'}') | BarrierToken::Word("else") => return Some(found),
                BarrierToken::Word("do") => {
                    found = Holder::Loop(before);
                    at = before;
                }
                BarrierToken::Sign(b')') => {
                    let head = self.previous(self.opening(before)?)?;
                    match self.tokens[head] {
                        BarrierToken::Word("while" | "for") => found = Holder::Loop(head),
                        BarrierToken::Word("if") => {}
                        _ => return None,
                    }
                    at = head;
                }
                _ => return None,
            }
        }
    }

    /// Whether a block ends by leaving the function.
    fn returns(&self, end: usize) -> bool {
        let before = self.tokens[..end].strip_suffix(&[BarrierToken::Sign(b';')]).unwrap_or_default();
        let separates = |token: &BarrierToken| matches!(token, BarrierToken::Sign(b';' | b'{' | b'}'));
        let start = before.iter().rev().take(LONGEST).position(separates).map(|back| before.len() - back);
        start.is_some_and(|start| before.get(start) == Some(&BarrierToken::Word("return")))
    }

    /// Whether a barrier is a separate statement, or the first call of a condition.
    fn is_always_reached(&self, at: usize) -> bool {
        let is_first = |at: usize| {
            self.previous(at)
                .is_some_and(|before| matches!(self.tokens[before], BarrierToken::Sign(b';' | b'{' | b'}')))
        };
        match self.tokens[..at] {
            [.., BarrierToken::Word("while" | "if"), BarrierToken::Sign(b'(')] => is_first(at - 2),
            _ => is_first(at),
        }
    }

    /// The token before another, without directives.
    fn previous(&self, at: usize) -> Option<usize> {
        let is_code =
            |token: &BarrierToken| !matches!(token, BarrierToken::If | BarrierToken::Else | BarrierToken::EndIf);
        let near = at.saturating_sub(LONGEST);
        self.tokens[near..at].iter().rposition(is_code).map(|back| near + back)
    }
}
