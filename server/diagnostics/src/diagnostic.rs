//! What the engine says about a text: one value, built in one way.
//!
//! Ranges are byte offsets into the snapshot's text.

use super::cause::{Cause, TargetSource};
use super::fix::{Applicability, Edit, Fix};
use super::rule::Rule;
use super::severity::Severity;
use std::borrow::Cow;
use std::ops::Range;
use syntax::Declaration;

/// Another place that a diagnostic speaks of, such as the `.target` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Byte range in the same text.
    pub range: Range<usize>,
    /// What is to be seen there.
    pub message: String,
}

/// Something that a rule found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// The rule.
    pub rule: &'static Rule,
    /// How bad it is: as the rule has it, until the settings have had their say.
    pub severity: Severity,
    /// The very token at fault.
    pub range: Range<usize>,
    /// Why.
    pub cause: Box<Cause>,
    /// The targets that it holds for, by name; empty where it holds for all that are checked.
    pub targets: Vec<&'static str>,
    /// Other places that matter.
    pub related: Vec<Related>,
    /// Ways to fix it, the best first.
    pub fixes: Vec<Fix>,
}

impl Diagnostic {
    /// A diagnostic whose cause the rule words itself: one sentence without a full stop.
    pub fn new(rule: &'static Rule, range: Range<usize>, message: impl Into<String>) -> Self {
        Self::because(rule, range, Cause::Stated { message: message.into(), help: String::new() })
    }

    /// A diagnostic with a cause.
    pub fn because(rule: &'static Rule, range: Range<usize>, cause: Cause) -> Self {
        let severity = rule.severity;
        let cause = Box::new(cause);
        Diagnostic { rule, severity, range, cause, targets: Vec::new(), related: Vec::new(), fixes: Vec::new() }
    }

    /// Says what to write instead.
    pub fn help(mut self, text: impl Into<String>) -> Self {
        self.cause.advise(text.into());
        self
    }

    /// Shows another place.
    pub fn related(mut self, range: Range<usize>, message: impl Into<String>) -> Self {
        self.related.push(Related { range, message: message.into() });
        self
    }

    /// Shows where the name in question is declared.
    pub fn declared(self, declaration: Option<&Declaration>) -> Self {
        match declaration {
            Some(declaration) => {
                let message = format!("declared here as {}", what(declaration));
                self.related(declaration.name.range.clone(), message)
            }
            None => self,
        }
    }

    /// Offers edits, if there are any, that are as safe as the rule's are.
    pub fn fix(self, title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.fix_if(Applicability::Safe, title, edits)
    }

    /// Offers edits, if there are any, that may change what is meant.
    pub fn unsafe_fix(self, title: impl Into<String>, edits: impl IntoIterator<Item = Edit>) -> Self {
        self.fix_if(Applicability::Unsafe, title, edits)
    }

    /// Offers edits, if there are any, with who may apply them.
    pub fn fix_if(
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

    /// The name of its rule.
    pub fn code(&self) -> &'static str {
        self.rule.code
    }

    /// What is wrong and why, one sentence without a full stop.
    pub fn message(&self) -> Cow<'_, str> {
        let message = self.cause.message();
        match self.targets.as_slice() {
            [] => message,
            targets => Cow::Owned(format!("{message} (for {})", targets.join(", "))),
        }
    }

    /// What to write instead; empty where nothing can be said.
    pub fn help_text(&self) -> Cow<'_, str> {
        self.cause.help_text()
    }

    /// The same for a text that lies in an `asm` statement, whose target comes from elsewhere.
    pub fn in_statement(mut self, source: TargetSource) -> Self {
        self.cause.in_statement(source);
        self
    }

    /// The fixes, and who may apply each: of several a person chooses.
    pub fn applicable(&self) -> impl Iterator<Item = (&Fix, Applicability)> {
        let several = self.fixes.len() > 1;
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

/// What a declaration declares, for people: `.reg .f32`, a label, a function.
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
