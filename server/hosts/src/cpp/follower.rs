//! The lexemes of one statement: on through the branches of the `#if`s inside it, and past those of an `#if` that it begins in.
//!
//! Must not know what the lexemes mean.

use super::lexer::{CppLexeme, CppLexer, CppTokenKind};
use super::preprocessor::{BranchDirective, Conditionals, Preprocessor};
use super::statement::Branches;

/// Follows a statement to its end.
#[derive(Debug)]
pub(super) struct Follower<'s, 't> {
    pub text: &'s mut Preprocessor<'t>,
    /// Where among the `#if`s inside it the next lexeme stands.
    pub branches: Branches,
    /// How many branches each `#if` inside has.
    pub groups: Vec<usize>,
    /// How many colons stand before the next lexeme. Each branch begins where its `#if` did.
    pub section: usize,
    /// How many lexemes may still be read twice.
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

impl<'s, 't> Follower<'s, 't> {
    /// From here on, with so many lexemes that may be read twice.
    pub fn new(text: &'s mut Preprocessor<'t>, again: &'s mut usize) -> Self {
        let base = text.conditionals.depth();
        Follower {
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

    /// The next lexeme that is none of a directive.
    pub fn next(&mut self) -> CppLexeme {
        loop {
            let lexeme = self.text.lexer.next();
            self.lost |= self.resume.is_some() && !self.may_read_again();
            if self.lost {
                return CppLexeme { kind: CppTokenKind::End, range: lexeme.range };
            }
            if lexeme.kind != CppTokenKind::Directive {
                return lexeme;
            }
            self.directive(lexeme);
        }
    }

    /// Whether there is time left for lexemes that were read before.
    fn may_read_again(&mut self) -> bool {
        *self.again = self.again.saturating_sub(1);
        *self.again > 0
    }

    /// The lexeme that comes next, without taking it.
    pub fn peek(&mut self) -> CppLexeme {
        // Directives are gone through for good: what stands before them has been taken up.
        loop {
            let lexeme = self.text.lexer.peek();
            if lexeme.kind != CppTokenKind::Directive {
                return lexeme;
            }
            self.text.lexer.next();
            self.directive(lexeme);
        }
    }

    /// Follows a directive: into a branch, on to the next one, or past those that the statement has no part in.
    fn directive(&mut self, sign: CppLexeme) {
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
            let lexeme = self.text.lexer.next();
            self.lost |= !self.may_read_again();
            match lexeme.kind {
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

    /// Leaves a lexeme, for whoever goes on needs it.
    pub fn leave(&mut self, lexeme: &CppLexeme) {
        self.text.lexer.at = lexeme.range.start;
    }

    /// Goes to where the next statement may begin: what was begun inside and not ended is none of what follows.
    pub fn go_on(self) {
        if let Some((lexer, conditionals)) = self.resume {
            self.text.lexer = lexer;
            self.text.conditionals = conditionals;
        }
    }
}
