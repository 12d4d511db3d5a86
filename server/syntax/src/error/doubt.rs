//! What a syntax error leaves uncertain: names that a broken statement may declare, and scopes whose braces are not read as they were meant.

use super::{STATEMENT, broken_nodes};
use crate::kinds::KINDS;
use crate::lexer::{is_name_char, trivia};
use crate::names::range_index;
use crate::reader::Reader;
use crate::source::SourceFile;
use crate::walk::{Event, ItemKind};
use std::collections::HashSet;
use std::ops::Range;
use tree_sitter::Node;

/// How many broken statements of an item are looked at one by one.
const MANY: usize = 64;

/// What the syntax errors of a file leave uncertain; nothing where there are none.
#[derive(Debug, Default)]
pub struct Doubt {
    /// The items that hold an error, in order.
    items: Vec<BrokenItem>,
    /// Names that a broken item may declare for the whole module.
    names: HashSet<String>,
    /// From where on any name may be declared for the whole module.
    anything: Option<usize>,
}

/// A statement that holds a syntax error.
#[derive(Clone, Debug)]
pub struct BrokenStatement {
    /// Its byte range.
    pub range: Range<usize>,
    /// Its text, with blanks for comments.
    pub text: String,
}

impl BrokenStatement {
    /// The names in it, in order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.text)
    }
}

/// An item of the module that holds a syntax error.
#[derive(Debug)]
struct BrokenItem {
    range: Range<usize>,
    /// Its broken statements, in order.
    statements: Vec<Range<usize>>,
    /// The same with the whole instructions that they lie in, those that overlap as one.
    whole: Vec<BrokenStatement>,
    /// The words of its broken statements.
    words: HashSet<String>,
    /// From where on its braces may be read in another way than they were meant; its end where they are read well.
    unscoped: usize,
}

impl Doubt {
    /// What is uncertain in a file.
    pub fn of(file: &SourceFile) -> Self {
        let mut doubt = Doubt::default();
        let root = file.root();
        if !root.has_error() {
            return doubt;
        }
        for item in file.module_items() {
            let range = item.range();
            let Some(mut broken) = item.broken_node().map(|node| BrokenItem::of(file, node)) else { continue };
            if root.is_error() {
                broken.unscoped = range.start;
            }
            let local = item.kind() == ItemKind::Function && broken.unscoped == range.end;
            if !local {
                let nameless = item.kind() != ItemKind::Function && broken.unscoped < range.end;
                doubt.anything = doubt.anything.or(nameless.then_some(range.start));
                doubt.names.extend(broken.words.iter().cloned());
                item.walk(|event| {
                    if let Event::Declare(declaration) = event {
                        doubt.names.insert(declaration.name.text.into_owned());
                    }
                });
            }
            doubt.items.push(broken);
        }
        doubt
    }

    /// Whether nothing is uncertain.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a name at a place may be declared in text that could not be read.
    pub fn may_declare(&self, name: &str, at: usize) -> bool {
        let item = self.item(at..at + 1);
        self.anything.is_some_and(|from| from <= at)
            || holds(&self.names, name)
            || item.is_some_and(|item| at >= item.unscoped || holds(&item.words, name))
    }

    /// Whether a byte range, that of an item, holds a syntax error.
    pub fn is_broken(&self, item: Range<usize>) -> bool {
        self.item(item).is_some()
    }

    /// The broken statements of an item, in order; `None` where more than they may be broken: its braces are not read well, or very many are.
    pub fn statements(&self, item: Range<usize>) -> Option<&[BrokenStatement]> {
        match self.item(item) {
            Some(item) if item.unscoped < item.range.end || item.whole.len() > MANY => None,
            Some(item) => Some(&item.whole),
            None => Some(&[]),
        }
    }

    /// Whether a place lies in a broken statement.
    pub fn is_in_statement(&self, at: usize) -> bool {
        self.item(at..at + 1).is_some_and(|item| item.statements.iter().any(|statement| statement.contains(&at)))
    }

    fn item(&self, range: Range<usize>) -> Option<&BrokenItem> {
        let at = self.items.partition_point(|item| item.range.end <= range.start);
        self.items.get(at).filter(|item| item.range.start < range.end)
    }
}

