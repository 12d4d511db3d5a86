//! Name resolution during a traversal: nested scopes, shadowing and register ranges.
//!
//! Declarations are added in text order, so a name resolves to what is declared so far.

use crate::declaration::Declaration;
use crate::walk::WalkEvent;
use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// The names in scope at a point of a traversal.
#[derive(Debug)]
pub struct Names<'a> {
    scopes: Vec<NameScope<'a>>,
}

/// The names of one block. A range `%r<10>` and a name `%r` are different.
#[derive(Debug, Default)]
struct NameScope<'a> {
    names: HashMap<Cow<'a, str>, Declaration<'a>>,
    ranges: HashMap<Cow<'a, str>, Declaration<'a>>,
}

impl Default for Names<'_> {
    fn default() -> Self {
        Names { scopes: vec![NameScope::default()] }
    }
}

impl<'a> Names<'a> {
    /// Handles an event of a traversal: opens and closes scopes, and adds declarations.
    pub fn follow(&mut self, event: &WalkEvent<'a>) {
        match event {
            WalkEvent::EnterFunction | WalkEvent::EnterBlock => self.scopes.push(NameScope::default()),
            WalkEvent::Leave => drop(self.scopes.pop()),
            WalkEvent::Declare(declaration) => self.declare(declaration.clone()),
            WalkEvent::Instruction(_) => {}
        }
    }

    /// Declares a name in the innermost scope. The first of two declarations of a name counts, as in the assembler's messages, unless it is
    /// broken.
    pub fn declare(&mut self, declaration: Declaration<'a>) {
        if let Some(scope) = self.scopes.last_mut() {
            let names = if declaration.count.is_some() { &mut scope.ranges } else { &mut scope.names };
            match names.entry(declaration.name.text.clone()) {
                Entry::Occupied(mut known) if known.get().broken => _ = known.insert(declaration),
                Entry::Occupied(_) => {}
                Entry::Vacant(place) => _ = place.insert(declaration),
            }
        }
    }

    /// All declarations in scope except ranges, unordered, shadowed ones included.
    pub fn visible(&self) -> impl Iterator<Item = &Declaration<'a>> {
        self.scopes.iter().flat_map(|scope| scope.names.values())
    }

    /// The declaration that a name means here, innermost scope first; `%r7` is found in the range `%r<10>`.
    pub fn find(&self, name: &str) -> Option<&Declaration<'a>> {
        Self::find_in(&self.scopes, name)
    }

    /// As [`Names::find`], without the names of the module.
    pub fn find_local(&self, name: &str) -> Option<&Declaration<'a>> {
        Self::find_in(&self.scopes[1..], name)
    }

    /// The declaration of a name in the innermost scope, ranges aside.
    pub fn find_innermost(&self, name: &str) -> Option<&Declaration<'a>> {
        self.scopes.last()?.names.get(name)
    }

    fn find_in<'n>(scopes: &'n [NameScope<'a>], name: &str) -> Option<&'n Declaration<'a>> {
        let (base, index) = range_index(name);
        scopes.iter().rev().find_map(|scope| {
            let member =
                |range: &&Declaration| index.is_some_and(|index| range.count.is_some_and(|count| index < count));
            scope.names.get(name).or_else(|| scope.ranges.get(base).filter(member))
        })
    }
}

/// A name split before its trailing digits, and their value, if there are any. Leading zeros do not
/// matter to the assembler: `%r07` is `%r7`.
pub fn range_index(name: &str) -> (&str, Option<u64>) {
    let base = name.trim_end_matches(|c: char| c.is_ascii_digit());
    (base, name[base.len()..].parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{SourceFile, walk};

    #[test]
    fn inner_names_shadow_outer_ones_and_ranges_end() {
        let text = ".global .b32 x;\n.entry k(.param .u64 x)\n{ .reg .b32 %r<3>, %r; { .reg .f32 x; mov.f32 x, 0f00000000; }\nadd.u32 %r1, %r2, 1; }\n";
        let file = SourceFile::parse(text);
        let mut names = Names::default();
        let mut seen = Vec::new();
        walk(&file, |event| {
            names.follow(&event);
            if let WalkEvent::Instruction(_) = event {
                let what = |name: &str| names.find(name).map(|found| format!("{}{}", found.space.text, found.ty.text));
                seen.push((what("x"), what("%r2"), what("%r3"), what("%r02"), what("k").is_some()));
            }
        });
        let reg = || Some(".reg.b32".to_owned());
        assert_eq!(
            seen,
            [
                (Some(".reg.f32".to_owned()), reg(), None, reg(), true),
                (Some(".param.u64".to_owned()), reg(), None, reg(), true)
            ]
        );
    }
}
