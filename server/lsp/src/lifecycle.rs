//! What may be said when: nothing before `initialize`, nothing after `shutdown`.
//!
//! tower-lsp checks this for the methods that it knows; here it holds for all. Must not know what a method does.

use crate::service::Answer;
use futures::FutureExt;
use std::future::ready;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::task::{Context, Poll};
use tower::Service;
use tower_lsp::jsonrpc::{Error, ErrorCode, Request, Response};

/// Shared knowledge of how far a session is.
#[derive(Clone, Default)]
pub struct Session {
    started: Arc<AtomicBool>,
    stopped: Arc<AtomicBool>,
}

impl Session {
    /// Whether the client asked for `shutdown`, as it must before it leaves.
    pub fn stopped(&self) -> bool {
        self.stopped.load(Ordering::SeqCst)
    }
}

/// The layer.
pub struct Lifecycle<S> {
    inner: S,
    session: Session,
}

impl<S> Lifecycle<S> {
    /// Watches over a service; how far the session is can be read from `session` afterwards.
    pub fn new(inner: S, session: Session) -> Self {
        Lifecycle { inner, session }
    }
}

impl<S> Service<Request> for Lifecycle<S>
where
    S: Service<Request, Response = Option<Response>>,
    S::Future: Send + 'static,
    S::Error: Send + 'static,
{
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = Answer<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        let started = self.session.started.load(Ordering::SeqCst);
        match request.method() {
            "exit" => {}
            "initialize" if !started => {
                let session = self.session.clone();
                return Box::pin(self.inner.call(request).inspect(move |answer| {
                    if let Ok(Some(response)) = answer {
                        session.started.store(response.is_ok(), Ordering::SeqCst);
                    }
                }));
            }
            _ if !started => return refuse(request, not_initialized()),
            "$/cancelRequest" => {}
            _ if self.session.stopped() => return refuse(request, Error::invalid_request()),
            "shutdown" if request.id().is_some() => self.session.stopped.store(true, Ordering::SeqCst),
            _ => {}
        }
        Box::pin(self.inner.call(request))
    }
}

fn refuse<E: Send + 'static>(request: Request, error: Error) -> Answer<E> {
    let (_, id, _) = request.into_parts();
    Box::pin(ready(Ok(id.map(|id| Response::from_error(id, error)))))
}

fn not_initialized() -> Error {
    Error { code: ErrorCode::ServerError(-32002), message: "the server is not initialized".into(), data: None }
}
