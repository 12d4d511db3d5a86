//! Malformed and incomplete messages.

use crate::client::Client;
use crate::lifecycle::requests;
use crate::sample_modules::{CLEAN, with_error};
use serde_json::{Value, json};
use support::{Rng, pick};

const URI: &str = "file:///work/kernel.ptx";

fn framed(body: &[u8]) -> Vec<u8> {
    [format!("Content-Length: {}\r\n\r\n", body.len()).as_bytes(), body].concat()
}

fn nesting(depth: usize) -> Vec<u8> {
    [b"[".repeat(depth), b"]".repeat(depth)].concat()
}

#[test]
fn malformed_messages_are_answered_and_survived() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, CLEAN);
    for (sent, code) in [
        (framed(b"this is not JSON"), -32700),
        (framed(b""), -32700),
        (framed(b"{\"jsonrpc\":"), -32700),
        (framed(b"\xff\xfe\x00"), -32700),
        (framed(b"{\"jsonrpc\":\"2.0\",\"method\":\"\xc3\x28\"}"), -32700),
        (framed(&nesting(100_000)), -32700),
        (framed(b"null"), -32600),
        (framed(b"[]"), -32600),
        (framed(b"{}"), -32600),
        (framed(br#"{"method":"shutdown"}"#), -32600),
        (framed(br#"{"jsonrpc":"1.0","method":"shutdown"}"#), -32600),
        (framed(br#"{"jsonrpc":"2.0","method":5}"#), -32600),
        (framed(br#"{"jsonrpc":"2.0","method":"shutdown","id":[1]}"#), -32600),
        (framed(br#"[{"jsonrpc":"2.0","method":"shutdown","id":1}]"#), -32600),
        (b"Content-Length: minus one\r\n\r\n".to_vec(), -32700),
        (b"Content-Type: text/plain\r\n\r\n".to_vec(), -32700),
        (b"Content-Length: 99999999999999999999999999\r\n\r\n".to_vec(), -32700),
    ] {
        client.send_bytes(&sent);
        let reply = client.wait("an error", |message| message["id"].is_null() && message.get("error").is_some());
        assert_eq!(reply["error"]["code"], code, "{:?}", String::from_utf8_lossy(&sent[..sent.len().min(80)]));
        assert!(client.server_text(URI).is_some(), "the server goes on");
    }
    let reply = client.error_code_of(&json!({"jsonrpc": "2.0", "id": 7001, "methods": "x"}));
    assert_eq!(reply, (json!(7001), json!(-32600)), "an error names the request where it can");
    client.leave();
}

#[test]
fn a_length_of_terabytes_is_answered_at_once() {
    let mut client = Client::with(json!({}));
    client.send_bytes(b"Content-Length: 99999999999999\r\n\r\n{}");
    let reply = client.wait("an error", |message| message.get("error").is_some());
    assert_eq!(reply["error"]["code"], -32700);
    assert_eq!(reply["error"]["message"], "message of 99999999999999 bytes is too long");
    client.hang_up();
    assert_eq!(client.end().code(), Some(1), "no `shutdown` came");
}

impl Client {
    /// The id and the code of the error that a message is answered with.
    fn error_code_of(&mut self, message: &Value) -> (Value, Value) {
        self.send(message);
        let reply = self.wait("an error", |reply| reply.get("error").is_some());
        (reply["id"].clone(), reply["error"]["code"].clone())
    }
}

#[test]
fn legal_but_unusual_headers_are_read() {
    let mut client = Client::with(json!({}));
    let body = json!({"jsonrpc": "2.0", "id": "a string", "method": "textDocument/hover", "params": {
        "textDocument": {"uri": URI}, "position": {"line": 0, "character": 0},
    }})
    .to_string();
    for headers in [
        format!("content-length: {}\r\n\r\n", body.len()),
        format!("Content-Length:{}\r\nContent-Type: application/vscode-jsonrpc\r\n\r\n", body.len()),
        format!(
            "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nX-A: b\r\nX-C: d\r\nContent-Length: {}\r\n\r\n",
            body.len()
        ),
        format!("Content-Length: {}\n\n", body.len()),
    ] {
        // In pieces, as a slow pipe would bring it.
        for piece in format!("{headers}{body}").as_bytes().chunks(9) {
            client.send_bytes(piece);
        }
        client.wait("the reply", |message| message["id"] == "a string" && message.get("result").is_some());
    }
    client.leave();
}

#[test]
fn a_stream_that_ends_inside_a_message_ends_the_server() {
    for rest in [
        "Content-Length: 100\r\n\r\n{\"jsonrpc\"",
        "Content-Len",
        "Content-Length: 18446744073709551615\r\n\r\n{}",
        "Content-Length: 9223372036854775808\r\n\r\n{}",
        "\0\0\0",
    ] {
        let mut client = Client::with(json!({}));
        client.send_bytes(rest.as_bytes());
        client.hang_up();
        assert_eq!(client.end().code(), Some(1), "ends, and not by a signal: {rest:?}");
    }
}

#[test]
fn parameters_of_the_wrong_shape_change_nothing() {
    let mut client = Client::with(json!({}));
    client.open(URI, 1, &with_error());
    assert_eq!(client.diagnostics(URI, 1).len(), 1);
    for params in [
        json!(null),
        json!([]),
        json!("x"),
        json!({"textDocument": null}),
        json!({"textDocument": {"uri": 5}}),
        json!({"textDocument": {"uri": "no uri at all"}}),
    ] {
        for method in ["didOpen", "didChange", "didClose", "didSave"] {
            client.notify(&format!("textDocument/{method}"), params.clone());
        }
        client.notify("workspace/didChangeConfiguration", params.clone());
        client.notify("$/cancelRequest", params.clone());
        client.notify("initialized", params.clone());
        for method in ["hover", "completion", "codeAction", "diagnostic"] {
            assert_eq!(
                client.error_code(&format!("textDocument/{method}"), params.clone()),
                -32602,
                "{method} {params}"
            );
        }
    }
    assert_eq!(client.server_text(URI), Some((1, with_error())));
    client.leave();
}

#[test]
fn of_too_many_diagnostics_the_most_severe_are_published() {
    let mut text = String::from(".version 8.1\n.target sm_90\n.address_size 64\n");
    for at in 0..20_000 {
        let opcode = if at < 18_500 { "atom.add.global.u32" } else { "atom.global.or.u32" };
        text += &format!(".func f{at}() {{ .reg .b64 a; .reg .b32 r; {opcode} r, [a], 1; }}\n");
    }
    let mut client = Client::with(json!({}));
    client.notify(
        "workspace/didChangeConfiguration",
        json!({"settings": {"ptxAtomics": {"enable": ["modifier-order"]}}}),
    );
    client.open(URI, 1, &text);
    let found = client.diagnostics(URI, 1);
    assert_eq!(found.len(), 2_001);
    let message = found[0]["message"].as_str().expect("text");
    assert!(message.contains("showing 2000 of 20000 diagnostics") && message.contains("ptx-atomics lint"), "{message}");
    let errors = found.iter().filter(|one| one["severity"] == 1).count();
    assert_eq!(errors, 1_500, "no error is left out for a warning");
    let lines: Vec<u64> =
        found[1..].iter().map(|one| one["range"]["start"]["line"].as_u64().expect("a number")).collect();
    assert!(lines.is_sorted(), "in the order of the text");
    client.leave();
}

#[test]
fn any_text_can_be_opened() {
    let mut client = Client::with(json!({}));
    let deep = "{".repeat(20_000);
    let long = format!("// {}", "\u{1f600}".repeat(100_000));
    for (version, text) in
        ["", "\0", "\u{feff}.version 8.1", "atom", "\"", "/*", ".", "%", &deep, &long, "\r\r\r", "@!p", ".v;redion 8.1"]
            .iter()
            .enumerate()
    {
        client.open(URI, version as i32, text);
        client.diagnostics(URI, version as i32);
        assert_eq!(client.server_text(URI), Some((version as i64, (*text).to_owned())));
    }
    client.leave();
}

/// Parts of the random texts.
const PIECES: [&str; 51] = [
    ".version 8.1\n",
    ".target sm_90\n",
    ".entry k(.param .u64 p)",
    ".func f",
    "{",
    "}",
    "(",
    ")",
    "[",
    "]",
    "<",
    ">",
    ";",
    ":",
    ",",
    ".",
    "@",
    "!",
    "atom",
    "red.",
    "multimem.red",
    ".add",
    ".u32",
    "::",
    "L2::cache_hint",
    "%r",
    "%r<4>",
    "%p1",
    ".reg .b32 ",
    "label",
    "0x",
    "0f3F",
    "1",
    "\"",
    "\\",
    "/*",
    "*/",
    "//",
    "\n",
    "\r\n",
    "\t",
    " ",
    "\u{1f600}",
    "\u{301}",
    "bra ",
    ".file 1 \"a",
    "$",
    "-",
    "+",
    "=",
    "#",
];

#[test]
fn no_request_fails_on_any_text() {
    let mut client = Client::counting_in("utf-8");
    let mut rng = Rng::with_seed(0xdead);
    for version in 0..120 {
        let text: String = (0..rng.usize(..40)).map(|_| *pick(&mut rng, &PIECES)).collect();
        client.open(URI, version, &text);
        let (line, character) = (rng.usize(..4) as u64, rng.usize(..30) as u64);
        let asked: Vec<_> = requests(URI, line, character)
            .into_iter()
            .map(|(method, params)| (method, client.ask(method, params)))
            .collect();
        for (method, id) in asked {
            if let Err(error) = client.reply(id) {
                let refused = method.ends_with("ename") && error["code"] == -32803;
                assert!(refused, "{method} at {line}:{character} of {text:?}: {error}");
            }
        }
        client.diagnostics(URI, version);
    }
    let logged: Vec<Value> =
        client.unexpected().into_iter().filter(|message| message["method"] == "window/logMessage").collect();
    assert_eq!(logged, [] as [Value; 0], "no check failed");
    client.leave();
}
