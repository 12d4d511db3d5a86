//! The literals of a string expression.

use super::call_arguments::CallArguments;
use super::function_uses::{parameter_values, unwrapped};
use super::named_calls::ParameterValues;
use super::names::NameValues;
use super::tree::{PythonNode, children, read};
use crate::inline_asm::{Branches, Formatting, LiteralForm, LiteralSource, PartLiteral, PythonLiteral, TemplatePart};
use std::ops::Range;
use std::rc::Rc;

/// The parts of a string expression.
#[derive(Default)]
pub(super) struct StringParts {
    /// The literals, and placeholders for what is not certain, in order.
    pub parts: Vec<TemplatePart>,
    /// The number of alternatives, if there is a choice.
    pub groups: Vec<usize>,
}

/// The maximum nesting of expressions and names.
const DEPTH: usize = 48;
/// The maximum number of parts: an expression that names others often would take more memory than the file.
const PARTS: usize = 4096;
/// The maximum number of values of a name that are all checked.
const ALTERNATIVES: usize = 8;

/// How the value of an expression is used.
#[derive(Clone)]
struct ExpressionUse {
    formatting: Formatting,
    branches: Branches,
    /// The name that the expression is the value of.
    name: Option<Range<usize>>,
    depth: usize,
}

/// Reads a string expression.
pub(super) fn string_parts<'t>(text: &'t str, names: &mut NameValues<'t>, expression: PythonNode<'t>) -> StringParts {
    let mut reader = StringReader { text, names, made: StringParts::default(), calls: None };
    let here = ExpressionUse { formatting: Formatting::None, branches: Branches::new(), name: None, depth: 0 };
    reader.expression(expression, &here);
    reader.made
}

/// Reads a string that is formatted. Values of names are unknown: they are read where they are written.
pub(super) fn source_parts<'t>(
    text: &'t str,
    names: &mut NameValues<'t>,
    string: PythonNode<'t>,
    formatting: Formatting,
) -> Vec<TemplatePart> {
    let mut reader = StringReader { text, names, made: StringParts::default(), calls: None };
    let here = ExpressionUse { formatting, branches: Branches::new(), name: None, depth: 0 };
    reader.expression(string, &here);
    let mut parts = reader.made.parts;
    for part in parts.iter_mut().filter(|part| part.via != LiteralSource::Written || !part.branches.is_empty()) {
        (part.literal, part.via, part.branches) = (None, LiteralSource::Written, Branches::new());
    }
    parts
}

struct StringReader<'r, 't> {
    text: &'t str,
    names: &'r mut NameValues<'t>,
    made: StringParts,
    /// The function whose parameters are a part of the string, and their values in its calls.
    calls: Option<(PythonNode<'t>, Rc<Vec<ParameterValues<'t>>>)>,
}

