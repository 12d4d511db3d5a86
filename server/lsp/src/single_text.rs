//! Requests about one text, answered without a session: for hosts without threads, such as a page.
//!
//! The handlers are those of the server, so the results are, too.

use crate::client_features::ClientFeatures;
use crate::document_snapshot::DocumentSnapshot;
use crate::handlers::evaluation::{self, EvaluationQuestion};
use crate::handlers::kernel_check::{self, CheckRequest};
use crate::handlers::kernel_run::{self, LaunchQuestion};
use crate::handlers::{self, semantic_tokens};
use crate::work::CancelFlag;
use diagnostics::Settings;
use hosts::Language;
use ide::Text;
use ide::features::ReferenceFilter;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::sync::Arc;
use tower_lsp::ls_types as lsp;

/// A text and the requests about it.
#[derive(Deserialize)]
struct TextQuestion {
    /// The document's URI. The requests name it as their `textDocument`.
    uri: String,
    /// The identifier of its language; the URI decides where it is empty.
    #[serde(default, rename = "languageId")]
    language: String,
    text: String,
    /// The client's capabilities, as in `initialize`.
    #[serde(default)]
    capabilities: lsp::ClientCapabilities,
    /// URL template of the pages, as among the server's settings.
    #[serde(default)]
    pages: Option<String>,
    requests: Vec<TextRequest>,
}

/// A request of the protocol.
#[derive(Deserialize)]
struct TextRequest {
    method: String,
    params: Value,
}

/// Answers requests about a text. The question is `{uri, languageId, text, capabilities, pages, requests}`, where a request is `{method, params}`.
/// The answer is a list with an object for each, `{result}` or `{error}`.
///
/// # Errors
/// The question is not of that form, or its language is unknown.
pub fn answer(given: Settings, question: &str) -> Result<String, String> {
    let question: TextQuestion = serde_json::from_str(question).map_err(|error| format!("invalid request: {error}"))?;
    let language = Language::of(&question.language, &question.uri)
        .ok_or_else(|| format!("unknown language `{}`", question.language))?;
    let source = Text::parse(language, &question.text).under(given);
    let features = ClientFeatures::of(&question.capabilities);
    let pages = question.pages.map(Arc::from);
    let mut snapshot = DocumentSnapshot::closed(question.uri, source, pages, features);
    snapshot.found = snapshot.diagnostics(&CancelFlag::default());
    let answers = question.requests.into_iter().map(|request| match respond(&snapshot, request) {
        Ok(result) => json!({ "result": result }),
        Err(message) => json!({ "error": message }),
    });
    Ok(Value::Array(answers.collect()).to_string())
}

fn respond(snapshot: &DocumentSnapshot, request: TextRequest) -> Result<Value, String> {
    let TextRequest { method, params } = request;
    let cancel = CancelFlag::default();
    match method.as_str() {
        "textDocument/diagnostic" => to_value(handlers::diagnostic::diagnostic(snapshot, None, &cancel)),
        "textDocument/codeAction" => {
            let params: lsp::CodeActionParams = read(params)?;
            to_value(handlers::code_action::code_action(snapshot, &params, &cancel))
        }
        "textDocument/documentSymbol" => to_value(handlers::document_symbol::document_symbol(snapshot)),
        "textDocument/foldingRange" => to_value(handlers::folding_range::folding_range(snapshot)),
        "textDocument/codeLens" => to_value(evaluation::code_lens(snapshot)),
        "textDocument/inlayHint" => to_value(handlers::inlay_hint::inlay_hint(snapshot, range_of(&params)?)),
        "textDocument/semanticTokens/range" => to_value(semantic_tokens::range(snapshot, range_of(&params)?)),
        "textDocument/formatting" => {
            let params: lsp::DocumentFormattingParams = read(params)?;
            to_value(handlers::formatting::full(snapshot, &params.options))
        }
        "workspace/executeCommand" => execute(snapshot, read(params)?),
        _ => at_position(snapshot, &method, params),
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
        "textDocument/references" => to_value(handlers::goto::references(snapshot, position, ReferenceFilter::All)),
        "textDocument/documentHighlight" => {
            to_value(handlers::document_highlight::document_highlight(snapshot, position))
        }
        "textDocument/rename" => {
            let params: lsp::RenameParams = read(params)?;
            to_value(handlers::rename::rename(snapshot, position, &params.new_name)?)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(question: &Value) -> Vec<Value> {
        let answers = answer(Settings::default(), &question.to_string()).unwrap();
        serde_json::from_str(&answers).unwrap()
    }

    #[test]
    fn each_request_about_a_text_has_an_answer() {
        let text = ".version 8.6\n.target sm_90\n.address_size 64\n.entry k() { .reg .b32 a; .reg .b64 p;\natom.add.f64 a, [p], a;\n}\n";
        let (uri, position) = ("file:///kernel.ptx", json!({"line": 4, "character": 1}));
        let params = json!({"textDocument": {"uri": uri}, "position": position});
        let capabilities = json!({"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": true}}});
        let pages = "https://a.b/{code}.html";
        let answers =
            ask(&json!({"uri": uri, "text": text, "capabilities": capabilities, "pages": pages, "requests": [
                {"method": "textDocument/diagnostic", "params": params},
                {"method": "textDocument/hover", "params": params},
                {"method": "textDocument/unknown", "params": params},
                {"method": "textDocument/hover", "params": {}},
            ]}));
        let diagnostics = answers[0]["result"]["items"].as_array().unwrap();
        assert_eq!(diagnostics[0]["range"]["start"]["line"], 4, "{diagnostics:?}");
        let page = diagnostics[0]["codeDescription"]["href"].as_str().unwrap();
        assert!(page.starts_with("https://a.b/") && page.ends_with(".html"), "{page}");
        assert!(answers[1]["result"]["contents"]["value"].as_str().unwrap().contains("atom"), "{answers:?}");
        assert_eq!(answers[2]["error"], "unknown request `textDocument/unknown`");
        assert!(answers[3]["error"].as_str().unwrap().starts_with("invalid parameters"), "{answers:?}");
    }

    #[test]
    fn an_unknown_language_is_an_error() {
        let question = json!({"uri": "file:///notes.xyz", "languageId": "xyz", "text": "", "requests": []});
        assert_eq!(answer(Settings::default(), &question.to_string()), Err("unknown language `xyz`".to_owned()));
    }
}
