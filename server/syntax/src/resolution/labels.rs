//! The labels of a scope. A function may have very many, and few of them are asked for.

use crate::declaration::{Declaration, DeclarationKind, LabelKind, label};
use crate::reader::Token;
use foldhash::HashMap;
use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

/// Labels by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels<'a>(HashMap<Cow<'a, str>, CompactLabel>);

/// A label without its name.
#[derive(Clone, Debug)]
struct CompactLabel {
    range: Range<usize>,
    directive: Box<str>,
    /// Its declaration once it is needed.
    declaration: OnceCell<Box<Declaration<'static>>>,
}

impl<'a> Labels<'a> {
    /// Adds a label, unless the name is known.
    pub(crate) fn declare(&mut self, label: Declaration<'a>) {
        debug_assert_eq!(label.kind, DeclarationKind::Label);
        let Declaration { name: Token { text, range }, directive, .. } = label;
        self.0.entry(text).or_insert_with(|| CompactLabel { range, directive, declaration: OnceCell::new() });
    }

    /// The label of a name.
    pub(crate) fn find(&self, name: &str) -> Option<&Declaration<'a>> {
        if self.0.is_empty() {
            return None;
        }
        self.0.get_key_value(name).map(|(name, label)| label.declaration(name))
    }

    /// What the label of a name names.
    pub(crate) fn kind(&self, name: &str) -> Option<LabelKind> {
        if self.0.is_empty() { None } else { self.0.get(name).map(|label| LabelKind::of_directive(&label.directive)) }
    }

    /// All labels, unordered.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Declaration<'a>> {
        self.0.iter().map(|(name, label)| label.declaration(name))
    }
}

impl CompactLabel {
    fn declaration(&self, name: &str) -> &Declaration<'static> {
        self.declaration.get_or_init(|| {
            let name = Token { text: Cow::Owned(name.to_owned()), range: self.range.clone() };
            Box::new(Declaration { directive: self.directive.clone(), ..label(name) })
        })
    }
}
