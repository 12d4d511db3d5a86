//! The calls of functions in a text, by their names, and what they pass.

use super::tree::{PythonNode, read, walk};
use std::collections::{BTreeMap, HashMap};

/// The values of a function's parameters in a call; `None` for one that is not a constant.
pub(super) type ParameterValues<'t> = BTreeMap<&'t str, Option<PythonNode<'t>>>;

/// The calls of a text.
#[derive(Default)]
pub(super) struct NamedCalls<'t> {
    /// By the last part of the name; read on demand.
    calls: Option<HashMap<&'t str, Vec<PythonNode<'t>>>>,
}

impl<'t> NamedCalls<'t> {
    /// The calls of a function in its text.
    pub fn of(&mut self, text: &'t str, function: PythonNode<'t>) -> Vec<PythonNode<'t>> {
        let calls = self.calls.get_or_insert_with(|| calls(text, function));
        let name = function.child_by_field_name("name").map_or("", |name| read(text, name));
        calls.get(name).cloned().unwrap_or_default()
    }
}

/// All calls of the text that a node belongs to.
fn calls<'t>(text: &'t str, node: PythonNode<'t>) -> HashMap<&'t str, Vec<PythonNode<'t>>> {
    let root = std::iter::successors(Some(node), |node| node.parent()).last().unwrap_or(node);
    let mut found: HashMap<&str, Vec<PythonNode>> = HashMap::new();
    walk(
        root,
        |_| true,
        |node| {
            if let Some(function) = node.child_by_field_name("function").filter(|_| node.kind() == "call") {
                let name = function.child_by_field_name("attribute").unwrap_or(function);
                found.entry(read(text, name)).or_default().push(node);
            }
        },
    );
    found
}
