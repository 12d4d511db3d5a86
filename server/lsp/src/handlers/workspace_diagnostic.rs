//! `workspace/diagnostic`: diagnostics of all documents in the workspace folders, open or not.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::documents::workspace_snapshot::{ClosedFile, WorkspaceSnapshot};
use crate::handlers::diagnostic;
use crate::scheduling::work::CancelFlag;
use std::collections::{BTreeMap, BTreeSet};
use tower_lsp::ls_types as lsp;

/// A document to report.
pub enum WorkspaceDocument {
    /// An open document.
    Open(Box<DocumentSnapshot>),
    /// A file that is not open.
    ClosedFile(Box<ClosedFile>),
    /// A document of an earlier report that is gone.
    Gone(lsp::Uri),
}

/// The client's previous result ids, by document.
pub type Former = BTreeMap<String, String>;

/// The documents to check, each once, open ones first.
pub fn places(workspace: &WorkspaceSnapshot, former: &Former, cancel: &CancelFlag) -> Vec<WorkspaceDocument> {
    let closed = workspace.closed(cancel);
    let names = workspace.documents.iter().map(|snapshot| snapshot.uri.as_str());
    let known: BTreeSet<&str> = names.chain(closed.iter().map(|file| file.uri.as_str())).collect();
    let gone = former.keys().filter(|uri| !known.contains(uri.as_str())).filter_map(|uri| uri.parse().ok());
    let gone: Vec<WorkspaceDocument> = gone.map(WorkspaceDocument::Gone).collect();
    let open = workspace.documents.iter().map(|snapshot| WorkspaceDocument::Open(Box::new(snapshot.clone())));
    open.chain(closed.into_iter().map(|file| WorkspaceDocument::ClosedFile(Box::new(file)))).chain(gone).collect()
}

/// The report of a document; `None` if it was cancelled or cannot be read.
pub fn report(
    workspace: &WorkspaceSnapshot,
    place: WorkspaceDocument,
    former: &Former,
    cancel: &CancelFlag,
) -> Option<lsp::WorkspaceDocumentDiagnosticReport> {
    match place {
        WorkspaceDocument::Open(snapshot) => {
            let uri = snapshot.uri.parse().ok()?;
            let report = diagnostic::diagnostic(&snapshot, former.get(&snapshot.uri).map(String::as_str), cancel)?;
            Some(located(uri, Some(i64::from(snapshot.version)), report))
        }
        WorkspaceDocument::ClosedFile(file) => {
            let state = file.state()?;
            let report = if former.get(file.uri.as_str()) == Some(&state) {
                diagnostic::unchanged(state)
            } else {
                diagnostic::all(&workspace.lint(&file)?, state, cancel)?
            };
            Some(located(file.uri, None, report))
        }
        WorkspaceDocument::Gone(uri) => Some(located(uri, None, diagnostic::nothing())),
    }
}

fn located(
    uri: lsp::Uri,
    version: Option<i64>,
    report: lsp::DocumentDiagnosticReport,
) -> lsp::WorkspaceDocumentDiagnosticReport {
    match report {
        lsp::DocumentDiagnosticReport::Full(report) => lsp::WorkspaceFullDocumentDiagnosticReport {
            uri,
            version,
            full_document_diagnostic_report: report.full_document_diagnostic_report,
        }
        .into(),
        lsp::DocumentDiagnosticReport::Unchanged(report) => lsp::WorkspaceUnchangedDocumentDiagnosticReport {
            uri,
            version,
            unchanged_document_diagnostic_report: report.unchanged_document_diagnostic_report,
        }
        .into(),
    }
}
