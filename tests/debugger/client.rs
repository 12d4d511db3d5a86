//! A small client of the Debug Adapter Protocol that shares no code with the server. Every message is checked against the protocol's schema.

use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, ExitStatus, Stdio};
use std::sync::LazyLock;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};
use support::schema::Validator;

/// How long a message is waited for before the server counts as stuck.
const STUCK: Duration = Duration::from_secs(180);

/// The schema of the protocol, as debugpy has it.
static SCHEMA: LazyLock<Value> = LazyLock::new(|| {
    let packages = support::root().join("tests/.tools/venv/lib");
    let inner = "site-packages/debugpy/_vendored/pydevd/_pydevd_bundle/_debug_adapter/debugProtocol.json";
    let versions = std::fs::read_dir(&packages).unwrap_or_else(|error| panic!("{error}: run tests/install"));
    let paths = versions.map(|version| version.expect("an entry").path().join(inner));
    let path = paths.into_iter().find(|path| path.is_file()).expect("debugpy: run tests/install");
    serde_json::from_str(&std::fs::read_to_string(path).expect("a file")).expect("JSON")
});

/// The protocol's validator.
static PROTOCOL: LazyLock<Validator> = LazyLock::new(|| Validator::new(&SCHEMA));

/// A session.
pub struct Session {
    server: Child,
    input: Option<ChildStdin>,
    messages: Receiver<Value>,
    events: VecDeque<Value>,
    seq: i64,
}

/// A kernel of the fixtures.
pub fn fixture(name: &str) -> PathBuf {
    support::root().join("tests/fixtures/kernels").join(name)
}

fn read_message(output: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if output.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length:") {
            Some(number) => length = number.trim().parse().expect("a length"),
            None if line.trim().is_empty() => break,
            None => panic!("unknown header {line}"),
        }
    }
    let mut body = vec![0; length];
    output.read_exact(&mut body).ok()?;
    Some(serde_json::from_slice(&body).expect("JSON"))
}

impl Session {
    /// A session before `initialize`.
    pub fn start() -> Self {
        let mut command = Command::new(support::binary());
        let mut server = command.arg("dap").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the binary");
        let mut output = BufReader::new(server.stdout.take().expect("is piped"));
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            while let Some(message) = read_message(&mut output) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let input = server.stdin.take();
        Self { server, input, messages, events: VecDeque::new(), seq: 0 }
    }

    /// A session that has launched a kernel and not configured it yet.
    pub fn launch(program: &Path, configuration: Value) -> Self {
        let mut session = Self::start();
        session.request("initialize", json!({ "adapterID": "ptx-atomics" }));
        let mut configuration = configuration;
        configuration["program"] = json!(program);
        session.request("launch", configuration);
        session.event("initialized");
        session
    }

    /// A session that stopped before the first instruction.
    pub fn at_entry(program: &Path, mut configuration: Value) -> Self {
        configuration["stopOnEntry"] = json!(true);
        let mut session = Self::launch(program, configuration);
        session.request("configurationDone", json!({}));
        assert_eq!(session.event("stopped")["reason"], "entry");
        session
    }

