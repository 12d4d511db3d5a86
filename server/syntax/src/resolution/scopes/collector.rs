//! Collects the declarations of a tree into scopes.

use crate::declaration::{Declaration, declarations};
use crate::node_kinds::{FIELDS, KINDS};
use crate::reader::RopeReader;
use crate::resolution::name_places::NamePlaces;
use crate::resolution::scopes::{DeclarationSite, Scopes, Symbol};
use crate::source::SourceFile;
use std::ops::Range;
use tree_sitter::TreeCursor;

/// The declarations of the module, and of those functions whose byte ranges are `wanted`.
///
/// `places` are where these functions may declare wanted names, and `items` the starts of the wanted items of the module; `None` for all.
pub(in crate::resolution::scopes) fn collect<'a>(
    file: &'a SourceFile,
    wanted: &dyn Fn(Range<usize>) -> bool,
    places: Option<NamePlaces>,
    items: Option<Vec<usize>>,
) -> Scopes<'a> {
    let mut collector = ScopeCollector {
        wanted,
        places,
        items: items.map(Vec::into_iter),
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

#[derive(Clone, Copy, PartialEq, Eq)]
enum DeclarationRole {
    Parameter,
    /// A function without a body, or an external variable.
    Declaration,
    Definition,
}

/// So many siblings are looked at before a search from the root.
const NEAR: usize = 4;

struct ScopeCollector<'a, 'w> {
    wanted: &'w dyn Fn(Range<usize>) -> bool,
    /// Where functions may declare the wanted names; `None` for all names.
    places: Option<NamePlaces>,
    /// The starts of the wanted items that are not visited yet, in order; `None` for all items.
    items: Option<std::vec::IntoIter<usize>>,
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
        let mut more = self.first_item(&mut cursor);
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
                if if depth == 1 { self.next_item(&mut cursor) } else { self.next_sibling(&mut cursor) } {
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

    fn first_item(&mut self, cursor: &mut TreeCursor<'a>) -> bool {
        match &mut self.items {
            Some(items) => items.next().is_some_and(|start| cursor.goto_first_child_for_byte(start).is_some()),
            None => cursor.goto_first_child(),
        }
    }

    fn next_item(&mut self, cursor: &mut TreeCursor<'a>) -> bool {
        let Some(items) = &mut self.items else { return cursor.goto_next_sibling() };
        let Some(start) = items.next() else { return false };
        // Most often it is near.
        for _ in 0..NEAR {
            if !cursor.goto_next_sibling() || cursor.node().start_byte() >= start {
                break;
            }
        }
        if cursor.node().start_byte() == start {
            return true;
        }
        cursor.goto_parent();
        cursor.goto_first_child_for_byte(start).is_some()
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
