//! The macros that a text has defined so far, and under which conditions.

use super::condition::ArchCondition;
use super::predefined::{is_arch, predefined};
use std::collections::{HashMap, HashSet};
use std::ops::Range;

/// The macros that a text has defined so far.
#[derive(Debug, Default)]
pub(in crate::cpp) struct Macros<'t> {
    now: HashMap<&'t str, Vec<MacroDefinition<'t>>>,
    /// Those that `#undef` has removed.
    past: HashMap<&'t str, Vec<MacroDefinition<'t>>>,
    /// Those that have been defined more than once.
    changing: HashSet<&'t str>,
    /// The names that were defined in a branch that is still read, in order, with the offsets of their bodies.
    open: Vec<(&'t str, usize)>,
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
    /// The condition where no compiler option sets the name: a default, which is defined under its own `#ifndef`, then counts.
    pub by_default: ArchCondition,
    /// The offset of the end of the branch of an `#if` that it is in: up to it, the name is certainly defined.
    pub until: usize,
    /// The offset of the `#undef` that removes it.
    pub undefined: usize,
}

impl<'t> MacroDefinition<'t> {
    /// A definition whose body is at an offset of the text, and that no later text changes.
    pub fn new(body: Option<&'t str>, at: usize, under: ArchCondition) -> Self {
        MacroDefinition { body, at, by_default: under.clone(), under, until: usize::MAX, undefined: usize::MAX }
    }
}

/// The maximum number of definitions of a name for versions of a compiler that are read.
const MOST_VERSIONS: usize = 4;

impl<'t> Macros<'t> {
    /// Defines a name.
    pub fn define(&mut self, name: &'t str, definition: MacroDefinition<'t>) {
        let all = self.now.entry(name).or_default();
        self.open.push((name, definition.at));
        all.push(definition);
        if all.len() > 1 || self.past.contains_key(name) {
            self.changing.insert(name);
        }
    }

    /// Removes a name at an offset of the text; its later definitions are uncertain.
    pub fn undefine(&mut self, name: &'t str, at: usize) {
        let removed = self.now.remove(name).into_iter().flatten();
        self.past.entry(name).or_default().extend(removed.map(|one| MacroDefinition { undefined: at, ..one }));
    }

    /// Whether a name has one definition in all of the text so far.
    pub fn is_constant(&self, name: &str) -> bool {
        !self.changing.contains(name)
    }

    /// The branch of an `#if` with this range has been read.
    pub fn leave_branch(&mut self, branch: Range<usize>) {
        while let Some((name, at)) = self.open.pop_if(|(_, at)| *at >= branch.start) {
            let all = self.now.get_mut(name).into_iter().flatten();
            all.filter(|one| one.at == at).for_each(|one| one.until = branch.end);
        }
    }

    /// The certain body of a name at an offset of the text, and the offset of the body: that of the definition before it in the same branches
    /// of `#if`s, or the only one. Compiler options that set a name with a default are not considered.
    pub fn certain(&self, name: &str, at: usize) -> Option<(&'t str, usize)> {
        let (all, past) = (self.definitions(name), self.past.get(name));
        let before = |one: &&MacroDefinition| one.at <= at;
        let last = all.iter().rfind(before).or_else(|| past?.iter().rfind(before));
        let in_branch = last.filter(|one| at < one.until.min(one.undefined));
        let only = || all.first().filter(|one| all.len() == 1 && !one.by_default.holds().must.is_empty());
        let found = in_branch.or_else(|| only().filter(|one| past.is_none() || one.at <= at))?;
        Some((found.body?, found.at))
    }

    /// The definitions of a name at an offset of the text, if it has one for each of several versions of a compiler; none of another name.
    pub fn by_version(&self, name: &str, at: usize) -> &[MacroDefinition<'t>] {
        let all = match (self.now.get(name), self.past.get(name)) {
            (Some(all), None) | (None, Some(all)) => all,
            _ => return &[],
        };
        let is_by_version = (2..=MOST_VERSIONS).contains(&all.len())
            && all.iter().all(|one| one.under.is_free() && one.undefined == all[0].undefined && at < one.undefined);
        if is_by_version { all } else { &[] }
    }

    /// The greatest number of definitions by version that a name has, at least 1.
    pub fn most_versions(&self) -> usize {
        let names = self.now.keys().chain(self.past.keys());
        names.map(|name| self.by_version(name, 0).len()).max().unwrap_or(0).max(1)
    }

    /// The names that the text defines, or has defined before.
    pub fn names(&self) -> impl Iterator<Item = &'t str> {
        self.now.keys().chain(self.past.keys().filter(|name| !self.now.contains_key(*name))).copied()
    }

    /// Whether the text defines a name, or has defined it before.
    pub fn has_defined(&self, name: &str) -> bool {
        self.now.contains_key(name) || self.past.contains_key(name)
    }

    /// Whether a name is defined.
    pub fn defined(&self, name: &str) -> ArchCondition {
        if is_arch(name) {
            return ArchCondition::device();
        }
        predefined(name).unwrap_or_else(|| {
            let under = self.definitions(name).iter().map(|one| one.under.clone());
            under.reduce(|a, b| a.or(&b)).map_or_else(ArchCondition::unknown, |any| any.implied())
        })
    }

    /// All current definitions of a name, one for each condition.
    pub(super) fn definitions(&self, name: &str) -> &[MacroDefinition<'t>] {
        self.now.get(name).map_or(&[], Vec::as_slice)
    }
}
