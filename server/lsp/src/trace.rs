//! `$/logTrace`: what the server did, and how long it took, for a client that asked to be told.
//!
//! Must not know what a method does.

use crate::publish::{Notice, Publisher};
use crate::service::Answer;
use futures::FutureExt;
use serde_json::Value;
use std::task::{Context, Poll};
use std::time::Instant;
use tower::Service;
use tower_lsp::jsonrpc::{Request, Response};

/// How much is told.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Level {
    #[default]
    Off,
    Messages,
    Verbose,
}

impl Level {
    fn of(value: &Value) -> Self {
        match value.as_str() {
            Some("messages") => Level::Messages,
            Some("verbose") => Level::Verbose,
            _ => Level::Off,
        }
    }
}

/// The layer.
pub struct Trace<S> {
    inner: S,
    publisher: Option<Publisher>,
    level: Level,
}

impl<S> Trace<S> {
    /// Tells what a service does, once a client wants it.
    pub fn new(inner: S, publisher: Option<Publisher>) -> Self {
        Trace { inner, publisher, level: Level::default() }
    }
}

impl<S> Service<Request> for Trace<S>
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
        let wanted = match request.method() {
            "initialize" => request.params().and_then(|params| params.get("trace")),
            "$/setTrace" => request.params().and_then(|params| params.get("value")),
            _ => None,
        };
        let level = self.level;
        self.level = wanted.map_or(level, Level::of);
        let Some(publisher) = self.publisher.clone().filter(|_| level != Level::Off) else {
            return Box::pin(self.inner.call(request));
        };
        let method = request.method().to_owned();
        let details = (level == Level::Verbose).then(|| request.params().map(Value::to_string)).flatten();
        let begun = Instant::now();
        Box::pin(self.inner.call(request).inspect(move |answer| {
            let end = match answer {
                Ok(Some(response)) => response.error().map_or(String::new(), |error| format!(", {}", error.message)),
                _ => String::new(),
            };
            let message = format!("{method}: {:.1} ms{end}", begun.elapsed().as_secs_f64() * 1e3);
            publisher.post(Notice::Trace(message, details));
        }))
    }
}
