//! Name resolution during a traversal: nested scopes, shadowing and register ranges.
//!
//! Declarations are added in text order, so a name resolves to what is declared so far.

use crate::declaration::{Declaration, DeclarationKind, LabelKind, range_index};
use crate::resolution::labels::Labels;
use crate::walk::WalkEvent;
use foldhash::HashMap;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::hash_map::Entry;
use std::ops::Range;

/// The scopes around the outermost scope of a function's body: the module and the parameters.
const AROUND_BODY: usize = 2;

/// The names in scope at a point of a traversal.
#[derive(Clone, Debug)]
pub struct Names<'a> {
    scopes: Vec<NameScope<'a>>,
}

/// The names of one block. A range `%r<10>` and a name `%r` are different.
#[derive(Clone, Debug, Default)]
struct NameScope<'a> {
    names: HashMap<Cow<'a, str>, DeclaredName<'a>>,
    ranges: HashMap<Cow<'a, str>, DeclaredName<'a>>,
    labels: Labels<'a>,
}

/// A declaration, and its shape once it is needed.
#[derive(Clone, Debug)]
struct DeclaredName<'a> {
    declaration: Declaration<'a>,
    shape: OnceCell<u64>,
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
            if declaration.kind == DeclarationKind::Label {
                return scope.declare_label(declaration);
            }
            if declaration.count.is_none() && scope.labels.kind(&declaration.name.text).is_some() {
                return;
            }
            let names = if declaration.count.is_some() { &mut scope.ranges } else { &mut scope.names };
            match names.entry(declaration.name.text.clone()) {
                Entry::Occupied(mut known) if known.get().declaration.broken => _ = known.insert(declaration.into()),
                Entry::Occupied(_) => {}
                Entry::Vacant(place) => _ = place.insert(declaration.into()),
            }
        }
    }

    /// The number of scopes, the module's included.
    pub fn depth(&self) -> usize {
        self.scopes.len()
    }

    /// The earlier declaration in the innermost scope that another one repeats. Parameters share a scope with the outermost names of the body,
    /// except that number 0 of a range hides a parameter (`tests/evidence/directives`, group `parameters_and_ranges`).
    pub fn repeated(&self, declaration: &Declaration) -> Option<&Declaration<'a>> {
        let (scope, outer) = self.scopes.split_last()?;
        let parameters = outer.last().filter(|_| outer.len() == AROUND_BODY);
        let known = scope.repeated(declaration, 0).or_else(|| parameters?.repeated(declaration, 1));
        known.filter(|known| !known.broken)
    }

    /// All declarations in scope except ranges, unordered, shadowed ones included.
    pub fn visible(&self) -> impl Iterator<Item = &Declaration<'a>> {
        let declared = self.scopes.iter().flat_map(|scope| scope.names.values()).map(|name| &name.declaration);
        declared.chain(self.scopes.iter().flat_map(|scope| scope.labels.iter()))
    }

    /// All registers in scope and ranges of them, unordered, shadowed ones included.
    pub fn registers(&self) -> impl Iterator<Item = &Declaration<'a>> {
        let all = self.scopes.iter().flat_map(|scope| scope.names.values().chain(scope.ranges.values()));
        all.map(|name| &name.declaration).filter(|declaration| declaration.kind == DeclarationKind::Register)
    }

    /// The declaration that a name means here, innermost scope first; `%r7` is found in the range `%r<10>`.
    pub fn find(&self, name: &str) -> Option<&Declaration<'a>> {
        self.find_in(name, |declared| &declared.declaration, |labels| labels.find(name))
    }

    /// The [shape](Declaration::shape) of the declaration that a name means here.
    pub fn shape(&self, name: &str) -> Option<u64> {
        let shape = |found: &DeclaredName| *found.shape.get_or_init(|| found.declaration.shape());
        self.find_in(name, shape, |labels| labels.find(name).map(Declaration::shape))
    }

    /// What a name of the innermost scope names, if it is a label there.
    pub fn innermost_label(&self, name: &str) -> Option<LabelKind> {
        let scope = self.scopes.last()?;
        scope.name(name).map_or_else(|| scope.labels.kind(name), |known| known.declaration.label())
    }

    /// What the label names that a name means here; `Some(None)` if the name means something else.
    pub fn find_label(&self, name: &str) -> Option<Option<LabelKind>> {
        self.find_in(name, |known| known.declaration.label(), |labels| labels.kind(name).map(Some))
    }

    fn find_in<'n, T>(
        &'n self,
        name: &str,
        declared: impl Fn(&'n DeclaredName<'a>) -> T,
        label: impl Fn(&'n Labels<'a>) -> Option<T>,
    ) -> Option<T> {
        let (base, index) = range_index(name);
        self.scopes.iter().rev().find_map(|scope| {
            let range = || index.and_then(|index| Some((scope.range(base)?, index)));
            let member =
                || range().filter(|(range, index)| range.declaration.count.is_some_and(|count| *index < count));
            // Measured: of a label and a register of a range in one scope, the name means the register.
            let found = scope.name(name).or_else(|| member().map(|(range, _)| range));
            found.map(&declared).or_else(|| label(&scope.labels))
        })
    }
}

