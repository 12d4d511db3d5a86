//! The debugger, over a stream. No file is read: the module is in the input.

use super::kernel::{Launched, launched};
use super::text;
use dap::{LaunchConfiguration, LoadKernel, LoadedKernel};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{Cursor, Write};
use std::sync::{Arc, Mutex};

/// What separates the module and the messages of an input.
const SEPARATOR: u8 = 0x1e;

/// The most messages of an input.
const MESSAGES: usize = 60;

/// Loads the first kernel of a text.
struct TextLoader {
    choice: u8,
    text: String,
}

impl LoadKernel for TextLoader {
    fn load(&self, _: &LaunchConfiguration) -> Result<LoadedKernel, String> {
        let Some(Launched { file, mut kernels }) = launched(self.choice & 0x77, &self.text) else {
            return Err("errors".to_owned());
        };
        if kernels.is_empty() {
            return Err("no kernel".to_owned());
        }
        let mut first = kernels.swap_remove(0);
        let buffers = first.memory.buffers().to_vec();
        let memory = std::mem::take(&mut first.memory.memory);
        Ok(LoadedKernel { file, kernel: first.kernel, launch: first.launch, memory, buffers })
    }
}

/// A stream that keeps what is written.
#[derive(Clone, Default)]
struct KeptOutput(Arc<Mutex<Vec<u8>>>);

impl Write for KeptOutput {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().expect("no writer panics").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A byte that chooses the launch, a module, and after a separator a request on each line: its name and its arguments in JSON. A line that
/// begins with a brace is a message as it is.
pub fn run(bytes: &[u8]) {
    let Some((choice, bytes)) = bytes.split_first() else { return };
    let mut parts = bytes.splitn(2, |byte| *byte == SEPARATOR);
    let module = text(parts.next().unwrap_or_default());
    let lines = text(parts.next().unwrap_or_default());

    let launch = json!({"program": "/nowhere.ptx", "stopOnEntry": choice & 8 != 0});
    let mut bodies = vec![
        request(1, "initialize", &json!({"adapterID": "x"})),
        request(2, "launch", &launch),
        request(3, "configurationDone", &Value::Null),
    ];
    let mut asked = vec![1, 2, 3];
    for (number, line) in (4..).zip(lines.lines().take(MESSAGES)) {
        if line.starts_with('{') {
            bodies.push(line.to_owned());
            continue;
        }
        let (command, arguments) = line.split_once(' ').unwrap_or((line, ""));
        bodies.push(request(number, command, &serde_json::from_str(arguments).unwrap_or_default()));
        asked.push(number);
    }
    let ends = lines.contains("disconnect") || lines.contains("terminate");
    let stream = bodies.iter().map(|body| format!("Content-Length: {}\r\n\r\n{body}", body.len())).collect::<String>();
    let kept = KeptOutput::default();
    dap::run(Cursor::new(stream.into_bytes()), kept.clone(), &TextLoader { choice: *choice, text: module });
    let said = kept.0.lock().expect("no writer panics").clone();
    let answers = answers(&said);
    if lines.lines().any(|line| line.starts_with('{')) {
        return;
    }
    assert!(answers.values().all(|count| *count == 1), "each is answered once: {answers:?}");
    for number in asked.iter().filter(|_| !ends) {
        assert!(answers.contains_key(number), "{number} is answered: {:?}", bodies[*number as usize - 1]);
    }
}

fn request(number: i64, command: &str, arguments: &Value) -> String {
    json!({"seq": number, "type": "request", "command": command, "arguments": arguments}).to_string()
}

/// How often each request was answered; the stream is well-formed.
fn answers(said: &[u8]) -> BTreeMap<i64, usize> {
    let mut answers = BTreeMap::new();
    let mut rest = said;
    while !rest.is_empty() {
        let end = rest.windows(4).position(|four| four == b"\r\n\r\n").expect("a header ends") + 4;
        let (head, body) = rest.split_at(end);
        let length = head.strip_prefix(b"Content-Length: ").expect("a length").trim_ascii();
        let length: usize = std::str::from_utf8(length).expect("digits").parse().expect("a number");
        let (body, after) = body.split_at(length);
        let message: Value = serde_json::from_slice(body).expect("the debugger speaks JSON");
        if message["type"] == "response" {
            *answers.entry(message["request_seq"].as_i64().expect("a number")).or_default() += 1;
        }
        rest = after;
    }
    answers
}