    /// Sends bytes as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("the input is open");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads");
    }

    /// Sends a request; returns its number.
    pub fn send(&mut self, command: &str, arguments: Value) -> i64 {
        self.seq += 1;
        let request = json!({ "seq": self.seq, "type": "request", "command": command, "arguments": arguments });
        let body = request.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes());
        self.seq
    }

    /// The answer to a request: its body or its message.
    pub fn answer(&mut self, command: &str, arguments: Value) -> Result<Value, String> {
        let number = self.send(command, arguments);
        loop {
            let message = self.receive();
            if message["type"] != "response" {
                self.events.push_back(message);
                continue;
            }
            assert_eq!(message["request_seq"], number, "{message}");
            assert_eq!(message["command"], command);
            return match message["success"].as_bool() {
                Some(true) => Ok(message["body"].clone()),
                _ => Err(message["message"].as_str().expect("a message").to_owned()),
            };
        }
    }

    /// The body of the answer to a request that succeeds.
    pub fn request(&mut self, command: &str, arguments: Value) -> Value {
        self.answer(command, arguments).unwrap_or_else(|error| panic!("{command}: {error}"))
    }

    /// The body of the next event of a kind.
    pub fn event(&mut self, name: &str) -> Value {
        loop {
            if let Some(at) = self.events.iter().position(|event| event["event"] == name) {
                return self.events.remove(at).expect("was found")["body"].take();
            }
            let message = self.receive();
            assert_eq!(message["type"], "event", "{message}");
            self.events.push_back(message);
        }
    }

    /// The event of the next stop; `None` if the run ends before.
    pub fn next_end(&mut self) -> Option<Value> {
        loop {
            let ends = |event: &Value| event["event"] == "stopped" || event["event"] == "terminated";
            if let Some(at) = self.events.iter().position(ends) {
                let mut event = self.events.remove(at).expect("was found");
                return (event["event"] == "stopped").then(|| event["body"].take());
            }
            let message = self.receive();
            self.events.push_back(message);
        }
    }

    /// The text of the output events so far, of a category.
    pub fn output(&mut self, category: &str) -> String {
        let of = |event: &&Value| event["event"] == "output" && event["body"]["category"] == category;
        self.events.iter().filter(of).filter_map(|event| event["body"]["output"].as_str()).collect()
    }

    /// Resumes the run; returns the event of the next stop.
    pub fn resume(&mut self, command: &str, thread: u64) -> Value {
        self.request(command, json!({ "threadId": thread }));
        self.event("stopped")
    }

    /// The name and the line of each frame of a thread.
    pub fn frames(&mut self, thread: u64) -> Vec<(String, u64)> {
        let answer = self.request("stackTrace", json!({ "threadId": thread }));
        let frame = |frame: &Value| (frame["name"].as_str().expect("a name").to_owned(), line(frame));
        answer["stackFrames"].as_array().expect("a list").iter().map(frame).collect()
    }

    /// The line of the first frame of a thread.
    pub fn line(&mut self, thread: u64) -> u64 {
        self.frames(thread)[0].1
    }

    /// The number of the first frame of a thread.
    pub fn frame(&mut self, thread: u64) -> u64 {
        let answer = self.request("stackTrace", json!({ "threadId": thread, "levels": 1 }));
        answer["stackFrames"][0]["id"].as_u64().expect("a number")
    }

    /// The value of an expression in a thread.
    pub fn value(&mut self, expression: &str, thread: u64) -> String {
        let frame = self.frame(thread);
        match self.answer("evaluate", json!({ "expression": expression, "frameId": frame })) {
            Ok(answer) => answer["result"].as_str().expect("a text").to_owned(),
            Err(error) => format!("error: {error}"),
        }
    }

    /// Sets a breakpoint on a line of a file; returns the answer.
    pub fn breakpoint(&mut self, path: &Path, mut breakpoint: Value, line: u64) -> Value {
        breakpoint["line"] = json!(line);
        let arguments = json!({ "source": { "path": path }, "breakpoints": [breakpoint] });
        self.request("setBreakpoints", arguments)["breakpoints"][0].take()
    }

    /// Disconnects and waits for the end of the server.
    pub fn disconnect(&mut self) -> ExitStatus {
        self.request("disconnect", json!({}));
        self.server.wait().expect("the server ends")
    }

    /// Closes the input and waits for the end of the server.
    pub fn hang_up(&mut self) -> ExitStatus {
        self.input = None;
        let begin = Instant::now();
        while begin.elapsed() < STUCK {
            if let Some(status) = self.server.try_wait().expect("the server is there") {
                return status;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("the server goes on after its input has ended");
    }

    fn receive(&mut self) -> Value {
        let message = self.messages.recv_timeout(STUCK).expect("the server answers");
        self.check(&message);
        message
    }

    /// Checks a message against the schema of its kind.
    fn check(&mut self, message: &Value) {
        let upper = |name: &Value| {
            let name = name.as_str().expect("a name");
            name[..1].to_uppercase() + &name[1..]
        };
        let kind = match message["type"].as_str() {
            Some("event") => upper(&message["event"]) + "Event",
            Some("response") if message["success"] == true => upper(&message["command"]) + "Response",
            _ => "ErrorResponse".to_owned(),
        };
        assert!(SCHEMA["definitions"].get(&kind).is_some(), "{kind} is not of the protocol");
        let errors = PROTOCOL.errors_by(&kind, message);
        assert!(errors.is_empty(), "{kind}: {errors:?} in {message}");
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

/// The line of a frame or breakpoint.
pub fn line(value: &Value) -> u64 {
    value["line"].as_u64().expect("a line")
}
