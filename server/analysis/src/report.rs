//! Findings on operands, and the edits that mend them.
//!
//! Must not know when they are due.

use crate::rules::rule;
use crate::{Edit, Finding, Fix, Related};
use std::ops::Range;
use syntax::Declaration;

/// What a check gives: nothing to say, or the one cause.
pub(crate) type Verdict<T = ()> = Result<T, Box<Finding>>;

/// A finding under construction.
pub(crate) fn finding(code: &str, range: Range<usize>, message: impl Into<String>) -> Box<Finding> {
    let rule = rule(code).expect("the rule is registered");
    Box::new(Finding {
        code: rule.code,
        severity: rule.severity,
        range,
        message: message.into(),
        help: String::new(),
        related: Vec::new(),
        fixes: Vec::new(),
    })
}

/// The parts that some findings have and others do not.
pub(crate) trait With {
    /// Says what to write instead.
    fn help(self, help: impl Into<String>) -> Self;
    /// Shows where the name in question is declared.
    fn declared(self, declaration: Option<&Declaration>) -> Self;
    /// Offers edits, if there are any.
    fn fix(self, title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self;
}

impl With for Box<Finding> {
    fn help(mut self, help: impl Into<String>) -> Self {
        self.help = help.into();
        self
    }

    fn declared(mut self, declaration: Option<&Declaration>) -> Self {
        self.related.extend(declaration.map(|declaration| Related {
            range: declaration.name.range.clone(),
            message: format!("declared here as {}", what(declaration)),
        }));
        self
    }

    fn fix(mut self, title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        let edits: Vec<_> = edits.into_iter().collect();
        if !edits.is_empty() {
            self.fixes.push(Fix { title: title.into(), edits });
        }
        self
    }
}

/// What a declaration declares, for people: `.reg .f32`, a label, a function.
pub(crate) fn what(declaration: &Declaration) -> String {
    match declaration.kind {
        syntax::DeclarationKind::Function => "a function".to_owned(),
        syntax::DeclarationKind::Label => "a label".to_owned(),
        syntax::DeclarationKind::Register | syntax::DeclarationKind::Variable => {
            let words = [&declaration.space, &declaration.vector, &declaration.ty];
            let words: Vec<_> = words.iter().map(|word| &*word.text).filter(|word| !word.is_empty()).collect();
            format!("`{}`", words.join(" "))
        }
    }
}

/// Puts a text at a place.
pub(crate) fn insert(at: usize, text: impl Into<String>) -> Edit {
    Edit { range: at..at, text: text.into() }
}

/// Puts a text in the place of another.
pub(crate) fn replace(range: Range<usize>, text: impl Into<String>) -> Edit {
    Edit { range, text: text.into() }
}

/// Takes a text away.
pub(crate) fn remove(range: Range<usize>) -> Edit {
    Edit { range, text: String::new() }
}
