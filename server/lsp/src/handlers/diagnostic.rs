//! `textDocument/diagnostic`: diagnostics for a client that pulls them.

use crate::documents::checked_document::converted;
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::scheduling::work::CancelFlag;
use lints::Check;
use tower_lsp::ls_types as lsp;

/// A full report, or an unchanged report if the previous result id still applies.
pub fn diagnostic(
    snapshot: &DocumentSnapshot,
    former: Option<&str>,
    cancel: &CancelFlag,
) -> Option<lsp::DocumentDiagnosticReport> {
    let result_id = snapshot.result_id();
    if former == Some(&result_id) {
        return Some(unchanged(result_id));
    }
    let (_, shown) = snapshot.shown(cancel)?;
    Some(report(Some(result_id), converted(snapshot, &shown.diagnostics)))
}

/// A full report of all diagnostics with its result id; `None` if it was cancelled.
pub fn all<S: Check + ?Sized>(
    snapshot: &DocumentSnapshot<S>,
    result_id: String,
    cancel: &CancelFlag,
) -> Option<lsp::DocumentDiagnosticReport> {
    let diagnostics = snapshot.diagnostics(cancel)?;
    Some(report(Some(result_id), converted(snapshot, &diagnostics)))
}

/// An unchanged report with its result id.
pub fn unchanged(result_id: String) -> lsp::DocumentDiagnosticReport {
    let unchanged = lsp::UnchangedDocumentDiagnosticReport { result_id };
    let report = lsp::RelatedUnchangedDocumentDiagnosticReport {
        related_documents: None,
        unchanged_document_diagnostic_report: unchanged,
    };
    report.into()
}

/// The report of a document that does not exist: no diagnostics.
pub fn nothing() -> lsp::DocumentDiagnosticReport {
    report(None, Vec::new())
}

fn report(result_id: Option<String>, items: Vec<lsp::Diagnostic>) -> lsp::DocumentDiagnosticReport {
    let full = lsp::FullDocumentDiagnosticReport { result_id, items };
    lsp::RelatedFullDocumentDiagnosticReport { related_documents: None, full_document_diagnostic_report: full }.into()
}
