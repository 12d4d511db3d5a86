//! A small LSP client that shares no code with the server.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// How long a test waits for what must come before it calls the server stuck. No test passes or fails by speed below this.
const STUCK: Duration = Duration::from_secs(180);

/// A server process and what it has said so far.
pub struct Client {
    server: Child,
    input: Option<ChildStdin>,
    heard: Receiver<Value>,
    unclaimed: VecDeque<Value>,
    requests: i64,
}

/// Whether a message is one of the lines that the server logs at its start: its version, and the settings in force.
fn is_start_of_log(message: &Value) -> bool {
    let text = message["params"]["message"].as_str().unwrap_or_default();
    message["method"] == "window/logMessage"
        && message["params"]["type"] == 3
        && (text.starts_with("ptx-atomics ") || text.starts_with("settings of "))
}

impl Client {
    /// A server before `initialize`.
    pub fn start() -> Self {
        Client::of(&mut Command::new(support::binary()))
    }

    /// A server with one core and 512 MB of addresses, before `initialize`.
    pub fn on_a_small_machine() -> Self {
        let script = "ulimit -v 524288; exec taskset -c 0 \"$0\" \"$@\"";
        Client::of(Command::new("sh").args(["-c", script]).arg(support::binary()))
    }

    fn of(program: &mut Command) -> Self {
        let spawned = program.arg("lsp").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn();
        let mut server = spawned.unwrap_or_else(|error| panic!("{program:?}: {error}"));
        let output = server.stdout.take().expect("is piped");
        let (says, heard) = channel();
        std::thread::spawn(move || {
            let mut output = BufReader::new(output);
            while let Some(message) = read(&mut output) {
                if says.send(message).is_err() {
                    return;
                }
            }
        });
        Client { input: server.stdin.take(), server, heard, unclaimed: VecDeque::new(), requests: 0 }
    }

    /// A server that is ready to work for a client with these capabilities.
    pub fn with(capabilities: Value) -> Self {
        let mut client = Client::start();
        client.initialize(json!({"capabilities": capabilities}));
        client
    }

    /// A server that is ready to work for a client that counts columns in an encoding.
    pub fn counting_in(encoding: &str) -> Self {
        Client::with(json!({"general": {"positionEncodings": [encoding]}}))
    }

    /// Introduces the client and gives back what the server said of itself. If the test says nothing else, no diagnostic is withheld while the user types.
    pub fn initialize(&mut self, mut params: Value) -> Value {
        if params["initializationOptions"].get("diagnosticsDelay").is_none() {
            params["initializationOptions"]["diagnosticsDelay"] = json!(0);
        }
        let result = self.request("initialize", params).expect("initialize succeeds");
        self.notify("initialized", json!({}));
        result
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        let body = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
    }

    /// Sends a notification.
    pub fn notify(&mut self, method: &str, params: Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    /// Sends a request and gives back its id.
    pub fn ask(&mut self, method: &str, params: Value) -> i64 {
        self.requests += 1;
        self.send(&json!({"jsonrpc": "2.0", "id": self.requests, "method": method, "params": params}));
        self.requests
    }

    /// Sends a cancel.
    pub fn cancel(&mut self, id: i64) {
        self.notify("$/cancelRequest", json!({"id": id}));
    }

    /// The reply to a request: its result, or its error.
    pub fn reply(&mut self, id: i64) -> Result<Value, Value> {
        let reply = self.wait(&format!("the reply to {id}"), |message| is_reply_to(message, id));
        match reply.get("error") {
            Some(error) => Err(error.clone()),
            None => Ok(reply["result"].clone()),
        }
    }

    /// Sends a request and waits for its reply.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Value> {
        let id = self.ask(method, params);
        self.reply(id)
    }

    /// The code of the error that a request is answered with.
    pub fn error_code(&mut self, method: &str, params: Value) -> i64 {
        let error = self.request(method, params).expect_err(method);
        error["code"].as_i64().expect("errors have codes")
    }

    /// Waits for a message and keeps the others.
    pub fn wait(&mut self, what: &str, mut wanted: impl FnMut(&Value) -> bool) -> Value {
        if let Some(at) = self.unclaimed.iter().position(&mut wanted) {
            return self.unclaimed.remove(at).expect("was found there");
        }
        loop {
            let message = match self.heard.recv_timeout(STUCK) {
                Ok(message) => message,
                Err(RecvTimeoutError::Timeout) => panic!("the server is stuck: {what} does not come"),
                Err(RecvTimeoutError::Disconnected) => panic!("the server has gone: {what} does not come"),
            };
            if wanted(&message) {
                return message;
            }
            self.unclaimed.push_back(message);
        }
    }

    /// Waits for a request of the server's.
    pub fn asked(&mut self, method: &str) -> Value {
        self.wait(method, |message| message["method"] == method && message.get("id").is_some())
    }

