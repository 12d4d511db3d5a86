//! The state without a client: what is published and what is dropped.

use super::*;
use crate::scheduling::event_queue::{DiagnosticsMode, EventQueue};
use futures::StreamExt;
use serde_json::{Value, json};
use tower_lsp::ls_types as lsp;
use tower_lsp::{ClientSocket, LanguageServer, LspService};

const URI: &str = "file:///a.ptx";

/// A server that does nothing but lend its client.
struct Silent;

impl LanguageServer for Silent {
    async fn initialize(&self, _: lsp::InitializeParams) -> tower_lsp::jsonrpc::Result<lsp::InitializeResult> {
        Ok(lsp::InitializeResult::default())
    }

    async fn shutdown(&self) -> tower_lsp::jsonrpc::Result<()> {
        Ok(())
    }
}

/// A state that tests drive, and its client.
struct Bench {
    state: ServerState,
    events: UnboundedReceiver<ServerEvent>,
    socket: ClientSocket,
}

impl Bench {
    async fn new() -> Self {
        let (event_queue, events) = EventQueue::new();
        let mut client = None;
        let (mut service, socket) = LspService::new(|given| {
            client = Some(given);
            Silent
        });
        let initialize =
            tower_lsp::jsonrpc::Request::build("initialize").params(json!({"capabilities": {}})).id(1).finish();
        tower::Service::call(&mut service, initialize).await.expect("the service lives");
        let publisher = Publisher::start(client.expect("was given"));
        Bench {
            state: ServerState::new(Settings::default(), event_queue, publisher, WorkerPool::new(1)),
            events,
            socket,
        }
    }

    fn open(&mut self, version: i32, text: &str) {
        let (uri, language) = (URI.to_owned(), "ptx".to_owned());
        self.state.handle_or_close(ServerEvent::Open { uri, language, version, text: text.to_owned() });
    }

    fn replace(&mut self, version: i32, text: &str) {
        let changes =
            vec![lsp::TextDocumentContentChangeEvent { range: None, range_length: None, text: text.to_owned() }];
        self.state.handle_or_close(ServerEvent::Change { uri: URI.to_owned(), version, changes });
    }

    /// The next event that a check posts.
    async fn checked(&mut self) -> ServerEvent {
        self.events.recv().await.expect("the state holds the event_queue")
    }

    /// What is published next: its version and how many diagnostics.
    async fn published(&mut self) -> (Value, usize) {
        let request = self.socket.next().await.expect("the publisher lives");
        assert_eq!(request.method(), "textDocument/publishDiagnostics");
        let params = request.params().expect("has parameters").clone();
        (params["version"].clone(), params["diagnostics"].as_array().expect("an array").len())
    }
}

#[tokio::test]
async fn a_stale_answer_is_dropped_and_the_current_text_checked_instead() {
    let mut bench = Bench::new().await;
    bench.open(1, "atom");
    bench.state.start_checks();
    let stale = bench.checked().await;
    bench.replace(2, "");
    bench.replace(3, "// fine");
    bench.state.start_checks();
    assert!(bench.events.try_recv().is_err(), "one check per document at a time");
    bench.state.handle_or_close(stale);
    bench.state.start_checks();
    let current = bench.checked().await;
    bench.state.handle_or_close(current);
    assert_eq!(bench.published().await.0, 3, "versions 1 and 2 are never spoken of");
    bench.state.start_checks();
    assert!(bench.events.try_recv().is_err(), "what is checked is not checked again");
}

#[tokio::test]
async fn an_answer_about_a_document_that_was_closed_or_opened_anew_is_dropped() {
    let mut bench = Bench::new().await;
    bench.open(1, "first");
    bench.state.start_checks();
    let first = bench.checked().await;
    bench.state.handle_or_close(ServerEvent::Close { uri: URI.to_owned() });
    assert_eq!(bench.published().await, (Value::Null, 0));
    bench.open(1, "second");
    bench.state.start_checks();
    bench.state.handle_or_close(first);
    let second = bench.checked().await;
    bench.state.handle_or_close(ServerEvent::Close { uri: URI.to_owned() });
    bench.state.handle_or_close(second);
    bench.open(7, "");
    bench.state.start_checks();
    let third = bench.checked().await;
    bench.state.handle_or_close(third);
    assert_eq!(bench.published().await, (Value::Null, 0), "the second closing");
    assert_eq!(bench.published().await.0, 7);
}

#[tokio::test]
async fn a_check_that_failed_is_logged_and_does_not_stop_the_next() {
    let mut bench = Bench::new().await;
    bench.open(1, "x");
    bench.state.start_checks();
    let ServerEvent::CheckFinished { uri, revision, .. } = bench.checked().await else {
        panic!("a check posts its end")
    };
    bench.state.handle_or_close(ServerEvent::CheckFinished { uri, revision, outcome: None });
    assert_eq!(bench.socket.next().await.expect("the publisher lives").method(), "window/logMessage");
    bench.state.start_checks();
    assert!(bench.events.try_recv().is_err(), "not again before the text changes");
    bench.replace(2, "");
    bench.state.start_checks();
    let next = bench.checked().await;
    bench.state.handle_or_close(next);
    assert_eq!(bench.published().await.0, 2);
}

#[tokio::test]
async fn a_client_that_pulls_after_the_first_check_gets_no_push() {
    let mut bench = Bench::new().await;
    bench.state.features.pulls = true;
    bench.open(1, "atom");
    bench.state.start_checks();
    let first = bench.checked().await;
    bench.state.handle_or_close(first);
    let (reply, _snapshot) = tokio::sync::oneshot::channel();
    let (uri, diagnostics) = (URI.to_owned(), DiagnosticsMode::Pulled);
    bench.state.handle_or_close(ServerEvent::Snapshot { uri: uri.clone(), diagnostics, reply });
    bench.state.handle_or_close(ServerEvent::PushDue { uri: uri.clone() });
    bench.state.handle_or_close(ServerEvent::Close { uri });
    assert_eq!(bench.published().await, (Value::Null, 0), "the closing, and nothing before it");
}

#[tokio::test]
async fn a_look_sees_the_text_of_its_place_in_the_order() {
    let mut bench = Bench::new().await;
    bench.open(1, "one");
    let mut looks = Vec::new();
    for version in 2..6 {
        bench.replace(version, &format!("text {version}"));
        let (reply, snapshot) = tokio::sync::oneshot::channel();
        bench.state.handle_or_close(ServerEvent::Snapshot {
            uri: URI.to_owned(),
            diagnostics: DiagnosticsMode::Unchanged,
            reply,
        });
        looks.push((version, snapshot));
    }
    for (version, snapshot) in looks {
        let snapshot = snapshot.await.expect("the document is open");
        assert_eq!((snapshot.version, snapshot.source.rope().to_string()), (version, format!("text {version}")));
    }
}
