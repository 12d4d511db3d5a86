//! SASS listings: text, tree and typed views.
//!
//! Knows the shape of disassembly.

mod error;
mod instruction;
mod structure;

pub use error::syntax_errors;
pub use instruction::{
    AddressTerm, SassAddress, SassInstruction, SassOperand, SassOperandKind, SassRegister, TermKind,
};
pub use structure::{Leaf, LeafKind, ListingPart, PartKind};

use crate::comments::{Comment, comments_at};
use crate::reader::RopeReader;
use crate::source::{Position, parse_as, splice};
use ropey::Rope;
use std::borrow::Cow;
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// Up to this length, in bytes, a text with an error is parsed afresh after an edit.
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

    /// The nearest byte offset at or before this one that lies in the text, and not inside a character.
    pub fn clamp(&self, byte: usize) -> usize {
        self.rope.char_to_byte(self.rope.byte_to_char(byte.min(self.rope.len_bytes())))
    }

    /// Applies edits one after the other, each range in the text that the former ones left, and brings the tree up to date once.
    pub fn edit_all<'a>(&mut self, edits: impl IntoIterator<Item = (Range<usize>, &'a str)>) {
        for (range, new) in edits {
            splice(&mut self.rope, &mut self.tree, range, new);
        }
        self.tree = parse(&self.rope, Some(&self.tree));
        // What is reused tips the scales between the readings of broken text; where it costs little, it shall not.
        if self.rope.len_bytes() <= AFRESH && self.root().has_error() {
            self.tree = parse(&self.rope, None);
        }
    }

    /// The parts of the listing that say what follows: instructions, and for which target they are.
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
                    // A section of data has thousands of directives; two words speak of targets.
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

    /// Sees the number of a target such as `sm_90a` or `EF_CUDA_SM90`, if a line names one.
    fn target_in<'a>(&self, node: Option<Node>, see: &mut impl FnMut(ListingEvent<'a>)) {
        let Some(node) = node else { return };
        let range = node.byte_range();
        // The line that names it is short; data of a section is not.
        let text = self.rope.byte_slice(range.start..self.clamp(range.end.min(range.start + 512))).to_string();
        let number = ["sm_", "EF_CUDA_SM"].iter().find_map(|mark| {
            let digits: String = text.split_once(mark)?.1.chars().take_while(char::is_ascii_digit).collect();
            digits.parse().ok()
        });
        if let Some(number) = number {
            see(ListingEvent::Target(number));
        }
    }

    /// The comments that hold a word, in the order of the text.
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

/// What [`Listing::walk`] comes by.
#[derive(Debug)]
pub enum ListingEvent<'a> {
    /// An instruction.
    Instruction(SassInstruction<'a>),
    /// From here on the code is for this target: 90 for sm_90a.
    Target(u32),
}

fn parse(rope: &Rope, old: Option<&Tree>) -> Tree {
    parse_as(&grammar::sass::LANGUAGE.into(), rope, old)
}

#[cfg(test)]
mod tests;
