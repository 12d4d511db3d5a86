//! The store that all threads execute before a statement, with no barrier between, as far as it is certain.

use super::call_arguments::CallArguments;
use super::names::NameValues;
use super::tree::{PythonNode, children, read, walk};
use std::ops::Range;

/// Functions that neither write to memory nor let threads wait for each other.
const HARMLESS: &[&str] = &[
    "Float32",
    "Int32",
    "Int64",
    "Uint32",
    "Uint64",
    "arange",
    "block_idx",
    "cdiv",
    "fence_proxy",
    "fence_view_async_shared",
    "full",
    "lane_idx",
    "load",
    "make_warp_uniform",
    "num_programs",
    "program_id",
    "range",
    "range_constexpr",
    "static_range",
    "thread_idx",
    "to",
    "warp_idx",
    "where",
    "zeros",
];

/// The maximum number of definitions after a name that are read.
const DEPTH: usize = 4;

/// What runs before a call.
#[derive(Default)]
pub(super) struct CallContext {
    /// Whether one lane executes it: it is in `with elect_one():`.
    pub elected: bool,
    /// The store of all threads before it.
    pub store: Option<Range<usize>>,
}

/// What runs before a call in its function.
pub(super) fn context<'t>(names: &mut NameValues<'t>, call: PythonNode<'t>) -> CallContext {
    let mut made = CallContext::default();
    let mut node = call;
    while let Some(parent) = node.parent() {
        match parent.kind() {
            "block" => {
                if let Some(found) = before(names, node) {
                    made.store = found;
                    return made;
                }
            }
            "with_statement" if elects(names.text(), parent) => made.elected = true,
            // All lanes of a warp have the same value of a condition without a call.
            "if_statement" if is_condition_of(parent, node) && has_no_call(parent.child_by_field_name("condition")) => {
            }
            "expression_statement" | "assignment" => {}
            _ => return made,
        }
        node = parent;
    }
    made
}

/// The store among the statements before one in its block: `Some(None)` if there may be a barrier or something unknown.
fn before<'t>(names: &mut NameValues<'t>, node: PythonNode<'t>) -> Option<Option<Range<usize>>> {
    // What the lane of `elect_one` stores is its own.
    let is_own = std::iter::successors(node.parent(), |node| node.parent())
        .take_while(|node| node.kind() != "function_definition")
        .any(|node| elects(names.text(), node));
    let mut sibling = node.prev_named_sibling();
    while let Some(statement) = sibling {
        match effect(names, statement) {
            StatementEffect::Store(range) if !is_own => return Some(Some(range)),
            StatementEffect::Store(_) | StatementEffect::None => {}
            StatementEffect::Unknown => return Some(None),
        }
        sibling = statement.prev_named_sibling();
    }
    None
}

/// Whether a statement is `with elect_one():`.
fn elects(text: &str, node: PythonNode) -> bool {
    let clause = node.named_children().next().filter(|_| node.kind() == "with_statement");
    clause.is_some_and(|clause| read(text, clause).ends_with("elect_one()"))
}

fn is_condition_of(statement: PythonNode, block: PythonNode) -> bool {
    statement.child_by_field_name("consequence") == Some(block)
}

fn has_no_call(node: Option<PythonNode>) -> bool {
    node.is_some_and(|node| {
        let mut calls = 0;
        walk(node, |_| true, |inner| calls += usize::from(inner.kind() == "call"));
        calls == 0
    })
}

/// What a statement does to memory.
enum StatementEffect {
    None,
    /// All threads store.
    Store(Range<usize>),
    /// It may be a barrier, or only some threads store.
    Unknown,
}

fn effect<'t>(names: &mut NameValues<'t>, statement: PythonNode<'t>) -> StatementEffect {
    match statement.kind() {
        "comment" | "pass_statement" => StatementEffect::None,
        "for_statement" => loop_effect(names, statement),
        "expression_statement" => match statement.named_children().next() {
            Some(inner) if inner.kind() == "assignment" => assignment_effect(names, inner),
            Some(inner) if inner.kind() == "call" => call_effect(names, inner),
            Some(inner) if is_harmless(names.text(), inner) => StatementEffect::None,
            _ => StatementEffect::Unknown,
        },
        _ => StatementEffect::Unknown,
    }
}

