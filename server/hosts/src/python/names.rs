//! What a name means where it is used.

use super::named_calls::{NamedCalls, ParameterValues};
use super::scopes::{NameBinding, ScopeBindings, is_scope};
use super::tree::{PythonNode, read};
use std::collections::HashMap;
use std::rc::Rc;

/// The scopes of a text, read on demand.
pub(super) struct NameValues<'t> {
    text: &'t str,
    scopes: HashMap<usize, ScopeBindings<'t>>,
    calls: NamedCalls<'t>,
    /// Those of each function whose calls have been read, by the depth at which they are needed.
    pub parameter_values: HashMap<(usize, usize), Rc<Vec<ParameterValues<'t>>>>,
    /// The number of bytes that may still be read after names: a long literal that is named often would take more memory than the file.
    left: usize,
}

impl<'t> NameValues<'t> {
    /// The names of a text.
    pub fn new(text: &'t str) -> Self {
        NameValues {
            text,
            scopes: HashMap::new(),
            calls: NamedCalls::default(),
            parameter_values: HashMap::new(),
            left: (1 << 16) + 4 * text.len(),
        }
    }

    /// Whether a literal of a length may be read after a name.
    pub fn may_read(&mut self, length: usize) -> bool {
        let left = self.left.checked_sub(length + 1);
        self.left = left.unwrap_or(0);
        left.is_some()
    }

