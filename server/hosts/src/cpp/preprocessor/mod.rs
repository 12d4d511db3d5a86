//! The directives of a text in order, and their effect at the current position: the macros that are defined, and the devices for which
//! code is compiled.

mod archs;
mod condition;
mod conditionals;
mod expression;
mod function_scopes;
mod macros;
mod predefined;
mod targets;
mod value;

pub use archs::Archs;
pub(super) use condition::ArchCondition;
pub(super) use conditionals::Conditionals;
pub(super) use function_scopes::ExecutionSpace;
pub(super) use macros::{MacroDefinition, Macros};

use super::keyword;
use super::lexer::{CppLexer, CppToken, CppTokenKind};
use expression::condition;
use function_scopes::{FunctionScopes, SpaceWords};
use predefined::predefined;
use std::ops::Range;
use targets::Targets;

/// The preprocessor state at a position of a text.
#[derive(Debug)]
pub(super) struct Preprocessor<'t> {
    pub lexer: CppLexer<'t>,
    pub conditionals: Conditionals,
    pub macros: Macros<'t>,
    /// The parameters of the macro whose body is read.
    pub parameters: Vec<&'t str>,
    /// The macros that expand to the keyword of a statement.
    keywords: Vec<&'t str>,
    targets: Targets,
    /// The functions in the body of a macro that is read.
    body_scopes: FunctionScopes,
}

/// The effect of a directive on conditional branches.
pub(super) enum BranchDirective {
    If,
    Else,
    End,
    Other,
}

/// What happens to the body of a `#define`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum MacroBody {
    /// Its tokens follow as code.
    Read,
    Skip,
}

/// The maximum number of tokens of a condition or a macro body.
const LONGEST_BODY: usize = 64;

impl<'t> Preprocessor<'t> {
    /// At an offset of a text.
    pub fn new(text: &'t str, start: usize) -> Self {
        Preprocessor {
            lexer: CppLexer::new(text, start),
            conditionals: Conditionals::default(),
            macros: Macros::default(),
            parameters: Vec::new(),
            keywords: Vec::new(),
            targets: Targets::default(),
            body_scopes: FunctionScopes::default(),
        }
    }

    /// The next token of the code, the bodies of macros included; `None` at the end of the text.
    pub fn next(&mut self) -> Option<CppToken> {
        loop {
            let token = self.lexer.next();
            match token.kind {
                CppTokenKind::Directive => {
                    self.directive(MacroBody::Read);
                    continue;
                }
                _ => self.conditionals.mark_content(),
            }
            self.note(&token);
            match token.kind {
                CppTokenKind::End if self.lexer.in_line => self.end_line(),
                CppTokenKind::End => return None,
                CppTokenKind::Sign(b'(') => self.targets.open(),
                CppTokenKind::Sign(b')') => self.targets.close(),
                CppTokenKind::Sign(b',') if self.targets.is_argument() => {
                    let next = self.target();
                    self.targets.next_argument(next);
                }
                _ => return Some(token),
            }
        }
    }

    /// Notes what a token says about the functions around the code.
    fn note(&mut self, token: &CppToken) {
        let scopes = if self.lexer.in_line { &mut self.body_scopes } else { &mut self.conditionals.scopes };
        match token.kind {
            CppTokenKind::Word => {
                let word = self.lexer.read(&token.range);
                scopes.word(word, space_words(word, &self.macros));
            }
            CppTokenKind::Sign(sign) => scopes.sign(sign),
            _ => {}
        }
    }

    /// Where the code at the current position runs.
    pub fn space(&self) -> ExecutionSpace {
        if self.lexer.in_line { self.body_scopes.here() } else { self.conditionals.scopes.here() }
    }

    /// Whether the declaration of a function for devices has begun, and its body has not.
    pub fn is_in_declaration(&self) -> bool {
        if self.lexer.in_line { self.body_scopes.is_declaring() } else { self.conditionals.scopes.is_declaring() }
    }

    /// Leaves the body of a macro.
    fn end_line(&mut self) {
        self.lexer.in_line = false;
        self.body_scopes = FunctionScopes::default();
        self.parameters.clear();
    }

    /// Whether a word is a macro that expands to the keyword of a statement.
    pub fn is_keyword(&self, word: &str) -> bool {
        self.keywords.contains(&word)
    }

    /// The condition at the current position.
    pub fn here(&self) -> ArchCondition {
        self.conditionals.here().and(&self.targets.here())
    }

    /// Reads a call, after its name, whose arguments are compiled for some devices only.
    pub fn call(&mut self, name: &str) {
        if !self.lexer.peek().is(b'(') {
            return;
        }
        self.lexer.next();
        let first = self.target();
        self.targets.call(name == "NV_DISPATCH_TARGET", first);
    }

    /// The condition of an argument.
    fn target(&self) -> ArchCondition {
        let word = self.lexer.peek();
        let name = if word.kind == CppTokenKind::Word { self.lexer.read(&word.range) } else { "" };
        predefined(name).unwrap_or_else(ArchCondition::unknown)
    }

