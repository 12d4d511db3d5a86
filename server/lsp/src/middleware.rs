//! Layers around a service of the protocol: each sees a request before what it stands around.
//!
//! Must not know what any of them does.

use std::pin::Pin;
use std::task::{Context, Poll};
use tower::Service;
use tower_lsp::jsonrpc::{Request, Response};

/// A boxed future of a service's answer.
pub type ResponseFuture<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

/// What takes requests and answers most of them.
pub trait RequestService:
    Service<Request, Response = Option<Response>, Future: Send + 'static, Error: Send + 'static>
{
}

impl<S> RequestService for S where
    S: Service<Request, Response = Option<Response>, Future: Send + 'static, Error: Send + 'static>
{
}

/// What a middleware does with a request on its way to the service inside.
pub trait Middleware {
    /// Answers it, or has it answered by the service.
    fn call<S: RequestService>(&mut self, inner: &mut S, request: Request) -> ResponseFuture<S::Error>;
}

/// A service with a middleware around it.
pub struct WithMiddleware<M, S> {
    middleware: M,
    inner: S,
}

impl<M: Middleware, S: RequestService> WithMiddleware<M, S> {
    /// Puts a middleware around a service.
    pub fn new(middleware: M, inner: S) -> Self {
        WithMiddleware { middleware, inner }
    }
}

impl<M: Middleware, S: RequestService> Service<Request> for WithMiddleware<M, S> {
    type Response = Option<Response>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Error>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, request: Request) -> Self::Future {
        self.middleware.call(&mut self.inner, request)
    }
}
