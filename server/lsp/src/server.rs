//! The methods of the protocol: notifications go to the event queue, requests to their handlers.
//!
//! What must happen in the order of arrival is posted before the first await.

use crate::client::client_features::ClientFeatures;
use crate::client::progress::Progress;
use crate::configuration::settings::SECTION;
use crate::connection::client_process::ClientProcess;
use crate::documents::document_snapshot::DocumentSnapshot;
use crate::handlers;
use crate::handlers::semantic_tokens;
use crate::handlers::workspace_diagnostic;
use crate::handlers::workspace_diagnostic::Former;
use crate::requests::{RequestRunner, request_failed};
use crate::scheduling::event_queue::{EventQueue, ServerEvent};
use crate::scheduling::work::{CancelFlag, WorkerPool};
use crate::server_capabilities::{capabilities, registrations};
use crate::uri;
use ide::features::ReferenceFilter;
use serde_json::Value;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tower_lsp::jsonrpc::Result;
use tower_lsp::ls_types as lsp;
use tower_lsp::ls_types::request::{
    GotoDeclarationParams, GotoDeclarationResponse, GotoImplementationParams, GotoImplementationResponse,
};
use tower_lsp::{Client, LanguageServer};

/// The server for tower-lsp. All state is behind the event queue.
pub struct Server {
    pub(crate) client: Client,
    pub(crate) queue: EventQueue,
    pub(crate) requests: RequestRunner,
    pub(crate) features: OnceLock<ClientFeatures>,
    configuration_requests: AtomicU64,
    client_process: ClientProcess,
}

impl Server {
    /// A server for a client, with an event queue and a worker pool.
    pub fn new(client: Client, queue: EventQueue, workers: WorkerPool, client_process: ClientProcess) -> Self {
        let requests = RequestRunner::new(queue.clone(), workers);
        let (features, configuration_requests) = (OnceLock::new(), AtomicU64::new(0));
        Server { client, queue, requests, features, configuration_requests, client_process }
    }

    /// Requests the section `ptxAtomics` of the client's configuration.
    async fn configure(&self, pushed: Value) {
        let request = self.configuration_requests.fetch_add(1, Ordering::SeqCst) + 1;
        let mut section = pushed;
        if self.features.get().is_some_and(|features| features.configuration) {
            let item = lsp::ConfigurationItem { scope_uri: None, section: Some(SECTION.to_owned()) };
            if let Ok(answer) = self.client.configuration(vec![item]).await {
                section = answer.into_iter().next().filter(|answer| !answer.is_null()).unwrap_or(section);
            }
        }
        self.queue.post(ServerEvent::Configure { request, section });
    }
}

