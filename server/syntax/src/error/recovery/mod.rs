//! What syntax errors leave uncertain: the names that a broken statement may declare, and scopes with unmatched braces.

use crate::declaration::range_index;
use crate::error::broken_labels::labels;
use crate::error::missing_name::loses_name;
use crate::error::{EXAMINED_ERRORS, SHORT_STATEMENT, STATEMENT, error_nodes};
use crate::lexer::{is_name_char, trivia};
use crate::node_kinds::KINDS;
use crate::reader::RopeReader;
use crate::source::LintFile;
use crate::walk::{Item, ItemKind, WalkEvent};
use ropey::Rope;
use std::collections::{BTreeSet, HashSet};
use std::ops::Range;
use tree_sitter::Node;

/// An item with more broken statements counts as broken as a whole.
const MAX_STATEMENTS: usize = 64;

/// With more labels that are taken apart, any name may be one.
const MAX_LABELS: usize = 256;

/// The directives that may be statements of a function and, with other meanings, items of a module.
const BODY_DIRECTIVES: [&str; 5] = [".pragma", ".loc", ".reg", ".shared", ".local"];

/// What the syntax errors of a file leave uncertain.
#[derive(Debug, Default)]
pub struct Recovery {
    /// The items with an error, in order.
    items: Vec<BrokenItem>,
    /// Names that a broken item may declare for the whole module.
    names: HashSet<String>,
    /// Those of broken labels, lists, prototypes, parameters and heads of functions in all items.
    targets: HashSet<String>,
    /// From this offset on, any name may be declared for the whole module.
    anything: Option<usize>,
}

/// A statement with a syntax error.
#[derive(Clone, Debug)]
pub struct BrokenStatement {
    /// Its byte range.
    pub range: Range<usize>,
    /// Its text, with spaces for comments.
    pub text: String,
}

impl BrokenStatement {
    /// The names in it, in order.
    pub fn words(&self) -> impl Iterator<Item = &str> {
        words(&self.text)
    }
}

/// An item of the module with a syntax error.
#[derive(Debug)]
struct BrokenItem {
    range: Range<usize>,
    /// Its broken statements, in order; those that touch are merged.
    statements: Vec<Range<usize>>,
    /// The same, extended to whole instructions; overlapping ones are merged.
    whole: Vec<BrokenStatement>,
    /// Their ranges, before their texts are read.
    whole_ranges: Vec<Range<usize>>,
    /// The words of its broken statements.
    words: HashSet<String>,
    /// Those of broken labels, lists, prototypes, parameters and heads of functions.
    targets: HashSet<String>,
    /// The prefixes of register ranges and arrays that it may declare, without the number.
    ranges: HashSet<String>,
    /// The words before each `:` that may be parts of a label: of `$L"1:`, `$L` and `1`.
    labels: BTreeSet<(String, String)>,
    /// From this offset on it may declare any name; its end if it does not.
    nameless: usize,
    /// From this offset on its braces may not match as intended; its end if they do.
    unscoped: usize,
}

impl Recovery {
    /// Computes the effects of the syntax errors of a file.
    pub fn of(file: &LintFile) -> Self {
        let mut recovery = Recovery::default();
        if !file.has_broken_node() {
            return recovery;
        }
        // Text that was parsed in parts has no error.
        let loses_scopes = file.roots().any(|root| root.is_error());
        let mut before = None;
        for item in file.module_items() {
            match item.broken_node() {
                Some(node) => {
                    let mut broken = BrokenItem::of(file, node);
                    if loses_scopes {
                        broken.unscoped = item.range().start;
                    }
                    recovery.record(&item, broken, before.take());
                }
                None if item.kind() == ItemKind::Function => before = Some(item),
                None if item.kind() == ItemKind::Comment || may_be_of_body(file, &item) => {}
                None => before = None,
            }
        }
        recovery
    }

    /// Records a broken item, and the function right `before` it, which ends too early if there is an extra brace.
    fn record(&mut self, item: &Item, mut broken: BrokenItem, before: Option<Item>) {
        let (range, is_function) = (item.range(), item.kind() == ItemKind::Function);
        self.targets.extend(std::mem::take(&mut broken.targets));
        let scoped = broken.unscoped == range.end;
        if let Some(before) = before.filter(|_| !is_function && !scoped) {
            self.declare_all(&before);
            let range = before.range();
            self.items.push(BrokenItem { unscoped: range.start, ..BrokenItem::new(range) });
        }
        if is_function && broken.statements.first().is_some_and(|first| first.start <= range.start) {
            // The statement is the head of the function, or has it.
            self.names.extend(broken.words.iter().cloned());
        }
        if !is_function || !scoped {
            // Without its head or with a brace too many, the rest of a function is outside of it.
            let nameless = !is_function && (broken.nameless < range.end || !scoped);
            self.anything = self.anything.or(nameless.then_some(range.start));
            self.names.extend(broken.words.iter().chain(&broken.ranges).cloned());
            self.declare_all(item);
        }
        self.items.push(broken);
    }

