//! The transport: connects the service with standard input and output.
//!
//! tower-lsp's own transport blocks the shutdown of the runtime, can deadlock on bounded channels, and stops
//! at the first malformed message. This one reads and writes on separate threads, and neither direction waits for the other.

use crate::client::client_uris::ClientUris;
use crate::connection::framing;
use crate::connection::framing::{Malformed, MessageReader};
use crate::connection::middleware::RequestService;
use futures::{FutureExt, SinkExt, StreamExt};
use serde::Serialize;
use serde_json::Value;
use std::io;
use std::sync::mpsc as blocking;
use std::time::Duration;
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;
use tower::ServiceExt;
use tower_lsp::ClientSocket;
use tower_lsp::jsonrpc::{Error, Id, Request, Response};

/// Time limit for writing the remaining messages after the client has disconnected.
const FAREWELL: Duration = Duration::from_secs(2);

/// Number of messages read ahead.
const READ_AHEAD: usize = 64;

/// Why the session ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// The client sent `exit`.
    Exit,
    /// The client closed its stream.
    Lost,
}

/// A message from the client.
enum Incoming {
    Request(Request),
    Response(Response),
    Malformed(Id, Error),
}

/// Serves the client at the other end of two streams until it disconnects.
pub async fn serve_streams(
    service: impl RequestService,
    socket: ClientSocket,
    input: impl io::Read + Send + 'static,
    output: impl io::Write + Send + 'static,
) -> End {
    let (sender, messages) = mpsc::channel(READ_AHEAD);
    let uris = ClientUris::default();
    let incoming_uris = uris.clone();
    std::thread::spawn(move || {
        let messages = MessageReader::new(io::BufReader::with_capacity(1 << 16, input));
        read_all(messages, &sender, &incoming_uris);
    });
    let (frame_sender, frames) = blocking::channel();
    let answers = Output { frames: frame_sender, uris };
    let (written, mut lost) = oneshot::channel::<()>();
    std::thread::spawn(move || {
        write_all(&mut io::BufWriter::with_capacity(1 << 16, output), &frames);
        drop(written);
    });
    let end = tokio::select! {
        end = serve(service, socket, messages, answers) => end,
        _ = &mut lost => return End::Lost,
    };
    // All senders are dropped: the writer ends after the last message, unless the client does not read.
    let _ = tokio::time::timeout(FAREWELL, lost).await;
    end
}

async fn serve(
    mut service: impl RequestService,
    socket: ClientSocket,
    mut input: mpsc::Receiver<Incoming>,
    output: Output,
) -> End {
    let (mut ours, mut answers) = socket.split();
    let mut running = JoinSet::new();
    let end = loop {
        let incoming = tokio::select! {
            incoming = input.recv() => incoming,
            Some(request) = ours.next() => {
                send(&output, &request);
                continue;
            }
            Some(_) = running.join_next() => continue,
        };
        match incoming {
            None => break End::Lost,
            Some(Incoming::Response(response)) => {
                let _ = answers.send(response).await;
            }
            Some(Incoming::Malformed(id, error)) => send(&output, &Response::from_error(id, error)),
            Some(Incoming::Request(request)) => {
                let exits = request.method() == "exit";
                let Ok(service) = service.ready().await else { break End::Exit };
                let mut answer = Box::pin(service.call(request));
                match (&mut answer).now_or_never() {
                    Some(finished) => reply(&output, finished),
                    None => {
                        let output = output.clone();
                        running.spawn(async move { reply(&output, answer.await) });
                    }
                }
                if exits {
                    break End::Exit;
                }
            }
        }
    };
    if end == End::Lost {
        // A client that pipes a whole session in expects answers after the end of the input.
        let _ = tokio::time::timeout(FAREWELL, async { while running.join_next().await.is_some() {} }).await;
    }
    end
}

/// The queue of messages to the client.
#[derive(Clone)]
struct Output {
    frames: blocking::Sender<Vec<u8>>,
    uris: ClientUris,
}

fn reply<E>(output: &Output, answer: Result<Option<Response>, E>) {
    if let Ok(Some(response)) = answer {
        send(output, &response);
    }
}

/// Queues a message. Ignored if the client has disconnected.
fn send(output: &Output, message: &impl Serialize) {
    let body = if output.uris.is_empty() {
        serde_json::to_vec(message)
    } else {
        serde_json::to_value(message).and_then(|mut message| {
            output.uris.restore(&mut message);
            serde_json::to_vec(&message)
        })
    };
    if let Ok(body) = body {
        let _ = output.frames.send(body);
    }
}

fn read_all(mut messages: MessageReader<impl io::BufRead>, sender: &mpsc::Sender<Incoming>, uris: &ClientUris) {
    while let Ok(Some(mut message)) = messages.read() {
        if let Ok(message) = &mut message {
            uris.escape(message);
        }
        if sender.blocking_send(classify(message)).is_err() {
            return;
        }
    }
}

fn write_all(output: &mut impl io::Write, frames: &blocking::Receiver<Vec<u8>>) {
    while let Ok(frame) = frames.recv() {
        if framing::write(output, &frame).is_err() {
            return;
        }
    }
}

fn classify(message: Result<Value, Malformed>) -> Incoming {
    let value = match message {
        Ok(value) => value,
        Err(malformed) => {
            let mut error = Error::parse_error();
            error.message = match malformed {
                Malformed::Header => "message without a valid Content-Length".into(),
                Malformed::TooLong(length) => format!("message of {length} bytes is too long").into(),
                Malformed::Body(reason) => format!("invalid JSON: {reason}").into(),
            };
            return Incoming::Malformed(Id::Null, error);
        }
    };
    let id = value.get("id").cloned().and_then(|id| serde_json::from_value(id).ok()).unwrap_or_default();
    let parsed = if value.get("method").is_some() {
        serde_json::from_value(value).map(Incoming::Request)
    } else {
        serde_json::from_value(value).map(Incoming::Response)
    };
    parsed.unwrap_or_else(|_| Incoming::Malformed(id, Error::invalid_request()))
}
