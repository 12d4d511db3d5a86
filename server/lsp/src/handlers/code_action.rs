//! `textDocument/codeAction`: the fixes of the findings that a range touches.

use crate::publish::diagnostic;
use crate::view::View;
use crate::work::Cancel;
use analysis::Fix;
use tower_lsp::ls_types as lsp;

/// The fixes, in the order of their findings, the best of each finding first.
pub fn code_action(view: &View, params: &lsp::CodeActionParams, cancel: &Cancel) -> Option<lsp::CodeActionResponse> {
    if !wanted(params.context.only.as_deref()) {
        return Some(Vec::new());
    }
    let asked = view.bytes(params.range);
    let mut actions = Vec::new();
    for finding in view.findings(cancel)?.iter() {
        if finding.fixes.is_empty() || finding.range.start > asked.end || finding.range.end < asked.start {
            continue;
        }
        let mends = diagnostic(view, finding);
        for (rank, fix) in finding.fixes.iter().enumerate() {
            actions.push(lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction {
                title: fix.title.clone(),
                kind: Some(lsp::CodeActionKind::QUICKFIX),
                diagnostics: Some(vec![mends.clone()]),
                edit: edit(view, fix),
                is_preferred: Some(rank == 0),
                ..lsp::CodeAction::default()
            }));
        }
    }
    Some(actions)
}

/// Whether a client that names the kinds it wants wants quick fixes: it may name all kinds by an empty one.
fn wanted(only: Option<&[lsp::CodeActionKind]>) -> bool {
    only.is_none_or(|only| {
        only.iter().any(|kind| kind == &lsp::CodeActionKind::QUICKFIX || kind == &lsp::CodeActionKind::EMPTY)
    })
}

fn edit(view: &View, fix: &Fix) -> Option<lsp::WorkspaceEdit> {
    let uri: lsp::Uri = view.uri.parse().ok()?;
    let edits = view.edits(&fix.edits);
    if !view.features.versioned_edits {
        return Some(lsp::WorkspaceEdit { changes: Some([(uri, edits)].into()), ..lsp::WorkspaceEdit::default() });
    }
    let text_document = lsp::OptionalVersionedTextDocumentIdentifier { uri, version: Some(view.version) };
    let edits = edits.into_iter().map(lsp::OneOf::Left).collect();
    let changes = vec![lsp::TextDocumentEdit { text_document, edits }];
    Some(lsp::WorkspaceEdit {
        document_changes: Some(lsp::DocumentChanges::Edits(changes)),
        ..lsp::WorkspaceEdit::default()
    })
}
