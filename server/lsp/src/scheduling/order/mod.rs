//! Ordering: what a handler does before its first await happens in the order of arrival.
//!
//! tower-lsp starts up to four handlers at a time, in no order. This middleware polls each future once when its message arrives. So a
//! handler that posts a change or requests a snapshot before its first await does so in order, and a cancellation takes effect at once. The rest of
//! the future is left to the caller, which may run any number of them. A handler that panics answers with an error: every request is answered.

use crate::connection::middleware::{Middleware, RequestService, ResponseFuture};
use futures::FutureExt;
use std::future::ready;
use std::panic::{AssertUnwindSafe, catch_unwind};
use tower_lsp::jsonrpc::{Error, Id, Request, Response};

/// Middleware that runs the synchronous part of each handler on arrival.
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

/// The response of a handler that panicked; the panic message is on standard error.
fn failed(id: Option<Id>) -> Option<Response> {
    let error =
        Error { message: "internal error in this request; the server continues".into(), ..Error::internal_error() };
    id.map(|id| Response::from_error(id, error))
}

/// tower-lsp does not answer requests whose method starts with `$/`; the protocol requires an error.
fn unanswered(id: Option<Id>) -> Option<Response> {
    id.map(|id| Response::from_error(id, Error::method_not_found()))
}

#[cfg(test)]
mod tests;