    /// Records that the names that an item declares may belong to the whole module.
    fn declare_all(&mut self, item: &Item) {
        item.walk(|event| {
            if let WalkEvent::Declare(declaration) = event {
                self.names.insert(declaration.name.text.into_owned());
            }
        });
    }

    /// Whether nothing is uncertain.
    pub fn is_empty(&self) -> bool {
        self.items.is_empty()
    }

    /// Whether a name that is used at an offset may be declared in a broken statement.
    pub fn may_declare(&self, name: &str, at: usize) -> bool {
        let item = self.item(at..at + 1);
        self.anything.is_some_and(|from| from <= at)
            || holds(&self.names, name)
            || item.is_some_and(|item| item.may_declare(name, at))
    }

    /// Whether a range is in a call or an indexed branch that names something in a broken statement: a function, a prototype or a list
    /// of labels, whose declaration is not known then.
    pub fn changes_target(&self, text: &Rope, range: Range<usize>) -> bool {
        if self.items.is_empty() || self.anything.is_some_and(|from| from <= range.start) {
            return !self.items.is_empty();
        }
        let statement = RopeReader::new(text).read(statement(text, range, STATEMENT)).text.into_owned();
        let mut words = words(&statement).skip_while(|word| word.starts_with('%'));
        words.next().is_some_and(|opcode| matches!(opcode.split('.').next(), Some("call" | "brx")))
            && words.any(|word| self.targets.contains(word))
    }

    /// Whether an item, given by its byte range, has a syntax error.
    pub fn is_broken(&self, item: Range<usize>) -> bool {
        self.item(item).is_some()
    }

    /// The broken statements of an item, in order; `None` if others may be broken too: braces do not match, or there are too many errors.
    pub fn statements(&self, item: Range<usize>) -> Option<&[BrokenStatement]> {
        match self.item(item) {
            Some(item) if item.unscoped < item.range.end || item.whole.len() > MAX_STATEMENTS => None,
            Some(item) => Some(&item.whole),
            None => Some(&[]),
        }
    }

    /// Whether an offset is inside a broken statement.
    pub fn is_in_statement(&self, at: usize) -> bool {
        self.item(at..at + 1).is_some_and(|item| item.overlaps_statement(&(at..at + 1)))
    }

    /// Whether a range overlaps a broken statement.
    pub fn overlaps_statement(&self, range: Range<usize>) -> bool {
        self.item(range.clone()).is_some_and(|item| item.overlaps_statement(&range))
    }

    fn item(&self, range: Range<usize>) -> Option<&BrokenItem> {
        let at = self.items.partition_point(|item| item.range.end <= range.start);
        self.items.get(at).filter(|item| item.range.start < range.end)
    }
}

/// Whether an item may be a statement of the function before it, which ends too early.
fn may_be_of_body(file: &LintFile, item: &Item) -> bool {
    let is_at_start = |word: &&str| file.text().bytes_at(item.range().start).take(word.len()).eq(word.bytes());
    BODY_DIRECTIVES.iter().any(is_at_start)
}

/// Whether a set of words has a name, or the register range that it is a member of.
fn holds(words: &HashSet<String>, name: &str) -> bool {
    words.contains(name) || words.contains(range_index(name).0)
}

impl BrokenItem {
    /// An item without broken statements.
    fn new(range: Range<usize>) -> Self {
        BrokenItem {
            unscoped: range.end,
            nameless: range.end,
            range,
            statements: Vec::new(),
            whole: Vec::new(),
            whole_ranges: Vec::new(),
            words: HashSet::new(),
            targets: HashSet::new(),
            ranges: HashSet::new(),
            labels: BTreeSet::new(),
        }
    }

    fn of(file: &LintFile, node: Node) -> Self {
        let mut item = BrokenItem::new(node.byte_range());
        if node.kind_id() == KINDS.misplaced_code {
            item.unscoped = item.range.start;
        }
        let (mut nodes, mut last) = (0, None);
        error_nodes(node, |broken, around| {
            nodes += 1;
            let is_examined = nodes <= EXAMINED_ERRORS;
            let longest = if is_examined { STATEMENT } else { SHORT_STATEMENT };
            let statement = statement(file.text(), broken.byte_range(), longest);
            if !is_examined {
                // Which names so many broken statements declare is not looked for.
                item.nameless = item.range.start;
            } else if last.as_ref() != Some(&statement) {
                item.record_names(file, statement.clone());
                last = Some(statement.clone());
            }
            if broken.is_missing() && matches!(broken.kind(), "{" | "}") {
                // Which brace is unmatched is not known.
                item.unscoped = item.range.start;
            } else if loses_braces(broken) {
                item.unscoped = item.unscoped.min(statement.start.max(item.range.start));
            }
            let instruction = instruction(around);
            item.record(instruction.clone(), &statement);
            // After `@;`, the next statement was read as the rest of the instruction.
            let end = instruction.map_or(0, |instruction| instruction.end).max(statement.end);
            item.add_statement(statement.start..end);
        });
        item.whole = std::mem::take(&mut item.whole_ranges)
            .into_iter()
            .map(|range| BrokenStatement { text: read(file, range.clone()), range })
            .collect();
        item
    }

