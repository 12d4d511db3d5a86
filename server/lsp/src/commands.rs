//! The server's commands, which a client has executed.

use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers::apply_edit;
use crate::handlers::apply_edit::EditOfVersion;
use crate::handlers::execution::evaluation;
use crate::handlers::execution::evaluation::EvaluationQuestion;
use crate::handlers::execution::kernel_check;
use crate::handlers::execution::kernel_check::CheckRequest;
use crate::handlers::execution::kernel_run;
use crate::handlers::execution::kernel_run::LaunchQuestion;
use crate::requests::request_failed;
use crate::scheduling::work::CancelFlag;
use crate::server::Server;
use serde_json::Value;
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types as lsp;

impl Server {
    /// Executes a command.
    pub(crate) async fn execute(&self, command: &str, arguments: &[Value]) -> Result<Option<lsp::LSPAny>> {
        let invalid = || Error::invalid_params("unknown command or invalid arguments");
        match command {
            evaluation::COMMAND => self.evaluate(EvaluationQuestion::read(arguments).ok_or_else(invalid)?).await,
            kernel_run::COMMAND => self.run_kernel(LaunchQuestion::read(arguments).ok_or_else(invalid)?).await,
            kernel_check::COMMAND => self.check_kernel(CheckRequest::read(arguments).ok_or_else(invalid)?).await,
            apply_edit::COMMAND => self.apply_edit(EditOfVersion::read(arguments).ok_or_else(invalid)?).await,
            _ => Err(invalid()),
        }
    }

    /// Evaluates an atomic, and shows the result where the client does not.
    async fn evaluate(&self, question: EvaluationQuestion) -> Result<Option<lsp::LSPAny>> {
        let uri = question.uri.clone();
        let answer = self.requests.on(&uri, move |snapshot, _| Some(question.answer(snapshot))).await?;
        let Some(line) = answer.transpose().map_err(request_failed)? else { return Ok(None) };
        // Most clients ignore the result of a command.
        if !self.features.get().is_some_and(|features| features.evaluation_results) {
            self.client.show_message(lsp::MessageType::INFO, &line).await;
        }
        Ok(Some(lsp::LSPAny::String(line)))
    }

    /// Runs a kernel, until the client cancels the request, and returns what it did.
    async fn run_kernel(&self, question: LaunchQuestion) -> Result<Option<lsp::LSPAny>> {
        let uri = question.uri.clone();
        let answer = move |snapshot: &DocumentSnapshot, cancel: &CancelFlag| {
            Some(question.answer(snapshot, &|| cancel.is_cancelled()))
        };
        self.requests.launching(&uri, answer).await?.transpose().map_err(request_failed)
    }

    /// Checks a launch of a kernel, until the client cancels the request.
    async fn check_kernel(&self, question: CheckRequest) -> Result<Option<lsp::LSPAny>> {
        let uri = question.uri.clone();
        let answer = move |snapshot: &DocumentSnapshot, cancel: &CancelFlag| {
            Some(question.answer(snapshot, &|| cancel.is_cancelled()))
        };
        self.requests.launching(&uri, answer).await?.transpose().map_err(request_failed)
    }

    /// Has the client apply an edit, unless the document has changed.
    async fn apply_edit(&self, edit: EditOfVersion) -> Result<Option<lsp::LSPAny>> {
        let uri = edit.uri.clone();
        let current = self.requests.on(&uri, move |snapshot, _| edit.is_current(snapshot).then_some(edit.edit)).await?;
        let edit =
            current.ok_or_else(|| request_failed("the document has changed; request the fix again".to_owned()))?;
        let response = self.client.apply_edit(edit).await?;
        match response.applied {
            true => Ok(None),
            false => {
                Err(request_failed(response.failure_reason.unwrap_or_else(|| "the edit was not applied".to_owned())))
            }
        }
    }
}
