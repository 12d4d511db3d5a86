//! Declarations of names: registers, variables, parameters, functions and labels.

use crate::lexer::{Number, is_name_char};
use crate::node_kinds::{FIELDS, KINDS};
use crate::reader::{RopeReader, Token};
use foldhash::fast::FixedState;
use std::hash::BuildHasher;
use tree_sitter::Node;

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    /// `.reg`
    Register,
    /// A variable in a state space, parameters among them.
    Variable,
    /// `.entry` or `.func`
    Function,
    /// `name:`
    Label,
}

/// What a label names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LabelKind {
    /// The target of branches.
    Target,
    /// A list of labels: `.branchtargets`.
    BranchTargets,
    /// A list of functions: `.calltargets`.
    CallTargets,
    /// The type of a function: `.callprototype`.
    CallPrototype,
}

/// Which parameter of a function a declaration is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParameterKind {
    /// After the function's name: an argument, which the function reads.
    Input,
    /// Before the function's name: a result, which the function writes.
    Result,
    /// One of both: the head of the function has a syntax error.
    Unclear,
}

/// One declared name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration<'a> {
    /// The kind of a declaration.
    pub kind: DeclarationKind,
    /// The name; a range `%r<10>` without its brackets.
    pub name: Token<'a>,
    /// The `N` of a range `%r<N>`, which declares the names from `%r0` to `%rN-1`.
    pub count: Option<u64>,
    /// The state space with its dot, as in `.global`; empty for functions and labels.
    pub space: Token<'a>,
    /// A second state space, as in `.reg .shared .b32 r`, which is an error.
    pub second_space: Option<Box<Token<'a>>>,
    /// The type with its dot, as in `.b32`; empty for functions and labels.
    pub ty: Token<'a>,
    /// `.v2`, `.v4` or `.v8`; empty for scalars.
    pub vector: Token<'a>,
    /// Whether it has dimensions, as in `a[4]`.
    pub array: bool,
    /// The number of elements, or of vectors: 1 without dimensions, `None` if the dimensions are not plain numbers.
    pub elements: Option<u64>,
    /// The bytes of its `.align`, if it has one.
    pub alignment: Option<u64>,
    /// The state space of a parameter's `.ptr`, with its dot; empty without one.
    pub pointer: Token<'a>,
    /// The directive after a label with its operands, `.branchtargets L1, L2;`; empty without one.
    pub directive: Box<str>,
    /// Which parameter of a function it is; `None` for what is declared elsewhere.
    pub parameter: Option<ParameterKind>,
    /// Whether it has a syntax error, or its state space is ambiguous: it may not be what was intended.
    pub broken: bool,
}

impl Declaration<'_> {
    /// A hash of everything but the name and the positions. Two declarations of a shape are the same to an instruction that names one of them.
    pub fn shape(&self) -> u64 {
        let Declaration { kind, count, space, ty, vector, array, elements, alignment, pointer, .. } = self;
        let words = (&space.text, &ty.text, &vector.text, &pointer.text, &self.directive);
        let size = (count.is_some(), array, elements, alignment);
        FixedState::default().hash_one((*kind as u8, words, size, self.parameter, self.broken))
    }

    /// What it names, if it is a label.
    pub fn label(&self) -> Option<LabelKind> {
        if self.kind != DeclarationKind::Label {
            return None;
        }
        Some(LabelKind::of_directive(&self.directive))
    }
}

impl LabelKind {
    /// What a label before a directive names; the text is empty for one before something else.
    pub(crate) fn of_directive(text: &str) -> Self {
        let directive = |name: &str| text.starts_with(name);
        match () {
            () if directive(".branchtargets") => LabelKind::BranchTargets,
            () if directive(".calltargets") => LabelKind::CallTargets,
            () if directive(".callprototype") => LabelKind::CallPrototype,
            () => LabelKind::Target,
        }
    }
}

/// A name split before its trailing digits, and their value, if there are any. Leading zeros do not
/// matter to the assembler: `%r07` is `%r7`.
pub fn range_index(name: &str) -> (&str, Option<u64>) {
    let digits = name.bytes().rev().take_while(u8::is_ascii_digit).count();
    let (base, digits) = name.split_at(name.len() - digits);
    let index = match digits.len() {
        0 => None,
        // Most have few digits, which are read faster without checks for overflow.
        1..=9 => Some(
            digits.bytes().fold(0, |value: u32, digit| value.wrapping_mul(10).wrapping_add(u32::from(digit - b'0'))),
        ),
        _ => return (base, digits.parse().ok()),
    };
    (base, index.map(u64::from))
}

