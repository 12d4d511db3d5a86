//! The text as a stream of lexemes and constructs, in the order of the text.
//!
//! The tree keeps an opcode, an address or a vector as one leaf; here they are split. Whatever needs every word of a text
//! (tokens, references, the formatter) reads this stream. Must not know what a word means.

use crate::kinds::KINDS;
use crate::lexer::{Dots, Lexer, NumberKind, TokenKind};
use crate::reader::RopeReader;
use crate::source::SourceFile;
use std::ops::Range;
use tree_sitter::{Node, TreeCursor};

/// What a lexeme is, as far as its shape and place say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexemeKind {
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
    /// The part of a register, with its dot: `.x`.
    Selector,
    /// An integer, its sign included where it touches; also a version number.
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
    /// A sign of an expression, and `!`.
    Operator,
    /// Lines of a debug section, as one piece.
    Data,
}

/// One lexeme.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// What it is.
    pub kind: LexemeKind,
    /// Where it stands, in bytes.
    pub range: Range<usize>,
}

/// A larger piece of the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Construct {
    /// `.entry` or `.func` with its head, and its body where it has one.
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
    /// Text that is no PTX, or the empty place where a word is missing.
    Error,
}

/// What the stream is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LexemeStep {
    /// A construct begins.
    Enter(Construct, Range<usize>),
    /// The construct ends.
    Leave(Construct, Range<usize>),
    /// A lexeme.
    Lexeme(Lexeme),
}

/// Streams what intersects or touches a byte range.
///
/// Lexemes outside the range are streamed only where they share a leaf of the tree with one inside.
pub fn pieces(file: &SourceFile, within: Range<usize>, mut see: impl FnMut(LexemeStep)) {
    let mut streamer = Streamer { reader: RopeReader::new(file.text()), within, see: &mut see };
    // Where nothing fits, the root itself is an error.
    let broken = file.root().is_error().then(|| file.root().byte_range());
    if let Some(range) = &broken {
        (streamer.see)(LexemeStep::Enter(Construct::Error, range.clone()));
    }
    streamer.run(file.root().walk());
    if let Some(range) = broken {
        (streamer.see)(LexemeStep::Leave(Construct::Error, range));
    }
}

/// Streams the lexemes only.
pub fn lexemes(file: &SourceFile, within: Range<usize>, mut see: impl FnMut(Lexeme)) {
    pieces(file, within, |piece| {
        if let LexemeStep::Lexeme(lexeme) = piece {
            see(lexeme);
        }
    });
}

struct Streamer<'a, 's> {
    reader: RopeReader<'a>,
    within: Range<usize>,
    see: &'s mut dyn FnMut(LexemeStep),
}

