//! Name resolution at a byte offset: the declarations of a name, and their scopes.
//!
//! As in the assembler, a label is visible in its whole block and the blocks inside, also before it; anything else from
//! its declaration on. A function's parameters and the outermost names of its body share one scope. In unfinished code, a use
//! may precede the declaration: if nothing else matches, such a declaration is found, too.

use crate::declaration::{Declaration, DeclarationKind, declarations};
use crate::name_places::{NamePlaces, intact_items};
use crate::names::range_index;
use crate::node_kinds::{FIELDS, KINDS};
use crate::reader::RopeReader;
use crate::source::SourceFile;
use std::collections::HashMap;
use std::ops::Range;
use tree_sitter::TreeCursor;

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
        Scopes::collect(file, wanted, None)
    }

    /// Reads the declarations of the module, and of some names inside the functions that touch a byte range. Only these names may be asked for. In
    /// a long function, that is a hundred times as fast.
    pub fn of_names(file: &'a SourceFile, within: Range<usize>, names: &[&str]) -> Self {
        let places =
            intact_items(file, within.clone()).and_then(|items| NamePlaces::of_declarations(file, items, names));
        let holds = |function: Range<usize>| names.iter().any(|name| file.holds(function.clone(), range_index(name).0));
        let touches = |function: &Range<usize>| function.end >= within.start && function.start <= within.end;
        Scopes::collect(file, &|function| touches(&function) && holds(function), places)
    }

    fn collect(file: &'a SourceFile, wanted: &dyn Fn(Range<usize>) -> bool, places: Option<NamePlaces>) -> Self {
        let mut collector = ScopeCollector {
            wanted,
            places,
            ends: Vec::new(),
            reader: RopeReader::new(file.text()),
            scopes: vec![(0, file.text().len_bytes())],
            basic_block: 0..0,
            label: None,
            made: Scopes::default(),
        };
        collector.run(file.root().walk());
        collector.made
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
                    if self.symbols[range].scope.start > self.symbols[exact].scope.start {
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationRole {
    Parameter,
    /// A function without a body, or an external variable.
    Declaration,
    Definition,
}

struct ScopeCollector<'a, 'w> {
    wanted: &'w dyn Fn(Range<usize>) -> bool,
    /// Where functions may declare the wanted names; `None` for all names.
    places: Option<NamePlaces>,
    /// The ends of the nodes around the current one.
    ends: Vec<usize>,
    reader: RopeReader<'a>,
    /// The current scopes, outermost first: start and end.
    scopes: Vec<(usize, usize)>,
    /// The current basic block.
    basic_block: Range<usize>,
    /// The symbol of the last label at its start, if it is a new one, and the end of that label.
    label: Option<(usize, usize)>,
    made: Scopes<'a>,
}

impl<'a> ScopeCollector<'a, '_> {
    fn run(&mut self, mut cursor: TreeCursor<'a>) {
        let mut found = Vec::new();
        let mut more = cursor.goto_first_child();
        let mut depth = 1usize;
        while more {
            let end = cursor.node().end_byte();
            if self.enter(&cursor, &mut found) && self.descend(&mut cursor) {
                self.ends.push(end);
                depth += 1;
                continue;
            }
            loop {
                self.leave(&cursor);
                if self.next_sibling(&mut cursor) {
                    break;
                }
                self.ends.pop();
                depth -= 1;
                cursor.goto_parent();
                if depth == 0 {
                    more = false;
                    break;
                }
            }
        }
    }

    /// The places of the wanted names, if the current node is inside a function.
    fn places(&self) -> Option<&NamePlaces> {
        self.places.as_ref().filter(|_| self.scopes.len() > 1)
    }

    /// Moves to the first child that may declare a wanted name.
    fn descend(&self, cursor: &mut TreeCursor<'a>) -> bool {
        match self.places() {
            Some(places) => places.descend(cursor),
            None => cursor.goto_first_child(),
        }
    }

    /// Moves to the next sibling that may declare a wanted name.
    fn next_sibling(&self, cursor: &mut TreeCursor<'a>) -> bool {
        let end = self.ends.last().copied().unwrap_or(usize::MAX);
        match self.places() {
            Some(places) => places.next_sibling(cursor, end),
            None => cursor.goto_next_sibling(),
        }
    }

    fn enter(&mut self, cursor: &TreeCursor<'a>, found: &mut Vec<Declaration<'a>>) -> bool {
        let node = cursor.node();
        let kind = node.kind_id();
        if kind == KINDS.function || kind == KINDS.function_declaration {
            let body = node.child_by_field_id(FIELDS.body.get()).is_some_and(|body| body.kind_id() == KINDS.block);
            declarations(node, &mut self.reader, found);
            self.take(
                found,
                node.byte_range(),
                if body { DeclarationRole::Definition } else { DeclarationRole::Declaration },
            );
            self.scopes.push((node.start_byte(), node.end_byte()));
            return (self.wanted)(node.byte_range());
        }
        if kind == KINDS.block {
            // The body of a function shares the scope of its parameters.
            if cursor.field_id() != Some(FIELDS.body) {
                self.scopes.push((node.start_byte(), node.end_byte()));
            }
            return true;
        }
        if [KINDS.register_declaration, KINDS.variable_declaration, KINDS.parameter, KINDS.label].contains(&kind) {
            let external = node.child(0).filter(|first| first.kind_id() == KINDS.linkage);
            let external = external.is_some_and(|linkage| self.reader.read(linkage.byte_range()).text == ".extern");
            declarations(node, &mut self.reader, found);
            let mut whole = node.byte_range();
            if kind == KINDS.label && self.basic_block.contains(&whole.start) {
                self.end_label();
                whole.end = self.basic_block.end;
                self.label = Some((self.made.symbols.len(), node.end_byte()));
            }
            let role = match kind {
                _ if kind == KINDS.parameter => DeclarationRole::Parameter,
                _ if external => DeclarationRole::Declaration,
                _ => DeclarationRole::Definition,
            };
            self.take(found, whole, role);
            return false;
        }
        if kind == KINDS.basic_block {
            (self.basic_block, self.label) = (node.byte_range(), None);
            return true;
        }
        kind == KINDS.misplaced_code
            || kind == KINDS.parameters
            || node.is_error()
            || kind == KINDS.section
            || kind == KINDS.section_body
    }

    /// Of several labels in a row, only the last has the code as its extent.
    fn end_label(&mut self) {
        if let Some((symbol, end)) = self.label.take()
            && let Some(symbol) = self.made.symbols.get_mut(symbol)
        {
            symbol.declarations[0].whole.end = end;
        }
    }

    fn leave(&mut self, cursor: &TreeCursor<'a>) {
        let node = cursor.node();
        let scope = (node.start_byte(), node.end_byte());
        let kind = node.kind_id();
        let opened = kind == KINDS.function
            || kind == KINDS.function_declaration
            || (kind == KINDS.block && cursor.field_id() != Some(FIELDS.body));
        if opened && self.scopes.len() > 1 && self.scopes.last() == Some(&scope) {
            self.scopes.pop();
        }
    }

    fn take(&mut self, found: &mut Vec<Declaration<'a>>, whole: Range<usize>, role: DeclarationRole) {
        let parameter = role == DeclarationRole::Parameter;
        let definition = role != DeclarationRole::Declaration;
        for declaration in found.drain(..) {
            self.declare(DeclarationSite { declaration, whole: whole.clone(), parameter, definition });
        }
    }

    fn declare(&mut self, declared: DeclarationSite<'a>) {
        let (start, end) = *self.scopes.last().unwrap_or(&(0, usize::MAX));
        let made = &mut self.made;
        let by_name = if declared.declaration.count.is_some() { &mut made.ranges } else { &mut made.names };
        let list = by_name.entry(declared.declaration.name.text.to_string()).or_default();
        let place = declared.declaration.name.range.start;
        let mut around = list.last().copied();
        while let Some(symbol) = around.filter(|symbol| made.symbols[*symbol].scope.end < place) {
            around = made.symbols[symbol].outer;
        }
        if let Some(same) = around.map(|symbol| &mut made.symbols[symbol]).filter(|same| same.scope == (start..end)) {
            same.declarations.push(declared);
            return;
        }
        let symbol = made.symbols.len();
        // A name of an outer scope may follow one of an inner scope; the list stays ordered by scopes.
        let at = list.partition_point(|other| made.symbols[*other].scope.start <= start);
        if at < list.len() {
            for inner in &list[at..] {
                let inner = &mut made.symbols[*inner];
                if inner.outer == around && inner.scope.end <= end {
                    inner.outer = Some(symbol);
                }
            }
        }
        list.insert(at, symbol);
        let global = self.scopes.len() == 1;
        made.symbols.push(Symbol { declarations: vec![declared], scope: start..end, global, outer: around });
    }
}

#[cfg(test)]
mod tests;
