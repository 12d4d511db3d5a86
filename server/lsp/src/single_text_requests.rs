//! The requests of the protocol that one text is enough for.

use crate::document_snapshot::DocumentSnapshot;
use crate::handlers::evaluation::{self, EvaluationQuestion};
use crate::handlers::kernel_check::{self, CheckRequest};
use crate::handlers::kernel_run::{self, LaunchQuestion};
use crate::handlers::{self, semantic_tokens};
use crate::work::CancelFlag;
use ide::features::ReferenceFilter;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp::ls_types as lsp;

/// The result of a request about the text.
///
/// # Errors
/// The request is unknown, its parameters are not of its form, or it cannot be fulfilled.
pub fn respond(snapshot: &DocumentSnapshot, method: &str, params: Value) -> Result<Value, String> {
    let cancel = CancelFlag::default();
    match method {
        "textDocument/diagnostic" => to_value(handlers::diagnostic::diagnostic(snapshot, None, &cancel)),
        "textDocument/codeAction" => {
            let params: lsp::CodeActionParams = read(params)?;
            to_value(handlers::code_action::code_action(snapshot, &params, &cancel))
        }
        "textDocument/documentSymbol" => to_value(handlers::document_symbol::document_symbol(snapshot)),
        "textDocument/foldingRange" => to_value(handlers::folding_range::folding_range(snapshot)),
        "textDocument/documentLink" => to_value(handlers::document_link::document_link(snapshot)),
        "textDocument/codeLens" => to_value(evaluation::code_lens(snapshot)),
        "textDocument/inlayHint" => to_value(handlers::inlay_hint::inlay_hint(snapshot, range_of(&params)?)),
        "textDocument/semanticTokens/full" => to_value(semantic_tokens::full(snapshot)),
        "textDocument/semanticTokens/range" => to_value(semantic_tokens::range(snapshot, range_of(&params)?)),
        "textDocument/selectionRange" => {
            let params: lsp::SelectionRangeParams = read(params)?;
            to_value(handlers::selection_range::selection_range(snapshot, &params.positions))
        }
        "textDocument/formatting" => {
            let params: lsp::DocumentFormattingParams = read(params)?;
            to_value(handlers::formatting::full(snapshot, &params.options))
        }
        "textDocument/rangeFormatting" => {
            let params: lsp::DocumentRangeFormattingParams = read(params)?;
            to_value(handlers::formatting::range(snapshot, params.range, &params.options))
        }
        "callHierarchy/incomingCalls" => {
            let params: lsp::CallHierarchyIncomingCallsParams = read(params)?;
            let name = handlers::call_hierarchy::written_name(params.item);
            to_value(handlers::call_hierarchy::incoming(snapshot, &name))
        }
        "callHierarchy/outgoingCalls" => {
            let params: lsp::CallHierarchyOutgoingCallsParams = read(params)?;
            let name = handlers::call_hierarchy::written_name(params.item);
            to_value(handlers::call_hierarchy::outgoing(snapshot, &name))
        }
        "completionItem/resolve" => {
            let mut item: lsp::CompletionItem = read(params)?;
            if let Some((_, position)) = handlers::completion::origin(&item) {
                item.documentation = handlers::completion::documentation(snapshot, position, &item.label);
            }
            to_value(item)
        }
        "ptxAtomics/target" => to_value(handlers::target::target(snapshot)),
        "workspace/executeCommand" => execute(snapshot, read(params)?),
        _ => at_position(snapshot, method, params),
    }
}

/// Requests about a position.
fn at_position(snapshot: &DocumentSnapshot, method: &str, params: Value) -> Result<Value, String> {
    let lsp::TextDocumentPositionParams { position, .. } = read(params.clone())?;
    match method {
        "textDocument/hover" => to_value(handlers::hover::hover(snapshot, position)),
        "textDocument/completion" => to_value(handlers::completion::completion(snapshot, position)),
        "textDocument/signatureHelp" => to_value(handlers::signature_help::signature_help(snapshot, position)),
        "textDocument/definition" => to_value(handlers::goto::definition(snapshot, position)),
        "textDocument/declaration" => to_value(handlers::goto::declaration(snapshot, position)),
        "textDocument/references" => {
            let params: lsp::ReferenceParams = read(params)?;
            let filter =
                if params.context.include_declaration { ReferenceFilter::All } else { ReferenceFilter::UsesOnly };
            to_value(handlers::goto::references(snapshot, position, filter))
        }
        "textDocument/documentHighlight" => {
            to_value(handlers::document_highlight::document_highlight(snapshot, position))
        }
        "textDocument/prepareRename" => to_value(handlers::rename::prepare(snapshot, position)?),
        "textDocument/rename" => {
            let params: lsp::RenameParams = read(params)?;
            to_value(handlers::rename::rename(snapshot, position, &params.new_name)?)
        }
        "textDocument/linkedEditingRange" => to_value(handlers::rename::linked(snapshot, position)),
        "textDocument/prepareCallHierarchy" => to_value(handlers::call_hierarchy::prepare(snapshot, position)),
        "textDocument/onTypeFormatting" => {
            let params: lsp::DocumentOnTypeFormattingParams = read(params)?;
            to_value(handlers::formatting::on_type(snapshot, position, &params.options))
        }
        "ptxAtomics/executions" => {
            to_value(handlers::executions::executions(snapshot, position, &CancelFlag::default()))
        }
        _ => Err(format!("unknown request `{method}`")),
    }
}

fn execute(snapshot: &DocumentSnapshot, params: lsp::ExecuteCommandParams) -> Result<Value, String> {
    let invalid = || "unknown command or invalid arguments".to_owned();
    match params.command.as_str() {
        evaluation::COMMAND => {
            to_value(EvaluationQuestion::read(&params.arguments).ok_or_else(invalid)?.answer(snapshot)?)
        }
        kernel_run::COMMAND => LaunchQuestion::read(&params.arguments).ok_or_else(invalid)?.answer(snapshot),
        kernel_check::COMMAND => CheckRequest::read(&params.arguments).ok_or_else(invalid)?.answer(snapshot, &|| false),
        _ => Err(invalid()),
    }
}

fn range_of(params: &Value) -> Result<lsp::Range, String> {
    read(params.get("range").cloned().unwrap_or_default())
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, String> {
    serde_json::from_value(params).map_err(|error| format!("invalid parameters: {error}"))
}

fn to_value(result: impl Serialize) -> Result<Value, String> {
    serde_json::to_value(result).map_err(|error| error.to_string())
}