impl<'t> StringReader<'_, 't> {
    fn expression(&mut self, node: PythonNode<'t>, here: &ExpressionUse) {
        let deeper = ExpressionUse { depth: here.depth + 1, ..here.clone() };
        if here.depth > DEPTH || self.made.parts.len() > PARTS {
            return self.placeholder(node.byte_range(), here);
        }
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "string" => self.string(node, here),
            "integer" => self.integer(node, here),
            "concatenated_string" | "parenthesized_expression" => {
                for child in children(node) {
                    self.expression(child, &deeper);
                }
            }
            "named_expression" => self.optional(field("value"), node, &deeper),
            "identifier" => self.name(node, &deeper),
            "binary_operator" => match field("operator").map(|operator| operator.kind()) {
                Some("+") => {
                    self.optional(field("left"), node, &deeper);
                    self.optional(field("right"), node, &deeper);
                }
                Some("%") => self.formatted(field("left"), node, Formatting::Percent, &deeper),
                _ => self.placeholder(node.byte_range(), here),
            },
            "conditional_expression" => match children(node).as_slice() {
                [first, _, second] => self.alternatives(&[*first, *second], node, &deeper),
                _ => self.placeholder(node.byte_range(), here),
            },
            "subscript" => match field("value").and_then(|value| self.elements(value)) {
                Some(elements) => self.alternatives(&elements, node, &deeper),
                None => self.placeholder(node.byte_range(), here),
            },
            "call" => self.call(node, &deeper),
            _ => self.placeholder(node.byte_range(), here),
        }
    }

    fn optional(&mut self, node: Option<PythonNode<'t>>, whole: PythonNode<'t>, here: &ExpressionUse) {
        match node {
            Some(node) => self.expression(node, here),
            None => self.placeholder(whole.byte_range(), here),
        }
    }

    /// Reads an expression that is formatted. What two formats make of it is unknown.
    fn formatted(
        &mut self,
        node: Option<PythonNode<'t>>,
        whole: PythonNode<'t>,
        formatting: Formatting,
        here: &ExpressionUse,
    ) {
        if here.formatting != Formatting::None {
            return self.placeholder(whole.byte_range(), here);
        }
        self.optional(node, whole, &ExpressionUse { formatting, ..here.clone() });
    }

    fn push(&mut self, range: Range<usize>, literal: Option<PartLiteral>, here: &ExpressionUse) {
        let (range, via) = match &here.name {
            Some(name) => (name.clone(), LiteralSource::SharedMacro),
            None => (range, LiteralSource::Written),
        };
        let is_read = |literal: &PartLiteral| here.name.is_none() || self.names.may_read(literal.inner.len());
        let literal = literal.filter(is_read);
        let via = if literal.is_some() { via } else { LiteralSource::Written };
        self.made.parts.push(TemplatePart { range, literal, branches: here.branches.clone(), via });
    }

    fn placeholder(&mut self, range: Range<usize>, here: &ExpressionUse) {
        self.push(range, None, here);
    }

    /// Reads one of several expressions.
    fn alternatives(&mut self, nodes: &[PythonNode<'t>], whole: PythonNode<'t>, here: &ExpressionUse) {
        match nodes {
            [only] => self.expression(*only, here),
            // Of two choices, not every combination is possible.
            _ if nodes.is_empty() || nodes.len() > ALTERNATIVES || !self.made.groups.is_empty() => {
                self.placeholder(whole.byte_range(), here)
            }
            _ => {
                self.made.groups.push(nodes.len());
                for (number, node) in nodes.iter().enumerate() {
                    let mut branch = here.clone();
                    branch.branches.push((0, number));
                    self.expression(*node, &branch);
                }
            }
        }
    }

    /// The elements of a list, a tuple or a dictionary, or of a name that is certainly one.
    fn elements(&mut self, node: PythonNode<'t>) -> Option<Vec<PythonNode<'t>>> {
        match node.kind() {
            "list" | "tuple" => {
                let elements = children(node);
                elements.iter().all(|element| element.kind() != "list_splat").then_some(elements)
            }
            "dictionary" => {
                let value = |pair: PythonNode<'t>| pair.child_by_field_name("value").filter(|_| pair.kind() == "pair");
                children(node).into_iter().map(value).collect()
            }
            "identifier" => match self.names.values(node)?.as_slice() {
                [only] if only.kind() != "identifier" => self.elements(*only),
                _ => None,
            },
            _ => None,
        }
    }

    fn name(&mut self, node: PythonNode<'t>, here: &ExpressionUse) {
        if let Some(function) = self.names.parameter_of(node) {
            return match self.names.is_tested(node) {
                true => self.placeholder(node.byte_range(), here),
                false => self.parameter(node, function, here),
            };
        }
        let values = self.names.values(node).unwrap_or_default();
        let named = ExpressionUse { name: here.name.clone().or_else(|| Some(node.byte_range())), ..here.clone() };
        // A value that names itself is built in steps.
        if values.iter().any(|value| value.byte_range().contains(&node.start_byte())) {
            return self.placeholder(node.byte_range(), here);
        }
        // Of several values, some may not reach this place.
        if values.len() > 1 && self.names.is_tested(node) {
            return self.placeholder(node.byte_range(), here);
        }
        self.alternatives(&values, node, &named);
    }

    /// Reads a parameter: its value in each call of its function is a choice, the same one as that of the other parameters.
    fn parameter(&mut self, node: PythonNode<'t>, function: PythonNode<'t>, here: &ExpressionUse) {
        let is_new = self.calls.is_none();
        let (of, calls) = self.calls.get_or_insert_with(|| (function, parameter_values(self.names, function, 0)));
        let word = read(self.text, node);
        let values: Vec<Option<PythonNode>> = calls.iter().map(|call| call.get(word).copied().flatten()).collect();
        let is_of_call = *of == function;
        // Of two choices, not every combination is possible.
        let is_other_choice = is_new && !self.made.groups.is_empty() && values.len() > 1;
        if is_other_choice {
            *calls = Rc::default();
        }
        if !is_of_call || is_other_choice || !here.branches.is_empty() || values.iter().all(Option::is_none) {
            return self.placeholder(node.byte_range(), here);
        }
        let named = ExpressionUse { name: here.name.clone().or_else(|| Some(node.byte_range())), ..here.clone() };
        if values.len() > 1 && self.made.groups.is_empty() {
            self.made.groups.push(values.len());
        }
        for (number, value) in values.iter().enumerate() {
            let mut branch = named.clone();
            branch.branches.extend((values.len() > 1).then_some((0, number)));
            match value {
                Some(value) => self.expression(*value, &branch),
                None => self.placeholder(node.byte_range(), &branch),
            }
        }
    }

    /// Reads an integer whose digits are its text.
    fn integer(&mut self, node: PythonNode<'t>, here: &ExpressionUse) {
        let digits = read(self.text, node);
        let is_plain =
            digits.bytes().all(|digit| digit.is_ascii_digit()) && (digits == "0" || !digits.starts_with('0'));
        let form = PythonLiteral { raw: true, quote: '"', triple: false, formatting: Formatting::None };
        let literal = PartLiteral { inner: node.byte_range(), form: LiteralForm::Python(form), closed: true };
        self.push(node.byte_range(), Some(literal).filter(|_| is_plain && here.name.is_some()), here);
    }

    /// Methods of strings and functions that only change white space, `format` and `join`.
    fn call(&mut self, node: PythonNode<'t>, here: &ExpressionUse) {
        let arguments = CallArguments::of(self.text, node);
        let function = node.child_by_field_name("function");
        let object = function.and_then(|function| function.child_by_field_name("object"));
        let attribute = function.and_then(|function| function.child_by_field_name("attribute")).or(function);
        let name = attribute.map_or("", |attribute| read(self.text, attribute));
        match (name, object, arguments.only()) {
            ("format", Some(_), _) => self.formatted(object, node, Formatting::Braces, here),
            ("strip" | "lstrip" | "rstrip", Some(object), _) if arguments.is_empty() => self.expression(object, here),
            ("dedent" | "cleandoc" | "constexpr" | "str", _, Some(only)) => self.expression(only, here),
            ("join", Some(separator), Some(only)) if separator.kind() == "string" => match self.elements(only) {
                Some(elements) if matches!(only.kind(), "list" | "tuple") => {
                    for (number, element) in elements.into_iter().enumerate() {
                        if number > 0 {
                            self.expression(separator, here);
                        }
                        self.expression(element, here);
                    }
                }
                _ => self.placeholder(node.byte_range(), here),
            },
            _ => self.placeholder(node.byte_range(), here),
        }
    }

    /// Reads a literal: the text between its replacement fields, and the fields.
    fn string(&mut self, node: PythonNode<'t>, here: &ExpressionUse) {
        let all: Vec<PythonNode<'t>> = node.children().collect();
        let start = all.iter().find(|child| child.kind() == "string_start");
        let end = all.iter().find(|child| child.kind() == "string_end" && !child.is_missing());
        let Some(start) = start else { return self.placeholder(node.byte_range(), here) };
        let opening = read(self.text, *start).to_ascii_lowercase();
        let quotes = opening.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let prefix = &opening[..opening.len() - quotes.len()];
        if prefix.contains(['b', 't']) {
            return self.placeholder(node.byte_range(), here);
        }
        let is_interpolated = prefix.contains('f');
        // What `format` makes of the text around the fields of an f-string is unknown.
        if is_interpolated && here.formatting != Formatting::None {
            return self.placeholder(node.byte_range(), here);
        }
        let form = PythonLiteral {
            raw: prefix.contains('r'),
            quote: quotes.chars().next().unwrap_or('"'),
            triple: quotes.len() == 3,
            formatting: if is_interpolated { Formatting::Interpolated } else { here.formatting },
        };
        let closed = end.is_some();
        let last = end.map_or(node.end_byte(), |end| end.start_byte());
        let mut from = start.end_byte();
        let literal = |inner: Range<usize>| PartLiteral { inner, form: LiteralForm::Python(form), closed };
        for field in all.iter().filter(|child| is_interpolated && child.kind() == "interpolation") {
            self.push(node.byte_range(), Some(literal(from..field.start_byte())), here);
            self.field(*field, here);
            from = field.end_byte();
        }
        self.push(node.byte_range(), Some(literal(from..last.max(from))), here);
    }

    /// A replacement field of an f-string: the text of a name that is certainly a string, else a placeholder.
    fn field(&mut self, field: PythonNode<'t>, here: &ExpressionUse) {
        let parts = children(field);
        match parts.as_slice() {
            [only] if unwrapped(self.text, *only).kind() == "identifier" && !read(self.text, field).contains('=') => {
                let named =
                    ExpressionUse { name: here.name.clone().or_else(|| Some(field.byte_range())), ..here.clone() };
                let name = unwrapped(self.text, *only);
                self.name(name, &ExpressionUse { depth: named.depth + 1, ..named });
            }
            _ => self.placeholder(field.byte_range(), here),
        }
    }
}
