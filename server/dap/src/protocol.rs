//! Messages of the Debug Adapter Protocol: requests, responses and events.
//!
//! The published crates for the protocol are either unmaintained or only types, so messages are JSON values here.

use crate::positions::{PositionBase, PositionDirection};
use lsp::framing::{self, Malformed, MessageReader};
use serde_json::{Value, json};
use std::io::{self, BufRead, Write};

/// A request of the client.
#[derive(Debug)]
pub struct DebugRequest {
    /// Its number.
    pub seq: i64,
    /// Its name.
    pub command: String,
    /// Its arguments; null without any.
    pub arguments: Value,
}

/// A message of the client.
#[derive(Debug)]
pub enum AdapterMessage {
    /// A request.
    Request(DebugRequest),
    /// Something that is no message; what is wrong with it.
    Malformed(String),
}

/// The answer to a request: the body of the response, or why it failed.
pub type DebugAnswer = Result<Value, String>;

/// The number in an argument.
///
/// # Errors
/// A message, if it is missing or something else.
pub fn number(arguments: &Value, name: &str) -> Result<u64, String> {
    match &arguments[name] {
        Value::Null => Err(format!("missing `{name}`")),
        value => value.as_u64().ok_or_else(|| format!("`{name}` is not a positive number")),
    }
}

/// The next message; `None` at the end of the stream.
pub fn read_message(messages: &mut MessageReader<impl BufRead>) -> io::Result<Option<AdapterMessage>> {
    let message = messages.read()?;
    Ok(message.map(|message| match message {
        Err(Malformed::Header) => AdapterMessage::Malformed("missing `Content-Length`".to_owned()),
        Err(Malformed::TooLong(length)) => AdapterMessage::Malformed(format!("message of {length} bytes is too long")),
        Err(Malformed::Body(error)) => AdapterMessage::Malformed(format!("invalid JSON: {error}")),
        Ok(message) => request(message),
    }))
}

fn request(mut message: Value) -> AdapterMessage {
    let seq = message["seq"].as_i64();
    match (message["type"].as_str(), seq, message["command"].as_str()) {
        (Some("request"), Some(seq), Some(command)) => {
            let command = command.to_owned();
            AdapterMessage::Request(DebugRequest { seq, command, arguments: message["arguments"].take() })
        }
        _ => AdapterMessage::Malformed("expected a request with `seq` and `command`".to_owned()),
    }
}

/// The client at the other end of the stream.
pub struct DebugClient {
    output: Box<dyn Write + Send>,
    seq: i64,
    /// How the client counts lines and columns.
    positions: PositionBase,
}

impl std::fmt::Debug for DebugClient {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DebugClient").field("seq", &self.seq).finish_non_exhaustive()
    }
}

/// Whether the client shows the answer where it asks: a message about a word under the mouse would disturb.
fn is_shown_in_place(request: &DebugRequest) -> bool {
    let context = request.arguments["context"].as_str().unwrap_or_default();
    request.command == "evaluate" && matches!(context, "hover" | "watch" | "variables")
}

impl DebugClient {
    /// A client that reads from a stream.
    pub fn new(output: impl Write + Send + 'static) -> Self {
        Self { output: Box::new(output), seq: 0, positions: PositionBase::default() }
    }

    /// A request with lines and columns as they are counted here.
    pub fn received(&mut self, mut request: DebugRequest) -> DebugRequest {
        if request.command == "initialize" {
            self.positions = PositionBase::of(&request.arguments);
        }
        self.positions.convert(&mut request.arguments, PositionDirection::FromClient);
        request
    }

    /// Answers a request.
    pub fn respond(&mut self, request: &DebugRequest, answer: DebugAnswer) {
        let mut response = json!({
            "type": "response",
            "request_seq": request.seq,
            "command": request.command,
            "success": answer.is_ok(),
        });
        match answer {
            Ok(Value::Null) => {}
            Ok(body) => response["body"] = body,
            Err(message) => {
                response["body"] =
                    json!({ "error": { "id": 1, "format": message, "showUser": !is_shown_in_place(request) } });
                response["message"] = json!(message);
            }
        }
        self.send(response);
    }

