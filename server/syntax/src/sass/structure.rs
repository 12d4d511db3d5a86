//! The structure of a listing, for outlines, folding and highlighting.

use crate::reader::Token;
use crate::sass::Listing;
use std::ops::Range;
use tree_sitter::Node;

/// The kind of a part of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PartKind {
    /// A section of the image.
    Section,
    /// The code of a function after cuobjdump's heading.
    Function,
    /// A label.
    Label,
}

/// A named part of a listing.
#[derive(Clone, Debug, PartialEq)]
pub struct ListingPart<'a> {
    /// Its kind.
    pub kind: PartKind,
    /// Its name, of a label without the colon.
    pub name: Token<'a>,
    /// Its whole range; for a label only the label.
    pub range: Range<usize>,
    /// The end of its first line.
    pub head: usize,
}

/// The class of a word of a listing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LeafKind {
    /// A mnemonic with its modifiers.
    Opcode,
    /// `@P0`
    Guard,
    /// A register, predicate or special value.
    Register,
    /// A number.
    Number,
    /// A label, or a reference to one.
    Label,
    /// A directive, or a heading.
    Directive,
    /// The name of a section, function or symbol.
    Name,
    /// A string.
    String,
    /// A comment, an address, an encoding.
    Comment,
    /// Barriers and scheduling.
    Control,
}

/// A word of a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// Its kind.
    pub kind: LeafKind,
    /// Its byte range.
    pub range: Range<usize>,
}

impl Listing {
    /// Sections, functions and labels, in order.
    pub fn parts(&self) -> Vec<ListingPart<'_>> {
        let mut parts = Vec::new();
        self.descend(0..self.rope.len_bytes(), |node| {
            let kind = match node.kind() {
                "section" => PartKind::Section,
                "function" => PartKind::Function,
                "label" => PartKind::Label,
                "instruction" => return false,
                _ => return true,
            };
            let range = node.byte_range();
            // A missing node has no text.
            if range.is_empty() {
                return false;
            }
            let name = match kind {
                PartKind::Label => Some(range.start..range.end - 1),
                _ => node.child_by_field_name("name").map(|name| name.byte_range()),
            };
            if let Some(name) = name {
                let line = self.rope.byte_to_line(name.end);
                let head = self.rope.line_to_byte(line) + self.rope.line(line).len_bytes();
                let back = self.rope.line(line).chars_at(self.rope.line(line).len_chars()).reversed();
                let ends = back.take_while(|c| matches!(c, '\n' | '\r')).count();
                parts.push(ListingPart { kind, name: self.reader().read(name), range, head: head - ends });
            }
            kind != PartKind::Label
        });
        parts
    }

    /// The words that touch a byte range, in order.
    pub fn leaves(&self, within: Range<usize>) -> Vec<Leaf> {
        let mut leaves = Vec::new();
        self.descend(within, |node| {
            let kind = match node.kind() {
                "opcode" => LeafKind::Opcode,
                "guard" => LeafKind::Guard,
                "register" => LeafKind::Register,
                "integer" | "float" => LeafKind::Number,
                "label" | "label_reference" | "relocation" => LeafKind::Label,
                "directive_name" | "property" | "tag" => LeafKind::Directive,
                "name" => LeafKind::Name,
                "string" => LeafKind::String,
                "comment" | "offset" | "encoding" | "annotation" => LeafKind::Comment,
                "control" | "control_code" => LeafKind::Control,
                _ => return true,
            };
            leaves.push(Leaf { kind, range: node.byte_range() });
            false
        });
        leaves
    }

    /// Visits the nodes that touch a byte range from the root on; `see` returns whether to visit the children.
    fn descend<'a>(&'a self, within: Range<usize>, mut see: impl FnMut(Node<'a>) -> bool) {
        let mut cursor = self.root().walk();
        loop {
            let node = cursor.node();
            let touches = node.start_byte() <= within.end && within.start <= node.end_byte();
            if touches && see(node) && cursor.goto_first_child() {
                continue;
            }
            if node.start_byte() > within.end {
                return;
            }
            while !cursor.goto_next_sibling() {
                if !cursor.goto_parent() {
                    return;
                }
            }
        }
    }

    /// The byte ranges of all nodes around an offset, innermost first, each larger than the last; the last is the whole text.
    pub fn around(&self, offset: usize) -> Vec<Range<usize>> {
        let offset = self.clamp(offset);
        let mut found: Vec<_> = std::iter::once(offset..offset).collect();
        let mut node = self.root().descendant_for_byte_range(offset, offset);
        while let Some(here) = node {
            // An offset in white space may be outside the first node.
            let range = here.byte_range();
            let larger = |last: &Range<usize>| range.start <= last.start && last.end <= range.end && *last != range;
            if found.last().is_some_and(larger) {
                found.push(range);
            }
            node = here.parent();
        }
        let whole = 0..self.rope.len_bytes();
        if found.last() != Some(&whole) {
            found.push(whole);
        }
        found
    }
}