impl LanguageServer for Server {
    async fn initialize(&self, params: lsp::InitializeParams) -> Result<lsp::InitializeResult> {
        let features = ClientFeatures::of(&params.capabilities);
        let features = *self.features.get_or_init(|| features);
        let roots = uri::roots(&params);
        if let Some(id) = params.process_id {
            self.client_process.watch(id);
        }
        let options = params.initialization_options.unwrap_or_default();
        self.queue.post(ServerEvent::Start { features, options, roots });
        Ok(lsp::InitializeResult {
            capabilities: capabilities(&features),
            server_info: Some(lsp::ServerInfo {
                name: "ptx-atomics".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            ..lsp::InitializeResult::default()
        })
    }

    async fn initialized(&self, _: lsp::InitializedParams) {
        let Some(features) = self.features.get() else { return };
        let wanted = registrations(features);
        if !wanted.is_empty() {
            let _ = self.client.register_capability(wanted).await;
        }
        if features.configuration {
            self.configure(Value::Null).await;
        }
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_open(&self, params: lsp::DidOpenTextDocumentParams) {
        let lsp::TextDocumentItem { uri, language_id, version, text } = params.text_document;
        self.queue.post(ServerEvent::Open { uri: uri.as_str().to_owned(), language: language_id, version, text });
    }

    async fn did_change(&self, params: lsp::DidChangeTextDocumentParams) {
        let lsp::VersionedTextDocumentIdentifier { uri, version } = params.text_document;
        self.queue.post(ServerEvent::Change { uri: uri.as_str().to_owned(), version, changes: params.content_changes });
    }

    async fn did_save(&self, _: lsp::DidSaveTextDocumentParams) {
        // Clients that do not watch files still report saves, which may be of settings.
        self.queue.post(ServerEvent::Reconfigure);
    }

    async fn did_change_watched_files(&self, _: lsp::DidChangeWatchedFilesParams) {
        self.queue.post(ServerEvent::Reconfigure);
    }

    async fn did_close(&self, params: lsp::DidCloseTextDocumentParams) {
        self.queue.post(ServerEvent::Close { uri: params.text_document.uri.as_str().to_owned() });
    }

    async fn did_change_configuration(&self, params: lsp::DidChangeConfigurationParams) {
        self.configure(params.settings).await;
    }

    async fn hover(&self, params: lsp::HoverParams) -> Result<Option<lsp::Hover>> {
        self.hover_at(params.text_document_position_params).await
    }

    async fn completion(&self, params: lsp::CompletionParams) -> Result<Option<lsp::CompletionResponse>> {
        self.requests
            .at(params.text_document_position, |snapshot, position| {
                Some(handlers::completion::completion(snapshot, position))
            })
            .await
    }

    async fn completion_resolve(&self, mut item: lsp::CompletionItem) -> Result<lsp::CompletionItem> {
        let Some((uri, position)) = handlers::completion::origin(&item) else { return Ok(item) };
        let label = item.label.clone();
        let handler = move |snapshot: &DocumentSnapshot, _: &CancelFlag| {
            handlers::completion::documentation(snapshot, position, &label)
        };
        item.documentation = self.requests.on(&uri, handler).await?;
        Ok(item)
    }

    async fn symbol(&self, params: lsp::WorkspaceSymbolParams) -> Result<Option<lsp::WorkspaceSymbolResponse>> {
        let Ok(workspace) = self.queue.workspace_snapshot().await else { return Ok(None) };
        let handler =
            move |cancel: &CancelFlag| handlers::workspace_symbol::workspace_symbol(&workspace, &params.query, cancel);
        let found = self.requests.work(handler).await?;
        Ok(found.map(lsp::WorkspaceSymbolResponse::Nested))
    }

    async fn code_action(&self, params: lsp::CodeActionParams) -> Result<Option<lsp::CodeActionResponse>> {
        let uri = params.text_document.uri.clone();
        self.requests
            .on(&uri, move |snapshot, cancel| handlers::code_action::code_action(snapshot, &params, cancel))
            .await
    }

    async fn diagnostic(&self, params: lsp::DocumentDiagnosticParams) -> Result<lsp::DocumentDiagnosticReportResult> {
        let former = params.previous_result_id;
        let handler = move |snapshot: &DocumentSnapshot, cancel: &CancelFlag| {
            handlers::diagnostic::diagnostic(snapshot, former.as_deref(), cancel)
        };
        Ok(self
            .requests
            .pulling(&params.text_document.uri, handler)
            .await?
            .unwrap_or_else(handlers::diagnostic::nothing)
            .into())
    }

    async fn workspace_diagnostic(
        &self,
        params: lsp::WorkspaceDiagnosticParams,
    ) -> Result<lsp::WorkspaceDiagnosticReportResult> {
        let workspace = self.queue.workspace_snapshot();
        let former: Former = params.previous_result_ids.into_iter().map(|id| (id.uri.to_string(), id.value)).collect();
        let former = Arc::new(former);
        let mut items = Vec::new();
        if let Ok(workspace) = workspace.await {
            let workspace = Arc::new(workspace);
            let (all, known) = (workspace.clone(), former.clone());
            let places = self.requests.work(move |cancel| workspace_diagnostic::places(&all, &known, cancel)).await?;
            let mut steps =
                Progress::new(&self.client, params.work_done_progress_params, "Checking PTX", places.len()).await;
            for place in places {
                let (workspace, former) = (workspace.clone(), former.clone());
                let report =
                    move |cancel: &CancelFlag| workspace_diagnostic::report(&workspace, place, &former, cancel);
                items.extend(self.requests.work(report).await.ok().flatten());
                steps.step().await;
            }
            steps.finish().await;
        }
        Ok(lsp::WorkspaceDiagnosticReport { items }.into())
    }

    async fn did_change_workspace_folders(&self, params: lsp::DidChangeWorkspaceFoldersParams) {
        let lsp::WorkspaceFoldersChangeEvent { added, removed } = params.event;
        self.queue.post(ServerEvent::Folders { added: uri::paths(&added), removed: uri::paths(&removed) });
    }

    async fn document_symbol(&self, params: lsp::DocumentSymbolParams) -> Result<Option<lsp::DocumentSymbolResponse>> {
        self.requests
            .on(&params.text_document.uri, |snapshot, _| handlers::document_symbol::document_symbol(snapshot))
            .await
    }

    async fn goto_definition(&self, params: lsp::GotoDefinitionParams) -> Result<Option<lsp::GotoDefinitionResponse>> {
        self.requests.at(params.text_document_position_params, handlers::goto::definition).await
    }

    async fn goto_declaration(&self, params: GotoDeclarationParams) -> Result<Option<GotoDeclarationResponse>> {
        self.requests.at(params.text_document_position_params, handlers::goto::declaration).await
    }

    async fn goto_implementation(
        &self,
        params: GotoImplementationParams,
    ) -> Result<Option<GotoImplementationResponse>> {
        let found = self.generated_ptx(params.text_document_position_params).await?;
        Ok((!found.is_empty()).then_some(GotoImplementationResponse::Array(found)))
    }

    async fn references(&self, params: lsp::ReferenceParams) -> Result<Option<Vec<lsp::Location>>> {
        let filter = match params.context.include_declaration {
            true => ReferenceFilter::All,
            false => ReferenceFilter::UsesOnly,
        };
        let handler =
            move |snapshot: &DocumentSnapshot, position| handlers::goto::references(snapshot, position, filter);
        self.requests.at(params.text_document_position, handler).await
    }

    async fn document_highlight(
        &self,
        params: lsp::DocumentHighlightParams,
    ) -> Result<Option<Vec<lsp::DocumentHighlight>>> {
        let handler = |snapshot: &DocumentSnapshot, position| {
            Some(handlers::document_highlight::document_highlight(snapshot, position))
        };
        self.requests.at(params.text_document_position_params, handler).await
    }

    async fn prepare_rename(
        &self,
        params: lsp::TextDocumentPositionParams,
    ) -> Result<Option<lsp::PrepareRenameResponse>> {
        let handler = |snapshot: &DocumentSnapshot, position| Some(handlers::rename::prepare(snapshot, position));
        self.requests.at(params, handler).await?.transpose().map_err(request_failed)
    }

    async fn rename(&self, params: lsp::RenameParams) -> Result<Option<lsp::WorkspaceEdit>> {
        let name = params.new_name;
        let handler =
            move |snapshot: &DocumentSnapshot, position| Some(handlers::rename::rename(snapshot, position, &name));
        self.requests
            .at(params.text_document_position, handler)
            .await?
            .transpose()
            .map(Option::flatten)
            .map_err(request_failed)
    }

    async fn linked_editing_range(
        &self,
        params: lsp::LinkedEditingRangeParams,
    ) -> Result<Option<lsp::LinkedEditingRanges>> {
        self.requests.at(params.text_document_position_params, handlers::rename::linked).await
    }

    async fn prepare_call_hierarchy(
        &self,
        params: lsp::CallHierarchyPrepareParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyItem>>> {
        self.requests.at(params.text_document_position_params, handlers::call_hierarchy::prepare).await
    }

    async fn incoming_calls(
        &self,
        params: lsp::CallHierarchyIncomingCallsParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyIncomingCall>>> {
        let uri = params.item.uri.clone();
        let name = handlers::call_hierarchy::written_name(params.item);
        self.requests.on(&uri, move |snapshot, _| Some(handlers::call_hierarchy::incoming(snapshot, &name))).await
    }

    async fn outgoing_calls(
        &self,
        params: lsp::CallHierarchyOutgoingCallsParams,
    ) -> Result<Option<Vec<lsp::CallHierarchyOutgoingCall>>> {
        let uri = params.item.uri.clone();
        let name = handlers::call_hierarchy::written_name(params.item);
        self.requests.on(&uri, move |snapshot, _| Some(handlers::call_hierarchy::outgoing(snapshot, &name))).await
    }

    async fn code_lens(&self, params: lsp::CodeLensParams) -> Result<Option<Vec<lsp::CodeLens>>> {
        self.requests
            .on(&params.text_document.uri, |snapshot, _| Some(handlers::execution::evaluation::code_lens(snapshot)))
            .await
    }

    async fn execute_command(&self, params: lsp::ExecuteCommandParams) -> Result<Option<lsp::LSPAny>> {
        self.execute(&params.command, &params.arguments).await
    }

    async fn folding_range(&self, params: lsp::FoldingRangeParams) -> Result<Option<Vec<lsp::FoldingRange>>> {
        self.requests
            .on(&params.text_document.uri, |snapshot, _| Some(handlers::folding_range::folding_range(snapshot)))
            .await
    }

    async fn selection_range(&self, params: lsp::SelectionRangeParams) -> Result<Option<Vec<lsp::SelectionRange>>> {
        let positions = params.positions;
        let handler = move |snapshot: &DocumentSnapshot, _: &CancelFlag| {
            Some(handlers::selection_range::selection_range(snapshot, &positions))
        };
        self.requests.on(&params.text_document.uri, handler).await
    }

    async fn document_link(&self, params: lsp::DocumentLinkParams) -> Result<Option<Vec<lsp::DocumentLink>>> {
        self.requests
            .on(&params.text_document.uri, |snapshot, _| Some(handlers::document_link::document_link(snapshot)))
            .await
    }

    async fn inlay_hint(&self, params: lsp::InlayHintParams) -> Result<Option<Vec<lsp::InlayHint>>> {
        let range = params.range;
        let handler =
            move |snapshot: &DocumentSnapshot, _: &CancelFlag| Some(handlers::inlay_hint::inlay_hint(snapshot, range));
        self.requests.on(&params.text_document.uri, handler).await
    }

    async fn signature_help(&self, params: lsp::SignatureHelpParams) -> Result<Option<lsp::SignatureHelp>> {
        self.requests.at(params.text_document_position_params, handlers::signature_help::signature_help).await
    }

    async fn semantic_tokens_full(
        &self,
        params: lsp::SemanticTokensParams,
    ) -> Result<Option<lsp::SemanticTokensResult>> {
        let queue = self.queue.clone();
        let handler =
            move |snapshot: &DocumentSnapshot, _: &CancelFlag| Some(semantic_tokens::full_for_delta(&queue, snapshot));
        Ok(self.requests.on(&params.text_document.uri, handler).await?.map(lsp::SemanticTokensResult::Tokens))
    }

    async fn semantic_tokens_full_delta(
        &self,
        params: lsp::SemanticTokensDeltaParams,
    ) -> Result<Option<lsp::SemanticTokensFullDeltaResult>> {
        let (queue, former) = (self.queue.clone(), params.previous_result_id);
        let handler = move |snapshot: &DocumentSnapshot, _: &CancelFlag| {
            let now = semantic_tokens::full_for_delta(&queue, snapshot);
            let known = snapshot.tokens.as_ref().filter(|(revision, _)| revision.to_string() == former);
            Some(match known {
                Some((_, numbers)) => semantic_tokens::delta(&semantic_tokens::tokens(numbers), now).into(),
                None => lsp::SemanticTokensFullDeltaResult::Tokens(now),
            })
        };
        self.requests.on(&params.text_document.uri, handler).await
    }

    async fn semantic_tokens_range(
        &self,
        params: lsp::SemanticTokensRangeParams,
    ) -> Result<Option<lsp::SemanticTokensRangeResult>> {
        let range = params.range;
        let handler =
            move |snapshot: &DocumentSnapshot, _: &CancelFlag| Some(semantic_tokens::range(snapshot, range).into());
        self.requests.on(&params.text_document.uri, handler).await
    }

    async fn formatting(&self, params: lsp::DocumentFormattingParams) -> Result<Option<Vec<lsp::TextEdit>>> {
        let handler = move |snapshot: &DocumentSnapshot, _: &CancelFlag| {
            Some(handlers::formatting::full(snapshot, &params.options))
        };
        self.requests.on(&params.text_document.uri, handler).await
    }

    async fn range_formatting(&self, params: lsp::DocumentRangeFormattingParams) -> Result<Option<Vec<lsp::TextEdit>>> {
        let handler = move |snapshot: &DocumentSnapshot, _: &CancelFlag| {
            Some(handlers::formatting::range(snapshot, params.range, &params.options))
        };
        self.requests.on(&params.text_document.uri, handler).await
    }

    async fn on_type_formatting(
        &self,
        params: lsp::DocumentOnTypeFormattingParams,
    ) -> Result<Option<Vec<lsp::TextEdit>>> {
        let options = params.options;
        let handler = move |snapshot: &DocumentSnapshot, position| {
            Some(handlers::formatting::on_type(snapshot, position, &options))
        };
        self.requests.at(params.text_document_position, handler).await
    }
}
