//! Finds the arguments that macros are used with.

use super::definitions::{FunctionMacro, MacroEvent, MacroHistory, MacroInvocation};
use super::expansion::{ExpansionPlace, MacroExpander};
use super::tokens::{MacroToken, arguments, invocation, tokens};
use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

/// A macro with the arguments of one use.
#[derive(Clone, Debug)]
pub(super) struct MacroInstance {
    /// The arguments, in the order of the parameters.
    pub arguments: Rc<Vec<Vec<MacroToken>>>,
    /// The name in the text at which the expansion begins; `None` if it is not used in this text.
    pub invocation: Option<Range<usize>>,
}

/// The uses of the macros of a text.
#[derive(Debug)]
pub(super) struct MacroInstances<'h, 't> {
    expander: &'h MacroExpander<'h, 't>,
    macros: &'h [FunctionMacro<'t>],
    /// Whether a macro's body leads to a statement with unknown parts.
    relevant: Vec<bool>,
    /// The current definitions of each name.
    now: HashMap<&'t str, Vec<usize>>,
    /// The instances of each macro.
    pub found: Vec<Vec<MacroInstance>>,
}

/// The maximum nesting of macros.
const DEPTH: usize = 8;

/// The maximum number of instances of a macro.
const MOST: usize = 4096;

impl<'h, 't> MacroInstances<'h, 't> {
    /// The uses of macros that lead to one of the `wanted` ones.
    pub fn new(history: &'h MacroHistory<'t>, expander: &'h MacroExpander<'h, 't>, wanted: Vec<bool>) -> Self {
        let macros = &history.macros;
        let mut instances = MacroInstances {
            expander,
            macros,
            relevant: relevant(expander.text, macros, wanted),
            now: HashMap::new(),
            found: vec![Vec::new(); macros.len()],
        };
        for event in &history.events {
            match event {
                MacroEvent::Define(number) => {
                    instances.now.entry(macros[*number].name).or_default().push(*number);
                }
                MacroEvent::Undefine(name) => drop(instances.now.remove(name)),
                MacroEvent::Invoke(invocation) => instances.invoke(invocation),
            }
        }
        instances.unused();
        instances
    }

    fn invoke(&mut self, used: &MacroInvocation<'t>) {
        self.expander.go_to(ExpansionPlace::Use(used.at));
        let numbers = self.now.get(used.name).cloned().unwrap_or_default();
        for number in numbers {
            if !self.relevant[number] || !used.may_mean(&self.macros[number]) {
                continue;
            }
            let given = invocation(self.expander.text, used.open).and_then(|(tokens, _)| arguments(&tokens, 0));
            let name = used.at..used.at + used.name.len();
            self.instantiate(number, given.map(|(given, _)| given), Some(&name), 0);
        }
    }

    /// The macros that this text only defines: what their bodies name is known all the same.
    fn unused(&mut self) {
        for number in (0..self.macros.len()).rev() {
            if self.relevant[number] && self.found[number].is_empty() {
                self.expander.go_to(ExpansionPlace::Unused(self.macros[number].body.start));
                self.instantiate(number, None, None, 0);
            }
        }
    }

    /// Adds a use of a macro, and the uses in its body. Without arguments, their values are unknown.
    fn instantiate(
        &mut self,
        number: usize,
        given: Option<Vec<Vec<MacroToken>>>,
        name: Option<&Range<usize>>,
        depth: usize,
    ) {
        let defined = &self.macros[number];
        let count = defined.parameters.len();
        let unknown = || vec![vec![MacroToken::unknown()]; count];
        let fits = |given: &Vec<Vec<MacroToken>>| {
            given.len() == count || given.len() > count && (defined.is_variadic || count == 0 && given.len() == 1)
        };
        let given = Rc::new(given.filter(fits).unwrap_or_else(unknown));
        if depth > DEPTH || self.found[number].len() >= MOST {
            return;
        }
        self.found[number].push(MacroInstance { arguments: given.clone(), invocation: name.cloned() });
        let text = self.expander.text;
        let Some(body) = tokens(text, &defined.body).filter(|body| self.expander.spend(body.len()).is_some()) else {
            return;
        };
        let Some(body) = self.expander.substitute(&body, &defined.parameters, &given) else { return };
        for (at, token) in body.iter().enumerate() {
            let numbers = token.word(text).and_then(|word| self.now.get(&*word)).cloned().unwrap_or_default();
            if !body.get(at + 1).is_some_and(|next| next.is(b'(')) {
                continue;
            }
            for inner in numbers {
                if inner != number && self.relevant[inner] {
                    self.instantiate(inner, arguments(&body, at + 1).map(|(given, _)| given), name, depth + 1);
                }
            }
        }
    }
}

/// The macros whose bodies lead to a wanted one, or use a parameter as the name of a macro.
fn relevant(text: &str, macros: &[FunctionMacro], wanted: Vec<bool>) -> Vec<bool> {
    let mut relevant = wanted;
    let mut words: Vec<Vec<Cow<str>>> = Vec::with_capacity(macros.len());
    for (number, one) in macros.iter().enumerate() {
        let body = tokens(text, &one.body).unwrap_or_default();
        let is_call = |pair: &[MacroToken]| {
            pair[1].is(b'(') && pair[0].word(text).is_some_and(|word| one.parameters.contains(&&*word))
        };
        relevant[number] |= body.windows(2).any(is_call);
        words.push(body.iter().filter_map(|token| token.word(text)).collect());
    }
    for _ in 0..DEPTH {
        let is_relevant = macros.iter().zip(&relevant).filter(|(_, relevant)| **relevant);
        let names: HashSet<&str> = is_relevant.map(|(one, _)| one.name).collect();
        let before = relevant.clone();
        for (number, words) in words.iter().enumerate() {
            relevant[number] |= words.iter().any(|word| names.contains(&**word));
        }
        if relevant == before {
            break;
        }
    }
    relevant
}