    /// Reads a directive after its `#`.
    pub fn directive(&mut self, body: MacroBody) -> BranchDirective {
        self.lexer.in_line = true;
        let word = self.lexer.next();
        let name = if word.kind == CppTokenKind::Word { self.lexer.read(&word.range) } else { "" };
        if name != "define" {
            self.conditionals.mark_content();
        }
        let kind = match name {
            "if" | "ifdef" | "ifndef" => {
                let rest = self.rest();
                let (condition, guards) = self.condition(name, rest);
                self.conditionals.open(condition, guards, self.lexer.at);
                BranchDirective::If
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                let rest = self.rest();
                let condition = match name {
                    "else" => ArchCondition::always(),
                    _ => self.condition(&name[2..], rest).0,
                };
                self.leave_branch();
                self.conditionals.otherwise(&condition, self.lexer.at);
                BranchDirective::Else
            }
            "endif" => {
                self.rest();
                self.leave_branch();
                self.conditionals.close();
                BranchDirective::End
            }
            "define" => {
                self.define();
                if body == MacroBody::Read {
                    return BranchDirective::Other;
                }
                self.rest();
                self.parameters.clear();
                BranchDirective::Other
            }
            "undef" => {
                let rest = self.rest();
                let name = self.lexer.text[rest].trim();
                self.macros.undefine(name, word.range.start);
                self.keywords.retain(|keyword| *keyword != name);
                BranchDirective::Other
            }
            _ => {
                self.rest();
                BranchDirective::Other
            }
        };
        self.lexer.in_line = false;
        kind
    }

    /// The definitions of the current branch end here.
    fn leave_branch(&mut self) {
        if let Some(start) = self.conditionals.branch_start() {
            self.macros.leave_branch(start..self.lexer.at);
        }
    }

    /// Skips the rest of the line.
    fn rest(&mut self) -> Range<usize> {
        let start = self.lexer.at;
        let mut end = start;
        loop {
            let token = self.lexer.next();
            if token.kind == CppTokenKind::End {
                return start..end;
            }
            end = token.range.end;
        }
    }

    /// The condition of an `#if` or the like, and the name that an `#ifndef` tests.
    fn condition(&self, name: &str, rest: Range<usize>) -> (ArchCondition, Option<Range<usize>>) {
        let text = &self.lexer.text[rest.clone()];
        match name {
            "ifdef" | "def" => (self.macros.defined(first_word(text)), None),
            "ifndef" | "ndef" => {
                let word = first_word(text);
                let start = rest.start + text.find(word).unwrap_or(0);
                (self.macros.defined(word).not(), Some(start..start + word.len()))
            }
            _ => (condition(text, &self.macros), None),
        }
    }

    /// Reads a macro's name and parameters; its body is next.
    fn define(&mut self) {
        let name = self.lexer.next();
        if name.kind != CppTokenKind::Word {
            return;
        }
        let text = self.lexer.text;
        let word = &text[name.range.clone()];
        let is_guard = self.conditionals.is_header_guard(text, word);
        let takes_arguments = text.as_bytes().get(name.range.end) == Some(&b'(');
        let mut at = name.range.end;
        let body = if takes_arguments {
            self.take_parameters();
            None
        } else {
            at = self.lexer.peek().range.start;
            self.body(at)
        };
        if body.is_some_and(keyword::is_all_of) {
            self.keywords.push(word);
        }
        // A macro that is defined under its own `#ifndef` may have been defined elsewhere.
        let by_default = self.here();
        let under = if is_guard { ArchCondition::unknown() } else { by_default.clone() };
        let definition = MacroDefinition { by_default, ..MacroDefinition::new(body, at, under) };
        self.macros.define(word, definition);
    }

    fn take_parameters(&mut self) {
        loop {
            let token = self.lexer.peek();
            match token.kind {
                CppTokenKind::End => return,
                CppTokenKind::Word => self.parameters.push(self.lexer.read(&token.range)),
                _ => {}
            }
            self.lexer.next();
            if token.is(b')') {
                return;
            }
        }
    }

    /// The body of a macro without parameters at an offset, unless it is long: conditions and templates in macros are short.
    fn body(&self, start: usize) -> Option<&'t str> {
        let mut ahead = self.lexer.clone();
        let mut end = start;
        for _ in 0..LONGEST_BODY {
            let token = ahead.next();
            if token.kind == CppTokenKind::End {
                return Some(&self.lexer.text[start..end]);
            }
            end = token.range.end;
        }
        None
    }
}

/// What a word of a declaration says about where a function runs.
fn space_words(word: &str, macros: &Macros) -> SpaceWords {
    match word {
        "__device__" | "__global__" | "__host__" => return SpaceWords::of_body(word),
        // Names of macros are written so.
        _ if word.contains(|c: char| c.is_ascii_lowercase()) && !word.starts_with("__") => {
            return SpaceWords::default();
        }
        _ => {}
    }
    let bodies = macros.definitions(word).iter().filter_map(|one| one.body);
    let said = bodies.map(SpaceWords::of_body).find(|said| said.device);
    said.unwrap_or_else(|| if macros.has_defined(word) { SpaceWords::default() } else { SpaceWords::of_name(word) })
}

fn first_word(text: &str) -> &str {
    text.trim_start().split(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).next().unwrap_or_default()
}
