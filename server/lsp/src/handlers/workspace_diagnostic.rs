//! `workspace/diagnostic`: the findings in all documents of the client's folders, those that are not open among them.
//!
//! Must not know who sees how far it is.

use super::diagnostic;
use crate::view::View;
use crate::work::Cancel;
use crate::workspace::{Closed, Workspace};
use std::collections::{BTreeMap, BTreeSet};
use tower_lsp::ls_types as lsp;

/// A document that has findings, or might.
pub enum WorkspaceDocument {
    /// One that is open.
    Open(Box<View>),
    /// A file.
    Closed(Box<Closed>),
    /// One that had findings when it was asked for last, and is not there any more.
    Gone(lsp::Uri),
}

/// The names of the answers that the client has, by document.
pub type Former = BTreeMap<String, String>;

/// Where to look: each document once, the open ones first.
pub fn places(workspace: &Workspace, former: &Former) -> Vec<WorkspaceDocument> {
    let closed = workspace.closed();
    let names = workspace.views.iter().map(|view| view.uri.as_str());
    let known: BTreeSet<&str> = names.chain(closed.iter().map(|file| file.uri.as_str())).collect();
    let gone = former.keys().filter(|uri| !known.contains(uri.as_str())).filter_map(|uri| uri.parse().ok());
    let gone: Vec<WorkspaceDocument> = gone.map(WorkspaceDocument::Gone).collect();
    let open = workspace.views.iter().map(|view| WorkspaceDocument::Open(Box::new(view.clone())));
    open.chain(closed.into_iter().map(|file| WorkspaceDocument::Closed(Box::new(file)))).chain(gone).collect()
}

/// What is found there; nothing if it is cancelled or cannot be read.
pub fn report(
    workspace: &Workspace,
    place: WorkspaceDocument,
    former: &Former,
    cancel: &Cancel,
) -> Option<lsp::WorkspaceDocumentDiagnosticReport> {
    match place {
        WorkspaceDocument::Open(view) => {
            let uri = view.uri.parse().ok()?;
            let report = diagnostic::diagnostic(&view, former.get(&view.uri).map(String::as_str), cancel)?;
            Some(located(uri, Some(i64::from(view.version)), report))
        }
        WorkspaceDocument::Closed(file) => {
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
