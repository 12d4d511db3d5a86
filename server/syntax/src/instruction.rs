//! Instructions: the opcode split into its words, guard and operands.

use crate::fast_scanner;
use crate::fast_scanner::ScannedInstruction;
use crate::guard;
use crate::lexer::{is_name_char, is_word_char, trivia};
use crate::node_kinds::{FIELDS, KINDS};
use crate::operand::Operand;
use crate::parts;
use crate::parts::InstructionPart;
use crate::reader::{RopeReader, Token};
use crate::source::{LintFile, SourceFile};
use std::borrow::Cow;
use std::ops::Range;
use tree_sitter::Node;

/// An opcode: a mnemonic and its modifiers in written order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opcode<'a> {
    /// From the mnemonic's first byte to the last modifier's end.
    pub range: Range<usize>,
    /// The first word, such as `atom`.
    pub mnemonic: Token<'a>,
    /// The other words, each without its leading dot, `::` kept; the ranges do not cover the dot.
    pub modifiers: Vec<Token<'a>>,
}

impl<'a> Opcode<'a> {
    /// Splits an opcode's text. White space and comments between its words are skipped.
    pub fn split(token: &Token<'a>) -> Self {
        let mut words = words(&token.text).map(|word| token.part(word));
        let mnemonic = words.next().unwrap_or_else(|| token.part(0..0));
        Opcode { range: token.range.clone(), mnemonic, modifiers: words.collect() }
    }

    /// The modifiers' words.
    pub fn words(&self) -> Vec<&str> {
        self.modifiers.iter().map(|modifier| &*modifier.text).collect()
    }

    /// The byte range of a modifier with its dot, or of the mnemonic for `None`.
    pub fn at(&self, index: Option<usize>) -> Range<usize> {
        match index {
            None => self.mnemonic.range.clone(),
            Some(index) => {
                let word = &self.modifiers[index].range;
                word.start - 1..word.end
            }
        }
    }
}

/// The ranges of the words of an opcode: the text between dots, without white space and comments.
fn words(text: &str) -> impl Iterator<Item = Range<usize>> {
    let plain = trivia::blank_out(text);
    let mut start = Some(0);
    std::iter::from_fn(move || {
        let from = start?;
        let end = memchr::memchr(b'.', &plain.as_bytes()[from..]).map(|length| from + length);
        start = end.map(|end| end + 1);
        let word = &plain[from..end.unwrap_or(plain.len())];
        Some(from..from + word.trim_end().len())
    })
}

/// The incomplete opcode before an offset: `atom.global.` has the words `global` and, at the offset, an empty one.
///
/// `None` where no opcode is allowed: in a comment, among operands, in a directive.
pub fn opcode_before(file: &SourceFile, offset: usize) -> Option<Opcode<'_>> {
    let rope = file.text();
    let offset = file.clamp(offset);
    let end = rope.byte_to_char(offset);
    let mut start = end;
    let mut chars = rope.chars_at(end);
    while let Some(c) = chars.prev() {
        if !(is_name_char(c) || matches!(c, '.' | ':')) {
            break;
        }
        start -= 1;
    }
    let from = rope.char_to_byte(start);
    let text = rope.byte_slice(from..offset).to_string();
    // A label may be adjacent to the opcode: `L:atom.add`. The separator `::` is part of a modifier.
    // Labels have no dots: the colon of `st.shared:` is the first half of one.
    let ends_label = |at: usize| {
        let label = text[..at].rsplit(':').next().unwrap_or_default();
        !text[..at].ends_with(':') && !text[at + 1..].starts_with(':') && !label.contains('.')
    };
    let skip = text.rmatch_indices(':').find(|(at, _)| ends_label(*at));
    let skip = skip.map_or(0, |(at, _)| at + 1);
    let begin = from + skip;
    if text[skip..].starts_with(|c: char| !c.is_ascii_alphabetic()) || !starts_statement(file, begin) {
        return None;
    }
    let token = RopeReader::new(rope).read(begin..offset);
    Some(Opcode::split(&token))
}

/// Whether the word at an offset is the first of a statement, not counting a guard and labels.
fn starts_statement(file: &SourceFile, offset: usize) -> bool {
    if file.comment_at(offset) {
        return false;
    }
    let rope = file.text();
    let mut chars = rope.chars_at(rope.byte_to_char(offset));
    let before: String = std::iter::from_fn(|| chars.prev()).take_while(|c| !";{}\n".contains(*c)).take(512).collect();
    let before: String = before.chars().rev().collect();
    let before = before.rsplit(':').next().unwrap_or_default().trim();
    before.is_empty() || guard::read(before).is_some_and(|guard| guard.end == before.len())
}

