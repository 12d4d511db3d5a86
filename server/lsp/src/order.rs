//! Order for a service that has none: what a handler does before its first wait happens in the order of arrival.
//!
//! tower-lsp starts handlers when it comes to them, four at a time, in no order. Here every future is polled once where its message arrives, so a
//! handler that posts a change, or asks for a snapshot, before it first awaits does so in turn; a cancel is at once where it has to be. The rest of
//! the future is left to the caller, who may run any number of them. A handler that panics answers an error, and every request is answered.
//! Must not know methods or documents.

use crate::middleware::{Middleware, RequestService, ResponseFuture};
use futures::FutureExt;
use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tower_lsp::jsonrpc::{Error, Id, Request, Response};

/// The middleware: puts order before a service.
pub struct Ordered;

impl Middleware for Ordered {
    fn call<S: RequestService>(&mut self, inner: &mut S, request: Request) -> ResponseFuture<S::Error> {
        let id = request.id().cloned();
        let Ok(started) = catch_unwind(AssertUnwindSafe(|| inner.call(request))) else {
            return Box::pin(ready(Ok(failed(id))));
        };
        let mut answer: ResponseFuture<S::Error> =
            Box::pin(AssertUnwindSafe(started).catch_unwind().map(move |outcome| match outcome {
                Ok(Ok(None)) => Ok(unanswered(id)),
                Ok(answer) => answer,
                Err(_) => Ok(failed(id)),
            }));
        match (&mut answer).now_or_never() {
            Some(finished) => Box::pin(ready(finished)),
            None => answer,
        }
    }
}

/// The answer of a handler that panicked; what it said stands on standard error.
fn failed(id: Option<Id>) -> Option<Response> {
    let error = Error { message: "the server failed at this request and goes on".into(), ..Error::internal_error() };
    id.map(|id| Response::from_error(id, error))
}

/// tower-lsp leaves requests whose method starts with `$/` without a reply; the protocol wants an error.
fn unanswered(id: Option<Id>) -> Option<Response> {
    id.map(|id| Response::from_error(id, Error::method_not_found()))
}

#[cfg(test)]
mod tests;
