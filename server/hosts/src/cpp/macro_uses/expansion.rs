//! Replaces parameters by arguments, and expands the result: `#`, `##`, and macros that are certain.

use super::definitions::FunctionMacro;
use super::tokens::{MacroToken, MacroTokenKind, arguments, tokens};
use crate::cpp::included::IncludedMacros;
use crate::cpp::preprocessor::Macros;
use crate::inline_asm::{LiteralEscapes, LiteralForm};
use std::cell::Cell;
use std::collections::HashMap;
use std::ops::Range;

/// The macros of a text, for expansion.
#[derive(Debug)]
pub(super) struct MacroExpander<'m, 't> {
    pub text: &'t str,
    /// The length of the text without what others define after it.
    pub length: usize,
    /// Macros without parameters.
    objects: &'m Macros<'t>,
    /// Those of texts that include this one.
    included: &'m IncludedMacros<'t>,
    /// The definitions of all macros with parameters: one, or one for each of several versions of a compiler; none if it is not known which counts.
    functions: HashMap<&'t str, Vec<&'m FunctionMacro<'t>>>,
    /// The greatest number of definitions by version that a name has, and of places where the text is included, at least 1.
    versions: usize,
    /// The number of the definition that a name with one for each of several versions or places has; without it, such a name is not expanded.
    version: Cell<Option<usize>>,
    /// Where the expansion happens.
    place: Cell<ExpansionPlace>,
    /// The number of tokens that may still be made.
    left: Cell<usize>,
}

/// The place of an expansion: macros without parameters have the definition that counts there.
#[derive(Clone, Copy, Debug)]
pub(super) enum ExpansionPlace {
    /// The offset of a statement outside of macros, or of a use of a macro.
    Use(usize),
    /// The offset of a macro that the text does not use: other texts may redefine what it names before they do.
    Unused(usize),
}

/// The maximum nesting of macros.
const DEPTH: usize = 8;

