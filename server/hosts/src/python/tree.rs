//! The syntax tree of a Python text, and walks through it.
//!
//! The nodes of tree-sitter look for their parents and siblings from the root, so that a look around takes time that grows with the text. They are copied.

use super::bounds::{self, MAX_BLOCKS, MAX_BRACKETS, MAX_DEPTH};
use crate::inline_asm::{UnreadCode, UnreadReason};
use std::ops::{ControlFlow, Range};
use std::sync::OnceLock;
use tree_sitter::{Language, ParseOptions, ParseState, Parser, Tree, TreeCursor};

/// No node.
const NONE: u32 = u32::MAX;

/// The syntax tree of a text.
pub(super) struct PythonTree {
    /// In the order of the text: a node precedes those below it.
    nodes: Vec<NodeData>,
}

#[derive(Clone, Copy)]
struct NodeData {
    start: u32,
    end: u32,
    parent: u32,
    first_child: u32,
    next_sibling: u32,
    previous_sibling: u32,
    kind: u16,
    /// The number of the field of its parent that it is; 0 for none.
    field: u16,
    is_named: bool,
    is_missing: bool,
    has_error: bool,
}

/// A node of a tree.
#[derive(Clone, Copy)]
pub(super) struct PythonNode<'t> {
    tree: &'t PythonTree,
    index: u32,
}

impl PartialEq for PythonNode<'_> {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.tree, other.tree) && self.index == other.index
    }
}

/// Made anew each time, which costs a call: in WebAssembly, threads cannot share one.
fn language() -> Language {
    tree_sitter_python::LANGUAGE.into()
}

/// The names of the kinds, by number.
fn kinds() -> &'static [&'static str] {
    static KINDS: OnceLock<Vec<&'static str>> = OnceLock::new();
    KINDS.get_or_init(|| {
        // The names belong to a language, which is kept for them.
        let language: &'static Language = Box::leak(Box::new(language()));
        let kinds = 0..language.node_kind_count() as u16;
        kinds.map(|kind| language.node_kind_for_id(kind).unwrap_or("")).collect()
    })
}

/// Parses a text.
///
/// # Errors
/// Why it is not read, if it is nested too deeply or the parser takes too many steps.
pub(super) fn parse(text: &str) -> Result<PythonTree, UnreadCode> {
    bounds::check(text)?;
    let tree = parsed(text)?;
    PythonTree::of(&tree, text).map_err(|(at, reason)| UnreadCode::at(text, at, reason))
}

fn parsed(text: &str) -> Result<Tree, UnreadCode> {
    let mut parser = Parser::new();
    let (mut left, mut at) = (bounds::steps(text), 0);
    let mut count = |state: &ParseState| {
        left = left.saturating_sub(1);
        at = state.current_byte_offset().min(text.len());
        if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut count);
    let bytes = bounds::with_joined_comments(text);
    let mut read = |at: usize, _| bytes.get(at..).unwrap_or_default();
    let set = parser.set_language(&language());
    let tree = set.ok().and_then(|()| parser.parse_with_options(&mut read, None, Some(options)));
    tree.ok_or_else(|| UnreadCode::at(text, text.floor_char_boundary(at), UnreadReason::Steps))
}

impl PythonTree {
    /// Copies the tree of a text. The error is the offset at which it is nested too deeply, and in what.
    fn of(tree: &Tree, text: &str) -> Result<Self, (usize, UnreadReason)> {
        let mut made = PythonTree { nodes: Vec::with_capacity(tree.root_node().descendant_count()) };
        let mut cursor = tree.walk();
        let (mut parent, mut previous) = (NONE, NONE);
        let mut nesting = Nesting::default();
        loop {
            let index = made.push(&cursor, parent, previous);
            if cursor.goto_first_child() {
                nesting
                    .enter(made.node(index).kind(), cursor.node().kind())
                    .map_err(|reason| (cursor.node().start_byte(), reason))?;
                (parent, previous) = (index, NONE);
                continue;
            }
            previous = made.divide_comments(index, text);
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return Ok(made);
                }
                nesting.leave();
                previous = parent;
                parent = made.nodes[previous as usize].parent;
            }
        }
    }

    /// Adds the node at a cursor below its parent and after its sibling. Returns its number.
    fn push(&mut self, cursor: &TreeCursor, parent: u32, previous: u32) -> u32 {
        let (node, index) = (cursor.node(), self.nodes.len() as u32);
        if previous != NONE {
            self.nodes[previous as usize].next_sibling = index;
        } else if parent != NONE {
            self.nodes[parent as usize].first_child = index;
        }
        self.nodes.push(NodeData {
            start: node.start_byte() as u32,
            end: node.end_byte() as u32,
            parent,
            first_child: NONE,
            next_sibling: NONE,
            previous_sibling: previous,
            kind: node.kind_id(),
            field: cursor.field_id().map_or(0, |field| field.get()),
            is_named: node.is_named(),
            is_missing: node.is_missing(),
            has_error: node.has_error(),
        });
        index
    }

    /// Divides the node that was added last if it consists of comments that were joined. Returns the number of the last one.
    fn divide_comments(&mut self, index: u32, text: &str) -> u32 {
        let (mut last, whole) = (index, self.node(index).byte_range());
        if self.node(index).kind() != "comment" || !text[whole.clone()].contains('\n') {
            return last;
        }
        let mut at = whole.start;
        for line in text[whole].split('\n') {
            let (start, end) =
                ((at + line.len() - line.trim_start_matches(bounds::is_space).len()) as u32, (at + line.len()) as u32);
            at += line.len() + 1;
            if start == self.nodes[index as usize].start {
                self.nodes[index as usize].end = end;
            } else if line.contains(|character| !bounds::is_space(character)) {
                let next = self.nodes.len() as u32;
                let comment = self.nodes[index as usize];
                self.nodes.push(NodeData { start, end, previous_sibling: last, next_sibling: NONE, ..comment });
                self.nodes[last as usize].next_sibling = next;
                last = next;
            }
        }
        last
    }

    fn node(&self, index: u32) -> PythonNode<'_> {
        PythonNode { tree: self, index }
    }

    /// The node of the whole text.
    pub fn root_node(&self) -> PythonNode<'_> {
        self.node(0)
    }
}

