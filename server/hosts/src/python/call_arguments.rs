//! The arguments of a call.

use super::tree::{PythonNode, children, read};

/// The arguments of a call.
pub(super) struct CallArguments<'t> {
    /// Those without a name, up to the first `*`.
    positional: Vec<PythonNode<'t>>,
    named: Vec<(&'t str, PythonNode<'t>)>,
    /// Whether `*` or `**` may add others.
    open: bool,
}

impl<'t> CallArguments<'t> {
    /// Reads the arguments of a call.
    pub fn of(text: &'t str, call: PythonNode<'t>) -> Self {
        let mut made = CallArguments { positional: Vec::new(), named: Vec::new(), open: false };
        for argument in call.child_by_field_name("arguments").map(children).unwrap_or_default() {
            match argument.kind() {
                "keyword_argument" => {
                    let parts = [argument.child_by_field_name("name"), argument.child_by_field_name("value")];
                    if let [Some(name), Some(value)] = parts {
                        made.named.push((read(text, name), value));
                    }
                }
                "list_splat" | "dictionary_splat" => made.open = true,
                _ if !made.open => made.positional.push(argument),
                _ => {}
            }
        }
        made
    }

    /// An argument by its name or its number.
    pub fn get(&self, name: &str, number: usize) -> Option<PythonNode<'t>> {
        self.named(name).or_else(|| self.positional.get(number).copied())
    }

    /// An argument by its name.
    pub fn named(&self, name: &str) -> Option<PythonNode<'t>> {
        self.named.iter().find(|(known, _)| *known == name).map(|(_, value)| *value)
    }

    /// The only argument, if it has no name.
    pub fn only(&self) -> Option<PythonNode<'t>> {
        match (self.positional.as_slice(), self.named.as_slice()) {
            ([only], []) => Some(*only),
            _ => None,
        }
    }

    /// Whether there may be others.
    pub fn is_open(&self) -> bool {
        self.open
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.positional.is_empty() && self.named.is_empty()
    }
}