impl<'a> Streamer<'a, '_> {
    /// Iterates rather than recurses, because blocks nest as deep as an attacker likes.
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

    /// To the first child that may touch the range.
    fn descend(&self, cursor: &mut TreeCursor<'a>) -> bool {
        let from = self.within.start.saturating_sub(1);
        match cursor.node().start_byte() < from {
            true => cursor.goto_first_child_for_byte(from).is_some() || cursor.goto_first_child(),
            false => cursor.goto_first_child(),
        }
    }

    /// Says what begins at a node, and whether to look inside.
    fn enter(&mut self, node: Node<'a>) -> bool {
        if let Some(construct) = construct(node) {
            (self.see)(LexemeStep::Enter(construct, node.byte_range()));
            // A label and a `.loc` are constructs and leaves at once.
            match node.kind_id() {
                kind if kind == KINDS.label => self.split(node, LexemeKind::Name, LexemeKind::Selector),
                kind if kind == KINDS.loc_directive => self.split(node, LexemeKind::Directive, LexemeKind::Directive),
                _ => return true,
            }
            self.leave(node);
            return false;
        }
        let kind = node.kind_id();
        if node.is_missing() {
            (self.see)(LexemeStep::Enter(Construct::Error, node.byte_range()));
            (self.see)(LexemeStep::Leave(Construct::Error, node.byte_range()));
        } else if kind == KINDS.opcode {
            self.split(node, LexemeKind::Mnemonic, LexemeKind::Modifier);
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
            self.split(node, LexemeKind::Name, LexemeKind::Selector);
        } else if node.child_count() > 0 && !is_word(kind) {
            return true;
        } else if !node.is_named() && matches!(node.kind(), ", function_name" | ", inlined_at" | "generic(") {
            // A word that is one token with its comma or its parenthesis.
            self.split(node, LexemeKind::Directive, LexemeKind::Directive);
        } else if let Some(kind) = self.leaf(node) {
            self.emit(kind, node.byte_range());
        }
        false
    }

    fn leave(&mut self, node: Node<'a>) {
        if let Some(construct) = construct(node) {
            (self.see)(LexemeStep::Leave(construct, node.byte_range()));
        }
    }

    fn emit(&mut self, kind: LexemeKind, range: Range<usize>) {
        if !range.is_empty() {
            (self.see)(LexemeStep::Lexeme(Lexeme { kind, range }));
        }
    }

    fn leaf(&mut self, node: Node<'a>) -> Option<LexemeKind> {
        let kind = node.kind_id();
        if node.is_named() {
            return Some(match kind {
                _ if kind == KINDS.name || kind == KINDS.warp_size => LexemeKind::Name,
                _ if kind == KINDS.integer || kind == KINDS.version => LexemeKind::Integer,
                _ if kind == KINDS.float => LexemeKind::Float,
                _ if kind == KINDS.string => LexemeKind::String,
                _ if kind == KINDS.comment => LexemeKind::Comment,
                _ if kind == KINDS.line_marker => LexemeKind::LineMarker,
                _ if kind == KINDS.r#type || kind == KINDS.vector_size => LexemeKind::Type,
                _ if kind == KINDS.section_data => LexemeKind::Data,
                _ if kind == KINDS.modifier => LexemeKind::Modifier,
                _ if kind == KINDS.sink => LexemeKind::Punctuation,
                _ if [KINDS.space, KINDS.linkage, KINDS.function_kind, KINDS.section_name, KINDS.unknown_directive]
                    .contains(&kind) =>
                {
                    LexemeKind::Directive
                }
                // A bare error leaf holds characters, not a lexeme.
                _ => return None,
            });
        }
        Some(match node.kind().as_bytes().first()? {
            b'.' | b'@' if node.kind().len() > 1 => LexemeKind::Directive,
            b'a'..=b'z' | b'A'..=b'Z' => LexemeKind::Directive,
            b',' | b';' | b'(' | b')' | b'{' | b'}' | b'[' | b']' | b':' | b'@' | b'=' | b'<' | b'>' => {
                LexemeKind::Punctuation
            }
            _ => LexemeKind::Operator,
        })
    }

    /// Splits a leaf, or a node that spells one out, by its text. `first` is what its first word is,
    /// `dotted` what its words with dots are.
    fn split(&mut self, node: Node<'a>, first: LexemeKind, dotted: LexemeKind) {
        let token = self.reader.read(node.byte_range());
        let dots = if dotted == LexemeKind::Modifier { Dots::Modifiers } else { Dots::Numbers };
        let mut word = first;
        for (kind, range) in Lexer::new(&token.text, dots) {
            let kind = match spelt(kind, &token.text[range.clone()], dotted) {
                LexemeKind::Name => std::mem::replace(&mut word, LexemeKind::Name),
                kind => kind,
            };
            self.emit(kind, token.range.start + range.start..token.range.start + range.end);
        }
    }
}

/// What a token inside a leaf is; `dotted` is what a word with a dot is there.
fn spelt(kind: TokenKind, text: &str, dotted: LexemeKind) -> LexemeKind {
    match kind {
        TokenKind::Word if text == "_" => LexemeKind::Punctuation,
        TokenKind::Word => LexemeKind::Name,
        TokenKind::Dotted => dotted,
        TokenKind::Number(NumberKind::Integer) | TokenKind::BadNumber => LexemeKind::Integer,
        TokenKind::Number(_) => LexemeKind::Float,
        TokenKind::String => LexemeKind::String,
        TokenKind::Comment => LexemeKind::Comment,
        TokenKind::LineMarker => LexemeKind::LineMarker,
        TokenKind::Sign if matches!(text, "@" | "," | "{" | "}" | "[" | "]" | "(" | ")" | ":" | "|" | "=" | ";") => {
            LexemeKind::Punctuation
        }
        TokenKind::Sign | TokenKind::Foreign => LexemeKind::Operator,
    }
}

/// Nodes that are one word, whether or not the tree has a node for the word in them.
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

