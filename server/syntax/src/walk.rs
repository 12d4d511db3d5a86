//! One pass over a tree in the order of the text: scopes, declarations and instructions, whatever lies between them.

use crate::declaration::{Declaration, declarations, function, label};
use crate::fast_scanner::{self, ScannedElement};
use crate::instruction::Instruction;
use crate::lexer::{WORD, is};
use crate::node_kinds::{FIELDS, KINDS};
use crate::reader::{RopeReader, Token};
use crate::source::LintFile;
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// What a pass meets.
#[derive(Debug)]
pub enum WalkEvent<'a> {
    /// A function's parameters and body begin; names declared from here on end with it.
    EnterFunction,
    /// A `{ … }` begins.
    EnterBlock,
    /// What was entered last ends.
    Leave,
    /// A name is declared.
    Declare(Declaration<'a>),
    /// An instruction.
    Instruction(Instruction<'a>),
}

/// Passes over the whole file.
pub fn walk<'a>(file: &'a LintFile, mut see: impl FnMut(WalkEvent<'a>)) {
    let plain = file.plain_in(0..usize::MAX);
    let reader = RopeReader::new(file.text());
    let mut walker = ItemWalker { file, reader, found: Vec::new(), plain, see: &mut see, straight: &mut |_| true };
    file.roots().for_each(|root| walker.children(&mut root.walk()));
    walker.meet(usize::MAX);
}

/// One of the things that a module is made of: a directive, a variable, a function, a comment between them.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    file: &'a LintFile,
    at: ItemNode<'a>,
}

/// Where an item is found.
#[derive(Clone, Copy, Debug)]
enum ItemNode<'a> {
    Tree(Node<'a>),
    /// In the text alone: the how-manieth it is of those that no tree holds, and its range.
    Text {
        number: usize,
        start: u32,
        end: u32,
    },
}

/// What an item is to comments before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Comment,
    Function,
    Other,
}

impl<'a> Item<'a> {
    /// A number that is kept by an edit elsewhere, and no other item's, as long as the file from before the edit is kept too.
    pub fn id(&self) -> usize {
        match self.at {
            ItemNode::Tree(node) => node.id(),
            // No node is there: theirs are addresses.
            ItemNode::Text { number, .. } => usize::MAX - number,
        }
    }

    /// Its node, where a tree holds it.
    pub(crate) fn node(&self) -> Option<Node<'a>> {
        match self.at {
            ItemNode::Tree(node) => Some(node),
            ItemNode::Text { .. } => None,
        }
    }

    /// Its byte range.
    pub fn range(&self) -> Range<usize> {
        match self.at {
            ItemNode::Tree(node) => node.byte_range(),
            ItemNode::Text { start, end, .. } => start as usize..end as usize,
        }
    }

    /// Its node where that holds a syntax error.
    pub(crate) fn broken_node(&self) -> Option<Node<'a>> {
        match self.at {
            ItemNode::Tree(node) => node.has_error().then_some(node),
            ItemNode::Text { .. } => None,
        }
    }

    pub(crate) fn kind(&self) -> ItemKind {
        let first = || self.file.plain_in(self.range()).first();
        match self.at {
            ItemNode::Tree(node) if node.kind_id() == KINDS.comment => ItemKind::Comment,
            ItemNode::Tree(node) if node.kind_id() == KINDS.function => ItemKind::Function,
            ItemNode::Text { .. } if matches!(first(), Some(ScannedElement::Function { .. })) => ItemKind::Function,
            _ => ItemKind::Other,
        }
    }

    /// The names that it declares for the whole module.
    pub fn declarations(&self) -> Vec<Declaration<'a>> {
        let (mut found, mut reader) = (Vec::new(), RopeReader::new(self.file.text()));
        match self.at {
            ItemNode::Tree(node) => declarations(node, &mut reader, &mut found),
            ItemNode::Text { .. } => {
                let first = self.file.plain_in(self.range()).first();
                first.into_iter().for_each(|piece| declared(*piece, &mut reader, |name| found.push(name)));
            }
        }
        found
    }

    /// Passes over it as [`walk`] passes over the file.
    pub fn walk(&self, see: impl FnMut(WalkEvent<'a>)) {
        self.walk_blocks(see, |_| true);
    }

    /// Passes over it, and says which byte range a piece takes that begins with a label and holds no syntax error, and, without a range,
    /// where it ends. Of a piece for which `straight` answers `false` only the labels are met.
    pub fn walk_blocks(
        &self,
        mut see: impl FnMut(WalkEvent<'a>),
        mut straight: impl FnMut(Option<Range<usize>>) -> bool,
    ) {
        let plain = self.file.plain_in(self.range());
        let reader = RopeReader::new(self.file.text());
        let (see, straight) = (&mut see, &mut straight);
        let mut walker = ItemWalker { file: self.file, reader, found: Vec::new(), plain, see, straight };
        let ItemNode::Tree(node) = self.at else { return walker.meet(usize::MAX) };
        if walker.enter(node) {
            walker.children(&mut node.walk());
        }
        walker.leave(node);
    }
}

impl LintFile {
    /// What the module is made of, in the order of the text.
    pub fn module_items(&self) -> Vec<Item<'_>> {
        let mut text = self.plain_items().iter().enumerate().peekable();
        let mut items = Vec::new();
        let mut before = |place: usize, items: &mut Vec<_>| {
            while let Some((number, range)) = text.next_if(|(_, range)| (range.start as usize) < place) {
                items.push(Item { file: self, at: ItemNode::Text { number, start: range.start, end: range.end } });
            }
        };
        for root in self.roots() {
            for node in root.children(&mut root.walk()) {
                before(node.start_byte(), &mut items);
                items.push(Item { file: self, at: ItemNode::Tree(node) });
            }
        }
        before(usize::MAX, &mut items);
        items
    }
}

