//! Clients that flood or stop reading, and documents whose text would be a command in a hover.

use crate::client::{Client, at};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Stdio};

const MODULE: &str = ".version 8.0\n.target sm_90\n.entry k()\n{\n    .reg .b32 r;\n    .reg .b64 a;\n    red.global.or.u32 [a], r;\n    ret;\n}\n";

/// Markdown of which a client would make a command, a picture or a page.
const LINK: &str = "[x](command:evil) ![y](http://evil/z) <img src=http://evil>";

fn message(body: &Value) -> Vec<u8> {
    let body = body.to_string();
    format!("Content-Length: {}\r\n\r\n{body}", body.len()).into_bytes()
}

#[test]
fn a_flood_of_changes_and_requests_is_answered() {
    const URI: &str = "file:///work/flood.ptx";
    let mut client = Client::with(json!({}));
    client.open(URI, 1, MODULE);
    let mut asked = Vec::new();
    for version in 2..1_500 {
        client.change(URI, version, json!([{"text": format!("{MODULE}// {version}\n")}]));
        asked.push(client.ask_at("textDocument/hover", URI, 6, 6));
    }
    for id in asked {
        // A request about an older text may be refused; none is forgotten.
        let _ = client.reply(id);
    }
    assert_eq!(client.server_text(URI).map(|(version, _)| version), Some(1_499));
    client.leave();
}

#[test]
fn a_server_whose_client_stops_reading_ends_with_it() {
    let mut server = Command::new(support::binary())
        .arg("lsp")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the binary starts");
    let mut input = server.stdin.take().expect("is piped");
    let unread = server.stdout.take().expect("is piped");
    let writer = std::thread::spawn(move || {
        let open = json!({"textDocument": {"uri": "file:///a.ptx", "languageId": "ptx", "version": 1, "text": MODULE}});
        let first = [
            json!({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": {"capabilities": {}}}),
            json!({"jsonrpc": "2.0", "method": "initialized", "params": {}}),
            json!({"jsonrpc": "2.0", "method": "textDocument/didOpen", "params": open}),
        ];
        let hover = |id: i64| json!({"jsonrpc": "2.0", "id": id, "method": "textDocument/hover", "params": at("file:///a.ptx", 6, 6)});
        for body in first.into_iter().chain((1..3_000).map(hover)) {
            // The server may have ended.
            if input.write_all(&message(&body)).is_err() {
                return;
            }
        }
    });
    // More than a pipe holds is under way by then, or will be.
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(unread);
    writer.join().expect("writes or sees the end");
    server.wait().expect("ends");
}

/// Markdown without what is shown as code.
fn outside_of_code(markdown: &str) -> String {
    let blocks: String = markdown.split("```").step_by(2).collect();
    blocks.split('`').step_by(2).collect()
}

#[test]
fn no_text_of_a_document_is_a_link_in_a_hover() {
    let ptx = format!(
        "// {LINK}\n.version 8.0\n.target sm_90\n//! run k out=u32[1] {LINK}\n.file 1 \"{LINK}\"\n.entry k(.param .u64 out) // {LINK}\n{{\n.reg .b32 r; // {LINK}\n.reg .b64 a;\nred.global.or.u32 [a], r; //= {LINK}\nmov.b32 r, 1;\n//@ {LINK}\nret;\n}}\n"
    );
    let cuda = format!(
        "// {LINK}\n#define ORDER \"{LINK}\"\n/** {LINK} */\nvoid f(int *p) {{\n asm volatile(\"red\" ORDER \".global.or.u32 [%0], %[name];\" :: \"l\"(p /* {LINK} */), [name] \"r\"(\"{LINK}\") : \"{LINK}\");\n}}\n"
    );
    let litmus = format!("PTX {LINK}\n\"{LINK}\"\n{{ }}\n P0@cta 0,gpu 0 ;\n ld.weak r0, x ;\nexists (P0:r0=0)\n");
    let sass = format!("// {LINK}\n/*0000*/ RED.E.OR.U32 [R0], R5 ; // {LINK}\n");
    let mut client = Client::with(json!({}));
    let mut hovers = 0;
    for (name, text) in [("a.ptx", ptx), ("a.cu", cuda), ("a.litmus", litmus), ("a.sass", sass)] {
        let uri = format!("file:///work/{name}");
        let language = name.rsplit('.').next().unwrap_or_default();
        let language = if language == "cu" { "cuda-cpp" } else { language };
        let opened = json!({"uri": uri, "languageId": language, "version": 1, "text": text});
        client.notify("textDocument/didOpen", json!({"textDocument": opened}));
        for (line, written) in (0..).zip(text.lines()) {
            for column in (0..written.len() as u32).step_by(3) {
                let hover = client.request("textDocument/hover", at(&uri, line, column)).expect("succeeds");
                let shown = hover["contents"]["value"].as_str().unwrap_or_default();
                hovers += usize::from(!shown.is_empty());
                let plain = outside_of_code(shown);
                for bad in ["](command:", "](http://evil", "<img"] {
                    assert!(!plain.contains(bad), "{name}:{line}:{column}: {shown}");
                }
            }
        }
    }
    assert!(hovers > 20, "{hovers} hovers were looked at");
    client.leave();
}