/// Whether a name, or the range that it is a member of, is among some words.
fn holds(words: &HashSet<String>, name: &str) -> bool {
    words.contains(name) || words.contains(range_index(name).0)
}

impl BrokenItem {
    fn of(file: &SourceFile, node: Node) -> Self {
        let range = node.byte_range();
        let mut item =
            BrokenItem { unscoped: range.end, range, statements: Vec::new(), whole: Vec::new(), words: HashSet::new() };
        if node.kind_id() == KINDS.misplaced_code {
            item.unscoped = item.range.start;
        }
        broken_nodes(node, |broken| {
            let statement = statement(file, broken);
            let text = Reader::new(file.text()).read(statement.clone()).text;
            let text = trivia::blank_out(&text);
            item.words.extend(words(&text).map(str::to_owned));
            if broken.is_missing() && matches!(broken.kind(), "{" | "}") {
                // Which brace has no partner is not known.
                item.unscoped = item.range.start;
            } else if loses_braces(broken) || text.lines().any(is_nameless) {
                item.unscoped = item.unscoped.min(statement.start.max(item.range.start));
            }
            item.take_up(file, instruction(broken), &statement);
            item.statements.push(statement);
        });
        item
    }

    /// Takes up a broken statement and the instruction that its error lies in.
    fn take_up(&mut self, file: &SourceFile, instruction: Option<Range<usize>>, statement: &Range<usize>) {
        let instruction = instruction.unwrap_or(statement.clone());
        let start = instruction.start.min(statement.start).max(self.range.start);
        let mut range = start..instruction.end.max(statement.end).min(self.range.end).max(start);
        while let Some(last) = self.whole.pop_if(|last| range.start < last.range.end) {
            range = last.range.start.min(range.start)..last.range.end.max(range.end);
        }
        let text = Reader::new(file.text()).read(range.clone()).text;
        self.whole.push(BrokenStatement { range, text: trivia::blank_out(&text).into_owned() });
    }
}

/// The instruction around a node.
fn instruction(node: Node) -> Option<Range<usize>> {
    let mut around = std::iter::successors(Some(node), Node::parent);
    around.find(|node| node.kind_id() == KINDS.instruction).map(|node| node.byte_range())
}

/// The statement around a broken node: from behind the last `;` or brace before it to the next.
fn statement(file: &SourceFile, node: Node) -> Range<usize> {
    let rope = file.text();
    let ends = |c: &char| matches!(c, ';' | '{' | '}');
    let start = rope.byte_to_char(node.start_byte());
    let before = rope.chars_at(start).reversed().take(STATEMENT).take_while(|c| !ends(c)).count();
    let end = rope.byte_to_char(node.end_byte());
    let closed = end > start && ends(&rope.char(end - 1));
    let behind = if closed { 0 } else { rope.chars_at(end).take(STATEMENT).take_while(|c| !ends(c)).count() };
    rope.char_to_byte(start - before)..rope.char_to_byte(end + behind)
}

/// The names in a text without comments.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c| !is_name_char(c));
    words.filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a line is the beginning of a declaration whose name is still to be written: whatever is not known may be meant.
fn is_nameless(line: &str) -> bool {
    let mut words = line.split_whitespace().peekable();
    words.peek().is_some_and(|first| is_declarator(first)) && words.all(|word| word.starts_with('.'))
}

/// Whether a word with its dot begins a declaration.
fn is_declarator(word: &str) -> bool {
    matches!(
        word,
        ".reg" | ".global" | ".shared" | ".local" | ".const" | ".param" | ".extern" | ".visible" | ".weak" | ".common"
    )
}

/// Whether a broken node holds braces without their partners.
fn loses_braces(broken: Node) -> bool {
    let (mut open, mut cursor) = (0usize, broken.walk());
    loop {
        match cursor.node().kind() {
            "{" => open += 1,
            "}" if open == 0 => return true,
            "}" => open -= 1,
            _ => {}
        }
        if cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return open > 0;
            }
        }
    }
}
