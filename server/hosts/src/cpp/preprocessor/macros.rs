//! The macros that a text has defined so far, and under which conditions.

use super::condition::ArchCondition;
use super::predefined::{is_arch, predefined};
use std::collections::{HashMap, HashSet};

/// The macros that a text has defined so far.
#[derive(Debug, Default)]
pub(in crate::cpp) struct Macros<'t> {
    now: HashMap<&'t str, Vec<MacroDefinition<'t>>>,
    /// Those that have been defined or undefined more than once.
    changing: HashSet<&'t str>,
    gone: HashSet<&'t str>,
}

/// One `#define` of a macro.
#[derive(Debug)]
pub(super) struct MacroDefinition<'t> {
    /// Its body; `None` where it takes arguments.
    pub body: Option<&'t str>,
    /// Where its body begins in the text.
    at: usize,
    /// Under which condition it is defined.
    pub under: ArchCondition,
}

impl<'t> Macros<'t> {
    /// From here on a name stands for a body that begins at a place of the text.
    pub fn define(&mut self, name: &'t str, body: Option<&'t str>, at: usize, under: ArchCondition) {
        let all = self.now.entry(name).or_default();
        all.push(MacroDefinition { body, at, under });
        if all.len() > 1 || self.gone.contains(name) {
            self.changing.insert(name);
        }
    }

    /// After this nobody knows any more.
    pub fn undefine(&mut self, name: &'t str) {
        self.now.remove(name);
        self.gone.insert(name);
    }

    /// Whether a name stands for one thing in all of the text that was read.
    pub fn is_constant(&self, name: &str) -> bool {
        !self.changing.contains(name)
    }

    /// The certain body of a name, and where it is written: the name is defined once, and no option of a compiler may have come before.
    pub fn certain(&self, name: &str) -> Option<(&'t str, usize)> {
        let [only] = self.definitions(name) else { return None };
        Some((only.body?, only.at)).filter(|_| !only.under.holds().must.is_empty())
    }

    /// Whether a name is defined.
    pub fn defined(&self, name: &str) -> ArchCondition {
        if is_arch(name) {
            return ArchCondition::always();
        }
        predefined(name).unwrap_or_else(|| {
            let under = self.definitions(name).iter().map(|one| one.under.clone());
            let certain = under.reduce(|a, b| a.or(&b)).map(|any| any.holds().must.clone());
            certain.map_or_else(ArchCondition::unknown, ArchCondition::at_least)
        })
    }

    /// All definitions that a name has here, one for each condition.
    pub(super) fn definitions(&self, name: &str) -> &[MacroDefinition<'t>] {
        self.now.get(name).map_or(&[], Vec::as_slice)
    }
}