/// The declarations at a node, appended to a list.
pub(crate) fn declarations<'a>(node: Node<'a>, reader: &mut RopeReader<'a>, found: &mut Vec<Declaration<'a>>) {
    let kind = node.kind_id();
    if kind == KINDS.register_declaration || kind == KINDS.variable_declaration {
        if is_invented(node, reader) {
            return;
        }
        let register = kind == KINDS.register_declaration;
        let mut spaces = spaces(node, register, reader).into_iter();
        let first_space = spaces.next();
        let second_space = spaces.next();
        let common = Common {
            kind: if register { DeclarationKind::Register } else { DeclarationKind::Variable },
            broken: node.has_error() || first_space.is_none() || second_space.is_some(),
            space: first_space.unwrap_or_else(|| read(None, node, reader)),
            second_space: second_space.map(Box::new),
            ty: read(node.child_by_field_id(FIELDS.r#type.get()), node, reader),
            vector: read(node.child_by_field_id(FIELDS.vector.get()), node, reader),
            alignment: if register { None } else { alignment(node, reader) },
            pointer: read(None, node, reader),
            parameter: None,
        };
        let mut cursor = node.walk();
        for declarator in node.children_by_field_id(FIELDS.declarator, &mut cursor) {
            found.extend(common.declare(declarator, reader));
        }
    } else if kind == KINDS.parameter {
        let space = read(node.child_by_field_id(FIELDS.space.get()), node, reader);
        let pointer = node.child_by_field_id(FIELDS.pointer.get());
        let common = Common {
            kind: if space.text == ".reg" { DeclarationKind::Register } else { DeclarationKind::Variable },
            space,
            second_space: None,
            ty: read(node.child_by_field_id(FIELDS.r#type.get()), node, reader),
            vector: read(node.child_by_field_id(FIELDS.vector.get()), node, reader),
            alignment: None,
            pointer: read(pointer.and_then(|pointer| pointer.child_by_field_id(FIELDS.space.get())), node, reader),
            parameter: Some(parameter_kind(node)),
            broken: node.has_error(),
        };
        found.extend(common.declare(node, reader));
    } else if kind == KINDS.function || kind == KINDS.function_declaration {
        found.extend(nameless(DeclarationKind::Function, node, reader).declare(node, reader));
    } else if kind == KINDS.label {
        let token = reader.read(node.byte_range());
        let end = token.text.find(|c| !is_name_char(c));
        let name = token.part(0..end.unwrap_or(token.text.len()));
        found.push(Declaration { directive: directive(node, reader), ..label(name) });
    }
}

/// Whether a parameter of the tree stands before the function's name or after it.
fn parameter_kind(node: Node) -> ParameterKind {
    let list = node.parent();
    let head = list.and_then(|list| list.parent());
    let field = |field| head.and_then(|head| head.child_by_field_id(field));
    let is_named = field(FIELDS.name.get()).is_some_and(|name| !name.is_missing());
    match list.filter(|list| is_named && !list.has_error()) {
        Some(list) if field(FIELDS.returns.get()) == Some(list) => ParameterKind::Result,
        Some(list) if field(FIELDS.parameters.get()) == Some(list) => ParameterKind::Input,
        _ => ParameterKind::Unclear,
    }
}

/// The directive after a label.
fn directive(label: Node, reader: &mut RopeReader) -> Box<str> {
    // To find a sibling takes long in a large tree, and after most labels is an instruction.
    let next = reader.first_byte(label.end_byte(), |byte| !byte.is_ascii_whitespace());
    if next.is_none_or(|byte| byte.is_ascii_alphanumeric() || b"@{}%_$".contains(&byte)) {
        return Box::default();
    }
    let mut after = std::iter::successors(label.next_sibling(), Node::next_sibling);
    let behind = after.find(|node| !node.is_extra());
    let kinds = [KINDS.branch_targets, KINDS.call_targets, KINDS.call_prototype];
    let behind = behind.filter(|node| kinds.contains(&node.kind_id()));
    behind.map_or_else(Box::default, |node| (*reader.read(node.byte_range()).text).into())
}

/// Whether a declaration is the rest of a broken instruction, as `.shared.u32 r1` is of `@ atom.shared.u32 r1`: it is not
/// the first on its line.
fn is_invented(node: Node, reader: &mut RopeReader) -> bool {
    let before = reader.last_before(node.start_byte(), |c| !matches!(c, ' ' | '\t'));
    let begins = before.is_none_or(|c| matches!(c, ';' | '{' | '}' | ':' | '/' | '\n' | '\r'));
    !begins && node.parent().is_some_and(|parent| parent.has_error())
}

/// The state spaces of a declaration. Without one, or with two, an incomplete declaration may have been merged with the text before or after it.
fn spaces<'a>(node: Node<'a>, register: bool, reader: &mut RopeReader<'a>) -> Vec<Token<'a>> {
    let mut cursor = node.walk();
    let keyword = node.child(0).filter(|_| register);
    let written = node.children_by_field_id(FIELDS.space, &mut cursor);
    keyword.into_iter().chain(written).map(|space| reader.read(space.byte_range())).collect()
}

/// A label by its name.
pub(crate) fn label(name: Token<'_>) -> Declaration<'_> {
    let nothing = name.part(0..0);
    bare(DeclarationKind::Label, name, nothing)
}

/// A function by its name; `start` is the start of the function.
pub(crate) fn function(name: Token<'_>, start: usize) -> Declaration<'_> {
    let nothing = Token { text: "".into(), range: start..start };
    Declaration { elements: Some(1), ..bare(DeclarationKind::Function, name, nothing) }
}

/// A declaration without space and type; `nothing` is an empty token for them.
fn bare<'a>(kind: DeclarationKind, name: Token<'a>, nothing: Token<'a>) -> Declaration<'a> {
    let (space, ty, vector, pointer) = (nothing.clone(), nothing.clone(), nothing.clone(), nothing);
    Declaration {
        kind,
        name,
        count: None,
        space,
        second_space: None,
        ty,
        vector,
        array: false,
        elements: None,
        alignment: None,
        pointer,
        directive: Box::default(),
        parameter: None,
        broken: false,
    }
}

/// A declaration without space and type.
fn nameless<'a>(kind: DeclarationKind, node: Node<'a>, reader: &mut RopeReader<'a>) -> Common<'a> {
    let nothing = read(None, node, reader);
    let (space, ty, vector, pointer) = (nothing.clone(), nothing.clone(), nothing.clone(), nothing);
    Common { kind, space, second_space: None, ty, vector, alignment: None, pointer, parameter: None, broken: false }
}

struct Common<'a> {
    kind: DeclarationKind,
    space: Token<'a>,
    second_space: Option<Box<Token<'a>>>,
    ty: Token<'a>,
    vector: Token<'a>,
    alignment: Option<u64>,
    pointer: Token<'a>,
    parameter: Option<ParameterKind>,
    broken: bool,
}

impl<'a> Common<'a> {
    fn declare(&self, declarator: Node<'a>, reader: &mut RopeReader<'a>) -> Option<Declaration<'a>> {
        let name = reader.read(declarator.child_by_field_id(FIELDS.name.get())?.byte_range());
        let count = declarator.child_by_field_id(FIELDS.count.get());
        let count = count.and_then(|count| Number::integer(&reader.read(count.byte_range()).text));
        let array = declarator.child_by_field_id(FIELDS.dimension.get()).is_some();
        let elements = if array { elements(declarator, reader) } else { Some(1) };
        Some(self.named(name, count, array, elements))
    }

    fn named(&self, name: Token<'a>, count: Option<u64>, array: bool, elements: Option<u64>) -> Declaration<'a> {
        let (kind, space, ty, vector) = (self.kind, self.space.clone(), self.ty.clone(), self.vector.clone());
        let (alignment, pointer, parameter, broken) =
            (self.alignment, self.pointer.clone(), self.parameter, self.broken);
        Declaration {
            kind,
            name,
            count,
            space,
            second_space: self.second_space.clone(),
            ty,
            vector,
            array,
            elements,
            alignment,
            pointer,
            directive: Box::default(),
            parameter,
            broken,
        }
    }
}

/// The bytes of the `.align` of a declaration of variables.
fn alignment(node: Node, reader: &mut RopeReader) -> Option<u64> {
    let bytes = node.child_by_field_id(FIELDS.alignment.get())?.child_by_field_id(FIELDS.bytes.get())?;
    Number::integer(&reader.read(bytes.byte_range()).text)
}

/// The product of the dimensions of an array.
fn elements(declarator: Node, reader: &mut RopeReader) -> Option<u64> {
    let mut cursor = declarator.walk();
    let mut dimensions = declarator.children_by_field_id(FIELDS.dimension, &mut cursor);
    dimensions.try_fold(1u64, |product, dimension| {
        let size = reader.read(dimension.child_by_field_id(FIELDS.size.get())?.byte_range());
        product.checked_mul(Number::integer(&size.text)?)
    })
}

fn read<'a>(node: Option<Node<'a>>, from: Node<'a>, reader: &mut RopeReader<'a>) -> Token<'a> {
    reader.read(node.map_or(from.start_byte()..from.start_byte(), |node| node.byte_range()))
}
