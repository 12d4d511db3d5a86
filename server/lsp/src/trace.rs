//! `$/logTrace`: what the server did, and how long it took, for a client that asked to be told.
//!
//! Must not know what a method does.

use crate::layer::{Answer, Answers, Layer};
use crate::publish::{Notice, Publisher};
use futures::FutureExt;
use serde_json::Value;
use std::time::Instant;
use tower_lsp::jsonrpc::Request;

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
pub struct Trace {
    publisher: Option<Publisher>,
    level: Level,
}

impl Trace {
    /// Tells what a service does, once a client wants it.
    pub fn new(publisher: Option<Publisher>) -> Self {
        Trace { publisher, level: Level::default() }
    }
}

impl Layer for Trace {
    fn call<S: Answers>(&mut self, inner: &mut S, request: Request) -> Answer<S::Error> {
        let wanted = match request.method() {
            "initialize" => request.params().and_then(|params| params.get("trace")),
            "$/setTrace" => request.params().and_then(|params| params.get("value")),
            _ => None,
        };
        let level = self.level;
        self.level = wanted.map_or(level, Level::of);
        let Some(publisher) = self.publisher.clone().filter(|_| level != Level::Off) else {
            return Box::pin(inner.call(request));
        };
        let method = request.method().to_owned();
        let details = (level == Level::Verbose).then(|| request.params().map(Value::to_string)).flatten();
        let begun = Instant::now();
        Box::pin(inner.call(request).inspect(move |answer| {
            let end = match answer {
                Ok(Some(response)) => response.error().map_or(String::new(), |error| format!(", {}", error.message)),
                _ => String::new(),
            };
            let message = format!("{method}: {:.1} ms{end}", begun.elapsed().as_secs_f64() * 1e3);
            publisher.post(Notice::Trace(message, details));
        }))
    }
}
