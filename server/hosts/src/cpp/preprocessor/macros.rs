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
pub(in crate::cpp) struct MacroDefinition<'t> {
    /// Its body; `None` if it has parameters.
    pub body: Option<&'t str>,
    /// The offset of its body in the text.
    pub at: usize,
    /// The condition of its definition.
    pub under: ArchCondition,
}

/// The maximum number of definitions of a name for versions of a compiler that are read.
const MOST_VERSIONS: usize = 4;

impl<'t> Macros<'t> {
    /// Defines a name as the body at an offset of the text.
    pub fn define(&mut self, name: &'t str, body: Option<&'t str>, at: usize, under: ArchCondition) {
        let all = self.now.entry(name).or_default();
        all.push(MacroDefinition { body, at, under });
        if all.len() > 1 || self.gone.contains(name) {
            self.changing.insert(name);
        }
    }

    /// Removes a name; its later definitions are uncertain.
    pub fn undefine(&mut self, name: &'t str) {
        self.now.remove(name);
        self.gone.insert(name);
    }

    /// Whether a name has one definition in all of the text so far.
    pub fn is_constant(&self, name: &str) -> bool {
        !self.changing.contains(name)
    }

    /// The certain body of a name, and its offset: the name is defined once, and cannot be set by a compiler option.
    pub fn certain(&self, name: &str) -> Option<(&'t str, usize)> {
        let [only] = self.definitions(name) else { return None };
        Some((only.body?, only.at)).filter(|_| !only.under.holds().must.is_empty())
    }

    /// The definitions of a name that has one for each of several versions of a compiler; none of another name.
    pub fn by_version(&self, name: &str) -> &[MacroDefinition<'t>] {
        let all = self.definitions(name);
        let is_by_version = (2..=MOST_VERSIONS).contains(&all.len())
            && !self.gone.contains(name)
            && all.iter().all(|one| one.under.is_free());
        if is_by_version { all } else { &[] }
    }

    /// The greatest number of definitions by version that a name has, at least 1.
    pub fn most_versions(&self) -> usize {
        self.now.keys().map(|name| self.by_version(name).len()).max().unwrap_or(0).max(1)
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

    /// All current definitions of a name, one for each condition.
    pub(super) fn definitions(&self, name: &str) -> &[MacroDefinition<'t>] {
        self.now.get(name).map_or(&[], Vec::as_slice)
    }
}
