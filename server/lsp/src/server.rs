//! The protocol's methods, each brought to the mailbox or to its handler.
//!
//! Whatever has to happen in the order of arrival is posted before a method first awaits. Must not know what the methods answer.

use crate::features::Features;
use crate::handlers;
use crate::mailbox::{Event, Mailbox};
use crate::settings::SECTION;
use crate::view::View;
use crate::work::{Cancel, Workers};
use serde_json::{Value, json};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use tower_lsp::jsonrpc::{Error, Result};
use tower_lsp::ls_types as lsp;
use tower_lsp::{Client, LanguageServer};

/// The server as tower-lsp sees it. All state lies behind the mailbox.
pub struct Server {
    client: Client,
    mailbox: Mailbox,
    workers: Workers,
    features: OnceLock<Features>,
    questions: AtomicU64,
}

impl Server {
    /// A server that talks to a client and posts into a mailbox; requests run on the workers.
    pub fn new(client: Client, mailbox: Mailbox, workers: Workers) -> Self {
        Server { client, mailbox, workers, features: OnceLock::new(), questions: AtomicU64::new(0) }
    }

    /// What a handler makes of a document as it is when this is called, not when it is awaited; nothing if there is no such document. When
    /// nobody waits for the answer any more, the handler's flag is set.
    fn answer<R, F>(
        &self,
        uri: &lsp::Uri,
        pulls: bool,
        handler: F,
    ) -> impl Future<Output = Result<Option<R>>> + use<'_, R, F>
    where
        R: Send + 'static,
        F: FnOnce(&View, &Cancel) -> Option<R> + Send + 'static,
    {
        let view = self.mailbox.look(uri, pulls);
        async move {
            let Ok(view) = view.await else { return Ok(None) };
            self.workers.run(move |cancel| handler(&view, cancel)).await.map_err(|_| Error::internal_error())
        }
    }

    /// Asks the client for our section of its configuration.
    async fn configure(&self, pushed: Value) {
        let asked = self.questions.fetch_add(1, Ordering::SeqCst) + 1;
        let mut section = pushed;
        if self.features.get().is_some_and(|features| features.configuration) {
            let item = lsp::ConfigurationItem { scope_uri: None, section: Some(SECTION.to_owned()) };
            if let Ok(answer) = self.client.configuration(vec![item]).await {
                section = answer.into_iter().next().filter(|answer| !answer.is_null()).unwrap_or(section);
            }
        }
        self.mailbox.post(Event::Configure { asked, section });
    }

    /// The text that we believe a document to have.
    pub async fn view_file_text(&self, params: lsp::DocumentSymbolParams) -> Result<Option<Value>> {
        self.answer(&params.text_document.uri, false, |view, _| Some(handlers::view_file_text::view_file_text(view)))
            .await
    }
}

impl LanguageServer for Server {
    async fn initialize(&self, params: lsp::InitializeParams) -> Result<lsp::InitializeResult> {
        let features = Features::of(&params.capabilities);
        let features = *self.features.get_or_init(|| features);
        self.mailbox.post(Event::Start { features, options: params.initialization_options.unwrap_or_default() });
        Ok(lsp::InitializeResult {
            capabilities: features.capabilities(),
            server_info: Some(lsp::ServerInfo {
                name: "ptx-atomics".to_owned(),
                version: Some(env!("CARGO_PKG_VERSION").to_owned()),
            }),
            ..lsp::InitializeResult::default()
        })
    }

    async fn initialized(&self, _: lsp::InitializedParams) {
        let Some(features) = self.features.get() else { return };
        if features.registers_configuration {
            let registration = lsp::Registration {
                id: "configuration".to_owned(),
                method: "workspace/didChangeConfiguration".to_owned(),
                register_options: Some(json!({"section": SECTION})),
            };
            let _ = self.client.register_capability(vec![registration]).await;
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
        self.mailbox.post(Event::Open { uri: uri.as_str().to_owned(), language: language_id, version, text });
    }

    async fn did_change(&self, params: lsp::DidChangeTextDocumentParams) {
        let lsp::VersionedTextDocumentIdentifier { uri, version } = params.text_document;
        self.mailbox.post(Event::Change { uri: uri.as_str().to_owned(), version, changes: params.content_changes });
    }

    async fn did_save(&self, _: lsp::DidSaveTextDocumentParams) {}

    async fn did_close(&self, params: lsp::DidCloseTextDocumentParams) {
        self.mailbox.post(Event::Close { uri: params.text_document.uri.as_str().to_owned() });
    }

    async fn did_change_configuration(&self, params: lsp::DidChangeConfigurationParams) {
        self.configure(params.settings).await;
    }

    async fn hover(&self, params: lsp::HoverParams) -> Result<Option<lsp::Hover>> {
        let lsp::TextDocumentPositionParams { text_document, position } = params.text_document_position_params;
        self.answer(&text_document.uri, false, move |view, _| handlers::hover::hover(view, position)).await
    }

    async fn completion(&self, params: lsp::CompletionParams) -> Result<Option<lsp::CompletionResponse>> {
        let lsp::TextDocumentPositionParams { text_document, position } = params.text_document_position;
        self.answer(&text_document.uri, false, move |view, _| Some(handlers::completion::completion(view, position)))
            .await
    }

    async fn code_action(&self, params: lsp::CodeActionParams) -> Result<Option<lsp::CodeActionResponse>> {
        let uri = params.text_document.uri.clone();
        self.answer(&uri, false, move |view, cancel| handlers::code_action::code_action(view, &params, cancel)).await
    }

    async fn diagnostic(&self, params: lsp::DocumentDiagnosticParams) -> Result<lsp::DocumentDiagnosticReportResult> {
        let former = params.previous_result_id;
        let report = self.answer(&params.text_document.uri, true, move |view, cancel| {
            handlers::diagnostic::diagnostic(view, former.as_deref(), cancel)
        });
        Ok(report.await?.unwrap_or_else(handlers::diagnostic::nothing).into())
    }
}
