//! Where the text may mention a name: a search of the text narrows down a search of the tree, which takes a hundred times as long.

use crate::declaration::range_index;
use crate::lexer::is_name_char;
use crate::node_kinds::KINDS;
use crate::source::{LintFile, SourceFile};
use std::ops::Range;
use tree_sitter::TreeCursor;

/// The most places. Beyond, to visit the whole tree is as fast.
const MOST: usize = 1000;

/// What stands in every declaration but that of a label.
const DECLARING: [&str; 8] = [".reg", ".param", ".local", ".shared", ".global", ".const", ".tex", ".func"];

/// The most mentions of a name that are looked at.
const MOST_MENTIONS: usize = 1 << 20;

/// The offsets at which a name, or a range of registers that has it as a member, may be declared or mentioned.
#[derive(Debug)]
pub(crate) struct NamePlaces(Vec<usize>);

impl NamePlaces {
    /// The places where some names may be declared in a byte range; `None` if there are too many.
    pub(crate) fn of_declarations(file: &LintFile, within: Range<usize>, names: &[&str]) -> Option<Self> {
        // Most mentions of a parameter or a variable are addresses, and most of `%tid` have a selector: these declare nothing.
        let mut may_declare = |place: &usize| {
            let is_address = *place > 0 && file.text().byte(*place - 1) == b'[';
            !is_address && names.iter().any(|name| ends_after(file, *place, name))
        };
        NamePlaces::find(file, within, names, &mut may_declare)
    }

    /// The places of the directives that declare registers, variables and functions in a byte range; `None` if there are too many.
    pub(crate) fn of_directives(file: &LintFile, within: Range<usize>) -> Option<Self> {
        // After a letter, the word is a part of an opcode.
        let mut begins = |place: &usize| {
            place.checked_sub(1).is_none_or(|before| !is_name_char(char::from(file.text().byte(before))))
        };
        NamePlaces::find(file, within, &DECLARING, &mut begins)
    }

    /// The places of some names in a byte range; `None` if there are too many.
    pub(crate) fn of(file: &LintFile, within: Range<usize>, names: &[&str]) -> Option<Self> {
        NamePlaces::find(file, within, names, &mut |_| true)
    }

    fn find(
        file: &LintFile,
        within: Range<usize>,
        names: &[&str],
        fits: &mut dyn FnMut(&usize) -> bool,
    ) -> Option<Self> {
        let mut found = Vec::new();
        for name in names.iter().filter(|name| !name.is_empty()) {
            found.extend(file.find_all(within.clone(), name, MOST_MENTIONS).into_iter().filter(&mut *fits));
            if found.len() >= MOST {
                return None;
            }
        }
        let bases: Vec<&str> =
            names.iter().filter_map(|name| range_index(name).1.map(|_| range_index(name).0)).collect();
        if !bases.is_empty() {
            // A range: `%r<5>`, in rare texts with whitespace or a comment before the bracket.
            let brackets = file.find_all(within.clone(), "<", MOST);
            if brackets.len() >= MOST {
                return None;
            }
            let declares = |bracket: &usize| {
                let longest = bases.iter().map(|base| base.len()).max().unwrap_or(0) + MAX_WHITESPACE;
                let start = file.clamp(bracket.saturating_sub(longest));
                let before: Vec<u8> = file.text().byte_slice(start..*bracket).bytes().collect();
                let whitespace = before.iter().rev().take_while(|byte| byte.is_ascii_whitespace()).count();
                let before = &before[..before.len() - whitespace];
                // After much whitespace or a comment, the name may be further left.
                whitespace >= MAX_WHITESPACE
                    || before.ends_with(b"/")
                    || bases.iter().any(|base| before.ends_with(base.as_bytes()))
            };
            found.extend(brackets.into_iter().filter(declares));
        }
        found.sort_unstable();
        found.dedup();
        Some(NamePlaces(found))
    }

    /// The first place at or after an offset.
    pub(crate) fn first_from(&self, offset: usize) -> Option<usize> {
        self.0.get(self.0.partition_point(|place| *place < offset)).copied()
    }

    /// Moves to the first child of a node with a place.
    pub(crate) fn descend(&self, cursor: &mut TreeCursor) -> bool {
        match self.first_from(cursor.node().start_byte()).filter(|place| *place < cursor.node().end_byte()) {
            None => false,
            // All labels at the start of a block are visited: the extent of one depends on the next.
            Some(_) if cursor.node().kind_id() == KINDS.basic_block => cursor.goto_first_child(),
            Some(place) => cursor.goto_first_child_for_byte(place).is_some(),
        }
    }

    /// Moves to the next sibling with a place, in a parent that ends at `end`.
    pub(crate) fn next_sibling(&self, cursor: &mut TreeCursor, end: usize) -> bool {
        if cursor.node().kind_id() == KINDS.label {
            return cursor.goto_next_sibling();
        }
        let Some(place) = self.first_from(cursor.node().end_byte()).filter(|place| *place < end) else { return false };
        // Most often it is near.
        if !cursor.goto_next_sibling() {
            return false;
        }
        if cursor.node().end_byte() > place {
            return true;
        }
        cursor.goto_parent();
        let is_found = cursor.goto_first_child_for_byte(place).is_some();
        if !is_found {
            cursor.goto_last_child();
        }
        is_found
    }
}

/// Whether a name that a place begins with is the whole word there, without a selector as in `%tid.x`.
fn ends_after(file: &LintFile, place: usize, name: &str) -> bool {
    let mut after = file.text().bytes_at(place);
    if !name.bytes().all(|expected| after.next() == Some(expected)) {
        return false;
    }
    let is_name = |byte: Option<u8>| byte.is_some_and(|byte| is_name_char(char::from(byte)));
    let next = [after.next(), after.next(), after.next()];
    let has_selector = next[0] == Some(b'.')
        && matches!(next[1], Some(b'x' | b'y' | b'z' | b'w' | b'r' | b'g' | b'b' | b'a'))
        && !is_name(next[2]);
    !is_name(next[0]) && !has_selector
}

/// The most bytes of whitespace before a bracket that are skipped.
const MAX_WHITESPACE: usize = 16;

/// The range of the items that touch a byte range; `None` if the text has a syntax error.
pub(crate) fn intact_items(file: &SourceFile, within: Range<usize>) -> Option<Range<usize>> {
    let range = file.outline().around(&within).unwrap_or(within.start..within.start);
    (!file.root().has_error()).then_some(range)
}

/// The ranges of the statements that may mention some names in a byte range, in order; `None` if there are too many, or if the text has a syntax
/// error. Anything outside of a block of statements is one, too.
pub fn statements_with(file: &SourceFile, within: Range<usize>, names: &[&str]) -> Option<Vec<Range<usize>>> {
    let places = if file.root().has_error() { None } else { NamePlaces::of(file, within.clone(), names) }?;
    let (mut found, mut next) = (Vec::new(), within.start);
    while let Some(place) = places.first_from(next) {
        let mut cursor = file.root().walk();
        while cursor.goto_first_child_for_byte(place).is_some()
            && [KINDS.function, KINDS.block, KINDS.basic_block].contains(&cursor.node().kind_id())
        {}
        let statement = cursor.node().byte_range();
        next = statement.end.max(place + 1);
        found.push(statement);
    }
    Some(found)
}