/// A loop stores if its body does.
fn loop_effect<'t>(names: &mut NameValues<'t>, statement: PythonNode<'t>) -> StatementEffect {
    let field = |name| statement.child_by_field_name(name);
    let (Some(values), Some(body), None) = (field("right"), field("body"), field("alternative")) else {
        return StatementEffect::Unknown;
    };
    let mut made =
        if is_harmless(names.text(), values) { StatementEffect::None } else { return StatementEffect::Unknown };
    for inner in children(body) {
        match effect(names, inner) {
            StatementEffect::None => {}
            StatementEffect::Store(range) => made = StatementEffect::Store(range),
            StatementEffect::Unknown => return StatementEffect::Unknown,
        }
    }
    made
}

fn assignment_effect<'t>(names: &mut NameValues<'t>, assignment: PythonNode<'t>) -> StatementEffect {
    let field = |name| assignment.child_by_field_name(name);
    let (Some(left), Some(right)) = (field("left"), field("right")) else { return StatementEffect::Unknown };
    if !is_harmless(names.text(), right) {
        return StatementEffect::Unknown;
    }
    match left.kind() {
        "identifier" | "pattern_list" | "tuple_pattern" => StatementEffect::None,
        "subscript" => match left.child_by_field_name("value") {
            Some(tensor) if is_made_by(names, tensor, &["allocate_tensor"], DEPTH) => {
                StatementEffect::Store(left.byte_range())
            }
            _ => StatementEffect::Unknown,
        },
        _ => StatementEffect::Unknown,
    }
}

/// `tl.store` of a tensor; one thread stores a scalar.
fn call_effect<'t>(names: &mut NameValues<'t>, call: PythonNode<'t>) -> StatementEffect {
    let text = names.text();
    if is_harmless(text, call) {
        return StatementEffect::None;
    }
    let Some(function) = call.child_by_field_name("function") else { return StatementEffect::Unknown };
    let arguments = CallArguments::of(text, call);
    let pointer = arguments.get("pointer", 0).filter(|_| matches!(read(text, function), "tl.store" | "gl.store"));
    match pointer {
        Some(pointer) if is_made_by(names, pointer, &["arange"], DEPTH) => StatementEffect::Store(call.byte_range()),
        _ => StatementEffect::Unknown,
    }
}

/// Whether an expression has only calls without effects.
fn is_harmless(text: &str, node: PythonNode) -> bool {
    let mut harmless = true;
    walk(
        node,
        |_| true,
        |inner| match inner.kind() {
            "call" => harmless &= HARMLESS.contains(&called(text, inner)),
            "await" | "yield" => harmless = false,
            _ => {}
        },
    );
    harmless
}

/// The last name of the function that a call calls.
fn called<'t>(text: &'t str, call: PythonNode) -> &'t str {
    let function = call.child_by_field_name("function").map_or("", |function| read(text, function));
    function.rsplit('.').next().unwrap_or_default()
}

/// Whether an expression, or the only value of a name in it, contains a call of certain functions.
fn is_made_by<'t>(names: &mut NameValues<'t>, node: PythonNode<'t>, functions: &[&str], depth: usize) -> bool {
    let text = names.text();
    let (mut is_made, mut used) = (false, Vec::new());
    walk(
        node,
        |_| true,
        |inner| match inner.kind() {
            "call" => is_made |= functions.contains(&called(text, inner)),
            "identifier" => used.push(inner),
            _ => {}
        },
    );
    is_made
        || depth > 0
            && used.into_iter().any(|name| match names.values(name).as_deref() {
                Some([value]) => is_made_by(names, *value, functions, depth - 1),
                _ => false,
            })
}
