//! Name resolution at a byte offset: the declarations of a name, and their scopes.
//!
//! As in the assembler, a label is visible in its whole block and the blocks inside, also before it; anything else from
//! its declaration on. A function's parameters and the outermost names of its body share one scope. In unfinished code, a use
//! may precede the declaration: if nothing else matches, such a declaration is found, too.

mod collector;

use crate::declaration::{Declaration, DeclarationKind, range_index};
use crate::resolution::name_places::{NamePlaces, intact_items};
use crate::source::SourceFile;
use std::collections::HashMap;
use std::ops::Range;

/// A name in a scope, with all its declarations there.
#[derive(Debug)]
pub struct Symbol<'a> {
    /// In text order; never empty.
    pub declarations: Vec<DeclarationSite<'a>>,
    /// The scope; the whole text for names of the module.
    pub scope: Range<usize>,
    /// Whether it belongs to the module and not to a function.
    pub global: bool,
    outer: Option<usize>,
}

/// One declaration with its context.
#[derive(Clone, Debug)]
pub struct DeclarationSite<'a> {
    /// What is declared.
    pub declaration: Declaration<'a>,
    /// The whole directive; for a function with its body, for a label with the code up to the next label.
    pub whole: Range<usize>,
    /// Whether it is a parameter.
    pub parameter: bool,
    /// Whether it is a definition: a function with a body, a variable that is not `.extern`.
    pub definition: bool,
}

impl<'a> Symbol<'a> {
    /// The first declaration.
    pub fn first(&self) -> &Declaration<'a> {
        &self.declarations[0].declaration
    }

    /// The declared name; of a range without its brackets.
    pub fn name(&self) -> &str {
        &self.first().name.text
    }

    /// What is declared.
    pub fn kind(&self) -> DeclarationKind {
        self.first().kind
    }

    /// Whether the first declaration is a parameter's.
    pub fn is_parameter(&self) -> bool {
        self.declarations[0].parameter
    }
}

/// What a name means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ResolvedName {
    /// The index in [`Scopes::symbols`].
    pub symbol: usize,
    /// The number of a member `%r7` of a range `%r<10>`.
    pub member: Option<u64>,
}

/// All names that are declared in the module and in the functions that a range touches.
#[derive(Debug, Default)]
pub struct Scopes<'a> {
    symbols: Vec<Symbol<'a>>,
    names: HashMap<String, Vec<usize>>,
    ranges: HashMap<String, Vec<usize>>,
}

impl<'a> Scopes<'a> {
    /// Reads the declarations of the module, and inside those functions that touch a byte range.
    pub fn new(file: &'a SourceFile, within: Range<usize>) -> Self {
        Scopes::inside(file, &|function| function.end >= within.start && function.start <= within.end)
    }

    /// Reads the declarations of the module, and of those functions whose byte ranges are `wanted`.
    pub fn inside(file: &'a SourceFile, wanted: &dyn Fn(Range<usize>) -> bool) -> Self {
        collector::collect(file, wanted, None, None)
    }

    /// Reads the declarations of the module, and of some names inside the functions that touch a byte range. Only these names may be asked for. In
    /// a long function or a large module, that is a hundred times as fast.
    pub fn of_names(file: &'a SourceFile, within: Range<usize>, names: &[&str]) -> Self {
        let places =
            intact_items(file, within.clone()).and_then(|items| NamePlaces::of_declarations(file, items, names));
        let holds = |function: Range<usize>| names.iter().any(|name| file.holds(function.clone(), range_index(name).0));
        let touches = |function: &Range<usize>| function.end >= within.start && function.start <= within.end;
        let items = file.outline().that_declare(&within, names);
        collector::collect(file, &|function| touches(&function) && holds(function), places, Some(items))
    }