/// What a piece declares.
fn declared<'a>(piece: ScannedElement, reader: &mut RopeReader<'a>, mut declare: impl FnMut(Declaration<'a>)) {
    let mut read = |start: u32, end: u32| reader.read(start as usize..end as usize);
    match piece {
        ScannedElement::Label { start, end } => declare(label(read(start, end))),
        ScannedElement::Function { start, name, name_end } => declare(function(read(name, name_end), start as usize)),
        ScannedElement::Declaration { start, end } => fast_scanner::declarations(&read(start, end), false, declare),
        ScannedElement::Parameter { start, end } => fast_scanner::declarations(&read(start, end), true, declare),
        ScannedElement::Instruction(_)
        | ScannedElement::End(_)
        | ScannedElement::Open(_)
        | ScannedElement::Close(_) => {}
    }
}

struct ItemWalker<'a, 's> {
    file: &'a LintFile,
    reader: RopeReader<'a>,
    found: Vec<Declaration<'a>>,
    /// What the tree leaves out and was not met yet.
    plain: &'a [ScannedElement],
    see: &'s mut dyn FnMut(WalkEvent<'a>),
    /// Told where a basic block begins and ends; whether to look inside.
    straight: &'s mut dyn FnMut(Option<Range<usize>>) -> bool,
}

impl<'a> ItemWalker<'a, '_> {
    /// Iterates rather than recurses, because blocks nest as deep as an attacker likes.
    fn children(&mut self, cursor: &mut TreeCursor<'a>) {
        let mut depth = 0usize;
        if !cursor.goto_first_child() {
            return;
        }
        loop {
            if self.enter(cursor.node()) && cursor.goto_first_child() {
                depth += 1;
                continue;
            }
            self.leave(cursor.node());
            while !cursor.goto_next_sibling() {
                if depth == 0 {
                    return;
                }
                depth -= 1;
                cursor.goto_parent();
                self.leave(cursor.node());
            }
        }
    }

    /// Says what begins at a node, and whether to look inside.
    fn enter(&mut self, node: Node<'a>) -> bool {
        self.meet(node.start_byte());
        let kind = node.kind_id();
        if kind == KINDS.instruction {
            if let Some(instruction) = Instruction::new(self.file, node) {
                (self.see)(WalkEvent::Instruction(instruction));
            }
            false
        } else if kind == KINDS.function {
            self.declare(node);
            (self.see)(WalkEvent::EnterFunction);
            true
        } else if kind == KINDS.block {
            (self.see)(WalkEvent::EnterBlock);
            true
        } else if kind == KINDS.basic_block {
            let inside = node.has_error() || (self.straight)(Some(node.byte_range()));
            if !inside {
                self.labels(node);
            }
            inside
        } else if [
            KINDS.register_declaration,
            KINDS.variable_declaration,
            KINDS.parameter,
            KINDS.label,
            KINDS.function_declaration,
        ]
        .contains(&kind)
        {
            self.declare(node);
            false
        } else {
            [KINDS.parameters, KINDS.misplaced_code].contains(&kind) || node.is_error()
        }
    }

    fn leave(&mut self, node: Node<'a>) {
        if node.kind_id() == KINDS.function || node.kind_id() == KINDS.block {
            self.meet(node.end_byte());
            (self.see)(WalkEvent::Leave);
        } else if node.kind_id() == KINDS.basic_block && !node.has_error() {
            (self.straight)(None);
        }
    }

    /// Meets the labels that a basic block begins with.
    fn labels(&mut self, block: Node<'a>) {
        let mut cursor = block.walk();
        let mut more = cursor.goto_first_child();
        while more && (cursor.node().kind_id() == KINDS.label || cursor.node().is_extra()) {
            self.enter(cursor.node());
            more = cursor.goto_next_sibling();
        }
    }

    /// Meets what lies before a place and the tree leaves out.
    fn meet(&mut self, before: usize) {
        while let Some((first, rest)) = self.plain.split_first()
            && first.start() < before
        {
            self.plain = rest;
            match *first {
                ScannedElement::Instruction(plain) => {
                    let opcode = self.reader.read(plain.opcode as usize..plain.opcode_end as usize);
                    (self.see)(WalkEvent::Instruction(Instruction::plain(self.file, plain, &opcode)));
                }
                ScannedElement::Open(_) => (self.see)(WalkEvent::EnterBlock),
                ScannedElement::Close(_) | ScannedElement::End(_) => (self.see)(WalkEvent::Leave),
                piece => {
                    declared(piece, &mut self.reader, |name| (self.see)(WalkEvent::Declare(name)));
                    if matches!(piece, ScannedElement::Function { .. }) {
                        (self.see)(WalkEvent::EnterFunction);
                    }
                }
            }
        }
    }

    fn declare(&mut self, node: Node<'a>) {
        declarations(node, &mut self.reader, &mut self.found);
        for declaration in self.found.drain(..) {
            (self.see)(WalkEvent::Declare(declaration));
        }
    }
}

