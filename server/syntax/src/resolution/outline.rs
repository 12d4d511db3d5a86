//! The items of a module with the names that they declare, kept over edits: a search for a name visits only the items that declare it.

use crate::declaration::{DeclarationKind, declarations, range_index};
use crate::node_kinds::KINDS;
use crate::reader::RopeReader;
use foldhash::fast::FixedState;
use ropey::Rope;
use std::hash::BuildHasher;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// So many items of the previous text are looked at for the next one.
const SEARCHED: usize = 1000;

/// The items of a text that may declare names, in order.
#[derive(Debug)]
pub(crate) struct ModuleOutline {
    /// The tree is kept alive so that no node of the next one reuses an id.
    _tree: Tree,
    items: Vec<OutlineItem>,
}

#[derive(Debug)]
struct OutlineItem {
    /// The node's id, which an edit elsewhere does not change.
    id: usize,
    range: Range<usize>,
    names: ItemNames,
}

/// What an item declares in the module's scope.
#[derive(Clone, Debug)]
enum ItemNames {
    Function(NameKey),
    Variable(NameKey),
    /// Several variables, or registers; of ranges without the brackets.
    Variables(Box<[NameKey]>),
    /// Not known: an item with a syntax error, or code outside of a function.
    Unknown,
}

/// What is kept of a name.
#[derive(Clone, Copy, Debug)]
struct NameKey {
    hash: u64,
    /// The first byte.
    initial: Option<u8>,
}

impl ModuleOutline {
    /// The items of a tree. What the previous text's outline knows of items that did not change is taken from there.
    pub(crate) fn new(text: &Rope, tree: &Tree, previous: Option<&ModuleOutline>) -> Self {
        let known = previous.map_or(&[][..], |outline| &outline.items);
        let mut reader = RopeReader::new(text);
        let (mut items, mut next) = (Vec::with_capacity(known.len()), 0);
        let root = tree.root_node();
        let mut cursor = root.walk();
        for node in root.children(&mut cursor).filter(|node| may_declare(*node)) {
            let ahead = &known[next..known.len().min(next + SEARCHED)];
            let names = match ahead.iter().position(|item| item.id == node.id()) {
                Some(at) => {
                    next += at + 1;
                    ahead[at].names.clone()
                }
                None => declared(node, &mut reader),
            };
            items.push(OutlineItem { id: node.id(), range: node.byte_range(), names });
        }
        ModuleOutline { _tree: tree.clone(), items }
    }

    /// The range of the items that touch a byte range.
    pub(crate) fn around(&self, within: &Range<usize>) -> Option<Range<usize>> {
        let touching = self.touching(within);
        Some(touching.first()?.range.start..touching.last()?.range.end)
    }

    /// The starts of the items that touch a byte range, or may declare one of some names.
    pub(crate) fn that_declare(&self, within: &Range<usize>, names: &[&str]) -> Vec<usize> {
        let mut hashes: Vec<u64> = names.iter().flat_map(|name| [hash(name), hash(range_index(name).0)]).collect();
        hashes.dedup();
        self.starts(within, |names| match names {
            ItemNames::Function(name) | ItemNames::Variable(name) => hashes.contains(&name.hash),
            ItemNames::Variables(names) => names.iter().any(|name| hashes.contains(&name.hash)),
            ItemNames::Unknown => true,
        })
    }

    /// The starts of the items that touch a byte range, or may declare names of some kinds that begin with a prefix.
    pub(crate) fn of_kinds(&self, within: &Range<usize>, kinds: &[DeclarationKind], prefix: &str) -> Vec<usize> {
        let functions = kinds.contains(&DeclarationKind::Function);
        let variables = kinds.contains(&DeclarationKind::Variable) || kinds.contains(&DeclarationKind::Register);
        let initial = prefix.bytes().next();
        let begins = |name: &NameKey| initial.is_none() || initial == name.initial;
        self.starts(within, |names| match names {
            ItemNames::Function(name) => functions && begins(name),
            ItemNames::Variable(name) => variables && begins(name),
            ItemNames::Variables(names) => variables && names.iter().any(begins),
            ItemNames::Unknown => true,
        })
    }

    /// The ranges of the items of which it is not known what they declare.
    pub(crate) fn unknown(&self) -> Vec<Range<usize>> {
        let unknown = self.items.iter().filter(|item| matches!(item.names, ItemNames::Unknown));
        unknown.map(|item| item.range.clone()).collect()
    }

    fn starts(&self, within: &Range<usize>, is_wanted: impl Fn(&ItemNames) -> bool) -> Vec<usize> {
        let touches = |item: &&OutlineItem| item.range.end >= within.start && item.range.start <= within.end;
        let wanted = self.items.iter().filter(|item| is_wanted(&item.names) || touches(item));
        wanted.map(|item| item.range.start).collect()
    }

    fn touching(&self, within: &Range<usize>) -> &[OutlineItem] {
        let first = self.items.partition_point(|item| item.range.end < within.start);
        let after = self.items.partition_point(|item| item.range.start <= within.end);
        self.items.get(first..after).unwrap_or_default()
    }
}

/// Whether an item may declare a name. Most of the others are comments and directives.
fn may_declare(node: Node) -> bool {
    let kinds = [
        KINDS.function,
        KINDS.function_declaration,
        KINDS.register_declaration,
        KINDS.variable_declaration,
        KINDS.label,
        KINDS.parameter,
        KINDS.parameters,
        KINDS.block,
        KINDS.basic_block,
        KINDS.misplaced_code,
        KINDS.section,
        KINDS.section_body,
    ];
    (kinds.contains(&node.kind_id()) || node.is_error()) && !node.byte_range().is_empty()
}

fn declared<'a>(node: Node<'a>, reader: &mut RopeReader<'a>) -> ItemNames {
    // Whether a declaration of a broken text counts depends on the text around it.
    let kinds = [KINDS.function, KINDS.function_declaration, KINDS.register_declaration, KINDS.variable_declaration];
    if node.has_error() || !kinds.contains(&node.kind_id()) {
        return ItemNames::Unknown;
    }
    let mut found = Vec::new();
    declarations(node, reader, &mut found);
    let kind = found.first().map(|first| first.kind);
    let key = |name: &str| NameKey { hash: hash(name), initial: name.bytes().next() };
    let keys: Vec<NameKey> = found.iter().map(|one| key(&one.name.text)).collect();
    match (kind, keys.as_slice()) {
        (Some(DeclarationKind::Function), [name]) => ItemNames::Function(*name),
        (Some(DeclarationKind::Variable), [name]) => ItemNames::Variable(*name),
        (Some(_), names) => ItemNames::Variables(names.into()),
        (None, _) => ItemNames::Unknown,
    }
}

fn hash(name: &str) -> u64 {
    FixedState::default().hash_one(name)
}