    /// Sends an event.
    pub fn event(&mut self, name: &str, body: Value) {
        let mut event = json!({ "type": "event", "event": name });
        if !body.is_null() {
            event["body"] = body;
        }
        self.send(event);
    }

    /// Shows text in the console; the category is `stdout`, `stderr` or `console`.
    pub fn output(&mut self, category: &str, text: &str) {
        self.event("output", json!({ "category": category, "output": text }));
    }

    fn send(&mut self, mut message: Value) {
        self.seq += 1;
        self.positions.convert(&mut message, PositionDirection::ToClient);
        message["seq"] = json!(self.seq);
        // A client that has gone is noticed by the end of its requests.
        let _ = framing::write(&mut self.output, message.to_string().as_bytes());
    }
}

/// What the debugger can do, for the response to `initialize`.
pub fn capabilities(exceptions: Vec<Value>) -> Value {
    json!({
        "supportsConfigurationDoneRequest": true,
        "supportsFunctionBreakpoints": true,
        "supportsConditionalBreakpoints": true,
        "supportsHitConditionalBreakpoints": true,
        "supportsLogPoints": true,
        "supportsEvaluateForHovers": true,
        "supportsStepBack": true,
        "supportsRestartRequest": true,
        "supportsTerminateRequest": true,
        "supportsReadMemoryRequest": true,
        "supportsWriteMemoryRequest": true,
        "supportsSetVariable": true,
        "supportsSetExpression": true,
        "supportsDataBreakpoints": true,
        "supportsSteppingGranularity": true,
        "supportsExceptionInfoRequest": true,
        "supportsBreakpointLocationsRequest": true,
        "exceptionBreakpointFilters": exceptions,
    })
}

/// The digits of Base64 (RFC 4648).
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes in Base64.
pub fn base64(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let group = chunk.iter().fold(0, |group, byte| group << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        for digit in 0..4 {
            let value = group >> (18 - 6 * digit) & 63;
            text.push(if digit <= chunk.len() { char::from(ALPHABET[value as usize]) } else { '=' });
        }
    }
    text
}

/// The bytes of a text in Base64; `None` if it is none.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let digits = text.trim_end_matches('=');
    if !text.len().is_multiple_of(4) || text.len() - digits.len() > 2 {
        return None;
    }
    let mut bytes = Vec::new();
    for chunk in digits.as_bytes().chunks(4) {
        let mut group = 0_u32;
        for digit in chunk {
            let value = ALPHABET.iter().position(|known| known == digit)?;
            group = group << 6 | value as u32;
        }
        group <<= 6 * (4 - chunk.len());
        bytes.extend(group.to_be_bytes().into_iter().skip(1).take(chunk.len() * 3 / 4));
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_in_base64() {
        let texts = ["", "f", "fo", "foo", "foob", "fooba", "foobar"];
        let expected = ["", "Zg==", "Zm8=", "Zm9v", "Zm9vYg==", "Zm9vYmE=", "Zm9vYmFy"];
        assert_eq!(texts.map(|text| base64(text.as_bytes())), expected);
        assert_eq!(expected.map(from_base64), texts.map(|text| Some(text.as_bytes().to_vec())));
        assert!(["Z", "Zg=", "Z===", "Zg!="].iter().all(|text| from_base64(text).is_none()));
    }

    #[test]
    fn a_word_without_a_value_under_the_mouse_is_no_message_for_the_user() {
        let request = |command: &str, context: &str| DebugRequest {
            seq: 1,
            command: command.to_owned(),
            arguments: json!({ "expression": "ret", "context": context }),
        };
        assert!(["hover", "watch", "variables"].iter().all(|context| is_shown_in_place(&request("evaluate", context))));
        assert!(!is_shown_in_place(&request("evaluate", "repl")) && !is_shown_in_place(&request("launch", "hover")));
    }
}
