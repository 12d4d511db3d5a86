//! The tokens of one statement: on through the branches of the `#if`s inside it, and past those of an `#if` that it begins in.

use super::lexer::{CppLexer, CppToken, CppTokenKind};
use super::preprocessor::{BranchDirective, Conditionals, Preprocessor};
use super::statement::Branches;

/// Follows a statement to its end.
#[derive(Debug)]
pub(super) struct StatementTokens<'s, 't> {
    pub text: &'s mut Preprocessor<'t>,
    /// Where among the `#if`s inside it the next token stands.
    pub branches: Branches,
    /// How many branches each `#if` inside has.
    pub groups: Vec<usize>,
    /// How many colons stand before the next token. Each branch begins where its `#if` did.
    pub section: usize,
    /// How many tokens may still be read twice.
    again: &'s mut usize,
    /// How many `#if`s were open where it begins.
    base: usize,
    /// The `#if`s that are open inside: their groups, and the section that each begins in.
    open_groups: Vec<(usize, usize)>,
    /// Where to go on if a statement shares its end with another one in the next branch of an `#if` around its beginning.
    resume: Option<(CppLexer<'t>, Conditionals)>,
    /// It cannot be followed any further.
    lost: bool,
}

/// No beginning that shares its end with another lies under so many `#if`s.
const DEEPEST: usize = 64;

impl<'s, 't> StatementTokens<'s, 't> {
    /// From here on, with so many tokens that may be read twice.
    pub fn new(text: &'s mut Preprocessor<'t>, again: &'s mut usize) -> Self {
        let base = text.conditionals.depth();
        StatementTokens {
            text,
            branches: Vec::new(),
            groups: Vec::new(),
            section: 0,
            again,
            base,
            open_groups: Vec::new(),
            resume: None,
            lost: false,
        }
    }

    /// The next token that is none of a directive.
    pub fn next(&mut self) -> CppToken {
        loop {
            let token = self.text.lexer.next();
            self.lost |= self.resume.is_some() && !self.may_read_again();
            if self.lost {
                return CppToken { kind: CppTokenKind::End, range: token.range };
            }
            if token.kind != CppTokenKind::Directive {
                return token;
            }
            self.directive(token);
        }
    }

    /// Whether there is time left for tokens that were read before.
    fn may_read_again(&mut self) -> bool {
        *self.again = self.again.saturating_sub(1);
        *self.again > 0
    }

    /// The token that comes next, without taking it.
    pub fn peek(&mut self) -> CppToken {
        // Directives are gone through for good: what stands before them has been taken up.
        loop {
            let token = self.text.lexer.peek();
            if token.kind != CppTokenKind::Directive {
                return token;
            }
            self.text.lexer.next();
            self.directive(token);
        }
    }

    /// Follows a directive: into a branch, on to the next one, or past those that the statement has no part in.
    fn directive(&mut self, sign: CppToken) {
        let crossing = self.text.conditionals.depth() <= self.base;
        let saved = (crossing && self.resume.is_none() && self.base <= DEEPEST).then(|| self.text.conditionals.clone());
        match self.text.directive(false) {
            BranchDirective::If => {
                let group = self.groups.len();
                self.groups.push(1);
                self.open_groups.push((group, self.section));
                self.branches.push((group, 0));
            }
            BranchDirective::Else if crossing => {
                let here = CppLexer::new(self.text.lexer.text, sign.range.start);
                self.resume = self.resume.take().or(saved.map(|conditionals| (here, conditionals)));
                self.lost |= self.resume.is_none();
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
                // Without an `#else` there is the case that nothing is taken.
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

    /// Passes over the branches behind the one that the statement begins in.
    fn skip_branches(&mut self) {
        let mut depth = 0usize;
        while !self.lost {
            let token = self.text.lexer.next();
            self.lost |= !self.may_read_again();
            match token.kind {
                CppTokenKind::End => return,
                CppTokenKind::Directive => match self.text.directive(false) {
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

    /// Leaves a token, for whoever goes on needs it.
    pub fn leave(&mut self, token: &CppToken) {
        self.text.lexer.at = token.range.start;
    }

    /// Goes to where the next statement may begin: what was begun inside and not ended is none of what follows.
    pub fn go_on(self) {
        if let Some((lexer, conditionals)) = self.resume {
            self.text.lexer = lexer;
            self.text.conditionals = conditionals;
        }
    }
}
