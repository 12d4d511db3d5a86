//! Traversal of a file in text order: scopes, declarations and instructions.

use crate::declaration::{Declaration, declarations, function, label};
use crate::fast_scanner;
use crate::fast_scanner::ScannedElement;
use crate::instruction::Instruction;
use crate::node_kinds::KINDS;
use crate::reader::RopeReader;
use crate::scanned_function::ScannedFunction;
use crate::source::LintFile;
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// An event of a traversal.
#[derive(Debug)]
pub enum WalkEvent<'a> {
    /// A function's parameters and body begin; they are one scope.
    EnterFunction,
    /// A `{ … }` begins.
    EnterBlock,
    /// The innermost function or block ends.
    Leave,
    /// A name is declared.
    Declare(Declaration<'a>),
    /// An instruction.
    Instruction(Instruction<'a>),
}

/// Visits the whole file.
pub fn walk<'a>(file: &'a LintFile, mut see: impl FnMut(WalkEvent<'a>)) {
    let scanned = file.scanned_in(0..usize::MAX);
    let reader = RopeReader::new(file.text());
    let mut walker = ItemWalker { file, reader, found: Vec::new(), scanned, see: &mut see, enter_block: &mut |_| true };
    file.roots().for_each(|root| walker.children(&mut root.walk()));
    walker.visit_scanned(usize::MAX);
}

/// An item of a module: a directive, a variable, a function, or a comment between them.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    file: &'a LintFile,
    at: ItemNode<'a>,
}

/// The representation of an item.
#[derive(Clone, Copy, Debug)]
enum ItemNode<'a> {
    Tree(Node<'a>),
    /// Scanned, not in a tree: its index among those items, and its range.
    Text {
        number: usize,
        start: u32,
        end: u32,
    },
}

/// The kind of an item, for the comments before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ItemKind {
    Comment,
    Function,
    Other,
}

impl<'a> Item<'a> {
    /// A unique number that an edit elsewhere does not change, while the file from before the edit is alive.
    pub fn id(&self) -> usize {
        match self.at {
            ItemNode::Tree(node) => node.id(),
            // No node has such an id: theirs are addresses.
            ItemNode::Text { number, .. } => usize::MAX - number,
        }
    }