/// The directives at the head of a module, each as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header<'a> {
    /// The number of `.version`, such as `8.1`.
    pub version: Option<Token<'a>>,
    /// The words of `.target`, such as `sm_90` and `debug`.
    pub targets: Vec<Token<'a>>,
    /// The number of `.address_size`.
    pub address_size: Option<Token<'a>>,
    /// The first word that is none of these directives, or the empty end of the text: where a missing one belongs.
    pub body_at: Range<usize>,
}

impl LintFile {
    /// The module's own directives; of several, the first counts.
    pub fn header(&self) -> Header<'_> {
        let mut header = Header::default();
        let mut reader = RopeReader::new(self.text());
        let mut cursor = self.tree().walk();
        let mut more = cursor.goto_first_child();
        while more && self.read_header(cursor.node(), &mut reader, &mut header) {
            more = cursor.goto_next_sibling();
        }
        let left_out = self.plain_items().first().map(|item| item.start as usize);
        if let Some(start) =
            left_out.filter(|start| header.version.is_some() && !(more && cursor.node().start_byte() < *start))
        {
            header.body_at = self.dotted_word(start);
        } else if header.body_at.is_empty() {
            header.body_at = match more {
                true => first_word(cursor.node()),
                false => self.text().len_bytes()..self.text().len_bytes(),
            };
        }
        header
    }

    /// The range of a word with a dot.
    fn dotted_word(&self, start: usize) -> Range<usize> {
        let letters = self.text().bytes_at(start + 1).take_while(|byte| is(*byte, WORD)).count();
        start..start + 1 + letters
    }

    /// Takes a directive of the head up; `false` where something else begins.
    fn read_header<'a>(&'a self, node: Node<'a>, reader: &mut RopeReader<'a>, header: &mut Header<'a>) -> bool {
        let mut field =
            |id: std::num::NonZeroU16| node.child_by_field_id(id.get()).map(|n| reader.read(n.byte_range()));
        let kind = node.kind_id();
        if kind == KINDS.version_directive {
            header.version = header.version.take().or_else(|| field(FIELDS.number));
            return true;
        }
        if header.version.is_none() && header.body_at.is_empty() && !node.is_extra() {
            // Whatever comes before `.version` is where it is missing; the other directives are read all the same.
            header.body_at = first_word(node);
        }
        if kind == KINDS.target_directive {
            let mut cursor = node.walk();
            let names: Vec<_> = node.children_by_field_id(FIELDS.name, &mut cursor).map(|n| n.byte_range()).collect();
            header.targets.extend(names.into_iter().map(|name| reader.read(name)));
        } else if kind == KINDS.address_size_directive {
            header.address_size = header.address_size.take().or_else(|| field(FIELDS.bits));
        } else {
            return node.is_extra();
        }
        true
    }
}

/// The range of the first leaf below a node.
fn first_word(node: Node) -> Range<usize> {
    let mut node = node;
    while let Some(child) = node.child(0) {
        node = child;
    }
    node.byte_range()
}