/// An instruction with its guard, opcode and operands.
#[derive(Clone, Copy, Debug)]
pub struct Instruction<'a> {
    file: &'a LintFile,
    at: InstructionNode<'a>,
}

/// An instruction that is not in a tree, in a few bytes.
#[derive(Clone, Copy, Debug)]
pub struct InstructionOffsets(ScannedInstruction);

impl InstructionOffsets {
    /// The instruction of the file that it is from; `reader` reads the text of that.
    pub fn read<'a>(&self, file: &'a LintFile, reader: &mut RopeReader<'a>) -> Instruction<'a> {
        Instruction::scanned(file, self.0, reader)
    }

    /// Its range.
    pub fn range(&self) -> Range<usize> {
        self.0.start as usize..self.0.end as usize
    }
}

/// The source of its parts.
#[derive(Clone, Copy, Debug)]
enum InstructionNode<'a> {
    Tree {
        node: Node<'a>,
        opcode: Node<'a>,
    },
    /// With its text, if that is contiguous in the rope.
    Text(ScannedInstruction, Option<&'a str>),
}

/// Whether an opcode is that of a call.
pub(crate) fn is_call(opcode: &str) -> bool {
    opcode.strip_prefix("call").is_some_and(|rest| !rest.starts_with(is_word_char))
}

impl<'a> Instruction<'a> {
    /// The instruction at a node; `None` where its opcode is missing.
    pub(crate) fn new(file: &'a LintFile, node: Node<'a>) -> Option<Self> {
        let opcode = node.child_by_field_id(FIELDS.opcode.get())?;
        Some(Instruction { file, at: InstructionNode::Tree { node, opcode } })
    }

    /// A scanned instruction.
    pub(crate) fn scanned(file: &'a LintFile, scanned: ScannedInstruction, reader: &mut RopeReader<'a>) -> Self {
        let text = match reader.read(scanned.start as usize..scanned.end as usize).text {
            Cow::Borrowed(text) => Some(text),
            Cow::Owned(_) => None,
        };
        Instruction { file, at: InstructionNode::Text(scanned, text) }
    }

    /// The offsets of a scanned instruction, from which it can be read again; `None` if it is in a tree.
    pub fn offsets(&self) -> Option<InstructionOffsets> {
        match self.at {
            InstructionNode::Tree { .. } => None,
            InstructionNode::Text(scanned, _) => Some(InstructionOffsets(scanned)),
        }
    }

    /// From the guard's or opcode's first byte to the `;`.
    pub fn range(&self) -> Range<usize> {
        match self.at {
            InstructionNode::Tree { node, .. } => node.byte_range(),
            InstructionNode::Text(scanned, _) => scanned.start as usize..scanned.end as usize,
        }
    }

