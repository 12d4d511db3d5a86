//! The directives at the head of a module.

use crate::lexer::{WORD, is};
use crate::node_kinds::{FIELDS, KINDS};
use crate::reader::{RopeReader, Token};
use crate::source::LintFile;
use std::ops::Range;
use tree_sitter::Node;

/// The directives at the head of a module, as written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header<'a> {
    /// The number of `.version`, such as `8.1`.
    pub version: Option<Token<'a>>,
    /// The words of `.target`, such as `sm_90` and `debug`.
    pub targets: Vec<Token<'a>>,
    /// The number of `.address_size`.
    pub address_size: Option<Token<'a>>,
    /// The first word after these directives, or the empty range at the end of the text: the position of a missing one.
    pub body_at: Range<usize>,
}

impl LintFile {
    /// The module's directives; of several, the first counts.
    pub fn header(&self) -> Header<'_> {
        let mut header = Header::default();
        let mut reader = RopeReader::new(self.text());
        let mut cursor = self.tree().walk();
        let mut more = cursor.goto_first_child();
        while more && self.read_header(cursor.node(), &mut reader, &mut header) {
            more = cursor.goto_next_sibling();
        }
        let scanned = self.scanned_items().first().map(|item| item.start as usize);
        if let Some(start) =
            scanned.filter(|start| header.version.is_some() && !(more && cursor.node().start_byte() < *start))
        {
            header.body_at = self.dotted_word(start);
        } else if header.body_at.is_empty() {
            header.body_at =
                if more { first_word(cursor.node()) } else { self.text().len_bytes()..self.text().len_bytes() };
        }
        header
    }

    /// The range of a word with a dot.
    fn dotted_word(&self, start: usize) -> Range<usize> {
        let letters = self.text().bytes_at(start + 1).take_while(|byte| is(*byte, WORD)).count();
        start..start + 1 + letters
    }

    /// Reads a directive of the head; `false` if it is something else.
    fn read_header<'a>(&'a self, node: Node<'a>, reader: &mut RopeReader<'a>, header: &mut Header<'a>) -> bool {
        let mut field =
            |id: std::num::NonZeroU16| node.child_by_field_id(id.get()).map(|n| reader.read(n.byte_range()));
        let kind = node.kind_id();
        if kind == KINDS.version_directive {
            header.version = header.version.take().or_else(|| field(FIELDS.number));
            return true;
        }
        if header.version.is_none() && header.body_at.is_empty() && !node.is_extra() {
            // `.version` is missing before the first other node; the other directives are read nevertheless.
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
