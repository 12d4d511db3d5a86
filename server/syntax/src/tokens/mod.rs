//! The text as a stream of tokens and nodes, in the order of the text.
//!
//! The tree keeps an opcode, an address or a vector as one leaf; here they are split. Every feature that needs all words of a text (tokens, references,
//! the formatter) uses this stream.

use crate::lexer::{Dots, Lexer, NumberKind, TokenKind};
use crate::node_kinds::KINDS;
use crate::reader::RopeReader;
use crate::source::SourceFile;
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// The class of a token, as far as its spelling and position determine it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenClass {
    /// The first word of an opcode.
    Mnemonic,
    /// A further word of an opcode, its dot included.
    Modifier,
    /// A word with a dot that begins or qualifies a directive: `.reg`, `.global`, `.entry`; and `function_name` in `.loc`.
    Directive,
    /// A type in a declaration: `.b32`.
    Type,
    /// A name: a register, a symbol, a label, a target.
    Name,
    /// A component of a register, with its dot: `.x`.
    Selector,
    /// An integer with an adjacent sign; also a version number.
    Integer,
    /// A floating-point number.
    Float,
    /// A string with its quotes.
    String,
    /// A comment.
    Comment,
    /// `# 1 "file"`
    LineMarker,
    /// `, ; ( ) { } [ ] < > : | _ @ =`
    Punctuation,
    /// An operator of an expression, and `!`.
    Operator,
    /// Lines of a debug section, as one event.
    Data,
}

/// One token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassifiedToken {
    /// What it is.
    pub kind: TokenClass,
    /// Its byte range.
    pub range: Range<usize>,
}

/// The kind of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeKind {
    /// `.entry` or `.func` with its head and optional body.
    Function,
    /// `( … )` of a function.
    Parameters,
    /// One of them.
    Parameter,
    /// `{ … }` of statements.
    Block,
    /// Labels and what follows them up to the next label.
    BasicBlock,
    /// An instruction.
    Instruction,
    /// The results or arguments of a call.
    Arguments,
    /// `.reg …;`, or a variable.
    Declaration,
    /// A label with its colon.
    Label,
    /// `.version`, `.target`, `.address_size`.
    HeadDirective,
    /// `.file`
    FileDirective,
    /// `.calltargets` or `.branchtargets`.
    Targets,
    /// Any other directive.
    Directive,
    /// A debug section, or a line of one as old compilers print it.
    Section,
    /// What follows a section's name.
    SectionBody,
    /// Text with a syntax error, or the empty range where a word is missing.
    Error,
}

/// An event of the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenEvent {
    /// A node begins.
    Enter(NodeKind, Range<usize>),
    /// The node ends.
    Leave(NodeKind, Range<usize>),
    /// A token.
    Token(ClassifiedToken),
}

/// Streams the tokens and nodes that touch a byte range.
///
/// Tokens outside the range are streamed if they share a leaf of the tree with one inside.
pub fn token_events(file: &SourceFile, within: Range<usize>, mut see: impl FnMut(TokenEvent)) {
    let mut streamer = Streamer { reader: RopeReader::new(file.text()), within, see: &mut see };
    // If nothing could be parsed, the root itself is an error.
    let broken = file.root().is_error().then(|| file.root().byte_range());
    if let Some(range) = &broken {
        (streamer.see)(TokenEvent::Enter(NodeKind::Error, range.clone()));
    }
    streamer.run(file.root().walk());
    if let Some(range) = broken {
        (streamer.see)(TokenEvent::Leave(NodeKind::Error, range));
    }
}

/// Streams the tokens only.
pub fn tokens_in(file: &SourceFile, within: Range<usize>, mut see: impl FnMut(ClassifiedToken)) {
    token_events(file, within, |event| {
        if let TokenEvent::Token(token) = event {
            see(token);
        }
    });
}

struct Streamer<'a, 's> {
    reader: RopeReader<'a>,
    within: Range<usize>,
    see: &'s mut dyn FnMut(TokenEvent),
}