    /// The text.
    pub fn text(&self) -> &'t str {
        self.text
    }

    /// The calls of a function in the text.
    pub fn calls(&mut self, function: PythonNode<'t>) -> Vec<PythonNode<'t>> {
        self.calls.of(self.text, function)
    }

    /// The function whose parameter a name certainly is where it is used.
    pub fn parameter_of(&mut self, name: PythonNode<'t>) -> Option<PythonNode<'t>> {
        if name.kind() != "identifier" {
            return None;
        }
        let [binding] = self.bindings(name)?[..] else { return None };
        let parameters = std::iter::successors(Some(binding.node), |node| node.parent())
            .take_while(|node| !is_scope(*node))
            .find(|node| node.kind() == "parameters")?;
        parameters.parent().filter(|function| function.kind() == "function_definition")
    }

    /// Whether what runs where a name is used may depend on its value: a condition before contains it.
    pub fn is_tested(&mut self, name: PythonNode<'t>) -> bool {
        let word = read(self.text, name);
        let scopes = std::iter::successors(name.parent(), |node| node.parent()).filter(|node| is_scope(*node));
        for scope in scopes {
            let bindings = self.scopes.entry(scope.id()).or_insert_with(|| ScopeBindings::of(self.text, scope));
            if bindings.is_tested(word, name.start_byte()) {
                return true;
            }
            if bindings.get(word).is_some() {
                return false;
            }
        }
        false
    }

    /// The expressions that a name may be bound to where it is used; `None` if another value is possible.
    pub fn values(&mut self, name: PythonNode<'t>) -> Option<Vec<PythonNode<'t>>> {
        self.bindings(name)?.into_iter().map(|binding| binding.value).collect()
    }

    /// What a name may be bound to where it is used; `None` if that is not certain.
    fn bindings(&mut self, name: PythonNode<'t>) -> Option<Vec<NameBinding<'t>>> {
        let word = read(self.text, name);
        let mut node = name;
        let mut innermost = true;
        loop {
            node = node.parent()?;
            if !is_scope(node) {
                continue;
            }
            // The names of a class are visible in its own statements only.
            if innermost || node.kind() != "class_definition" {
                let scope = self.scopes.entry(node.id()).or_insert_with(|| ScopeBindings::of(self.text, node));
                if let Some(bindings) = scope.get(word) {
                    return if innermost { reaching(bindings, name) } else { constant(bindings, name) };
                }
            }
            innermost = false;
        }
    }
}

/// The values of a name of an outer scope: one, or one for each branch of a condition. A function that is defined in one
/// branch has the values of that one.
fn constant<'t>(bindings: &[NameBinding<'t>], name: PythonNode<'t>) -> Option<Vec<NameBinding<'t>>> {
    let is_conditional = |binding: &NameBinding| enclosing(binding.node, is_branch).is_some();
    let is_elsewhere = |binding: &NameBinding| common(binding.node, name).is_some_and(is_branch);
    let is_certain = bindings.len() == 1 || bindings.iter().all(is_conditional);
    let values: Vec<_> = bindings.iter().filter(|binding| !is_elsewhere(binding)).copied().collect();
    (is_certain && !values.is_empty()).then_some(values)
}

/// The maximum number of bindings of a name that are compared.
const MOST: usize = 64;

/// The values of a name that may reach its use: that of the last assignment that certainly runs, and those of the
/// branches after it.
fn reaching<'t>(bindings: &[NameBinding<'t>], name: PythonNode<'t>) -> Option<Vec<NameBinding<'t>>> {
    let mut reached: Vec<(&NameBinding, bool)> = Vec::new();
    for binding in bindings {
        let common = common(binding.node, name).filter(|_| bindings.len() <= MOST)?;
        if binding.node.start_byte() > name.start_byte() {
            // In a loop, a later assignment may come first.
            if is_loop(common) || enclosing(common, is_loop).is_some() {
                return None;
            }
            continue;
        }
        if is_branch(common) && binding.value.is_some() {
            continue;
        }
        let (mut conditional, mut leaves, mut leaves_loop) = (false, false, false);
        let mut node = binding.node;
        while let Some(parent) = node.parent().filter(|parent| *parent != common) {
            conditional |= is_branch(parent) || is_loop(parent);
            let last = last_statement(parent);
            leaves |= matches!(last, "return_statement" | "raise_statement");
            leaves_loop |= matches!(last, "continue_statement" | "break_statement");
            // What leaves a loop goes on after it.
            leaves_loop &= !is_loop(parent);
            node = parent;
        }
        if leaves || leaves_loop {
            continue;
        }
        if !conditional {
            reached.clear();
        }
        reached.push((binding, conditional));
    }
    // An empty string before branches may be a value that each of them replaces.
    let is_replaced = |(binding, conditional): &(&NameBinding, bool)| {
        let empty = |value: PythonNode| value.kind() == "string" && value.named_children().count() == 2;
        !conditional && reached.len() > 1 && binding.value.is_some_and(empty)
    };
    let is_certain = !reached.iter().any(is_replaced);
    is_certain.then(|| reached.into_iter().map(|(binding, _)| *binding).collect())
}

/// The innermost node that contains two nodes.
fn common<'t>(first: PythonNode<'t>, second: PythonNode<'t>) -> Option<PythonNode<'t>> {
    let mut node = first;
    while !(node.start_byte() <= second.start_byte() && second.end_byte() <= node.end_byte()) {
        node = node.parent()?;
    }
    Some(node)
}

/// The innermost node around another one in the same scope that has a property.
fn enclosing<'t>(node: PythonNode<'t>, has: impl Fn(PythonNode<'t>) -> bool) -> Option<PythonNode<'t>> {
    let mut node = node;
    loop {
        node = node.parent().filter(|parent| !is_scope(*parent))?;
        if has(node) {
            return Some(node);
        }
    }
}

/// Whether only some of the blocks of a statement run.
fn is_branch(node: PythonNode) -> bool {
    matches!(node.kind(), "if_statement" | "elif_clause" | "match_statement" | "case_clause" | "try_statement")
}

/// The kind of the last statement of a block; empty for another node.
fn last_statement<'t>(block: PythonNode<'t>) -> &'t str {
    let last = block.named_children().last();
    last.filter(|_| block.kind() == "block").map_or("", |last| last.kind())
}

/// Whether something runs several times. Comprehensions bind their names after their uses.
fn is_loop(node: PythonNode) -> bool {
    matches!(node.kind(), "for_statement" | "while_statement" | "generator_expression")
        || node.kind().ends_with("_comprehension")
}