    /// Reads the declarations of some kinds: those of the module that begin with a prefix, and those inside the functions that touch a byte range. A
    /// name of another kind hides none of them.
    pub fn of_kinds(file: &'a SourceFile, within: Range<usize>, kinds: &[DeclarationKind], prefix: &str) -> Self {
        // Labels have no directive that a search of the text would find.
        let places = intact_items(file, within.clone())
            .filter(|_| !kinds.contains(&DeclarationKind::Label))
            .and_then(|items| NamePlaces::of_directives(file, items));
        let touches = |function: Range<usize>| function.end >= within.start && function.start <= within.end;
        let items = file.outline().of_kinds(&within, kinds, prefix);
        collector::collect(file, &touches, places, Some(items))
    }

    /// Every symbol, in the order of first declarations.
    pub fn symbols(&self) -> &[Symbol<'a>] {
        &self.symbols
    }

    /// What a name means at an offset.
    pub fn find(&self, name: &str, at: usize) -> Option<ResolvedName> {
        let (base, index) = range_index(name);
        let exact = self.names.get(name);
        let range = index.and_then(|index| Some((self.ranges.get(base)?, index)));
        let member =
            |symbol: &Symbol| range.is_some_and(|(_, index)| symbol.first().count.is_some_and(|count| index < count));
        let any = |_: &Symbol| true;
        // A later declaration counts only if there is no earlier one.
        [DeclarationOrder::BeforeUse, DeclarationOrder::Any].into_iter().find_map(|order| {
            let exact = exact.and_then(|list| self.innermost(list, at, order, &any));
            let range = range.and_then(|(list, index)| Some((self.innermost(list, at, order, &member)?, index)));
            match (exact, range) {
                (Some(exact), Some((range, index))) => {
                    let [inner, outer] = [range, exact].map(|symbol| &self.symbols[symbol]);
                    // Number 0 of a range hides a parameter, as in `Names`.
                    let hides = index == 0 && outer.is_parameter();
                    if inner.scope.start > outer.scope.start || hides {
                        Some(ResolvedName { symbol: range, member: Some(index) })
                    } else {
                        Some(ResolvedName { symbol: exact, member: None })
                    }
                }
                (Some(symbol), None) => Some(ResolvedName { symbol, member: None }),
                (None, Some((symbol, index))) => Some(ResolvedName { symbol, member: Some(index) }),
                (None, None) => None,
            }
        })
    }

    /// The symbols of a name in all scopes, without ranges.
    pub fn named(&self, name: &str) -> &[usize] {
        self.names.get(name).map_or(&[], Vec::as_slice)
    }

    /// The symbol whose declared name is at an offset.
    pub fn declared_at(&self, name: &str, at: usize) -> Option<ResolvedName> {
        let declares = |symbol: &Symbol| {
            symbol.declarations.binary_search_by_key(&at, |one| one.declaration.name.range.start).is_ok()
        };
        let lists = [self.names.get(name), self.ranges.get(name)];
        let symbol =
            lists.into_iter().flatten().find_map(|list| self.innermost(list, at, DeclarationOrder::Any, &declares))?;
        Some(ResolvedName { symbol, member: None })
    }

    /// The innermost symbol around an offset, of symbols with one name that are ordered by the start of their scopes. Scopes nest or are disjoint,
    /// so it is the last one that begins before the offset, or one around that.
    fn innermost(
        &self,
        list: &[usize],
        at: usize,
        order: DeclarationOrder,
        fits: &dyn Fn(&Symbol) -> bool,
    ) -> Option<usize> {
        let after = list.partition_point(|symbol| self.symbols[*symbol].scope.start < at.max(1));
        let mut next = list[..after].last().copied();
        while let Some(symbol) = next {
            let found = &self.symbols[symbol];
            if (at < found.scope.end || found.global)
                && fits(found)
                && (order == DeclarationOrder::Any || found.is_visible_at(at))
            {
                return Some(symbol);
            }
            next = found.outer;
        }
        None
    }
}

impl Symbol<'_> {
    fn is_visible_at(&self, at: usize) -> bool {
        self.kind() == DeclarationKind::Label || self.first().name.range.start <= at
    }
}

/// The declarations that a use may refer to.
#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationOrder {
    /// Labels, and names declared before the use.
    BeforeUse,
    /// All in scope.
    Any,
}

#[cfg(test)]
mod tests;
