//! `textDocument/codeAction`: fixes and suppressions of the diagnostics in a range, all fixes of a file, and rewrites of instructions.

use crate::client::client_features::CodeActionSupport;
use crate::documents::checked_document::{settings_location, to_lsp};
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers::apply_edit;
use crate::scheduling::work::CancelFlag;
use crate::uri;
use diagnostics::{Diagnostic, Edit, Fix};
use ide::features::ActionKind;
use std::collections::BTreeSet;
use std::ops::Range;
use std::sync::Arc;
use tower_lsp::ls_types as lsp;

/// The supported kinds.
pub const KINDS: [lsp::CodeActionKind; 4] = [
    lsp::CodeActionKind::QUICKFIX,
    SUPPRESS,
    lsp::CodeActionKind::REFACTOR_REWRITE,
    lsp::CodeActionKind::SOURCE_FIX_ALL,
];

/// The kind of suppressions, so that clients can show them as one group.
const SUPPRESS: lsp::CodeActionKind = lsp::CodeActionKind::new("quickfix.suppress");

/// Fixes in the order of their diagnostics, the preferred one of each first, then rewrites, then suppressions.
pub fn code_action(
    snapshot: &DocumentSnapshot,
    params: &lsp::CodeActionParams,
    cancel: &CancelFlag,
) -> Option<lsp::CodeActionResponse> {
    let only = params.context.only.as_deref();
    let wanted = |kind| only.is_none_or(|only| only.iter().any(|one| includes(one, &kind)));
    let mut actions = Vec::new();
    let diagnostics = if wanted(SUPPRESS) { snapshot.diagnostics(cancel)? } else { Arc::default() };
    let touched = touched(snapshot, &diagnostics, params.range);
    if wanted(lsp::CodeActionKind::QUICKFIX) {
        actions.extend(fixes(snapshot, &touched));
    }
    if wanted(lsp::CodeActionKind::REFACTOR_REWRITE) {
        actions.extend(rewrites(snapshot, params.range));
    }
    actions.extend(suppressions(snapshot, touched));
    // Fix-all is offered only if the client requests that kind, not in the menu at the cursor.
    if only.is_some() && wanted(lsp::CodeActionKind::SOURCE_FIX_ALL) {
        actions.extend(fix_all(snapshot, cancel)?);
    }
    Some(actions.into_iter().filter_map(|action| for_client(snapshot, action)).collect())
}

/// An action in the form that the client supports.
fn for_client(snapshot: &DocumentSnapshot, action: lsp::CodeAction) -> Option<lsp::CodeActionOrCommand> {
    match snapshot.features.code_actions {
        CodeActionSupport::Literals { preferred } => {
            let is_preferred = action.is_preferred.filter(|_| preferred);
            Some(lsp::CodeActionOrCommand::CodeAction(lsp::CodeAction { is_preferred, ..action }))
        }
        CodeActionSupport::Commands => apply_edit::command(snapshot, action).map(lsp::CodeActionOrCommand::Command),
        CodeActionSupport::None => None,
    }
}

/// Whether a kind equals another or is below it; every kind is below the empty one.
fn includes(family: &lsp::CodeActionKind, kind: &lsp::CodeActionKind) -> bool {
    let rest = kind.as_str().strip_prefix(family.as_str());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.') || family.as_str().is_empty())
}

/// The fixes of diagnostics.
fn fixes(snapshot: &DocumentSnapshot, touched: &[&Diagnostic]) -> Vec<lsp::CodeAction> {
    let mut actions = Vec::new();
    for diagnostic in touched {
        let converted = to_lsp(snapshot, diagnostic);
        let ranked = diagnostic.fixes.iter().enumerate();
        actions.extend(ranked.map(|(rank, fix)| quick_fix(snapshot, fix, &converted, rank == 0)));
        actions.extend(change_settings(snapshot, diagnostic, &converted));
    }
    actions
}

/// The suppressions of the first diagnostic of each rule.
fn suppressions(snapshot: &DocumentSnapshot, touched: Vec<&Diagnostic>) -> Vec<lsp::CodeAction> {
    let mut rules = BTreeSet::new();
    let first = touched.into_iter().filter(|diagnostic| rules.insert(diagnostic.code()));
    let of_rule = |diagnostic| {
        let converted = to_lsp(snapshot, diagnostic);
        let fixes = snapshot.source.suppressions(diagnostic);
        let action =
            |fix: &Fix| lsp::CodeAction { kind: Some(SUPPRESS), ..quick_fix(snapshot, fix, &converted, false) };
        fixes.iter().map(action).collect::<Vec<_>>()
    };
    first.flat_map(of_rule).collect()
}