impl<'a> Streamer<'a, '_> {
    /// Iterates instead of recursing, because the nesting of blocks is unlimited.
    fn run(&mut self, mut cursor: TreeCursor<'a>) {
        if !self.descend(&mut cursor) {
            return;
        }
        let mut depth = 1usize;
        loop {
            let node = cursor.node();
            let past = node.start_byte() > self.within.end;
            if !past && node.end_byte() >= self.within.start && self.enter(node) {
                if self.descend(&mut cursor) {
                    depth += 1;
                    continue;
                }
                self.leave(node);
            }
            while past || !cursor.goto_next_sibling() {
                depth -= 1;
                if depth == 0 {
                    return;
                }
                cursor.goto_parent();
                self.leave(cursor.node());
                if cursor.goto_next_sibling() {
                    break;
                }
            }
        }
    }

    /// Moves to the first child that may touch the range.
    fn descend(&self, cursor: &mut TreeCursor<'a>) -> bool {
        let from = self.within.start.saturating_sub(1);
        if cursor.node().start_byte() < from {
            cursor.goto_first_child_for_byte(from).is_some() || cursor.goto_first_child()
        } else {
            cursor.goto_first_child()
        }
    }

    /// Reports what begins at a node; returns whether to visit its children.
    fn enter(&mut self, node: Node<'a>) -> bool {
        if let Some(node_kind) = node_kind(node) {
            (self.see)(TokenEvent::Enter(node_kind, node.byte_range()));
            // A label and a `.loc` are both nodes and leaves.
            match node.kind_id() {
                kind if kind == KINDS.label => self.split(node, TokenClass::Name, TokenClass::Selector),
                kind if kind == KINDS.loc_directive => self.split(node, TokenClass::Directive, TokenClass::Directive),
                _ => return true,
            }
            self.leave(node);
            return false;
        }
        let kind = node.kind_id();
        if node.is_missing() {
            (self.see)(TokenEvent::Enter(NodeKind::Error, node.byte_range()));
            (self.see)(TokenEvent::Leave(NodeKind::Error, node.byte_range()));
        } else if kind == KINDS.opcode {
            self.split(node, TokenClass::Mnemonic, TokenClass::Modifier);
        } else if [
            KINDS.address,
            KINDS.vector,
            KINDS.guard,
            KINDS.element,
            KINDS.predicate_pair,
            KINDS.initialiser_list,
        ]
        .contains(&kind)
        {
            self.split(node, TokenClass::Name, TokenClass::Selector);
        } else if node.child_count() > 0 && !is_word(kind) {
            return true;
        } else if !node.is_named() && matches!(node.kind(), ", function_name" | ", inlined_at" | "generic(") {
            // A word that is one token with its comma or its parenthesis.
            self.split(node, TokenClass::Directive, TokenClass::Directive);
        } else if let Some(kind) = self.leaf(node) {
            self.emit(kind, node.byte_range());
        }
        false
    }

    fn leave(&mut self, node: Node<'a>) {
        if let Some(node_kind) = node_kind(node) {
            (self.see)(TokenEvent::Leave(node_kind, node.byte_range()));
        }
    }

    fn emit(&mut self, kind: TokenClass, range: Range<usize>) {
        if !range.is_empty() {
            (self.see)(TokenEvent::Token(ClassifiedToken { kind, range }));
        }
    }

    fn leaf(&mut self, node: Node<'a>) -> Option<TokenClass> {
        let kind = node.kind_id();
        if node.is_named() {
            return Some(match kind {
                _ if kind == KINDS.name || kind == KINDS.warp_size => TokenClass::Name,
                _ if kind == KINDS.integer || kind == KINDS.version => TokenClass::Integer,
                _ if kind == KINDS.float => TokenClass::Float,
                _ if kind == KINDS.string => TokenClass::String,
                _ if kind == KINDS.comment => TokenClass::Comment,
                _ if kind == KINDS.line_marker => TokenClass::LineMarker,
                _ if kind == KINDS.r#type || kind == KINDS.vector_size => TokenClass::Type,
                _ if kind == KINDS.section_data => TokenClass::Data,
                _ if kind == KINDS.modifier => TokenClass::Modifier,
                _ if kind == KINDS.sink => TokenClass::Punctuation,
                _ if [KINDS.space, KINDS.linkage, KINDS.function_kind, KINDS.section_name, KINDS.unknown_directive]
                    .contains(&kind) =>
                {
                    TokenClass::Directive
                }
                // A bare error leaf holds characters, not a token.
                _ => return None,
            });
        }
        Some(match node.kind().as_bytes().first()? {
            b'.' | b'@' if node.kind().len() > 1 => TokenClass::Directive,
            b'a'..=b'z' | b'A'..=b'Z' => TokenClass::Directive,
            b',' | b';' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b':' | b'@' | b'=' | b'<' | b'>' => {
                TokenClass::Punctuation
            }
            _ => TokenClass::Operator,
        })
    }

    /// Splits a leaf, or a node with the text of one. `first` is the class of its first word,
    /// `dotted` that of its words with a dot.
    fn split(&mut self, node: Node<'a>, first: TokenClass, dotted: TokenClass) {
        let token = self.reader.read(node.byte_range());
        let dots = if dotted == TokenClass::Modifier { Dots::Modifiers } else { Dots::Numbers };
        let mut word = first;
        for (kind, range) in Lexer::new(&token.text, dots) {
            let kind = match spelt(kind, &token.text[range.clone()], dotted) {
                TokenClass::Name => std::mem::replace(&mut word, TokenClass::Name),
                kind => kind,
            };
            self.emit(kind, token.range.start + range.start..token.range.start + range.end);
        }
    }
}