    /// Its node, if it is in a tree.
    pub(crate) fn node(&self) -> Option<Node<'a>> {
        match self.at {
            ItemNode::Tree(node) => Some(node),
            ItemNode::Text { .. } => None,
        }
    }

    pub(crate) fn file(&self) -> &'a LintFile {
        self.file
    }

    /// Its byte range.
    pub fn range(&self) -> Range<usize> {
        match self.at {
            ItemNode::Tree(node) => node.byte_range(),
            ItemNode::Text { start, end, .. } => start as usize..end as usize,
        }
    }

    /// Its node, if that has a syntax error.
    pub(crate) fn broken_node(&self) -> Option<Node<'a>> {
        match self.at {
            ItemNode::Tree(node) => node.has_error().then_some(node),
            ItemNode::Text { .. } => None,
        }
    }

    /// Whether it has a syntax error.
    pub fn is_broken(&self) -> bool {
        self.broken_node().is_some()
    }

    /// Whether it is a function with a body.
    pub fn is_function(&self) -> bool {
        self.kind() == ItemKind::Function
    }

    /// Whether this is a comment.
    pub fn is_comment(&self) -> bool {
        self.kind() == ItemKind::Comment
    }

    pub(crate) fn kind(&self) -> ItemKind {
        let first = || self.file.scanned_in(self.range()).first();
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
                let first = self.file.scanned_in(self.range()).first();
                first.into_iter().for_each(|element| declared(*element, &mut reader, |name| found.push(name)));
            }
        }
        found
    }

    /// Scans it, if it is a function in a tree without syntax errors: to visit the result is several times as fast as to visit the tree.
    /// `None` for others, and if the scanner does not recognize a part of it.
    pub fn scan(&self) -> Option<ScannedFunction> {
        let ItemNode::Tree(node) = self.at else { return None };
        if node.kind_id() != KINDS.function || node.has_error() {
            return None;
        }
        ScannedFunction::at(self.range().start, self.file.slice(&self.range()))
    }

    /// Visits it as [`walk`] visits the file.
    pub fn walk(&self, see: impl FnMut(WalkEvent<'a>)) {
        self.walk_blocks(see, |_| true);
    }

    /// Visits it. `enter_block` is called with the byte range of each basic block that begins with a label and has no syntax error, and with `None`
    /// at its end. If it returns `false`, only the labels of the block are visited.
    pub fn walk_blocks(
        &self,
        mut see: impl FnMut(WalkEvent<'a>),
        mut enter_block: impl FnMut(Option<Range<usize>>) -> bool,
    ) {
        let scanned = self.file.scanned_in(self.range());
        let reader = RopeReader::new(self.file.text());
        let (see, enter_block) = (&mut see, &mut enter_block);
        let mut walker = ItemWalker { file: self.file, reader, found: Vec::new(), scanned, see, enter_block };
        let ItemNode::Tree(node) = self.at else { return walker.visit_scanned(usize::MAX) };
        if walker.enter(node) {
            walker.children(&mut node.walk());
        }
        walker.leave(node);
    }
}

impl ScannedFunction {
    /// Visits the function of a file as [`Item::walk`] does.
    pub fn walk<'a>(&self, file: &'a LintFile, mut see: impl FnMut(WalkEvent<'a>)) {
        let (see, enter_block) = (&mut see, &mut |_| true);
        let reader = RopeReader::new(file.text());
        let mut walker = ItemWalker { file, reader, found: Vec::new(), scanned: self.elements(), see, enter_block };
        walker.visit_scanned(usize::MAX);
    }

    /// Visits the function of a file as [`Item::walk_blocks`] does, but `enter_block` is not called for blocks inside of others, and blocks end where the next
    /// label begins.
    pub fn walk_blocks<'a>(
        &self,
        file: &'a LintFile,
        mut see: impl FnMut(WalkEvent<'a>),
        mut enter_block: impl FnMut(Option<Range<usize>>) -> bool,
    ) {
        let reader = RopeReader::new(file.text());
        let mut rest = self.elements();
        let (see, enter_block) = (&mut see, &mut enter_block);
        let mut walker = ItemWalker { file, reader, found: Vec::new(), scanned: &[], see, enter_block };
        while !rest.is_empty() {
            let before = rest.iter().position(is_label).unwrap_or(rest.len());
            walker.visit_all(&rest[..before]);
            rest = &rest[before..];
            let Some(first) = rest.first() else { break };
            let (labels, length) = block(rest);
            let end = rest.get(length).map_or(first.start(), |next| next.start());
            let is_visited = (walker.enter_block)(Some(first.start()..end));
            walker.visit_all(&rest[..if is_visited { length } else { labels }]);
            (walker.enter_block)(None);
            rest = &rest[length..];
        }
    }
}

fn is_label(element: &ScannedElement) -> bool {
    matches!(element, ScannedElement::Label { .. })
}

/// The number of labels at the start of some elements, and that of the elements up to the next label or the end of the scope.
fn block(elements: &[ScannedElement]) -> (usize, usize) {
    let labels = elements.iter().take_while(|element| is_label(element)).count();
    let mut depth = 0usize;
    for (at, element) in elements.iter().enumerate().skip(labels) {
        match element {
            ScannedElement::Label { .. } if depth == 0 => return (labels, at),
            ScannedElement::Close(_) | ScannedElement::End(_) if depth == 0 => return (labels, at),
            ScannedElement::Open(_) => depth += 1,
            ScannedElement::Close(_) => depth -= 1,
            _ => {}
        }
    }
    (labels, elements.len())
}

impl LintFile {
    /// The items of the module, in text order.
    pub fn module_items(&self) -> Vec<Item<'_>> {
        let mut text = self.scanned_items().iter().enumerate().peekable();
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

/// Calls `declare` for the names that a scanned element declares.
fn declared<'a>(element: ScannedElement, reader: &mut RopeReader<'a>, mut declare: impl FnMut(Declaration<'a>)) {
    let mut read = |start: u32, end: u32| reader.read(start as usize..end as usize);
    match element {
        ScannedElement::Label { start, end } => declare(label(read(start, end))),
        ScannedElement::Function { start, name, name_end } => declare(function(read(name, name_end), start as usize)),
        ScannedElement::Declaration { start, end } => {
            fast_scanner::declarations(&read(start, end), fast_scanner::DeclarationContext::Statement, declare);
        }
        ScannedElement::Parameter { start, end, kind } => {
            fast_scanner::declarations(&read(start, end), fast_scanner::DeclarationContext::Parameters(kind), declare);
        }
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
    /// The scanned elements that were not visited yet.
    scanned: &'s [ScannedElement],
    see: &'s mut dyn FnMut(WalkEvent<'a>),
    /// Called at the start and end of a basic block; returns whether to visit its statements.
    enter_block: &'s mut dyn FnMut(Option<Range<usize>>) -> bool,
}

impl<'a, 's> ItemWalker<'a, 's> {
    fn visit_all(&mut self, elements: &'s [ScannedElement]) {
        self.scanned = elements;
        self.visit_scanned(usize::MAX);
    }

    /// Iterates instead of recursing, because the nesting of blocks is unlimited.
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

    /// Reports what begins at a node; returns whether to visit its children.
    fn enter(&mut self, node: Node<'a>) -> bool {
        self.visit_scanned(node.start_byte());
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
            let inside = node.has_error() || (self.enter_block)(Some(node.byte_range()));
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
            self.visit_scanned(node.end_byte());
            (self.see)(WalkEvent::Leave);
        } else if node.kind_id() == KINDS.basic_block && !node.has_error() {
            (self.enter_block)(None);
        }
    }

    /// Visits the labels at the start of a basic block.
    fn labels(&mut self, block: Node<'a>) {
        let mut cursor = block.walk();
        let mut more = cursor.goto_first_child();
        while more && (cursor.node().kind_id() == KINDS.label || cursor.node().is_extra()) {
            self.enter(cursor.node());
            more = cursor.goto_next_sibling();
        }
    }

    /// Visits the scanned elements before an offset.
    fn visit_scanned(&mut self, before: usize) {
        while let Some((first, rest)) = self.scanned.split_first()
            && first.start() < before
        {
            self.scanned = rest;
            match *first {
                ScannedElement::Instruction(instruction) => {
                    let instruction = Instruction::scanned(self.file, instruction, &mut self.reader);
                    (self.see)(WalkEvent::Instruction(instruction));
                }
                ScannedElement::Open(_) => (self.see)(WalkEvent::EnterBlock),
                ScannedElement::Close(_) | ScannedElement::End(_) => (self.see)(WalkEvent::Leave),
                element => {
                    declared(element, &mut self.reader, |name| (self.see)(WalkEvent::Declare(name)));
                    if matches!(element, ScannedElement::Function { .. }) {
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
