//! `$/logTrace`: each message with its duration, for a client that asked for traces.

use crate::client::publisher::{ClientMessage, Publisher};
use crate::connection::middleware::{Middleware, RequestService, ResponseFuture};
use futures::FutureExt;
use serde_json::Value;
use std::time::Instant;
use tower_lsp::jsonrpc::Request;

/// The trace level that the client set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum TraceLevel {
    #[default]
    Off,
    Messages,
    Verbose,
}

impl TraceLevel {
    fn of(value: &Value) -> Self {
        match value.as_str() {
            Some("messages") => TraceLevel::Messages,
            Some("verbose") => TraceLevel::Verbose,
            _ => TraceLevel::Off,
        }
    }
}

/// The middleware.
pub struct TraceMiddleware {
    publisher: Option<Publisher>,
    level: TraceLevel,
}

impl TraceMiddleware {
    /// Middleware that sends traces through a publisher.
    pub fn new(publisher: Option<Publisher>) -> Self {
        TraceMiddleware { publisher, level: TraceLevel::default() }
    }
}

impl Middleware for TraceMiddleware {
    fn call<S: RequestService>(&mut self, inner: &mut S, request: Request) -> ResponseFuture<S::Error> {
        let wanted = match request.method() {
            "initialize" => request.params().and_then(|params| params.get("trace")),
            "$/setTrace" => request.params().and_then(|params| params.get("value")),
            _ => None,
        };
        let level = self.level;
        self.level = wanted.map_or(level, TraceLevel::of);
        let Some(publisher) = self.publisher.clone().filter(|_| level != TraceLevel::Off) else {
            return Box::pin(inner.call(request));
        };
        let method = request.method().to_owned();
        let details = (level == TraceLevel::Verbose).then(|| request.params().map(Value::to_string)).flatten();
        let begun = Instant::now();
        Box::pin(inner.call(request).inspect(move |answer| {
            let end = match answer {
                Ok(Some(response)) => response.error().map_or(String::new(), |error| format!(", {}", error.message)),
                _ => String::new(),
            };
            let message = format!("{method}: {:.1} ms{end}", begun.elapsed().as_secs_f64() * 1e3);
            publisher.post(ClientMessage::Trace(message, details));
        }))
    }
}
