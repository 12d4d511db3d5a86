//! Source code in Python's strings: CUDA C++ that a program compiles, and PTX modules that it loads.

use super::names::NameValues;
use super::strings::source_parts;
use super::tree::{PythonNode, children, read, walk};
use crate::cpp;
use crate::inline_asm::source::LiteralSourceCode;
use crate::inline_asm::{
    AsmStatement, EmbeddedText, Formatting, FoundStatements, HostComment, LiteralSource, TemplatePart, UnknownText,
};
use std::collections::HashMap;
use std::sync::Arc;

/// Whether a text may have source code in its strings.
pub(super) fn may_have_source(text: &str) -> bool {
    (text.contains("asm") && (text.contains("__global__") || text.contains("__device__")))
        || (text.contains(".version") && text.contains(".target"))
}

/// The statements in the source code in strings. Those of source code that a program makes of strings are counted.
pub(super) fn statements<'t>(text: &'t str, names: &mut NameValues<'t>, root: PythonNode<'t>) -> FoundStatements {
    let mut found = FoundStatements::default();
    let strings = strings(text, root);
    let formats = formats(text, root);
    for node in strings {
        match source(text, names, node, &formats) {
            Some(source) => match source.code {
                LiteralSourceCode::Cuda => {
                    found.statements.extend(source.text.statements(cpp::scan(source.text.text())))
                }
                LiteralSourceCode::Ptx => {
                    found.statements.push(AsmStatement::module(source.node.byte_range(), source.parts));
                }
            },
            None if string_use(text, node, &formats).is_some() => {
                let count = cpp::count_statements(read(text, node));
                found.unread_statements.add(UnknownText::Computed, count);
            }
            None => {}
        }
    }
    found
}

/// The comments in the source code in strings that contain a word.
pub(super) fn comments<'t>(text: &'t str, root: PythonNode<'t>, word: &str) -> Vec<HostComment> {
    let mut found = Vec::new();
    for source in sources(text, &mut NameValues::new(text), root) {
        // Those of PTX are written as those of C++.
        found.extend(cpp::comments(source.text.text(), word).into_iter().filter_map(|comment| {
            let next = source.text.to_host(&(comment.next..comment.next))?.start;
            Some(HostComment { range: source.text.to_host(&comment.range)?, leads: false, next })
        }));
    }
    found
}

/// Source code in a string.
struct StringSource<'t> {
    node: PythonNode<'t>,
    parts: Vec<TemplatePart>,
    text: Arc<EmbeddedText>,
    code: LiteralSourceCode,
}

/// The strings with source code.
fn sources<'t>(text: &'t str, names: &mut NameValues<'t>, root: PythonNode<'t>) -> Vec<StringSource<'t>> {
    let strings = strings(text, root);
    if strings.is_empty() {
        return Vec::new();
    }
    let formats = formats(text, root);
    strings.into_iter().filter_map(|node| source(text, names, node, &formats)).collect()
}

/// The strings that may have source code.
fn strings<'t>(text: &str, root: PythonNode<'t>) -> Vec<PythonNode<'t>> {
    let mut strings = Vec::new();
    walk(
        root,
        |node| !is_string(node),
        |node| {
            if is_string(node) && may_have_source(read(text, node)) {
                strings.push(node);
            }
        },
    );
    strings
}

fn is_string(node: PythonNode) -> bool {
    matches!(node.kind(), "string" | "concatenated_string")
}

/// The source code in a string, if it is certain.
fn source<'t>(
    text: &'t str,
    names: &mut NameValues<'t>,
    node: PythonNode<'t>,
    formats: &HashMap<&str, StringUse>,
) -> Option<StringSource<'t>> {
    let formatting = match string_use(text, node, formats)? {
        StringUse::Formatted(formatting) => formatting,
        StringUse::Replaced => return None,
    };
    let parts = source_parts(text, names, node, formatting);
    let embedded = EmbeddedText::new(text, &parts);
    let code = LiteralSourceCode::of(embedded.text())?;
    let is_complete = || parts.iter().all(|part| part.literal.is_some() && part.via == LiteralSource::Written);
    let is_known = code == LiteralSourceCode::Cuda || is_complete() && formatting == Formatting::None;
    is_known.then(|| StringSource { node, parts, text: Arc::new(embedded), code })
}

/// What a program does with a string.
#[derive(Clone, Copy, PartialEq, Eq)]
enum StringUse {
    Formatted(Formatting),
    /// Parts of it are replaced in a way that is not read.
    Replaced,
}

/// The use of a string where it is written, or after the name that it is assigned to; `None` for documentation.
fn string_use(text: &str, node: PythonNode, formats: &HashMap<&str, StringUse>) -> Option<StringUse> {
    let mut node = node;
    let mut parent = node.parent()?;
    while parent.kind() == "parenthesized_expression" {
        (node, parent) = (parent, parent.parent()?);
    }
    match parent.kind() {
        "expression_statement" => None,
        "assignment" => {
            let name = last_name(text, parent.child_by_field_name("left")?);
            Some(formats.get(name).copied().unwrap_or(StringUse::Formatted(Formatting::None)))
        }
        _ => Some(formatted(text, node, parent).unwrap_or(StringUse::Formatted(Formatting::None))),
    }
}

/// What an expression makes of the string that is its first part.
fn formatted(text: &str, string: PythonNode, parent: PythonNode) -> Option<StringUse> {
    let is_field = |name: &str| parent.child_by_field_name(name) == Some(string);
    match parent.kind() {
        "attribute" if is_field("object") => Some(match read(text, parent.child_by_field_name("attribute")?) {
            "format" => StringUse::Formatted(Formatting::Braces),
            "replace" | "format_map" | "substitute" | "safe_substitute" | "render" => StringUse::Replaced,
            _ => return None,
        }),
        "binary_operator" if is_field("left") && parent.child_by_field_name("operator")?.kind() == "%" => {
            Some(StringUse::Formatted(Formatting::Percent))
        }
        "argument_list" => {
            let function = parent.parent()?.child_by_field_name("function")?;
            (last_name(text, function).ends_with("Template")).then_some(StringUse::Replaced)
        }
        _ => None,
    }
}

/// The names whose values are formatted somewhere. What is formatted in two ways is not read.
fn formats<'t>(text: &'t str, root: PythonNode<'t>) -> HashMap<&'t str, StringUse> {
    let mut found = HashMap::new();
    walk(
        root,
        |_| true,
        |node| {
            let parts = match node.kind() {
                "attribute" | "binary_operator" | "argument_list" => children(node),
                _ => return,
            };
            for part in parts.into_iter().filter(|part| matches!(part.kind(), "identifier" | "attribute")) {
                if let Some(used) = formatted(text, part, node) {
                    let known = found.entry(last_name(text, part)).or_insert(used);
                    *known = if *known == used { used } else { StringUse::Replaced };
                }
            }
        },
    );
    found
}

/// The last name of an expression such as `self.text`.
fn last_name<'t>(text: &'t str, node: PythonNode) -> &'t str {
    read(text, node).rsplit('.').next().unwrap_or_default()
}
