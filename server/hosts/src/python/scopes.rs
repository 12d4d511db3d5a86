//! The names that a module, a class or a function binds.

use super::tree::{PythonNode, children, read, walk};
use std::collections::HashMap;

/// A place where a name is bound.
#[derive(Clone, Copy)]
pub(super) struct NameBinding<'t> {
    /// The statement or the name.
    pub node: PythonNode<'t>,
    /// The expression that is its value; `None` if it has none, as a parameter.
    pub value: Option<PythonNode<'t>>,
}

/// The names of a scope.
pub(super) struct ScopeBindings<'t> {
    names: HashMap<&'t str, Vec<NameBinding<'t>>>,
    /// The offset of the first condition that contains a name.
    tested: HashMap<&'t str, usize>,
}

impl<'t> ScopeBindings<'t> {
    /// The names that a module, a class or a function binds.
    pub fn of(text: &'t str, scope: PythonNode<'t>) -> Self {
        let mut made = ScopeBindings { names: HashMap::new(), tested: HashMap::new() };
        if let Some(parameters) = scope.child_by_field_name("parameters") {
            for parameter in children(parameters) {
                made.bind_first(text, parameter);
            }
        }
        let is_module = scope.kind() == "module";
        let body = scope.child_by_field_name("body").unwrap_or(scope);
        let enters = |node: PythonNode<'t>| node == body || !is_scope(node);
        walk(body, enters, |node| made.visit(text, node));
        if is_module {
            // A function may assign to a global name.
            walk(
                body,
                |_| true,
                |node| {
                    if node.kind() == "global_statement" {
                        made.bind_each(text, node);
                    }
                },
            );
        }
        made
    }

    /// The bindings of a name; `None` if the scope has none.
    pub fn get(&self, name: &str) -> Option<&[NameBinding<'t>]> {
        self.names.get(name).map(Vec::as_slice)
    }

    /// Whether a condition before an offset depends on a name.
    pub fn is_tested(&self, name: &str, before: usize) -> bool {
        self.tested.get(name).is_some_and(|at| *at < before)
    }

    /// Notes the names of a condition.
    fn test(&mut self, text: &'t str, condition: PythonNode<'t>) {
        for name in identifiers(condition) {
            self.tested.entry(read(text, name)).or_insert(name.start_byte());
        }
    }

    fn bind(&mut self, name: &'t str, node: PythonNode<'t>, value: Option<PythonNode<'t>>) {
        self.names.entry(name).or_default().push(NameBinding { node, value });
    }

    /// Binds every name in a part of the tree to something unknown.
    fn bind_each(&mut self, text: &'t str, node: PythonNode<'t>) {
        identifiers(node).into_iter().for_each(|name| self.bind(read(text, name), name, None));
    }

    fn bind_first(&mut self, text: &'t str, node: PythonNode<'t>) {
        identifiers(node).into_iter().take(1).for_each(|name| self.bind(read(text, name), name, None));
    }

    fn visit(&mut self, text: &'t str, node: PythonNode<'t>) {
        let field = |name: &str| node.child_by_field_name(name);
        match node.kind() {
            "assignment" => match (field("left"), field("right")) {
                (Some(left), Some(right)) if left.kind() == "identifier" => {
                    self.bind(read(text, left), node, Some(right));
                }
                (Some(left), Some(_)) if left.kind().ends_with("_list") || left.kind().ends_with("_pattern") => {
                    self.bind_each(text, left);
                }
                _ => {}
            },
            "augmented_assignment" | "for_statement" | "for_in_clause" => {
                field("left").into_iter().for_each(|left| self.bind_each(text, left));
            }
            "function_definition" | "class_definition" | "named_expression" => {
                field("name").into_iter().for_each(|name| self.bind_each(text, name));
            }
            "if_statement" | "elif_clause" | "while_statement" => {
                field("condition").into_iter().for_each(|condition| self.test(text, condition));
            }
            "match_statement" => field("subject").into_iter().for_each(|subject| self.test(text, subject)),
            "conditional_expression" => {
                children(node).get(1).into_iter().for_each(|condition| self.test(text, *condition));
            }
            "as_pattern_target"
            | "delete_statement"
            | "global_statement"
            | "nonlocal_statement"
            | "case_pattern"
            | "import_statement"
            | "import_from_statement" => self.bind_each(text, node),
            _ => {}
        }
    }
}

/// The names in a part of the tree, in order.
fn identifiers(node: PythonNode) -> Vec<PythonNode> {
    let mut found = Vec::new();
    walk(node, |_| true, |node| found.extend((node.kind() == "identifier").then_some(node)));
    found
}

/// Whether a node has names of its own.
pub(super) fn is_scope(node: PythonNode) -> bool {
    matches!(node.kind(), "function_definition" | "class_definition" | "lambda" | "module")
}