    /// Its text, from the guard or opcode to the `;`.
    pub fn token(&self) -> Token<'a> {
        self.read(self.range())
    }

    /// The opcode's whole text.
    pub fn opcode_token(&self) -> Token<'a> {
        self.read(self.opcode_range())
    }

    /// The byte range of the opcode.
    pub fn opcode_range(&self) -> Range<usize> {
        match self.at {
            InstructionNode::Tree { opcode, .. } => opcode.byte_range(),
            InstructionNode::Text(scanned, _) => scanned.opcode as usize..scanned.opcode_end as usize,
        }
    }

    /// A part of it.
    fn read(&self, range: Range<usize>) -> Token<'a> {
        match self.at {
            InstructionNode::Text(scanned, Some(text)) => {
                let start = scanned.start as usize;
                Token { text: Cow::Borrowed(&text[range.start - start..range.end - start]), range }
            }
            _ => RopeReader::new(self.file.text()).read(range),
        }
    }

    /// The opcode, split.
    pub fn opcode(&self) -> Opcode<'a> {
        Opcode::split(&self.opcode_token())
    }

    /// The guard's predicate, without `@` and `!`.
    pub fn guard(&self) -> Option<Token<'a>> {
        let guard = self.guard_token()?;
        let predicate = guard::read(&guard.text)?.predicate;
        Some(guard.part(predicate))
    }

    /// Whether it has a guard that is negated: `@!p`.
    pub fn is_negated(&self) -> bool {
        self.guard_token().and_then(|guard| guard::read(&guard.text)).is_some_and(|guard| guard.negated)
    }

    /// The guard with its `@`, possibly followed by other text.
    fn guard_token(&self) -> Option<Token<'a>> {
        let range = match self.at {
            InstructionNode::Tree { node, .. } => node.child_by_field_id(FIELDS.guard.get())?.byte_range(),
            InstructionNode::Text(scanned, _) if scanned.start == scanned.opcode => return None,
            InstructionNode::Text(scanned, _) => scanned.start as usize..scanned.opcode as usize,
        };
        Some(self.read(range))
    }

    /// The operands, in written order.
    pub fn operands(&self) -> Vec<Operand<'a>> {
        match self.at {
            InstructionNode::Tree { node, .. } => {
                let (mut reader, mut cursor) = (RopeReader::new(self.file.text()), node.walk());
                let nodes = node.children_by_field_id(FIELDS.operand, &mut cursor);
                nodes.map(|node| Operand::new(reader.read(node.byte_range()))).collect()
            }
            InstructionNode::Text(scanned, _) => {
                let token = self.read(scanned.opcode_end as usize..scanned.end as usize);
                let split = if self.is_call() { fast_scanner::call_operands } else { fast_scanner::operands };
                split(&token.text).into_iter().map(|range| Operand::new(token.part(range))).collect()
            }
        }
    }

    /// The text after the opcode, with the `;`.
    pub(crate) fn behind_opcode(&self) -> Token<'a> {
        self.read(self.opcode_range().end..self.range().end)
    }

    /// Calls `visit` with the parts of the guard and of the operands, until it returns `false`. Returns whether it visited all of them: text that is not
    /// plain, with comments for example, has no parts.
    pub fn parts(&self, mut visit: impl FnMut(InstructionPart) -> bool) -> bool {
        let before = self.range().start..self.opcode_range().start;
        parts::visit(&self.read(before).text, &mut visit) && parts::visit(&self.behind_opcode().text, &mut visit)
    }

    /// Whether it is a call, the one mnemonic that the grammar distinguishes.
    fn is_call(&self) -> bool {
        is_call(&self.opcode_token().text)
    }

    /// Whether it has a syntax error.
    pub fn has_error(&self) -> bool {
        match self.at {
            InstructionNode::Tree { node, .. } => node.has_error(),
            InstructionNode::Text(..) => false,
        }
    }
}

impl SourceFile {
    /// Whether an offset is inside a comment.
    pub fn comment_at(&self, offset: usize) -> bool {
        let node = self.root().descendant_for_byte_range(offset, offset);
        node.is_some_and(|node| node.kind_id() == KINDS.comment && node.start_byte() < offset)
    }

    /// The instruction at a byte offset, its end included.
    pub fn instruction_at(&self, offset: usize) -> Option<Instruction<'_>> {
        let mut node = self.root().descendant_for_byte_range(offset, offset)?;
        loop {
            if node.kind_id() == KINDS.instruction {
                return Instruction::new(self, node);
            }
            node = node.parent()?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split(text: &str) -> Vec<String> {
        let opcode = Opcode::split(&Token { text: text.into(), range: 0..text.len() });
        let words = opcode.modifiers.iter().map(|word| word.text.to_string());
        std::iter::once(opcode.mnemonic.text.to_string()).chain(words).collect()
    }

    #[test]
    fn an_opcode_is_split_at_its_dots() {
        assert_eq!(split("atom.global.L2::cache_hint.add.u32"), ["atom", "global", "L2::cache_hint", "add", "u32"]);
        assert_eq!(split("red /* .x */ .add // .y\n .u32"), ["red", "add", "u32"]);
        assert_eq!(split("atom.shared::cta."), ["atom", "shared::cta", ""]);
    }

    #[test]
    fn the_opcode_being_typed_is_found_without_a_tree() {
        for (text, expected) in [
            (".version 8.0 .target sm_90 .entry k() { atom.global.|", Some("atom.global.")),
            (".entry k() {\n  @!p red.sha|", Some("red.sha")),
            (".entry k() {\n L1:red.shared::|", Some("red.shared::")),
            (".entry k() {\n add.u32 a, b.|", None),
            (".entry k() {\n // atom.|", None),
            (".tar|", None),
        ] {
            let offset = text.find('|').unwrap();
            let file = SourceFile::parse(&text.replace('|', ""));
            let found = opcode_before(&file, offset).map(|o| file.text().byte_slice(o.range).to_string());
            assert_eq!(found.as_deref(), expected, "{text}");
        }
    }
}