/// What a token inside a leaf is; `dotted` is what a word with a dot is there.
fn spelt(kind: TokenKind, text: &str, dotted: TokenClass) -> TokenClass {
    match kind {
        TokenKind::Word if text == "_" => TokenClass::Punctuation,
        TokenKind::Word => TokenClass::Name,
        TokenKind::Dotted => dotted,
        TokenKind::Number(NumberKind::Integer) | TokenKind::BadNumber => TokenClass::Integer,
        TokenKind::Number(_) => TokenClass::Float,
        TokenKind::String => TokenClass::String,
        TokenKind::Comment => TokenClass::Comment,
        TokenKind::LineMarker => TokenClass::LineMarker,
        TokenKind::Sign if matches!(text, "@" | "," | "{" | "}" | "[" | "]" | "(" | ")" | ":" | "|" | "=" | ";") => {
            TokenClass::Punctuation
        }
        TokenKind::Sign | TokenKind::Foreign => TokenClass::Operator,
    }
}

/// Nodes that consist of one word, with or without a node for the word.
fn is_word(kind: u16) -> bool {
    [
        KINDS.r#type,
        KINDS.vector_size,
        KINDS.space,
        KINDS.linkage,
        KINDS.function_kind,
        KINDS.section_name,
        KINDS.sink,
        KINDS.unknown_directive,
    ]
    .contains(&kind)
}

fn node_kind(node: Node) -> Option<NodeKind> {
    let kind = node.kind_id();
    Some(match kind {
        _ if kind == KINDS.instruction => NodeKind::Instruction,
        _ if kind == KINDS.label => NodeKind::Label,
        _ if kind == KINDS.basic_block => NodeKind::BasicBlock,
        _ if kind == KINDS.block => NodeKind::Block,
        _ if kind == KINDS.argument_list => NodeKind::Arguments,
        _ if kind == KINDS.register_declaration || kind == KINDS.variable_declaration => NodeKind::Declaration,
        _ if kind == KINDS.parameter => NodeKind::Parameter,
        _ if kind == KINDS.parameters => NodeKind::Parameters,
        _ if kind == KINDS.function || kind == KINDS.function_declaration => NodeKind::Function,
        _ if kind == KINDS.section || kind == KINDS.dwarf_directive => NodeKind::Section,
        _ if kind == KINDS.section_body => NodeKind::SectionBody,
        _ if kind == KINDS.file_directive => NodeKind::FileDirective,
        _ if [KINDS.version_directive, KINDS.target_directive, KINDS.address_size_directive].contains(&kind) => {
            NodeKind::HeadDirective
        }
        _ if kind == KINDS.call_targets || kind == KINDS.branch_targets => NodeKind::Targets,
        _ if [KINDS.call_prototype, KINDS.pragma_directive, KINDS.alias_directive, KINDS.loc_directive]
            .contains(&kind) =>
        {
            NodeKind::Directive
        }
        _ if node.is_error() => NodeKind::Error,
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