    /// Answers a request of the server's.
    pub fn answer(&mut self, request: &Value, result: Value) {
        self.send(&json!({"jsonrpc": "2.0", "id": request["id"], "result": result}));
    }

    /// Opens a document, in the language that its ending says, else PTX.
    pub fn open(&mut self, uri: &str, version: i32, text: &str) {
        let language = match uri.rsplit_once('.') {
            Some((_, "sass")) => "nvsass",
            Some((_, "cu")) => "cuda-cpp",
            Some((_, "py")) => "python",
            Some((_, "litmus")) => "ptx-litmus",
            _ => "ptx",
        };
        self.notify(
            "textDocument/didOpen",
            json!({"textDocument": {"uri": uri, "languageId": language, "version": version, "text": text}}),
        );
    }

    /// Sends changes.
    pub fn change(&mut self, uri: &str, version: i32, changes: Value) {
        self.notify(
            "textDocument/didChange",
            json!({"textDocument": {"uri": uri, "version": version}, "contentChanges": changes}),
        );
    }

    /// Asks about a position.
    pub fn ask_at(&mut self, method: &str, uri: &str, line: u32, character: u32) -> i64 {
        self.ask(method, at(uri, line, character))
    }

    /// The diagnostics that are published for a version of a document.
    pub fn diagnostics(&mut self, uri: &str, version: i32) -> Vec<Value> {
        let message = self.wait(&format!("the diagnostics of version {version}"), |message| {
            publishes(message, uri) && message["params"]["version"] == version
        });
        message["params"]["diagnostics"].as_array().expect("an array").clone()
    }

    /// The text that the server has, and its version; nothing if it has no such document.
    pub fn server_text(&mut self, uri: &str) -> Option<(i64, String)> {
        let answer = self.request("ptxAtomics/viewFileText", json!({"textDocument": {"uri": uri}})).expect("succeeds");
        Some((answer["version"].as_i64()?, answer["text"].as_str()?.to_owned()))
    }

    /// What has been heard and not been waited for: nothing that comes later belongs to it.
    pub fn unclaimed(&mut self) -> Vec<Value> {
        self.unclaimed.extend(self.heard.try_iter());
        self.unclaimed.iter().cloned().collect()
    }

    /// The messages that nobody has asked for, without the two lines that the server logs at its start.
    pub fn unexpected(&mut self) -> Vec<Value> {
        self.unclaimed().into_iter().filter(|message| !is_start_of_log(message)).collect()
    }

    /// Takes the unclaimed messages.
    pub fn forget(&mut self) -> Vec<Value> {
        let heard = self.unexpected();
        self.unclaimed.clear();
        heard
    }

    /// The server's number for the system.
    pub fn process(&self) -> u32 {
        self.server.id()
    }

    /// Closes the server's input.
    pub fn hang_up(&mut self) {
        self.input = None;
    }

    /// Waits for the server's end.
    pub fn end(&mut self) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.server.try_wait().expect("can be waited for") {
                return status;
            }
            assert!(begun.elapsed() < STUCK, "the server does not end");
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Says goodbye as the protocol wants it, and expects the server to leave in peace.
    pub fn leave(mut self) {
        assert_eq!(self.request("shutdown", Value::Null), Ok(Value::Null));
        self.notify("exit", Value::Null);
        assert_eq!(self.end().code(), Some(0));
    }
}

impl Drop for Client {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The capabilities that most editors have: code actions, diagnostics with all their parts, prepared renames.
pub fn editor() -> Value {
    json!({"textDocument": {
        "codeAction": {"codeActionLiteralSupport": {"codeActionKind": {"valueSet": []}}, "isPreferredSupport": true},
        "publishDiagnostics": {
            "relatedInformation": true, "codeDescriptionSupport": true, "dataSupport": true, "tagSupport": {"valueSet": [1, 2]},
        },
        "rename": {"prepareSupport": true},
    }})
}

/// The parameters of a request about a position.
pub fn at(uri: &str, line: u32, character: u32) -> Value {
    json!({"textDocument": {"uri": uri}, "position": {"line": line, "character": character}})
}

/// Whether a message is the reply to a request.
pub fn is_reply_to(message: &Value, id: i64) -> bool {
    message["id"] == id && message.get("method").is_none()
}

/// Whether a message publishes a document's diagnostics.
pub fn publishes(message: &Value, uri: &str) -> bool {
    message["method"] == "textDocument/publishDiagnostics" && message["params"]["uri"] == uri
}

fn read(output: &mut impl BufRead) -> Option<Value> {
    let mut length = None;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim_end().split_once(": ") {
            Some(("Content-Length", value)) => length = value.parse().ok(),
            Some(_) => {}
            None => break,
        }
    }
    let mut body = vec![0; length.expect("every message names its length")];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("the server speaks JSON"))
}