/// How deeply a place is nested.
#[derive(Default)]
struct Nesting {
    /// The nodes around it.
    around: Vec<NestingNode>,
    blocks: usize,
    brackets: usize,
}

/// What a node around a place is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NestingNode {
    Block,
    Brackets,
    Other,
}

impl Nesting {
    /// Enters a node, by its kind and that of its first child.
    fn enter(&mut self, kind: &str, first: &str) -> Result<(), UnreadReason> {
        let node = match (kind, first) {
            ("block", _) => NestingNode::Block,
            (_, "(" | "[" | "{") => NestingNode::Brackets,
            _ => NestingNode::Other,
        };
        self.around.push(node);
        self.blocks += usize::from(node == NestingNode::Block);
        self.brackets += usize::from(node == NestingNode::Brackets);
        match self {
            _ if self.blocks > MAX_BLOCKS => Err(UnreadReason::Blocks),
            _ if self.brackets > MAX_BRACKETS => Err(UnreadReason::Brackets),
            _ if self.around.len() > MAX_DEPTH => Err(UnreadReason::Depth),
            _ => Ok(()),
        }
    }

    /// Leaves a node.
    fn leave(&mut self) {
        let node = self.around.pop();
        self.blocks -= usize::from(node == Some(NestingNode::Block));
        self.brackets -= usize::from(node == Some(NestingNode::Brackets));
    }
}

impl<'t> PythonNode<'t> {
    fn data(self) -> &'t NodeData {
        &self.tree.nodes[self.index as usize]
    }

    fn other(self, index: u32) -> Option<PythonNode<'t>> {
        (index != NONE).then_some(PythonNode { index, ..self })
    }

    /// The name of the grammar's rule.
    pub fn kind(self) -> &'static str {
        // The kind of errors has a number of its own.
        kinds().get(usize::from(self.data().kind)).copied().unwrap_or("ERROR")
    }

    /// A number that no other node of the tree has.
    pub fn id(self) -> usize {
        self.index as usize
    }

    /// The offset at which it starts.
    pub fn start_byte(self) -> usize {
        self.data().start as usize
    }

    /// The offset at which it ends.
    pub fn end_byte(self) -> usize {
        self.data().end as usize
    }

    /// The offsets at which it starts and ends.
    pub fn byte_range(self) -> Range<usize> {
        self.start_byte()..self.end_byte()
    }

    /// Whether there is a syntax error in it.
    pub fn has_error(self) -> bool {
        self.data().has_error
    }

    /// Whether it stands for a token that is missing.
    pub fn is_missing(self) -> bool {
        self.data().is_missing
    }

    /// The node around it.
    pub fn parent(self) -> Option<PythonNode<'t>> {
        self.other(self.data().parent)
    }

    /// The nodes directly below it.
    pub fn children(self) -> impl Iterator<Item = PythonNode<'t>> {
        std::iter::successors(self.other(self.data().first_child), |child| child.next_sibling())
    }

    /// The nodes directly below it that are no tokens of the grammar.
    pub fn named_children(self) -> impl Iterator<Item = PythonNode<'t>> {
        self.children().filter(|child| child.data().is_named)
    }

    /// The first node directly below it that is a field of it.
    pub fn child_by_field_name(self, name: &str) -> Option<PythonNode<'t>> {
        let field = language().field_id_for_name(name)?.get();
        self.children().find(|child| child.data().field == field)
    }

    /// The node after it below the same one.
    pub fn next_sibling(self) -> Option<PythonNode<'t>> {
        self.other(self.data().next_sibling)
    }

    /// The node before it below the same one that is no token of the grammar.
    pub fn prev_named_sibling(self) -> Option<PythonNode<'t>> {
        let previous = |node: PythonNode<'t>| node.other(node.data().previous_sibling);
        std::iter::successors(previous(self), |node| previous(*node)).find(|node| node.data().is_named)
    }
}

/// The nodes below a node and the node itself, in the order of the text. Nodes below one that `enters` refuses are left out.
pub(super) fn walk<'t>(
    root: PythonNode<'t>,
    enters: impl Fn(PythonNode<'t>) -> bool,
    mut visit: impl FnMut(PythonNode<'t>),
) {
    let mut node = root;
    loop {
        visit(node);
        let first = node.other(node.data().first_child).filter(|_| enters(node));
        if let Some(first) = first {
            node = first;
            continue;
        }
        loop {
            if node == root {
                return;
            }
            if let Some(next) = node.next_sibling() {
                node = next;
                break;
            }
            let Some(parent) = node.parent() else { return };
            node = parent;
        }
    }
}

/// The named children of a node, without comments.
pub(super) fn children<'t>(node: PythonNode<'t>) -> Vec<PythonNode<'t>> {
    node.named_children().filter(|child| child.kind() != "comment").collect()
}

/// The text of a node.
pub(super) fn read<'t>(text: &'t str, node: PythonNode) -> &'t str {
    &text[node.byte_range()]
}
