//! Rejects requests before `initialize` and after `shutdown`.
//!
//! tower-lsp does so only for the methods that it implements.

use crate::connection::middleware::{Middleware, RequestService, ResponseFuture};
use futures::FutureExt;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};

/// Shared state of a session.
#[derive(Clone, Default)]
pub struct Session {
    started: Arc<AtomicBool>,
    stopped: Arc<AtomicBool>,
}

impl Session {
    /// Whether the client sent `shutdown`.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// The middleware.
pub struct Lifecycle(Session);

impl Lifecycle {
    /// A middleware that keeps `session` up to date.
    pub fn new(session: Session) -> Self {
        Lifecycle(session)
    }
}

impl Middleware for Lifecycle {
    fn call<S: RequestService>(&mut self, inner: &mut S, request: Request) -> ResponseFuture<S::Error> {
        let started = self.0.started.load(Ordering::SeqCst);
        match request.method() {
            "exit" => {}
            "initialize" if !started => {
                let session = self.0.clone();
                return Box::pin(inner.call(request).inspect(move |answer| {
                    if let Ok(Some(response)) = answer {
                        session.started.store(response.is_ok(), Ordering::SeqCst);
                    }
                }));
            }
            _ if !started => return reject(request, not_initialized()),
            "$/cancelRequest" => {}
            _ if self.0.stopped() => return reject(request, Error::invalid_request()),
            "shutdown" if request.id().is_some() => self.0.stopped.store(true, Ordering::SeqCst),
            _ => {}
        }
        Box::pin(inner.call(request))
    }
}

fn reject<E: Send + 'static>(request: Request, error: Error) -> ResponseFuture<E> {
    let (_, id, _) = request.into_parts();
    Box::pin(ready(Ok(id.map(|id| Response::from_error(id, error)))))
}

fn not_initialized() -> Error {
    Error { code: ErrorCode::ServerError(-32002), message: "the server is not initialized".into(), data: None }
}