impl<'a> From<Declaration<'a>> for DeclaredName<'a> {
    fn from(declaration: Declaration<'a>) -> Self {
        DeclaredName { declaration, shape: OnceCell::new() }
    }
}

impl<'a> NameScope<'a> {
    /// Declares a label, unless the name is known.
    fn declare_label(&mut self, label: Declaration<'a>) {
        match self.name(&label.name.text) {
            Some(known) if known.declaration.broken => _ = self.names.remove(&label.name.text),
            Some(_) => return,
            None => {}
        }
        self.labels.declare(label);
    }

    /// A name or label, ranges aside.
    fn single(&self, name: &str) -> Option<&Declaration<'a>> {
        self.name(name).map(|known| &known.declaration).or_else(|| self.labels.find(name))
    }

    /// A name, ranges and labels aside. Most scopes have no names or no ranges, and need no hash.
    fn name(&self, name: &str) -> Option<&DeclaredName<'a>> {
        if self.names.is_empty() { None } else { self.names.get(name) }
    }

    /// A range by its name without digits.
    fn range(&self, base: &str) -> Option<&DeclaredName<'a>> {
        if self.ranges.is_empty() { None } else { self.ranges.get(base) }
    }

    /// The declaration that another one repeats; of a range, the numbers from `first` on count.
    fn repeated(&self, declaration: &Declaration, first: u64) -> Option<&Declaration<'a>> {
        let name = &*declaration.name.text;
        if let Some(count) = declaration.count {
            let single = || self.first_of_range(name, first..count);
            return self.range(name).map(|known| &known.declaration).or_else(single);
        }
        let range = || {
            let (base, index) = range_index(name);
            self.range(base).filter(|range| index.is_some_and(|index| Some(index) < range.declaration.count))
        };
        let may_be_in_range = declaration.kind != DeclarationKind::Label;
        let member = || range().filter(|_| may_be_in_range).map(|range| &range.declaration);
        self.single(name).or_else(member)
    }

    /// The first single name that is a member of a range. Labels are not compared with ranges.
    fn first_of_range(&self, base: &str, numbers: Range<u64>) -> Option<&Declaration<'a>> {
        // All digits at the end of a name are its index.
        if base.ends_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        let first = |known: &&Declaration<'a>| known.name.range.start;
        if numbers.end <= self.names.len() as u64 {
            let members = numbers.filter_map(|index| self.names.get(&*format!("{base}{index}")));
            return members.map(|name| &name.declaration).min_by_key(first);
        }
        let is_member = |known: &&Declaration| {
            let digits = known.name.text.strip_prefix(base).unwrap_or_default();
            let index = digits.parse().ok().filter(|index: &u64| index.to_string() == digits);
            index.is_some_and(|index| numbers.contains(&index))
        };
        let declarations = self.names.values().map(|name| &name.declaration);
        declarations.filter(is_member).min_by_key(first)
    }
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

    #[test]
    fn a_register_of_a_range_is_meant_before_a_label_of_its_scope() {
        let file =
            SourceFile::parse(".entry k()\n{ .reg .b32 r<3>; r1: add.u32 r0, r1, 1; { r2: add.u32 r0, r0, 1; } }\n");
        let mut names = Names::default();
        let mut kinds = Vec::new();
        walk(&file, |event| {
            names.follow(&event);
            if let WalkEvent::Instruction(_) = event {
                kinds.push(["r1", "r2"].map(|name| names.find(name).map(|found| found.kind)));
            }
        });
        let [register, label] = [Some(DeclarationKind::Register), Some(DeclarationKind::Label)];
        assert_eq!(kinds, [[register, register], [register, label]]);
    }
}
