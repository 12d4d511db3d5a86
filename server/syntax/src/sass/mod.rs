//! SASS listings: text, tree and typed views.
//!
//! Which instructions exist is not known here.

mod error;
mod instruction;
mod structure;

pub use crate::sass::error::syntax_errors;
pub use crate::sass::instruction::{
    AddressTerm, SassAddress, SassInstruction, SassOperand, SassOperandKind, SassRegister, TermKind,
};
pub use crate::sass::structure::{Leaf, LeafKind, ListingPart, PartKind};

use crate::comments::{Comment, comments_at};
use crate::reader::RopeReader;
use crate::source::{Position, parse_as, splice};
use ropey::Rope;
use std::borrow::Cow;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// A text with an error of at most this length, in bytes, is parsed afresh after an edit.
const AFRESH: usize = 64 << 10;

/// Directives that name a target.
const TARGETED: [&str; 2] = [".headerflags", ".target"];

/// A listing with its tree. Cloning is cheap: text and tree are shared.
#[derive(Clone, Debug)]
pub struct Listing {
    rope: Rope,
    tree: Tree,
}

impl Listing {
    /// Parses a text.
    pub fn parse(text: &str) -> Self {
        let rope = Rope::from_str(text);
        let tree = parse(&rope, None);
        Listing { rope, tree }
    }

    /// The text.
    pub fn text(&self) -> &Rope {
        &self.rope
    }

    /// The line and column of a byte offset.
    pub fn position(&self, byte: usize) -> Position {
        Position::of(&self.rope, byte)
    }

    /// The nearest character boundary at or before a byte offset.
    pub fn clamp(&self, byte: usize) -> usize {
        self.rope.char_to_byte(self.rope.byte_to_char(byte.min(self.rope.len_bytes())))
    }

    /// Applies edits in order, each range in the text after the previous edits, and updates the tree once.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        for (range, new) in edits {
            splice(&mut self.rope, &mut self.tree, range, new);
        }
        self.tree = parse(&self.rope, Some(&self.tree));
        // Broken text has several possible trees, and reused nodes affect the choice. In short texts they shall not.
        if self.rope.len_bytes() <= AFRESH && self.root().has_error() {
            self.tree = parse(&self.rope, None);
        }
    }

    /// Visits the instructions of the listing and the targets that they are compiled for.
    pub fn walk<'a>(&'a self, mut see: impl FnMut(ListingEvent<'a>)) {
        let mut cursor = self.root().walk();
        loop {
            let node = cursor.node();
            let inside = match node.kind() {
                "instruction" => {
                    see(ListingEvent::Instruction(SassInstruction::new(self, node)));
                    false
                }
                "image" => {
                    self.target_in(node.child_by_field_name("target"), &mut see);
                    true
                }
                "property" => {
                    self.target_in(Some(node), &mut see);
                    false
                }
                "directive" => {
                    // A data section has thousands of directives; only two of them name a target.
                    let name = node.child_by_field_name("name").map(|name| name.byte_range()).unwrap_or_default();
                    if TARGETED
                        .iter()
                        .any(|word| word.len() == name.len() && self.rope.byte_slice(name.clone()) == *word)
                    {
                        self.target_in(Some(node), &mut see);
                    }
                    false
                }
                _ => true,
            };
            if inside && cursor.goto_first_child() {
                continue;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// Reports the number of a target such as `sm_90a` or `EF_CUDA_SM90`, if a line names one.
    fn target_in<'a>(&self, node: Option<Node>, see: &mut impl FnMut(ListingEvent<'a>)) {
        let Some(node) = node else { return };
        let range = node.byte_range();
        // The line that names a target is short; the data of a section is long.
        let text = self.rope.byte_slice(range.start..self.clamp(range.end.min(range.start + 512))).to_string();
        let number = ["sm_", "EF_CUDA_SM"].iter().find_map(|mark| {
            let digits: String = text.split_once(mark)?.1.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        });
        if let Some(number) = number {
            see(ListingEvent::Target(number));
        }
    }

    /// The comments that contain a word, in text order.
    pub fn comments(&self, word: &str) -> Vec<Comment> {
        let mut cursor = self.root().walk();
        let first = self.root().named_children(&mut cursor).find(|node| node.kind() != "comment");
        let first = first.map_or(usize::MAX, |node| node.start_byte());
        let (mut places, mut start) = (Vec::new(), 0);
        for line in self.rope.lines() {
            let text = line.as_str().map_or_else(|| Cow::Owned(line.to_string()), Cow::Borrowed);
            places.extend(text.match_indices(word).map(|(at, _)| start + at));
            start += line.len_bytes();
        }
        let found = comments_at(self.root(), |node| node.kind() == "comment", places.into_iter()).into_iter();
        found.map(|range| Comment { leads: range.end <= first, function: None, range }).collect()
    }

    /// The instruction that covers or ends at a byte offset.
    pub fn instruction_at(&self, offset: usize) -> Option<SassInstruction<'_>> {
        let offset = self.clamp(offset);
        let around = |from: usize, to: usize| {
            let mut node = self.root().descendant_for_byte_range(from, to)?;
            while node.kind() != "instruction" {
                node = node.parent()?;
            }
            Some(SassInstruction::new(self, node))
        };
        around(offset, offset).or_else(|| around(offset.checked_sub(1)?, offset))
    }

    pub(crate) fn root(&self) -> Node<'_> {
        self.tree.root_node()
    }

    pub(crate) fn reader(&self) -> RopeReader<'_> {
        RopeReader::new(&self.rope)
    }
}

/// An event of [`Listing::walk`].
#[derive(Debug)]
pub enum ListingEvent<'a> {
    /// An instruction.
    Instruction(SassInstruction<'a>),
    /// The target of the following code: 90 for sm_90a.
    Target(u32),
}

fn parse(rope: &Rope, old: Option<&Tree>) -> Tree {
    parse_as(&grammar::sass::LANGUAGE.into(), rope, old)
}

#[cfg(test)]
mod tests;
