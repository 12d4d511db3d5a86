//! The tokens of one statement: including all branches of the `#if`s inside it, without the other branches of an `#if` that it begins in.

use super::keyword::is_asm;
use super::lexer::{CppLexer, CppToken, CppTokenKind};
use super::preprocessor::{BranchDirective, Conditionals, MacroBody, Preprocessor};
use crate::inline_asm::Branches;

/// Reads the tokens of a statement to its end.
#[derive(Debug)]
pub(super) struct StatementTokens<'s, 't> {
    pub text: &'s mut Preprocessor<'t>,
    /// The branches of the `#if`s inside the statement that contain the next token.
    pub branches: Branches,
    /// The number of branches of each `#if` inside.
    pub groups: Vec<usize>,
    /// The number of colons before the next token. Each branch starts with the number at its `#if`.
    pub section: usize,
    /// The number of tokens that may still be read twice.
    reread_budget: &'s mut usize,
    /// The number of open `#if`s at the start of the statement.
    base: usize,
    /// The open `#if`s inside the statement: their groups, and the section that each begins in.
    open_groups: Vec<(usize, usize)>,
    /// Where to continue if the statement shares its end with another one in the next branch of an `#if` around its start.
    resume: Option<(CppLexer<'t>, Conditionals)>,
    /// Whether the rest of the statement cannot be read.
    has_failed: bool,
    /// Whether a literal was not terminated on its line. What the statement ends with may be inside it, so it ends at the next statement at the
    /// latest.
    has_open_literal: bool,
}

/// The maximum nesting of `#if`s around statements that share an end.
const DEEPEST: usize = 64;

impl<'s, 't> StatementTokens<'s, 't> {
    /// Starts at the current token; at most `reread_budget` tokens may be read twice.
    pub fn new(text: &'s mut Preprocessor<'t>, reread_budget: &'s mut usize) -> Self {
        let base = text.conditionals.depth();
        StatementTokens {
            text,
            branches: Vec::new(),
            groups: Vec::new(),
            section: 0,
            reread_budget,
            base,
            open_groups: Vec::new(),
            resume: None,
            has_failed: false,
            has_open_literal: false,
        }
    }

    /// The next token outside directives.
    pub fn next(&mut self) -> CppToken {
        loop {
            let token = self.text.lexer.next();
            self.has_failed |= self.resume.is_some() && !self.may_read_again();
            if self.has_failed {
                return CppToken { kind: CppTokenKind::End, range: token.range };
            }
            self.has_open_literal |= matches!(&token.kind, CppTokenKind::Text(literal) if !literal.closed);
            if self.begins_statement(&token) {
                self.leave(&token);
                return CppToken { kind: CppTokenKind::End, range: token.range.start..token.range.start };
            }
            if token.kind != CppTokenKind::Directive {
                return token;
            }
            self.directive(token);
        }
    }

    /// Whether a token begins the next statement, after a literal that is not terminated.
    fn begins_statement(&self, token: &CppToken) -> bool {
        let is_keyword = |word: &str| is_asm(word) || self.text.is_keyword(word);
        self.has_open_literal && token.kind == CppTokenKind::Word && is_keyword(self.text.lexer.read(&token.range))
    }

    /// Whether a token may be read a second time.
    fn may_read_again(&mut self) -> bool {
        *self.reread_budget = self.reread_budget.saturating_sub(1);
        *self.reread_budget > 0
    }

    /// The next token, without consuming it.
    pub fn peek(&mut self) -> CppToken {
        // Directives are consumed, because everything before them was handled.
        loop {
            let token = self.text.lexer.peek();
            if self.begins_statement(&token) {
                return CppToken { kind: CppTokenKind::End, range: token.range.start..token.range.start };
            }
            if token.kind != CppTokenKind::Directive {
                return token;
            }
            self.text.lexer.next();
            self.directive(token);
        }
    }

    /// Handles a directive: enters a branch, continues with the next one, or skips branches that are not part of the statement.
    fn directive(&mut self, sign: CppToken) {
        let crossing = self.text.conditionals.depth() <= self.base;
        let saved = (crossing && self.resume.is_none() && self.base <= DEEPEST).then(|| self.text.conditionals.clone());
        match self.text.directive(MacroBody::Skip) {
            BranchDirective::If => {
                let group = self.groups.len();
                self.groups.push(1);
                self.open_groups.push((group, self.section));
                self.branches.push((group, 0));
            }
            BranchDirective::Else if crossing => {
                let here = CppLexer::new(self.text.lexer.text, sign.range.start);
                self.resume = self.resume.take().or(saved.map(|conditionals| (here, conditionals)));
                self.has_failed |= self.resume.is_none();
                self.skip_branches();
            }
            BranchDirective::Else => {
                if let (Some((group, section)), Some(branch)) = (self.open_groups.last(), self.branches.last_mut()) {
                    self.section = *section;
                    branch.1 = self.groups[*group];
                    self.groups[*group] += 1;
                }
            }
            BranchDirective::End if crossing => self.base = self.base.saturating_sub(1),
            BranchDirective::End => {
                // Without an `#else`, no branch may be taken.
                if let Some((group, _)) = self.open_groups.pop()
                    && self.groups[group] == 1
                {
                    self.groups[group] = 2;
                }
                self.branches.pop();
            }
            BranchDirective::Other => {}
        }
    }

    /// Skips the branches after the one that the statement begins in.
    fn skip_branches(&mut self) {
        let mut depth = 0usize;
        while !self.has_failed {
            let token = self.text.lexer.next();
            self.has_failed |= !self.may_read_again();
            match token.kind {
                CppTokenKind::End => return,
                CppTokenKind::Directive => match self.text.directive(MacroBody::Skip) {
                    BranchDirective::If => depth += 1,
                    BranchDirective::End if depth == 0 => {
                        self.base = self.base.saturating_sub(1);
                        return;
                    }
                    BranchDirective::End => depth -= 1,
                    BranchDirective::Else | BranchDirective::Other => {}
                },
                _ => {}
            }
        }
    }

    /// Returns a token to the stream.
    pub fn leave(&mut self, token: &CppToken) {
        self.text.lexer.at = token.range.start;
    }

    /// Moves to where the next statement may begin: after this one, or in the next branch if they share their end.
    pub fn finish(self) {
        if let Some((lexer, conditionals)) = self.resume {
            self.text.lexer = lexer;
            self.text.conditionals = conditionals;
        }
    }
}
