//! Diagnostics and their builder.
//!
//! Ranges are byte offsets into the snapshot's text.

use super::cause::{Cause, TargetSource};
use super::fix::{Applicability, Edit, Fix};
use super::rule::Rule;
use super::severity::Severity;
use std::borrow::Cow;
use std::ops::Range;
use syntax::{Declaration, SourceLocation};

/// A related location of a diagnostic, such as the `.target` directive.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Byte range in the same text.
    pub range: Range<usize>,
    /// The message for the location.
    pub message: String,
    /// The thread, if the location is a step of an execution. Steps are in their order.
    pub thread: Option<String>,
}

/// A diagnostic of a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule.
    pub rule: &'static Rule,
    /// The severity: that of the rule, until the settings are applied.
    pub severity: Severity,
    /// The range of the token at fault.
    pub range: Range<usize>,
    /// The cause.
    pub cause: Box<Cause>,
    /// The targets that it applies to, by name; empty if it applies to all checked targets.
    pub targets: Vec<&'static str>,
    /// Related locations.
    pub related: Vec<Related>,
    /// Fixes, the best first.
    pub fixes: Vec<Fix>,
    /// The place that a compiler generated the code from.
    pub source: Option<Box<SourceLocation>>,
}

impl Diagnostic {
    /// A diagnostic with a message.
    pub fn new(rule: &'static Rule, range: Range<usize>, message: impl Into<String>) -> Self {
        Self::because(rule, range, Cause::Stated { message: message.into(), help: String::new() })
    }

    /// A diagnostic with a cause.
    pub fn because(rule: &'static Rule, range: Range<usize>, cause: Cause) -> Self {
        let severity = rule.severity;
        let cause = Box::new(cause);
        let (targets, related, fixes) = (Vec::new(), Vec::new(), Vec::new());
        Diagnostic { rule, severity, range, cause, targets, related, fixes, source: None }
    }

    /// Sets the help.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.cause.set_help(text.into());
        self
    }

    /// Adds a related location.
    pub fn related(mut self, range: Range<usize>, message: impl Into<String>) -> Self {
        self.related.push(Related { range, message: message.into(), thread: None });
        self
    }

    /// Adds the declaration of a name as a related location.
    pub fn declared(self, declaration: Option<&Declaration>) -> Self {
        match declaration {
            Some(declaration) => {
                let message = format!("declared here as {}", what(declaration));
                self.related(declaration.name.range.clone(), message)
            }
            None => self,
        }
    }

    /// Adds a fix, unless it has no edits. It is safe if the fixes of the rule are.
    pub fn fix(self, title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.fix_with(Applicability::Safe, title, edits)
    }

    /// Adds an unsafe fix, unless it has no edits.
    pub fn unsafe_fix(self, title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.fix_with(Applicability::Unsafe, title, edits)
    }

    /// Adds a fix with an applicability, unless it has no edits.
    pub fn fix_with(
        mut self,
        applicability: Applicability,
        title: impl Into<String>,
        edits: impl IntoIterator<Item = Edit>,
    ) -> Self {
        let edits: Vec<_> = edits.into_iter().collect();
        if !edits.is_empty() {
            let applicability = applicability.max(self.rule.fixes);
            self.fixes.push(Fix { title: title.into(), edits, applicability });
        }
        self
    }

    /// The code of its rule.
    pub fn code(&self) -> &'static str {
        self.rule.code
    }

    /// The message.
    pub fn message(&self) -> Cow<'_, str> {
        let message = self.cause.message();
        match self.targets.as_slice() {
            [] => message,
            targets => Cow::Owned(format!("{message} (for {})", targets.join(", "))),
        }
    }

    /// The help; may be empty.
    pub fn help_text(&self) -> Cow<'_, str> {
        self.cause.help_text()
    }

    /// The place that the code was generated from, then those that it was inlined at.
    pub fn source_places(&self) -> impl Iterator<Item = &SourceLocation> {
        self.source.iter().flat_map(|place| place.places())
    }

    /// Where the code was generated from: `a.cu:3:5, inlined at a.cu:9:1`; empty if that is not known.
    pub fn source_text(&self) -> String {
        let place = |place: &SourceLocation| match place.column {
            0 => format!("{}:{}", place.path, place.line),
            column => format!("{}:{}:{column}", place.path, place.line),
        };
        self.source_places().map(place).collect::<Vec<_>>().join(", inlined at ")
    }

    /// Adapts the diagnostic to an `asm` statement, whose target has another source.
    pub fn in_asm_statement(mut self, source: TargetSource) -> Self {
        self.cause.in_asm_statement(source);
        self
    }

    /// The fixes with their applicability. Of several fixes that are not manual, all but the first become manual.
    pub fn applicable(&self) -> impl Iterator<Item = (&Fix, Applicability)> {
        let several = self.fixes.iter().filter(|fix| fix.applicability != Applicability::Manual).count() > 1;
        self.fixes.iter().enumerate().map(move |(at, fix)| match (several, at) {
            (false, _) => (fix, fix.applicability),
            (true, 0) => (fix, fix.applicability.max(Applicability::Unsafe)),
            (true, _) => (fix, Applicability::Manual),
        })
    }

    /// The order of reports: by position, then code.
    pub fn order(&self, other: &Self) -> std::cmp::Ordering {
        let key = |diagnostic: &Self| (diagnostic.range.start, diagnostic.range.end, diagnostic.code());
        key(self).cmp(&key(other))
    }
}

/// A description of a declaration for messages: `.reg .f32`, a label, a function.
fn what(declaration: &Declaration) -> String {
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
