//! Layers around a service of the protocol: each sees a request before what it stands around.
//!
//! Must not know what any of them does.

use std::pin::Pin;
use std::task::{Context, Poll};
use tower::Service;
use tower_lsp::jsonrpc::{Request, Response};

/// A boxed future of a service's answer.
pub type AnswerFuture<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

/// What takes requests and answers most of them.
pub trait AnswerService:
    Service<Request, Response = Option<Response>, Future: Send + 'static, Error: Send + 'static>
{
}

impl<S> AnswerService for S where
    S: Service<Request, Response = Option<Response>, Future: Send + 'static, Error: Send + 'static>
{
}

/// What a layer does with a request on its way to the service inside.
pub trait Layer {
    /// Answers it, or has it answered by the service.
    fn call<S: AnswerService>(&mut self, inner: &mut S, request: Request) -> AnswerFuture<S::Error>;
}

/// A service with a layer around it.
pub struct Layered<L, S> {
    layer: L,
    inner: S,
}

impl<L: Layer, S: AnswerService> Layered<L, S> {
    /// Puts a layer around a service.
    pub fn new(layer: L, inner: S) -> Self {
        Layered { layer, inner }
    }
}

impl<L: Layer, S: AnswerService> Service<Request> for Layered<L, S> {
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = AnswerFuture<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        self.layer.call(&mut self.inner, request)
    }
}
