//! The macros with parameters that a text defines, and where it uses them.

use crate::cpp::lexer::{CppLexer, CppTokenKind};
use std::collections::HashSet;
use std::ops::Range;

/// The branches of the `#if`s around a place: pairs of the number of an `#if` and of its branch.
type ConditionPath = Vec<(usize, usize)>;

/// A macro with parameters.
#[derive(Debug)]
pub(super) struct FunctionMacro<'t> {
    pub name: &'t str,
    /// Its parameters, without the one for any number of arguments.
    pub parameters: Vec<&'t str>,
    /// Whether it takes any number of further arguments.
    pub is_variadic: bool,
    /// The range of its body.
    pub body: Range<usize>,
    path: ConditionPath,
}

/// What happens to macros in a text, in its order.
#[derive(Debug)]
pub(super) enum MacroEvent<'t> {
    /// The definition with this number.
    Define(usize),
    Undefine(&'t str),
    Invoke(MacroInvocation<'t>),
}

/// A macro with arguments outside of the body of another one.
#[derive(Debug)]
pub(super) struct MacroInvocation<'t> {
    pub name: &'t str,
    /// The offset of the name.
    pub at: usize,
    /// The offset of the opening parenthesis.
    pub open: usize,
    path: ConditionPath,
}

impl MacroInvocation<'_> {
    /// Whether the invocation and a definition are in no two branches of one `#if`.
    pub fn may_mean(&self, defined: &FunctionMacro) -> bool {
        let excludes = |(number, branch): &(usize, usize)| {
            defined.path.iter().any(|(other, taken)| number == other && branch != taken)
        };
        !self.path.iter().any(excludes)
    }
}

/// The definitions and the uses of macros in a text.
#[derive(Debug, Default)]
pub(super) struct MacroHistory<'t> {
    pub macros: Vec<FunctionMacro<'t>>,
    pub events: Vec<MacroEvent<'t>>,
    names: HashSet<&'t str>,
    path: ConditionPath,
    /// The number of `#if`s so far.
    conditions: usize,
}

impl<'t> MacroHistory<'t> {
    /// Reads a text from an offset on.
    pub fn read(text: &'t str, start: usize) -> Self {
        let mut history = MacroHistory::default();
        let mut lexer = CppLexer::new(text, start);
        loop {
            let token = lexer.next();
            match token.kind {
                CppTokenKind::End => return history,
                CppTokenKind::Directive => history.directive(&mut lexer),
                CppTokenKind::Word => {
                    let name = lexer.read(&token.range);
                    let next = if history.names.contains(name) { Some(lexer.peek()) } else { None };
                    if let Some(next) = next.filter(|next| next.is(b'(')) {
                        let (path, open) = (history.path.clone(), next.range.start);
                        let invocation = MacroInvocation { name, at: token.range.start, open, path };
                        history.events.push(MacroEvent::Invoke(invocation));
                    }
                }
                _ => {}
            }
        }
    }

    fn directive(&mut self, lexer: &mut CppLexer<'t>) {
        lexer.in_line = true;
        let word = lexer.next();
        match lexer.read(&word.range) {
            "define" => self.define(lexer),
            "undef" => {
                let name = lexer.peek();
                self.events.push(MacroEvent::Undefine(lexer.read(&name.range)));
            }
            "if" | "ifdef" | "ifndef" => {
                self.path.push((self.conditions, 0));
                self.conditions += 1;
            }
            "elif" | "elifdef" | "elifndef" | "else" => {
                self.path.iter_mut().last().into_iter().for_each(|one| one.1 += 1)
            }
            "endif" => drop(self.path.pop()),
            _ => {}
        }
        while word.kind != CppTokenKind::End && lexer.next().kind != CppTokenKind::End {}
        lexer.in_line = false;
    }

    fn define(&mut self, lexer: &mut CppLexer<'t>) {
        let name = lexer.next();
        if name.kind != CppTokenKind::Word || lexer.text.as_bytes().get(name.range.end) != Some(&b'(') {
            return;
        }
        let (mut parameters, mut is_variadic, mut follows_word) = (Vec::new(), false, false);
        loop {
            let token = lexer.next();
            match token.kind {
                CppTokenKind::Word => parameters.push(lexer.read(&token.range)),
                CppTokenKind::Sign(b'.') => {
                    // `args...` stands for any number of arguments, as `...` alone does.
                    parameters.truncate(parameters.len() - usize::from(follows_word));
                    is_variadic = true;
                }
                CppTokenKind::Sign(b')') => break,
                CppTokenKind::End => return,
                _ => {}
            }
            follows_word = token.kind == CppTokenKind::Word;
        }
        let mut end = lexer.clone();
        while end.next().kind != CppTokenKind::End {}
        let name = lexer.read(&name.range);
        self.names.insert(name);
        self.events.push(MacroEvent::Define(self.macros.len()));
        let (body, path) = (lexer.at..end.at, self.path.clone());
        self.macros.push(FunctionMacro { name, parameters, is_variadic, body, path });
    }
}