/// The diagnostics in a range. At a cursor they are those of its line, first those that it touches.
fn touched<'d>(snapshot: &DocumentSnapshot, diagnostics: &'d [Diagnostic], range: lsp::Range) -> Vec<&'d Diagnostic> {
    let touches =
        |one: &Diagnostic, selected: &Range<usize>| one.range.start <= selected.end && selected.start <= one.range.end;
    let (selected, start) = (snapshot.bytes(range), lsp::Position::new(range.start.line, 0));
    let end = lsp::Position::new(range.start.line, snapshot.columns(range.start.line));
    let line = snapshot.bytes(lsp::Range::new(start, end));
    let area = if selected.is_empty() { &line } else { &selected };
    let mut touched: Vec<_> = diagnostics.iter().filter(|one| touches(one, area)).collect();
    touched.sort_by_key(|one| !touches(one, &selected));
    touched
}

/// Changes the target and the PTX version in the settings file that sets them.
fn change_settings(
    snapshot: &DocumentSnapshot,
    diagnostic: &Diagnostic,
    converted: &lsp::Diagnostic,
) -> Option<lsp::CodeAction> {
    let (mut edits, mut changes) = (Vec::new(), Vec::new());
    let places = diagnostic.cause.settings_to_change();
    let file = places.first()?.file;
    for place in &places {
        let needed = place.needed.as_ref()?;
        edits.push(lsp::TextEdit::new(settings_location(snapshot, place)?.range, format!("\"{needed}\"")));
        changes.push(format!("the {} to {needed}", place.setting));
    }
    Some(lsp::CodeAction {
        title: format!("Change {} in `{}`", changes.join(" and "), file.name()),
        kind: Some(lsp::CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![converted.clone()]),
        edit: Some(snapshot.edit_of(uri::uri_of(&file.path)?, None, edits)),
        is_preferred: Some(false),
        ..lsp::CodeAction::default()
    })
}

fn quick_fix(
    snapshot: &DocumentSnapshot,
    fix: &Fix,
    converted: &lsp::Diagnostic,
    is_preferred: bool,
) -> lsp::CodeAction {
    lsp::CodeAction {
        title: fix.title.clone(),
        kind: Some(lsp::CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![converted.clone()]),
        edit: snapshot.workspace_edit(&fix.edits),
        is_preferred: Some(is_preferred),
        ..lsp::CodeAction::default()
    }
}

fn rewrites(snapshot: &DocumentSnapshot, range: lsp::Range) -> Vec<lsp::CodeAction> {
    let actions = snapshot.source.code_actions(snapshot.bytes(range));
    let rewrite = |action: ide::features::Action| lsp::CodeAction {
        title: action.title,
        kind: Some(match action.kind {
            ActionKind::MakeExplicit | ActionKind::ConventionalOrder => lsp::CodeActionKind::REFACTOR_REWRITE,
        }),
        edit: snapshot.workspace_edit(&action.edits),
        ..lsp::CodeAction::default()
    };
    actions.into_iter().map(rewrite).collect()
}

/// The preferred fix of every diagnostic, without those that overlap an earlier one.
fn fix_all(snapshot: &DocumentSnapshot, cancel: &CancelFlag) -> Option<Option<lsp::CodeAction>> {
    let mut edits: Vec<Edit> = Vec::new();
    for fix in snapshot.diagnostics(cancel)?.iter().filter_map(|diagnostic| diagnostic.fixes.first()) {
        let touches = |edit: &Edit| {
            edits.iter().any(|one| one.range.start <= edit.range.end && edit.range.start <= one.range.end)
        };
        if !fix.edits.iter().any(touches) {
            edits.extend(fix.edits.iter().cloned());
        }
    }
    edits.sort_by_key(|edit| edit.range.start);
    Some((!edits.is_empty()).then(|| lsp::CodeAction {
        title: "Apply all safe fixes".to_owned(),
        kind: Some(lsp::CodeActionKind::SOURCE_FIX_ALL),
        edit: snapshot.workspace_edit(&edits),
        ..lsp::CodeAction::default()
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kind_includes_itself_and_its_family_alone() {
        let kind = |name: &'static str| lsp::CodeActionKind::new(name);
        let rewrite = lsp::CodeActionKind::REFACTOR_REWRITE;
        for family in ["", "refactor", "refactor.rewrite"] {
            assert!(includes(&kind(family), &rewrite), "{family}");
        }
        for other in ["quickfix", "refactor.rewrite.more", "refac", "source"] {
            assert!(!includes(&kind(other), &rewrite), "{other}");
        }
    }
}