    /// Records the names that a broken statement may declare.
    fn record_names(&mut self, file: &LintFile, statement: Range<usize>) {
        let start = statement.start;
        let mut text = read(file, statement);
        if self.labels.len() <= MAX_LABELS {
            self.labels.extend(labels(&format!("{}{text}", read(file, line_before(file, start)))));
        }
        if text.trim_start().starts_with(['<', '[', ',', '>', ']', '=']) {
            // No statement begins with these: the `;` before it may be a mistake.
            text.insert_str(0, &read(file, statement_before(file, start)));
        }
        self.words.extend(words(&text).map(str::to_owned));
        let declares = [".func", ".entry", ".param ."].iter().any(|word| text.contains(word));
        if declares || text.replace("::", "").contains(':') {
            // `name%r1` is read as a name and a register.
            let names = words(&text).flat_map(|word| [word, word.split('%').next().unwrap_or_default()]);
            self.targets.extend(names.map(str::to_owned));
        }
        // `%r9>` is what remains of `%r<9>`, and `pad32]` of `pad[32]`.
        let loses_bracket = text.matches(']').count() > text.matches('[').count();
        if loses_bracket || text.contains(['<', '>']) {
            self.ranges.extend(words(&text).map(|word| range_index(word).0.to_owned()));
        }
        if loses_name(&text) {
            self.nameless = self.nameless.min(start.max(self.range.start));
        }
    }

    /// Whether it may declare a name that is used at an offset in it.
    fn may_declare(&self, name: &str, at: usize) -> bool {
        // So many labels are no labels.
        let is_label = || {
            self.labels.len() > MAX_LABELS
                || self
                    .labels
                    .iter()
                    .any(|(first, last)| name == last || name.starts_with(first) && name.ends_with(last))
        };
        at >= self.nameless || holds(&self.words, name) || self.ranges.contains(range_index(name).0) || is_label()
    }

    /// Records a broken statement, extended to the instruction with its error.
    fn record(&mut self, instruction: Option<Range<usize>>, statement: &Range<usize>) {
        let instruction = instruction.unwrap_or(statement.clone());
        let start = instruction.start.min(statement.start).max(self.range.start);
        let mut range = start..instruction.end.max(statement.end).min(self.range.end).max(start);
        while let Some(last) = self.whole_ranges.pop_if(|last| range.start < last.end) {
            range = last.start.min(range.start)..last.end.max(range.end);
        }
        self.whole_ranges.push(range);
    }

    /// Adds a broken statement.
    fn add_statement(&mut self, mut range: Range<usize>) {
        while let Some(last) = self.statements.pop_if(|last| range.start <= last.end) {
            range = last.start.min(range.start)..last.end.max(range.end);
        }
        self.statements.push(range);
    }

    /// Whether a range overlaps a broken statement.
    fn overlaps_statement(&self, range: &Range<usize>) -> bool {
        let at = self.statements.partition_point(|statement| statement.end <= range.start);
        self.statements.get(at).is_some_and(|statement| statement.start < range.end)
    }
}

/// The innermost instruction of the nodes around one.
fn instruction(around: &[Node]) -> Option<Range<usize>> {
    around.iter().rfind(|node| node.kind_id() == KINDS.instruction).map(|node| node.byte_range())
}

/// The statement around a range: from after the last `;` or brace before it to the next.
fn statement(rope: &Rope, range: Range<usize>, longest: usize) -> Range<usize> {
    let ends = |c: &char| matches!(c, ';' | '{' | '}');
    let start = rope.byte_to_char(range.start);
    let before = rope.chars_at(start).reversed().take(longest).take_while(|c| !ends(c)).count();
    let end = rope.byte_to_char(range.end);
    let closed = end > start && ends(&rope.char(end - 1));
    let after = if closed { 0 } else { rope.chars_at(end).take(longest).take_while(|c| !ends(c)).count() };
    rope.char_to_byte(start - before)..rope.char_to_byte(end + after)
}

/// The statement before the one that begins at an offset.
fn statement_before(file: &LintFile, start: usize) -> Range<usize> {
    let rope = file.text();
    let end = rope.byte_to_char(start).saturating_sub(1);
    let length = rope.chars_at(end).reversed().take(STATEMENT).take_while(|c| !matches!(c, ';' | '{' | '}')).count();
    rope.char_to_byte(end - length)..rope.char_to_byte(end)
}

/// The part of a line before an offset in it.
fn line_before(file: &LintFile, at: usize) -> Range<usize> {
    let rope = file.text();
    let end = rope.byte_to_char(at);
    let length = rope.chars_at(end).reversed().take(STATEMENT).take_while(|c| *c != '\n').count();
    rope.char_to_byte(end - length)..at
}

/// The text of a range, with spaces for comments.
fn read(file: &LintFile, range: Range<usize>) -> String {
    trivia::blank_out(&RopeReader::new(file.text()).read(range).text).into_owned()
}

/// The names in a text without comments.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|c| !is_name_char(c));
    words.filter(|word| !word.is_empty() && !word.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether an error node contains unmatched braces.
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

#[cfg(test)]
mod tests;
