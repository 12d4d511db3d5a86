//! Findings as diagnostics: what a check found, in the client's words.
//!
//! Must not know who is told, nor when.

use crate::document_snapshot::DocumentSnapshot;
use crate::work::CancelFlag;
use diagnostics::{Diagnostic, Severity, Tag};
use foldhash::fast::FixedState;
use lints::Check;
use serde_json::json;
use std::hash::{BuildHasher, Hash, Hasher};
use std::iter::once;
use std::sync::Arc;
use tower_lsp::ls_types as lsp;

/// Who says so, in every diagnostic.
pub const SOURCE: &str = "ptx-atomics";

/// How many findings of a document a client gets: editors slow down with thousands, and nobody reads them.
const MOST: usize = 2_000;

/// What a check found, in both shapes.
pub struct CheckedDocument {
    /// For us.
    pub findings: Arc<[Diagnostic]>,
    /// For the client.
    pub diagnostics: Vec<lsp::Diagnostic>,
    /// Equal for equal diagnostics, so that no message need be kept to compare with.
    pub digest: u64,
}

impl CheckedDocument {
    /// Checks a document, unless that is cancelled.
    pub fn of<S: Check + ?Sized>(snapshot: &DocumentSnapshot<S>, cancel: &CancelFlag) -> Option<Self> {
        let findings = snapshot.findings(cancel)?;
        let diagnostics: Vec<_> = match findings.len() {
            ..=MOST => findings.iter().map(|finding| diagnostic(snapshot, finding)).collect(),
            all => once(shortened(all)).chain(worst(&findings).map(|finding| diagnostic(snapshot, finding))).collect(),
        };
        let mut hasher = FixedState::default().build_hasher();
        for diagnostic in &diagnostics {
            serde_json::to_string(diagnostic).unwrap_or_default().hash(&mut hasher);
        }
        Some(CheckedDocument { findings, diagnostics, digest: hasher.finish() })
    }
}

/// The worst findings, as many as a client gets, in the order of the text.
fn worst(findings: &[Diagnostic]) -> impl Iterator<Item = &Diagnostic> {
    let mut worst: Vec<usize> = (0..findings.len()).collect();
    worst.sort_by_key(|at| findings[*at].severity);
    worst.truncate(MOST);
    worst.sort_unstable();
    worst.into_iter().map(|at| &findings[at])
}

/// That findings are left out, at the beginning of the text.
fn shortened(all: usize) -> lsp::Diagnostic {
    lsp::Diagnostic {
        range: lsp::Range::default(),
        severity: Some(lsp::DiagnosticSeverity::INFORMATION),
        source: Some(SOURCE.to_owned()),
        message: format!("of {all} findings the {MOST} worst are shown\nhelp: `ptx-atomics lint` prints them all"),
        ..lsp::Diagnostic::default()
    }
}

/// A finding for the client.
pub fn diagnostic<S: Check + ?Sized>(snapshot: &DocumentSnapshot<S>, finding: &Diagnostic) -> lsp::Diagnostic {
    let message = if finding.help_text().is_empty() {
        finding.message().into_owned()
    } else {
        format!("{}\nhelp: {}", finding.message(), finding.help_text())
    };
    let related = finding.related.iter().filter_map(|related| {
        let location = lsp::Location::new(snapshot.uri.parse().ok()?, snapshot.range(&related.range));
        Some(lsp::DiagnosticRelatedInformation { location, message: related.message.clone() })
    });
    let fixes = finding.fixes.iter().map(|fix| json!({"title": fix.title, "edits": snapshot.edits(&fix.edits)}));
    lsp::Diagnostic {
        range: snapshot.range(&finding.range),
        severity: Some(severity(finding.severity)),
        code: Some(lsp::NumberOrString::String(finding.code().to_owned())),
        code_description: page(snapshot, finding.code()),
        tags: finding.rule.tag.map(|found| vec![tag(found)]),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: Some(related.collect::<Vec<_>>()).filter(|related| !related.is_empty()),
        data: (!finding.fixes.is_empty()).then(|| json!({"fixes": fixes.collect::<Vec<_>>()})),
    }
}

/// Where the rule's page can be read, if the client said where pages are.
fn page<S: Check + ?Sized>(snapshot: &DocumentSnapshot<S>, code: &str) -> Option<lsp::CodeDescription> {
    let href = snapshot.pages.as_ref()?.replace("{code}", code).parse().ok()?;
    Some(lsp::CodeDescription { href })
}

fn tag(tag: Tag) -> lsp::DiagnosticTag {
    match tag {
        Tag::Unnecessary => lsp::DiagnosticTag::UNNECESSARY,
        Tag::Deprecated => lsp::DiagnosticTag::DEPRECATED,
    }
}

fn severity(severity: Severity) -> lsp::DiagnosticSeverity {
    match severity {
        Severity::Error => lsp::DiagnosticSeverity::ERROR,
        Severity::Warning => lsp::DiagnosticSeverity::WARNING,
        Severity::Info => lsp::DiagnosticSeverity::INFORMATION,
        Severity::Hint => lsp::DiagnosticSeverity::HINT,
    }
}