impl<'m, 't> MacroExpander<'m, 't> {
    pub fn new(objects: &'m Macros<'t>, macros: &'m [FunctionMacro<'t>], included: &'m IncludedMacros<'t>) -> Self {
        let text = included.whole;
        let mut functions: HashMap<&str, Vec<&FunctionMacro>> = HashMap::new();
        for one in macros {
            functions.entry(one.name).or_default().push(one);
        }
        for (name, definitions) in &mut functions {
            let is_known = definitions.len() == 1
                || objects.by_version(name, definitions[0].body.start).len() == definitions.len();
            if !is_known || definitions.iter().any(|one| one.is_variadic) {
                definitions.clear();
            }
        }
        let (versions, left) = (objects.most_versions().max(included.len()), Cell::new((1 << 18) + 4 * text.len()));
        MacroExpander {
            text,
            length: included.length,
            objects,
            included,
            functions,
            versions,
            version: Cell::new(None),
            place: Cell::new(ExpansionPlace::Use(0)),
            left,
        }
    }

    /// What follows is expanded at a place.
    pub fn go_to(&self, place: ExpansionPlace) {
        self.place.set(place);
    }

    /// Calls a function for each version of a compiler that a macro has a definition for, and each place where the text is included.
    pub fn for_each_version(&self, mut call: impl FnMut()) {
        for version in 0..self.versions {
            self.version.set(Some(version));
            call();
        }
        self.version.set(None);
    }

    /// The definition of several that counts.
    fn chosen<'d, D>(&self, all: &'d [D]) -> Option<&'d D> {
        match all {
            [only] => Some(only),
            _ => all.get(self.version.get()?).or(all.last()),
        }
    }

    /// The body of a macro without parameters, and its offset.
    fn object(&self, word: &str) -> Option<(&'t str, usize)> {
        let (at, may_change) = match self.place.get() {
            ExpansionPlace::Use(at) => (at, false),
            ExpansionPlace::Unused(at) => (at, !self.objects.is_constant(word)),
        };
        let by_version = || self.chosen(self.objects.by_version(word, at)).and_then(|one| Some((one.body?, one.at)));
        let by_place = || {
            let is_foreign = !self.objects.has_defined(word) && !self.functions.contains_key(word);
            self.version.get().filter(|_| is_foreign).and_then(|place| self.included.body(place, word))
        };
        self.objects.certain(word, at).filter(|_| !may_change).or_else(by_version).or_else(by_place)
    }

    /// Takes a number of tokens off the budget.
    pub fn spend(&self, count: usize) -> Option<()> {
        self.left.set(self.left.get().checked_sub(count + 1)?);
        Some(())
    }

    /// The body of a macro with arguments in place of its parameters. Macros in arguments are expanded; other macros in the result are not.
    pub fn substitute(
        &self,
        body: &[MacroToken],
        parameters: &[&str],
        values: &[Vec<MacroToken>],
    ) -> Option<Vec<MacroToken>> {
        let mut made: Vec<MacroToken> = Vec::new();
        let value = |token: Option<&MacroToken>| {
            let word = token?.word(self.text)?;
            values.get(parameters.iter().position(|parameter| *parameter == word)?)
        };
        let is_pasted = |at: usize| [at, at + 1].iter().all(|at| body.get(*at).is_some_and(|token| token.is(b'#')));
        let mut at = 0;
        while let Some(token) = body.get(at) {
            if is_pasted(at) {
                let next = body.get(at + 2)?;
                let mut right = value(Some(next)).map_or_else(|| vec![next.clone()], Clone::clone);
                if let (Some(last), false) = (made.last_mut(), right.is_empty()) {
                    paste(last, right.remove(0));
                }
                made.extend(right);
                at += 3;
            } else if token.is(b'#') {
                made.push(value(body.get(at + 1)).map_or_else(MacroToken::unknown, |value| self.stringized(value)));
                at += 2;
            } else {
                match value(Some(token)) {
                    Some(value) if is_pasted(at + 1) => made.extend(value.iter().cloned()),
                    Some(value) => made.extend(self.expand(value, 0)?),
                    None => made.push(token.clone()),
                }
                at += 1;
            }
            self.spend(made.len() / (at + 1))?;
        }
        Some(made)
    }

    /// Tokens with their macros expanded.
    pub fn expand(&self, given: &[MacroToken], depth: usize) -> Option<Vec<MacroToken>> {
        let mut made = Vec::new();
        let mut at = 0;
        while let Some(token) = given.get(at) {
            self.spend(1)?;
            at += 1;
            let Some(word) = token.word(self.text) else {
                made.push(token.clone());
                continue;
            };
            let object = self.object(&word);
            let is_call = given.get(at).is_some_and(|next| next.is(b'('));
            let function = self.functions.get(&*word).filter(|_| is_call).and_then(|all| self.chosen(all));
            if let (Some((body, start)), true) = (object, depth < DEPTH) {
                made.extend(self.expand(&tokens(self.text, &(start..start + body.len()))?, depth + 1)?);
            } else if let (Some(function), true) = (function, depth < DEPTH) {
                let (values, next) = arguments(given, at)?;
                at = next;
                let body = tokens(self.text, &function.body)?;
                let body = self.substitute(&body, &function.parameters, &values)?;
                made.extend(self.expand(&body, depth + 1)?);
            } else if self.functions.contains_key(&*word) || !word.contains(|c: char| c.is_ascii_uppercase()) {
                made.push(token.clone());
            } else {
                // Another file may define a macro with such a name.
                made.push(MacroToken::unknown());
            }
        }
        Some(made)
    }

    /// The literal that `#` makes of an argument.
    fn stringized(&self, value: &[MacroToken]) -> MacroToken {
        let mut pieces: Vec<Range<usize>> = Vec::new();
        for token in value {
            let is_plain = !matches!(token.kind, MacroTokenKind::Text(_) | MacroTokenKind::Unknown);
            let (Some(first), true) = (token.pieces.first(), is_plain) else { return MacroToken::unknown() };
            // Space between tokens is one blank.
            if let Some(end) = pieces.last().map(|last| last.end).filter(|end| *end != first.start) {
                match self.text.as_bytes().get(end) {
                    Some(b' ') => pieces.push(end..end + 1),
                    _ => return MacroToken::unknown(),
                }
            }
            pieces.extend(token.pieces.iter().cloned());
        }
        MacroToken { kind: MacroTokenKind::Text(LiteralForm::Escaped(LiteralEscapes::None)), pieces }
    }
}

/// Joins two tokens, as `##` does. Only words and numbers make a word.
fn paste(left: &mut MacroToken, right: MacroToken) {
    let is_part = |token: &MacroToken| matches!(token.kind, MacroTokenKind::Word | MacroTokenKind::Number);
    if is_part(left) && is_part(&right) {
        left.pieces.extend(right.pieces);
    } else {
        *left = MacroToken::unknown();
    }
}
