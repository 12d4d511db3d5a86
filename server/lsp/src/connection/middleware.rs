//! Middleware around the LSP service.

use std::pin::Pin;
use std::task::{Context, Poll};
use tower::Service;
use tower_lsp::jsonrpc::{Request, Response};

/// The boxed future of a response.
pub type ResponseFuture<E> = Pin<Box<dyn Future<Output = Result<Option<Response>, E>> + Send>>;

/// A service that handles JSON-RPC requests.
pub trait RequestService:
    Service<Request, Response = Option<Response>, Future: Send + 'static, Error: Send + 'static>
{
}

impl<S> RequestService for S where
    S: Service<Request, Response = Option<Response>, Future: Send + 'static, Error: Send + 'static>
{
}

/// Handles a request before or instead of the inner service.
pub trait Middleware {
    /// Answers a request, or passes it to the inner service.
    fn call<S: RequestService>(&mut self, inner: &mut S, request: Request) -> ResponseFuture<S::Error>;
}

/// A service wrapped in a middleware.
pub struct WithMiddleware<M, S> {
    middleware: M,
    inner: S,
}

impl<M: Middleware, S: RequestService> WithMiddleware<M, S> {
    /// Wraps a service.
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