fn construct(node: Node) -> Option<Construct> {
    let kind = node.kind_id();
    Some(match kind {
        _ if kind == KINDS.instruction => Construct::Instruction,
        _ if kind == KINDS.label => Construct::Label,
        _ if kind == KINDS.basic_block => Construct::BasicBlock,
        _ if kind == KINDS.block => Construct::Block,
        _ if kind == KINDS.argument_list => Construct::Arguments,
        _ if kind == KINDS.register_declaration || kind == KINDS.variable_declaration => Construct::Declaration,
        _ if kind == KINDS.parameter => Construct::Parameter,
        _ if kind == KINDS.parameters => Construct::Parameters,
        _ if kind == KINDS.function || kind == KINDS.function_declaration => Construct::Function,
        _ if kind == KINDS.section || kind == KINDS.dwarf_directive => Construct::Section,
        _ if kind == KINDS.section_body => Construct::SectionBody,
        _ if kind == KINDS.file_directive => Construct::FileDirective,
        _ if [KINDS.version_directive, KINDS.target_directive, KINDS.address_size_directive].contains(&kind) => {
            Construct::HeadDirective
        }
        _ if kind == KINDS.call_targets || kind == KINDS.branch_targets => Construct::Targets,
        _ if [KINDS.call_prototype, KINDS.pragma_directive, KINDS.alias_directive, KINDS.loc_directive]
            .contains(&kind) =>
        {
            Construct::Directive
        }
        _ if node.is_error() => Construct::Error,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str, within: Range<usize>) -> String {
        let file = SourceFile::parse(text);
        let mut shown = String::new();
        pieces(&file, within, |piece| match piece {
            LexemeStep::Enter(construct, _) => shown += &format!("{construct:?}( "),
            LexemeStep::Leave(..) => shown += ") ",
            LexemeStep::Lexeme(lexeme) => shown += &format!("{:?}:{} ", lexeme.kind, &text[lexeme.range]),
        });
        shown
    }

    #[test]
    fn leaves_are_split_and_constructs_balance() {
        let text =
            ".entry k()\n{ @!%p bra L;\nL: atom.global.L2::cache_hint.add.f32 v.x, [%rd1+-4], 1.5e-3, WARP_SZ; }\n";
        assert_eq!(
            shown(text, 0..text.len()),
            "Function( Directive:.entry Name:k Parameters( Punctuation:( Punctuation:) ) Block( Punctuation:{ \
             Instruction( Punctuation:@ Operator:! Name:%p Mnemonic:bra Name:L Punctuation:; ) \
             BasicBlock( Label( Name:L Punctuation:: ) \
             Instruction( Mnemonic:atom Modifier:.global Modifier:.L2::cache_hint Modifier:.add Modifier:.f32 \
             Name:v Selector:.x Punctuation:, Punctuation:[ Name:%rd1 Operator:+ Operator:- Integer:4 Punctuation:] Punctuation:, \
             Float:1.5e-3 Punctuation:, Name:WARP_SZ Punctuation:; ) ) Punctuation:} ) ) "
        );
    }

    #[test]
    fn a_range_streams_only_what_touches_it() {
        let text = ".entry a() { ret; }\n.entry b() { trap; exit; }\n";
        let at = text.find("exit").unwrap();
        assert_eq!(shown(text, at + 1..at + 2), "Function( Block( Instruction( Mnemonic:exit ) ) ) ");
    }

    #[test]
    fn functions_declared_in_others_are_functions() {
        let text = ".entry a() { .extern .func (.reg .b32 r) f(.param .b8 p[4]); }";
        let expected = "Function( Directive:.extern Directive:.func Parameters( Punctuation:( Parameter( Directive:.reg Type:.b32 Name:r ) \
            Punctuation:) ) Name:f Parameters( Punctuation:( Parameter( Directive:.param Type:.b8 Name:p Punctuation:[ Integer:4 \
            Punctuation:] ) Punctuation:) ) Punctuation:; )";
        assert!(shown(text, 0..text.len()).contains(expected), "{}", shown(text, 0..text.len()));
    }

    #[test]
    fn what_is_misplaced_or_unknown_still_has_its_words() {
        let text =
            ".version 8.0\n.target sm_90\nadd.u32 a, b, 1;\nL: ret;\n.entry k() { }\n.nonsense\n.entry l() { }\n";
        let shown = shown(text, 0..text.len());
        assert!(shown.contains("Mnemonic:add Modifier:.u32 Name:a"), "{shown}");
        assert!(shown.contains("Name:L") && shown.contains("Mnemonic:ret"), "{shown}");
        assert!(shown.contains("Directive:.nonsense"), "{shown}");
    }

    #[test]
    fn comments_inside_an_opcode_are_lexemes() {
        let text = ".entry a() { red /* .x */ .add // y\n .u32 [a], 1; }";
        assert!(
            shown(text, 0..text.len())
                .contains("Mnemonic:red Comment:/* .x */ Modifier:.add Comment:// y Modifier:.u32 ")
        );
    }
}
