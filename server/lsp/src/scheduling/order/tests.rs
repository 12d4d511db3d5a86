//! The five traps, one by one, in front of tower-lsp's own service and with handlers that wait for what never comes.
//!
//! What is expected holds while those handlers wait, so nothing here depends on time.

use super::*;
use crate::connection::middleware::WithMiddleware;
use futures::future::pending;
use futures::{StreamExt, join};
use serde_json::{Value, json};
use std::sync::{Arc, Mutex};
use tower::Service;
use tower_lsp::jsonrpc::Result;
use tower_lsp::{Client, ClientSocket, LanguageServer, LspService, ls_types as lsp};

/// A server that does everything that has ever stopped one.
struct Careless {
    client: Client,
    applied: Arc<Mutex<Vec<i32>>>,
}

impl LanguageServer for Careless {
    async fn initialize(&self, _: lsp::InitializeParams) -> Result<lsp::InitializeResult> {
        Ok(lsp::InitializeResult::default())
    }

    async fn shutdown(&self) -> Result<()> {
        Ok(())
    }

    async fn did_change(&self, params: lsp::DidChangeTextDocumentParams) {
        let version = params.text_document.version;
        self.applied.lock().expect("no panic").push(version);
        if version == 2 {
            pending::<()>().await;
        }
    }

    async fn hover(&self, params: lsp::HoverParams) -> Result<Option<lsp::Hover>> {
        let seen = self.applied.lock().expect("no panic").clone();
        match params.text_document_position_params.position.line {
            0 => pending().await,
            1 => self.client.configuration(Vec::new()).await.map(|_| None),
            2 => panic!("a bug before the first wait (this test wants one)"),
            3 => {
                futures::pending!();
                panic!("a bug after the first wait (this test wants one)")
            }
            _ => Ok(Some(lsp::Hover {
                contents: lsp::HoverContents::Scalar(lsp::MarkedString::String(format!("{seen:?}"))),
                range: None,
            })),
        }
    }
}

struct Bench {
    service: WithMiddleware<Ordered, LspService<Careless>>,
    socket: ClientSocket,
    applied: Arc<Mutex<Vec<i32>>>,
    requests: i64,
}

impl Bench {
    async fn new() -> Self {
        let applied = Arc::new(Mutex::new(Vec::new()));
        let (service, socket) = LspService::new(|client| Careless { client, applied: applied.clone() });
        let mut bench = Bench { service: WithMiddleware::new(Ordered, service), socket, applied, requests: 0 };
        let started = bench.request("initialize", json!({"capabilities": {}})).await;
        assert!(started.is_some_and(|response| response.is_ok()));
        bench
    }

    fn notify(&mut self, method: &'static str, params: Value) -> ResponseFuture<tower_lsp::ExitedError> {
        self.service.call(Request::build(method).params(params).finish())
    }

    fn request(&mut self, method: &'static str, params: Value) -> impl Future<Output = Option<Response>> + use<> {
        self.requests += 1;
        let answer = self.service.call(Request::build(method).params(params).id(self.requests).finish());
        answer.map(|answer| answer.expect("the service lives"))
    }

    fn hover(&mut self, line: u32) -> impl Future<Output = Option<Response>> + use<> {
        let position = json!({"line": line, "character": 0});
        self.request("textDocument/hover", json!({"textDocument": {"uri": "file:///a.ptx"}, "position": position}))
    }
}

/// A guard against hanging: what is awaited here is there at once, or never.
async fn soon<T>(future: impl Future<Output = T>) -> T {
    tokio::time::timeout(std::time::Duration::from_secs(60), future).await.expect("does not come")
}

fn change(version: i32) -> Value {
    json!({"textDocument": {"uri": "file:///a.ptx", "version": version}, "contentChanges": []})
}

fn error_code(response: &Option<Response>) -> Option<i64> {
    response.as_ref()?.error().map(|error| error.code.code())
}

#[tokio::test]
async fn changes_are_applied_where_they_arrive_even_if_one_waits_afterwards() {
    let mut bench = Bench::new().await;
    let waiting: Vec<_> = (1..=3).map(|version| bench.notify("textDocument/didChange", change(version))).collect();
    let seen = bench.hover(9);
    let later: Vec<_> = (4..=5).map(|version| bench.notify("textDocument/didChange", change(version))).collect();
    assert_eq!(*bench.applied.lock().expect("no panic"), [1, 2, 3, 4, 5]);
    let seen = soon(seen).await.expect("an answer");
    assert_eq!(
        seen.result().expect("a hover")["contents"],
        "[1, 2, 3]",
        "a request sees what came before it, and nothing else"
    );
    drop((waiting, later));
}

#[tokio::test]
async fn a_cancel_is_seen_while_any_number_of_requests_run() {
    let mut bench = Bench::new().await;
    let running: Vec<_> = (0..100).map(|_| bench.hover(0)).collect();
    let cancelled = bench.hover(0);
    let id = bench.requests;
    drop(bench.notify("$/cancelRequest", json!({"id": id})));
    assert_eq!(error_code(&soon(cancelled).await), Some(-32800));
    drop(running);
}

#[tokio::test]
async fn handlers_that_wait_for_the_client_leave_room_for_everything_else() {
    let mut bench = Bench::new().await;
    let waiting: Vec<_> = (0..8).map(|_| tokio::spawn(bench.hover(1))).collect();
    for version in 100..230 {
        soon(bench.notify("textDocument/didChange", change(version))).await.expect("the service lives");
    }
    assert!(soon(bench.hover(9)).await.expect("an answer").is_ok());
    let (mut asked, mut answers) = bench.socket.split();
    for _ in 0..8 {
        let request = soon(asked.next()).await.expect("the handler asks");
        let answer = Response::from_ok(request.id().expect("is a request").clone(), json!([]));
        futures::SinkExt::send(&mut answers, answer).await.expect("the service lives");
    }
    for handler in waiting {
        assert!(soon(handler).await.expect("no panic").expect("an answer").is_ok());
    }
}

#[tokio::test]
async fn an_answer_to_a_question_whose_asker_was_cancelled_is_nothing() {
    let mut bench = Bench::new().await;
    let asking = tokio::spawn(bench.hover(1));
    let request = soon(bench.socket.next()).await.expect("the handler asks");
    let id = bench.requests;
    drop(bench.notify("$/cancelRequest", json!({"id": id})));
    assert_eq!(error_code(&soon(asking).await.expect("no panic")), Some(-32800));
    let answer = Response::from_ok(request.id().expect("is a request").clone(), json!([]));
    futures::SinkExt::send(&mut bench.socket, answer).await.expect("the service lives");
    assert!(soon(bench.hover(9)).await.expect("an answer").is_ok());
}

#[tokio::test]
async fn a_handler_that_panics_answers_an_error_and_the_next_one_answers() {
    let mut bench = Bench::new().await;
    let (before, after) = (bench.hover(2), bench.hover(3));
    let (before, after) = join!(before, after);
    assert_eq!((error_code(&before), error_code(&after)), (Some(-32603), Some(-32603)));
    assert!(soon(bench.hover(9)).await.expect("an answer").is_ok());
}

#[tokio::test]
async fn every_request_is_answered_and_no_notification_is() {
    let mut bench = Bench::new().await;
    assert_eq!(error_code(&bench.request("$/unknown", json!({})).await), Some(-32601));
    assert_eq!(error_code(&bench.request("unknown", json!({})).await), Some(-32601));
    for method in ["$/unknown", "unknown", "textDocument/hover"] {
        assert_eq!(bench.notify(method, json!({})).await, Ok(None), "{method}");
    }
}
