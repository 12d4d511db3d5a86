//! The requests of the protocol that one text is enough for.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers;
use crate::handlers::execution::evaluation;
use crate::handlers::execution::evaluation::EvaluationQuestion;
use crate::handlers::execution::kernel_check;
use crate::handlers::execution::kernel_check::CheckRequest;
use crate::handlers::execution::kernel_run;
use crate::handlers::execution::kernel_run::LaunchQuestion;
use crate::handlers::semantic_tokens;
use crate::scheduling::work::CancelFlag;
use ide::features::ReferenceFilter;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tower_lsp::ls_types as lsp;

/// The result of a request about the text, as JSON.
///
/// # Errors
/// The request is unknown, its parameters are not of its form, or it cannot be fulfilled.
pub fn respond(snapshot: &DocumentSnapshot, method: &str, params: Value) -> Result<String, String> {
    let cancel = CancelFlag::default();
    match method {
        "textDocument/diagnostic" => written(handlers::diagnostic::diagnostic(snapshot, None, &cancel)),
        "textDocument/codeAction" => {
            let params: lsp::CodeActionParams = read(params)?;
            written(handlers::code_action::code_action(snapshot, &params, &cancel))
        }
        "textDocument/documentSymbol" => written(handlers::document_symbol::document_symbol(snapshot)),
        "textDocument/foldingRange" => written(handlers::folding_range::folding_range(snapshot)),
        "textDocument/documentLink" => written(handlers::document_link::document_link(snapshot)),
        "textDocument/codeLens" => written(evaluation::code_lens(snapshot)),
        "textDocument/inlayHint" => written(handlers::inlay_hint::inlay_hint(snapshot, range_of(&params)?)),
        "textDocument/semanticTokens/full" => written(semantic_tokens::full(snapshot)),
        "textDocument/semanticTokens/range" => written(semantic_tokens::range(snapshot, range_of(&params)?)),
        "textDocument/selectionRange" => {
            let params: lsp::SelectionRangeParams = read(params)?;
            written(handlers::selection_range::selection_range(snapshot, &params.positions))
        }
        "textDocument/formatting" => {
            let params: lsp::DocumentFormattingParams = read(params)?;
            written(handlers::formatting::full(snapshot, &params.options))
        }
        "textDocument/rangeFormatting" => {
            let params: lsp::DocumentRangeFormattingParams = read(params)?;
            written(handlers::formatting::range(snapshot, params.range, &params.options))
        }
        "callHierarchy/incomingCalls" => {
            let params: lsp::CallHierarchyIncomingCallsParams = read(params)?;
            let name = handlers::call_hierarchy::written_name(params.item);
            written(handlers::call_hierarchy::incoming(snapshot, &name))
        }
        "callHierarchy/outgoingCalls" => {
            let params: lsp::CallHierarchyOutgoingCallsParams = read(params)?;
            let name = handlers::call_hierarchy::written_name(params.item);
            written(handlers::call_hierarchy::outgoing(snapshot, &name))
        }
        "completionItem/resolve" => {
            let mut item: lsp::CompletionItem = read(params)?;
            if let Some((_, position)) = handlers::completion::origin(&item) {
                item.documentation = handlers::completion::documentation(snapshot, position, &item.label);
            }
            written(item)
        }
        "ptxAtomics/target" => written(handlers::target::target(snapshot)),
        "workspace/executeCommand" => execute(snapshot, read(params)?),
        _ => at_position(snapshot, method, params),
    }
}

/// Requests about a position.
fn at_position(snapshot: &DocumentSnapshot, method: &str, params: Value) -> Result<String, String> {
    let lsp::TextDocumentPositionParams { position, .. } = read(params.clone())?;
    match method {
        "textDocument/hover" => written(handlers::hover::hover(snapshot, position)),
        "textDocument/completion" => written(handlers::completion::completion(snapshot, position)),
        "textDocument/signatureHelp" => written(handlers::signature_help::signature_help(snapshot, position)),
        "textDocument/definition" => written(handlers::goto::definition(snapshot, position)),
        "textDocument/declaration" => written(handlers::goto::declaration(snapshot, position)),
        "textDocument/references" => {
            let params: lsp::ReferenceParams = read(params)?;
            let filter =
                if params.context.include_declaration { ReferenceFilter::All } else { ReferenceFilter::UsesOnly };
            written(handlers::goto::references(snapshot, position, filter))
        }
        "textDocument/documentHighlight" => {
            written(handlers::document_highlight::document_highlight(snapshot, position))
        }
        "textDocument/prepareRename" => written(handlers::rename::prepare(snapshot, position)?),
        "textDocument/rename" => {
            let params: lsp::RenameParams = read(params)?;
            written(handlers::rename::rename(snapshot, position, &params.new_name)?)
        }
        "textDocument/linkedEditingRange" => written(handlers::rename::linked(snapshot, position)),
        "textDocument/prepareCallHierarchy" => written(handlers::call_hierarchy::prepare(snapshot, position)),
        "textDocument/onTypeFormatting" => {
            let params: lsp::DocumentOnTypeFormattingParams = read(params)?;
            written(handlers::formatting::on_type(snapshot, position, &params.options))
        }
        "ptxAtomics/executions" => {
            written(handlers::execution::executions::executions(snapshot, position, &CancelFlag::default()))
        }
        _ => Err(format!("unknown request `{method}`")),
    }
}

fn execute(snapshot: &DocumentSnapshot, params: lsp::ExecuteCommandParams) -> Result<String, String> {
    let invalid = || "unknown command or invalid arguments".to_owned();
    match params.command.as_str() {
        evaluation::COMMAND => {
            written(EvaluationQuestion::read(&params.arguments).ok_or_else(invalid)?.answer(snapshot)?)
        }
        kernel_run::COMMAND => {
            written(LaunchQuestion::read(&params.arguments).ok_or_else(invalid)?.answer(snapshot, &|| false)?)
        }
        kernel_check::COMMAND => {
            written(CheckRequest::read(&params.arguments).ok_or_else(invalid)?.answer(snapshot, &|| false)?)
        }
        _ => Err(invalid()),
    }
}

fn range_of(params: &Value) -> Result<lsp::Range, String> {
    read(params.get("range").cloned().unwrap_or_default())
}

fn read<P: DeserializeOwned>(params: Value) -> Result<P, String> {
    serde_json::from_value(params).map_err(|error| format!("invalid parameters: {error}"))
}

fn written(result: impl Serialize) -> Result<String, String> {
    serde_json::to_string(&result).map_err(|error| error.to_string())
}
